//! [`History`]: the stored runs of an experiment in sequence, and how its measures drift from run to run.

use crate::decision::Decision;
use crate::finding::Cause;
use crate::outcome::Verdict;
use crate::pair::DifferingFact;
use model::foreign::ForeignSeries;
use model::load::Load;
use model::measure::Measure;
use serde::{Deserialize, Serialize};

/// Stored runs, newest first, and the drift of what they have in common.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct History {
    pub runs: Vec<Past>,
    /// A series for every arm, measure and level that more than one of them compared; only where all runs are of one
    /// experiment.
    pub drift: Vec<Drift>,
    /// Runs of the experiment that cannot be compared with the newest one, and are not in `drift`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// What differs from run to run, for the runs that can be compared with the newest; the oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<ChangedFacts>,
    /// What was decided about changes; the oldest run first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<Decision>,
    /// What other tools have measured, which takes part in no verdict.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub foreign: Vec<ForeignSeries>,
    /// What a nightly job asked of the newest run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<Gate>,
}

/// What differs between a run and the comparable one before it: who changed what.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChangedFacts {
    pub run: String,
    /// The comparable run before it.
    pub before: String,
    /// The facts of machine and arms that differ; never empty.
    pub differs: Vec<DifferingFact>,
}

/// Runs that cannot be compared with the newest run of their experiment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    pub why: WhyLeftOut,
    pub runs: usize,
}

/// Why a run cannot be compared with the newest run of its experiment; the first that holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WhyLeftOut {
    /// It was measured on a machine of another class.
    MachineClass,
    /// Another version of prony measured it, which may measure in another way.
    Method,
    /// The requests or the load differ.
    Workload,
    /// The baseline was another one, or another build: a ratio to it means something else.
    Anchor,
}

impl WhyLeftOut {
    /// All reasons.
    pub const ALL: [Self; 4] = [Self::MachineClass, Self::Method, Self::Workload, Self::Anchor];

    /// The name of the reason in JSON.
    pub const fn id(self) -> &'static str {
        match self {
            Self::MachineClass => "machine_class",
            Self::Method => "method",
            Self::Workload => "workload",
            Self::Anchor => "anchor",
        }
    }
}

/// Whether the newest run shows a change for the worse in the headline, for the exit code of a nightly job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gate {
    /// The newest run that ended; absent if there is none.
    pub newest: Option<String>,
    /// The baseline, which is the same build in all runs of the series; absent if there is no run.
    pub anchor: Option<String>,
    /// The series of the headline that the newest run continues.
    pub series: usize,
    /// The runs of the shortest of them.
    pub runs: usize,
    /// The runs that a series needs before a change can be shown.
    pub needed: usize,
    /// The changes for the worse.
    pub worse: Vec<Worsening>,
}

/// A change for the worse that the newest run shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Worsening {
    pub arm: String,
    pub measure: Measure,
    /// The load, where it plays a part.
    pub level: Option<Load>,
    pub change: LevelChange,
}

/// The summary of a stored run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Past {
    pub run: String,
    /// The experiment's name.
    pub experiment: String,
    /// How it ended.
    pub state: State,
    /// The verdicts on the headline.
    pub verdicts: Vec<PastVerdict>,
    /// What limits the arm of a run with one arm, which has no verdicts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limiter: Option<PastLimiter>,
}

/// What limits an arm that ran alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PastLimiter {
    pub arm: String,
    /// The first cause at its highest load; absent where none was found.
    pub cause: Option<Cause>,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It ended by its own rules.
    Finished,
    /// Its user ended it.
    Interrupted,
    /// It was killed, or still runs.
    NotFinished,
    /// A load of `prony load`, which compares nothing.
    Load,
    /// Its report cannot be read; `prony report` says why.
    Unreadable,
}

/// The verdict of a run on the headline of an arm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PastVerdict {
    pub arm: String,
    pub measure: Measure,
    /// The load, where there were several.
    pub level: Option<Load>,
    /// Arm / baseline in the measure's own unit.
    pub ratio: Option<f64>,
    pub verdict: Verdict,
}

/// One comparison in run after run. It is of ratios, because both arms of a run met the same noise; an arm's own figures
/// drift with the machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Drift {
    pub arm: String,
    /// The arm it was compared with.
    pub baseline: String,
    pub measure: Measure,
    /// The load, where it plays a part. Measures that are compared at a fixed rate are followed at the newest run's rate.
    pub level: Option<Load>,
    /// Runs that made the same comparison at another fixed rate, or whose arms had that rate together and not in turn, which
    /// is another question: they are not in the series.
    pub at_other_rates: usize,
    /// The runs, oldest first.
    pub points: Vec<Point>,
    /// Changes of the level that chance does not explain; needs eight runs.
    pub changes: Vec<LevelChange>,
    /// Whether the last run differs from those before; only in a series that is too short for `changes`.
    pub last_is_odd: Option<bool>,
}

/// One run of a series.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    pub run: String,
    /// Arm / baseline in the measure's own unit: geometric mean over the starts.
    pub ratio: f64,
    /// Lower end of its 95 % interval; absent for a run of one start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// Upper end of that interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
}

/// A change of the level of a series.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LevelChange {
    /// The first run of the new level.
    pub run: String,
    /// The last run of the old one.
    pub before: String,
    /// Level after / before, in the measure's own unit.
    pub ratio: f64,
    /// The probability that chance splits the series as well.
    pub p: f64,
    /// Whether a second test agrees and the change is large enough; otherwise it is only suspected.
    pub confirmed: bool,
    /// What differs between `before` and `run` in machine and arms: versions, revisions, settings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differs: Vec<DifferingFact>,
    /// What was decided about the change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<Decision>,
}
