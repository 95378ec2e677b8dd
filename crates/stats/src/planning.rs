//! How many rounds and pairs a question needs, before the run and while it runs.
//!
//! Two levels of variance, after Kalibera and Jones, *Rigorous Benchmarking in Reasonable Time*, ISMM 2013:
//! within a start (more pairs help) and from start to start (only more rounds help). Effects and standard
//! deviations are on the log scale: 0.03 is about 3 %.

use crate::distribution::normal_isf;
use crate::robust::{mean, variance};

/// A sequential test's cap in units of the rounds a fixed-n test would need.
pub const SEQUENTIAL_FACTOR: f64 = 1.3;

/// The fewest and most pairs per round that a plan may ask for.
pub const PAIRS: (usize, usize) = (6, 40);

/// The variance of rounds, taken apart; squared log units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Variances {
    /// `V_w`: variance of pair differences within a round, mean over rounds.
    pub within: f64,
    /// `V_D`: variance of the rounds' `D`.
    pub rounds: f64,
    /// `V_b`: what remains of `V_D` when `V_w / m` is taken off; not below 0.
    pub between: f64,
}

impl Variances {
    /// From the pair differences of each round and the rounds' `D`; `None` with fewer than two rounds or when
    /// no round has two pairs.
    ///
    /// Heavy-tailed slices make `V_w / m` overstate the noise that Hodges-Lehmann leaves, so `between` errs
    /// low and [`Variances::best_pairs`] high; its clamp is for that.
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

    /// `m*`: the pairs per round that resolve most per second, even and within [`PAIRS`].
    ///
    /// `sqrt(c_f V_w / (c_p V_b))`, with `round_seconds` = `c_f`, what start and warm-up of both arms cost,
    /// and `pair_seconds` = `c_p`, what one pair costs: twice slice and settle.
    pub fn best_pairs(self, round_seconds: f64, pair_seconds: f64) -> usize {
        let best = (round_seconds * self.within / (pair_seconds * self.between)).sqrt();
        // No variance between starts: as many pairs as allowed. 0/0 (no variance at all) ends here too.
        if !best.is_finite() {
            return PAIRS.1;
        }
        let even = 2.0 * (best / 2.0).round();
        even.clamp(PAIRS.0 as f64, PAIRS.1 as f64) as usize
    }

    /// The sd of `D` to expect with `m` pairs per round.
    pub fn sd_with(self, m: usize) -> f64 {
        (self.between + self.within / m.max(1) as f64).sqrt()
    }
}

/// The rounds a fixed-n test needs to call `effect` with chance `power`:
/// `(z_(1-alpha/2) + z_power)^2 sd^2 / effect^2 + 2`; the 2 makes up for the t distribution. Infinite for an effect of 0.
///
/// Rule to remember: 3 % at 1 % with power 95 % in about 10 rounds needs `sd <= 0.02`.
pub fn rounds_to_call(sd: f64, effect: f64, alpha: f64, power: f64) -> f64 {
    let z = normal_isf(alpha / 2.0) + normal_isf(1.0 - power);
    needed(sd, effect, z) + 2.0
}

/// The rounds a fixed-n test needs to show two identical arms to be the same within `margin` (0.02 = 2 %),
/// with chance 90 %: `10.8 sd^2 / delta^2`.
pub fn rounds_to_same(sd: f64, margin: f64) -> f64 {
    needed(sd, margin.ln_1p(), 2.0 * normal_isf(0.05))
}

fn needed(sd: f64, effect: f64, z: f64) -> f64 {
    // Without spread, or with an infinite effect, nothing is needed; 0/0 must not become NaN.
    if sd == 0.0 { 0.0 } else { (z * sd / effect).powi(2) }
}

/// The cap a sequential test needs where a fixed-n test needs `rounds`; at least the first look.
pub fn sequential_cap(rounds: f64) -> usize {
    // `as` saturates: an infinite need is the largest cap.
    ((SEQUENTIAL_FACTOR * rounds).ceil() as usize).max(crate::boundary::FIRST_LOOK)
}

