//! [`Estimate`]: a value with its interval.

use say::numbers;
use serde::{Deserialize, Serialize};

/// A value with its interval, in the unit of what it is about: of a measure, a ratio, a share.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The point estimate.
    pub value: f64,
    /// Lower end; absent while there are too few starts for an interval.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
}

impl Estimate {
    /// A factor and its interval: `1.94` and ` [1.80, 2.09]`, which is empty where there is none.
    pub fn as_factor(&self) -> [String; 2] {
        let ends = self.low.zip(self.high);
        let ends = ends.map_or_else(String::new, |(low, high)| format!(" [{low:.2}, {high:.2}]"));
        [format!("{:.2}", self.value), ends]
    }

    /// A ratio as a difference in per cent, with its interval, if it has one: `+3.1 % [+1.2, +5.0]`.
    pub fn as_difference(&self) -> String {
        let ends = self.low.zip(self.high);
        let ends =
            ends.map(|(low, high)| format!(" [{}, {}]", numbers::difference(low), numbers::difference(high)));
        format!("{} %{}", numbers::difference(self.value), ends.unwrap_or_default())
    }

    /// A difference in time, in seconds, with its sign and its interval, if it has one: `+20.1 µs [+18.9, +21.3]`.
    pub fn as_signed_seconds(&self) -> String {
        numbers::signed_seconds(self.value, self.low.zip(self.high))
    }
}
