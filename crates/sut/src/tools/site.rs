//! [`Site`]: where prony works and with what.

use crate::tools::guard::Guard;
use crate::tools::maven::Maven;
use crate::tools::pip::Pip;
use std::path::PathBuf;

/// Where prony works and with what.
#[derive(Clone, Debug)]
pub struct Site {
    /// Downloads, builds and work folders; one file system, so that a rename within it is atomic.
    pub cache: PathBuf,
    /// Downloads and builds.
    pub maven: Maven,
    /// Downloads of JDKs that are not installed.
    pub pip: Pip,
    /// Ties the life of every process that we start to ours.
    pub guard: Guard,
}

impl Site {
    /// A site with the environment's Maven and pip, and this program as its own guard.
    pub fn new(cache: impl Into<PathBuf>) -> Self {
        Self {
            cache: cache.into(),
            maven: Maven::from_env(),
            pip: Pip::from_env(),
            guard: Guard::this_program(),
        }
    }

    /// The lock of one thing in the cache.
    pub(crate) fn lock(&self, what: &str) -> PathBuf {
        self.cache.join("locks").join(what)
    }
}
