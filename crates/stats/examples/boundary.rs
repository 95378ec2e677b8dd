//! Makes the rows of `boundary/tables.rs` for a cap, and checks rows on fresh paths.
//!
//! `cargo run --release -p stats --example boundary -- make 8` prints the levels for caps of 5 to 8 at every alpha;
//! `… -- check 8` prints what the built-in rows really spend, alone and shared among five tests.
//!
//! Gaussian paths; at each look the paths still alive are sorted by |t|, the threshold is the value that takes as many
//! as the boundary spends there (`alpha (k/K)^2` in all after round k), and those die.

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use stats::boundary::{Boundary, FIRST_LOOK};
use stats::distribution::{t_isf, t_two_sided};
use std::f64::consts::TAU;

const PATHS: usize = 10_000_000;
const ALPHAS: [f64; 3] = [0.01, 0.05, 0.10];

/// Sum and sum of squares of the rounds so far.
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

    /// The size of Student's t after `k` rounds.
    fn t(&self, k: usize) -> f64 {
        let k = k as f64;
        let mean = self.sum / k;
        let variance = (self.squares - k * mean * mean) / (k - 1.0);
        mean.abs() / (variance / k).sqrt()
    }
}

/// One round more for every path (Box and Muller).
fn grow(paths: &mut [Path], rng: &mut impl Rng) {
    for pair in paths.chunks_mut(2) {
        let radius = (-2.0 * (1.0 - rng.random::<f64>()).ln()).sqrt();
        let (sin, cos) = (TAU * rng.random::<f64>()).sin_cos();
        pair[0].add(radius * cos);
        if let Some(other) = pair.get_mut(1) {
            other.add(radius * sin);
        }
    }
}

/// The levels `a_5 … a_cap`, two-sided.
fn row(cap: usize, alpha: f64) -> Vec<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(cap as u64);
    let mut alive = vec![Path::default(); PATHS];
    let spent = |k: usize| {
        if k < FIRST_LOOK {
            0.0
        } else {
            alpha * (k as f64 / cap as f64).powi(2)
        }
    };
    let mut levels = Vec::new();
    for k in 1..=cap {
        grow(&mut alive, &mut rng);
        if k >= FIRST_LOOK {
            let die = (PATHS as f64 * (spent(k) - spent(k - 1))).round() as usize;
            alive.sort_unstable_by(|a, b| b.t(k).total_cmp(&a.t(k)));
            levels.push(t_two_sided(alive[die - 1].t(k), (k - 1) as f64));
            alive.drain(..die);
        }
    }
    levels
}

/// Which part of the paths any look of the built-in boundary rejects.
fn spends(cap: usize, alpha: f64, tests: usize) -> f64 {
    let boundary = Boundary::new(cap, alpha, tests);
    let mut rng = ChaCha8Rng::seed_from_u64(1000 + cap as u64);
    let mut alive = vec![Path::default(); PATHS];
    for k in 1..=cap {
        grow(&mut alive, &mut rng);
        if let Some(level) = boundary.level(k) {
            let threshold = t_isf(level / 2.0, (k - 1) as f64);
            alive.retain(|path| path.t(k) < threshold);
        }
    }
    1.0 - alive.len() as f64 / PATHS as f64
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
                "make" => println!("{cap} {alpha}: {:?}", row(cap, alpha)),
                "check" => println!(
                    "{cap} {alpha}: spends {:.3} of alpha, one of five {:.3} of its fifth",
                    spends(cap, alpha, 1) / alpha,
                    spends(cap, alpha, 5) / (alpha / 5.0)
                ),
                other => panic!("make or check, not {other}"),
            }
        }
    }
}
