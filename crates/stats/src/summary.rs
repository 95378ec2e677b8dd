//! Statistics of one list of rounds: mean with t interval, t tests, share of rounds that contradict the mean.

use crate::distribution::{normal_isf, t_isf, t_two_sided};
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
        Self { value: self.value.exp(), interval: self.interval.map(ConfidenceInterval::exp) }
    }

    /// The estimate of the negated value: it turns a log value where larger is better into the log of a cost.
    #[must_use]
    pub fn negated(self) -> Self {
        Self { value: -self.value, interval: self.interval.map(ConfidenceInterval::negated) }
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
    Some(TTest { t, p: t_two_sided(t, n - 1.0) })
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

/// A quantity of one arm, measured in several starts by counting samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CountedSample<'a> {
    /// Its values, one for each start.
    pub values: &'a [f64],
    /// The variance that each value has at least, because it is a sum of samples.
    pub least_variance: f64,
}

impl CountedSample<'_> {
    /// The variance of the mean; `None` with one start, which does not show how starts differ.
    fn variance_of_mean(self) -> Option<f64> {
        let spread = variance(self.values)?.max(self.least_variance);
        Some(spread / self.values.len() as f64)
    }
}

/// The difference of the means of two independent samples, `b - a`, with Welch's t interval (Welch, Biometrika 1947) at `confidence`, a
/// fraction; `None` without values. There is no interval where a sample has one value.
///
/// A few starts may agree by chance more closely than counted samples can. So no start is taken to vary less than its counting does.
pub fn difference(a: CountedSample<'_>, b: CountedSample<'_>, confidence: f64) -> Option<SampleEstimate> {
    let value = mean(b.values)? - mean(a.values)?;
    let variances = a.variance_of_mean().zip(b.variance_of_mean());
    let interval = variances.map(|(in_a, in_b)| {
        let squared = in_a + in_b;
        if squared == 0.0 {
            return ConfidenceInterval::around(value, 0.0);
        }
        // Degrees of freedom by Welch and Satterthwaite, each variance as a share of the sum: its square might be too small a number.
        let part = |variance: f64, n: usize| (variance / squared).powi(2) / (n - 1) as f64;
        let df = 1.0 / (part(in_a, a.values.len()) + part(in_b, b.values.len()));
        ConfidenceInterval::around(value, t_isf((1.0 - confidence) / 2.0, df) * squared.sqrt())
    });
    Some(SampleEstimate { value, interval })
}

/// The difference of the means of two samples that counting alone explains, with this confidence, a fraction: it needs no second start, and
/// says nothing about how starts differ.
pub fn counting_noise(a: CountedSample<'_>, b: CountedSample<'_>, confidence: f64) -> f64 {
    let of_mean = |sample: CountedSample<'_>| sample.least_variance / sample.values.len().max(1) as f64;
    normal_isf((1.0 - confidence) / 2.0) * (of_mean(a) + of_mean(b)).sqrt()
}

/// The share of rounds, 0 to 1, whose sign is opposite to their mean's; `None` without rounds.
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
        assert_eq!(estimate(&[2.0], 0.95), Some(SampleEstimate { value: 2.0, interval: None }));
        assert_eq!(estimate(&[], 0.95), None);
        assert_eq!(t_test(&[1.0]), None);
    }

    #[test]
    fn equal_rounds_do_not_give_nan() {
        assert_eq!(t_test(&[0.0, 0.0]), Some(TTest { t: 0.0, p: 1.0 }));
        assert_eq!(t_test(&[-0.1, -0.1]), Some(TTest { t: f64::NEG_INFINITY, p: 0.0 }));
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

    fn counted(values: &[f64], least_variance: f64) -> CountedSample<'_> {
        CountedSample { values, least_variance }
    }

    #[test]
    fn a_difference_has_the_interval_of_welchs_test() {
        // R's `sleep`: t.test(extra ~ group) gives a 95 % interval of -3.3654832 to 0.2054832.
        let one = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0];
        let two = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];
        let found = difference(counted(&two, 0.0), counted(&one, 0.0), 0.95).unwrap();
        let interval = found.interval.unwrap();
        assert!((found.value + 1.58).abs() < 1e-12);
        assert!((interval.low + 3.365_483_2).abs() < 1e-6, "{interval:?}");
        assert!((interval.high - 0.205_483_2).abs() < 1e-6, "{interval:?}");
    }

    #[test]
    fn starts_that_agree_too_well_keep_the_noise_of_counting() {
        let (a, b) = ([1.0, 1.0, 1.0], [1.1, 1.1, 1.1]);
        let width = |least| {
            let found = difference(counted(&a, least), counted(&b, least), 0.95).unwrap();
            found.interval.unwrap().width()
        };
        assert_eq!(width(0.0), 0.0);
        // Two means of three values with a variance of 0.01, t with 4 degrees of freedom.
        assert!((width(0.01) - 2.0 * 2.776_445 * (0.02_f64 / 3.0).sqrt()).abs() < 1e-6);
    }

    #[test]
    fn one_start_has_no_interval_but_counting_noise() {
        let (a, b) = (counted(&[2.0], 0.04), counted(&[3.0, 3.2], 0.05));
        let found = difference(a, b, 0.95).unwrap();
        assert!((found.value - 1.1).abs() < 1e-12 && found.interval.is_none());
        assert!((counting_noise(a, b, 0.95) - 1.959_964 * 0.065_f64.sqrt()).abs() < 1e-6);
        assert_eq!(difference(counted(&[], 0.0), b, 0.95), None);
    }

    #[test]
    fn rounds_with_the_opposite_sign_of_the_mean_are_counted() {
        assert_eq!(sign_disagreement(&[0.1, 0.2, -0.05, 0.1]), Some(0.25));
        assert_eq!(sign_disagreement(&[-0.1, -0.2, 0.05, 0.0]), Some(0.25));
    }
}
