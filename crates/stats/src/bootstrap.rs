//! Intervals of percentiles by resampling whole starts, then whole seconds.
//!
//! Hierarchical bootstrap (Davison, Hinkley, *Bootstrap Methods and their Application*, 3.8): draw starts
//! with replacement, inside each draw blocks of one second, add up the bucket counts, read the percentile. A
//! stall stays inside its block, so it is drawn as the one event it is. For two arms the *same* starts and
//! blocks are drawn: what hit both at once cancels.

use crate::interval::Interval;
use crate::summary::Estimate;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;

/// Bucket counts of one block of one second: `(value, count)`, values in any unit, in any order.
pub type Block = Vec<(u64, u64)>;

/// How to resample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Resampling {
    /// Number of draws, 1000 by default.
    pub draws: usize,
    /// Seed of the draws.
    pub seed: u64,
    /// Confidence of the intervals, a fraction.
    pub confidence: f64,
}

impl Resampling {
    /// 1000 draws, 95 %.
    pub fn with_seed(seed: u64) -> Self {
        Self {
            draws: 1000,
            seed,
            confidence: 0.95,
        }
    }

    /// The percentile interval of what the draws gave; `None` without draws. An infinite draw makes an end
    /// infinite.
    pub(crate) fn interval(self, mut values: Vec<f64>) -> Option<Interval> {
        values.sort_unstable_by(f64::total_cmp);
        let last = values.len().checked_sub(1)?;
        let tail = (1.0 - self.confidence) / 2.0 * last as f64;
        // Outwards: with few draws the interval gets wider, not narrower.
        Some(Interval {
            low: values[tail.floor() as usize],
            high: values[last - tail.floor() as usize],
        })
    }
}

/// The percentiles `qs` (fractions) of one arm, each with its interval, in the unit of the values.
///
/// `starts[i][b]` is block `b` of start `i`. `None` when nothing was recorded.
pub fn percentiles(starts: &[Vec<Block>], qs: &[f64], how: Resampling) -> Option<Vec<Estimate>> {
    let arm = Arm::of(starts)?;
    let sizes: Vec<usize> = starts.iter().map(Vec::len).collect();
    let mut draws = vec![Vec::with_capacity(how.draws); qs.len()];
    let mut plan = Draws::new(how.seed, &sizes)?;
    for _ in 0..how.draws {
        // A draw of blocks that were all empty says nothing.
        let Some(sum) = arm.sum(plan.next()) else { continue };
        for (values, q) in draws.iter_mut().zip(qs) {
            values.push(arm.quantile(&sum, *q));
        }
    }
    let whole = arm.sum(&plan.once())?;
    let estimate = |(values, q): (Vec<f64>, &f64)| Estimate {
        value: arm.quantile(&whole, *q),
        interval: how.interval(values),
    };
    Some(draws.into_iter().zip(qs).map(estimate).collect())
}

/// `ln(q_arm / q_baseline)` at each of `qs`, with its interval; **positive = the arm is slower**.
///
/// `None` when nothing was recorded or the arms have unlike numbers of starts. Where one arm has a block more
/// in a start, as happens at the edges, it is left out: a draw must mean the same second for both.
pub fn percentile_ratios(
    baseline: &[Vec<Block>],
    arm: &[Vec<Block>],
    qs: &[f64],
    how: Resampling,
) -> Option<Vec<Estimate>> {
    if baseline.len() != arm.len() {
        return None;
    }
    let sizes: Vec<usize> = baseline
        .iter()
        .zip(arm)
        .map(|(a, b)| a.len().min(b.len()))
        .collect();
    let (a, b) = (Arm::of(baseline)?, Arm::of(arm)?);
    let ratio = |a_sum: &[u64], b_sum: &[u64], q| (b.quantile(b_sum, q) / a.quantile(a_sum, q)).ln();
    let mut draws = vec![Vec::with_capacity(how.draws); qs.len()];
    let mut plan = Draws::new(how.seed, &sizes)?;
    for _ in 0..how.draws {
        let weights = plan.next();
        let (Some(a_sum), Some(b_sum)) = (a.sum(weights), b.sum(weights)) else {
            continue;
        };
        for (values, q) in draws.iter_mut().zip(qs) {
            values.push(ratio(&a_sum, &b_sum, *q));
        }
    }
    let (a_whole, b_whole) = (a.sum(&plan.once())?, b.sum(&plan.once())?);
    let estimate = |(values, q): (Vec<f64>, &f64)| Estimate {
        value: ratio(&a_whole, &b_whole, *q),
        interval: how.interval(values),
    };
    Some(draws.into_iter().zip(qs).map(estimate).collect())
}

/// How often each block is drawn, `[start][block]`.
type Weights = Vec<Vec<u64>>;

/// The stream of draws: which starts, and which of their blocks.
struct Draws {
    rng: ChaCha8Rng,
    weights: Weights,
}

