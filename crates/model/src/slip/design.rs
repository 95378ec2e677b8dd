//! What an experiment cannot ask for: keys that contradict each other, measures that are not taken, requirements that
//! cannot be judged.

use crate::measure::Measure;

/// `[load]`, `[design]`, `[quick]`, `[link]`, `[machine]` or `[tune]` ask for what cannot be. `find` is the value of that key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DesignSlip {
    #[error("`until_sure` means no cap of starts, but `starts` sets one")]
    CapUntilSure,
    #[error("a gate and a margin of the headline would answer two questions with one rule")]
    TwoMargins,
    #[error("the number of pairs must be even")]
    OddPairs,
    #[error("the level {level} is not greater than {before} before it")]
    LevelOrder { level: usize, before: usize },
    #[error("`objective` is for find = \"max-rate\" only")]
    ObjectiveWithoutFind,
    #[error(
        "find = \"capacity\" takes no objective: a capacity is the highest throughput, whatever the response time"
    )]
    ObjectiveOfCapacity,
    #[error("`max-rate` needs an objective that the rate has to keep")]
    NoObjective,
    #[error("{0} numbers of users are too few for a capacity curve")]
    FewLevels(usize),
    #[error("find = \"max-rate\" takes one number of connections, not several")]
    LevelsOfMaxRate,
    #[error("with find = \"{0}\" there is no stage at a fixed rate")]
    NoFixedRate(&'static str),
    #[error("with `latency_pairs = 0` there is no stage at a fixed rate, so `{0}` has no effect")]
    WithoutFixedRate(&'static str),
    #[error("[quick] cannot look for anything else than [load] does")]
    OtherFindInQuick,
    #[error("`{0}` is no range of ports")]
    Ports(String),
    #[error("`{0}` is no list of CPUs")]
    CpuList(String),
    #[error("the CPU {0} cannot belong to both the generator and the servers")]
    CpuOnBothSides(usize),
    #[error("`shared_cpus` in [load] lets both sides share all CPUs, and [machine] divides them")]
    SharedAndDivided,
    #[error("`{0}` runs already, so its CPUs cannot be chosen")]
    CpusOfRunning(String),
    #[error("`{0}` needs either `env` or `property`, by which the application gets it")]
    TunedBy(String),
    #[error("no arm can get `{0}`: prony starts none, or none in a JVM")]
    NothingToTune(String),
}

/// Why an experiment does not take a measure.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotMeasured {
    /// Only a `find` takes it, which the experiment does not ask for.
    #[error("without find = \"{find}\" there is no {title}", title = .measure.title())]
    WithoutFind {
        /// The value of `find` that takes it.
        find: String,
        measure: Measure,
    },
    /// What the experiment looks for leaves it out.
    #[error("with find = \"{find}\" no {title} is compared", title = .measure.title())]
    WithFind {
        /// The value of `find`.
        find: &'static str,
        measure: Measure,
    },
    /// It is taken at a fixed rate, and that stage is left out.
    #[error("with `latency_pairs = 0` there is no {title}", title = .0.title())]
    WithoutFixedRate(Measure),
}

/// An objective or a requirement that cannot be judged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RequirementSlip {
    #[error("`{0}` is no objective")]
    NotAnObjective(String),
    #[error("`{0}` is no percentile of the response time: response_p50, response_p90 or response_p99")]
    NotAPercentile(String),
    #[error("`{0}` has no unit")]
    NoUnit(String),
    #[error("the limit has to be greater than 0")]
    ZeroLimit,
    #[error("errors cannot be required relative to the baseline")]
    RelativeErrors,
    #[error("`{0}` is not understood here")]
    NotUnderstood(String),
    #[error("`{0}` is no requirement")]
    NotARequirement(String),
    #[error("more is better here, and \"{0}\" asks for the opposite")]
    UpperBound(String),
    #[error("less is better here, and \"{0}\" asks for the opposite")]
    LowerBound(String),
    #[error("the baseline cannot be worse than itself")]
    OfTheBaseline,
    #[error("a requirement of the headline relative to the baseline is the gate, and that is for all arms")]
    GateOfOneArm,
    #[error("`gate` requires this already")]
    GateTwice,
    #[error("this experiment plays no scenario, so there is no step of which anything could be required")]
    NoSteps,
}
