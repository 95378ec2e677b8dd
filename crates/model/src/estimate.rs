//! [`Estimate`]: a value with its interval.

use serde::{Deserialize, Serialize};

/// A value with its interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The point estimate.
    pub value: f64,
    /// Lower end; absent while there are too few starts for an interval.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
}
