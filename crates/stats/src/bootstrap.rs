//! Intervals of percentiles by a hierarchical bootstrap: it resamples starts, and seconds within each start.
//!
//! Davison, Hinkley, *Bootstrap Methods and their Application*, 1997, 3.8. A draw takes starts with
//! replacement, and within each of them blocks of one second with replacement; it adds up the bucket counts of
//! the blocks and reads the percentile. A stall lies inside one block, so it is drawn as the single event that
//! it is. When two arms are compared, the *same* starts and blocks are drawn for both, so that a disturbance
//! that hit both at the same time cancels.

use crate::interval::ConfidenceInterval;
use crate::summary::SampleEstimate;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;

/// The histogram of one second of one start: pairs `(value, count)` in any order, values in any unit.
pub type Block = Vec<(u64, u64)>;

/// Parameters of the bootstrap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Resampling {
    /// Number of draws.
    pub draws: usize,
    /// Seed of the random draws.
    pub seed: u64,
    /// Confidence of the intervals, a fraction (0.95).
    pub confidence: f64,
}

impl Resampling {
    /// The default parameters: 1000 draws and a confidence of 95 %, with this seed.
    pub fn with_seed(seed: u64) -> Self {
        Self { draws: 1000, seed, confidence: 0.95 }
    }

    /// The bootstrap percentile interval from the values of all draws (Davison, Hinkley, 5.3.1); `None` without
    /// values. An infinite value can make an end infinite.
    pub(crate) fn interval(self, mut values: Vec<f64>) -> Option<ConfidenceInterval> {
        values.sort_unstable_by(f64::total_cmp);
        let last = values.len().checked_sub(1)?;
        let tail = (1.0 - self.confidence) / 2.0 * last as f64;
        // Rounded outwards: with few draws the interval becomes wider, not narrower.
        Some(ConfidenceInterval {
            low: values[tail.floor() as usize],
            high: values[last - tail.floor() as usize],
        })
    }
}

/// The percentiles `qs` (fractions) of one arm, each with its interval, in the unit of the values.
///
/// `starts[i][b]` is block `b` of start `i`. `None` when nothing was recorded.
pub fn percentiles(starts: &[Vec<Block>], qs: &[f64], how: Resampling) -> Option<Vec<SampleEstimate>> {
    let arm = Buckets::new(starts)?;
    let sizes: Vec<usize> = starts.iter().map(Vec::len).collect();
    let mut draws = vec![Vec::with_capacity(how.draws); qs.len()];
    let mut resampler = Resampler::new(how.seed, &sizes)?;
    for _ in 0..how.draws {
        // A draw in which all blocks are empty has no percentile.
        let Some(sum) = arm.sum(resampler.draw()) else {
            continue;
        };
        for (values, q) in draws.iter_mut().zip(qs) {
            values.push(arm.quantile(&sum, *q));
        }
    }
    let observed = arm.sum(&resampler.each_block_once())?;
    let estimate = |(values, q): (Vec<f64>, &f64)| SampleEstimate {
        value: arm.quantile(&observed, *q),
        interval: how.interval(values),
    };
    Some(draws.into_iter().zip(qs).map(estimate).collect())
}

