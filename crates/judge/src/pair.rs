//! Two runs side by side: what differed in machine, arms and design, which of their figures may be compared,
//! and how far these differ. There is no verdict, because two runs never meet the same noise.

mod anchor;
mod facts;
mod follow;
#[cfg(test)]
mod tests;

use facts::{Facts, differing_facts, facts};
pub(crate) use follow::{differences, why_left_out};
use model::load::Load;
use model::machine;
use model::measure::Measure;
use model::units::Rate;
use record::outcome::{ArmResult, Comparison, Estimate, Level, Report};
use record::pair::{ArmVerdict, ComparedRow, NotComparable, Row, RowKey, RunPair, RunSummary};

/// Compares two reports; differences are from the first one to the second.
pub fn pair(one: &Report, other: &Report) -> RunPair {
    let reports = [one, other];
    let facts = [facts(one), facts(other)];
    let why_not = why_not(reports, &facts);
    let anchor = anchor::find(reports, &facts);
    let (differ, alike) = differing_facts(&facts);
    let values = rows(reports.map(values)).into_iter();
    RunPair {
        sides: reports.map(summary),
        differ,
        alike,
        against_anchor: anchor.iter().flat_map(|anchor| anchor::rows(reports, anchor, &why_not)).collect(),
        anchor,
        verdicts: rows(reports.map(verdicts)),
        values: values.map(|row| compared(row, &why_not)).collect(),
        why_not,
    }
}

fn summary(report: &Report) -> RunSummary {
    RunSummary {
        run: report.run.clone(),
        experiment: report.experiment.clone(),
        question: report.question.clone(),
        machine: machine::class(&report.fingerprint),
        starts: report.design.starts,
        elapsed: report.design.elapsed,
        interrupted: report.design.interrupted,
    }
}

/// Returns why figures of the two runs may not be compared, the weightiest reason first.
fn why_not(reports: [&Report; 2], facts: &[Facts; 2]) -> Vec<NotComparable> {
    let [one, other] = reports;
    let differs = |name: &str| one.fingerprint.get(name) != other.fingerprint.get(name);
    let reasons = [
        (NotComparable::SameRun, one.run == other.run),
        (NotComparable::MachineClass, machine::class(&one.fingerprint) != machine::class(&other.fingerprint)),
        (NotComparable::Method, differs("prony")),
        (NotComparable::Workload, facts::workloads_differ(facts)),
        (NotComparable::Users, facts::users_differ(facts)),
    ];
    let holding = reasons.into_iter().filter(|(_, holds)| *holds);
    holding.map(|(reason, _)| reason).collect()
}

/// Returns the first reason that holds for this measure. A start is timed before any load, so that the workload
/// has no part in it. Memory depends on all numbers of users of a run, while other figures belong to one number.
fn reason_for(measure: Measure, why_not: &[NotComparable]) -> Option<NotComparable> {
    let holds = |reason: &&NotComparable| match reason {
        NotComparable::Workload => measure != Measure::StartUp,
        NotComparable::Users => measure == Measure::PeakMemory,
        _ => true,
    };
    why_not.iter().find(holds).copied()
}

/// The figure of a run, with what decides whether it may be compared.
struct Figure<T> {
    value: T,
    /// The fixed rate, whether all arms had it together, and whether it counts sessions; `None` in the closed loop.
    rate: Option<Rate>,
    together: bool,
    sessions: bool,
    valid: bool,
}

impl<T> Figure<T> {
    fn new(value: T, load: Option<&Load>, valid: bool) -> Self {
        Self {
            value,
            rate: load.and_then(|load| load.rate),
            together: load.is_some_and(|load| load.together),
            sessions: load.is_some_and(|load| load.sessions),
            valid,
        }
    }
}

/// Returns why these figures may not be compared.
fn why_not_these<T>(row: &Row<Figure<T>>, why_not: &[NotComparable]) -> Option<NotComparable> {
    let of_runs = reason_for(row.key.measure, why_not);
    of_runs.or_else(|| match &row.sides {
        [Some(one), Some(other)] if !(one.valid && other.valid) => Some(NotComparable::Invalid),
        [Some(one), Some(other)] if (one.rate, one.sessions) != (other.rate, other.sessions) => {
            Some(NotComparable::Rate)
        }
        [Some(one), Some(other)] if one.together != other.together => Some(NotComparable::Pace),
        [Some(_), Some(_)] => None,
        _ => Some(NotComparable::OneRunOnly),
    })
}

/// Compares the values of an arm.
fn compared(row: Row<Figure<Estimate>>, why_not: &[NotComparable]) -> ComparedRow {
    let why_not = why_not_these(&row, why_not);
    let sides = row.sides.map(|side| side.map(|figure| figure.value));
    let ratio = match sides {
        [Some(one), Some(other)] if why_not.is_none() => Some(other.value / one.value),
        _ => None,
    };
    ComparedRow {
        row: Row { key: row.key, sides },
        ratio: ratio.filter(|ratio| ratio.is_finite()).map(|value| Estimate { value, low: None, high: None }),
        why_not,
    }
}

/// A value of one run and the row that it belongs to.
type KeyedValue<T> = (RowKey, T);

/// Returns a row for each key that either run has; the first run's keys come first.
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

fn verdicts(report: &Report) -> Vec<KeyedValue<ArmVerdict>> {
    let keyed = |comparison: &Comparison| {
        let verdict = ArmVerdict { ratio: comparison.deciding(), verdict: comparison.verdict };
        (key_of(comparison, &comparison.arm), verdict)
    };
    report.comparisons.iter().map(keyed).collect()
}

/// The row of a comparison.
fn key_of(comparison: &Comparison, arm: &str) -> RowKey {
    RowKey::new(arm, comparison.measure, comparison.level.as_ref())
}

fn values(report: &Report) -> Vec<KeyedValue<Figure<Estimate>>> {
    let mut values: Vec<_> = report.arms.iter().flat_map(values_of).collect();
    values.retain(|(key, _)| !key.measure.on_request() || report.judges(key.measure));
    values
}

fn values_of(arm: &ArmResult) -> Vec<KeyedValue<Figure<Estimate>>> {
    let once = Measure::ALL.map(|measure| (measure, arm.once(measure)));
    let found = arm.found.as_ref().map(|found| (found.measure(), found.headline()));
    let once = once.into_iter().chain(found).filter_map(|(measure, value)| {
        let figure = Figure::new(value?, None, true);
        Some((RowKey::new(&arm.name, measure, None), figure))
    });
    let at_level = |level: &Level| {
        let known = Measure::ALL.into_iter().filter_map(|measure| Some((measure, level.estimate(measure)?)));
        let keyed = known.map(|(measure, value)| {
            let figure = Figure::new(value, Some(&level.load), level.valid);
            (RowKey::new(&arm.name, measure, Some(&level.load)), figure)
        });
        keyed.collect::<Vec<_>>()
    };
    arm.levels.iter().flat_map(at_level).chain(once).collect()
}
