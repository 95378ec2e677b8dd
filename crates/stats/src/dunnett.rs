//! The level of each of several tests that share a baseline.

use crate::distribution::{normal_cdf, normal_isf};
use std::f64::consts::TAU;

/// Where the integral over the common part of the statistics ends, in standard deviations.
const REACH: f64 = 6.0;
/// The steps of the integral. The integrand is smooth, so that the trapezoidal rule is exact to 1e-9 with so many.
const STEPS: u32 = 32;

/// The two-sided level at which each of `tests` has to be tested so that they reject falsely with probability `level` together, where
/// any two of their statistics have the correlation `correlation`, 0 to 1, because all compare with one baseline (Dunnett, *A multiple
/// comparison procedure for comparing several treatments with a control*, JASA 1955). With a correlation of 0 it is Šidák's level.
///
/// The statistics are taken to be normal. Each test of a run has a variance of its own, which only lowers their dependence in the tails: the
/// simulation in `tests/it/family.rs` has it.
pub(crate) fn level_of_each(tests: usize, correlation: f64, level: f64) -> f64 {
    if tests < 2 {
        return level;
    }
    // What the tests spend together is nearly proportional to the level of each, so this converges within a few steps.
    let mut each = level / tests as f64;
    for _ in 0..12 {
        let step = level / any_rejects(tests, correlation, each);
        each *= step;
        if (step - 1.0).abs() < 1e-9 {
            break;
        }
    }
    each
}

/// The probability that at least one of the tests rejects at the two-sided level `each`.
fn any_rejects(tests: usize, correlation: f64, each: f64) -> f64 {
    let critical = normal_isf(each / 2.0);
    let (common, own) = (correlation.sqrt(), (1.0 - correlation).sqrt());
    let width = 2.0 * REACH / f64::from(STEPS);
    let none_rejects = |u: f64| {
        let within = |end: f64| normal_cdf((end + common * u) / own);
        (within(critical) - within(-critical)).powi(tests as i32)
    };
    let steps = (0..=STEPS).map(|step| {
        let u = f64::from(step) * width - REACH;
        (-0.5 * u * u).exp() / TAU.sqrt() * none_rejects(u) * width
    });
    1.0 - steps.sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_agree_with_dunnetts_table() {
        // Dunnett's two-sided critical values at 5 % for a correlation of 0.5 and infinitely many degrees of freedom: 2.21, 2.35, 2.51.
        for (tests, critical) in [(2, 2.21), (3, 2.35), (5, 2.51)] {
            let found = normal_isf(level_of_each(tests, 0.5, 0.05) / 2.0);
            assert!((found - critical).abs() < 0.006, "{tests}: {found}");
        }
    }

    #[test]
    fn without_correlation_it_is_the_level_of_sidak() {
        let found = level_of_each(3, 0.0, 0.05);
        assert!((found - (1.0 - 0.95_f64.powf(1.0 / 3.0))).abs() < 1e-7, "{found}");
        assert_eq!(level_of_each(1, 0.5, 0.05), 0.05);
        assert_eq!(level_of_each(0, 0.5, 0.05), 0.05);
    }
}