/// `ln(q_arm / q_baseline)` at each of `qs` (fractions), with its interval; **positive = the arm is slower**.
///
/// `None` when one arm recorded nothing or the arms have different numbers of starts. When one arm has more
/// blocks in a start, as happens at the edges of a window, the last ones are left out: a draw must take the
/// same second of both arms.
pub fn percentile_ratios(
    baseline: &[Vec<Block>],
    arm: &[Vec<Block>],
    qs: &[f64],
    how: Resampling,
) -> Option<Vec<SampleEstimate>> {
    if baseline.len() != arm.len() {
        return None;
    }
    let sizes: Vec<usize> = baseline.iter().zip(arm).map(|(a, b)| a.len().min(b.len())).collect();
    let (a, b) = (Buckets::new(baseline)?, Buckets::new(arm)?);
    let ratio = |a_sum: &[u64], b_sum: &[u64], q| (b.quantile(b_sum, q) / a.quantile(a_sum, q)).ln();
    let mut draws = vec![Vec::with_capacity(how.draws); qs.len()];
    let mut resampler = Resampler::new(how.seed, &sizes)?;
    for _ in 0..how.draws {
        let weights = resampler.draw();
        let (Some(a_sum), Some(b_sum)) = (a.sum(weights), b.sum(weights)) else {
            continue;
        };
        for (values, q) in draws.iter_mut().zip(qs) {
            values.push(ratio(&a_sum, &b_sum, *q));
        }
    }
    let once = resampler.each_block_once();
    let (a_observed, b_observed) = (a.sum(&once)?, b.sum(&once)?);
    let estimate = |(values, q): (Vec<f64>, &f64)| SampleEstimate {
        value: ratio(&a_observed, &b_observed, *q),
        interval: how.interval(values),
    };
    Some(draws.into_iter().zip(qs).map(estimate).collect())
}

/// How often a draw contains each block, indexed `[start][block]`.
type Weights = Vec<Vec<u64>>;

/// Draws starts with replacement, and as many blocks of each as it has.
struct Resampler {
    rng: ChaCha8Rng,
    weights: Weights,
}

impl Resampler {
    /// A resampler of starts with `sizes[i]` blocks in start `i`; `None` when there is no block at all.
    fn new(seed: u64, sizes: &[usize]) -> Option<Self> {
        let weights = sizes.iter().map(|&blocks| vec![0; blocks]).collect();
        sizes.iter().any(|&blocks| blocks > 0).then(|| Self { rng: ChaCha8Rng::seed_from_u64(seed), weights })
    }

    /// The next draw, valid until the one after it.
    fn draw(&mut self) -> &Weights {
        for start in &mut self.weights {
            start.fill(0);
        }
        let starts = self.weights.len();
        for _ in 0..starts {
            let start = &mut self.weights[self.rng.random_range(0..starts)];
            let blocks = start.len();
            for _ in 0..blocks {
                start[self.rng.random_range(0..blocks)] += 1;
            }
        }
        &self.weights
    }

    /// The weights of the observed data: every block once.
    fn each_block_once(&self) -> Weights {
        self.weights.iter().map(|start| vec![1; start.len()]).collect()
    }
}

/// The blocks of one arm with values replaced by indices into one sorted list of values. Adding up blocks is
/// then addition into a vector instead of a map, which thousands of draws need.
struct Buckets {
    /// All values that occur, rising.
    values: Vec<u64>,
    /// `starts[i][b]` lists `(index into values, count)` of block `b` of start `i`.
    starts: Vec<Vec<Vec<(usize, u64)>>>,
}

impl Buckets {
    /// `None` when no value was recorded.
    fn new(starts: &[Vec<Block>]) -> Option<Self> {
        let cells = starts.iter().flatten().flatten();
        let mut indices: BTreeMap<u64, usize> =
            cells.filter(|cell| cell.1 > 0).map(|cell| (cell.0, 0)).collect();
        for (position, index) in indices.values_mut().enumerate() {
            *index = position;
        }
        // A block that was recorded by many event loops has the same value many times. Each draw takes as long as there are cells,
        // so equal values are added up here, once.
        let compact = |block: &Block| -> Vec<(usize, u64)> {
            let mut counts = BTreeMap::new();
            for cell in block.iter().filter(|cell| cell.1 > 0) {
                *counts.entry(indices[&cell.0]).or_default() += cell.1;
            }
            counts.into_iter().collect()
        };
        let starts = starts.iter().map(|blocks| blocks.iter().map(compact).collect()).collect();
        let values: Vec<u64> = indices.keys().copied().collect();
        (!values.is_empty()).then_some(Self { values, starts })
    }

    /// The count of each value over a draw; `None` when the draw contains no value at all.
    fn sum(&self, weights: &Weights) -> Option<Vec<u64>> {
        let mut sum = vec![0; self.values.len()];
        for (blocks, weights) in self.starts.iter().zip(weights) {
            for (block, &weight) in blocks.iter().zip(weights).filter(|drawn| *drawn.1 > 0) {
                for &(index, count) in block {
                    sum[index] += weight * count;
                }
            }
        }
        sum.iter().any(|&count| count > 0).then_some(sum)
    }

