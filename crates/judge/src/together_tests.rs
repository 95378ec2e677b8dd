//! Rounds whose arms were loaded together at the fixed rate.

use crate::numbers::Numbers;
use crate::testing::{PLAIN, RATE, Speed, experiment, record, round};
use crate::tuning::{Place, pairs_in_round};
use crate::validity::{Circumstances, check_fixed_rate};
use ask::experiment::{Experiment, Pacing};
use model::load::Load;
use model::measure::Measure;
use model::reason::Reason;
use model::units::{BitRate, Rate};
use record::level_figure::LevelFigure;
use record::note::Note;
use record::outcome::Report;
use record::rounds::{RoundRecord, SliceRecord};
use traffic::load_note::LoadNote;

const AROUND: Circumstances =
    Circumstances { users: None, cpus: 2, margin: 0.03, ticks_per_second: 100.0, link: None };

fn name(arm: usize) -> &'static str {
    ["nine", "ten"][arm]
}

fn together() -> Experiment {
    let mut experiment = experiment();
    experiment.design.pacing = Pacing::Together;
    experiment
}

/// A round whose rows at the fixed rate were measured together.
fn round_together(number: u32, speeds: &[Speed]) -> RoundRecord {
    let mut round = round(number, speeds);
    let stage = round.slices.iter_mut().filter(|slice| slice.rate.is_some());
    for (index, slice) in stage.enumerate() {
        slice.together = true;
        slice.started_ns = (index / speeds.len()) as u64 * 600_000_000;
    }
    round
}

/// The load at which a report compares a measure.
fn load_compared(report: &Report, measure: Measure) -> Option<Load> {
    let mut of = report.comparisons.iter();
    let found = of.find(|comparison| comparison.measure == measure);
    found.expect("compared").level.clone()
}

#[test]
fn what_slows_the_machine_in_a_window_is_in_both_arms_and_cancels() {
    let mut round = round_together(1, &[PLAIN, PLAIN.better(1.05)]);
    let clean = Numbers::of(&together(), &round).expect("numbers");
    for slice in round.slices.iter_mut().filter(|slice| slice.together) {
        // A neighbour makes every third window twice as costly, and every second one by a tenth.
        let window = slice.started_ns / 600_000_000;
        let factor = if window % 3 == 0 { 2.0 } else { 1.0 + (window % 2) as f64 / 10.0 };
        slice.cpu_ns_arm = (slice.cpu_ns_arm as f64 * factor) as u64;
    }
    let noisy = Numbers::of(&together(), &round).expect("numbers");
    let d = |numbers: &Numbers| numbers.d(1, Measure::CpuPerRequest, 0).expect("measured");
    assert!((d(&noisy) - d(&clean)).abs() < 1e-4, "{} {}", d(&noisy), d(&clean));
    assert!((d(&clean) - 1.05f64.ln()).abs() < 1e-4);
}

#[test]
fn the_other_arms_are_not_idle_and_share_the_link() {
    let change = |round: &mut RoundRecord, change: &dyn Fn(&mut SliceRecord)| {
        round.slices.retain(|slice| slice.rate.is_some());
        round.slices.iter_mut().for_each(change);
    };
    let busy = |slice: &mut SliceRecord| slice.cpu_ns_other_arms = 200_000_000;
    let [mut shared, mut alone] = [round_together(1, &[PLAIN, PLAIN]), round(1, &[PLAIN, PLAIN])];
    change(&mut shared, &busy);
    change(&mut alone, &busy);
    assert_eq!(check_fixed_rate(&shared.slices, AROUND, name), None);
    let why = check_fixed_rate(&alone.slices, AROUND, name);
    assert!(matches!(why, Some(Reason::UnloadedArmBusy { .. })), "{why:?}");
    // Each arm fills half of the link.
    let bits = 8.0 * 66.0 * PLAIN.ok as f64 / 0.5;
    let around = Circumstances { link: Some(BitRate((2.0 * bits) as u64)), ..AROUND };
    let why = check_fixed_rate(&shared.slices, around, name);
    assert!(matches!(why, Some(Reason::LinkSaturated(_))), "{why:?}");
    change(&mut alone, &|slice| slice.cpu_ns_other_arms = 0);
    assert_eq!(check_fixed_rate(&alone.slices, around, name), None);
}

