//! What a run found: the types behind `report.json`. Times are in seconds, rates per second, sizes in bytes; fields may be
//! added, never renamed.

use crate::finding::{Cause, Finding, Quantity, Remedy};
use crate::found::Found;
use crate::note::Note;
use crate::question::Question;
use crate::reason::Reason;
use crate::remark::Remark;
use crate::require::Bound;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The version of this contract.
pub const SCHEMA: u32 = 1;

/// A stored execution of an experiment, or of a single load, with all that was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The run's id: when it began and four digits that keep two runs of one second apart.
    pub run: String,
    /// The experiment's name.
    pub experiment: String,
    /// What was asked.
    #[serde(flatten)]
    pub question: Question,
    /// Seed of everything random.
    pub seed: u64,
    /// Everything about the machine that mattered.
    pub fingerprint: BTreeMap<String, String>,
    /// What was asked ([`crate::experiment::Experiment::asked`]); absent in what early pronies stored.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub asked: BTreeMap<String, String>,
    /// How the verdicts were reached.
    pub design: DesignFacts,
    /// The variants.
    pub arms: Vec<ArmResult>,
    /// Arm against baseline, measure by measure.
    pub comparisons: Vec<Comparison>,
    /// What was required, and whether it holds: the gate first, then what `[require]` lists.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub required: Vec<Required>,
    /// Arms by the headline, where there are more than two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranking: Option<Ranking>,
    /// The same at each level, where there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rankings: Vec<Ranking>,
    /// What somebody else measured: shown, never part of a verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<Reference>,
    /// How prony itself has done on machines of this class; `None` where it was never calibrated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calibration: Option<Calibration>,
    /// What the reader has to know before trusting the rest.
    pub notes: Vec<Note>,
    /// The command that repeats this run.
    pub repeat: String,
}

impl Report {
    /// Whether something was looked for: a load that was tried on the way there need not have counted.
    pub fn searched(&self) -> bool {
        self.arms.iter().any(|arm| arm.found.is_some())
    }

    /// Whether it was the servers that were measured, and not what is around them: at every load, or in what a search
    /// found, and in the headline.
    pub fn is_valid(&self) -> bool {
        let mut levels = self.arms.iter().flat_map(|arm| &arm.levels);
        (self.searched() || levels.all(|level| level.valid))
            && !self.comparisons.iter().any(|comparison| self.voids(comparison))
    }

    /// Whether the headline was not measured there, so that there is no answer.
    pub fn voids(&self, comparison: &Comparison) -> bool {
        comparison.measure == self.design.headline && comparison.verdict == Verdict::Invalid
    }
}

/// How often identical servers were told apart on machines of this class ([`crate::machine::class`]), at the same error
/// rate: the measurer measured.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// Whole experiments of a server against itself that reached a verdict.
    pub runs: u32,
    /// Those of them that called one of the two faster or slower.
    pub false_calls: u32,
    /// The error rate of these runs; absent in what early pronies stored: that of the report.
    #[serde(default)]
    pub alpha: Option<f64>,
    /// The share of false calls is at most this, with 95 % confidence, one-sided (Clopper, Pearson 1934); 0 to 1.
    pub upper: f64,
}

/// What somebody else measured, on other machines.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reference {
    /// Whose figures these are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// What a reader has to know of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The figures.
    pub rows: Vec<ReferenceRow>,
}

/// What somebody else measured of one arm.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReferenceRow {
    /// Its name; not always one of the experiment's.
    pub arm: String,
    /// Users of the closed loop, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<u64>,
    /// By [`crate::measure::Measure::id`], or by any other name.
    pub values: BTreeMap<String, f64>,
}

/// How the verdicts were reached.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DesignFacts {
    /// The arm that the others are compared with.
    pub baseline: String,
    /// The measure that decided when to stop.
    pub headline: String,
    /// Error rate of `faster`/`slower`.
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
    /// Pairs of slices per start.
    pub pairs: u32,
    /// Counted seconds of a slice; where levels differ in it the longest.
    pub slice: f64,
    /// `quick` where the file's quick profile was run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// How long it all took, seconds.
    pub elapsed: f64,
    /// Ended by the user before its time.
    pub interrupted: bool,
}

/// The arms by the headline, best first, as groups that were not told apart: never a strict order of estimates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ranking {
    /// By [`crate::measure::Measure::id`].
    pub measure: String,
    /// At which load, where there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<Load>,
    /// Names of arms, no two of which were told apart within a group; an arm may stand in several groups.
    pub groups: Vec<Vec<String>>,
}

/// A value with its interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The point estimate.
    pub value: f64,
    /// Lower end; absent while there are too few starts for an interval.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
}

