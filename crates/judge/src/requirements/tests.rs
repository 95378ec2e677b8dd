//! Requirements judged on made-up rounds.

use super::*;
use crate::testing::{PLAIN, Speed, experiment, record, round, two_levels};
use model::reason::{GeneratorLimit, Reason};
use model::units::{Seconds, Share};
use record::note::Note;
use record::outcome::Verdict;

fn requirement(arm: Option<&str>, subject: Subject, bound: Bound) -> Requirement {
    Requirement { arm: arm.map(str::to_owned), step: None, subject, bound }
}

const P99: Subject = Subject::Measure(Measure::ResponseP99);
const THROUGHPUT: Subject = Subject::Measure(Measure::Throughput);

fn run(experiment: Experiment, rounds: &[RoundRecord]) -> record::outcome::Report {
    crate::report(&record(experiment), rounds)
}

/// Five rounds in which `ten` has about this speed.
fn five(speed: Speed) -> Vec<RoundRecord> {
    let of = |number: u32| {
        let wave = 1.0 + 0.002 * f64::from(number * 2 % 5);
        round(number, &[PLAIN, speed.better(wave)])
    };
    (1..=5).map(of).collect()
}

fn verdicts(requirements: &[Requirement], rounds: &[RoundRecord]) -> Vec<(String, GateVerdict)> {
    let mut experiment = experiment();
    experiment.require = requirements.to_vec();
    let required = run(experiment, rounds).required.into_iter();
    required.map(|required| (required.arm, required.verdict)).collect()
}

#[test]
fn a_bound_holds_is_missed_or_open_by_the_whole_interval() {
    // The answers take 1 ms, the throughput is 20,000 a second.
    for (subject, bound, expected) in [
        (P99, Bound::Below(0.002), GateVerdict::Pass),
        (P99, Bound::Below(0.0005), GateVerdict::Fail),
        (P99, Bound::Below(0.000996), GateVerdict::Inconclusive),
        (THROUGHPUT, Bound::Above(10_000.0), GateVerdict::Pass),
        (THROUGHPUT, Bound::Above(30_000.0), GateVerdict::Fail),
    ] {
        let found = verdicts(&[requirement(None, subject, bound)], &five(PLAIN));
        assert_eq!(found, [("ten".to_owned(), expected)], "{subject:?} {bound:?}");
    }
    let too_few = verdicts(&[requirement(None, P99, Bound::Below(0.002))], &five(PLAIN)[..3]);
    assert_eq!(too_few[0].1, GateVerdict::Inconclusive);
}

#[test]
fn the_interval_is_in_the_unit_of_the_measure() {
    let mut experiment = experiment();
    experiment.require =
        vec![requirement(None, P99, Bound::Below(0.002)), requirement(None, THROUGHPUT, Bound::Above(1.0))];
    let report = run(experiment, &five(PLAIN));
    for (required, about) in report.required.iter().zip([1e-3, 20_000.0]) {
        let estimate = required.estimate.expect("an estimate");
        let (low, high) = (estimate.low.expect("an end"), estimate.high.expect("an end"));
        assert!(low < estimate.value && estimate.value < high, "{estimate:?}");
        assert!((estimate.value / about - 1.0).abs() < 0.01, "{estimate:?}");
    }
}

#[test]
fn a_requirement_may_name_an_arm_and_applies_to_the_baseline_only_then() {
    let bound = Bound::Below(0.002);
    let all = verdicts(&[requirement(None, P99, bound), requirement(Some("nine"), P99, bound)], &five(PLAIN));
    let names: Vec<&str> = all.iter().map(|(arm, _)| arm.as_str()).collect();
    assert_eq!(names, ["nine", "ten"]);
}

#[test]
fn not_slower_than_the_baseline_is_a_gate_of_any_measure() {
    let not_worse = requirement(None, THROUGHPUT, Bound::NotWorse(0.03));
    for (factor, expected) in [(0.98, GateVerdict::Pass), (1.2, GateVerdict::Pass), (0.8, GateVerdict::Fail)]
    {
        let found = verdicts(std::slice::from_ref(&not_worse), &five(PLAIN.better(factor)));
        assert_eq!(found[0].1, expected, "{factor}");
    }
}

