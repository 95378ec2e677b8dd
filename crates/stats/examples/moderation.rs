//! Simulates the whole grid of worlds in which intervals by moderated variances have to hold: `cargo run --release -p stats --example
//! moderation [RUNS]` prints, for each world, how often equal arms are called different, out of so many runs (20,000): with the usual
//! prior, with one that 30 earlier runs of the same world show, and by Student's t. Then it prints the worst world of priors with other
//! variances between starts, as a history of another world could leave behind; the floor of what is learnt is chosen by it.

#[path = "../tests/it/noise_model.rs"]
#[allow(dead_code, reason = "the tests use more of it")]
mod noise_model;
#[path = "../tests/it/worlds.rs"]
#[allow(dead_code, reason = "the tests use more of it")]
mod worlds;

use stats::moderated::Prior;
use stats::sequential::Look;
use std::env;
use worlds::{PRIOR, STARTS, Variance, World, looks};

/// The standard deviation between starts that a learnt prior has at least, see `prior` in `judge`.
const FLOOR: f64 = 0.015;

/// How many of the looks call equal arms different, and the mean half-width of their intervals; both in per cent.
fn found(world: World, variance: Variance, runs: usize) -> [f64; 2] {
    let looks = looks(world, 0.0, variance, runs, 1);
    let wrong = looks.iter().filter(|look| Look::is_difference(look)).count();
    let widths = looks.iter().filter_map(|look| look.rci).map(|rci| rci.width());
    [100.0 * wrong as f64, 50.0 * widths.sum::<f64>()].map(|sum| sum / runs as f64)
}

/// All worlds; worlds with modes last.
fn worlds() -> Vec<World> {
    let mut all = Vec::new();
    for luck in [0.0, 0.01, 0.02] {
        for tails in [f64::INFINITY, 6.0, 3.0] {
            for noise in [0.5, 1.0, 2.0, 3.0] {
                for bimodal in [0.0, 0.1, 0.25] {
                    all.push(World { luck, tails, noise, bimodal });
                }
            }
        }
    }
    // Without luck there are no tails.
    all.retain(|world| world.luck > 0.0 || world.tails.is_infinite());
    all.sort_by(|one, other| one.bimodal.total_cmp(&other.bimodal));
    all
}

/// The largest of some rates in the worlds without modes, and with modes.
fn worst(rates: &[(World, f64)]) -> [f64; 2] {
    [false, true].map(|has_modes| {
        let of_kind = rates.iter().filter(|(world, _)| (world.bimodal > 0.0) == has_modes);
        of_kind.map(|(_, rate)| *rate).fold(0.0, f64::max)
    })
}

/// The whole grid.
fn print_worlds(runs: usize) {
    let variances = [Variance::Moderated(PRIOR), Variance::Learnt(FLOOR * FLOOR), Variance::OfStarts];
    println!(
        "False calls and half interval in %, by the usual prior, one that is learnt, and Student's t:\n"
    );
    println!("| luck % | tails | noise | bimodal | usual | ± | learnt | ± | Student | ± |");
    println!("|---|---|---|---|---|---|---|---|---|---|");
    let mut rates = [(); 3].map(|()| Vec::new());
    for world in worlds() {
        let cells = variances.map(|variance| found(world, variance, runs));
        for (rates, cell) in rates.iter_mut().zip(cells) {
            rates.push((world, cell[0]));
        }
        let tails = match world.tails.is_finite() {
            true => format!("t{:.0}", world.tails),
            false => "normal".to_owned(),
        };
        let cells: Vec<String> = cells.concat().iter().map(|cell| format!("{cell:.2}")).collect();
        println!(
            "| {:.0} | {tails} | {} | {} | {} |",
            100.0 * world.luck,
            world.noise,
            world.bimodal,
            cells.join(" | ")
        );
    }
    println!("\nworst of {runs} runs a cell, {STARTS} starts each, without modes and with:");
    for (name, rates) in ["usual", "learnt", "Student"].into_iter().zip(&rates) {
        println!("{name}: {:.2} and {:.2} %", worst(rates)[0], worst(rates)[1]);
    }
}

/// The worst worlds of priors that were learnt in another world.
fn print_priors(runs: usize) {
    println!("\nby other priors, without modes, where starts differ by up to 0, 1 and 2 %:");
    for sd in [0.0, 0.005, 0.0075, 0.01, 0.0125, 0.015, 0.02] {
        let prior = Prior { between: sd * sd, ..PRIOR };
        let without_modes = worlds().into_iter().filter(|world| world.bimodal == 0.0);
        let of_world = |world: World| (world, found(world, Variance::Moderated(prior), runs)[0]);
        let rates: Vec<(World, f64)> = without_modes.map(of_world).collect();
        let up_to = |luck: f64| {
            let of_luck = rates.iter().filter(|(world, _)| world.luck <= luck);
            of_luck.map(|(_, rate)| *rate).fold(0.0, f64::max)
        };
        let [none, one, two] = [0.0, 0.01, 0.02].map(up_to);
        println!("{:.2} % between starts: {none:.2}, {one:.2} and {two:.2} %", 100.0 * sd);
    }
}

fn main() {
    let runs = env::args().nth(1).and_then(|runs| runs.parse().ok()).unwrap_or(20_000);
    print_priors(runs);
    print_worlds(runs);
}
