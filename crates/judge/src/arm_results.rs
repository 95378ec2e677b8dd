//! What a report says of each arm: its levels, start-up and memory.

use crate::arm_levels::{closed_level, fixed_rate_levels};
use crate::find;
use crate::numbers::Numbers;
use crate::start_means::mean_over_rounds;
use crate::validity::{self, Answers};
use ask::experiment::Experiment;
use model::measure::Measure;
use record::note::ArmNote;
use record::outcome::{ArmResult, Effective};
use record::rounds::{RoundRecord, TrialRecord, counted};
use std::collections::BTreeMap;

/// The results of all arms, in the order of the experiment; diagnoses and what a search found are filled in later.
pub(crate) fn arm_results(
    experiment: &Experiment,
    rounds: &[RoundRecord],
    numbers: &[Numbers],
    effective: &[Effective],
) -> Vec<ArmResult> {
    let arm = |(index, arm): (usize, &ask::arm::Arm)| {
        let mean = |measure: Measure| mean_over_rounds(numbers, |numbers| numbers.value(index, measure, 0));
        let levels = 0..find::mode(experiment).reported_levels(experiment, rounds);
        let closed = levels.map(|level| closed_level(experiment, index, level, rounds, numbers));
        ArmResult {
            name: arm.name.clone(),
            unseen: arm.is_unseen(),
            effective: effective.get(index).cloned().unwrap_or_default(),
            levels: closed.chain(fixed_rate_levels(experiment, index, rounds, numbers)).collect(),
            startup: mean(Measure::StartUp),
            peak_memory: mean(Measure::PeakMemory),
            facts: mean_facts(index, rounds),
            diagnoses: Vec::new(),
            request_times: Vec::new(),
            found: None,
            curve: Vec::new(),
        }
    };
    let mut arms: Vec<ArmResult> = experiment.arms.iter().enumerate().map(arm).collect();
    void_unlike_levels(&mut arms, experiment);
    arms
}

/// Fewest answers to a mix of requests whose mean size is compared. With half of the answers empty, the
/// standard error of the mean size of so many is 1 %, and of the difference between two arms 1.4 %.
const MIXED: u64 = 10_000;

/// What control groups and services counted while an arm ran, as a mean over the starts that count; where none does, over all, because what
/// voided them is to be diagnosed, too.
fn mean_facts(arm: usize, rounds: &[RoundRecord]) -> BTreeMap<String, f64> {
    let of_counted: Vec<&TrialRecord> = counted(rounds).filter_map(|round| round.trials.get(arm)).collect();
    let trials = match of_counted.is_empty() {
        true => rounds.iter().filter_map(|round| round.trials.get(arm)).collect(),
        false => of_counted,
    };
    let mut sums: BTreeMap<String, f64> = BTreeMap::new();
    for (name, value) in trials.iter().flat_map(|trial| &trial.facts) {
        *sums.entry(name.clone()).or_default() += value;
    }
    sums.values_mut().for_each(|sum| *sum /= trials.len() as f64);
    sums
}

/// Marks the levels as invalid at which an arm fails with another frequency than the baseline, or with answers of another size. Where the
/// baseline itself is invalid, nothing is compared, and the arm keeps its figures.
fn void_unlike_levels(arms: &mut [ArmResult], experiment: &Experiment) {
    let base = arms[experiment.design.baseline].clone();
    for arm in arms.iter_mut().filter(|arm| arm.name != base.name) {
        for (level, theirs) in arm.levels.iter_mut().zip(&base.levels).filter(|(_, theirs)| theirs.valid) {
            let theirs = Answers { name: &base.name, counts: &theirs.counts };
            let ours = Answers { name: &arm.name, counts: &level.counts };
            let workload = &experiment.workload;
            // In a mix of requests, a few more answers of a large kind may be chance.
            let is_mixed = workload.mix.is_some() || workload.sessions.is_some();
            let chance = is_mixed && theirs.counts.ok.min(ours.counts.ok) < MIXED;
            // How much of an answer without end was read depends on when it was left.
            let is_left = level.events.as_ref().is_some_and(|events| events.left > 0);
            let bodies = || {
                let reason = validity::compare_bodies(theirs, ours);
                reason.filter(|_| !workload.unlike_answers && !chance && !is_left)
            };
            let unlike = validity::compare_errors(theirs, ours).or_else(bodies);
            if level.valid && unlike.is_some() {
                (level.valid, level.why_invalid) = (false, unlike);
            }
        }
    }
}

