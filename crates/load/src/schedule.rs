//! [`DueTimes`]: the times at which the requests of an open model are due.
//!
//! They are fixed before the first request is sent and do not depend on what the server does. A generator that waits for
//! responses before it sends would hide the time that requests wait in a stall (coordinated omission).

use crate::random::RandomStream;
use model::units::{Nanos, Rate};
use std::sync::Arc;
use traffic::plan::Stage;

/// A time that is never reached. It is later than the end of any slice, and small enough to be added to other times.
const NEVER: Nanos = Nanos(u64::MAX / 4);

/// The number of a shard, and of how many.
#[derive(Clone, Copy, Debug)]
pub struct ShardNumber {
    /// From 0 to `count - 1`.
    pub index: usize,
    /// Number of shards.
    pub count: usize,
}

/// The due times of one shard, counted from the start of a slice; ascending and endless. Equal arguments give equal times
/// on every machine.
///
/// Request i is due when the integral of the rate, which is the number of requests expected so far, reaches a target
/// `c_i`. For equal gaps `c_i` is i; for a Poisson process it is the sum of i + 1 independent exponential numbers with
/// mean 1. In a stage that begins at time T with count C and whose rate begins at r and changes by k per second, request i
/// is due at T + t with `C + r t + k t^2 / 2 = c_i`. The solution is `t = 2 c / (r + sqrt(r^2 + 2 k c))` with
/// `c = c_i - C`; in this form it holds for k = 0 as well.
#[derive(Clone, Debug)]
pub struct DueTimes {
    /// The next due time.
    next: Nanos,
    targets: CountTargets,
    segments: Arc<[RateSegment]>,
    /// The index of the present segment.
    segment: usize,
}

/// A stage together with the time and the expected count at which it begins.
#[derive(Clone, Copy, Debug)]
struct RateSegment {
    /// When it begins, seconds.
    begins: f64,
    /// Requests expected before it begins.
    count: f64,
    /// Rate at its begin, per second.
    rate: f64,
    /// Change of the rate per second.
    slope: f64,
    /// Requests expected before it ends.
    end_count: f64,
}

/// Produces the targets `c_i` of the requests of one shard.
#[derive(Clone, Debug)]
enum CountTargets {
    /// Equal gaps; the shard has every `step`-th request, and `index` is its next one.
    Even { index: u64, step: u64 },
    /// A Poisson process with gaps of this mean. The processes of all shards add up to one with the total rate.
    Poisson { mean: f64, sum: f64, random: Box<RandomStream> },
}

impl DueTimes {
    /// A constant `rate`, which is the total over all shards. `stream` is a number that makes the random gaps of slices
    /// differ.
    pub fn new(rate: Rate, poisson: bool, shard: ShardNumber, seed: u64, stream: u64) -> Self {
        let constant = Stage { from: rate, to: rate, length: Nanos(0) };
        Self::staged(&[constant], poisson, shard, seed, stream)
    }

    /// Stages in sequence. The rate at the end of the last one continues for ever.
    pub fn staged(stages: &[Stage], poisson: bool, shard: ShardNumber, seed: u64, stream: u64) -> Self {
        let (index, count) = (shard.index as u64, shard.count as u64);
        let targets = if poisson {
            let stream = stream.wrapping_mul(count).wrapping_add(index);
            CountTargets::Poisson {
                mean: count as f64,
                sum: 0.0,
                random: Box::new(RandomStream::new(seed, stream)),
            }
        } else {
            CountTargets::Even { index, step: count }
        };
        let mut times = Self { next: Nanos(0), targets, segments: segments(stages), segment: 0 };
        times.next = times.compute_next();
        times
    }

    /// The next due time, without taking it.
    pub const fn peek(&self) -> Nanos {
        self.next
    }

    /// Takes all due times up to and including `now`, and returns their number.
    pub fn take_due(&mut self, now: Nanos) -> u64 {
        let mut count = 0;
        while self.next <= now {
            self.next = self.compute_next();
            count += 1;
        }
        count
    }

    /// The due time of the next request by the formula of [`DueTimes`]; [`NEVER`] when the rate has ended at 0.
    fn compute_next(&mut self) -> Nanos {
        let target = self.targets.next_target();
        while self.segment + 1 < self.segments.len() && target >= self.segments[self.segment].end_count {
            self.segment += 1;
        }
        let segment = self.segments[self.segment];
        let count = target - segment.count;
        // Rounding may make the argument of the root negative at the very end of a falling segment.
        let root = (segment.rate * segment.rate + 2.0 * segment.slope * count).max(0.0).sqrt();
        let after = if count == 0.0 { 0.0 } else { 2.0 * count / (segment.rate + root) };
        let nanos = (segment.begins + after) * 1e9;
        if nanos < NEVER.0 as f64 { Nanos(nanos as u64).max(self.next) } else { NEVER }
    }
}

