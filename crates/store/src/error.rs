//! Errors of the stored history, with hints about what to do.

use rusqlite::ErrorCode;
use std::path::{Path, PathBuf};

/// The reason why the stored history could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The folder of the history cannot be made.
    #[error("cannot make the folder {path}: {source}")]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// SQLite reported an error.
    #[error("cannot {act} in {path}: {source}")]
    Sql {
        /// What was tried.
        act: StoreAct,
        /// The file of the database.
        path: PathBuf,
        /// The error of SQLite.
        source: rusqlite::Error,
    },
    /// The file was written by a later prony, whose schema this one does not know.
    #[error("{path} was written by a later prony (schema {stored}, this one knows {known})")]
    Newer {
        /// The file of the database.
        path: PathBuf,
        /// The schema version of the file.
        stored: u32,
        /// The latest schema version that this prony knows.
        known: u32,
    },
    /// A stored value is not what this prony expects.
    #[error("run {run} in {path} cannot be read: {source}")]
    Json {
        /// The file of the database.
        path: PathBuf,
        /// The id of the run.
        run: String,
        /// What is wrong with the value.
        source: serde_json::Error,
    },
    /// Several ids of runs begin with the given prefix.
    #[error("`{prefix}` fits more than one run: {}", .runs.join(", "))]
    Ambiguous {
        /// The prefix.
        prefix: String,
        /// The ids that begin with it.
        runs: Vec<String>,
    },
}

/// What was being done with the stored runs when SQLite refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreAct {
    /// Open the file of stored runs.
    #[error("open the history")]
    OpenHistory,
    /// Make a history that is kept in memory only.
    #[error("make a history")]
    MakeHistory,
    /// Set how long to wait for another program's lock.
    #[error("wait for the lock")]
    SetPatience,
    /// Switch to a write-ahead log.
    #[error("switch to WAL")]
    SwitchToWal,
    /// Set how often the file is synced to the disk.
    #[error("set how it syncs")]
    SetSync,
    /// Read which schema the file has.
    #[error("read the schema's version")]
    ReadVersion,
    /// Bring an older schema up to date.
    #[error("bring the schema up to date")]
    UpdateSchema,
    /// Store a run as a whole, after its slices could not be stored one by one.
    #[error("store a run again")]
    StoreRunAgain,
    /// Remove old runs.
    #[error("remove runs")]
    RemoveRuns,
    /// Store a run that begins.
    #[error("store a run")]
    StoreRun,
    /// Store a single load.
    #[error("store a load")]
    StoreLoad,
    /// Store a slice.
    #[error("store a slice")]
    StoreSlice,
    /// Store a round.
    #[error("store a round")]
    StoreRound,
    /// Store what was seen in a server.
    #[error("store an inspection")]
    StoreInspection,
    /// Remove the part of a run that was stored.
    #[error("remove what was stored in part")]
    RemovePart,
    /// Mark a stored run as one that goes on.
    #[error("go on with a run")]
    GoOn,
    /// Store the report of a run.
    #[error("store a report")]
    StoreReport,
    /// List the stored runs.
    #[error("list the runs")]
    ListRuns,
    /// Find a run by its id or the beginning of it.
    #[error("find a run")]
    FindRun,
    /// Read the slices of a run.
    #[error("read the slices")]
    ReadSlices,
    /// Read a run.
    #[error("read a run")]
    ReadRun,
    /// Read the rounds of a run.
    #[error("read the rounds")]
    ReadRounds,
    /// Read what was seen in the servers.
    #[error("read the inspections")]
    ReadInspections,
    /// Read what was decided about changes.
    #[error("read the decisions")]
    ReadDecisions,
    /// Store or remove what was decided about a change.
    #[error("store a decision")]
    StoreDecision,
    /// Read the figures of other tools.
    #[error("read the figures of other tools")]
    ReadForeign,
    /// Store or remove figures of other tools.
    #[error("store the figures of another tool")]
    StoreForeign,
    /// Store a run of a calibration.
    #[error("store a calibration")]
    StoreCalibration,
    /// List the runs of calibrations.
    #[error("list the calibrations")]
    ListCalibrations,
}

/// Why SQLite refuses something, where its user can do something about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SqlTrouble {
    /// Another program has locked the file for longer than we wait.
    Locked,
    /// The disk is full.
    Full,
    /// The disk is full or broken.
    Disk,
    /// The file is damaged, or is something else.
    Corrupt,
    /// The file may not be opened or written.
    Refused,
}

impl Error {
    /// Why SQLite refused, where its user can do something about it; `None` for every other error.
    pub fn sql_trouble(&self) -> Option<SqlTrouble> {
        let Self::Sql { source, .. } = self else {
            return None;
        };
        match source.sqlite_error_code()? {
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => Some(SqlTrouble::Locked),
            ErrorCode::DiskFull => Some(SqlTrouble::Full),
            ErrorCode::SystemIoFailure => Some(SqlTrouble::Disk),
            ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => Some(SqlTrouble::Corrupt),
            ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied => {
                Some(SqlTrouble::Refused)
            }
            _ => None,
        }
    }

    /// What the user can do about the error; `None` when nothing is known to help.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Folder { .. } => Some(ELSEWHERE.to_owned()),
            Self::Sql { path, .. } => Some(sqlite_hint(path, self.sql_trouble()?)),
            Self::Newer { .. } => Some(format!("use that prony, or {ELSEWHERE}")),
            Self::Json { .. } => Some("it was stored by another prony: use that one to read it".to_owned()),
            Self::Ambiguous { .. } => Some("type more of the run\'s id".to_owned()),
        }
    }
}

/// The end of hints about a place that cannot be written.
const ELSEWHERE: &str = "set PRONY_HOME to a folder that can be written, for downloads and stored runs";

/// What the user can do about trouble of SQLite with the database at `path`.
fn sqlite_hint(path: &Path, trouble: SqlTrouble) -> String {
    let file = path.display();
    match trouble {
        SqlTrouble::Locked => {
            format!("another program holds it for long: `fuser {file}` names it; let it end, or {ELSEWHERE}")
        }
        SqlTrouble::Full => format!("the disk is full: free some space, or {ELSEWHERE}"),
        SqlTrouble::Disk => format!("the disk is full or broken: `df {file}` tells; else {ELSEWHERE}"),
        SqlTrouble::Corrupt => format!(
            "put it aside (`mv {file} {file}.broken`): a new one is made; `sqlite3 {file}.broken .recover` may save its runs"
        ),
        SqlTrouble::Refused => format!("`ls -l {file}` tells whose it is; or {ELSEWHERE}"),
    }
}