#[test]
fn the_gate_is_the_first_requirement() {
    let mut gated = experiment();
    gated.design.set_gate(0.03);
    gated.require = vec![requirement(None, P99, Bound::Below(0.002))];
    let report = run(gated, &five(PLAIN));
    let measures: Vec<Subject> = report.required.iter().map(|required| required.measure).collect();
    assert_eq!(measures, [Measure::CpuPerRequest, Measure::ResponseP99].map(Subject::Measure));
    assert_eq!(report.required[0].bound, Bound::NotWorse(0.03));
}

#[test]
fn with_three_headline_measures_a_requirement_on_one_of_them_asks_its_own_question() {
    let of = |factor: f64, loss: f64| {
        let mut asked = experiment();
        let cpu = Subject::Measure(Measure::CpuPerRequest);
        asked.require = vec![requirement(None, cpu, Bound::NotWorse(loss))];
        let rounds = five(PLAIN.better(factor));
        let report = run(asked, &rounds);
        let head = report.comparisons.iter().find(|one| one.measure == Measure::CpuPerRequest);
        assert_eq!(report.required.len(), 1, "there is no gate");
        (head.expect("compared").verdict, report.required[0].verdict)
    };
    assert_eq!(of(0.95, 0.02), (Verdict::Costlier, GateVerdict::Fail));
    // The loss is shown, and it is allowed.
    assert_eq!(of(0.95, 0.10), (Verdict::Costlier, GateVerdict::Pass));
    assert_eq!(of(1.05, 0.02), (Verdict::Cheaper, GateVerdict::Pass));
}

#[test]
fn wrong_answers_are_judged_level_by_level_and_few_requests_decide_nothing() {
    let most = Bound::Below(1e-4);
    let of = |requests: u64, ok: u64| {
        let ends = Ends { step: None, wrong: requests - ok, all: requests };
        judge_wrong_ends(ends, most, 0.99).verdict
    };
    assert_eq!(of(1_000_000, 1_000_000), GateVerdict::Pass);
    assert_eq!(of(1_000, 1_000), GateVerdict::Inconclusive);
    assert_eq!(of(1_000_000, 999_000), GateVerdict::Fail);
    assert_eq!(of(0, 0), GateVerdict::Inconclusive);
    let mut levels = two_levels();
    levels.require = vec![requirement(None, Subject::Errors, most)];
    let rounds: Vec<RoundRecord> =
        (1..=5).map(|number| crate::testing::levels(number, &[[PLAIN, PLAIN], [PLAIN, PLAIN]])).collect();
    // Two levels of the closed loop and the stage at a rate.
    assert_eq!(run(levels, &rounds).required.len(), 3);
}

#[test]
fn a_requirement_at_an_invalid_level_is_open_with_the_reason() {
    let mut experiment = experiment();
    experiment.require = vec![
        requirement(None, THROUGHPUT, Bound::Above(1.0)),
        requirement(None, Subject::Errors, Bound::Below(1e-4)),
    ];
    let mut rounds = five(PLAIN);
    for slice in rounds.iter_mut().flat_map(|round| &mut round.slices).filter(|slice| slice.arm == 1) {
        slice.counts.requests += 100;
        slice.counts.faults.insert("wrong_status".to_owned(), 100);
    }
    let required = run(experiment, &rounds).required;
    assert_eq!(required[0].verdict, GateVerdict::Inconclusive);
    assert!(required[0].why_invalid.as_ref().is_some_and(|why| matches!(why, Reason::Answers(_))));
    assert_eq!((required[1].verdict, required[1].why_invalid.clone()), (GateVerdict::Fail, None));
}

#[test]
fn a_requirement_against_the_baseline_rests_on_the_level_of_both_arms() {
    let mut experiment = experiment();
    experiment.require = vec![
        requirement(None, THROUGHPUT, Bound::NotWorse(0.03)),
        requirement(None, THROUGHPUT, Bound::Above(1.0)),
    ];
    let mut rounds = five(PLAIN);
    for round in &mut rounds {
        let of_baseline = round.slices.iter_mut().filter(|slice| slice.arm == 0);
        for slice in of_baseline.take(2) {
            slice.why_invalid = Some(Reason::GeneratorSaturated(GeneratorLimit::EventLoopBusy {
                share: Share(0.95),
                limit: Share(0.9),
            }));
        }
    }
    let required = run(experiment, &rounds).required;
    let relative = &required[0];
    assert_eq!(relative.verdict, GateVerdict::Inconclusive);
    assert!(relative.why_invalid.is_some(), "{relative:?}");
    assert_eq!((required[1].verdict, &required[1].why_invalid), (GateVerdict::Pass, &None));
}

