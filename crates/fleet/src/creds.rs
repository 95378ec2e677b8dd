//! [`Creds`]: who a machine is for the NATS server. They are in a file of mode 0600, never in arguments.

use crate::error::Error;
use serde::Deserialize;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// A user of the NATS server.
#[derive(Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Creds {
    /// The user.
    pub user: String,
    /// Its password.
    pub password: String,
    /// A PEM file with the certificate authority that signed the server's certificate; with it, the connection has to be encrypted.
    #[serde(default)]
    pub ca: Option<PathBuf>,
    /// The beginning of the subjects on which it gets answers, if the server permits it only some [default: _INBOX].
    #[serde(default)]
    pub inbox: Option<String>,
}

impl std::fmt::Debug for Creds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Creds")
            .field("user", &self.user)
            .finish_non_exhaustive()
    }
}

impl Creds {
    /// Reads a TOML file with `user`, `password`, and optionally `ca` and `inbox`.
    ///
    /// # Errors
    ///
    /// When it cannot be read, when others than its owner can read it, or when it contains something else.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let unreadable = |source| Error::File {
            path: path.to_owned(),
            source,
        };
        let mode = std::fs::metadata(path).map_err(unreadable)?.permissions().mode();
        // systemd lets only the service read what it passes; it may do so by an access control list, which looks like a right of
        // the file's group.
        let guarded =
            std::env::var_os("CREDENTIALS_DIRECTORY").is_some_and(|folder| path.starts_with(folder));
        if mode & 0o077 != 0 && !guarded {
            return Err(Error::CredsOpen {
                path: path.to_owned(),
                mode: mode & 0o777,
            });
        }
        let text = std::fs::read_to_string(path).map_err(unreadable)?;
        // The message of the parser would show the line, which may contain the password.
        toml::from_str(&text).map_err(|_| Error::BadCreds {
            path: path.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_that_others_can_read_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("creds");
        std::fs::write(&path, "user = \"a\"\npassword = \"b\"\n").unwrap();
        let with_mode = |mode| {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            Creds::read(&path)
        };
        assert!(matches!(
            with_mode(0o640),
            Err(Error::CredsOpen { mode: 0o640, .. })
        ));
        let creds = with_mode(0o600).unwrap();
        assert_eq!((creds.user.as_str(), creds.password.as_str()), ("a", "b"));
        assert!(!format!("{creds:?}").contains("\"b\""));
        std::fs::write(&path, "user = \"a\"\npasswort = \"geheim\"\n").unwrap();
        let error = Creds::read(&path).unwrap_err();
        assert!(matches!(error, Error::BadCreds { .. }) && !error.to_string().contains("geheim"));
    }
}
