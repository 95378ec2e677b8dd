//! [`Report`] and its parts: the results of a run, as `report.json` has them. Times are in seconds, rates per second, sizes in
//! bytes; fields may be added, never renamed.

use crate::answer::OverallAnswer;
use crate::cpu_profile::CpuDifference;
use crate::events::EventResult;
use crate::finding::{Cause, Finding, Quantity, Rank, Remedy};
use crate::level_figure::LevelFigure;
use crate::note::Note;
use crate::rate_curve::RatePoint;
use crate::remark::Remark;
use crate::request_time::RequestTime;
use crate::round_times::RoundTimes;
use crate::search::SearchResult;
use crate::table_figure::TableFigure;
use ask::headline::Headline;
use ask::question::Question;
use ask::require::Bound;
use ask::subject::Subject;
use model::measure::Measure;
use model::reason::Reason;
use say::Say;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

mod counts;
mod cpus;
mod effective;
mod held_back;
mod limit;
mod parts;
mod steps;

pub use crate::estimate::{DifferenceOf, Estimate, TooWide};
pub use crate::verdict::{Direction, Verdict};
use ask::change::Change;
use ask::reference::Reference;
pub use counts::{Counts, StreamCounts};
pub use effective::{Effective, JvmChoices, JvmThreads, ShownValue};
pub use held_back::HeldBack;
pub use limit::Limit;
use model::load::Load;
use model::units::{Rate, Seconds, Share};
pub use parts::{PartTime, RequestPart};
pub use steps::{StepComparison, StepResult, StepTimes};

/// The version of this contract.
pub const SCHEMA: u32 = 1;

/// The results of one execution of an experiment, or of a single load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The run's id: when it began and four digits that keep two runs of one second apart.
    pub run: String,
    /// The experiment's name.
    pub experiment: String,
    #[serde(flatten)]
    pub question: Question,
    /// Seed of everything random.
    pub seed: u64,
    /// The facts about the machine that matter to its figures.
    pub fingerprint: BTreeMap<String, String>,
    /// The settings that were asked for ([`ask::experiment::Experiment::asked`]).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub asked: BTreeMap<String, String>,
    /// How the verdicts were reached.
    pub design: DesignFacts,
    /// The variants.
    pub arms: Vec<ArmResult>,
    /// Arm against baseline, measure by measure.
    pub comparisons: Vec<Comparison>,
    /// The requirements, and whether they hold: the gate first, then what `[require]` lists.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub required: Vec<Required>,
    /// What the measures of the headline say together of each arm; empty where the headline is one measure.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<OverallAnswer>,
    /// The arms ranked by the headline, where there are more than two and the headline is one measure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranking: Option<Ranking>,
    /// The ranking at each level, where there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rankings: Vec<Ranking>,
    /// Figures that somebody else measured; they are shown, and no part of a verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<Reference>,
    /// The calibration of prony on machines of this class; `None` where it was never calibrated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calibration: Option<Calibration>,
    /// The methods and packages in which CPU per request differs, where it was profiled.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cpu_differences: Vec<CpuDifference>,
    /// Arm against baseline, step by step of the sessions; empty where requests are no sessions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub step_comparisons: Vec<StepComparison>,
    /// Whether CPU per request was called different, and a profile that was not taken could show where.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub offers_profile: bool,
    /// What a reader has to know before trusting the rest.
    pub notes: Vec<Note>,
    /// The command that repeats this run.
    pub repeat: String,
}

impl Report {
    /// Whether the experiment was a search (`find`): the loads that it tried on the way need not be valid.
    pub fn searched(&self) -> bool {
        self.arms.iter().any(|arm| arm.found.is_some())
    }

    /// Whether an experiment was run with one arm, which was compared with none.
    pub fn is_of_one_arm(&self) -> bool {
        // A single load was not started by prony, and has no starts.
        let starts = self.design.starts + self.design.starts_void;
        self.comparisons.is_empty() && self.arms.len() == 1 && starts > 0
    }

