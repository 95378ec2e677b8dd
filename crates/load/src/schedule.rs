//! [`DueTimes`]: when requests are due in an open model, a pure iterator fixed before the first one is sent.

use crate::random::Random;
use model::plan::Stage;
use model::units::{Nanos, Rate};
use std::sync::Arc;

/// Later than any slice, and far enough from the end of numbers to be added to.
const NEVER: Nanos = Nanos(u64::MAX / 4);

/// Due times since the start of a slice, ascending and endless. Equal arguments give equal times, on every machine.
///
/// Request i is due when the integral of the rate, the number of requests expected so far, reaches a target `c_i`: i
/// itself for equal gaps, the sum of i + 1 independent unit exponentials for a Poisson process. In a stage that begins at
/// time T with count C and whose rate goes from r at slope k, that is `C + r t + k t^2 / 2 = c_i` with t counted from T,
/// hence `t = 2 c / (r + sqrt(r^2 + 2 k c))` with `c = c_i - C`, which holds for k = 0 too.
#[derive(Clone, Debug)]
pub struct DueTimes {
    next: Nanos,
    targets: Targets,
    legs: Arc<[Leg]>,
    leg: usize,
}

/// A stage, with the time and the count at which it begins.
#[derive(Clone, Copy, Debug)]
struct Leg {
    begins: f64,
    count: f64,
    rate: f64,
    slope: f64,
    /// The count at which it ends.
    ends: f64,
}

#[derive(Clone, Debug)]
enum Targets {
    /// This shard has every `step`-th request.
    Even { index: u64, step: u64 },
    /// The shards' processes add up to one of the whole rate.
    Poisson {
        mean: f64,
        sum: f64,
        random: Box<Random>,
    },
}

impl DueTimes {
    /// `rate` is the total over all `shards`, of which this is number `shard`; `stream` makes slices differ.
    pub fn new(rate: Rate, poisson: bool, shard: (usize, usize), seed: u64, stream: u64) -> Self {
        let forever = Stage {
            from: rate,
            to: rate,
            length: Nanos(0),
        };
        Self::staged(&[forever], poisson, shard, seed, stream)
    }

    /// Stages in sequence; the last one's end rate goes on for ever.
    pub fn staged(
        stages: &[Stage],
        poisson: bool,
        (shard, shards): (usize, usize),
        seed: u64,
        stream: u64,
    ) -> Self {
        let targets = if poisson {
            let stream = stream.wrapping_mul(shards as u64).wrapping_add(shard as u64);
            Targets::Poisson {
                mean: shards as f64,
                sum: 0.0,
                random: Box::new(Random::new(seed, stream)),
            }
        } else {
            Targets::Even {
                index: shard as u64,
                step: shards as u64,
            }
        };
        let mut times = Self {
            next: Nanos(0),
            targets,
            legs: legs(stages),
            leg: 0,
        };
        times.next = times.draw();
        times
    }

    /// The next due time, not taken yet.
    pub const fn peek(&self) -> Nanos {
        self.next
    }

    /// Takes all that are due by `now` and counts them.
    pub fn take_due(&mut self, now: Nanos) -> u64 {
        let mut count = 0;
        while self.next <= now {
            self.next = self.draw();
            count += 1;
        }
        count
    }

    fn draw(&mut self) -> Nanos {
        let target = self.targets.draw();
        while self.leg + 1 < self.legs.len() && target >= self.legs[self.leg].ends {
            self.leg += 1;
        }
        let leg = self.legs[self.leg];
        let count = target - leg.count;
        // Rounding may take the root's argument below zero at the very end of a falling leg.
        let root = (leg.rate * leg.rate + 2.0 * leg.slope * count).max(0.0).sqrt();
        let after = if count == 0.0 {
            0.0
        } else {
            2.0 * count / (leg.rate + root)
        };
        let nanos = (leg.begins + after) * 1e9;
        // A rate that ends at zero: nothing is ever due again.
        if nanos < NEVER.0 as f64 {
            Nanos(nanos as u64).max(self.next)
        } else {
            NEVER
        }
    }
}

fn legs(stages: &[Stage]) -> Arc<[Leg]> {
    let (mut begins, mut count) = (0.0, 0.0);
    let mut legs = Vec::with_capacity(stages.len() + 1);
    for stage in stages {
        let (length, rise) = (stage.length.as_secs_f64(), stage.to.0 - stage.from.0);
        let ends = count + (stage.from.0 + stage.to.0) / 2.0 * length;
        legs.push(Leg {
            begins,
            count,
            rate: stage.from.0,
            slope: if length > 0.0 { rise / length } else { 0.0 },
            ends,
        });
        begins += length;
        count = ends;
    }
    legs.push(Leg {
        begins,
        count,
        rate: stages.last().map_or(0.0, |stage| stage.to.0),
        slope: 0.0,
        ends: f64::INFINITY,
    });
    legs.into()
}

