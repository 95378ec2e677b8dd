//! [`RunSource`]: where the pages read their runs.

use super::RequestError;
use std::path::PathBuf;
use store::{Store, Team, TeamAccess, TeamAddress};

/// Where stored runs are read.
pub(crate) enum RunSource {
    /// The folder of the runs of this machine.
    Machine(PathBuf),
    /// The store of the team, which is only read.
    Team(TeamAddress),
}

/// What a request reads. Of the team's store only that is fetched.
pub(super) enum Wanted {
    /// The newest runs without their rounds, at most this number.
    Newest(u32),
    /// These runs as a whole, by their whole ids.
    Runs(Vec<String>),
}

impl Wanted {
    /// One run as a whole.
    pub(super) fn run(run: &str) -> Self {
        Self::Runs(vec![run.to_owned()])
    }
}

impl RunSource {
    /// Opens a store that has what is wanted. Every request connects anew, so that a server that was restarted is no trouble.
    pub(super) fn open(&self, wanted: &Wanted) -> Result<Store, RequestError> {
        let at = match self {
            Self::Machine(folder) => return Ok(Store::open(folder)?),
            Self::Team(at) => at,
        };
        let mut team = Team::open(at, TeamAccess::Read)?;
        Ok(match wanted {
            Wanted::Newest(limit) => team.listing(None, *limit)?,
            Wanted::Runs(runs) => team.copy(&runs.iter().map(String::as_str).collect::<Vec<_>>())?,
        })
    }

    /// The folder of the runs of this machine, if they are read.
    pub(super) const fn folder(&self) -> Option<&PathBuf> {
        match self {
            Self::Machine(folder) => Some(folder),
            Self::Team(_) => None,
        }
    }
}