    /// Whether the servers were measured, and not what is around them. Every load and every comparison of the headline
    /// has to be valid; in a search only the comparisons, or where nothing was compared one of the loads.
    pub fn is_valid(&self) -> bool {
        let mut levels = self.arms.iter().flat_map(|arm| &arm.levels);
        let loads = match (self.searched(), self.is_of_one_arm()) {
            (true, true) => levels.any(|level| level.valid),
            (true, false) => true,
            (false, _) => levels.all(|level| level.valid),
        };
        loads && !self.comparisons.iter().any(|comparison| self.voids(comparison))
    }

    /// Whether this comparison is invalid and of the headline, so that the run has no answer. Where the headline has several
    /// measures, the others still give one, unless all of them are invalid.
    pub fn voids(&self, comparison: &Comparison) -> bool {
        let is_void = |of: &Comparison| of.verdict == Verdict::Invalid;
        let others = || {
            let of_arm = self.comparisons.iter().filter(|other| other.arm == comparison.arm);
            of_arm.filter(|other| self.is_headline(other))
        };
        let alone = self.design.headline_measures.is_empty();
        self.is_headline(comparison) && is_void(comparison) && (alone || others().all(is_void))
    }

    /// Whether a comparison or a requirement is about this measure.
    pub fn judges(&self, measure: Measure) -> bool {
        self.comparisons.iter().any(|comparison| comparison.measure == measure)
            || self.required.iter().any(|required| required.measure == measure.into())
    }

    /// Whether this comparison is in a measure of the headline.
    pub fn is_headline(&self, comparison: &Comparison) -> bool {
        self.design.has_headline(comparison.measure)
    }
}

/// How often prony wrongly called identical servers different on machines of this class ([`model::machine::class`]), at the
/// same error rate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// Whole experiments of a server against itself that reached a verdict.
    pub runs: u32,
    /// Runs that called one of the two faster or slower.
    pub false_calls: u32,
    /// The error rate of these runs; absent where it is the report's error rate.
    pub alpha: Option<f64>,
    /// The share of false calls is at most this, with 95 % confidence, one-sided (Clopper, Pearson 1934).
    pub upper: Share,
}

/// How the verdicts were reached.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DesignFacts {
    /// The arm that the others are compared with.
    pub baseline: String,
    /// What decided when to stop: one measure, or the measures in `headline_measures`. `None`, in files an empty text,
    /// for a single load.
    #[serde(with = "ask::headline::or_empty")]
    pub headline: Option<Headline>,
    /// The measures of the headline, where they are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headline_measures: Vec<Measure>,
    /// Error rate of all verdicts on the headline together that call an arm better or worse.
    pub alpha: f64,
    /// Cap of starts; absent where the run goes on until it is sure, by intervals that hold at every look.
    pub starts_cap: Option<u32>,
    /// Gate: the loss of the headline that is allowed, 0.03 = 3 %; absent where the question is which is better.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<f64>,
    /// Valid starts of every arm.
    pub starts: u32,
    /// Starts that a validity gate voided.
    pub starts_void: u32,
    /// Pairs of slices per start for the headline; in the closed loop where it is `overall`.
    pub pairs: u32,
    /// Pairs of slices per start at the fixed rate, where the headline is `overall`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage_pairs: Option<u32>,
    /// Counted part of a slice; where levels differ in it the longest.
    pub slice: Seconds,
    /// The fixed rate at which response times and CPU per request were compared; absent where no start came to that stage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<StageRate>,
    /// `quick` where the file's quick profile was run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// Where the time of a start of all arms went, as means over the starts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds_per_start: Option<RoundTimes>,
    /// How long it all took.
    pub elapsed: Seconds,
    /// Whether the user ended it early.
    pub interrupted: bool,
}

impl DesignFacts {
    /// Whether the headline has this measure.
    pub fn has_headline(&self, measure: Measure) -> bool {
        self.headline == Some(Headline::One(measure)) || self.headline_measures.contains(&measure)
    }
}

