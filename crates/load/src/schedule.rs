//! [`DueTimes`]: when requests are due in an open model, a pure iterator fixed before the first one is sent.

use model::units::{Nanos, Rate};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// Due times since the start of a slice, ascending and endless. Equal arguments give equal times, on every machine.
#[derive(Clone, Debug)]
pub struct DueTimes {
    next: Nanos,
    gaps: Gaps,
}

#[derive(Clone, Debug)]
enum Gaps {
    /// Request i of all shards is due at `i / rate`; this shard has every `step`-th.
    Constant { nanos: f64, index: u64, step: u64 },
    /// Independent exponential gaps with this mean; the shards' processes add up to one of the whole rate.
    Poisson {
        mean: f64,
        sum: f64,
        random: Box<ChaCha8Rng>,
    },
}

impl DueTimes {
    /// `rate` is the total over all `shards`, of which this is number `shard`; `stream` makes slices differ.
    pub fn new(rate: Rate, poisson: bool, (shard, shards): (usize, usize), seed: u64, stream: u64) -> Self {
        let nanos = 1e9 / rate.0;
        let gaps = if poisson {
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            random.set_stream(stream.wrapping_mul(shards as u64).wrapping_add(shard as u64));
            Gaps::Poisson {
                mean: nanos * shards as f64,
                sum: 0.0,
                random: Box::new(random),
            }
        } else {
            Gaps::Constant {
                nanos,
                index: shard as u64,
                step: shards as u64,
            }
        };
        let mut times = Self { next: Nanos(0), gaps };
        times.next = times.gaps.draw();
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
            self.next = self.gaps.draw();
            count += 1;
        }
        count
    }
}

impl Iterator for DueTimes {
    type Item = Nanos;

    fn next(&mut self) -> Option<Nanos> {
        let due = self.next;
        self.next = self.gaps.draw();
        Some(due)
    }
}

impl Gaps {
    fn draw(&mut self) -> Nanos {
        match self {
            Self::Constant { nanos, index, step } => {
                // From the index, not by adding gaps: rounding errors would add up to a wrong rate.
                let due = Nanos((*index as f64 * *nanos) as u64);
                *index += *step;
                due
            }
            Self::Poisson { mean, sum, random } => {
                // Inverse of the exponential distribution; 53 bits fill the mantissa, and 1 - u is never 0.
                let uniform = (random.next_u64() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64);
                *sum -= (1.0 - uniform).ln() * *mean;
                Nanos(*sum as u64)
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
