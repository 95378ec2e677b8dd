//! What a report says of each arm: its levels with their measures, start-up, memory, and why a level is invalid.

use crate::events;
use crate::find;
use crate::numbers::Numbers;
use crate::percentiles;
use crate::steps;
use crate::table_figures::table_figures;
use crate::validity::{self, Answers};
use ask::experiment::Experiment;
use model::load::Load;
use model::measure::Measure;
use model::reason::Reason;
use model::units::{Seconds, Share};
use record::level_figure::LevelFigure;
use record::note::ArmNote;
use record::outcome::{ArmResult, Counts, Effective, Estimate, Generator, Level, SendDelay};
use record::rounds::{RoundRecord, SliceRecord, TrialRecord, counted};
use stats::summary::estimate;
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

/// A level of the closed loop. Its service times are a description only: they are not compared, because a slow arm is asked
/// less often.
fn closed_level(
    experiment: &Experiment,
    arm: usize,
    at: usize,
    rounds: &[RoundRecord],
    numbers: &[Numbers],
) -> Level {
    let slices = closed_slices(rounds, arm, at);
    let voids: Vec<Option<&Reason>> = rounds.iter().map(|round| round.void_of_arm(at, arm)).collect();
    let service_quantile = |index: usize| {
        move |numbers: &Numbers| Some(numbers.levels[at].as_ref()?.times[arm]?.percentiles[index])
    };
    let service = [0, 1].map(|index| mean_over_rounds(numbers, service_quantile(index)));
    let mut level =
        level_without_measures(&experiment.arms[arm].name, experiment.load.level(at), &slices, &voids);
    let value = |numbers: &Numbers, measure: Measure| {
        numbers.levels[at].as_ref()?.values.value[arm][measure as usize]
    };
    level.measures = measures(numbers, value, service);
    if experiment.reference.is_some() {
        level.table = table_figures(rounds, arm, at);
    }
    // Neither an arm alone nor the levels of a search are compared, and a climb is to come to the generator's limit.
    if level.valid && experiment.arms.len() > 1 && experiment.design.find.is_none() {
        level.held_back = validity::held_back(&experiment.arms[arm].name, &slices);
    }
    if let Some(program) = &experiment.workload.sessions {
        level.steps = steps::over_slices(program, &slices);
    }
    level
}

/// The slices of an arm in the closed loop at a level that count. Where none does because the arm gave no right answer, what it gave instead is
/// told all the same.
fn closed_slices(rounds: &[RoundRecord], arm: usize, at: usize) -> Vec<&SliceRecord> {
    let of = |counts: &dyn Fn(&RoundRecord) -> bool| -> Vec<&SliceRecord> {
        let counted = rounds.iter().filter(|round| counts(round));
        counted.flat_map(|round| round.closed_at(at)).filter(|slice| slice.arm == arm).collect()
    };
    let counted = of(&|round| round.void_of_arm(at, arm).is_none());
    if counted.is_empty() { of(&|round| round.void_at(at).is_none()) } else { counted }
}

/// The measures of an arm at a load that have a value, and median and 99th percentile of its service time.
fn measures(
    numbers: &[Numbers],
    value: impl Fn(&Numbers, Measure) -> Option<f64>,
    [p50, p99]: [Option<Estimate>; 2],
) -> BTreeMap<LevelFigure, Estimate> {
    let of_measures = Measure::ALL.into_iter().map(|measure| {
        let estimate = mean_over_rounds(numbers, |numbers| value(numbers, measure));
        (LevelFigure::Measure(measure), estimate)
    });
    let all = of_measures.chain([(LevelFigure::SERVICE_P50, p50), (LevelFigure::SERVICE_P99, p99)]);
    all.filter_map(|(figure, estimate)| Some((figure, estimate?))).collect()
}

