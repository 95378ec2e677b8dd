//! Simulates the whole grid of worlds in which intervals by moderated variances have to hold: `cargo run --release -p stats --example
//! moderation [RUNS]` prints, for each world, how often equal arms are called different and how often the interval misses the
//! truth, out of so many runs (20,000), by the moderated variance and by Student's t.

#[path = "../tests/it/noise_model.rs"]
#[allow(dead_code, reason = "the tests use more of it")]
mod noise_model;
#[path = "../tests/it/worlds.rs"]
#[allow(dead_code, reason = "the tests use more of it")]
mod worlds;

use stats::sequential::Look;
use std::env;
use worlds::{STARTS, Variance, World, looks};

fn percent(looks: &[Look], holds: impl Fn(&Look) -> bool) -> f64 {
    100.0 * looks.iter().filter(|look| holds(look)).count() as f64 / looks.len() as f64
}

/// The mean half-width of the intervals in per cent.
fn half_width(looks: &[Look]) -> f64 {
    let widths = looks.iter().filter_map(|look| look.rci).map(|rci| rci.width());
    50.0 * widths.sum::<f64>() / looks.len() as f64
}

fn main() {
    let runs = env::args()
        .nth(1)
        .and_then(|runs| runs.parse().ok())
        .unwrap_or(20_000);
    println!(
        "| luck % | tails | noise | bimodal | false calls % | half interval % | by Student's t: false calls % | half interval % |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let (mut worst, mut worst_bimodal) = (0.0_f64, 0.0_f64);
    for luck in [0.0, 0.01, 0.02] {
        for tails in [f64::INFINITY, 6.0, 3.0] {
            for noise in [0.5, 1.0, 2.0, 3.0] {
                for bimodal in [0.0, 0.1, 0.25] {
                    // Without luck there are no tails.
                    if luck == 0.0 && tails.is_finite() {
                        continue;
                    }
                    let world = World {
                        luck,
                        tails,
                        noise,
                        bimodal,
                    };
                    let of = |variance| looks(world, 0.0, variance, runs, 1);
                    let [moderated, student] = [Variance::Moderated, Variance::OfStarts].map(of);
                    let wrong = percent(&moderated, Look::is_difference);
                    match bimodal > 0.0 {
                        true => worst_bimodal = worst_bimodal.max(wrong),
                        false => worst = worst.max(wrong),
                    }
                    println!(
                        "| {:.0} | {} | {noise} | {bimodal} | {wrong:.2} | {:.2} | {:.2} | {:.2} |",
                        100.0 * luck,
                        if tails.is_finite() {
                            format!("t{tails:.0}")
                        } else {
                            "normal".to_owned()
                        },
                        half_width(&moderated),
                        percent(&student, Look::is_difference),
                        half_width(&student),
                    );
                }
            }
        }
    }
    println!(
        "\nworst: {worst:.2} % without modes, {worst_bimodal:.2} % with modes; {runs} runs a cell, {STARTS} starts each"
    );
}
