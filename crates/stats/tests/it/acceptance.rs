//! Error rates of the decision code, measured on simulated noise of a shared machine for which the right verdict is known.
//!
//! Seeds are fixed, so that a test passes always or never. `cargo test -p stats --test it acceptance -- --nocapture` prints the measured
//! rates.

use crate::noise_model::{CPU, MID, PAIRS, Scenario, Simulation};
use stats::multiplicity::{Family, primary};
use stats::pairing::row_differences;
use stats::sequential::{Call, Look, Plan, Test};
use stats::spending::LookKind;
use stats::summary::t_test;

const CAP: usize = 20;
const MARGIN: f64 = 0.02;

/// The differences of the pairs of the next round.
fn pairs(simulation: &mut Simulation, count: usize) -> Vec<f64> {
    row_differences(&simulation.round(count)).expect("one slice of each side")
}

/// The last look of each of `runs` simulated runs with [`CAP`] rounds, by the function that decides headline measures.
fn last_looks(scenario: Scenario, effect: f64, runs: u64, seed: u64) -> Vec<Look> {
    let plan = Plan::new(Some(CAP));
    let look = |run| {
        let d = Simulation::new(scenario, effect, seed + run).rounds(CAP);
        primary(&[Test::of(&d, MARGIN)], &Family::of_one(0.05), &plan, LookKind::Last)[0].expect("rounds")
    };
    (0..runs).map(look).collect()
}

/// The share of the looks for which `holds` is true.
fn share(looks: &[Look], holds: impl Fn(&Look) -> bool) -> f64 {
    looks.iter().filter(|look| holds(look)).count() as f64 / looks.len() as f64
}

fn covers(look: &Look, truth: f64) -> bool {
    look.rci.is_some_and(|interval| interval.contains(truth))
}

#[test]
fn identical_arms_are_rarely_called_different() {
    let looks = last_looks(MID, 0.0, 1500, 1_000_000);
    let (wrong, covered) = (share(&looks, Look::is_difference), share(&looks, |look| covers(look, 0.0)));
    println!("A/A mid, 1500 runs at 5 %: false calls {wrong}, covered {covered}");
    // Three standard errors on either side: without a lower limit, a procedure that never calls anything would pass.
    assert!((0.02..=0.067).contains(&wrong) && covered >= 0.933, "{wrong} {covered}");
}

#[test]
fn a_difference_of_three_per_cent_in_cpu_is_detected() {
    let looks = last_looks(CPU, 0.03, 500, 2_000_000);
    let called = share(&looks, |look| look.call == Call::Worse);
    let rounds = looks.iter().map(|look| look.k as f64).sum::<f64>() / looks.len() as f64;
    let covered = share(&looks, |look| covers(look, -0.03));
    let excess = -0.03 - looks.iter().map(|look| look.mean).sum::<f64>() / looks.len() as f64;
    println!("cpu, 3 %: called {called}, mean rounds {rounds}, covered {covered}, overestimated by {excess}");
    assert!(called >= 0.97 && covered >= 0.92, "{called} {covered}");
    assert!(looks.iter().all(|look| look.call != Call::Better));
    // A run stops when the mean happens to be large, so effects are overestimated a little.
    assert!((-0.001..0.004).contains(&excess), "{excess}");
}

#[test]
fn identical_arms_are_called_the_same_and_arms_at_the_margin_rarely() {
    let same = |effect: f64, seed| share(&last_looks(CPU, effect, 500, seed), |look| look.call == Call::Same);
    let (equal, apart) = (same(0.0, 3_000_000), same(MARGIN.ln_1p(), 4_000_000));
    println!("cpu: identical arms are the same in {equal}, arms at the margin in {apart}");
    // A procedure with an error rate of 5 % per side stays below 8.2 % in 99.9 % of simulations.
    assert!(equal >= 0.85 && apart <= 0.082, "{equal} {apart}");
}

/// Shows why the statistical unit is the start and not the slice: a t test over slices, by which most published
/// comparisons are judged, calls identical arms different far too often.
#[test]
fn pooled_slices_call_identical_arms_different() {
    let false_calls = |runs: u64, slices: &dyn Fn(u64) -> Vec<f64>| {
        let called = (0..runs).filter(|&run| t_test(&slices(run)).is_some_and(|test| test.p < 0.01)).count();
        called as f64 / runs as f64
    };
    // One start of each arm, alternating slices for as long as 18 rounds last, a t test over the slices.
    let one_start = |run| pairs(&mut Simulation::new(CPU, 0.0, 5_000_000 + run), 486);
    let without_restarts = false_calls(200, &one_start);
    // 18 fresh starts whose slices are pooled: the test ignores that slices of one start share its luck.
    let many_starts = |run| {
        let mut simulation = Simulation::new(CPU, 0.0, 6_000_000 + run);
        (0..18).flat_map(|_| pairs(&mut simulation, PAIRS)).collect()
    };
    let pooled = false_calls(400, &many_starts);
    println!("A/A at 1 %: one start each {without_restarts}, 18 starts with slices pooled {pooled}");
    assert!(without_restarts > 0.4);
    assert!(pooled > 0.08);
}