/// The fixed rate of a run. Figures of runs at different rates are answers to different questions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StageRate {
    pub value: Rate,
    /// Where it comes from.
    pub origin: RateOrigin,
}

/// Where the fixed rate of a run comes from; its words follow the rate.
#[derive(Clone, Debug, PartialEq, Eq, Say, Serialize, Deserialize)]
#[serde(tag = "code", content = "values", rename_all = "kebab-case", rename_all_fields = "snake_case")]
pub enum RateOrigin {
    /// The file gives it.
    #[say(en = "given", zh = "指定")]
    Given,
    /// The first start chose it, as a share of the slower arm's throughput.
    #[say(en = "chosen in the first start", zh = "首次启动时选定")]
    Chosen,
    /// It is the rate of an earlier run of the same question.
    #[say(en = "the rate of run {run}", zh = "沿用运行 {run} 的速率")]
    Kept {
        /// The id of that run.
        run: String,
    },
}

/// The arms by the headline, best first, as groups without a shown difference: never a strict order of estimates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ranking {
    pub measure: Measure,
    /// The load, where there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<Load>,
    /// Groups of arms, by name: no two arms of a group were shown to differ. An arm may be in several groups.
    pub groups: Vec<Vec<String>>,
}

/// One variant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ArmResult {
    pub name: String,
    /// Its process cannot be seen: it ran already, and not on this machine. CPU, memory and start-up are unknown.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unseen: bool,
    /// Settings read off the running server.
    pub effective: Effective,
    /// Its figures at each load.
    pub levels: Vec<Level>,
    /// From exec to the first right body, seconds.
    pub startup: Option<Estimate>,
    /// Peak resident memory of the process, bytes.
    pub peak_memory: Option<Estimate>,
    /// Other counts of a whole start, mean over starts: of its control group (`cgroup.nr_throttled`), of its services
    /// (`memcached.cmd_get`), from the log of its collections (`gc.longest_pause_ms`).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub facts: BTreeMap<String, f64>,
    /// The diagnoses of what limited it; for each load the limiting cause first.
    pub diagnoses: Vec<Diagnosis>,
    /// Where the time of its requests goes, by the level of the closed loop.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub request_times: Vec<RequestTime>,
    /// The result of a search (`find`); absent where the experiment is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<SearchResult>,
    /// Its figures by rate, the lowest first; empty where no curve over rates was measured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub curve: Vec<RatePoint>,
}

impl ArmResult {
    /// A measure that has one value in every start; `None` for the others.
    pub const fn once(&self, measure: Measure) -> Option<Estimate> {
        match measure {
            Measure::StartUp => self.startup,
            Measure::PeakMemory => self.peak_memory,
            _ => None,
        }
    }

    /// The load with the most users at which anything is known of the arm; without one the load at the fixed rate.
    pub fn highest_load(&self) -> Option<&Load> {
        let measured = self.levels.iter().map(|level| &level.load);
        let loads = measured.chain(self.diagnoses.iter().map(|one| &one.level));
        // Of equal ones `max_by_key` gives the last; a load without users is less than any.
        loads.max_by_key(|load| load.users)
    }

    /// The diagnoses there; the first of them is what limits the arm.
    pub fn diagnoses_at_highest_load(&self) -> impl Iterator<Item = &Diagnosis> {
        let highest = self.highest_load();
        self.diagnoses.iter().filter(move |one| Some(&one.level) == highest)
    }
}