impl Iterator for DueTimes {
    type Item = Nanos;

    fn next(&mut self) -> Option<Nanos> {
        let due = self.next;
        self.next = self.draw();
        Some(due)
    }
}

impl Targets {
    fn draw(&mut self) -> f64 {
        match self {
            Self::Even { index, step } => {
                // From the index, not by adding gaps: rounding errors would add up to a wrong rate.
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

    #[test]
    fn constant_gaps_are_equal_and_shards_interleave() {
        let times = |shard| {
            DueTimes::new(Rate(4.0), false, (shard, 2), 0, 0)
                .take(2)
                .map(|due| due.0 / 1_000_000)
        };
        assert_eq!(times(0).collect::<Vec<_>>(), [0, 500]);
        assert_eq!(times(1).collect::<Vec<_>>(), [250, 750]);
    }

    #[test]
    fn slices_and_shards_draw_different_gaps() {
        let first = |shard, stream| DueTimes::new(Rate(1.0), true, (shard, 2), 7, stream).peek();
        assert_ne!(first(0, 0), first(1, 0));
        assert_ne!(first(0, 0), first(0, 1));
        assert_eq!(first(1, 3), first(1, 3));
    }

    #[test]
    fn poisson_counts_have_the_variance_of_their_mean() {
        let mut times = DueTimes::new(Rate(100.0), true, (0, 1), 1, 0);
        let counts: Vec<_> = (1..=1000)
            .map(|second| times.take_due(Nanos::from_secs(second)) as f64)
            .collect();
        let mean = counts.iter().sum::<f64>() / 1000.0;
        let variance = counts.iter().map(|count| (count - mean).powi(2)).sum::<f64>() / 999.0;
        assert!((mean - 100.0).abs() < 1.5, "{mean}");
        assert!((variance / mean - 1.0).abs() < 0.2, "{variance}");
    }

    fn stage(from: f64, to: f64, seconds: u64) -> Stage {
        Stage {
            from: Rate(from),
            to: Rate(to),
            length: Nanos::from_secs(seconds),
        }
    }

    #[test]
    fn ramps_and_steps_have_the_counts_of_their_areas() {
        let stages = [
            stage(0.0, 100.0, 10),
            stage(100.0, 100.0, 5),
            stage(20.0, 20.0, 5),
            stage(20.0, 0.0, 10),
        ];
        for poisson in [false, true] {
            let mut times = DueTimes::staged(&stages, poisson, (0, 1), 3, 0);
            let counts =
                [5, 10, 15, 20, 30, 1000].map(|second| times.take_due(Nanos::from_secs(second)) as f64);
            for (count, area) in counts.iter().zip([125.0, 375.0, 500.0, 100.0, 100.0, 0.0]) {
                let slack = if poisson { 5.0 * f64::sqrt(area) } else { 1.0 };
                assert!((count - area).abs() <= slack, "{counts:?}");
            }
        }
    }

    #[test]
    fn a_pause_between_stages_holds_nothing() {
        let stages = [stage(10.0, 10.0, 1), stage(0.0, 0.0, 2), stage(10.0, 10.0, 1)];
        let times: Vec<_> = DueTimes::staged(&stages, false, (0, 1), 0, 0).take(11).collect();
        assert!((times[9].as_secs_f64() - 0.9).abs() < 1e-6);
        assert!((times[10].as_secs_f64() - 3.0).abs() < 1e-6);
    }

    proptest! {
        #[test]
        fn the_rate_is_kept(rate in 1.0_f64..50_000.0, poisson: bool, shards in 1_usize..5, seed: u64) {
            let total: u64 = (0..shards)
                .map(|shard| DueTimes::new(Rate(rate), poisson, (shard, shards), seed, 0).take_due(SECOND))
                .sum();
            // Seven standard deviations of a Poisson count.
            let slack = if poisson { 7.0 * rate.sqrt() + 10.0 } else { 1.0 };
            prop_assert!((total as f64 - rate).abs() <= slack, "{total} of {rate}");
        }

        #[test]
        fn time_never_runs_backwards(rate in 1.0_f64..1e6, poisson: bool, seed: u64) {
            let times = DueTimes::new(Rate(rate), poisson, (0, 1), seed, 0);
            prop_assert!(times.take(100).is_sorted());
        }
    }
}
