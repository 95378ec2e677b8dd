//! The levels of an arm in a report: what was measured and counted at each load, and why a level is invalid.

use crate::events;
use crate::numbers::Numbers;
use crate::percentiles;
use crate::start_means::mean_over_rounds;
use crate::steps;
use crate::table_figures::table_figures;
use crate::validity;
use ask::experiment::Experiment;
use model::load::Load;
use model::measure::Measure;
use model::reason::Reason;
use model::units::{Seconds, Share};
use record::level_figure::LevelFigure;
use record::outcome::{Counts, Estimate, Generator, Level, SendDelay};
use record::rounds::{RoundRecord, SliceRecord, counted};
use std::collections::BTreeMap;

/// A level of the closed loop. Its service times are a description only: they are not compared, because a slow arm is asked
/// less often.
pub(crate) fn closed_level(
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
pub(crate) fn fixed_rate_levels(
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
