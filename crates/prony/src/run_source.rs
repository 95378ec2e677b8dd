//! [`RunSource`]: where stored runs are read, and where decisions about them are stored.

use crate::failure::Failure;
use crate::home::Home;
use std::path::PathBuf;
use store::{Store, Team, TeamAccess, TeamAddress};

/// Where stored runs are read.
pub(crate) enum RunSource {
    /// The folder of the runs of this machine.
    Machine(PathBuf),
    /// The store of the team, which is only read, apart from decisions.
    Team(TeamAddress),
}

impl RunSource {
    /// The store of the team at this URL; without one, the runs of this machine.
    pub(crate) fn named(url: Option<&str>) -> Result<Self, Failure> {
        match url {
            Some(url) => TeamAddress::parse(url).map(Self::Team).map_err(Failure::of_team),
            None => Ok(Self::Machine(Home::find()?.data)),
        }
    }

    /// Opens the runs. Those of the team are at most so many of an experiment, without their rounds.
    pub(crate) fn listing(&self, experiment: Option<&str>, limit: u32) -> Result<Store, Failure> {
        match self {
            Self::Machine(folder) => Ok(Store::open(folder)?),
            Self::Team(at) => {
                let team = Team::open(at, TeamAccess::Read);
                let listed = team.and_then(|mut team| team.listing(experiment, limit));
                listed.map_err(Failure::of_team)
            }
        }
    }

    /// The folder of the runs of this machine, if they are read.
    pub(crate) const fn folder(&self) -> Option<&PathBuf> {
        match self {
            Self::Machine(folder) => Some(folder),
            Self::Team(_) => None,
        }
    }
}