/// The segments of the stages, and a last one without end at the rate with which the last stage ends.
fn segments(stages: &[Stage]) -> Arc<[RateSegment]> {
    let (mut begins, mut count) = (0.0, 0.0);
    let mut segments = Vec::with_capacity(stages.len() + 1);
    for stage in stages {
        let (length, rise) = (stage.length.as_secs_f64(), stage.to.0 - stage.from.0);
        let end_count = count + (stage.from.0 + stage.to.0) / 2.0 * length;
        segments.push(RateSegment {
            begins,
            count,
            rate: stage.from.0,
            slope: if length > 0.0 { rise / length } else { 0.0 },
            end_count,
        });
        begins += length;
        count = end_count;
    }
    segments.push(RateSegment {
        begins,
        count,
        rate: stages.last().map_or(0.0, |stage| stage.to.0),
        slope: 0.0,
        end_count: f64::INFINITY,
    });
    segments.into()
}

impl Iterator for DueTimes {
    type Item = Nanos;

    fn next(&mut self) -> Option<Nanos> {
        let due = self.next;
        self.next = self.compute_next();
        Some(due)
    }
}

impl CountTargets {
    fn next_target(&mut self) -> f64 {
        match self {
            Self::Even { index, step } => {
                // The target is the index itself. If gaps were added up, rounding errors would change the rate.
                let target = *index as f64;
                *index += *step;
                target
            }
            Self::Poisson { mean, sum, random } => {
                *sum += random.exponential() * *mean;
                *sum
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SECOND: Nanos = Nanos::from_secs(1);
    const ONLY_SHARD: ShardNumber = ShardNumber { index: 0, count: 1 };

    /// One of two shards.
    fn half(index: usize) -> ShardNumber {
        ShardNumber { index, count: 2 }
    }

    #[test]
    fn constant_gaps_are_equal_and_shards_interleave() {
        let times =
            |shard| DueTimes::new(Rate(4.0), false, half(shard), 0, 0).take(2).map(|due| due.0 / 1_000_000);
        assert_eq!(times(0).collect::<Vec<_>>(), [0, 500]);
        assert_eq!(times(1).collect::<Vec<_>>(), [250, 750]);
    }

    #[test]
    fn slices_and_shards_have_different_random_gaps() {
        let first = |shard, stream| DueTimes::new(Rate(1.0), true, half(shard), 7, stream).peek();
        assert_ne!(first(0, 0), first(1, 0));
        assert_ne!(first(0, 0), first(0, 1));
        assert_eq!(first(1, 3), first(1, 3));
    }

    #[test]
    fn the_variance_of_poisson_counts_equals_their_mean() {
        let mut times = DueTimes::new(Rate(100.0), true, ONLY_SHARD, 1, 0);
        let counts: Vec<_> =
            (1..=1000).map(|second| times.take_due(Nanos::from_secs(second)) as f64).collect();
        let mean = counts.iter().sum::<f64>() / 1000.0;
        let variance = counts.iter().map(|count| (count - mean).powi(2)).sum::<f64>() / 999.0;
        assert!((mean - 100.0).abs() < 1.5, "{mean}");
        assert!((variance / mean - 1.0).abs() < 0.2, "{variance}");
    }

    fn stage(from: f64, to: f64, seconds: u64) -> Stage {
        Stage { from: Rate(from), to: Rate(to), length: Nanos::from_secs(seconds) }
    }

    #[test]
    fn the_number_of_requests_in_a_stage_is_the_integral_of_its_rate() {
        let stages =
            [stage(0.0, 100.0, 10), stage(100.0, 100.0, 5), stage(20.0, 20.0, 5), stage(20.0, 0.0, 10)];
        for poisson in [false, true] {
            let mut times = DueTimes::staged(&stages, poisson, ONLY_SHARD, 3, 0);
            let counts =
                [5, 10, 15, 20, 30, 1000].map(|second| times.take_due(Nanos::from_secs(second)) as f64);
            for (count, area) in counts.iter().zip([125.0, 375.0, 500.0, 100.0, 100.0, 0.0]) {
                let slack = if poisson { 5.0 * f64::sqrt(area) } else { 1.0 };
                assert!((count - area).abs() <= slack, "{counts:?}");
            }
        }
    }

    #[test]
    fn no_request_is_due_in_a_stage_of_rate_zero() {
        let stages = [stage(10.0, 10.0, 1), stage(0.0, 0.0, 2), stage(10.0, 10.0, 1)];
        let times: Vec<_> = DueTimes::staged(&stages, false, ONLY_SHARD, 0, 0).take(11).collect();
        assert!((times[9].as_secs_f64() - 0.9).abs() < 1e-6);
        assert!((times[10].as_secs_f64() - 3.0).abs() < 1e-6);
    }

    proptest! {
        #[test]
        fn the_number_of_due_times_per_second_is_the_rate(rate in 1.0_f64..50_000.0, poisson: bool, shards in 1_usize..5, seed: u64) {
            let total: u64 = (0..shards)
                .map(|index| {
                    let shard = ShardNumber { index, count: shards };
                    DueTimes::new(Rate(rate), poisson, shard, seed, 0).take_due(SECOND)
                })
                .sum();
            // Seven standard deviations of a Poisson count.
            let slack = if poisson { 7.0 * rate.sqrt() + 10.0 } else { 1.0 };
            prop_assert!((total as f64 - rate).abs() <= slack, "{total} of {rate}");
        }

        #[test]
        fn due_times_never_decrease(rate in 1.0_f64..1e6, poisson: bool, seed: u64) {
            let times = DueTimes::new(Rate(rate), poisson, ONLY_SHARD, seed, 0);
            prop_assert!(times.take(100).is_sorted());
        }
    }
}
