//! Two runs side by side: their results, and what differed in machine, arms and design. There is no verdict, because two runs never meet
//! the same noise.

use model::measure::Measure;
use model::outcome::{ArmResult, Comparison, Estimate, Level, Load, Report, Verdict};
use model::question::Question;
use serde::Serialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Two runs side by side.
#[derive(Serialize)]
pub(super) struct RunPair {
    sides: [RunSummary; 2],
    /// The facts that differ.
    differ: Vec<DifferingFact>,
    /// The number of facts that are the same.
    alike: usize,
    /// The verdicts on each arm.
    verdicts: Vec<Row<ArmVerdict>>,
    /// The measured values of each arm.
    values: Vec<Row<Estimate>>,
}

/// One of the two runs.
#[derive(Serialize)]
struct RunSummary {
    run: String,
    experiment: String,
    #[serde(flatten)]
    question: Question,
    starts: u32,
    /// In seconds.
    elapsed: f64,
    interrupted: bool,
}

/// A fact of the machine, an arm or the design that differs; `None` for a run that has no such fact.
#[derive(Debug, PartialEq, Serialize)]
struct DifferingFact {
    name: String,
    sides: [Option<String>; 2],
}

/// What a row is about: one measure of one arm at one load. It does not contain the fixed rate, which differs from run to run.
#[derive(PartialEq, Serialize)]
struct RowKey {
    arm: String,
    /// By [`Measure::id`].
    measure: String,
    /// The number of users of the closed loop.
    users: Option<u64>,
    /// Whether the load is the fixed rate.
    fixed: bool,
}

/// The values of both runs.
#[derive(Serialize)]
struct Row<T> {
    #[serde(flatten)]
    key: RowKey,
    sides: [Option<T>; 2],
}

/// The verdict on an arm.
#[derive(Serialize)]
struct ArmVerdict {
    ratio: Option<Estimate>,
    verdict: Verdict,
}

impl RunPair {
    /// Compares two reports.
    pub(super) fn new(one: &Report, other: &Report) -> Self {
        let mut facts = [one, other].map(facts);
        // Early pronies did not store the settings that were asked for, so nothing is known about differences in them.
        if one.asked.is_empty() || other.asked.is_empty() {
            facts
                .iter_mut()
                .for_each(|facts| facts.retain(|name, _| !name.starts_with(ASKED)));
        }
        let names: BTreeSet<&String> = facts.iter().flat_map(BTreeMap::keys).collect();
        let all: Vec<DifferingFact> = names
            .into_iter()
            .map(|name| differing_fact(name, &facts))
            .collect();
        let (same, differ): (Vec<DifferingFact>, Vec<DifferingFact>) =
            all.into_iter().partition(|fact| fact.sides[0] == fact.sides[1]);
        Self {
            sides: [one, other].map(summary),
            differ,
            alike: same.len(),
            verdicts: rows([one, other].map(verdicts)),
            values: rows([one, other].map(values)),
        }
    }
}

fn summary(report: &Report) -> RunSummary {
    RunSummary {
        run: report.run.clone(),
        experiment: report.experiment.clone(),
        question: report.question.clone(),
        starts: report.design.starts,
        elapsed: report.design.elapsed,
        interrupted: report.design.interrupted,
    }
}

fn differing_fact(name: &str, facts: &[BTreeMap<String, String>; 2]) -> DifferingFact {
    DifferingFact {
        name: name.to_owned(),
        sides: [0, 1].map(|side| facts[side].get(name).cloned()),
    }
}

/// How the names of facts begin that are settings as they were asked for.
const ASKED: &str = "asked/";
/// The fields of a design that are results of the run.
const RESULTS: [&str; 4] = ["starts", "starts_void", "elapsed", "interrupted"];

/// Returns the facts of a run: its fingerprint, the settings that were asked for, its design and its seed.
fn facts(report: &Report) -> BTreeMap<String, String> {
    let mut facts = report.fingerprint.clone();
    // A setting as it was asked for and a fact of what ran may have the same name; the prefix keeps both.
    let asked = report.asked.iter();
    facts.extend(asked.map(|(name, value)| (format!("{ASKED}{name}"), value.clone())));
    facts.insert("seed".to_owned(), report.seed.to_string());
    // This cannot fail: the design is a struct of plain values.
    let design = serde_json::to_value(&report.design).unwrap_or_default();
    for (name, value) in design.as_object().into_iter().flatten() {
        let shown = match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        if !RESULTS.contains(&name.as_str()) {
            facts.insert(format!("design/{name}"), shown);
        }
    }
    facts
}

/// A value of one run and the row that it belongs to.
type KeyedValue<T> = (RowKey, T);

/// Returns a row for each key that either run has; those of the first run come first.
fn rows<T>(sides: [Vec<KeyedValue<T>>; 2]) -> Vec<Row<T>> {
    let mut rows: Vec<Row<T>> = Vec::new();
    for (side, values) in sides.into_iter().enumerate() {
        for (key, value) in values {
            let index = rows.iter().position(|row| row.key == key);
            let index = index.unwrap_or_else(|| {
                let sides = [None, None];
                rows.push(Row { key, sides });
                rows.len() - 1
            });
            rows[index].sides[side] = Some(value);
        }
    }
    rows
}

