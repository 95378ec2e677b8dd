//! Ratios to an arm that is the same in both runs. Both arms of a run met the same noise, so that the drift of the machine cancels.

use super::facts::{Facts, is_same_arm};
use super::{Figure, KeyedValue, key_of, why_not_these};
use record::outcome::{Comparison, Estimate, Report, Verdict};
use record::pair::{ComparedRow, NotComparable, Row};
use stats::robust::mean;
use stats::summary::{CountedSample, difference};

/// The confidence of intervals.
const CONFIDENCE: f64 = 0.95;

/// Returns the arm that is the same in both runs and that others were compared with; rather a baseline of both runs than of one. An
/// anchor needs to be a baseline, because a run stores no ratio of two other arms start by start.
pub(super) fn find(reports: [&Report; 2], facts: &[Facts; 2]) -> Option<String> {
    let [one, other] = reports;
    let has = |report: &Report, arm: &str| report.arms.iter().any(|known| known.name == arm);
    let [first, second] = [&one.design.baseline, &other.design.baseline];
    let common =
        [first, second].into_iter().find(|arm| has(one, arm) && has(other, arm) && is_same_arm(facts, arm));
    common.cloned()
}

/// Returns the ratios of the other arms to the anchor, in both runs.
pub(super) fn rows(reports: [&Report; 2], anchor: &str, why_not: &[NotComparable]) -> Vec<ComparedRow> {
    let sides = reports.map(|report| {
        let keyed = report.comparisons.iter().filter_map(|comparison| against(comparison, anchor));
        keyed.collect()
    });
    let rows = super::rows(sides).into_iter();
    rows.map(|row| compared(row, why_not)).collect()
}

/// Returns the logarithms of an arm's ratios to the anchor, one for each start; `None` if the comparison is not with the anchor.
fn against(comparison: &Comparison, anchor: &str) -> Option<KeyedValue<Figure<Vec<f64>>>> {
    let (arm, sign) = match (comparison.baseline == anchor, comparison.arm == anchor) {
        (true, _) => (&comparison.arm, 1.0),
        (_, true) => (&comparison.baseline, -1.0),
        _ => return None,
    };
    let logs = comparison.per_start.iter().map(|ratio| sign * ratio.ln());
    let logs: Vec<f64> = logs.collect();
    // A start without any answers has no ratio.
    let valid = comparison.verdict != Verdict::Invalid && logs.iter().all(|log| log.is_finite());
    let figure = Figure::new(logs, comparison.level.as_ref(), valid);
    let key = key_of(comparison, arm);
    (!figure.value.is_empty()).then_some((key, figure))
}

/// Compares the ratios of both runs: their geometric means over the starts, and how much these differ, with Welch's interval.
fn compared(row: Row<Figure<Vec<f64>>>, why_not: &[NotComparable]) -> ComparedRow {
    let why_not = why_not_these(&row, why_not);
    let ratio = match &row.sides {
        [Some(one), Some(other)] if why_not.is_none() => ratio(&one.value, &other.value),
        _ => None,
    };
    let sides = row.sides.map(|side| {
        let value = mean(&side?.value)?.exp();
        let (low, high) = (None, None);
        value.is_finite().then_some(Estimate { value, low, high })
    });
    ComparedRow { row: Row { key: row.key, sides }, ratio, why_not }
}

/// Second / first, from logarithms; the interval is absent where a run has a single start.
fn ratio(one: &[f64], other: &[f64]) -> Option<Estimate> {
    let [one, other] = [one, other].map(|values| CountedSample { values, least_variance: 0.0 });
    let difference = difference(one, other, CONFIDENCE)?;
    let interval = difference.interval.map(stats::ConfidenceInterval::exp);
    Some(Estimate {
        value: difference.value.exp(),
        low: interval.map(|interval| interval.low),
        high: interval.map(|interval| interval.high),
    })
}
