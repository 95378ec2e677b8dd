//! The finding that something limits a load although no known cause fits.

use super::place::{DearFrame, RequestPlace};
use crate::experiment::Objective;
use serde::{Deserialize, Serialize};

/// Something limits the load, and no known cause fits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NotFound {
    /// What shows that there is one.
    pub shown: Shown,
    /// What does not limit it.
    pub ruled_out: RuledOut,
    /// Where most requests are; empty where that was not seen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<RequestPlace>,
    /// The methods that use most of the server's CPU time; empty where that was not seen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub frames: Vec<DearFrame>,
}

/// What shows that there is a limit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "code", content = "values", rename_all = "kebab-case", rename_all_fields = "snake_case")]
pub enum Shown {
    /// An objective was missed.
    ByObjective {
        /// Requests per second at which it was missed.
        rate: f64,
        objective: Objective,
    },
    /// More users did not bring more throughput.
    ByUsers {
        users: f64,
        /// Right answers per second that they got.
        rate: f64,
        fewer_users: f64,
        /// Right answers per second that the fewer users got.
        fewer_rate: f64,
    },
}

/// Figures of what does not limit the load.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RuledOut {
    /// Share of the machine's CPU time in use, 0 to 1.
    pub busy: f64,
    /// Share of the machine's CPU time that the server used, 0 to 1, where the CPU is full: then the CPU is not ruled out.
    pub server: Option<f64>,
    /// CPUs that the generator used.
    pub generator: f64,
    /// Share of the time in which collections stopped the server, 0 to 1; absent for what is no JVM.
    pub collector: Option<f64>,
    /// Connections that were opened.
    pub opened: u64,
    /// Requests that ended without a right answer.
    pub wrong: u64,
}
