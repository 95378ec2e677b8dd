//! What ends an experiment before its verdict.

use model::arm::Arm;
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
    /// Two arms are the same where a difference is asked for, or differ in an A/A.
    #[error("the arms `{one}` and `{other}` are {}the same", if *.same { "" } else { "not " })]
    Arms {
        /// One of them.
        one: String,
        /// The other.
        other: String,
        /// Whether they are the same.
        same: bool,
    },
    /// The arms differ in something that none of them names.
    #[error(
        "the arms differ in their {fact} though none of them names it: `{one}` runs with {of_one}, `{other}` with {of_other}"
    )]
    Unlike {
        /// In what.
        fact: JvmFact,
        /// An arm.
        one: String,
        /// What it runs with.
        of_one: String,
        /// An arm that runs with something else.
        other: String,
        /// What the other runs with.
        of_other: String,
    },
    /// Ctrl-C or SIGTERM.
    #[error("interrupted")]
    Interrupted,
}

/// What JVMs may differ in although nobody asked for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JvmFact {
    /// The garbage collector.
    #[error("garbage collector")]
    Collector,
    /// The size of the heap.
    #[error("heap")]
    Heap,
    /// The version of the JDK.
    #[error("JDK")]
    Jdk,
}

impl Error {
    /// Whether an arm is to blame: it could not be fetched, built or started, or it ended.
    pub const fn is_an_arms(&self) -> bool {
        matches!(self, Self::Arm { .. } | Self::Died { .. })
    }

    /// Whether what was asked for cannot be done here, whoever asks.
    pub fn is_a_question(&self) -> bool {
        match self {
            Self::Memory { .. } | Self::Arms { .. } | Self::Unlike { .. } => true,
            Self::Sut(source) => matches!(**source, sut::Error::NoNetwork { .. }),
            _ => false,
        }
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
            Self::Arms { same: true, .. } => Some(
                "name a difference; to see how much identical arms differ set `aa = true` in [design], or run `prony calibrate aa`".to_owned(),
            ),
            Self::Arms { same: false, .. } => Some("with `aa = true` all arms have to be the same but for name and port".to_owned()),
            Self::Unlike { .. } => Some("name it in each arm: `heap`, `jdk`, or the collector in `jvm_options`".to_owned()),
            Self::Died { .. } => Some("its log above says why; a larger `heap` is a common cure".to_owned()),
            _ => None,
        }
    }
}

/// Says of which arm an error is.
pub(crate) fn at(arm: &Arm) -> impl FnOnce(sut::Error) -> Error {
    let arm = arm.name.clone();
    move |source| Error::Arm {
        arm,
        source: Box::new(source),
    }
}
