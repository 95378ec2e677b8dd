//! Numbers of rounds and pairs that a question needs, estimated before a run and while it runs.
//!
//! Variance has two levels (Kalibera, Jones, *Rigorous Benchmarking in Reasonable Time*, ISMM 2013): within a
//! start, which more pairs reduce, and from start to start, which only more rounds reduce. Effects and standard
//! deviations are on the log scale: 0.03 is about 3 %.

use crate::distribution::normal_isf;
use crate::robust::{mean, variance};
use crate::sequential::FEWEST_ROUNDS_FOR_SAME;

/// The cap of a sequential test, divided by the number of rounds that a fixed-n test of the same power needs.
pub const SEQUENTIAL_FACTOR: f64 = 1.3;

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
        Some(Self {
            within,
            rounds,
            between: (rounds - within / m).max(0.0),
        })
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

/// The number of rounds that a fixed-n test needs to detect `effect` with probability `power`, when the rounds have
/// the standard deviation `sd`; infinite for an effect of 0.
///
/// `(z_(1-alpha/2) + z_power)^2 sd^2 / effect^2 + 2`, where the 2 allows for the t distribution in place of the
/// normal one. For example, an `sd` of 0.02 needs about 10 rounds to detect 3 % at `alpha` = 0.01 with power 0.95.
pub fn rounds_to_call(sd: f64, effect: f64, alpha: f64, power: f64) -> f64 {
    let z = normal_isf(alpha / 2.0) + normal_isf(1.0 - power);
    needed_rounds(sd, effect, z) + 2.0
}

/// The number of rounds that a fixed-n test needs to show that two identical arms are the same within `margin` (0.02
/// = 2 %), with probability 90 %: `10.8 sd^2 / delta^2`, where `delta = ln(1 + margin)`.
pub fn rounds_to_same(sd: f64, margin: f64) -> f64 {
    needed_rounds(sd, margin.ln_1p(), 2.0 * normal_isf(0.05))
}

/// The number of rounds after which `effect` is `z` standard errors: `(z sd / effect)^2`.
fn needed_rounds(sd: f64, effect: f64, z: f64) -> f64 {
    // Without spread no round is needed; with an effect of 0 as well, the formula would give NaN.
    if sd == 0.0 { 0.0 } else { (z * sd / effect).powi(2) }
}

/// The cap of a sequential test that is as powerful as a fixed-n test with `rounds`; at least
/// [`crate::boundary::FIRST_LOOK`]. An infinite number gives the largest `usize`.
pub fn sequential_cap(rounds: f64) -> usize {
    ((SEQUENTIAL_FACTOR * rounds).ceil() as usize).max(crate::boundary::FIRST_LOOK)
}

/// The cap of a sequential test that shows two identical arms to be the same within `margin` with probability 90 %; at least
/// [`FEWEST_ROUNDS_FOR_SAME`], unlike a gate of that margin, which may pass earlier.
pub fn cap_to_same(sd: f64, margin: f64) -> usize {
    sequential_cap(rounds_to_same(sd, margin)).max(FEWEST_ROUNDS_FOR_SAME)
}

/// The smallest effect, on the log scale, that a sequential test with at most `cap` rounds detects with probability
/// `power`; `None` when the cap equals fewer than 3 rounds of a fixed-n test, for which the formula of
/// [`rounds_to_call`] has no meaning.
pub fn resolvable(sd: f64, cap: usize, alpha: f64, power: f64) -> Option<f64> {
    let rounds = cap as f64 / SEQUENTIAL_FACTOR - 2.0;
    let z = normal_isf(alpha / 2.0) + normal_isf(1.0 - power);
    (rounds >= 1.0).then(|| z * sd / rounds.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_rounds_match_the_figures_in_the_method() {
        // 17.8 V / delta^2 + 2 and 10.8 V / delta^2.
        assert!((rounds_to_call(0.02, 0.02, 0.01, 0.95) - 19.81).abs() < 0.01);
        assert!((rounds_to_same(0.02, 0.02_f64.exp_m1()) - 10.82).abs() < 0.01);
        let ten = rounds_to_call(0.02, 0.03, 0.01, 0.95);
        assert!((9.5..10.5).contains(&ten), "{ten}");
    }

    #[test]
    fn the_worked_example_in_the_method_is_reproduced() {
        let noise = Variances {
            within: 0.14 * 0.14,
            rounds: 0.0,
            between: 0.0,
        };
        assert!((noise.sd_with(12) - 0.040).abs() < 0.001);
        assert!((noise.sd_with(40) - 0.022).abs() < 0.001);
        let rounds = rounds_to_call(noise.sd_with(12), 0.03, 0.01, 0.95);
        assert!((33.0..35.0).contains(&rounds));
        assert_eq!(noise.best_pairs(10.0, 1.2), 100);
    }

    #[test]
    fn the_best_number_of_pairs_is_even_and_within_its_limits() {
        let noise = |between| Variances {
            within: 0.0025,
            rounds: 0.0,
            between,
        };
        // sqrt(18 * 25 / (1.2 * 1.6)) = 15.3
        assert_eq!(noise(0.00016).best_pairs(18.0, 1.2), 16);
        assert_eq!(noise(1.0).best_pairs(18.0, 1.2), 6);
        assert_eq!(
            Variances {
                within: 0.0,
                rounds: 0.0,
                between: 0.0
            }
            .best_pairs(18.0, 1.2),
            100
        );
    }

    #[test]
    fn variance_is_split_into_its_components() {
        let pairs: [&[f64]; 2] = [&[0.0, 2.0], &[4.0, 6.0]];
        let parts = Variances::of(&pairs, &[1.0, 5.0]).unwrap();
        assert_eq!(
            parts,
            Variances {
                within: 2.0,
                rounds: 8.0,
                between: 7.0
            }
        );
        assert_eq!(Variances::of(&pairs, &[1.0]), None);
        assert_eq!(Variances::of(&[&[0.1]], &[1.0, 2.0]), None);
    }

    #[test]
    fn the_smallest_detectable_effect_of_a_cap_needs_exactly_that_cap() {
        let effect = resolvable(0.03, 26, 0.01, 0.95).unwrap();
        let rounds = SEQUENTIAL_FACTOR * rounds_to_call(0.03, effect, 0.01, 0.95);
        assert!((rounds - 26.0).abs() < 1e-9);
        assert_eq!(resolvable(0.03, 3, 0.01, 0.95), None);
    }

    #[test]
    fn the_caps_of_a_typical_spread() {
        let call = |effect| sequential_cap(rounds_to_call(0.02, effect, 0.01, 0.95));
        assert_eq!((call(0.03), cap_to_same(0.02, 0.02)), (13, 15));
        assert_eq!((call(0.0), call(1.0)), (usize::MAX, 5));
        assert_eq!(cap_to_same(0.0, 0.02), FEWEST_ROUNDS_FOR_SAME);
    }
}
