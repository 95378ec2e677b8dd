//! Simulated runs whose starts differ by their windows, by luck, and by modes.

use crate::noise_model::Normals;
use stats::learnt::{self, RunSpread};
use stats::moderated::{Prior, WithinStarts};
use stats::multiplicity::{Family, primary};
use stats::robust::{mean, variance};
use stats::sequential::{Look, Plan, Test};
use stats::spending::LookKind;

/// Starts of a run, and quads of each of them.
pub(crate) const STARTS: usize = 7;
const QUADS: usize = 10;
/// The standard deviation of `D` of a start by its windows alone, where the noise is 1.
const USUAL: f64 = 0.025;
/// The prior of throughput where no earlier run is known.
pub(crate) const PRIOR: Prior = Prior { between: 0.015 * 0.015, weight: 6.0 };

/// How the starts of a simulated run differ.
#[derive(Clone, Copy, Debug)]
pub(crate) struct World {
    /// The standard deviation from start to start beyond what windows explain.
    pub(crate) luck: f64,
    /// Degrees of freedom of the luck: few make heavy tails; infinite is normal.
    pub(crate) tails: f64,
    /// The noise of windows, relative to [`USUAL`].
    pub(crate) noise: f64,
    /// The share of the starts of each arm that is 8 % worse.
    pub(crate) bimodal: f64,
}

/// A run of identical arms: `D` of its starts, and the variances that their windows explain.
fn run(world: World, effect: f64, random: &mut Normals) -> (Vec<f64>, Vec<f64>) {
    let mut start = || {
        let quads: Vec<f64> =
            (0..QUADS).map(|_| world.noise * USUAL * (QUADS as f64).sqrt() * random.next()).collect();
        let modes: f64 = [0.08, -0.08].into_iter().filter(|_| random.uniform() < world.bimodal).sum();
        let d = effect + mean(&quads).expect("quads") + world.luck * random.with_tails(world.tails) + modes;
        (d, variance(&quads).expect("quads") / QUADS as f64)
    };
    (0..STARTS).map(|_| start()).unzip()
}

/// The prior that 30 runs of the world show.
fn learnt(world: World, floor: f64, random: &mut Normals) -> Prior {
    let mut spread = || {
        let (d, variances) = run(world, 0.0, random);
        RunSpread {
            variance: variance(&d).expect("starts"),
            within: mean(&variances).expect("starts"),
            freedom: (STARTS - 1) as f64,
        }
    };
    let runs: Vec<RunSpread> = (0..learnt::FEWEST_RUNS).map(|_| spread()).collect();
    learnt::prior(&runs, PRIOR, floor).expect("enough runs")
}

/// By which variance the starts of a run are judged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Variance {
    /// That of the starts, moderated by their windows with this prior.
    Moderated(Prior),
    /// The same with the prior that 30 earlier runs of the same world show, which are other ones for each run; the variance between starts
    /// is at least the number.
    Learnt(f64),
    /// That of the starts alone, as Student's t has it.
    OfStarts,
}

/// The looks at the end of many runs.
pub(crate) fn looks(world: World, effect: f64, variance: Variance, runs: usize, seed: u64) -> Vec<Look> {
    let (family, plan) = (Family::of_one(0.05), Plan::new(Some(STARTS)));
    let mut random = Normals::new(seed);
    let mut look = || {
        let prior = match variance {
            Variance::Moderated(prior) => Some(prior),
            Variance::Learnt(floor) => Some(learnt(world, floor, &mut random)),
            Variance::OfStarts => None,
        };
        let (d, variances) = run(world, effect, &mut random);
        let within = prior.map(|prior| WithinStarts {
            variances: &variances,
            windows: (STARTS * QUADS) as f64,
            prior,
        });
        let test = Test { within, ..Test::of(&d, 0.05) };
        primary(&[test], &family, &plan, LookKind::Last)[0].expect("starts")
    };
    (0..runs).map(|_| look()).collect()
}
