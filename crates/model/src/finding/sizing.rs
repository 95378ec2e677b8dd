//! [`Sizing`]: how many of something there should be, by Little's law.

use serde::{Deserialize, Serialize};

/// What a larger limit would bring. By Little's law each of `slots` gives `rate / slots` requests per second, because each request holds
/// one for `each`. As long as that time stays as it is, more of them give proportionally more.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sizing {
    /// How many there are.
    pub slots: f64,
    /// Requests per second that were measured with them.
    pub rate: f64,
    /// Seconds for which a request holds one.
    pub each: f64,
    /// Requests per second that the suggested number gives.
    pub gives: f64,
    /// Why no more is suggested.
    pub bound: SizeBound,
}

/// Why a suggested limit is not larger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SizeBound {
    /// Nobody asks for more.
    Demand,
    /// The CPU is full then.
    Cpu,
    /// It is several times what was measured, and nobody knows how what is behind the limit answers so much.
    Step,
}
