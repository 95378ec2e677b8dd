//! [`Error`]: what ends an experiment before its verdict.

use model::arm::Arm;
use model::isolation::CpuRefusal;
use model::units::Bytes;

/// What went wrong.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An arm could not be fetched, built, configured, started or stopped.
    #[error("arm `{arm}`: {source}")]
    Arm {
        /// The name of the arm.
        arm: String,
        /// The error of its server.
        #[source]
        source: Box<sut::Error>,
    },
    /// An error that belongs to no arm: of a work folder, the catalog, the link.
    #[error(transparent)]
    Sut(#[from] Box<sut::Error>),
    /// A server ended under load.
    #[error("arm `{arm}`: its server ended under load")]
    Died {
        /// The name of the arm.
        arm: String,
        /// The end of its log.
        log: Vec<String>,
    },
    /// The load generator failed.
    #[error("the load generator failed")]
    Load(#[from] load::Error),
    /// A server could not be read; most often because it has died.
    #[error("the server cannot be observed any more")]
    Probe(#[from] probe::Error),
    /// A slice ended without reporting both edges of its counted window.
    #[error("a slice ended without both edges of its counted window")]
    Edges,
    /// The heaps of all arms, which run at the same time, leave too little memory.
    #[error("the heaps of {arms} arms need {heaps}, more than 70 % of this machine's {memory}")]
    Memory {
        /// The number of arms.
        arms: usize,
        /// The sum of their heaps.
        heaps: Bytes,
        /// The memory of this machine.
        memory: Bytes,
    },
    /// The CPUs that the file names cannot be used.
    #[error(transparent)]
    Cpus(#[from] CpuRefusal),
    /// Two arms are the same although they should differ, or differ in an A/A experiment.
    #[error("the arms `{one}` and `{other}` are {}the same", if *.same { "" } else { "not " })]
    Arms {
        one: String,
        other: String,
        /// Whether they are the same.
        same: bool,
    },
    /// The JVMs of the arms differ in something that no arm sets.
    #[error(
        "the arms differ in their {fact} though none of them names it: `{one}` runs with {one_value}, `{other}` with {other_value}"
    )]
    UnnamedDifference {
        /// In what they differ.
        fact: JvmFact,
        /// The name of an arm.
        one: String,
        /// The value in that arm.
        one_value: String,
        /// The name of an arm with another value.
        other: String,
        /// The value in the other arm.
        other_value: String,
    },
    /// The prony on another host gave an answer that is not understood.
    #[error("the prony on another host gave an answer that is not understood: {0}")]
    Strange(String),
    /// The user ended the run by Ctrl-C or SIGTERM.
    #[error("interrupted")]
    Interrupted,
}

/// A setting in which JVMs may differ although nobody asked for it.
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
    /// Whether an arm caused the error: it could not be fetched, built or started, or it ended.
    pub fn is_of_arm(&self) -> bool {
        matches!(self, Self::Arm { .. } | Self::Died { .. }) && !self.asks_for_what_is_missing()
    }

    /// The host whose connection was cut, if that is the error: another start may go well.
    pub(crate) fn lost_host(&self) -> Option<&str> {
        let source = match self {
            Self::Arm { source, .. } | Self::Sut(source) => source,
            _ => return None,
        };
        match &**source {
            sut::Error::Host(error) if error.is_cut() => Some(&error.host),
            _ => None,
        }
    }

    /// Whether an arm asks for a version of a server or for a JDK that does not exist.
    fn asks_for_what_is_missing(&self) -> bool {
        match self {
            Self::Arm { source, .. } => {
                matches!(
                    **source,
                    sut::Error::NoVersion { .. } | sut::Error::NoJdk { .. } | sut::Error::NotAJdk { .. }
                )
            }
            _ => false,
        }
    }

    /// Whether the experiment asks for something that cannot be done here, which is a usage error.
    pub fn is_usage(&self) -> bool {
        match self {
            Self::Memory { .. } | Self::Cpus(_) | Self::Arms { .. } | Self::UnnamedDifference { .. } => true,
            Self::Sut(source) => matches!(**source, sut::Error::NoNetwork { .. }),
            _ => self.asks_for_what_is_missing(),
        }
    }

    /// The end of the server's log; empty where there is none.
    pub fn log(&self) -> &[String] {
        match self {
            Self::Arm { source, .. } | Self::Sut(source) => source.log(),
            Self::Died { log, .. } => log,
            _ => &[],
        }
    }

    /// What the user can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Arm { source, .. } | Self::Sut(source) => source.hint(),
            Self::Memory { .. } => Some(
                "all arms are up at once, so that they meet the same noise: give them a smaller `heap`, or choose some with --arm".to_owned(),
            ),
            Self::Cpus(_) => Some(
                "`lscpu -e` lists the CPUs and their cores; name one CPU for each event loop, and others for the servers".to_owned(),
            ),
            Self::Arms { same: true, .. } => Some(
                "name a difference; to see how much identical arms differ set `aa = true` in [design], or run `prony calibrate aa`".to_owned(),
            ),
            Self::Arms { same: false, .. } => Some("with `aa = true` all arms have to be the same but for name and port".to_owned()),
            Self::UnnamedDifference { .. } => Some("name it in each arm: `heap`, `jdk`, or the collector in `jvm_options`".to_owned()),
            Self::Died { .. } => Some("its log above says why; a larger `heap` is a common cure".to_owned()),
            _ => None,
        }
    }
}

/// Adds the name of the arm to an error.
pub(crate) fn at(arm: &Arm) -> impl FnOnce(sut::Error) -> Error {
    let arm = arm.name.clone();
    move |source| Error::Arm {
        arm,
        source: Box::new(source),
    }
}
