//! The sign-flip permutation test over rounds, a check of the t test that assumes no distribution.
//!
//! If the two arms are the same, the `D` of each round is as likely to have the opposite sign (Fisher, *The
//! Design of Experiments*, 1935). When its p-value differs from the t test's by more than a factor of ten, a
//! few wild rounds dominate the mean, and the report prints both.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The largest number of rounds for which all `2^k` sign vectors are counted. For more rounds, [`DRAWS`] random
/// ones are.
pub const EXACT_UP_TO: usize = 14;

/// Number of random sign vectors for more than [`EXACT_UP_TO`] rounds.
pub const DRAWS: u32 = 20_000;

/// Two-sided p-value of "both signs are equally likely", from `D` of every round; 1 without rounds.
///
/// It is the share of sign vectors for which `|sum|` is at least `d`'s. A p-value below 0.01 needs at least 8
/// rounds. `seed` is used for more than [`EXACT_UP_TO`] rounds only; the observed vector is then counted as
/// one of the draws, so that p is never 0 (Phipson, Smyth, *Permutation p-values should never be zero*, 2010).
pub fn p_value(d: &[f64], seed: u64) -> f64 {
    // Sorted, so that neither the order of the rounds nor the choice of the baseline changes the draws.
    let mut sizes: Vec<f64> = d.iter().map(|value| value.abs()).collect();
    sizes.sort_unstable_by(f64::total_cmp);
    let observed = crate::robust::sum(d).abs();
    // A sum that differs from the observed one by rounding errors counts as equal to it.
    let threshold = observed - 1e-12 * sizes.iter().sum::<f64>();
    if sizes.len() <= EXACT_UP_TO {
        exact_p_value(&sizes, threshold)
    } else {
        sampled_p_value(&sizes, threshold, seed)
    }
}

/// The share of all sign vectors for which `|sum|` is at least `threshold`.
fn exact_p_value(sizes: &[f64], threshold: f64) -> f64 {
    let vectors = 1_u32 << sizes.len();
    let reaching = (0..vectors).filter(|&signs| signed_sum(sizes, signs).abs() >= threshold).count();
    reaching as f64 / f64::from(vectors)
}

/// An estimate of [`exact_p_value`] from random sign vectors.
fn sampled_p_value(sizes: &[f64], threshold: f64, seed: u64) -> f64 {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut reaching = 1_u32;
    for _ in 0..DRAWS {
        let sum: f64 = sizes.chunks(32).map(|chunk| signed_sum(chunk, rng.next_u32())).sum();
        reaching += u32::from(sum.abs() >= threshold);
    }
    f64::from(reaching) / f64::from(DRAWS + 1)
}

/// The sum of `sizes` (at most 32), where size `i` is negated if bit `i` of `signs` is set.
fn signed_sum(sizes: &[f64], signs: u32) -> f64 {
    let signed = |(bit, size): (usize, &f64)| if signs >> bit & 1 == 1 { -size } else { *size };
    sizes.iter().enumerate().map(signed).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_rounds_cannot_give_a_small_p_value() {
        assert_eq!(p_value(&[], 1), 1.0);
        assert_eq!(p_value(&[0.1; 7], 1), 2.0 / 128.0);
        assert_eq!(p_value(&[0.1; 8], 1), 2.0 / 256.0);
        assert_eq!(p_value(&[0.0; 9], 1), 1.0);
    }

    #[test]
    fn the_sampled_p_value_agrees_with_the_exact_one() {
        let d: Vec<f64> = (0..14).map(|i| f64::from(i % 5) * 0.01 - 0.014).collect();
        let sizes: Vec<f64> = d.iter().map(|v| v.abs()).collect();
        let threshold = d.iter().sum::<f64>().abs() - 1e-12;
        let exact = exact_p_value(&sizes, threshold);
        let sampled = sampled_p_value(&sizes, threshold, 7);
        assert!((exact - sampled).abs() < 0.02, "{exact} {sampled}");
    }

    #[test]
    fn the_p_value_depends_on_neither_the_order_nor_the_sign_of_the_rounds() {
        let d: Vec<f64> = (0..40).map(|i| f64::from(i) * 0.001 - 0.014).collect();
        let mut mirrored: Vec<f64> = d.iter().map(|v| -v).collect();
        mirrored.reverse();
        assert_eq!(p_value(&d, 3), p_value(&mirrored, 3));
        assert!(p_value(&d, 3) > 0.0);
    }
}