    /// The smallest value with a share of at least `q` of the counts at or below it. A value of 0 is returned
    /// as 1, because ratios need its logarithm.
    fn quantile(&self, sum: &[u64], q: f64) -> f64 {
        let total: u64 = sum.iter().sum();
        let rank = ((q * total as f64).ceil() as u64).clamp(1, total);
        let mut below = 0;
        let reached = sum.iter().position(|count| {
            below += count;
            below >= rank
        });
        self.values[reached.unwrap_or(self.values.len() - 1)].max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOW: Resampling = Resampling { draws: 300, seed: 11, confidence: 0.95 };

    #[test]
    fn a_value_that_occurs_twice_in_a_block_is_one_cell() {
        let twice: Block = vec![(7, 2), (5, 1), (7, 3), (9, 0)];
        let buckets = Buckets::new(&[vec![twice]]).unwrap();
        assert_eq!(buckets.values, [5, 7]);
        assert_eq!(buckets.starts, [[[(0, 1), (1, 5)]]]);
    }

    /// Five starts of six blocks; every third block holds a stall of `stall`, the rest values near 100.
    fn stalling(stall: u64) -> Vec<Vec<Block>> {
        let block = |start: u64, b: u64| {
            let mut cells: Block = (0..20).map(|i| (95 + start + i, 10)).collect();
            if b.is_multiple_of(3) {
                cells.push((stall, 20));
            }
            cells
        };
        (0..5).map(|start| (0..6).map(|b| block(start, b)).collect()).collect()
    }

    #[test]
    fn percentiles_are_read_from_the_merged_blocks() {
        let one = vec![vec![vec![(1, 50), (2, 40)], vec![(9, 10)]]];
        let [p50, p90, p91] = percentiles(&one, &[0.5, 0.9, 0.91], HOW).unwrap()[..] else { panic!() };
        assert_eq!((p50.value, p90.value, p91.value), (1.0, 2.0, 9.0));
        let interval = p50.interval.unwrap();
        assert_eq!((interval.low, interval.high), (1.0, 9.0));
    }

    #[test]
    fn the_interval_of_a_tail_percentile_is_far_wider_than_that_of_the_median() {
        let [p50, p97] = percentiles(&stalling(10_000), &[0.5, 0.97], HOW).unwrap()[..] else { panic!() };
        assert!(p50.interval.unwrap().exp().contains(p50.value.exp()) && p50.interval.unwrap().width() < 5.0);
        assert!(p97.interval.unwrap().width() > 5000.0);
    }

    #[test]
    fn a_stall_of_both_arms_in_the_same_second_cancels_in_the_ratio() {
        let same = percentile_ratios(&stalling(10_000), &stalling(10_000), &[0.5, 0.97], HOW).unwrap();
        assert!(same.iter().all(|e| e.value == 0.0 && e.interval.unwrap().width() == 0.0));
        let slower = percentile_ratios(&stalling(10_000), &stalling(20_000), &[0.97], HOW).unwrap()[0];
        assert!((slower.value - 2_f64.ln()).abs() < 1e-12);
    }

    #[test]
    fn without_recorded_values_there_is_no_estimate() {
        assert_eq!(percentiles(&[], &[0.5], HOW), None);
        assert_eq!(percentiles(&[vec![]], &[0.5], HOW), None);
        assert_eq!(percentiles(&[vec![vec![(7, 0)]]], &[0.5], HOW), None);
        assert_eq!(percentile_ratios(&stalling(9), &stalling(9)[1..], &[0.5], HOW), None);
    }

    #[test]
    fn equal_seeds_give_equal_estimates() {
        let run = |seed| percentiles(&stalling(999), &[0.97], Resampling { seed, ..HOW });
        assert_eq!(run(1), run(1));
        assert_eq!(Resampling::with_seed(3).draws, 1000);
    }
}
