//! Statistics of one list of rounds: mean with t interval, t tests, share of rounds that contradict the mean.

use crate::distribution::{t_isf, t_two_sided};
use crate::interval::ConfidenceInterval;
use crate::robust::{mean, sd, variance};

/// An estimate with its interval; on the log scale until [`SampleEstimate::exp`] is applied.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SampleEstimate {
    /// The point estimate.
    pub value: f64,
    /// Its confidence interval; `None` when the data do not show the spread, as with fewer than two rounds.
    pub interval: Option<ConfidenceInterval>,
}

impl SampleEstimate {
    /// The estimate in the unit of the measure, from one on the log scale: of a mean of logarithms, the geometric
    /// mean.
    #[must_use]
    pub fn exp(self) -> Self {
        Self {
            value: self.value.exp(),
            interval: self.interval.map(ConfidenceInterval::exp),
        }
    }

    /// The estimate of the negated value: it turns a log value where larger is better into that of a cost.
    #[must_use]
    pub fn negated(self) -> Self {
        Self {
            value: -self.value,
            interval: self.interval.map(ConfidenceInterval::negated),
        }
    }
}

/// The mean of `rounds` (one log value per round of one arm) with Student's t interval at `confidence`, a
/// fraction; `None` without rounds.
///
/// The interval describes one arm. Whether two such intervals overlap says nothing about a difference between
/// the arms; use [`crate::sequential`] for that.
pub fn estimate(rounds: &[f64], confidence: f64) -> Option<SampleEstimate> {
    let value = mean(rounds)?;
    let n = rounds.len() as f64;
    let interval = sd(rounds).map(|sd| {
        let t = t_isf((1.0 - confidence) / 2.0, n - 1.0);
        ConfidenceInterval::around(value, t * sd / n.sqrt())
    });
    Some(SampleEstimate { value, interval })
}

/// The result of a t test of "the mean is 0".
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TTest {
    /// The statistic `mean / (sd / sqrt(n))`; infinite when all rounds have the same value and it is not 0.
    pub t: f64,
    /// Two-sided p-value. It is valid for a single test at a number of rounds fixed beforehand; repeated looks need
    /// [`crate::sequential`].
    pub p: f64,
}

/// One-sample t test (Student, Biometrika 1908) of "the mean of `rounds` is 0"; `None` below two rounds.
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

/// The p-value of Welch's two-sided t test of "two independent samples have the same mean" (Welch, Biometrika
/// 1947); `None` with fewer than two values in one of them.
///
/// No verdict uses it. The calibration shows with it how often a test is wrong that treats the slices of one start
/// as independent.
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

/// The share of rounds, 0 to 1, whose sign is opposite to that of their mean; `None` without rounds.
///
/// A share above 0.3 means that the effect is small compared with the variation from start to start.
pub fn sign_disagreement(rounds: &[f64]) -> Option<f64> {
    let mean = mean(rounds)?;
    let against = rounds.iter().filter(|&&d| d * mean.signum() < 0.0).count();
    Some(against as f64 / rounds.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_round_has_no_interval() {
        assert_eq!(
            estimate(&[2.0], 0.95),
            Some(SampleEstimate {
                value: 2.0,
                interval: None
            })
        );
        assert_eq!(estimate(&[], 0.95), None);
        assert_eq!(t_test(&[1.0]), None);
    }

    #[test]
    fn equal_rounds_do_not_give_nan() {
        assert_eq!(t_test(&[0.0, 0.0]), Some(TTest { t: 0.0, p: 1.0 }));
        assert_eq!(
            t_test(&[-0.1, -0.1]),
            Some(TTest {
                t: f64::NEG_INFINITY,
                p: 0.0
            })
        );
        let point = estimate(&[0.3; 4], 0.95).unwrap();
        assert_eq!(point.interval, Some(ConfidenceInterval { low: 0.3, high: 0.3 }));
        assert!(point.negated().exp().value < 1.0);
    }

    #[test]
    fn welch_test_agrees_with_r_on_the_sleep_data() {
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
    fn rounds_with_the_opposite_sign_of_the_mean_are_counted() {
        assert_eq!(sign_disagreement(&[0.1, 0.2, -0.05, 0.1]), Some(0.25));
        assert_eq!(sign_disagreement(&[-0.1, -0.2, 0.05, 0.0]), Some(0.25));
    }
}
