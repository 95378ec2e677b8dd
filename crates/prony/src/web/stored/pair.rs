//! Two runs side by side: what each found, and what was different around them. No verdict comes of it: two runs never meet
//! the same noise.

use model::measure::Measure;
use model::outcome::{ArmResult, Comparison, Estimate, Level, Load, Report, Verdict};
use model::question::Question;
use serde::Serialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Two runs.
#[derive(Serialize)]
pub(super) struct Pair {
    sides: [Side; 2],
    /// What is known of both and is not the same.
    differ: Vec<Fact>,
    /// How many facts are the same.
    alike: usize,
    /// What was said of each arm.
    verdicts: Vec<Row<Said>>,
    /// What was measured of each arm.
    values: Vec<Row<Estimate>>,
}

#[derive(Serialize)]
struct Side {
    run: String,
    experiment: String,
    #[serde(flatten)]
    question: Question,
    starts: u32,
    /// Seconds.
    elapsed: f64,
    interrupted: bool,
}

/// A fact of the machine, an arm or the design; absent where a run has none of that name.
#[derive(Debug, PartialEq, Serialize)]
struct Fact {
    name: String,
    sides: [Option<String>; 2],
}

/// One measure of one arm at one load. The fixed rate differs from run to run, so it is no part of a place.
#[derive(PartialEq, Serialize)]
struct Place {
    arm: String,
    /// By [`Measure::id`].
    measure: String,
    /// Of the closed loop.
    users: Option<u64>,
    /// At the fixed rate.
    fixed: bool,
}

/// What both runs have in a place.
#[derive(Serialize)]
struct Row<T> {
    #[serde(flatten)]
    place: Place,
    sides: [Option<T>; 2],
}

/// What a run says of an arm.
#[derive(Serialize)]
struct Said {
    ratio: Option<Estimate>,
    verdict: Verdict,
}

impl Pair {
    pub(super) fn of(one: &Report, other: &Report) -> Self {
        let mut facts = [one, other].map(facts);
        // Early pronies did not store what was asked: then nothing is known to differ.
        if one.asked.is_empty() || other.asked.is_empty() {
            facts
                .iter_mut()
                .for_each(|facts| facts.retain(|name, _| !name.starts_with(ASKED)));
        }
        let names: BTreeSet<&String> = facts.iter().flat_map(BTreeMap::keys).collect();
        let all: Vec<Fact> = names.into_iter().map(|name| fact(name, &facts)).collect();
        let (same, differ): (Vec<Fact>, Vec<Fact>) =
            all.into_iter().partition(|fact| fact.sides[0] == fact.sides[1]);
        Self {
            sides: [one, other].map(side),
            differ,
            alike: same.len(),
            verdicts: rows([one, other].map(said)),
            values: rows([one, other].map(values)),
        }
    }
}

fn side(report: &Report) -> Side {
    Side {
        run: report.run.clone(),
        experiment: report.experiment.clone(),
        question: report.question.clone(),
        starts: report.design.starts,
        elapsed: report.design.elapsed,
        interrupted: report.design.interrupted,
    }
}

fn fact(name: &str, facts: &[BTreeMap<String, String>; 2]) -> Fact {
    Fact {
        name: name.to_owned(),
        sides: [0, 1].map(|side| facts[side].get(name).cloned()),
    }
}

/// How the names of facts begin that were asked for.
const ASKED: &str = "asked/";
/// What a run found, not what it was.
const FOUND: [&str; 4] = ["starts", "starts_void", "elapsed", "interrupted"];

/// The fingerprint of a run, what it asked, its design and its seed.
fn facts(report: &Report) -> BTreeMap<String, String> {
    let mut facts = report.fingerprint.clone();
    // The same name may stand for a setting as it was asked and as a fact of what ran: both count.
    let asked = report.asked.iter();
    facts.extend(asked.map(|(name, value)| (format!("{ASKED}{name}"), value.clone())));
    facts.insert("seed".to_owned(), report.seed.to_string());
    // A struct of plain values has a JSON object for certain.
    let design = serde_json::to_value(&report.design).unwrap_or_default();
    for (name, value) in design.as_object().into_iter().flatten() {
        let shown = match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        if !FOUND.contains(&name.as_str()) {
            facts.insert(format!("design/{name}"), shown);
        }
    }
    facts
}