/// The figures of one arm at one load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Level {
    pub load: Load,
    /// Whether the server was measured, and not what is around it.
    pub valid: bool,
    /// Why it is not valid.
    pub why_invalid: Option<Reason>,
    /// What the generator may have taken from the arm, where it set the rate in a part of the slices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_back: Option<HeldBack>,
    pub measures: BTreeMap<LevelFigure, Estimate>,
    /// Its figures in the columns of other load tools, where the experiment has published figures to compare them with. Where no start counts,
    /// they come from the starts that do not count.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub table: BTreeMap<TableFigure, Estimate>,
    /// Percentiles with too few requests behind them, each with the load that an interval would need in all. Where the
    /// measures have such a percentile, its value is what was seen in this run.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub not_estimable: BTreeMap<LevelFigure, Seconds>,
    /// The longest response time: no statistic, because it grows with the length of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worst: Option<Worst>,
    /// What was counted in the counted windows.
    pub counts: Counts,
    /// How well the generator kept up.
    pub generator: Generator,
    /// The steps of sessions; empty where requests are no sessions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<StepResult>,
    /// The events of answers that stream; absent where none does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub events: Option<EventResult>,
}

impl Level {
    /// Returns the value of a measure or percentile, however few requests are behind it.
    pub fn value(&self, figure: impl Into<LevelFigure>) -> Option<f64> {
        self.measures.get(&figure.into()).map(|estimate| estimate.value)
    }

    /// Returns the estimate of a measure or percentile; `None` where there is none, or too few requests are behind it.
    pub fn estimate(&self, figure: impl Into<LevelFigure>) -> Option<Estimate> {
        let figure = figure.into();
        let known = self.measures.get(&figure).copied();
        known.filter(|_| !self.not_estimable.contains_key(&figure))
    }
}

/// The longest response time of a load, and when it occurred.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Worst {
    pub value: Seconds,
    /// Since counting began, to a tenth of a second.
    pub at: Seconds,
}

/// How well the generator kept up.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Generator {
    /// CPU of its busiest event loop as a share of one core.
    pub cpu: Share,
    /// 99th percentile of the time from when the kernel received an answer until the generator saw it.
    pub lag_p99: Seconds,
    /// How late requests left at a rate; absent in a closed loop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub send_delay: Option<SendDelay>,
}

/// How late the generator sent requests: the time from when a request was due and a connection was free until it was sent.
/// Response times contain it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SendDelay {
    /// Its median.
    pub p50: Seconds,
    /// Its 99th percentile.
    pub p99: Seconds,
}

/// A cause, its evidence, what to change.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "{found}{share? (explains {:percent})}",
    zh = "{found}{share?（可解释 {:percent}）}",
    found = FoundCause { finding, by_metrics: *by_metrics },
    share = explains.filter(|_| finding.cause().rank() == Rank::Explains && !*expected)
)]
pub struct Diagnosis {
    /// The cause that limits, with its numbers; files have both at this place: `"cause": "connection-limit", "values": {…}`.
    #[serde(flatten)]
    pub finding: Finding,
    pub level: Load,
    /// How much of the requests' time, or of the throughput that is missing, it explains. Diagnoses of a load stand in the order of this, except those that void its figures, which come first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explains: Option<Share>,
    pub evidence: Vec<Evidence>,
    /// What to change.
    pub remedy: Remedy,
    /// The keys of the arm to change, where a trial can test that.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub change: Vec<Change>,
    /// Throughput with that change as a multiple of the throughput without it; absent where it was not tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proved: Option<Estimate>,
    /// Whether nothing is wrong: a closed loop always fills the CPU if nothing else limits, and this says with what.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub expected: bool,
    /// Whether it rests on what the server tells of itself, because nobody can see its process.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_metrics: bool,
}

/// What a diagnosis has found, and whether by what the server tells of itself.
#[derive(Clone, Copy, Debug, Say)]
#[say(en = "{by_metrics?by its metrics, }{finding}", zh = "{by_metrics?据其指标，}{finding}")]
pub struct FoundCause<'a> {
    finding: &'a Finding,
    by_metrics: bool,
}

/// Least gain in throughput from removing a limit, as a factor. A trial of a few starts cannot tell less from chance.
const LEAST_GAIN: f64 = 1.05;

