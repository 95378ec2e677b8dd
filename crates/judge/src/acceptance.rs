//! May the verdicts be believed? These tests run the code that stops a run and gives its verdict on simulated noise whose truth
//! is known. Seeds are fixed, so a test passes either always or never. `cargo test -p judge acceptance -- --nocapture` prints
//! the rates that were found; comments give the expected ones next to the limits. The rules alone are tested in `stats`.

#[path = "../../stats/tests/it/noise_model.rs"]
pub(crate) mod noise_model;

use crate::family::plan_beside_gate;
use crate::numbers::{ClosedLevel, Numbers};
use crate::testing::experiment;
use crate::verdicts::judge;
use ask::experiment::{Experiment, Headline, Margins};
use model::measure::Measure;
use model::units::Seconds;
use noise_model::{CPU, MID, Normals, Scenario, Simulation};
use record::outcome::{Comparison, GateVerdict, Verdict};
use stats::spending::LookKind;

/// An experiment with so many arms, whose design is changed by `change`.
fn experiment_of(arms: usize, change: impl Fn(&mut ask::experiment::Design)) -> Experiment {
    let mut experiment = experiment();
    for number in experiment.arms.len()..arms {
        let mut arm = experiment.arms[1].clone();
        arm.name = format!("arm {number}");
        experiment.arms.push(arm);
    }
    experiment.design.headline = Headline::One(Measure::CpuPerRequest);
    change(&mut experiment.design);
    experiment
}

/// The numbers of rounds in which the headline of each arm but the baseline has these `D`, round by round.
fn numbers(d: &[Vec<f64>]) -> Vec<Numbers> {
    let head = Measure::CpuPerRequest as usize;
    let number = |round: usize| {
        let mut values = vec![[None; Measure::ALL.len()]; d.len() + 1];
        values[0][head] = Some(0.0);
        for (arm, d) in d.iter().enumerate() {
            values[arm + 1][head] = Some(d[round]);
        }
        let mut numbers = Numbers { levels: vec![Some(ClosedLevel::default())], ..Numbers::default() };
        numbers.levels[0].as_mut().expect("a level").values.d = values.clone();
        numbers.per_start.d = values;
        numbers
    };
    (0..d[0].len()).map(number).collect()
}

/// The headline's comparisons of a run that stops by itself, and after how many rounds it stops.
fn verdicts(experiment: &Experiment, d: &[Vec<f64>]) -> (Vec<Comparison>, usize) {
    let numbers = numbers(d);
    let decided = |k: &usize| judge(experiment, &numbers[..*k], Seconds(20.0), LookKind::Running).decided;
    let early = plan_beside_gate(&experiment.design).early_looks(numbers.len());
    let k = early.into_iter().find(decided).unwrap_or(numbers.len());
    let standing = judge(experiment, &numbers[..k], Seconds(20.0), LookKind::Last);
    let heads =
        standing.comparisons.into_iter().filter(|comparison| comparison.measure == Measure::CpuPerRequest);
    (heads.collect(), k)
}

fn is_difference(comparison: &Comparison) -> bool {
    comparison.verdict.direction().is_some()
}

/// Simulated runs of two arms: for each of `runs` runs, `D` of `rounds` rounds.
fn series(scenario: Scenario, effect: f64, runs: u64, rounds: usize, seed: u64) -> Vec<Vec<Vec<f64>>> {
    let one = |run| vec![Simulation::new(scenario, effect, seed + run).rounds(rounds)];
    (0..runs).map(one).collect()
}

fn share(count: usize, of: usize) -> f64 {
    count as f64 / of as f64
}

/// The shares of runs in which a gate of 3 % passes, fails and stays open, at this true loss.
fn gate(loss: f64, seed: u64) -> [f64; 3] {
    let experiment = experiment_of(2, |design| {
        design.starts = Some(30);
        design.gate = Some(0.03);
    });
    let runs = series(CPU, loss.ln_1p(), 200, 30, seed);
    let found: Vec<GateVerdict> =
        runs.iter().map(|d| verdicts(&experiment, d).0[0].gate.expect("a gate")).collect();
    [GateVerdict::Pass, GateVerdict::Fail, GateVerdict::Inconclusive]
        .map(|wanted| share(found.iter().filter(|gate| **gate == wanted).count(), found.len()))
}

