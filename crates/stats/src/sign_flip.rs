//! The sign-flip permutation test over rounds: a second opinion that assumes no distribution.
//!
//! If the two arms are the same, each round's `D` could as well have had the other sign (Fisher 1935).
//! Printed beside the t test only when the two differ by more than a factor of ten: then a few wild rounds
//! rule the mean.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Up to this many rounds all `2^k` sign vectors are counted; beyond, [`DRAWS`] are drawn.
pub const EXACT_UP_TO: usize = 14;

/// Random sign vectors beyond [`EXACT_UP_TO`] rounds.
pub const DRAWS: u32 = 20_000;

/// Two-sided p-value of "the signs are arbitrary", from the rounds `d`; 1 without rounds.
///
/// The share of sign vectors whose `|sum|` reaches that of `d`. A p below 0.01 needs at least 8 rounds.
/// `seed` is used beyond [`EXACT_UP_TO`] only, where the seen vector is counted in so that p is never 0
/// (Phipson, Smyth 2010).
pub fn p_value(d: &[f64], seed: u64) -> f64 {
    // Sizes in a fixed order: neither the order of the rounds nor which arm is called B can change a draw.
    let mut sizes: Vec<f64> = d.iter().map(|value| value.abs()).collect();
    sizes.sort_unstable_by(f64::total_cmp);
    let seen = crate::robust::sum(d).abs();
    // A sum that differs from the seen one by rounding alone counts as equal to it.
    let bar = seen - 1e-12 * sizes.iter().sum::<f64>();
    if sizes.len() <= EXACT_UP_TO {
        exact(&sizes, bar)
    } else {
        sampled(&sizes, bar, seed)
    }
}

fn exact(sizes: &[f64], bar: f64) -> f64 {
    let vectors = 1_u32 << sizes.len();
    let reaching = (0..vectors)
        .filter(|&signs| signed_sum(sizes, signs).abs() >= bar)
        .count();
    reaching as f64 / f64::from(vectors)
}

fn sampled(sizes: &[f64], bar: f64, seed: u64) -> f64 {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut reaching = 1_u32;
    for _ in 0..DRAWS {
        let sum: f64 = sizes
            .chunks(32)
            .map(|chunk| signed_sum(chunk, rng.next_u32()))
            .sum();
        reaching += u32::from(sum.abs() >= bar);
    }
    f64::from(reaching) / f64::from(DRAWS + 1)
}

/// The sum of `sizes` (at most 32) with a minus where the bit of `signs` is set.
fn signed_sum(sizes: &[f64], signs: u32) -> f64 {
    let signed = |(bit, size): (usize, &f64)| if signs >> bit & 1 == 1 { -size } else { *size };
    sizes.iter().enumerate().map(signed).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_rounds_cannot_be_very_sure() {
        assert_eq!(p_value(&[], 1), 1.0);
        assert_eq!(p_value(&[0.1; 7], 1), 2.0 / 128.0);
        assert_eq!(p_value(&[0.1; 8], 1), 2.0 / 256.0);
        assert_eq!(p_value(&[0.0; 9], 1), 1.0);
    }

    #[test]
    fn drawing_agrees_with_counting() {
        let d: Vec<f64> = (0..14).map(|i| f64::from(i % 5) * 0.01 - 0.014).collect();
        let sizes: Vec<f64> = d.iter().map(|v| v.abs()).collect();
        let bar = d.iter().sum::<f64>().abs() - 1e-12;
        let (counted, drawn) = (exact(&sizes, bar), sampled(&sizes, bar, 7));
        assert!((counted - drawn).abs() < 0.02, "{counted} {drawn}");
    }

    #[test]
    fn the_seed_decides_and_the_order_does_not() {
        let d: Vec<f64> = (0..40).map(|i| f64::from(i) * 0.001 - 0.014).collect();
        let mut mirrored: Vec<f64> = d.iter().map(|v| -v).collect();
        mirrored.reverse();
        assert_eq!(p_value(&d, 3), p_value(&mirrored, 3));
        assert!(p_value(&d, 3) > 0.0);
    }
}
