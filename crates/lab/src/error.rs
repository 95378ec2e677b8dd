//! What ends an experiment before its verdict.

use model::units::Bytes;

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
    /// A server ended while it was loaded.
    #[error("arm `{arm}`: its server ended under load")]
    Died {
        /// Which arm.
        arm: String,
        /// The end of its log.
        log: Vec<String>,
    },
    /// The generator could not run.
    #[error("the load generator failed")]
    Load(#[from] load::Error),
    /// A reading could not be taken: most often the server has died under load.
    #[error("the server cannot be observed any more")]
    Probe(#[from] probe::Error),
    /// A slice without both edges.
    #[error("a slice ended without both edges of its counted window")]
    Edges,
    /// All arms are up at once, and their heaps leave too little for everything else.
    #[error("the heaps of {arms} arms need {heaps}, more than 70 % of this machine's {memory}")]
    Memory {
        /// How many arms.
        arms: usize,
        /// Their heaps together.
        heaps: Bytes,
        /// Memory of this machine.
        memory: Bytes,
    },
    /// Ctrl-C or SIGTERM.
    #[error("interrupted")]
    Interrupted,
}

impl Error {
    /// Whether an arm is to blame: it could not be fetched, built or started, or it ended.
    pub const fn is_an_arms(&self) -> bool {
        matches!(self, Self::Arm { .. } | Self::Died { .. })
    }

    /// Whether what was asked for cannot be done here, whoever asks.
    pub const fn is_a_question(&self) -> bool {
        matches!(self, Self::Memory { .. })
    }

    /// The end of the server's own log, where there is one.
    pub fn log(&self) -> &[String] {
        match self {
            Self::Arm { source, .. } | Self::Sut(source) => source.log(),
            Self::Died { log, .. } => log,
            _ => &[],
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Arm { source, .. } | Self::Sut(source) => source.hint(),
            Self::Memory { .. } => Some(
                "all arms are up at once, so that they meet the same noise: give them a smaller `heap`, or choose some with --arm".to_owned(),
            ),
            Self::Died { .. } => Some("its log above says why; a larger `heap` is a common cure".to_owned()),
            _ => None,
        }
    }
}