impl RowKey {
    fn new(arm: &str, measure: &str, load: Option<&Load>) -> Self {
        Self {
            arm: arm.to_owned(),
            measure: measure.to_owned(),
            users: load.and_then(|load| load.users),
            fixed: load.is_some_and(|load| load.users.is_none()),
        }
    }
}

fn verdicts(report: &Report) -> Vec<KeyedValue<ArmVerdict>> {
    let keyed = |comparison: &Comparison| {
        let verdict = ArmVerdict {
            ratio: comparison.ratio,
            verdict: comparison.verdict,
        };
        let Comparison {
            arm, measure, level, ..
        } = comparison;
        (RowKey::new(arm, measure, level.as_ref()), verdict)
    };
    report.comparisons.iter().map(keyed).collect()
}

fn values(report: &Report) -> Vec<KeyedValue<Estimate>> {
    report.arms.iter().flat_map(values_of).collect()
}

fn values_of(arm: &ArmResult) -> Vec<KeyedValue<Estimate>> {
    let once = [
        (Measure::StartUp, arm.startup),
        (Measure::PeakMemory, arm.peak_memory),
    ];
    let found = arm
        .found
        .as_ref()
        .map(|found| (found.measure(), found.headline()));
    let once = once
        .into_iter()
        .chain(found)
        .filter_map(|(measure, value)| Some((RowKey::new(&arm.name, measure.id(), None), value?)));
    let at_level = |level: &Level| {
        let known = Measure::ALL
            .into_iter()
            .filter_map(|measure| Some((measure, level.estimate(measure.id())?)));
        let keyed =
            known.map(|(measure, value)| (RowKey::new(&arm.name, measure.id(), Some(&level.load)), value));
        keyed.collect::<Vec<_>>()
    };
    arm.levels.iter().flat_map(at_level).chain(once).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The report of a real run without its notes and diagnoses, which a pair does not show.
    fn sample(change: impl Fn(&mut Report)) -> Report {
        let text = include_str!("../../../../../docs/runs/first-run/report.json");
        let mut printed: serde_json::Value = serde_json::from_str(text).expect("JSON");
        printed["notes"] = serde_json::json!([]);
        for arm in printed["arms"].as_array_mut().expect("arms") {
            arm["diagnoses"] = serde_json::json!([]);
        }
        let mut report: Report = serde_json::from_value(printed).expect("a report");
        change(&mut report);
        report
    }

    #[test]
    fn differing_facts_are_named_and_results_are_no_facts() {
        let one = sample(|_| ());
        let other = sample(|report| {
            report.seed += 1;
            report.fingerprint.insert("kernel".to_owned(), "0.1".to_owned());
            report.fingerprint.remove("cpus");
            report
                .asked
                .insert("load/keepalive".to_owned(), "false".to_owned());
            report.design.alpha = 0.05;
            report.design.elapsed *= 2.0;
        });
        let pair = RunPair::new(&one, &other);
        let names: Vec<&str> = pair.differ.iter().map(|fact| fact.name.as_str()).collect();
        assert_eq!(
            names,
            ["asked/load/keepalive", "cpus", "design/alpha", "kernel", "seed"]
        );
        assert_eq!(pair.differ[1].sides[1], None);
        assert_eq!(pair.differ[3].sides[1].as_deref(), Some("0.1"));
        let early = sample(|report| report.asked.clear());
        assert!(RunPair::new(&one, &early).differ.is_empty());
        assert!(pair.alike > 20 && RunPair::new(&one, &one).differ.is_empty());
    }

    #[test]
    fn both_runs_share_a_row_though_their_rates_differ() {
        let one = sample(|_| ());
        let other = sample(|report| {
            for level in report.arms.iter_mut().flat_map(|arm| &mut arm.levels) {
                level.load.rate = level.load.rate.map(|rate| rate * 1.1);
            }
            for level in report.comparisons.iter_mut().filter_map(|c| c.level.as_mut()) {
                level.rate = level.rate.map(|rate| rate * 1.1);
            }
        });
        let pair = RunPair::new(&one, &other);
        assert_eq!((pair.values.len(), pair.verdicts.len()), (16, 7));
        let whole = |sides: [bool; 2]| sides == [true, true];
        assert!(
            pair.values
                .iter()
                .all(|row| whole(row.sides.each_ref().map(Option::is_some)))
        );
        assert!(
            pair.verdicts
                .iter()
                .all(|row| whole(row.sides.each_ref().map(Option::is_some)))
        );
    }

    #[test]
    fn an_arm_of_only_one_run_has_its_own_row() {
        let one = sample(|_| ());
        let other = sample(|report| {
            report.arms.truncate(1);
            report.arms[0].name = "another".to_owned();
            report.comparisons.clear();
        });
        let pair = RunPair::new(&one, &other);
        let alone: Vec<&str> = pair
            .values
            .iter()
            .filter(|row| row.sides[0].is_none())
            .map(|row| row.key.arm.as_str())
            .collect();
        assert_eq!(alone, ["another"; 8]);
    }
}
