//! The prior of [`crate::moderated`], learnt from earlier runs on machines of one class.
//!
//! Each run tells by how much its starts differed (the variance `s²` of `D`), and how much of it their windows explain (`v`). What is left
//! is the variance between starts. Its prior is an upper bound, because a prior that is too small calls equal arms different:
//!
//! - `between` is the upper 80 % bound of the mean of `s² − v` over the runs, by Student's t: `mean + t(0.2, n − 1) sd / √n`. It is never
//!   below a floor.
//! - `weight` is the `d0` of Smyth (*Linear models and empirical Bayes methods for assessing differential expression in microarray
//!   experiments*, Statistical Applications in Genetics and Molecular Biology 2004, section 6.2): the variance of
//!   `e = ln(s²/s0²) − ψ(d/2) + ln(d/2)` over the runs is `ψ'(d/2) + ψ'(d0/2)`, where `s0² = v + between` and `d` = starts − 1. It is never
//!   above the usual weight.
//!
//! One wild run, such as one of an arm with two modes, must not decide both. So each `s²` counts at most as the 99 % quantile of the F
//! distribution that the usual prior has for it, times the median of all `s²/s0²` where that is above 1 (winsorised, as in Phipson et
//! al. 2016).

use crate::distribution::{beta_quantile, t_isf};
use crate::moderated::Prior;
use crate::robust::{mean, median, sd, variance};
use crate::special::{digamma, trigamma, trigamma_inverse};

/// The fewest runs that a prior is learnt from.
pub const FEWEST_RUNS: usize = 30;
/// The error rate of the bound of the variance between starts, on its one side.
const BOUND: f64 = 0.2;
/// The quantile of the F distribution beyond which the variance of a run counts as that quantile.
const WILD: f64 = 0.99;

/// How the starts of an earlier run differed in one measure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunSpread {
    /// The variance of `D` over its starts.
    pub variance: f64,
    /// What their windows explain of it.
    pub within: f64,
    /// Its degrees of freedom: starts − 1.
    pub freedom: f64,
}

impl RunSpread {
    /// The variance of the starts that this prior expects.
    fn explained(&self, between: f64) -> f64 {
        self.within + between
    }

    /// The run with a variance that is at most what the usual prior makes likely, times `scale`.
    fn tamed(self, usual: Prior, scale: f64) -> Self {
        let share = beta_quantile(WILD, self.freedom / 2.0, usual.weight / 2.0);
        let most = usual.weight * share / (self.freedom * (1.0 - share));
        let variance = self.variance.min(scale * most * self.explained(usual.between));
        Self { variance, ..self }
    }
}

/// The prior by these runs; `None` for fewer than [`FEWEST_RUNS`]. `usual` is the prior without them, whose weight is the largest, and
/// `floor` the smallest variance between starts.
pub fn prior(runs: &[RunSpread], usual: Prior, floor: f64) -> Option<Prior> {
    let is_usable = |run: &&RunSpread| {
        run.variance > 0.0 && run.variance.is_finite() && run.within >= 0.0 && run.freedom >= 1.0
    };
    let usable: Vec<RunSpread> = runs.iter().filter(is_usable).copied().collect();
    if usable.len() < FEWEST_RUNS {
        return None;
    }
    let ratios: Vec<f64> = usable.iter().map(|run| run.variance / run.explained(usual.between)).collect();
    let scale = median(&ratios)?.max(1.0);
    let tamed: Vec<RunSpread> = usable.into_iter().map(|run| run.tamed(usual, scale)).collect();
    let between = upper_mean(&tamed)?.max(floor);
    Some(Prior { between, weight: weight(&tamed, between)?.min(usual.weight) })
}

/// The upper bound of the mean variance between starts.
fn upper_mean(runs: &[RunSpread]) -> Option<f64> {
    let excess: Vec<f64> = runs.iter().map(|run| run.variance - run.within).collect();
    let n = excess.len() as f64;
    Some(mean(&excess)? + t_isf(BOUND, n - 1.0) * sd(&excess)? / n.sqrt())
}

