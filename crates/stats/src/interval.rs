//! An interval with two ends, and the few questions a verdict asks of it.

/// A closed interval `[low, high]`; an end may be infinite, never NaN.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The lower end, in the unit of whatever is estimated.
    pub low: f64,
    /// The upper end, `>= low`.
    pub high: f64,
}

impl Interval {
    /// `centre ± half_width`.
    pub fn around(centre: f64, half_width: f64) -> Self {
        Self {
            low: centre - half_width,
            high: centre + half_width,
        }
    }

    /// True when `value` lies in it, ends included.
    pub fn contains(self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// True when 0 lies outside: the sign of the effect is known.
    pub fn excludes_zero(self) -> bool {
        !self.contains(0.0)
    }

    /// True when it lies strictly between `-delta` and `+delta`: the two are equivalent.
    pub fn is_within(self, delta: f64) -> bool {
        -delta < self.low && self.high < delta
    }

    /// `high - low`.
    pub fn width(self) -> f64 {
        self.high - self.low
    }

    /// Both ends by `exp`: from a log-ratio to a ratio, from a log value to the value.
    #[must_use]
    pub fn exp(self) -> Self {
        Self {
            low: self.low.exp(),
            high: self.high.exp(),
        }
    }

    /// Mirrored about 0, ends swapped: the same statement with the arms exchanged, or about a cost, not a
    /// speed.
    #[must_use]
    pub fn negated(self) -> Self {
        Self {
            low: -self.high,
            high: -self.low,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_at_the_margin_is_not_within_it() {
        let point = Interval::around(0.02, 0.0);
        assert!(!point.is_within(0.02));
        assert!(point.is_within(0.021) && point.excludes_zero() && point.contains(0.02));
        assert_eq!(
            point.negated(),
            Interval {
                low: -0.02,
                high: -0.02
            }
        );
        assert_eq!(Interval { low: 0.0, high: 0.0 }.exp().width(), 0.0);
    }
}
