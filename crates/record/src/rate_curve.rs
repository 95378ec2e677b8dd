//! [`RatePoint`]: a point of the curve over rates, which shows how the figures of an arm depend on the rate.

use crate::estimate::Estimate;
use model::units::Rate;
use serde::{Deserialize, Serialize};

/// The figures of one arm at one rate of the curve over rates. Estimates are geometric means over starts with 95 % t intervals.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RatePoint {
    /// Requests due.
    pub rate: Rate,
    /// Starts that measured it.
    pub starts: u32,
    /// CPU seconds of the server per right answer.
    pub cpu_per_request: Option<Estimate>,
    /// Median response time, seconds; absent where the generator was late.
    pub response_p50: Option<Estimate>,
    /// 99th percentile of the response time, seconds; absent where the generator was late.
    pub response_p99: Option<Estimate>,
    /// Whether the generator was late in most slices at this rate.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub generator_late: bool,
}
