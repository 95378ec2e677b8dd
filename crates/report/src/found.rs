//! What a search found of each arm, in words: its capacity, its knee, and what limits beyond it.

use crate::rows;
use crate::settings::Row;
use crate::units;
use crate::words::{Words, fill};
use model::found::{Capacity, Curve, Found, MaxRate};
use model::measure::Measure;
use model::outcome::{ArmResult, Estimate, Load, Report};

/// All of it, arm by arm; empty where the experiment looked for nothing.
pub(crate) fn lines(report: &Report, words: &Words) -> Vec<String> {
    let of = |arm: &ArmResult| match &arm.found {
        Some(Found::Capacity(capacity)) => capacity_of(arm, capacity, words),
        Some(Found::MaxRate(found)) => vec![max_rate(arm, found, words)],
        None => Vec::new(),
    };
    let mut lines: Vec<String> = report.arms.iter().flat_map(of).collect();
    lines.extend(ended(report, words));
    lines
}

/// Throughput of every arm at every step of users.
pub(crate) fn steps(report: &Report, words: &Words) -> Vec<Row> {
    let climbed = |arm: &&ArmResult| matches!(arm.found, Some(Found::Capacity(_)));
    let Some(first) = report.arms.iter().find(climbed) else {
        return Vec::new();
    };
    let row = |load: &Load| {
        let of = |arm: &ArmResult| {
            let there = rows::estimate(arm, Measure::Throughput, Some(load));
            there.map_or_else(|| "–".to_owned(), |found| with_ends(&found, units::rate))
        };
        (rows::load(load, words), report.arms.iter().map(of).collect())
    };
    first.levels.iter().map(|level| row(&level.load)).collect()
}

/// Why no more users were tried: the same for all arms.
fn ended(report: &Report, words: &Words) -> Option<String> {
    let Some(Found::Capacity(capacity)) = report.arms.first().and_then(|arm| arm.found.as_ref()) else {
        return None;
    };
    Some(words.sentence(&capacity.ended))
}

fn capacity_of(arm: &ArmResult, found: &Capacity, words: &Words) -> Vec<String> {
    let most = found.most.as_ref();
    let most = most.map_or_else(|| "–".to_owned(), |most| with_ends(most, units::rate));
    let knee = match &found.knee {
        None => words.found_no_knee.to_owned(),
        Some(knee) => {
            let users = with_ends(&knee.users, count);
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
    let values: [(&str, &dyn std::fmt::Display); 4] = [
        ("arm", &arm.name),
        ("most", &most),
        ("knee", &knee),
        ("limiter", &limiter),
    ];
    let said = fill(words.found_capacity, &values);
    let curve = match (&found.curve, &found.no_curve) {
        (Some(curve), _) => Some(law(&arm.name, curve, words)),
        (None, Some(why)) => {
            let why = words.sentence(why);
            Some(fill(words.found_no_curve, &[("arm", &arm.name), ("why", &why)]))
        }
        (None, None) => None,
    };
    [said].into_iter().chain(curve).collect()
}

fn max_rate(arm: &ArmResult, found: &MaxRate, words: &Words) -> String {
    if let Some(rate) = &found.rate {
        let values: [(&str, &dyn std::fmt::Display); 3] = [
            ("arm", &arm.name),
            ("objective", &found.objective),
            ("rate", &with_ends(rate, units::rate)),
        ];
        let said = fill(words.found_rate, &values);
        let beyond = match &found.limiter {
            Some(cause) => fill(words.found_beyond, &[("cause", cause)]),
            None => words.found_no_beyond.to_owned(),
        };
        return fill(words.found_rate_beyond, &[("said", &said), ("beyond", &beyond)]);
    }
    let kept = match found.kept {
        Some(kept) => fill(words.found_kept, &[("rate", &units::rate(kept))]),
        None => words.found_never.to_owned(),
    };
    let why = found.why_none.as_ref().map(|why| words.sentence(why));
    let values: [(&str, &dyn std::fmt::Display); 4] = [
        ("arm", &arm.name),
        ("objective", &found.objective),
        ("kept", &kept),
        ("why", &why.unwrap_or_default()),
    ];
    fill(words.found_no_rate, &values)
}

/// The parameters of the curve.
fn law(arm: &str, curve: &Curve, words: &Words) -> String {
    let peak = match &curve.peak_users {
        Some(peak) => fill(words.found_peak, &[("users", &with_ends(peak, count))]),
        None => words.found_no_peak.to_owned(),
    };
    let values: [(&str, &dyn std::fmt::Display); 5] = [
        ("arm", &arm),
        ("gamma", &with_ends(&curve.gamma, units::rate)),
        ("alpha", &with_ends(&curve.alpha, small)),
        ("beta", &with_ends(&curve.beta, small)),
        ("peak", &peak),
    ];
    fill(words.found_curve, &values)
}

/// `7.2 [6.6, 7.9]`.
fn with_ends(estimate: &Estimate, said: impl Fn(f64) -> String) -> String {
    match (estimate.low, estimate.high) {
        (Some(low), Some(high)) => format!("{} [{}, {}]", said(estimate.value), said(low), said(high)),
        _ => said(estimate.value),
    }
}

/// Users: of many the tenths do not matter.
fn count(users: f64) -> String {
    if users < 20.0 {
        format!("{users:.1}")
    } else {
        format!("{users:.0}")
    }
}

fn small(value: f64) -> String {
    match value {
        v if v >= 0.001 => format!("{v:.4}"),
        v if v < 1e-9 => "0".to_owned(),
        v => format!("{v:.1e}"),
    }
}
