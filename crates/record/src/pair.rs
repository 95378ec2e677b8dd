//! [`RunPair`]: two stored runs side by side, and which of their figures may be compared.

use crate::outcome::{Estimate, Verdict};
use ask::question::Question;
use model::load::Load;
use model::measure::Measure;
use model::units::Seconds;
use say::Say;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Two stored runs side by side. There is no verdict, because two runs never meet the same noise.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunPair {
    /// The two runs.
    pub sides: [RunSummary; 2],
    /// The facts that differ.
    pub differ: Vec<DifferingFact>,
    /// The number of facts that are the same.
    pub alike: usize,
    /// Why figures of the two runs may not be compared: all figures, or the figures of some measures. A reason for a
    /// single figure is in its row.
    pub why_not: Vec<NotComparable>,
    /// The arm that is the same in both runs and that the others were measured beside; absent without such an arm.
    pub anchor: Option<String>,
    /// Each other arm as a ratio to the anchor, in which the drift of the machine cancels.
    pub against_anchor: Vec<ComparedRow>,
    /// The verdicts on each arm.
    pub verdicts: Vec<Row<ArmVerdict>>,
    /// The measured values of each arm, in which the drift of the machine is contained.
    pub values: Vec<ComparedRow>,
}

/// One of the two runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunSummary {
    pub run: String,
    /// The name of its experiment.
    pub experiment: String,
    /// What it asked.
    #[serde(flatten)]
    pub question: Question,
    /// The class of its machine ([`model::machine::class`]).
    pub machine: String,
    /// Valid starts of every arm.
    pub starts: u32,
    pub elapsed: Seconds,
    /// Whether its user ended it.
    pub interrupted: bool,
}

/// A fact of the machine, an arm or the design that differs; `None` for a run that has no such fact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DifferingFact {
    /// Its name: `kernel`, `arm/NAME/jdk`, `asked/load/keepalive`.
    pub name: String,
    /// Its values.
    pub sides: [Option<String>; 2],
}

/// What a row is about: one measure of one arm at one load. It does not contain the fixed rate, which differs from run to run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RowKey {
    pub arm: String,
    pub measure: Measure,
    /// The number of users of the closed loop.
    pub users: Option<u64>,
    /// Whether the load is the fixed rate.
    pub fixed: bool,
}

impl RowKey {
    /// The row of a measure of an arm at a load; without a load if load plays no part.
    pub fn new(arm: &str, measure: Measure, load: Option<&Load>) -> Self {
        Self {
            arm: arm.to_owned(),
            measure,
            users: load.and_then(|load| load.users),
            fixed: load.is_some_and(|load| load.users.is_none()),
        }
    }
}

/// The values of both runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row<T> {
    /// What they are values of.
    #[serde(flatten)]
    pub key: RowKey,
    /// The values.
    pub sides: [Option<T>; 2],
}

/// The verdict of a run on an arm, against the baseline of that run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ArmVerdict {
    /// Arm / baseline in the measure's own unit.
    pub ratio: Option<Estimate>,
    pub verdict: Verdict,
}

/// Figures of both runs with their ratio, or the reason why they may not be compared.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ComparedRow {
    /// The figures.
    #[serde(flatten)]
    pub row: Row<Estimate>,
    /// Second run / first run. Against an anchor it has Welch's 95 % interval over the starts of both runs. A value of an arm alone
    /// has no interval, because the stored starts do not show how much the machine drifts from run to run.
    pub ratio: Option<Estimate>,
    /// Why the figures may not be compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why_not: Option<NotComparable>,
}

/// Why figures of two runs may not be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Say, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NotComparable {
    /// Both are the same run.
    #[say(en = "same run", zh = "同一次运行")]
    SameRun,
    /// The machines are of different classes.
    #[say(en = "other machine class", zh = "机器类别不同")]
    MachineClass,
    /// The versions of prony differ, which may measure in different ways.
    #[say(en = "other prony", zh = "prony 版本不同")]
    Method,
    /// The requests or the load differ.
    #[say(en = "other workload", zh = "负载不同")]
    Workload,
    /// The numbers of users differ, and the most memory that a server used depends on them. Any other figure belongs to
    /// one number of users.
    #[say(en = "other numbers of users", zh = "用户数不同")]
    Users,
    /// Only one run has the figure.
    #[say(en = "in one run only", zh = "仅一次运行有此项")]
    OneRunOnly,
    /// A run found its figure to be invalid.
    #[say(en = "invalid in a run", zh = "某次运行中无效")]
    Invalid,
    /// They were measured at different fixed rates.
    #[say(en = "other fixed rate", zh = "固定速率不同")]
    Rate,
    /// In one run, all arms had the fixed rate at the same time; in the other one they took turns.
    #[say(en = "other pace", zh = "节奏不同")]
    Pace,
}

/// Returns the fields of a struct of plain values as facts named `prefix/field`, without those in `left_out` and those that are `None`.
pub fn fields(prefix: &str, of: &impl Serialize, left_out: &[&str]) -> BTreeMap<String, String> {
    // This cannot fail: the structs have only plain values.
    let table = toml::Table::try_from(of).unwrap_or_default();
    let known = table.into_iter().filter(|(name, _)| !left_out.contains(&name.as_str()));
    let shown = known.map(|(name, value)| {
        let text = match value {
            toml::Value::String(text) => text,
            other => other.to_string(),
        };
        (format!("{prefix}/{name}"), text)
    });
    shown.collect()
}
