//! A confidence interval, and the questions that a verdict asks about it.

/// A closed interval `[low, high]` of an estimate. An end may be infinite but is never NaN.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConfidenceInterval {
    /// The lower end, in the unit of the estimate.
    pub low: f64,
    /// The upper end, `>= low`, in the same unit.
    pub high: f64,
}

impl ConfidenceInterval {
    /// The interval `centre ± half_width`.
    pub fn around(centre: f64, half_width: f64) -> Self {
        Self { low: centre - half_width, high: centre + half_width }
    }

    /// True when `value` lies in the interval, ends included.
    pub fn contains(self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// True when 0 lies outside the interval: the sign of the effect is known.
    pub fn excludes_zero(self) -> bool {
        !self.contains(0.0)
    }

    /// True when the interval lies strictly between `-delta` and `+delta`: the two arms are equivalent.
    pub fn is_within(self, delta: f64) -> bool {
        -delta < self.low && self.high < delta
    }

    /// The distance between the ends, `high - low`.
    pub fn width(self) -> f64 {
        self.high - self.low
    }

    /// The interval with `exp` applied to both ends, as from a log-ratio to a ratio.
    #[must_use]
    pub fn exp(self) -> Self {
        Self { low: self.low.exp(), high: self.high.exp() }
    }

    /// The interval of the negated value: `[-high, -low]`. It states the same with the arms exchanged, or about
    /// a cost where the original was about a speed.
    #[must_use]
    pub fn negated(self) -> Self {
        Self { low: -self.high, high: -self.low }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_that_touches_the_margin_is_not_within_it() {
        let point = ConfidenceInterval::around(0.02, 0.0);
        assert!(!point.is_within(0.02));
        assert!(point.is_within(0.021) && point.excludes_zero() && point.contains(0.02));
        assert_eq!(point.negated(), ConfidenceInterval { low: -0.02, high: -0.02 });
        assert_eq!(ConfidenceInterval { low: 0.0, high: 0.0 }.exp().width(), 0.0);
    }
}
