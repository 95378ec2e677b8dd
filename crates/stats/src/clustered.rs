//! Shares and quantiles of events that come in clusters: one stall delays hundreds of requests, so that requests are not independent.
//!
//! The unit is the *block*, a stretch of time. How much more a share varies from block to block than that of independent events is its
//! design effect (Kish, *Survey Sampling*, 1965); intervals are those of so many fewer independent events (Korn, Graubard, *Survey
//! Methodology* 24, 1998). Blocks are also joined to longer ones, because clusters may last longer than one: the longest effect counts.

use crate::distribution::{beta_quantile, t_isf};
use crate::interval::ConfidenceInterval;
use crate::percentile::rank_interval;
use crate::summary::{SampleEstimate, estimate};

/// Fewest blocks from which anything is said.
pub const FEWEST: usize = 5;
/// Fewest blocks to which blocks are joined.
const FEWEST_JOINED: usize = 10;
/// Batches over whose means an average is judged (Schmeiser, *Operations Research* 30, 1982: 10 to 30).
const BATCHES: usize = 20;

/// What happened in a stretch of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockEvents {
    /// All events.
    pub all: u64,
    /// Those among them that are counted.
    pub hits: u64,
}

/// How many independent events say as much as the events of these blocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Independent {
    /// Their number; not a whole one.
    pub events: f64,
    /// The share of hits.
    pub share: f64,
}

impl Independent {
    /// For an interval at `confidence`, a fraction; `None` with fewer than [`FEWEST`] blocks, or without events.
    pub fn of(blocks: &[BlockEvents], confidence: f64) -> Option<Self> {
        let sums = blocks.iter().fold(BlockEvents::default(), |sum, block| sum + *block);
        if blocks.len() < FEWEST || sums.all == 0 {
            return None;
        }
        let (all, share) = (sums.all as f64, sums.hits as f64 / sums.all as f64);
        let tail = (1.0 - confidence) / 2.0;
        let fewer = |(effect, blocks): (f64, usize)| {
            let few_blocks = t_isf(tail, (sums.all - 1).max(1) as f64) / t_isf(tail, (blocks - 1) as f64);
            all / effect * few_blocks.powi(2)
        };
        // Without a single cluster there is nothing from which blocks could differ.
        let lengths = design_effects(blocks, share).filter(|(effect, _)| *effect > 1.0).map(fewer);
        Some(Self { events: lengths.fold(all, f64::min), share })
    }

    /// The interval of the share.
    pub fn interval(&self, confidence: f64) -> ConfidenceInterval {
        let tail = (1.0 - confidence) / 2.0;
        let hits = self.events * self.share;
        let misses = self.events - hits;
        ConfidenceInterval {
            low: if hits == 0.0 { 0.0 } else { beta_quantile(tail, hits, misses + 1.0) },
            high: if misses <= 0.0 { 1.0 } else { beta_quantile(1.0 - tail, hits + 1.0, misses) },
        }
    }

    /// The shares of the events between which quantile `q` of all events lies; an end is `None` where even the smallest or the largest
    /// event does not bound it.
    pub fn quantile_between(&self, q: f64, confidence: f64) -> [Option<f64>; 2] {
        let events = self.events.floor().max(1.0);
        let (low, high) = rank_interval(events as u64, q, confidence);
        let share = |rank: u64| rank as f64 / events;
        [(low > 0).then(|| share(low)), (high as f64 <= events).then(|| share(high))]
    }
}

impl std::ops::Add for BlockEvents {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { all: self.all + other.all, hits: self.hits + other.hits }
    }
}

/// The design effect with blocks of each length, with the number of blocks.
fn design_effects(blocks: &[BlockEvents], share: f64) -> impl Iterator<Item = (f64, usize)> {
    let lengths = std::iter::successors(Some(1), |length| Some(2 * length));
    let lengths = lengths.take_while(|length| *length == 1 || blocks.len() / length >= FEWEST_JOINED);
    lengths.map(move |length| {
        let joined = blocks.chunks(length);
        let count = joined.len();
        let all: f64 = blocks.iter().map(|block| block.all as f64).sum();
        let squares = joined.map(|chunk| {
            let sum = chunk.iter().fold(BlockEvents::default(), |sum, block| sum + *block);
            (sum.hits as f64 - share * sum.all as f64).powi(2)
        });
        let between = squares.sum::<f64>() * count as f64 / (count - 1) as f64;
        let independent = share * (1.0 - share) * all;
        (if independent > 0.0 { between / independent } else { 1.0 }, count)
    })
}

