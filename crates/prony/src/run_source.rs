//! [`RunSource`]: where stored runs are read, and where decisions about them are stored.

use std::path::PathBuf;
use store::TeamAddress;

/// Where stored runs are read.
pub(crate) enum RunSource {
    /// The folder of the runs of this machine.
    Machine(PathBuf),
    /// The store of the team, which is only read, apart from decisions.
    Team(TeamAddress),
}

impl RunSource {
    /// The folder of the runs of this machine, if they are read.
    pub(crate) const fn folder(&self) -> Option<&PathBuf> {
        match self {
            Self::Machine(folder) => Some(folder),
            Self::Team(_) => None,
        }
    }
}