/// One variant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ArmResult {
    /// Its name.
    pub name: String,
    /// Settings read off the running server.
    pub effective: Effective,
    /// What was measured at each load.
    pub levels: Vec<Level>,
    /// From exec to the first right body, seconds.
    pub startup: Option<Estimate>,
    /// Peak resident memory of the process, bytes.
    pub peak_memory: Option<Estimate>,
    /// What was counted beside it in each start, from its start to its end, mean over starts: by its control group
    /// (`cgroup.nr_throttled`), by its services (`memcached.cmd_get`), in the log of its collections (`gc.longest_pause_ms`).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub facts: BTreeMap<String, f64>,
    /// What limited it, at each load the limiter first.
    #[serde(default)]
    pub diagnoses: Vec<Diagnosis>,
    /// What was looked for; absent where the experiment looks for nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<Found>,
}

/// Settings read off the running server; `None` is unknown, never a guess.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Effective {
    /// Name and version as the server says them: `Tomcat/9.0.95`.
    pub server: Option<String>,
    /// The connector that runs: `http-nio`.
    pub protocol_handler: Option<String>,
    /// What an encrypted connection agreed on, and the libraries in C behind it: `TLSv1.3 TLS_AES_256_GCM_SHA384; OpenSSL
    /// 3.0.19`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls: Option<String>,
    /// Most worker threads.
    pub max_threads: Option<u64>,
    /// Most requests that virtual threads serve at once; absent where they serve none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub virtual_threads: Option<Limit>,
    /// Most connections held at once.
    pub max_connections: Option<Limit>,
    /// Most connections waiting in the kernel.
    pub accept_count: Option<u64>,
    /// Version of the JDK.
    pub jdk: Option<String>,
    /// Garbage collector.
    pub gc: Option<String>,
    /// Java heap, bytes.
    pub heap: Option<u64>,
    /// Most memory of its control group, bytes; absent where nothing limits it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_limit: Option<u64>,
    /// Most CPUs' worth of time of its control group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_limit: Option<f64>,
    /// What keeps these limits: `cgroup v2`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limited_by: Option<String>,
}

/// A limit that a server may also not have: a number, or `"unlimited"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub enum Limit {
    /// So many and no more.
    At(u64),
    /// As many as come.
    None,
}

/// How a limit is written.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Written {
    Number(u64),
    Word(String),
}

const UNLIMITED: &str = "unlimited";

impl From<Limit> for Written {
    fn from(limit: Limit) -> Self {
        match limit {
            Limit::At(number) => Self::Number(number),
            Limit::None => Self::Word(UNLIMITED.to_owned()),
        }
    }
}

impl TryFrom<Written> for Limit {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        match written {
            Written::Number(number) => Ok(Self::At(number)),
            Written::Word(word) => word.parse(),
        }
    }
}

impl std::str::FromStr for Limit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == UNLIMITED {
            return Ok(Self::None);
        }
        let number = text.parse().map_err(|_| format!("`{text}` is no limit"))?;
        Ok(Self::At(number))
    }
}

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::At(number) => number.fmt(f),
            Self::None => UNLIMITED.fmt(f),
        }
    }
}

/// What was measured of one arm at one load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Level {
    /// The load.
    pub load: Load,
    /// Whether it was the server that was measured.
    pub valid: bool,
    /// Which gate failed, with its figure.
    pub why_invalid: Option<Reason>,
    /// By [`crate::measure::Measure::id`].
    pub measures: BTreeMap<String, Estimate>,
    /// Percentiles that too little lies behind, with the seconds of load they would need in all.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub not_estimable: BTreeMap<String, f64>,
    /// The longest response time: no statistic, because it grows with the length of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worst: Option<Worst>,
    /// What was counted in the counted windows.
    pub counts: Counts,
    /// What the generator says of itself.
    pub generator: Generator,
}

impl Level {
    /// What was found of a measure or percentile; `None` where nothing was, or too little lies behind it.
    pub fn estimate(&self, id: &str) -> Option<Estimate> {
        let known = self.measures.get(id).copied();
        known.filter(|_| !self.not_estimable.contains_key(id))
    }
}

/// The longest response time of a load, and when it was seen.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Worst {
    /// Seconds.
    pub value: f64,
    /// Seconds since counting began, to a tenth.
    pub at: f64,
}

/// A load.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Load {
    /// Closed loop: users.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub users: Option<u64>,
    /// Open loop: requests per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
}

