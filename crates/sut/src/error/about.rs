//! How errors are made, and what else is known about them.

use super::{Error, FileAct};
use say::Language;
use std::io;
use std::path::Path;

impl Error {
    /// An I/O error with its operation; [`Error::DiskFull`] if the disk is full.
    pub(crate) fn io(act: FileAct, path: impl AsRef<Path>, source: io::Error) -> Self {
        let path = path.as_ref().to_owned();
        if is_full(&source) {
            return Self::DiskFull { path };
        }
        Self::Io { act, path, source }
    }

    /// The error for a server (`tomcat:10.1.29`) that does not run the connector of its arm.
    pub(crate) fn other_handler(server: &str, asked: &str, actual: Option<String>) -> Self {
        Self::OtherHandler { server: server.to_owned(), asked: asked.to_owned(), actual }
    }

    /// What the user can do about it, in English.
    pub fn hint(&self) -> Option<String> {
        say::hint(self, Language::En)
    }

    /// The last lines of the server's log, or of a tool's output; empty where there are none.
    pub fn log(&self) -> &[String] {
        match self {
            Self::Exited { log, .. }
            | Self::Refused { log, .. }
            | Self::WrongAnswer { log, .. }
            | Self::NotReady { log, .. }
            | Self::Overrun { log, .. } => log,
            Self::Maven { lines, .. } | Self::Pip { lines, .. } | Self::Compiler { lines, .. } => {
                lines.get(1..).unwrap_or_default()
            }
            Self::Build(error) => error.log(),
            Self::Host(error) => error.log(),
            _ => &[],
        }
    }
}

/// Whether the error is a full disk or an exhausted quota.
pub(crate) fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_named_whatever_was_being_written() {
        let full = io::Error::from(io::ErrorKind::StorageFull);
        let error = Error::io(FileAct::Write, "/x/y", full);
        assert_eq!(error.to_string(), "no space left on the disk of /x/y");
        assert!(error.hint().is_some_and(|hint| hint.contains("PRONY_HOME")));
    }
}
