//! Computes rows of `boundary/tables.rs` by simulation, and checks the built-in rows on fresh paths.
//!
//! `cargo run --release -p stats --example boundary -- make 8` prints the levels for caps of 5 to 8 at every alpha.
//! `… -- check 8` prints the error rate that the built-in rows really spend, for one test and for one of five that
//! share alpha.
//!
//! A path is a sequence of Gaussian rounds without an effect. The boundary spends `alpha (k/K)^2` in total up to
//! round k. So at each look the paths are sorted by |t|, and the threshold is chosen such that the share to be spent
//! at this look lies above it. These paths are rejected and leave the simulation.

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use stats::boundary::{Boundary, FIRST_LOOK};
use stats::distribution::{t_isf, t_two_sided};
use std::f64::consts::TAU;

const PATHS: usize = 10_000_000;
const ALPHAS: [f64; 3] = [0.01, 0.05, 0.10];

/// A simulated sequence of rounds, as the sum and the sum of squares that its t statistic needs.
#[derive(Clone, Copy, Default)]
struct Path {
    sum: f64,
    squares: f64,
}

impl Path {
    fn add(&mut self, d: f64) {
        self.sum += d;
        self.squares += d * d;
    }

    /// The absolute value of Student's t after `k` rounds.
    fn t(&self, k: usize) -> f64 {
        let k = k as f64;
        let mean = self.sum / k;
        let variance = (self.squares - k * mean * mean) / (k - 1.0);
        mean.abs() / (variance / k).sqrt()
    }
}

/// Adds one standard normal round to every path (Box, Muller, Annals of Mathematical Statistics 1958).
fn add_round(paths: &mut [Path], rng: &mut impl Rng) {
    for pair in paths.chunks_mut(2) {
        let radius = (-2.0 * (1.0 - rng.random::<f64>()).ln()).sqrt();
        let (sin, cos) = (TAU * rng.random::<f64>()).sin_cos();
        pair[0].add(radius * cos);
        if let Some(other) = pair.get_mut(1) {
            other.add(radius * sin);
        }
    }
}

/// The two-sided levels `a_5 … a_cap`.
fn simulate_levels(cap: usize, alpha: f64) -> Vec<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(cap as u64);
    let mut paths = vec![Path::default(); PATHS];
    let spent = |k: usize| {
        if k < FIRST_LOOK {
            0.0
        } else {
            alpha * (k as f64 / cap as f64).powi(2)
        }
    };
    let mut levels = Vec::new();
    for k in 1..=cap {
        add_round(&mut paths, &mut rng);
        if k >= FIRST_LOOK {
            let rejected = (PATHS as f64 * (spent(k) - spent(k - 1))).round() as usize;
            paths.sort_unstable_by(|a, b| b.t(k).total_cmp(&a.t(k)));
            levels.push(t_two_sided(paths[rejected - 1].t(k), (k - 1) as f64));
            paths.drain(..rejected);
        }
    }
    levels
}

/// The share of paths that any look of the built-in boundary rejects, when `tests` tests share alpha.
fn simulate_error_rate(cap: usize, alpha: f64, tests: usize) -> f64 {
    let boundary = Boundary::new(cap, alpha, tests);
    let mut rng = ChaCha8Rng::seed_from_u64(1000 + cap as u64);
    let mut paths = vec![Path::default(); PATHS];
    for k in 1..=cap {
        add_round(&mut paths, &mut rng);
        if let Some(level) = boundary.level(k) {
            let threshold = t_isf(level / 2.0, (k - 1) as f64);
            paths.retain(|path| path.t(k) < threshold);
        }
    }
    1.0 - paths.len() as f64 / PATHS as f64
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (Some(mode), Some(Ok(last))) = (args.first(), args.get(1).map(|cap| cap.parse::<usize>())) else {
        eprintln!("usage: boundary make|check CAP");
        std::process::exit(2);
    };
    for cap in FIRST_LOOK..=last {
        for alpha in ALPHAS {
            match mode.as_str() {
                "make" => println!("{cap} {alpha}: {:?}", simulate_levels(cap, alpha)),
                "check" => println!(
                    "cap {cap}, alpha {alpha}: a single test spends {:.3} of alpha, one of five tests {:.3} of its fifth",
                    simulate_error_rate(cap, alpha, 1) / alpha,
                    simulate_error_rate(cap, alpha, 5) / (alpha / 5.0)
                ),
                other => panic!("the first argument must be make or check, not {other}"),
            }
        }
    }
}
