//! [`Estimate`]: a value with its interval.

use say::{Say, Writer, numbers};
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

/// The half-width of an interval beyond which it says nothing, as a share of the value.
const TOO_WIDE: f64 = 0.5;

/// What is said in the place of an interval that says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Say)]
#[say(en = "too few starts to say", zh = "启动次数太少，无法判断")]
pub struct TooWide;

/// A ratio that is said as a difference in per cent, with its interval if it has one; [`TooWide`] where that says nothing.
#[derive(Clone, Copy, Debug)]
pub struct DifferenceOf(pub Estimate);

impl Say for DifferenceOf {
    fn say(&self, out: &mut Writer) {
        // A ratio whose whole interval lies on one side of 1 tells the direction, however wide it is.
        let straddles = self.0.low.zip(self.0.high).is_some_and(|(low, high)| low < 1.0 && high > 1.0);
        match straddles && self.0.is_too_wide() {
            true => TooWide.say(out),
            false => out.value(self.0.as_difference()),
        }
    }
}

impl Estimate {
    /// Whether its interval is so wide that it says nothing: more than half of the value to each side.
    pub fn is_too_wide(&self) -> bool {
        let ends = self.low.zip(self.high);
        ends.is_some_and(|(low, high)| high - low > 2.0 * TOO_WIDE * self.value.abs())
    }

    /// A factor and its interval: `1.94` and ` [1.80, 2.09]`, which is empty where there is none that says anything.
    pub fn as_factor(&self) -> [String; 2] {
        let ends = self.low.zip(self.high).filter(|_| !self.is_too_wide());
        let ends = ends.map_or_else(String::new, |(low, high)| format!(" [{low:.2}, {high:.2}]"));
        [format!("{:.2}", self.value), ends]
    }

    /// A ratio as a difference in per cent, with its interval, if it has one: `+3.1 % [+1.2, +5.0]`.
    fn as_difference(&self) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;
    use say::Language;

    #[test]
    fn an_interval_that_says_nothing_is_not_shown_in_numbers() {
        let text = |value: f64, low: f64, high: f64| {
            let ratio = Estimate { value, low: Some(low), high: Some(high) };
            [Language::En, Language::Zh].map(|language| say::text(&DifferenceOf(ratio), language))
        };
        assert_eq!(text(0.934, 0.916, 0.953), ["-6.6 % [-8.4, -4.7]"; 2]);
        assert_eq!(text(2.5, 2.0, 3.1), ["+150 % [+100, +210]"; 2], "narrow, for what it is of");
        assert_eq!(text(1.0, 0.064, 15.6), ["too few starts to say", "启动次数太少，无法判断"]);
        assert_eq!(text(4.18, 2.0, 9.0), ["+318 % [+100, +800]"; 2], "wide, but on one side of 1");
        let none = Estimate { value: 1.5, low: None, high: None };
        assert_eq!(say::text(&DifferenceOf(none), Language::En), "+50.0 %");
    }
}
