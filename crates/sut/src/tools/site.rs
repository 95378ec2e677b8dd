//! [`Site`]: the cache folder and the tools that prony works with.

use crate::files::work::WorkFolder;
use crate::tools::guard::Guard;
use crate::tools::maven::Maven;
use crate::tools::pip::Pip;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

/// The cache folder and the tools that prony works with.
#[derive(Clone, Debug)]
pub struct Site {
    /// The folder of downloads, builds and work folders. It is on one file system, so that a rename within it is atomic.
    pub cache: PathBuf,
    /// Downloads distributions and builds applications.
    pub maven: Maven,
    /// Downloads JDKs that are not installed.
    pub pip: Pip,
    /// Ends every process that we start when we end.
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

    /// The path of the lock for one thing in the cache.
    pub(crate) fn lock(&self, what: &str) -> PathBuf {
        self.cache.join("locks").join(what)
    }
}

/// What the tools of one download or build have in common.
#[derive(Clone, Copy)]
pub(crate) struct Job<'a> {
    /// The tools.
    pub(crate) site: &'a Site,
    /// The folder for everything that they write.
    pub(crate) work: &'a WorkFolder,
    /// The flag that ends them early.
    pub(crate) stop: &'a AtomicBool,
}
