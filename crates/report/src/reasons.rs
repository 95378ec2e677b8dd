//! What limited the arms, as every form of the report says it: a cause once for each arm, with all loads at which it was
//! found.

use crate::rows;
use crate::words::{Words, fill};
use model::outcome::{ArmResult, Diagnosis, Estimate, Report};

/// A cause that was found at work in an arm.
pub(crate) struct Reason<'a> {
    pub(crate) arm: &'a ArmResult,
    /// As it was found at the last load of those below.
    pub(crate) diagnosis: &'a Diagnosis,
    /// Where: `500 and 1000 connections`.
    pub(crate) at: String,
    /// It comes first at one of these loads at least: there it is the limiter.
    pub(crate) limits: bool,
}

/// What limited each arm, but for what is only said; the limiters of an arm first.
pub(crate) fn reasons<'a>(report: &'a Report, words: &Words) -> Vec<Reason<'a>> {
    report.arms.iter().flat_map(|arm| of_arm(arm, words)).collect()
}

fn of_arm<'a>(arm: &'a ArmResult, words: &Words) -> Vec<Reason<'a>> {
    let mut causes: Vec<&str> = Vec::new();
    for diagnosis in &arm.diagnoses {
        if !causes.contains(&diagnosis.cause.as_str()) {
            causes.push(&diagnosis.cause);
        }
    }
    let found = causes.into_iter().filter_map(|cause| reason(arm, cause, words));
    let mut reasons: Vec<Reason<'_>> = found.collect();
    reasons.sort_by_key(|reason| !reason.limits);
    reasons
}

fn reason<'a>(arm: &'a ArmResult, cause: &str, words: &Words) -> Option<Reason<'a>> {
    let all = arm
        .diagnoses
        .iter()
        .filter(|one| one.cause == cause && !one.expected);
    let all: Vec<&Diagnosis> = all.collect();
    let comes_first = |one: &&Diagnosis| {
        let first = arm.diagnoses.iter().find(|other| other.level == one.level);
        first.is_some_and(|first| first.cause == one.cause)
    };
    let loads: Vec<String> = all.iter().map(|one| rows::load(&one.level, words)).collect();
    // One that was tried shows what came of it.
    let shown = all.iter().rfind(|one| one.proved.is_some()).or(all.last())?;
    Some(Reason {
        arm,
        diagnosis: shown,
        at: joined(&loads, words),
        limits: all.iter().any(comes_first),
    })
}

/// `100, 500 and 1000 connections`, from each with its word.
fn joined(loads: &[String], words: &Words) -> String {
    let Some((last, others)) = loads.split_last() else {
        return String::new();
    };
    if others.is_empty() {
        return last.clone();
    }
    let unit = fill(words.connections, &[("users", &"")]);
    let short = |load: &String| load.strip_suffix(unit.as_str()).unwrap_or(load).to_owned();
    let others: Vec<String> = others.iter().map(short).collect();
    let others = others.join(words.separator);
    fill(words.list_and_last, &[("others", &others), ("last", last)])
}

/// The arms that did all that the CPU let them do, and nothing was wrong; `None` where there are none.
pub(crate) fn expected(report: &Report, words: &Words) -> Option<String> {
    // Each with its own figures: what a request costs then is why one answers fewer than the other.
    let of_arm = |arm: &ArmResult| {
        let last = arm.diagnoses.iter().rfind(|diagnosis| diagnosis.expected)?;
        let said = words.sentence(&last.says);
        Some(fill(words.why_cpu_arm, &[("arm", &arm.name), ("said", &said)]))
    };
    let arms: Vec<String> = report.arms.iter().filter_map(of_arm).collect();
    let said = arms.join(words.why_cpu_next);
    (!arms.is_empty()).then(|| fill(words.why_cpu, &[("arms", &said)]))
}

/// What came of the change that was tried.
pub(crate) fn proof(diagnosis: &Diagnosis, words: &Words) -> Option<String> {
    let Estimate { value, low, high } = diagnosis.proved?;
    let with: Vec<String> = diagnosis
        .change
        .iter()
        .map(|change| format!("{} = {}", change.key, change.value))
        .collect();
    let ends = low.zip(high).map_or_else(String::new, |(low, high)| {
        format!(" [{}, {}]", times(low), times(high))
    });
    let values: [(&str, &dyn std::fmt::Display); 3] = [
        ("change", &with.join(words.separator)),
        ("times", &times(value)),
        ("ends", &ends),
    ];
    Some(fill(words.why_tried, &values))
}

fn times(factor: f64) -> String {
    format!("{factor:.2}")
}

/// A value of the evidence: four digits are enough.
pub(crate) fn value(value: f64) -> String {
    match value.abs() {
        v if v == v.trunc() && v < 1e15 => format!("{value:.0}"),
        v if v >= 100.0 => format!("{value:.0}"),
        v if v >= 0.01 => format!("{value:.3}"),
        _ => format!("{value:.2e}"),
    }
}