/// What a run has to say in one place.
type Placed<T> = (Place, T);

/// A row for each place that either run has, those of the first run first.
fn rows<T>(sides: [Vec<Placed<T>>; 2]) -> Vec<Row<T>> {
    let mut rows: Vec<Row<T>> = Vec::new();
    for (side, placed) in sides.into_iter().enumerate() {
        for (place, said) in placed {
            let index = rows.iter().position(|row| row.place == place);
            let index = index.unwrap_or_else(|| {
                let sides = [None, None];
                rows.push(Row { place, sides });
                rows.len() - 1
            });
            rows[index].sides[side] = Some(said);
        }
    }
    rows
}

impl Place {
    fn new(arm: &str, measure: &str, load: Option<&Load>) -> Self {
        Self {
            arm: arm.to_owned(),
            measure: measure.to_owned(),
            users: load.and_then(|load| load.users),
            fixed: load.is_some_and(|load| load.users.is_none()),
        }
    }
}

fn said(report: &Report) -> Vec<Placed<Said>> {
    let of = |comparison: &Comparison| {
        let said = Said {
            ratio: comparison.ratio,
            verdict: comparison.verdict,
        };
        let Comparison {
            arm, measure, level, ..
        } = comparison;
        (Place::new(arm, measure, level.as_ref()), said)
    };
    report.comparisons.iter().map(of).collect()
}

fn values(report: &Report) -> Vec<Placed<Estimate>> {
    report.arms.iter().flat_map(values_of).collect()
}

fn values_of(arm: &ArmResult) -> Vec<Placed<Estimate>> {
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
        .filter_map(|(measure, value)| Some((Place::new(&arm.name, measure.id(), None), value?)));
    let at_level = |level: &Level| {
        let known = Measure::ALL
            .into_iter()
            .filter_map(|measure| Some((measure, level.estimate(measure.id())?)));
        let placed =
            known.map(|(measure, value)| (Place::new(&arm.name, measure.id(), Some(&level.load)), value));
        placed.collect::<Vec<_>>()
    };
    arm.levels.iter().flat_map(at_level).chain(once).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The report of a real run, without what is printed of it in sentences: a pair shows none of these.
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
    fn what_differs_is_named_and_what_was_found_is_no_fact() {
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
        let pair = Pair::of(&one, &other);
        let names: Vec<&str> = pair.differ.iter().map(|fact| fact.name.as_str()).collect();
        assert_eq!(
            names,
            ["asked/load/keepalive", "cpus", "design/alpha", "kernel", "seed"]
        );
        assert_eq!(pair.differ[1].sides[1], None);
        assert_eq!(pair.differ[3].sides[1].as_deref(), Some("0.1"));
        let early = sample(|report| report.asked.clear());
        assert!(Pair::of(&one, &early).differ.is_empty());
        assert!(pair.alike > 20 && Pair::of(&one, &one).differ.is_empty());
    }

    #[test]
    fn both_runs_stand_in_one_row_though_their_rates_differ() {
        let one = sample(|_| ());
        let other = sample(|report| {
            for level in report.arms.iter_mut().flat_map(|arm| &mut arm.levels) {
                level.load.rate = level.load.rate.map(|rate| rate * 1.1);
            }
            for level in report.comparisons.iter_mut().filter_map(|c| c.level.as_mut()) {
                level.rate = level.rate.map(|rate| rate * 1.1);
            }
        });
        let pair = Pair::of(&one, &other);
        assert_eq!((pair.values.len(), pair.verdicts.len()), (15, 7));
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
    fn an_arm_that_only_one_run_has_stands_alone() {
        let one = sample(|_| ());
        let other = sample(|report| {
            report.arms.truncate(1);
            report.arms[0].name = "another".to_owned();
            report.comparisons.clear();
        });
        let pair = Pair::of(&one, &other);
        let alone: Vec<&str> = pair
            .values
            .iter()
            .filter(|row| row.sides[0].is_none())
            .map(|row| row.place.arm.as_str())
            .collect();
        assert_eq!(alone, ["another"; 8]);
    }
}
