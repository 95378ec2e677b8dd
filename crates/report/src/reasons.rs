//! What limited the arms, as every form of the report says it: a cause once for each arm, with all loads at which it was
//! found.

use crate::rows;
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
pub(crate) fn reasons(report: &Report) -> Vec<Reason<'_>> {
    report.arms.iter().flat_map(of_arm).collect()
}

fn of_arm(arm: &ArmResult) -> Vec<Reason<'_>> {
    let mut causes: Vec<&str> = Vec::new();
    for diagnosis in &arm.diagnoses {
        if !causes.contains(&diagnosis.cause.as_str()) {
            causes.push(&diagnosis.cause);
        }
    }
    let found = causes.into_iter().filter_map(|cause| reason(arm, cause));
    let mut reasons: Vec<Reason<'_>> = found.collect();
    reasons.sort_by_key(|reason| !reason.limits);
    reasons
}

fn reason<'a>(arm: &'a ArmResult, cause: &str) -> Option<Reason<'a>> {
    let all = arm
        .diagnoses
        .iter()
        .filter(|one| one.cause == cause && !one.expected);
    let all: Vec<&Diagnosis> = all.collect();
    let comes_first = |one: &&Diagnosis| {
        let first = arm.diagnoses.iter().find(|other| other.level == one.level);
        first.is_some_and(|first| first.cause == one.cause)
    };
    let loads: Vec<String> = all.iter().map(|one| rows::load(&one.level)).collect();
    // One that was tried shows what came of it.
    let shown = all.iter().rfind(|one| one.proved.is_some()).or(all.last())?;
    Some(Reason {
        arm,
        diagnosis: shown,
        at: joined(&loads),
        limits: all.iter().any(comes_first),
    })
}

/// `100, 500 and 1000 connections`, from each with its word.
fn joined(loads: &[String]) -> String {
    let Some((last, others)) = loads.split_last() else {
        return String::new();
    };
    if others.is_empty() {
        return last.clone();
    }
    let short = |load: &String| load.strip_suffix(" connections").unwrap_or(load).to_owned();
    let others: Vec<String> = others.iter().map(short).collect();
    format!("{} and {last}", others.join(", "))
}

/// The arms that did all that the CPU let them do, and nothing was wrong; `None` where there are none.
pub(crate) fn expected(report: &Report) -> Option<String> {
    let cpu_first = |arm: &&ArmResult| arm.diagnoses.iter().any(|diagnosis| diagnosis.expected);
    let arms: Vec<&ArmResult> = report.arms.iter().filter(cpu_first).collect();
    let last = |arm: &&ArmResult| {
        let said = arm.diagnoses.iter().rfind(|diagnosis| diagnosis.expected);
        said.map(|diagnosis| diagnosis.says.clone())
    };
    let names: Vec<&str> = arms.iter().map(|arm| arm.name.as_str()).collect();
    let said = arms.first().and_then(last)?;
    Some(format!(
        "limited by the CPU, as a load is that asks as fast as it is answered: {} ({said})",
        names.join(", ")
    ))
}

/// What came of the change that was tried.
pub(crate) fn proof(diagnosis: &Diagnosis) -> Option<String> {
    let Estimate { value, low, high } = diagnosis.proved?;
    let with: Vec<String> = diagnosis
        .change
        .iter()
        .map(|change| format!("{} = {}", change.key, change.value))
        .collect();
    let ends = low.zip(high).map_or_else(String::new, |(low, high)| {
        format!(" [{}, {}]", times(low), times(high))
    });
    Some(format!(
        "tried: with {} throughput is {} times as high{ends}",
        with.join(", "),
        times(value)
    ))
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
