//! The order of slices in a round: quads ABBA or BAAB by coin, which cancel linear drift and any fixed effect of position.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;

/// Four slices that compare one arm with the baseline: pairs (0,1) and (3,2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Quad {
    /// The arm compared with the baseline.
    pub(crate) against: usize,
    /// The arm of each slice.
    pub(crate) arms: [usize; 4],
}

/// The quads of one round: `pairs / 2` for every arm that is not the baseline, in random order.
pub(crate) fn quads(rng: &mut ChaCha8Rng, arms: usize, baseline: usize, pairs: u32) -> Vec<Quad> {
    let others = (0..arms).filter(|arm| *arm != baseline);
    let mut quads: Vec<Quad> = others
        .flat_map(|against| std::iter::repeat_n(against, pairs as usize / 2))
        .map(|against| {
            let (a, b) = if coin(rng) {
                (baseline, against)
            } else {
                (against, baseline)
            };
            Quad {
                against,
                arms: [a, b, b, a],
            }
        })
        .collect();
    shuffle(rng, &mut quads);
    quads
}

/// A random order of the arms, for starting them.
pub(crate) fn permutation(rng: &mut ChaCha8Rng, arms: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..arms).collect();
    shuffle(rng, &mut order);
    order
}

fn coin(rng: &mut ChaCha8Rng) -> bool {
    rng.next_u32() & 1 == 1
}

/// Fisher and Yates. A remainder of 64 bits is biased by less than 1e-17 for lists this short.
fn shuffle<T>(rng: &mut ChaCha8Rng, items: &mut [T]) {
    for last in (1..items.len()).rev() {
        let other = (rng.next_u64() % (last as u64 + 1)) as usize;
        items.swap(last, other);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_chacha::rand_core::SeedableRng;

    #[test]
    fn every_arm_meets_the_baseline_equally_often_in_balanced_quads() {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let quads = quads(&mut rng, 3, 1, 8);
        assert_eq!(quads.len(), 8);
        for against in [0, 2] {
            assert_eq!(quads.iter().filter(|quad| quad.against == against).count(), 4);
        }
        for quad in &quads {
            assert_eq!((quad.arms[0], quad.arms[1]), (quad.arms[3], quad.arms[2]));
            assert!(quad.arms.contains(&1) && quad.arms.contains(&quad.against));
        }
    }

    #[test]
    fn one_seed_is_one_order_and_the_coin_falls_both_ways() {
        let order = |seed| quads(&mut ChaCha8Rng::seed_from_u64(seed), 2, 0, 40);
        assert_eq!(order(7), order(7));
        assert_ne!(order(7), order(8));
        let first = order(7).iter().filter(|quad| quad.arms[0] == 0).count();
        assert!((3..=17).contains(&first), "{first} of 20");
    }
}