/// The smallest effect that a sequential test with `cap` rounds calls with chance `power`; `None` below 3
/// rounds' worth, where no effect is small enough to plan with.
pub fn resolvable(sd: f64, cap: usize, alpha: f64, power: f64) -> Option<f64> {
    let rounds = cap as f64 / SEQUENTIAL_FACTOR - 2.0;
    let z = normal_isf(alpha / 2.0) + normal_isf(1.0 - power);
    (rounds >= 1.0).then(|| z * sd / rounds.sqrt())
}

/// What is asked of a comparison, for [`forecast`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Goal {
    /// The effect to be called, on the log scale.
    pub effect: f64,
    /// The margin of "same", relative (0.02 = 2 %).
    pub margin: f64,
    /// Two-sided error rate over all looks.
    pub alpha: f64,
    /// The chance of calling the effect, 0.95 by default.
    pub power: f64,
}

/// What to expect of a comparison whose rounds spread by `sd`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forecast {
    /// The smallest effect the cap resolves, on the log scale; `None` when the cap is too small for any.
    pub resolves: Option<f64>,
    /// Rounds in all to call the goal's effect.
    pub rounds_to_call: usize,
    /// Rounds in all to call two identical arms the same.
    pub rounds_to_same: usize,
    /// Rounds still to be run until both are reached: 0 when enough were run.
    pub rounds_left: usize,
}

/// The forecast after `k` rounds with standard deviation `sd` and at most `cap`.
///
/// Numbers of rounds are sequential caps: most runs end earlier. `sd` from fewer than six rounds is little
/// better than a guess.
pub fn forecast(sd: f64, k: usize, cap: usize, goal: Goal) -> Forecast {
    let to_call = sequential_cap(rounds_to_call(sd, goal.effect, goal.alpha, goal.power));
    let to_same = sequential_cap(rounds_to_same(sd, goal.margin));
    Forecast {
        resolves: resolvable(sd, cap, goal.alpha, goal.power),
        rounds_to_call: to_call,
        rounds_to_same: to_same,
        rounds_left: to_call.max(to_same).saturating_sub(k),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_the_method() {
        // 17.8 V / delta^2 + 2 and 10.8 V / delta^2.
        assert!((rounds_to_call(0.02, 0.02, 0.01, 0.95) - 19.81).abs() < 0.01);
        assert!((rounds_to_same(0.02, 0.02_f64.exp_m1()) - 10.82).abs() < 0.01);
        let ten = rounds_to_call(0.02, 0.03, 0.01, 0.95);
        assert!((9.5..10.5).contains(&ten), "{ten}");
    }

    #[test]
    fn the_example_of_the_method() {
        let noise = Variances {
            within: 0.14 * 0.14,
            rounds: 0.0,
            between: 0.0,
        };
        assert!((noise.sd_with(12) - 0.040).abs() < 0.001);
        assert!((noise.sd_with(40) - 0.022).abs() < 0.001);
        let rounds = rounds_to_call(noise.sd_with(12), 0.03, 0.01, 0.95);
        assert!((33.0..35.0).contains(&rounds));
        assert_eq!(noise.best_pairs(10.0, 1.2), 40);
    }

    #[test]
    fn pairs_are_even_and_clamped() {
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
            40
        );
    }

    #[test]
    fn variance_is_taken_apart() {
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
    fn what_a_cap_resolves_needs_that_cap() {
        let effect = resolvable(0.03, 26, 0.01, 0.95).unwrap();
        let rounds = SEQUENTIAL_FACTOR * rounds_to_call(0.03, effect, 0.01, 0.95);
        assert!((rounds - 26.0).abs() < 1e-9);
        assert_eq!(resolvable(0.03, 3, 0.01, 0.95), None);
    }

    #[test]
    fn the_forecast_counts_what_is_left() {
        let goal = Goal {
            effect: 0.03,
            margin: 0.02,
            alpha: 0.01,
            power: 0.95,
        };
        let forecast = forecast(0.02, 6, 20, goal);
        assert_eq!((forecast.rounds_to_call, forecast.rounds_to_same), (13, 15));
        assert_eq!(forecast.rounds_left, 9);
        assert_eq!(super::forecast(0.0, 6, 20, goal).rounds_left, 0);
        assert_eq!(
            super::forecast(0.02, 6, 20, Goal { effect: 0.0, ..goal }).rounds_to_call,
            usize::MAX
        );
    }
}