#[test]
fn a_report_says_where_a_figure_is_that_of_an_arm_beside_the_others() {
    let rounds: Vec<RoundRecord> = (1..=5).map(|n| round_together(n, &[PLAIN, PLAIN])).collect();
    let report = crate::report(&record(together()), &rounds);
    let load = Load { rate: Some(Rate(RATE)), together: true, ..Load::default() };
    let compared = |measure| load_compared(&report, measure);
    assert_eq!(compared(Measure::CpuPerRequest), Some(load.clone()));
    assert_eq!(compared(Measure::ResponseP99), Some(load.clone()));
    assert!(report.arms.iter().all(|arm| arm.levels.iter().any(|level| level.load == load)));
    let note = LoadNote::LoadedTogether { arms: 2, rate: Rate(RATE), for_cpu: false };
    assert!(report.notes.contains(&Note::from(note)), "{:?}", report.notes);
}

/// An experiment whose stage is mixed.
fn mixed() -> Experiment {
    let mut experiment = experiment();
    experiment.design.pacing = Pacing::Mixed;
    experiment
}

/// A round with rows in turn, and after them rows of all arms at once with half of the rate each.
fn mixed_round(number: u32, in_turn: &[Speed], at_once: &[Speed]) -> RoundRecord {
    let mut round = round(number, in_turn);
    let together = round_together(number, at_once);
    let next_quad = round.open().map(|slice| slice.quad + 1).max().unwrap_or(0);
    round.slices.extend(together.open().map(|slice| SliceRecord {
        quad: slice.quad + next_quad,
        rate: Some(Rate(RATE / 2.0)),
        ..slice.clone()
    }));
    round
}

#[test]
fn a_mixed_stage_takes_cpu_from_the_arms_at_once_and_times_from_the_arms_in_turn() {
    let round = mixed_round(1, &[PLAIN, PLAIN.better(1.2)], &[PLAIN, PLAIN.better(1.05)]);
    assert!(round.is_mixed());
    let numbers = Numbers::of(&mixed(), &round).expect("numbers");
    let d = |measure: Measure| numbers.d(1, measure, 0).expect("measured");
    assert!((d(Measure::CpuPerRequest) - 1.05f64.ln()).abs() < 1e-4);
    assert!((d(Measure::ResponseP50) - 1.2f64.ln()).abs() < 0.002);
    let place = Place { arm: 1, level: 0 };
    let pairs = pairs_in_round(&mixed(), &round, Measure::CpuPerRequest, place).expect("in rows");
    assert_eq!(2 * pairs.len(), round.open_for_cpu().count());
    let only_repeated =
        RoundRecord { latency_repeated: round.open_for_cpu().map(|slice| slice.quad).collect(), ..round };
    assert!(!only_repeated.is_mixed());
    assert_eq!(only_repeated.open_for_cpu().count(), only_repeated.open().count());
}

#[test]
fn a_report_of_a_mixed_stage_has_a_load_for_each_part() {
    let rounds: Vec<RoundRecord> =
        (1..=5).map(|number| mixed_round(number, &[PLAIN, PLAIN], &[PLAIN, PLAIN])).collect();
    let report = crate::report(&record(mixed()), &rounds);
    let load = |rate: f64, together: bool| Load { rate: Some(Rate(rate)), together, ..Load::default() };
    let [times, cpu] = [load(RATE, false), load(RATE / 2.0, true)];
    let compared = |measure| load_compared(&report, measure);
    assert_eq!(compared(Measure::CpuPerRequest), Some(cpu.clone()));
    assert_eq!(compared(Measure::ResponseP50), Some(times.clone()));
    for arm in &report.arms {
        let measures = |load: &Load| {
            let level = arm.levels.iter().find(|level| level.load == *load);
            let measures = &level.expect("the level").measures;
            [Measure::CpuPerRequest, Measure::ResponseP50]
                .map(|measure| measures.contains_key(&LevelFigure::Measure(measure)))
        };
        assert_eq!([measures(&times), measures(&cpu)], [[false, true], [true, false]]);
    }
    let note = LoadNote::LoadedTogether { arms: 2, rate: Rate(RATE / 2.0), for_cpu: true };
    assert!(report.notes.contains(&Note::from(note)), "{:?}", report.notes);
}

#[test]
fn idle_arms_of_a_mixed_design_have_one_load_for_all_measures() {
    let rounds: Vec<RoundRecord> = (1..=5).map(|number| round_together(number, &[PLAIN, PLAIN])).collect();
    let report = crate::report(&record(mixed()), &rounds);
    let load = Load { rate: Some(Rate(RATE)), together: true, ..Load::default() };
    for measure in [Measure::CpuPerRequest, Measure::ResponseP50] {
        assert_eq!(load_compared(&report, measure), Some(load.clone()), "{measure:?}");
        for arm in &report.arms {
            let level = arm.levels.iter().find(|level| level.load == load).expect("the level");
            assert!(level.measures.contains_key(&LevelFigure::Measure(measure)), "{measure:?}");
        }
    }
}
