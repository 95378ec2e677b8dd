//! [`StepResult`]: what was counted of a step of sessions, and [`StepComparison`]: how two arms compare in it.

use super::{Comparison, Estimate, Report};
use model::units::Seconds;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use traffic::scenario::FirstFailure;

/// What was counted of a step or a transaction of sessions at one load.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StepResult {
    pub name: String,
    /// The group of users to which it belongs, where there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Whether it is a transaction, which is a group of steps.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub transaction: bool,
    /// How often it ended.
    pub ended: u64,
    /// How often it ended rightly.
    pub ok: u64,
    /// What went wrong, by kind; kinds that did not occur are absent.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub faults: BTreeMap<String, u64>,
    /// The times of the steps that ended rightly; `None` where none did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<StepTimes>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_failure: Option<FirstFailure>,
}

/// Times of a step: from when it was due until its last answer arrived, redirects included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StepTimes {
    pub mean: Seconds,
    pub p50: Seconds,
    pub p90: Seconds,
    pub p95: Seconds,
    pub p99: Seconds,
    /// The longest.
    pub max: Seconds,
}

/// An arm against the baseline in one measure of a step or a transaction. Its throughput is compared in the closed loop, and its times
/// are compared at the fixed rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepComparison {
    /// The name of the step.
    pub step: String,
    /// The group of users to which it belongs, where there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Whether it is a transaction, which is a group of steps.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub transaction: bool,
    /// The values of the baseline and of the arm, in the unit of the measure: means over the starts.
    pub values: [Option<Estimate>; 2],
    /// The comparison; it has no gate.
    pub comparison: Comparison,
}

impl Report {
    /// Whether users play sessions of steps: throughput then counts their requests, and the rate of a load counts sessions.
    pub fn plays_sessions(&self) -> bool {
        let mut levels = self.arms.iter().flat_map(|arm| &arm.levels);
        levels.any(|level| !level.steps.is_empty())
    }
}
