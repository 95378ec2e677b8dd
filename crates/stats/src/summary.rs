//! What is said of one list of rounds: mean with t interval, t test, share of rounds that disagree.

use crate::distribution::{t_isf, t_two_sided};
use crate::interval::Interval;
use crate::robust::{mean, sd, variance};

/// A mean over rounds with its t interval; on the log scale until [`Estimate::exp`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The mean.
    pub value: f64,
    /// Its interval; `None` with fewer than two rounds, when there is nothing to judge the spread by.
    pub interval: Option<Interval>,
}

impl Estimate {
    /// From log values back to the unit of the measure: the geometric mean and its interval.
    #[must_use]
    pub fn exp(self) -> Self {
        Self {
            value: self.value.exp(),
            interval: self.interval.map(Interval::exp),
        }
    }

    /// The same of the negated values: from "larger is better" back to a cost.
    #[must_use]
    pub fn negated(self) -> Self {
        Self {
            value: -self.value,
            interval: self.interval.map(Interval::negated),
        }
    }
}

/// Mean of `rounds` with Student's t interval at `confidence` (a fraction); `None` without rounds.
///
/// For an arm's own values: one log value per round. Description only. Two arms are never compared by the
/// overlap of two such intervals.
pub fn estimate(rounds: &[f64], confidence: f64) -> Option<Estimate> {
    let value = mean(rounds)?;
    let n = rounds.len() as f64;
    let interval = sd(rounds).map(|sd| {
        let t = t_isf((1.0 - confidence) / 2.0, n - 1.0);
        Interval::around(value, t * sd / n.sqrt())
    });
    Some(Estimate { value, interval })
}

/// A t test of "the mean is 0".
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TTest {
    /// `mean / (sd / sqrt(n))`; infinite when all rounds agree on a value other than 0.
    pub t: f64,
    /// Two-sided p-value. Valid once, at a number of rounds fixed beforehand; for looks use `sequential`.
    pub p: f64,
}

/// One-sample t test of mean 0 over rounds; `None` below two rounds.
pub fn t_test(rounds: &[f64]) -> Option<TTest> {
    let (mean, sd) = (mean(rounds)?, sd(rounds)?);
    let n = rounds.len() as f64;
    if mean == 0.0 {
        return Some(TTest { t: 0.0, p: 1.0 });
    }
    let t = mean / (sd / n.sqrt());
    Some(TTest {
        t,
        p: t_two_sided(t, n - 1.0),
    })
}

/// p-value of Welch's two-sided t test that two independent samples have one mean (Welch, Biometrika 1947); `None` with
/// fewer than two values in one of them.
///
/// Here to show what comes of treating slices of one start as independent, never to judge by.
pub fn welch_test(a: &[f64], b: &[f64]) -> Option<f64> {
    let difference = mean(a)? - mean(b)?;
    let (in_a, in_b) = (variance(a)? / a.len() as f64, variance(b)? / b.len() as f64);
    let squared = in_a + in_b;
    if difference == 0.0 {
        return Some(1.0);
    }
    if squared == 0.0 {
        return Some(0.0);
    }
    // Degrees of freedom by Welch and Satterthwaite.
    let df = squared * squared / (in_a * in_a / (a.len() - 1) as f64 + in_b * in_b / (b.len() - 1) as f64);
    Some(t_two_sided(difference / squared.sqrt(), df))
}

/// The share of rounds whose sign is not that of their mean, 0 to 1; rounds of exactly 0 count as agreeing.
///
/// Above 0.3 the effect is small against the variation from start to start, and the report says so.
pub fn sign_disagreement(rounds: &[f64]) -> Option<f64> {
    let mean = mean(rounds)?;
    let against = rounds.iter().filter(|&&d| d * mean.signum() < 0.0).count();
    Some(against as f64 / rounds.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_round_has_no_interval() {
        assert_eq!(
            estimate(&[2.0], 0.95),
            Some(Estimate {
                value: 2.0,
                interval: None
            })
        );
        assert_eq!(estimate(&[], 0.95), None);
        assert_eq!(t_test(&[1.0]), None);
    }

    #[test]
    fn equal_rounds_give_no_nan() {
        assert_eq!(t_test(&[0.0, 0.0]), Some(TTest { t: 0.0, p: 1.0 }));
        assert_eq!(
            t_test(&[-0.1, -0.1]),
            Some(TTest {
                t: f64::NEG_INFINITY,
                p: 0.0
            })
        );
        let point = estimate(&[0.3; 4], 0.95).unwrap();
        assert_eq!(point.interval, Some(Interval { low: 0.3, high: 0.3 }));
        assert!(point.negated().exp().value < 1.0);
    }

    #[test]
    fn welch_of_the_sleep_data() {
        // R's `sleep` (Student, Biometrika 1908): t.test(extra ~ group) gives p = 0.07939.
        let one = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0];
        let two = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];
        let p = welch_test(&one, &two).unwrap();
        assert!((p - 0.07939).abs() < 5e-6, "{p}");
        assert_eq!(welch_test(&two, &one), Some(p));
        assert_eq!(welch_test(&[1.0, 1.0], &[2.0, 2.0]), Some(0.0));
        assert_eq!(welch_test(&[1.0, 1.0], &[1.0, 1.0]), Some(1.0));
        assert_eq!(welch_test(&[1.0], &one), None);
    }

    #[test]
    fn rounds_against_the_mean_are_counted() {
        assert_eq!(sign_disagreement(&[0.1, 0.2, -0.05, 0.1]), Some(0.25));
        assert_eq!(sign_disagreement(&[-0.1, -0.2, 0.05, 0.0]), Some(0.25));
    }
}
