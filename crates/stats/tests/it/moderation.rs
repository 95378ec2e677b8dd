//! Intervals by moderated variances, simulated: windows within starts, luck of starts, tails, unequal noise, starts with two modes. Seeds are
//! fixed, so that a test passes always or never. `cargo test -p stats --test it moderation -- --nocapture` prints the rates;
//! the example `moderation` runs the whole grid with 20,000 runs a cell.

use crate::worlds::{PRIOR, Variance, World, looks};
use stats::sequential::{Call, Look};

fn share(looks: &[Look], holds: impl Fn(&Look) -> bool) -> f64 {
    looks.iter().filter(|look| holds(look)).count() as f64 / looks.len() as f64
}

#[test]
fn equal_arms_are_rarely_called_different_whatever_starts_do() {
    const RUNS: usize = 1000;
    let world = |luck, tails, noise, bimodal| World { luck, tails, noise, bimodal };
    let worlds = [
        (world(0.0, f64::INFINITY, 1.0, 0.0), 0.05),
        (world(0.01, f64::INFINITY, 1.0, 0.0), 0.05),
        (world(0.02, f64::INFINITY, 0.5, 0.0), 0.05),
        (world(0.02, 3.0, 1.0, 0.0), 0.05),
        (world(0.01, 6.0, 3.0, 0.0), 0.05),
        (world(0.0, f64::INFINITY, 0.5, 0.1), 0.065),
        (world(0.01, f64::INFINITY, 1.0, 0.25), 0.065),
    ];
    for (world, promised) in worlds {
        let looks = looks(world, 0.0, Variance::Moderated(PRIOR), RUNS, 7);
        let wrong = share(&looks, Look::is_difference);
        println!("{world:?}: false calls {wrong:.4}");
        // Three standard errors of 1000 runs.
        assert!(wrong <= promised + 0.021, "{world:?}: {wrong}");
    }
}

#[test]
fn a_prior_that_earlier_runs_show_keeps_false_calls_rare() {
    const RUNS: usize = 600;
    let world = |luck, noise, bimodal| World { luck, tails: f64::INFINITY, noise, bimodal };
    // Starts that differ by more than the usual prior allows for call equal arms different less often by what was learnt.
    for (world, promised) in
        [(world(0.0, 1.0, 0.0), 0.05), (world(0.04, 0.5, 0.0), 0.05), (world(0.01, 1.0, 0.25), 0.05)]
    {
        let floor = PRIOR.between;
        let rate = |variance| share(&looks(world, 0.0, variance, RUNS, 11), Look::is_difference);
        let [learnt, usual] = [Variance::Learnt(floor), Variance::Moderated(PRIOR)].map(rate);
        println!("{world:?}: false calls {learnt:.4} by what was learnt, {usual:.4} by the usual prior");
        assert!(learnt <= promised + 0.027 && learnt <= usual + 0.01, "{world:?}: {learnt} {usual}");
    }
}

#[test]
fn moderation_finds_what_students_t_does_not() {
    const RUNS: usize = 500;
    let world = World { luck: 0.0, tails: f64::INFINITY, noise: 1.0, bimodal: 0.0 };
    let found = |variance| share(&looks(world, 0.03, variance, RUNS, 8), |look| look.call == Call::Better);
    let [moderated, by_student] = [Variance::Moderated(PRIOR), Variance::OfStarts].map(found);
    println!("a difference of 3 %: found in {moderated:.3}, by Student's t in {by_student:.3}");
    assert!(moderated > by_student, "{moderated} {by_student}");
}

#[test]
fn arms_at_the_margin_are_rarely_called_the_same() {
    const RUNS: usize = 500;
    for noise in [0.3, 1.0] {
        let world = World { luck: 0.01, tails: f64::INFINITY, noise, bimodal: 0.0 };
        let same = share(&looks(world, -0.05_f64.ln_1p(), Variance::Moderated(PRIOR), RUNS, 9), |look| {
            look.call == Call::Same
        });
        println!("arms at the margin, noise {noise}: same in {same:.4}");
        // 5 % on one side, and three standard errors.
        assert!(same <= 0.08, "{noise}: {same}");
    }
}