/// A note for each arm whose headers differ in size from the baseline's.
pub(crate) fn notes_on_unlike_headers(arms: &[ArmResult], baseline: usize) -> Vec<ArmNote> {
    let first =
        |arm: usize| Some(Answers { name: &arms[arm].name, counts: &arms[arm].levels.first()?.counts });
    let others = (0..arms.len()).filter(|arm| *arm != baseline);
    others.filter_map(|arm| validity::note_on_headers(first(baseline)?, first(arm)?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{PLAIN, experiment, levels, round, stolen, two_levels};
    use crate::verdicts::judge;
    use crate::voiding::{all_valid, void_comparisons};
    use model::reason::Reason;
    use model::units::{Seconds, Share};
    use record::histogram::SparseHistogram;
    use record::level_figure::LevelFigure;
    use record::outcome::{Comparison, HeldBack, Verdict};
    use record::remark::Remark;
    use record::rounds::{LevelRecord, VoidArm};
    use stats::spending::LookKind;

    fn judged(rounds: &[RoundRecord]) -> (Vec<ArmResult>, Vec<Comparison>) {
        let numbers = Numbers::of_rounds(&experiment(), rounds);
        let arms = arm_results(&experiment(), rounds, &numbers, &[]);
        let mut comparisons = judge(&experiment(), &numbers, Seconds(20.0), LookKind::Last).comparisons;
        void_comparisons(&mut comparisons, &arms, &[]);
        (arms, comparisons)
    }

    fn five(change: impl Fn(&mut RoundRecord)) -> Vec<RoundRecord> {
        rounds(5, change)
    }

    fn rounds(count: u32, change: impl Fn(&mut RoundRecord)) -> Vec<RoundRecord> {
        (1..=count)
            .map(|number| {
                let mut round = round(number, &[PLAIN, PLAIN]);
                change(&mut round);
                round
            })
            .collect()
    }

    #[test]
    fn healthy_rounds_are_counted_and_valid() {
        let (arms, comparisons) = judged(&rounds(8, |_| ()));
        let level = &arms[1].levels[0];
        assert_eq!((level.valid, level.counts.ok, level.counts.connects), (true, 8 * 4 * 10_000, 32));
        assert!((level.value(Measure::Throughput).expect("measured") - 20_000.0).abs() < 1e-6);
        assert!((level.generator.cpu.0 - 0.2).abs() < 1e-12);
        assert!(comparisons.iter().all(|comparison| comparison.verdict == Verdict::Same));
    }

    #[test]
    fn an_arm_without_a_right_answer_leaves_the_other_arm_its_figures() {
        let dead = rounds(5, |round| {
            for slice in round.slices.iter_mut().filter(|slice| slice.arm == 1) {
                slice.counts.faults.insert("response_timeout".to_owned(), slice.counts.requests);
                slice.counts.ok = 0;
            }
            let reason = Reason::OfArm { arm: "ten".to_owned(), reason: Box::new(Reason::NoValue) };
            round.levels = vec![LevelRecord {
                pairs: 4,
                void_arms: vec![VoidArm { arm: 1, reason }],
                ..LevelRecord::default()
            }];
            round.slices.retain(|slice| slice.rate.is_none());
        });
        let (arms, comparisons) = judged(&dead);
        let [nine, ten] = [0, 1].map(|arm: usize| &arms[arm].levels[0]);
        assert!(nine.valid && nine.value(Measure::Throughput).is_some(), "{nine:?}");
        assert!(!ten.valid && ten.value(Measure::Throughput).is_none(), "{ten:?}");
        assert!(
            matches!(ten.why_invalid, Some(Reason::StartsVoid { starts: 5, .. })),
            "{:?}",
            ten.why_invalid
        );
        assert!(ten.counts.faults["response_timeout"] > 0, "its errors are told");
        let of_level = comparisons.iter().filter(|one| one.measure == Measure::Throughput);
        assert!(of_level.clone().count() > 0 && of_level.clone().all(|one| one.verdict == Verdict::Invalid));
    }

    #[test]
    fn a_ratio_is_that_of_the_figures_in_its_row() {
        let stalled = |round: &mut RoundRecord| {
            let start = u64::from(round.round);
            let slices = round.slices.iter_mut().filter(|slice| slice.arm == 1);
            for (index, slice) in slices.enumerate().filter(|(index, _)| index % 2 == 0) {
                slice.counts.ok -= 900 * start * (1 + index as u64 % 3);
            }
        };
        let (arms, comparisons) = judged(&rounds(3, stalled));
        for (level, measure) in [(0, Measure::Throughput), (1, Measure::CpuPerRequest)] {
            let value = |arm: usize| arms[arm].levels[level].value(measure).expect("measured");
            let [theirs, ours] = [0, 1].map(value);
            let mut of_measure = comparisons.iter().filter(|comparison| comparison.measure == measure);
            let ratio = of_measure.next().expect("compared").ratio.expect("three starts");
            assert!((ratio.value - 1.0).abs() > 0.05, "{measure:?}");
            assert!((ratio.value / (ours / theirs) - 1.0).abs() < 1e-12, "{measure:?}");
        }
    }

    #[test]
    fn events_that_come_together_are_a_gap_of_0_and_no_gap_that_nobody_measured() {
        let mut streaming = experiment();
        streaming.design.streams = true;
        let millis = |millis: u64| SparseHistogram::from_iter([(millis * 1_000_000, 1)]).max();
        let gaps = |of_arms: [u64; 2]| {
            let rounds = rounds(8, |round| {
                for slice in &mut round.slices {
                    slice.events.events = 100;
                    slice.events.gaps = vec![(millis(of_arms[slice.arm]), 90)];
                }
            });
            let numbers = Numbers::of_rounds(&streaming, &rounds);
            let arms = arm_results(&streaming, &rounds, &numbers, &[]);
            let comparisons = judge(&streaming, &numbers, Seconds(20.0), LookKind::Last).comparisons;
            let gap = comparisons.into_iter().find(|one| one.measure == Measure::EventGap).expect("compared");
            let shown = [0, 1].map(|arm: usize| arms[arm].levels[0].value(Measure::EventGap));
            (shown, gap.verdict, gap.ratio.map(|ratio| ratio.value), gap.remarks)
        };
        let (shown, verdict, ratio, _) = gaps([0, 0]);
        assert_eq!((shown, verdict, ratio), ([Some(0.0); 2], Verdict::Same, Some(1.0)));
        let (shown, verdict, ratio, remarks) = gaps([0, 4]);
        assert!(shown[0] == Some(0.0) && shown[1] > Some(0.003), "{shown:?}");
        assert_eq!((verdict, ratio, remarks), (Verdict::Inconclusive, None, vec![Remark::OneIsZero]));
        let (shown, verdict, ratio, _) = gaps([4, 4]);
        assert!(shown[0] > Some(0.003), "{shown:?}");
        assert_eq!((verdict, ratio), (Verdict::Same, Some(1.0)));
    }

    #[test]
    fn the_far_tail_has_an_interval_over_the_starts_or_says_what_it_lacks() {
        let far = |windows: usize| {
            let spread = |round: &mut RoundRecord| {
                for slice in &mut round.slices {
                    slice.longest_ns = vec![PLAIN.response_ns; windows];
                }
            };
            judged(&five(spread)).0[1].levels[1].clone()
        };
        let figure = LevelFigure::Measure(Measure::ResponseP999);
        let level = far(25);
        let p999 = level.measures[&figure];
        assert!((p999.value - 1e-3).abs() < 2e-6 && p999.low <= p999.high && p999.low.is_some());
        assert!(level.not_estimable.is_empty());
        // One tenth of a second in each start makes five episodes where thirty have to be.
        let short = far(0);
        assert!(short.not_estimable[&figure] > Seconds(100.0) && short.not_estimable[&figure].0.is_finite());
        assert!(short.not_estimable.contains_key(&Measure::ResponseP50.into()), "{short:?}");
    }

    #[test]
    fn an_arm_that_answers_wrongly_voids_every_verdict_about_it() {
        let wrong = |round: &mut RoundRecord| {
            for slice in round.slices.iter_mut().filter(|slice| slice.arm == 1) {
                slice.counts.requests += 100;
                slice.counts.faults.insert("wrong_status".to_owned(), 100);
            }
        };
        let (arms, comparisons) = judged(&five(wrong));
        assert!(arms[0].levels[0].valid && !arms[1].levels[0].valid);
        for comparison in comparisons {
            assert_eq!(comparison.verdict, Verdict::Invalid);
            let [Remark::Invalid(Reason::Answers(fault))] = comparison.remarks.as_slice() else {
                panic!("{:?}", comparison.remarks);
            };
            assert!(format!("{fault:?}").contains("wrong_status"), "{fault:?}");
        }
    }

    #[test]
    fn too_many_void_rounds_void_the_level_and_one_does_not() {
        let mut rounds = five(|_| ());
        rounds[0].void = Some(stolen());
        assert!(judged(&rounds).0[0].levels[0].valid);
        rounds[1].void = Some(stolen());
        assert_eq!(
            judged(&rounds).0[0].levels[0].why_invalid,
            Some(Reason::StartsVoid { starts: 2, all: 5, last: Box::new(stolen()) })
        );
    }

    #[test]
    fn an_arm_whose_generator_was_at_its_limit_now_and_then_is_not_called_the_same_in_the_closed_loop() {
        let saturated = |starts: u32| {
            judged(&rounds(8, |round| {
                let of_ten = round.slices.iter_mut().filter(|slice| slice.arm == 1);
                let late = of_ten.take(if round.round <= starts { 2 } else { 0 });
                late.for_each(|slice| slice.why_invalid = Some(crate::testing::saturated()));
            }))
        };
        // Two slices in each of four starts are one for each of all eight.
        assert_eq!(saturated(4).0[1].levels[0].held_back, None);
        let (arms, comparisons) = saturated(5);
        let why = crate::validity::tests::saturated_in("ten", 10, 32);
        let held = HeldBack { reason: why, most: Share(0.25 * 10.0 / 32.0) };
        assert_eq!([0, 1].map(|arm| arms[arm].levels[0].held_back.clone()), [None, Some(held)]);
        let verdict = |measure: Measure| {
            let mut all = comparisons.iter().filter(|comparison| comparison.measure == measure);
            all.next().map(|comparison| comparison.verdict)
        };
        assert_eq!(verdict(Measure::Throughput), Some(Verdict::Invalid));
        assert_eq!(verdict(Measure::ResponseP50), Some(Verdict::Same), "at a fixed rate");
    }

    #[test]
    fn starts_that_do_not_count_void_the_rate_that_they_never_came_to() {
        let (arms, comparisons) = judged(&five(|round| {
            round.void = Some(crate::testing::saturated());
            round.slices.retain(|slice| slice.rate.is_none());
        }));
        assert!(!arms[1].levels.is_empty() && !comparisons.is_empty());
        for comparison in comparisons {
            assert_eq!(comparison.verdict, Verdict::Invalid, "{:?}", comparison.measure);
        }
    }

    #[test]
    fn a_level_that_does_not_count_leaves_the_others_alone() {
        let of = |number: u32| {
            let mut round = levels(number, &[[PLAIN, PLAIN], [PLAIN, PLAIN]]);
            if number < 3 {
                round.levels[1].void = Some(crate::testing::unsteady());
            }
            round
        };
        let rounds: Vec<RoundRecord> = (1..=5).map(of).collect();
        let numbers = Numbers::of_rounds(&two_levels(), &rounds);
        let arms = arm_results(&two_levels(), &rounds, &numbers, &[]);
        let levels = &arms[1].levels;
        assert_eq!(levels.iter().map(|level| level.valid).collect::<Vec<_>>(), [true, false, true]);
        assert_eq!(levels[1].counts.ok, 3 * 4 * 10_000);
        assert!(all_valid(&arms, Some(&levels[0].load)) && !all_valid(&arms, None));
        let mut comparisons = judge(&two_levels(), &numbers, Seconds(20.0), LookKind::Last).comparisons;
        void_comparisons(&mut comparisons, &arms, &[]);
        for comparison in comparisons {
            let there = comparison.level.as_ref() == Some(&levels[1].load);
            assert_eq!(comparison.verdict == Verdict::Invalid, there, "{:?}", comparison.measure);
        }
    }
}