impl Diagnosis {
    /// What was found.
    pub const fn found(&self) -> FoundCause<'_> {
        FoundCause { finding: &self.finding, by_metrics: self.by_metrics }
    }

    /// The cause that was found.
    pub const fn cause(&self) -> Cause {
        self.finding.cause()
    }

    /// Whether a trial of the suggested change has shown that it brings nothing: something else limits as well, or alone.
    pub fn is_refuted(&self) -> bool {
        self.proved.is_some_and(|effect| !effect.is_gain())
    }
}

impl Estimate {
    /// Whether throughput with a change, as a multiple of the throughput without it, is a gain.
    pub fn is_gain(&self) -> bool {
        self.value >= LEAST_GAIN
    }
}

/// A number that supports a diagnosis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    pub what: Quantity,
    /// Its value, in the unit of that quantity.
    pub value: f64,
}

/// Arm against baseline in one measure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The arm compared with.
    pub baseline: String,
    /// The arm judged.
    pub arm: String,
    /// The load; `None` where load plays no part.
    pub level: Option<Load>,
    pub measure: Measure,
    /// Arm / baseline in the measure's own unit, with the interval that holds together with those of the other measures; absent before
    /// the first start ended.
    pub ratio: Option<Estimate>,
    /// The same ratio with the interval of the test that asks whether the arms are the same, or of a gate whether the loss is allowed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub equivalence: Option<Estimate>,
    /// Largest difference that still counts as the same.
    pub margin: f64,
    pub verdict: Verdict,
    /// The verdict of the gate on the arm; for the headline of a valid gate only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<GateVerdict>,
    /// Valid starts that it is based on.
    pub starts: u32,
    /// Ratio of every start, in order.
    pub per_start: Vec<f64>,
    /// How its starts differ, for a measure that is a total over windows; absent where there are too few starts or windows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread: Option<StartSpread>,
    /// What a reader should know besides the verdict: the time still needed, a difference within the margin, why it is
    /// invalid.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<Remark>,
}

impl Comparison {
    /// Returns the ratio with the interval that decided: beside `same`, and beside a gate that passed, it is that of the test which showed
    /// it. Every form of a report shows this interval.
    pub fn deciding(&self) -> Option<Estimate> {
        self.equivalence.filter(|_| self.is_by_equivalence()).or(self.ratio)
    }

    /// Whether the verdict says that two arms are the same, or that a loss is allowed, by an interval of its own.
    pub fn is_by_equivalence(&self) -> bool {
        let says_so = match self.gate {
            Some(gate) => gate == GateVerdict::Pass,
            None => self.verdict == Verdict::Same,
        };
        says_so && self.equivalence.is_some()
    }
}

/// How the starts of a comparison differ. Later runs learn from it what is usual ([`ask::experiment::LearntPrior`]).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct StartSpread {
    /// The variance of `D` over the starts, on the squared log scale.
    pub variance: f64,
    /// The variance that the windows within the starts explain.
    pub within: f64,
    /// How many starts there are.
    pub starts: u32,
}

/// The verdict of a gate on an arm: is it worse than the baseline by more than is allowed?
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GateVerdict {
    /// The loss was shown to be allowed.
    Pass,
    /// The loss was shown to be larger than allowed.
    Fail,
    /// Neither was shown in the time there was.
    Inconclusive,
}

/// A requirement on an arm, and whether it holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Required {
    pub arm: String,
    /// The step of the sessions, or the group of steps, with its users where there are several kinds; `None` is the whole load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// The load; `None` where load plays no part.
    pub level: Option<Load>,
    /// A measure, or `errors`.
    pub measure: Subject,
    pub bound: Bound,
    /// The figure that is judged: arm / baseline for a bound against the baseline, else the arm's own figure.
    pub estimate: Option<Estimate>,
    /// Whether it holds.
    pub verdict: GateVerdict,
    /// Why there is no verdict, where the measurement is not valid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why_invalid: Option<Reason>,
}