/// The stage at the fixed rate, which is the same for all arms, as a level; a mixed stage as two, first the
/// arms in turn. Empty where the design has none, or no start came to it.
fn fixed_rate_levels(
    experiment: &Experiment,
    arm: usize,
    rounds: &[RoundRecord],
    numbers: &[Numbers],
) -> Vec<Level> {
    let is_mixed = counted(rounds).any(RoundRecord::is_mixed);
    let times = level_of_times(experiment, arm, rounds, numbers, !is_mixed);
    let cpu = is_mixed.then(|| level_of_cpu(experiment, arm, rounds, numbers));
    times.into_iter().chain(cpu.flatten()).collect()
}

/// The part of the stage at the fixed rate that measures response times, as a level. `measures_cpu` tells whether CPU per request is
/// measured in it, too.
fn level_of_times(
    experiment: &Experiment,
    arm: usize,
    rounds: &[RoundRecord],
    numbers: &[Numbers],
    measures_cpu: bool,
) -> Option<Level> {
    let mut level = level_at_rate(experiment, arm, rounds, |round| round.open().collect())?;
    let service =
        |index: usize| mean_over_rounds(numbers, |numbers| Some(numbers.service_at_rate[arm]?[index]));
    let is_here = |measure: Measure| {
        experiment.design.compares_at_a_rate(measure) && (measures_cpu || measure.at_a_rate())
    };
    level.measures = measures_at_rate(arm, numbers, is_here, [service(0), service(1)]);
    let punctual = counted(rounds).filter(|round| round.latency_void.is_none());
    let by_start: Vec<Vec<&SliceRecord>> = punctual
        .map(|round| round.staged().filter(|slice| slice.arm == arm).collect())
        .filter(|slices: &Vec<_>| !slices.is_empty())
        .collect();
    percentiles::add_not_estimable(&by_start, &mut level);
    Some(level)
}

/// The part of a mixed stage that measures CPU per request, as a level.
fn level_of_cpu(
    experiment: &Experiment,
    arm: usize,
    rounds: &[RoundRecord],
    numbers: &[Numbers],
) -> Option<Level> {
    let mut level = level_at_rate(experiment, arm, rounds, |round| round.open_for_cpu().collect())?;
    let is_here = |measure: Measure| measure == Measure::CpuPerRequest;
    level.measures = measures_at_rate(arm, numbers, is_here, [None, None]);
    Some(level)
}

/// The measures of an arm at the fixed rate that `is_here` selects, and its service time.
fn measures_at_rate(
    arm: usize,
    numbers: &[Numbers],
    is_here: impl Fn(Measure) -> bool,
    service: [Option<Estimate>; 2],
) -> BTreeMap<LevelFigure, Estimate> {
    let value = |numbers: &Numbers, measure: Measure| {
        let value = numbers.per_start.value[arm][measure as usize];
        value.filter(|_| is_here(measure))
    };
    measures(numbers, value, service)
}

/// The level of an arm in the slices of a round's stage that `stage` returns, without measures; `None` where there are no slices.
fn level_at_rate<'a>(
    experiment: &Experiment,
    arm: usize,
    rounds: &'a [RoundRecord],
    stage: fn(&'a RoundRecord) -> Vec<&'a SliceRecord>,
) -> Option<Level> {
    let load = counted(rounds).find_map(|round| stage(round).first()?.open_load())?;
    let slices: Vec<&SliceRecord> = counted(rounds)
        .filter(|round| round.stage_void.is_none())
        .flat_map(stage)
        .filter(|slice| slice.arm == arm)
        .collect();
    let voids: Vec<Option<&Reason>> = counted(rounds).map(|round| round.stage_void.as_ref()).collect();
    let mut level = level_without_measures(&experiment.arms[arm].name, load, &slices, &voids);
    if let Some(program) = &experiment.workload.sessions {
        level.steps = steps::over_slices(program, &slices);
    }
    Some(level)
}