/// The degrees of freedom `d0` by the moments of the log variances; infinite where the variances of runs differ by no more than their own
/// degrees of freedom explain.
fn weight(runs: &[RunSpread], between: f64) -> Option<f64> {
    let logs: Vec<f64> = runs
        .iter()
        .map(|run| {
            let half = run.freedom / 2.0;
            (run.variance / run.explained(between)).ln() - digamma(half) + half.ln()
        })
        .collect();
    let own: Vec<f64> = runs.iter().map(|run| trigamma(run.freedom / 2.0)).collect();
    let left = variance(&logs)? - mean(&own)?;
    Some(match left > 0.0 {
        true => 2.0 * trigamma_inverse(left),
        false => f64::INFINITY,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const USUAL: Prior = Prior { between: 2e-4, weight: 6.0 };

    /// Runs of seven starts whose variances are the given multiples of what windows and `between` explain.
    fn runs(between: f64, multiples: &[f64]) -> Vec<RunSpread> {
        let run =
            |multiple: &f64| RunSpread { variance: multiple * (1e-4 + between), within: 1e-4, freedom: 6.0 };
        multiples.iter().map(run).collect()
    }

    /// The middles of 30 parts of equal probability of a chi-square variable of 6 degrees of freedom, over 6.
    fn chi_square() -> Vec<f64> {
        let survives = |x: f64| {
            let half = 3.0 * x;
            (-half).exp() * (1.0 + half + half * half / 2.0)
        };
        let quantile = |part: usize| {
            let p = 1.0 - (part as f64 + 0.5) / 30.0;
            let (mut low, mut high) = (0.0, 10.0);
            for _ in 0..60 {
                let middle = 0.5 * (low + high);
                if survives(middle) > p {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            low
        };
        (0..30).map(quantile).collect()
    }

    #[test]
    fn the_variance_between_starts_is_an_upper_bound_of_its_mean() {
        let multiples = chi_square();
        let learnt = prior(&runs(1e-4, &multiples), USUAL, 0.0).expect("30 runs");
        // By hand: t(0.2; 29) = 0.8542; the multiples have the mean and deviation of chi-square over 6.
        let (centre, deviation) = (mean(&multiples).expect("30"), sd(&multiples).expect("30"));
        let expected = 2e-4 * (centre + 0.854_2 * deviation / 30_f64.sqrt()) - 1e-4;
        assert!((learnt.between / expected - 1.0).abs() < 1e-4, "{learnt:?} {expected}");
        assert!((1e-4..1.4e-4).contains(&learnt.between), "{learnt:?}");
        assert_eq!(learnt.weight, 6.0, "runs differ by their own degrees of freedom alone");
    }

    #[test]
    fn runs_that_differ_more_have_less_weight() {
        let spread: Vec<f64> = chi_square().iter().map(|multiple| multiple.powf(2.2)).collect();
        let learnt = prior(&runs(1e-4, &spread), USUAL, 0.0).expect("30 runs");
        assert!((0.5..6.0).contains(&learnt.weight), "{learnt:?}");
    }

    #[test]
    fn fewer_than_thirty_runs_tell_nothing() {
        let multiples = chi_square();
        assert_eq!(prior(&runs(1e-4, &multiples[1..]), USUAL, 0.0), None);
        let mut unusable = runs(1e-4, &multiples);
        unusable[3].variance = 0.0;
        assert_eq!(prior(&unusable, USUAL, 0.0), None, "starts that do not differ");
    }

    #[test]
    fn starts_that_their_windows_explain_leave_the_floor() {
        let learnt = prior(&runs(-5e-5, &chi_square()), USUAL, 1.5e-4).expect("30 runs");
        assert_eq!(learnt.between, 1.5e-4);
    }

    #[test]
    fn a_wild_run_counts_like_one_that_is_only_unlikely() {
        let mut multiples = chi_square();
        let calm = prior(&runs(1e-4, &multiples), USUAL, 0.0).expect("30 runs");
        let with = |wild: f64, multiples: &mut Vec<f64>| {
            multiples[29] = wild;
            prior(&runs(1e-4, multiples), USUAL, 0.0).expect("30 runs")
        };
        let [large, larger] = [100.0, 10_000.0].map(|wild| with(wild, &mut multiples));
        assert_eq!(large, larger);
        assert!(large.between > calm.between && large.between < 4.0 * calm.between, "{large:?}");
    }
}