impl Draws {
    fn new(seed: u64, sizes: &[usize]) -> Option<Self> {
        let weights = sizes.iter().map(|&blocks| vec![0; blocks]).collect();
        sizes.iter().any(|&blocks| blocks > 0).then(|| Self {
            rng: ChaCha8Rng::seed_from_u64(seed),
            weights,
        })
    }

    fn next(&mut self) -> &Weights {
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

    /// Every block once: the data as they are.
    fn once(&self) -> Weights {
        self.weights.iter().map(|start| vec![1; start.len()]).collect()
    }
}

/// An arm's blocks over one list of values, so that adding a block is adding into a vector.
struct Arm {
    values: Vec<u64>,
    starts: Vec<Vec<Vec<(usize, u64)>>>,
}

impl Arm {
    fn of(starts: &[Vec<Block>]) -> Option<Self> {
        let cells = starts.iter().flatten().flatten();
        let mut places: BTreeMap<u64, usize> =
            cells.filter(|cell| cell.1 > 0).map(|cell| (cell.0, 0)).collect();
        for (index, place) in places.values_mut().enumerate() {
            *place = index;
        }
        let compact = |block: &Block| -> Vec<(usize, u64)> {
            block
                .iter()
                .filter(|cell| cell.1 > 0)
                .map(|cell| (places[&cell.0], cell.1))
                .collect()
        };
        let starts = starts
            .iter()
            .map(|blocks| blocks.iter().map(compact).collect())
            .collect();
        let values: Vec<u64> = places.keys().copied().collect();
        (!values.is_empty()).then_some(Self { values, starts })
    }

    /// Bucket counts of a draw; `None` when it holds no value at all.
    fn sum(&self, weights: &Weights) -> Option<Vec<u64>> {
        let mut sum = vec![0; self.values.len()];
        for (blocks, weights) in self.starts.iter().zip(weights) {
            for (block, &weight) in blocks.iter().zip(weights).filter(|drawn| *drawn.1 > 0) {
                for &(place, count) in block {
                    sum[place] += weight * count;
                }
            }
        }
        sum.iter().any(|&count| count > 0).then_some(sum)
    }

    /// The smallest value with at least a share `q` of the counts at or below it; at least 1, so that it has
    /// a log.
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

    const HOW: Resampling = Resampling {
        draws: 300,
        seed: 11,
        confidence: 0.95,
    };

    /// Five starts of six blocks; every third block holds a stall of `stall`, the rest values near 100.
    fn stalling(stall: u64) -> Vec<Vec<Block>> {
        let block = |start: u64, b: u64| {
            let mut cells: Block = (0..20).map(|i| (95 + start + i, 10)).collect();
            if b.is_multiple_of(3) {
                cells.push((stall, 20));
            }
            cells
        };
        (0..5)
            .map(|start| (0..6).map(|b| block(start, b)).collect())
            .collect()
    }

    #[test]
    fn percentiles_are_those_of_the_merged_blocks() {
        let one = vec![vec![vec![(1, 50), (2, 40)], vec![(9, 10)]]];
        let [p50, p90, p91] = percentiles(&one, &[0.5, 0.9, 0.91], HOW).unwrap()[..] else {
            panic!()
        };
        assert_eq!((p50.value, p90.value, p91.value), (1.0, 2.0, 9.0));
        let interval = p50.interval.unwrap();
        assert_eq!((interval.low, interval.high), (1.0, 9.0));
    }

    #[test]
    fn the_tail_is_far_less_certain_than_the_middle() {
        let [p50, p97] = percentiles(&stalling(10_000), &[0.5, 0.97], HOW).unwrap()[..] else {
            panic!()
        };
        assert!(p50.interval.unwrap().exp().contains(p50.value.exp()) && p50.interval.unwrap().width() < 5.0);
        assert!(p97.interval.unwrap().width() > 5000.0);
    }

    #[test]
    fn what_hits_both_arms_cancels() {
        let same = percentile_ratios(&stalling(10_000), &stalling(10_000), &[0.5, 0.97], HOW).unwrap();
        assert!(
            same.iter()
                .all(|e| e.value == 0.0 && e.interval.unwrap().width() == 0.0)
        );
        let slower = percentile_ratios(&stalling(10_000), &stalling(20_000), &[0.97], HOW).unwrap()[0];
        assert!((slower.value - 2_f64.ln()).abs() < 1e-12);
    }

    #[test]
    fn nothing_recorded_nothing_said() {
        assert_eq!(percentiles(&[], &[0.5], HOW), None);
        assert_eq!(percentiles(&[vec![]], &[0.5], HOW), None);
        assert_eq!(percentiles(&[vec![vec![(7, 0)]]], &[0.5], HOW), None);
        assert_eq!(
            percentile_ratios(&stalling(9), &stalling(9)[1..], &[0.5], HOW),
            None
        );
    }

    #[test]
    fn the_seed_decides() {
        let run = |seed| percentiles(&stalling(999), &[0.97], Resampling { seed, ..HOW });
        assert_eq!(run(1), run(1));
        assert_eq!(Resampling::with_seed(3).draws, 1000);
    }
}
