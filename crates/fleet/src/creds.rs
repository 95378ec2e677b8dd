//! [`Creds`]: who a machine is for the NATS server. They are in a file of mode 0600, never in arguments.

use crate::error::Error;
use serde::Deserialize;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// How a file of the NATS tool `nsc` begins: a token that an account has signed, and behind it the user's own key.
const NATS_CREDS: &str = "-----BEGIN NATS USER JWT-----";

/// A user of the NATS server.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Creds {
    /// The user; empty if there are NATS credentials.
    pub user: String,
    pub password: String,
    /// NATS credentials instead of user and password: the text of a file of the tool `nsc`.
    pub nats_creds: Option<String>,
    /// A PEM file with the certificate authority that signed the server's certificate; with it, the connection has to be encrypted.
    pub ca: Option<PathBuf>,
    /// The beginning of the subjects on which it gets answers, if the server permits it only some [default: _INBOX].
    pub inbox: Option<String>,
}

/// What a file of ours contains: user and password, or the path of a file of `nsc`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CredsFile {
    user: Option<String>,
    password: Option<String>,
    nats_creds: Option<PathBuf>,
    ca: Option<PathBuf>,
    inbox: Option<String>,
}

impl std::fmt::Debug for Creds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Creds").field("user", &self.user).finish_non_exhaustive()
    }
}

impl Creds {
    /// Reads a TOML file with `user` and `password`, or with `nats_creds`, and optionally `ca` and `inbox`; or a file of `nsc` itself.
    ///
    /// # Errors
    ///
    /// When it cannot be read, when others than its owner can read it, or when it contains something else.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let text = read_private(path)?;
        if text.trim_start().starts_with(NATS_CREDS) {
            return Ok(Self { nats_creds: Some(text), ..Self::default() });
        }
        let bad = || Error::BadCreds { path: path.to_owned() };
        // The message of the parser would show the line, which may contain the password.
        let file: CredsFile = toml::from_str(&text).map_err(|_| bad())?;
        let creds = Self { ca: file.ca, inbox: file.inbox, ..Self::default() };
        match (file.user, file.password, file.nats_creds) {
            (Some(user), Some(password), None) => Ok(Self { user, password, ..creds }),
            (None, None, Some(other)) => {
                let text = read_private(&other)?;
                let is_theirs = text.trim_start().starts_with(NATS_CREDS);
                let nats_creds = is_theirs.then_some(text);
                nats_creds
                    .is_some()
                    .then_some(Self { nats_creds, ..creds })
                    .ok_or(Error::BadCreds { path: other })
            }
            _ => Err(bad()),
        }
    }
}

/// Returns the text of a file that nobody else can read.
fn read_private(path: &Path) -> Result<String, Error> {
    let unreadable = |source| Error::File { path: path.to_owned(), source };
    let mode = std::fs::metadata(path).map_err(unreadable)?.permissions().mode();
    // systemd lets only the service read what it passes; it may do so by an access control list, which looks like a right of
    // the file's group.
    let guarded = std::env::var_os("CREDENTIALS_DIRECTORY").is_some_and(|folder| path.starts_with(folder));
    if mode & 0o077 != 0 && !guarded {
        return Err(Error::CredsOpen { path: path.to_owned(), mode: mode & 0o777 });
    }
    std::fs::read_to_string(path).map_err(unreadable)
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
        assert!(matches!(with_mode(0o640), Err(Error::CredsOpen { mode: 0o640, .. })));
        let creds = with_mode(0o600).unwrap();
        assert_eq!((creds.user.as_str(), creds.password.as_str()), ("a", "b"));
        assert!(!format!("{creds:?}").contains("\"b\""));
        std::fs::write(&path, "user = \"a\"\npasswort = \"geheim\"\n").unwrap();
        let error = Creds::read(&path).unwrap_err();
        assert!(matches!(error, Error::BadCreds { .. }) && !error.to_string().contains("geheim"));
    }
}
