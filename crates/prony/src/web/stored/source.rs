//! Opens the stored runs for a request.

use super::RequestError;
use crate::run_source::RunSource;
use store::{Store, Team, TeamAccess};

/// What a request reads. Of the team's store only that is fetched.
pub(super) enum Wanted {
    /// The newest runs without their rounds, at most this number.
    Newest(u32),
    /// The newest runs of an experiment without their rounds, at most this number.
    NewestOf(String, u32),
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
            Wanted::NewestOf(experiment, limit) => team.listing(Some(experiment), *limit)?,
            Wanted::Runs(runs) => team.copy(&runs.iter().map(String::as_str).collect::<Vec<_>>())?,
        })
    }

    /// Whether decisions can be stored there: the role of a viewer may only read the team's store.
    pub(super) fn may_decide(&self) -> Result<bool, RequestError> {
        match self {
            Self::Machine(_) => Ok(true),
            Self::Team(at) => Ok(Team::open(at, TeamAccess::Read)?.may_decide()?),
        }
    }
}