/// The mean of values of successive stretches of time of equal length, with an interval over the means of at most 20 batches of
/// them; `None` with fewer than [`FEWEST`] values.
pub fn mean_of_batches(values: &[f64], confidence: f64) -> Option<SampleEstimate> {
    if values.len() < FEWEST {
        return None;
    }
    let length = values.len().div_ceil(BATCHES);
    // The last batch may be shorter, and would weigh too much.
    let batches: Vec<f64> =
        values.chunks_exact(length).map(|batch| batch.iter().sum::<f64>() / length as f64).collect();
    estimate(&batches, confidence)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distribution::clopper_pearson;

    fn blocks(hits: &[u64]) -> Vec<BlockEvents> {
        hits.iter().map(|hits| BlockEvents { all: 1000, hits: *hits }).collect()
    }

    #[test]
    fn independent_events_have_the_exact_interval_and_clusters_a_wider_one() {
        let even = Independent::of(&blocks(&[10; 20]), 0.95).expect("enough");
        assert_eq!((even.events, even.share), (20_000.0, 0.01));
        let exact = clopper_pearson(200, 20_000, 0.95);
        assert!((even.interval(0.95).high - exact.high).abs() < 1e-9);
        // The same share, all of it within one second.
        let mut stalled = [0; 20];
        stalled[7] = 200;
        let stalled = Independent::of(&blocks(&stalled), 0.95).expect("enough");
        assert!(stalled.events < 20_000.0 / 100.0, "{stalled:?}");
        assert!(stalled.interval(0.95).high > 0.03, "{:?}", stalled.interval(0.95));
        assert_eq!(Independent::of(&blocks(&[1; 4]), 0.95), None);
    }

    #[test]
    fn clusters_longer_than_a_block_count_once() {
        let long: Vec<u64> = (0..80).map(|second| if second % 40 < 8 { 50 } else { 0 }).collect();
        let mut mixed = long.clone();
        mixed.sort_by_key(|hits| std::cmp::Reverse(*hits));
        let spread: Vec<u64> = (0..80).map(|second| if second % 5 == 0 { 50 } else { 0 }).collect();
        let events = |hits: &[u64]| Independent::of(&blocks(hits), 0.95).expect("enough").events;
        assert!(events(&long) < 0.5 * events(&spread), "{} {}", events(&long), events(&spread));
        assert!(events(&mixed) <= events(&long));
    }

    #[test]
    fn a_quantile_is_bounded_only_by_enough_events() {
        let few = Independent { events: 1000.0, share: 0.0 };
        let [low, high] = few.quantile_between(0.999, 0.95);
        assert!(low.is_some() && high.is_none(), "3,688 events would be enough");
        let enough = Independent { events: 3700.0, share: 0.0 };
        assert_eq!(enough.quantile_between(0.999, 0.95)[1], Some(1.0));
        let [low, high] = Independent { events: 10_000.0, share: 0.05 }.quantile_between(0.95, 0.95);
        assert!(low < Some(0.95) && Some(0.95) < high && high < Some(0.956), "{low:?} {high:?}");
    }

    #[test]
    fn values_that_rise_and_fall_slowly_have_a_wider_mean() {
        let slow: Vec<f64> = (0..200).map(|second| if second / 50 % 2 == 0 { 90.0 } else { 110.0 }).collect();
        let quick: Vec<f64> = (0..200).map(|second| if second % 2 == 0 { 90.0 } else { 110.0 }).collect();
        let width = |values: &[f64]| {
            let mean = mean_of_batches(values, 0.95).expect("enough");
            assert_eq!(mean.value, 100.0);
            mean.interval.expect("batches").width()
        };
        assert!(width(&slow) > 5.0 && width(&quick) < 1.0);
        assert_eq!(mean_of_batches(&[1.0; 4], 0.95), None);
    }
}
