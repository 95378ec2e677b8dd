//! [`RandomStream`]: the source of everything random in a load, seeded by the plan.

use model::units::Nanos;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use traffic::plan::Think;

/// A stream of random numbers. Equal seeds and stream numbers give equal numbers on every machine.
#[derive(Clone, Debug)]
pub(crate) struct RandomStream(ChaCha8Rng);

impl RandomStream {
    /// Streams of one seed are independent of each other.
    pub(crate) fn new(seed: u64, stream: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(stream);
        Self(random)
    }

    /// A uniform number from 0 to below 1. It has 53 random bits, as many as the mantissa of a double.
    pub(crate) fn uniform(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// An exponential number with mean 1, by inversion of the distribution function. `1 - u` is never 0.
    pub(crate) fn exponential(&mut self) -> f64 {
        -(1.0 - self.uniform()).ln()
    }

    /// A standard normal number (Box, Muller, Annals of Mathematical Statistics 1958).
    pub(crate) fn normal(&mut self) -> f64 {
        let radius = (2.0 * self.exponential()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }

    /// A Poisson number: for small means by multiplying uniform numbers (Knuth, The Art of Computer Programming 2, 3.4.1), for
    /// large ones by the normal distribution that it approaches.
    pub(crate) fn poisson(&mut self, mean: f64) -> f64 {
        if mean > 500.0 {
            return (mean + mean.sqrt() * self.normal()).round().max(0.0);
        }
        let limit = (-mean).exp();
        let (mut count, mut product) = (0.0, self.uniform());
        while product > limit {
            count += 1.0;
            product *= self.uniform();
        }
        count
    }

    /// A uniform integer below `bound`. The multiplication instead of a division has a bias of at most `bound / 2^64`.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.0.next_u64()) * u128::from(bound)) >> 64) as u64
    }

    /// Draws a think time. A negative one of a normal distribution becomes 0.
    pub(crate) fn think(&mut self, think: &Think) -> Nanos {
        let nanos = match *think {
            Think::None => return Nanos(0),
            Think::Constant(time) => return time,
            Think::Uniform(from, to) => from.0 as f64 + self.uniform() * to.since(from).0 as f64,
            Think::Gaussian { mean, deviation } => mean.0 as f64 + self.normal() * deviation.0 as f64,
            Think::Exponential(mean) => self.exponential() * mean.0 as f64,
        };
        Nanos(nanos as u64) // the cast makes negative numbers 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mean and standard deviation of many think times, milliseconds.
    fn moments(think: Think) -> (f64, f64) {
        let mut random = RandomStream::new(1, 0);
        let times: Vec<_> = (0..20_000).map(|_| random.think(&think).0 as f64 / 1e6).collect();
        let mean = times.iter().sum::<f64>() / 20_000.0;
        let variance = times.iter().map(|time| (time - mean).powi(2)).sum::<f64>() / 20_000.0;
        (mean, variance.sqrt())
    }

    #[test]
    fn think_times_have_their_mean_and_deviation() {
        let ms = Nanos::from_millis;
        let cases = [
            (Think::None, 0.0, 0.0),
            (Think::Constant(ms(7)), 7.0, 0.0),
            (Think::Uniform(ms(10), ms(30)), 20.0, 20.0 / f64::sqrt(12.0)),
            (Think::Gaussian { mean: ms(100), deviation: ms(10) }, 100.0, 10.0),
            (Think::Exponential(ms(50)), 50.0, 50.0),
        ];
        for (think, mean, deviation) in cases {
            let (m, d) = moments(think);
            assert!(
                (m - mean).abs() <= 0.02 * mean && (d - deviation).abs() <= 0.03 * deviation + 1e-6,
                "{think:?} {m} {d}"
            );
        }
    }

    #[test]
    fn integers_below_a_bound_are_equally_frequent() {
        let mut random = RandomStream::new(2, 0);
        let mut counts = [0_u32; 3];
        (0..30_000).for_each(|_| counts[random.below(3) as usize] += 1);
        assert!(counts.iter().all(|count| count.abs_diff(10_000) < 500), "{counts:?}");
    }
}