#[test]
fn a_run_continues_while_another_round_may_decide() {
    let mut experiment = experiment();
    experiment.require = vec![requirement(None, P99, Bound::Below(0.000996))];
    let numbers = |rounds: &[RoundRecord]| Numbers::of_rounds(&experiment, rounds);
    let open = |rounds: &[RoundRecord]| {
        crate::verdicts::judge(
            &experiment,
            &numbers(rounds),
            Seconds(20.0),
            stats::spending::LookKind::Running,
        )
        .open
    };
    assert!(open(&five(PLAIN)), "a bound in the midst of the interval");
    let mut without = five(PLAIN);
    for round in &mut without {
        round.latency_void = Some(crate::testing::saturated());
    }
    assert!(!open(&without), "no start had a response time");
    assert!(open(&without[..3]));
}

/// The width of an interval, as a log ratio.
fn width(required: &Required) -> f64 {
    let estimate = required.estimate.expect("an estimate");
    (estimate.high.expect("an end") / estimate.low.expect("an end")).ln()
}

#[test]
fn all_bounds_of_a_file_share_one_error_rate() {
    let p99 = requirement(None, P99, Bound::Below(0.002));
    let errors = requirement(None, Subject::Errors, Bound::Below(1e-4));
    let with = |require: &[Requirement], alpha: f64| {
        let mut experiment = experiment();
        (experiment.require, experiment.design.alpha) = (require.to_vec(), alpha);
        run(experiment, &five(PLAIN)).required
    };
    let of = |required: &[Required], subject: Subject| -> Vec<Estimate> {
        let own = required.iter().filter(|required| required.measure == subject);
        own.map(|required| required.estimate.expect("an estimate")).collect()
    };
    let both = with(&[p99.clone(), errors.clone()], 0.01);
    // Each of two bounds has half of the error rate.
    let alone = with(std::slice::from_ref(&p99), 0.01);
    assert!(width(&both[0]) > width(&alone[0]), "errors take their part");
    let errors_alone = with(std::slice::from_ref(&errors), 0.005);
    assert_eq!(of(&both, Subject::Errors), of(&errors_alone, Subject::Errors));
    assert_ne!(of(&both, Subject::Errors), of(&with(&[errors], 0.01), Subject::Errors));
}

#[test]
fn a_requirement_on_a_missing_arm_gets_a_note_and_stays_open() {
    let mut experiment = experiment();
    let bound = Bound::Below(0.002);
    experiment.require = vec![
        requirement(Some("main"), P99, bound),
        requirement(Some("main"), Subject::Errors, bound),
        requirement(Some("nine"), P99, bound),
    ];
    let report = run(experiment, &five(PLAIN));
    let named =
        |note: &&Note| matches!(note, Note::Arm(ArmNote::RequirementWithoutArm { arm }) if arm == "main");
    assert_eq!(report.notes.iter().filter(named).count(), 1, "{:?}", report.notes);
    let arms: Vec<&str> = report.required.iter().map(|required| required.arm.as_str()).collect();
    assert_eq!(arms, ["nine", "main", "main"]);
    // They are open, so that a build that requires certainty does not pass.
    let open = report.required[1..].iter().all(|required| required.verdict == GateVerdict::Inconclusive);
    assert!(open, "{:?}", report.required);
}

#[test]
fn a_requirement_without_a_name_applies_to_an_arm_that_is_alone() {
    let mut alone = crate::testing::alone();
    alone.require = vec![
        requirement(None, P99, Bound::Below(0.002)),
        requirement(None, THROUGHPUT, Bound::Above(30_000.0)),
    ];
    let rounds: Vec<RoundRecord> = five(PLAIN)
        .into_iter()
        .map(|mut round| {
            round.slices.retain(|slice| slice.arm == 1);
            round.trials.retain(|trial| trial.arm == 1);
            round.slices.iter_mut().for_each(|slice| slice.arm = 0);
            round.trials.iter_mut().for_each(|trial| trial.arm = 0);
            round
        })
        .collect();
    let report = run(alone, &rounds);
    let found = report.required.iter().map(|required| {
        let level = required.level.as_ref();
        (required.verdict, level.and_then(|level| level.users))
    });
    let expected = [(GateVerdict::Pass, None), (GateVerdict::Fail, Some(4))];
    assert_eq!(found.collect::<Vec<_>>(), expected);
    assert!(report.required[0].level.as_ref().is_some_and(|level| level.rate.is_some()));
}