/// A level whose measures are still to be filled in. `voids` says for each round why it does not count there.
fn level_without_measures(
    name: &str,
    load: Load,
    slices: &[&SliceRecord],
    voids: &[Option<&Reason>],
) -> Level {
    let mut counts = Counts::default();
    for slice in slices {
        counts.add(&slice.counts);
    }
    let why_invalid = too_many_void(voids).or_else(|| validity::check_errors(name, &counts));
    Level {
        load,
        valid: why_invalid.is_none(),
        why_invalid,
        held_back: None,
        measures: BTreeMap::new(),
        table: BTreeMap::new(),
        not_estimable: BTreeMap::new(),
        worst: None,
        counts,
        generator: generator_figures(slices),
        steps: Vec::new(),
        events: events::over_slices(slices),
    }
}

/// Why no round can be trusted: too many of them failed a check, or the only one did.
pub(crate) fn too_many_void(voids: &[Option<&Reason>]) -> Option<Reason> {
    let reasons: Vec<&Reason> = voids.iter().copied().flatten().collect();
    let share = reasons.len() as f64 / voids.len().max(1) as f64;
    if let ([only], 1) = (reasons.as_slice(), voids.len()) {
        return Some(Reason::OnlyStart { reason: Box::new((*only).clone()) });
    }
    let last = *reasons.last()?;
    (reasons.len() > 1 && share > validity::VOID_ROUNDS).then(|| Reason::StartsVoid {
        starts: reasons.len() as u64,
        all: voids.len() as u64,
        last: Box::new(last.clone()),
    })
}

/// The geometric mean of a value over the rounds with a 95 % t interval of the mean logarithm, in the unit of the value. It
/// only describes an arm: two arms are never compared by the overlap of such intervals.
fn mean_over_rounds(numbers: &[Numbers], value: impl Fn(&Numbers) -> Option<f64>) -> Option<Estimate> {
    mean_of_starts(numbers.iter().filter_map(value))
}

/// The geometric mean of the values of starts, with its 95 % interval.
pub(crate) fn mean_of_starts(values: impl Iterator<Item = f64>) -> Option<Estimate> {
    let logs: Vec<f64> = values.map(f64::ln).collect();
    let mean = estimate(&logs, 0.95)?.exp();
    let ends = mean.interval;
    Some(Estimate { value: mean.value, low: ends.map(|ends| ends.low), high: ends.map(|ends| ends.high) })
}

/// CPU use and lag of the generator in these slices.
fn generator_figures(slices: &[&SliceRecord]) -> Generator {
    let cpu: u64 = slices.iter().map(|slice| slice.cpu_ns_generator).sum();
    let elapsed: u64 = slices.iter().map(|slice| slice.elapsed_ns).sum();
    let mut lags: Vec<u64> = slices.iter().map(|slice| slice.lag_p99_ns).collect();
    lags.sort_unstable();
    Generator {
        cpu: Share(cpu as f64 / elapsed.max(1) as f64),
        // The median over slices, so that one slice in which the generator was descheduled does not decide it.
        lag_p99: Seconds::from_nanos(lags.get(lags.len() / 2).copied().unwrap_or(0)),
        send_delay: send_delay(slices),
    }
}

/// How late requests left in these slices, as medians over them; `None` in a closed loop.
fn send_delay(slices: &[&SliceRecord]) -> Option<SendDelay> {
    let median = |value: fn(SendDelay) -> Seconds| {
        let mut values: Vec<Seconds> =
            slices.iter().filter_map(|slice| slice.send_delay.map(value)).collect();
        values.sort_by(Seconds::total_cmp);
        values.get(values.len() / 2).copied()
    };
    Some(SendDelay { p50: median(|delay| delay.p50)?, p99: median(|delay| delay.p99)? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{PLAIN, experiment, levels, round, stolen, two_levels};
    use crate::verdicts::judge;
    use crate::voiding::{all_valid, void_comparisons};
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
