//! The steps of sessions in `report.json`.

use super::ComparisonJson;
use record::outcome::{Estimate, StepComparison, StepResult, StepTimes};
use say::Language;
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Serialize)]
pub(super) struct StepJson<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<&'a str>,
    transaction: bool,
    ended: u64,
    ok: u64,
    faults: &'a BTreeMap<String, u64>,
    times: Option<StepTimes>,
    first_failure: Option<FailureJson<'a>>,
}

/// The first failure of a step, with its sentence.
#[derive(Serialize)]
struct FailureJson<'a> {
    says: String,
    request: &'a str,
    answer: &'a str,
}

impl<'a> StepJson<'a> {
    pub(super) fn of(step: &'a StepResult) -> Self {
        Self {
            name: &step.name,
            group: step.group.as_deref(),
            transaction: step.transaction,
            ended: step.ended,
            ok: step.ok,
            faults: &step.faults,
            times: step.times,
            first_failure: step.first_failure.as_ref().map(|first| FailureJson {
                says: say::text(&first.why, Language::En),
                request: &first.request,
                answer: &first.answer,
            }),
        }
    }
}

/// An arm against the baseline in one measure of a step.
#[derive(Serialize)]
pub(super) struct StepComparisonJson<'a> {
    step: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<&'a str>,
    transaction: bool,
    baseline_value: Option<Estimate>,
    arm_value: Option<Estimate>,
    #[serde(flatten)]
    comparison: ComparisonJson<'a>,
}

impl<'a> StepComparisonJson<'a> {
    pub(super) fn of(of: &'a StepComparison) -> Self {
        Self {
            step: &of.step,
            group: of.group.as_deref(),
            transaction: of.transaction,
            baseline_value: of.values[0],
            arm_value: of.values[1],
            comparison: ComparisonJson::of(&of.comparison),
        }
    }
}
