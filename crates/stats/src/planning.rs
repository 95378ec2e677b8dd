//! Numbers of rounds and pairs that a question needs, estimated before a run and while it runs.
//!
//! Variance has two levels (Kalibera, Jones, *Rigorous Benchmarking in Reasonable Time*, ISMM 2013): within a
//! start, which more pairs reduce, and from start to start, which only more rounds reduce. Effects and standard
//! deviations are on the log scale: 0.03 is about 3 %.

use crate::distribution::normal_isf;
use crate::robust::{mean, variance};
use crate::sequential::EQUIVALENCE_ALPHA;
use crate::spending::FIRST_LOOK;

/// The fewest and the most pairs per round that [`Variances::best_pairs`] recommends.
pub const PAIRS: (usize, usize) = (6, 100);

/// The components of the variance of the rounds' `D`, on the squared log scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Variances {
    /// `V_w`: the variance of pair differences within a round, averaged over rounds.
    pub within: f64,
    /// `V_D`: the variance of the rounds' `D`.
    pub rounds: f64,
    /// `V_b = V_D - V_w / m` for `m` pairs per round, the variance from start to start; at least 0.
    pub between: f64,
}

impl Variances {
    /// Estimates the components from the pair differences of each round and from the rounds' `D`; `None` with fewer
    /// than two rounds or when no round has two pairs.
    ///
    /// `D` is the mean of the pair differences ([`crate::pairing::row_differences`]), so `V_w / m` is its variance within a
    /// round as far as pairs are independent.
    pub fn of(pairs: &[&[f64]], d: &[f64]) -> Option<Self> {
        let within: Vec<f64> = pairs.iter().filter_map(|round| variance(round)).collect();
        let sizes: Vec<f64> = pairs.iter().map(|round| round.len() as f64).collect();
        let (within, m) = (mean(&within)?, mean(&sizes)?);
        let rounds = variance(d)?;
        Some(Self { within, rounds, between: (rounds - within / m).max(0.0) })
    }

    /// The number of pairs per round that gives the smallest standard error for the time spent: even, and within
    /// [`PAIRS`].
    ///
    /// `m* = sqrt(c_f V_w / (c_p V_b))` (Kalibera, Jones 2013), rounded to an even number. `round_seconds` is
    /// `c_f`, the time that start and warm-up of both arms take; `pair_seconds` is `c_p`, the time of one pair: two
    /// slices with the pause before each.
    pub fn best_pairs(self, round_seconds: f64, pair_seconds: f64) -> usize {
        let best = (round_seconds * self.within / (pair_seconds * self.between)).sqrt();
        // Without variance between starts the best number is unlimited; without any variance it is 0/0.
        if !best.is_finite() {
            return PAIRS.1;
        }
        let even = 2.0 * (best / 2.0).round();
        even.clamp(PAIRS.0 as f64, PAIRS.1 as f64) as usize
    }

    /// The standard deviation of `D` to be expected with `m` pairs per round, on the log scale.
    pub fn sd_with(self, m: usize) -> f64 {
        (self.between + self.within / m.max(1) as f64).sqrt()
    }
}

/// The number of starts with which a test at the two-sided error rate `alpha` detects `effect` with probability `power`, when the starts
/// have the standard deviation `sd`; infinite for an effect of 0.
///
/// `(z_(1-alpha/2) + z_power)^2 sd^2 / effect^2 + z_(1-alpha/2)^2 / 2`, where the last term allows for the t distribution in place of the
/// normal one (Guenther, *Sample size formulas for normal theory t tests*, The American Statistician 1981).
pub fn starts_to_call(sd: f64, effect: f64, alpha: f64, power: f64) -> f64 {
    let z = normal_isf(alpha / 2.0);
    needed_starts(sd, effect, z + normal_isf(1.0 - power)) + z * z / 2.0
}

/// The number of starts with which two identical arms are shown to be the same within `margin` (0.02 = 2 %), with probability 90 %.
pub fn starts_to_same(sd: f64, margin: f64) -> f64 {
    let z = normal_isf(EQUIVALENCE_ALPHA / 2.0);
    needed_starts(sd, margin.ln_1p(), 2.0 * z) + z * z / 2.0
}

/// The number of starts after which `effect` is `z` standard errors: `(z sd / effect)^2`.
fn needed_starts(sd: f64, effect: f64, z: f64) -> f64 {
    // Without spread no start is needed; with an effect of 0 as well, the formula would give NaN.
    if sd == 0.0 { 0.0 } else { (z * sd / effect).powi(2) }
}

/// So many starts as a whole number, at least [`FIRST_LOOK`]. An infinite number gives the largest `usize`.
pub fn whole_starts(starts: f64) -> usize {
    (starts.ceil() as usize).max(FIRST_LOOK)
}

/// The smallest effect, on the log scale, that a test of `starts` starts detects with probability `power`; `None` where they are too few
/// for the formula of [`starts_to_call`].
pub fn resolvable(sd: f64, starts: usize, alpha: f64, power: f64) -> Option<f64> {
    let z = normal_isf(alpha / 2.0);
    let normal = starts as f64 - z * z / 2.0;
    (normal >= 1.0).then(|| (z + normal_isf(1.0 - power)) * sd / normal.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_starts_follow_guenther() {
        // (2.5758 + 1.6449)^2 + 2.5758^2 / 2 and (2 * 1.6449)^2 + 1.6449^2 / 2.
        assert!((starts_to_call(0.02, 0.02, 0.01, 0.95) - 21.13).abs() < 0.01);
        assert!((starts_to_same(0.02, 0.02_f64.exp_m1()) - 12.18).abs() < 0.01);
        assert_eq!(whole_starts(starts_to_call(0.02, 0.0, 0.01, 0.95)), usize::MAX);
        assert_eq!(whole_starts(starts_to_call(0.0, 0.1, 0.05, 0.95)), FIRST_LOOK);
    }

    #[test]
    fn the_best_number_of_pairs_is_even_and_within_its_limits() {
        let noise = |between| Variances { within: 0.0025, rounds: 0.0, between };
        // sqrt(18 * 25 / (1.2 * 1.6)) = 15.3
        assert_eq!(noise(0.00016).best_pairs(18.0, 1.2), 16);
        assert_eq!(noise(1.0).best_pairs(18.0, 1.2), 6);
        assert_eq!(Variances { within: 0.0, rounds: 0.0, between: 0.0 }.best_pairs(18.0, 1.2), 100);
    }

    #[test]
    fn variance_is_split_into_its_components() {
        let pairs: [&[f64]; 2] = [&[0.0, 2.0], &[4.0, 6.0]];
        let parts = Variances::of(&pairs, &[1.0, 5.0]).unwrap();
        assert_eq!(parts, Variances { within: 2.0, rounds: 8.0, between: 7.0 });
        assert_eq!(Variances::of(&pairs, &[1.0]), None);
        assert_eq!(Variances::of(&[&[0.1]], &[1.0, 2.0]), None);
    }

    #[test]
    fn the_smallest_detectable_effect_of_a_plan_needs_exactly_its_starts() {
        let effect = resolvable(0.03, 26, 0.01, 0.95).unwrap();
        assert!((starts_to_call(0.03, effect, 0.01, 0.95) - 26.0).abs() < 1e-9);
        assert_eq!(resolvable(0.03, 4, 0.01, 0.95), None);
    }
}
