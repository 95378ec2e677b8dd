//! What ends an experiment before its verdict.

/// What went wrong.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An arm could not be fetched, built, configured, started or stopped.
    #[error("arm `{arm}`: {source}")]
    Arm {
        /// Which arm.
        arm: String,
        /// What its server said.
        #[source]
        source: Box<sut::Error>,
    },
    /// Something of the bench itself: a work folder, the catalog.
    #[error(transparent)]
    Sut(#[from] Box<sut::Error>),
    /// The generator could not run.
    #[error("the load generator failed")]
    Load(#[from] load::Error),
    /// A reading could not be taken: most often the server has died under load.
    #[error("the server cannot be observed any more")]
    Probe(#[from] probe::Error),
    /// A slice without both edges.
    #[error("a slice ended without both edges of its counted window")]
    Edges,
    /// Ctrl-C or SIGTERM.
    #[error("interrupted")]
    Interrupted,
}

impl Error {
    /// The server's own error behind it, with its hint and the end of its log.
    pub fn server(&self) -> Option<&sut::Error> {
        match self {
            Self::Arm { source, .. } | Self::Sut(source) => Some(source),
            _ => None,
        }
    }
}