/// What was counted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Counts {
    /// Requests that ended, right or wrong.
    pub requests: u64,
    /// Right answers.
    pub ok: u64,
    /// What went wrong, by kind; kinds that did not occur are absent.
    pub faults: BTreeMap<String, u64>,
    /// Connections opened.
    pub connects: u64,
    /// TLS handshakes, full and resumed.
    pub tls_handshakes: u64,
    /// Those of them that resumed an earlier session.
    #[serde(default)]
    pub tls_resumed: u64,
    /// Bytes received.
    pub bytes: u64,
    /// Those of them in bodies, however they were sent.
    #[serde(default)]
    pub body_bytes: u64,
}

impl Counts {
    /// Adds what was counted elsewhere.
    pub fn add(&mut self, other: &Self) {
        self.requests += other.requests;
        self.ok += other.ok;
        self.connects += other.connects;
        self.tls_handshakes += other.tls_handshakes;
        self.tls_resumed += other.tls_resumed;
        self.bytes += other.bytes;
        self.body_bytes += other.body_bytes;
        for (kind, count) in &other.faults {
            *self.faults.entry(kind.clone()).or_default() += count;
        }
    }
}

/// What the generator says of itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Generator {
    /// CPU of its busiest event loop as a share of one core.
    pub cpu: f64,
    /// 99th percentile of the time between the kernel's receipt of an answer and our seeing it, seconds.
    pub lag_p99: f64,
}

/// A cause, its evidence, what to change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Diagnosis {
    /// What limits. In files its cause and its numbers stand here: `"cause": "connection-limit", "values": {…}`.
    #[serde(flatten)]
    pub finding: Finding,
    /// At which load.
    pub level: Load,
    /// The numbers behind it.
    pub evidence: Vec<Evidence>,
    /// What to change.
    pub remedy: Remedy,
    /// What to change as keys of the arm, where that can be tried.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub change: Vec<Change>,
    /// Throughput with that change, as a multiple of what it is without; where it was tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proved: Option<Estimate>,
    /// Nothing is wrong: a load that asks as fast as it is answered fills the CPU, and this says of what.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub expected: bool,
}

impl Diagnosis {
    /// The cause that was found.
    pub const fn cause(&self) -> Cause {
        self.finding.cause()
    }
}

/// A key of an arm and another value for it: `threads` and `500`, or `properties.server.jetty.threads.max` and `500`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// The key; a name among the arm's `attributes` or `properties` follows the first point.
    pub key: String,
    /// The value.
    pub value: String,
}

/// One number behind a diagnosis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// What was read.
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
    /// At which load; `None` where load plays no part.
    pub level: Option<Load>,
    /// By [`crate::measure::Measure::id`].
    pub measure: String,
    /// Arm / baseline in the measure's own unit; absent before the first start ended.
    pub ratio: Option<Estimate>,
    /// Largest difference that still counts as the same.
    pub margin: f64,
    /// The verdict.
    pub verdict: Verdict,
    /// What the gate says of the arm; on the headline of a valid gate only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<GateVerdict>,
    /// Valid starts behind it.
    pub starts: u32,
    /// Ratio of every start, in order.
    pub per_start: Vec<f64>,
    /// What the verdict leaves open: time still needed, which gate, that a real difference lies within the margin.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<Remark>,
}

/// What can be said of an arm against the baseline. `faster` and `slower` mean better and worse in every measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Shown better.
    Faster,
    /// Shown worse.
    Slower,
    /// Shown to differ by less than the margin.
    Same,
    /// Neither could be shown in the time there was.
    Inconclusive,
    /// It was not the server that was measured.
    Invalid,
}

/// What a gate says of an arm: is it worse than the baseline by more than is allowed?
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GateVerdict {
    /// Shown to be within the allowed loss.
    Pass,
    /// Shown to lose more.
    Fail,
    /// Neither could be shown in the time there was.
    Inconclusive,
}

/// What was required of an arm, and whether it holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Required {
    /// The arm.
    pub arm: String,
    /// At which load; `None` where load plays no part.
    pub level: Option<Load>,
    /// By [`crate::require::Subject::id`]: a measure, or `errors`.
    pub measure: String,
    /// How much.
    pub bound: Bound,
    /// What was found: arm / baseline for a bound against the baseline, else the arm's own figure.
    pub estimate: Option<Estimate>,
    /// Whether it holds.
    pub verdict: GateVerdict,
    /// Why nothing can be said, where a gate of validity failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why_invalid: Option<Reason>,
}

impl Verdict {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Faster,
        Self::Slower,
        Self::Same,
        Self::Inconclusive,
        Self::Invalid,
    ];

    /// The word in files and tables.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Faster => "faster",
            Self::Slower => "slower",
            Self::Same => "same",
            Self::Inconclusive => "inconclusive",
            Self::Invalid => "invalid",
        }
    }
}
