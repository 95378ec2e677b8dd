//! The order of slices in a round: rows of random Latin squares, each followed by its mirror image. The mirror cancels
//! linear drift within a quad; the square cancels any fixed effect of position over its rows. For two arms the quads are
//! ABBA and BAAB, in random order and equally often.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;

/// The arm of each slice in a row and its mirror image. Each half holds every arm, so it gives one pair difference for
/// each.
pub(crate) type Quad = Vec<usize>;

/// The quads of one round: `pairs / 2` times the slices of `row` and their mirror image, in random order. A single pair is
/// a row without its mirror image.
pub(crate) fn quads(rng: &mut ChaCha8Rng, row: &[usize], pairs: u32) -> Vec<Quad> {
    if pairs == 1 {
        return latin_square(rng, row).into_iter().take(1).collect();
    }
    let wanted = pairs as usize / 2;
    let mut rows: Vec<Vec<usize>> = Vec::new();
    while rows.len() < wanted {
        rows.extend(latin_square(rng, row));
    }
    rows.truncate(wanted);
    let mirrored = |row: Vec<usize>| row.iter().chain(row.iter().rev()).copied().collect();
    rows.into_iter().map(mirrored).collect()
}

/// By how much longer the slices of each quad are than planned: 0.75 to 1.25 times. A JVM whose requests allocate equally much collects its
/// garbage after equally many of them. If slices were equally long, too, most collections could begin in the same part of a slice.
pub(crate) fn stretches(rng: &mut ChaCha8Rng, quads: usize) -> Vec<f64> {
    let uniform = |rng: &mut ChaCha8Rng| (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
    (0..quads).map(|_| 0.75 + 0.5 * uniform(rng)).collect()
}

/// As many rows as `row` is long; over all of them each of its slices is once in every position. It is the cyclic square
/// with rows, columns and slices in random order.
fn latin_square(rng: &mut ChaCha8Rng, row: &[usize]) -> Vec<Vec<usize>> {
    let n = row.len();
    let [rows, columns, slices] = [(); 3].map(|()| permutation(rng, n));
    let shifted = |shift: usize| columns.iter().map(|column| row[slices[(shift + column) % n]]).collect();
    rows.into_iter().map(shifted).collect()
}

/// A random order of the arms, for starting them.
pub(crate) fn permutation(rng: &mut ChaCha8Rng, arms: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..arms).collect();
    shuffle(rng, &mut order);
    order
}

/// The shuffle of Fisher and Yates. The remainder of 64 bits is biased by less than 1e-17 for lists this short.
fn shuffle<T>(rng: &mut ChaCha8Rng, items: &mut [T]) {
    for last in (1..items.len()).rev() {
        let other = (rng.next_u64() % (last as u64 + 1)) as usize;
        items.swap(last, other);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use judge::round_time::slice_row;
    use rand_chacha::rand_core::SeedableRng;

    fn order(seed: u64, row: &[usize], pairs: u32) -> Vec<Quad> {
        quads(&mut ChaCha8Rng::seed_from_u64(seed), row, pairs)
    }

    #[test]
    fn one_pair_is_a_row_in_random_order() {
        let first = |seed: u64| order(seed, &slice_row(2, 0), 1);
        assert!((0..20).all(|seed| first(seed).len() == 1 && first(seed)[0].len() == 2));
        assert!((0..20).any(|seed| first(seed) == [[0, 1]]) && (0..20).any(|seed| first(seed) == [[1, 0]]));
    }

    #[test]
    fn two_arms_have_quads_abba_and_baab_equally_often() {
        let quads = order(7, &slice_row(2, 0), 12);
        assert_eq!(quads.len(), 6);
        for kind in [[0, 1, 1, 0], [1, 0, 0, 1]] {
            assert_eq!(quads.iter().filter(|quad| **quad == kind).count(), 3);
        }
    }

    #[test]
    fn over_a_square_every_arm_is_in_every_position_and_each_quad_is_its_own_mirror() {
        for baseline in [0, 3] {
            let row = slice_row(4, baseline);
            let quads = order(3, &row, 2 * row.len() as u32);
            for position in 0..row.len() {
                let mut column: Vec<usize> = quads.iter().map(|quad| quad[position]).collect();
                column.sort_unstable();
                let mut all = row.clone();
                all.sort_unstable();
                assert_eq!(column, all);
            }
            for quad in quads {
                assert!(quad.iter().eq(quad.iter().rev()));
            }
        }
    }

    #[test]
    fn one_seed_is_one_order() {
        let row = slice_row(3, 0);
        assert_eq!(order(7, &row, 40), order(7, &row, 40));
        assert_ne!(order(7, &row, 40), order(8, &row, 40));
    }
}
