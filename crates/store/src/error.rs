//! What may go wrong with the stored runs, and what to do about it.

use rusqlite::ErrorCode;
use std::path::{Path, PathBuf};

/// What went wrong with the stored runs.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The folder cannot be made.
    #[error("cannot make the folder {path}: {source}")]
    Folder {
        /// Which folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// SQLite refused.
    #[error("cannot {what} in {path}: {source}")]
    Sql {
        /// What was being done.
        what: &'static str,
        /// The database.
        path: PathBuf,
        /// What SQLite said.
        source: rusqlite::Error,
    },
    /// Written by a later prony.
    #[error("{path} was written by a later prony (schema {found}, this one knows {known})")]
    Newer {
        /// The database.
        path: PathBuf,
        /// Its schema.
        found: u32,
        /// Ours.
        known: u32,
    },
    /// A stored value that cannot be read back.
    #[error("run {run} in {path} cannot be read: {source}")]
    Json {
        /// The database.
        path: PathBuf,
        /// Which run.
        run: String,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// More than one run begins so.
    #[error("`{prefix}` fits more than one run: {}", .runs.join(", "))]
    Ambiguous {
        /// What was asked for.
        prefix: String,
        /// Which runs it fits.
        runs: Vec<String>,
    },
}

impl Error {
    /// What to do.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Folder { .. } => Some(ELSEWHERE.to_owned()),
            Self::Sql { path, source, .. } => hint(path, source.sqlite_error_code()?),
            Self::Newer { .. } => Some(format!("use that prony, or {ELSEWHERE}")),
            Self::Json { .. } => Some("it was stored by another prony: use that one to read it".to_owned()),
            Self::Ambiguous { .. } => Some("type more of the run\'s id".to_owned()),
        }
    }
}

const ELSEWHERE: &str = "set PRONY_HOME to a folder that can be written, for downloads and stored runs";

fn hint(path: &Path, code: ErrorCode) -> Option<String> {
    let file = path.display();
    match code {
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => Some(format!(
            "another program holds it for long: `fuser {file}` names it; let it end, or {ELSEWHERE}"
        )),
        ErrorCode::DiskFull => Some(format!("the disk is full: free some space, or {ELSEWHERE}")),
        ErrorCode::SystemIoFailure => Some(format!(
            "the disk is full or broken: `df {file}` tells; else {ELSEWHERE}"
        )),
        ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => Some(format!(
            "put it aside (`mv {file} {file}.broken`): a new one is made; `sqlite3 {file}.broken .recover` may save its runs"
        )),
        ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied => {
            Some(format!("`ls -l {file}` tells whose it is; or {ELSEWHERE}"))
        }
        _ => None,
    }
}
