//! The result of a search for each arm: its capacity and knee, or the highest rate that keeps an objective, and what limits the
//! arm beyond it.

use super::by_arm::{ArmRow, table_by_arm};
use super::{ColumnKind, Content, ContentBlock, SectionInput};
use crate::comparison::estimate;
use crate::loads::load_name;
use crate::units;
use crate::words::{Words, fill};
use model::load::Load;
use model::measure::Measure;
use record::outcome::{ArmResult, Estimate, Report};
use record::search::{Capacity, Curve, MaxRate, SearchResult};

pub(super) const ID: &str = "found";

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let (report, words) = (source.report, source.words);
    let lines = lines(report, words);
    if lines.is_empty() {
        return None;
    }
    let mut blocks = vec![ContentBlock::list(lines)];
    // Those of an arm alone have a table with more figures.
    let steps = match source.form.capacity_steps && !report.is_of_one_arm() {
        true => steps(report, words),
        false => Vec::new(),
    };
    if !steps.is_empty() {
        blocks.push(table_by_arm(report, ColumnKind::Number, steps));
    }
    Content::of(words.found_heading, blocks)
}

/// The results, arm by arm, then why the search ended.
fn lines(report: &Report, words: &Words) -> Vec<String> {
    let lines_of = |arm: &ArmResult| match &arm.found {
        Some(SearchResult::Capacity(capacity)) => capacity_lines(arm, capacity, words),
        Some(SearchResult::MaxRate(found)) => vec![max_rate_line(arm, found, words)],
        None => Vec::new(),
    };
    let mut lines: Vec<String> = report.arms.iter().flat_map(lines_of).collect();
    // All arms were tried with the same users.
    if let Some(Some(SearchResult::Capacity(capacity))) = report.arms.first().map(|arm| &arm.found) {
        if capacity.most.is_some_and(|most| most.low.is_none()) {
            lines.push(words.found_alone.to_owned());
        }
        lines.push(say::text(&capacity.ended, words.lang));
    }
    lines
}

/// The throughput of every arm at every step of users; empty where the experiment looked for no capacity.
fn steps(report: &Report, words: &Words) -> Vec<ArmRow> {
    let climbed = |arm: &&ArmResult| matches!(arm.found, Some(SearchResult::Capacity(_)));
    let Some(first) = report.arms.iter().find(climbed) else {
        return Vec::new();
    };
    let row = |load: &Load| {
        let throughput = |arm: &ArmResult| {
            let throughput = estimate(arm, Measure::Throughput, Some(load));
            throughput.map_or_else(|| "–".to_owned(), |throughput| with_interval(&throughput, units::rate))
        };
        ArmRow::new(report, load_name(load, words), throughput)
    };
    first.levels.iter().map(|level| row(&level.load)).collect()
}

/// The capacity of an arm, and the curve that was fitted to its steps or why there is none.
fn capacity_lines(arm: &ArmResult, found: &Capacity, words: &Words) -> Vec<String> {
    let most = found.most.as_ref();
    let most = most.map_or_else(|| "–".to_owned(), |most| with_interval(most, units::rate));
    let knee = match &found.knee {
        None => words.found_no_knee.to_owned(),
        Some(knee) => {
            let users = with_interval(&knee.users, count);
            let template = match (knee.fitted, knee.corner) {
                (true, _) => words.found_knee,
                (false, true) => words.found_knee_corner,
                (false, false) => words.found_knee_steps,
            };
            fill(template, &[("users", &users)])
        }
    };
    let limiter = match &found.limiter {
        Some(cause) => fill(words.found_limiter, &[("tried", &found.tried), ("cause", cause)]),
        None => fill(words.found_no_limiter, &[("tried", &found.tried)]),
    };
    let values: [(&str, &dyn std::fmt::Display); 4] =
        [("arm", &arm.name), ("most", &most), ("knee", &knee), ("limiter", &limiter)];
    let capacity = fill(words.found_capacity, &values);
    let curve = match (&found.curve, &found.no_curve) {
        (Some(curve), _) => Some(curve_line(&arm.name, curve, words)),
        (None, Some(why)) => {
            let why = say::text(why, words.lang);
            Some(fill(words.found_no_curve, &[("arm", &arm.name), ("why", &why)]))
        }
        (None, None) => None,
    };
    [capacity].into_iter().chain(curve).collect()
}

/// The highest rate of an arm, or why it is not known.
fn max_rate_line(arm: &ArmResult, found: &MaxRate, words: &Words) -> String {
    if let Some(rate) = &found.rate {
        let values: [(&str, &dyn std::fmt::Display); 3] = [
            ("arm", &arm.name),
            ("objective", &found.objective),
            ("rate", &with_interval(rate, units::rate)),
        ];
        let found_rate = fill(words.found_rate, &values);
        let beyond = match &found.limiter {
            Some(cause) => fill(words.found_beyond, &[("cause", cause)]),
            None => words.found_no_beyond.to_owned(),
        };
        return fill(words.found_rate_beyond, &[("highest", &found_rate), ("beyond", &beyond)]);
    }
    let kept = match found.kept {
        Some(kept) => fill(words.found_kept, &[("rate", &units::rate(kept.0))]),
        None => words.found_never.to_owned(),
    };
    let why = found.why_none.as_ref().map(|why| say::text(why, words.lang));
    let values: [(&str, &dyn std::fmt::Display); 4] = [
        ("arm", &arm.name),
        ("objective", &found.objective),
        ("kept", &kept),
        ("why", &why.unwrap_or_default()),
    ];
    fill(words.found_no_rate, &values)
}

/// The parameters of the curve that was fitted to the steps of an arm.
fn curve_line(arm: &str, curve: &Curve, words: &Words) -> String {
    let peak = match &curve.peak_users {
        Some(peak) => fill(words.found_peak, &[("users", &with_interval(peak, count))]),
        None => words.found_no_peak.to_owned(),
    };
    let values: [(&str, &dyn std::fmt::Display); 5] = [
        ("arm", &arm),
        ("gamma", &with_interval(&curve.gamma, units::rate)),
        ("alpha", &with_interval(&curve.alpha, small)),
        ("beta", &with_interval(&curve.beta, small)),
        ("peak", &peak),
    ];
    fill(words.found_curve, &values)
}

/// `7.2 [6.6, 7.9]`.
fn with_interval(estimate: &Estimate, text: impl Fn(f64) -> String) -> String {
    match (estimate.low, estimate.high) {
        (Some(low), Some(high)) => format!("{} [{}, {}]", text(estimate.value), text(low), text(high)),
        _ => text(estimate.value),
    }
}

/// A number of users, with a decimal only if it is small.
fn count(users: f64) -> String {
    if users < 20.0 { format!("{users:.1}") } else { format!("{users:.0}") }
}

/// A parameter of the curve, which may be very small.
fn small(value: f64) -> String {
    match value {
        v if v >= 0.001 => format!("{v:.4}"),
        v if v < 1e-9 => "0".to_owned(),
        v => format!("{v:.1e}"),
    }
}