#[test]
fn a_gate_passes_what_it_allows_and_fails_what_it_does_not() {
    // The table of the method: pass, fail, open at a true loss of 0, 2, 3 and 5 %.
    let expected = [
        (0.0, [1.0, 0.0, 0.0]),
        (0.02, [0.68, 0.0, 0.32]),
        (0.03, [0.04, 0.01, 0.95]),
        (0.05, [0.0, 0.96, 0.05]),
    ];
    for (index, (loss, expected)) in expected.into_iter().enumerate() {
        let found = gate(loss, 1_000 * (index as u64 + 1));
        println!("gate of 3 %, true loss {loss}: pass, fail, open {found:?}");
        for (found, expected) in found.into_iter().zip(expected) {
            // Four standard errors of 200 runs at 68 % are 0.13.
            assert!((found - expected).abs() <= 0.13, "{loss}: {found} for {expected}");
        }
        // A loss that is allowed fails in at most alpha.
        assert!(loss > 0.03 || found[1] <= 0.03);
    }
}

#[test]
fn until_sure_identical_arms_are_rarely_called_different() {
    let experiment = experiment_of(2, |design| {
        design.starts = None;
        design.alpha = 0.05;
    });
    let runs = series(MID, 0.0, 300, 40, 50_000);
    let wrong = runs.iter().filter(|d| verdicts(&experiment, d).0.iter().any(is_difference)).count();
    let wrong = share(wrong, runs.len());
    println!("until sure, A/A, 40 rounds at 5 %: false calls {wrong}");
    // 5 % over any number of rounds; forty spend less.
    assert!(wrong <= 0.05, "{wrong}");
}

#[test]
fn identical_arms_are_not_called_different_and_three_per_cent_is() {
    let experiment = experiment_of(2, |design| {
        design.starts = Some(20);
        design.margins = Margins::all(0.02);
    });
    let ends = |runs: &[Vec<Vec<f64>>]| -> Vec<(Comparison, usize)> {
        let end = |d: &Vec<Vec<f64>>| {
            let (mut found, k) = verdicts(&experiment, d);
            (found.remove(0), k)
        };
        runs.iter().map(end).collect()
    };
    let same = ends(&series(CPU, 0.0, 300, 20, 60_000));
    let wrong = same.iter().filter(|(end, _)| is_difference(end)).count();
    let equal = same.iter().filter(|(end, _)| end.verdict == Verdict::Same).count();
    let seen = ends(&series(CPU, 0.03, 300, 20, 70_000));
    let called = seen.iter().filter(|(end, _)| end.verdict == Verdict::Costlier).count();
    let rounds = seen.iter().map(|(_, k)| *k as f64).sum::<f64>() / 300.0;
    println!(
        "300 A/A: {wrong} wrong, {equal} same; 300 of 3 %: {called} called, {rounds} rounds in the mean"
    );
    // 5 % of 300 and three standard errors.
    assert!(wrong <= 26 && equal >= 240, "{wrong} {equal}");
    assert!(called >= 290 && rounds <= 16.0, "{called} {rounds}");
    assert!(seen.iter().all(|(end, _)| end.verdict != Verdict::Cheaper));
}

#[test]
fn three_identical_arms_share_the_error() {
    let experiment = experiment_of(4, |design| {
        design.starts = Some(20);
        design.alpha = 0.05;
        design.margins = Margins::all(0.001);
    });
    let mut noise = Normals::new(80_000);
    let mut wrong = 0;
    for _ in 0..400 {
        // Half of the variance is the baseline's, and so common to all three.
        let common: Vec<f64> = (0..20).map(|_| noise.next()).collect();
        let d: Vec<Vec<f64>> =
            (0..3).map(|_| common.iter().map(|c| 0.02 * (c + noise.next())).collect()).collect();
        wrong += usize::from(verdicts(&experiment, &d).0.iter().any(is_difference));
    }
    let wrong = share(wrong, 400);
    println!("three identical arms at 5 %: any false call {wrong}");
    // Three standard errors of 400 runs at 5 %.
    assert!((0.02..=0.083).contains(&wrong), "{wrong}");
}
