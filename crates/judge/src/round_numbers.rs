//! Computes the numbers of a round from its slices: one value per arm and measure, and one `D` per comparison and measure.
//! Values are totals over all slices of an arm, and `D` is the log ratio of two values: nothing that a server did is trimmed.

use crate::events;
use crate::find::mode;
use crate::histogram::merged_times;
use crate::numbers::{ArmValues, ClosedLevel, MEASURES, Numbers, PerMeasure, ServiceTimes, Versus, Within};
use crate::pauses;
use crate::percentiles::ResponseTimes;
use crate::totals::Total;
use ask::experiment::Experiment;
use model::load::StageLoads;
use model::measure::{Measure, MeasureScope};
use model::reason::Reason;
use model::units::Rate;
use record::histogram::{Histogram, SparseHistogram};
use record::rounds::{RoundRecord, SliceRecord, TrialRecord, counted};
use stats::pairing::{self, Part, Side, typical_difference, variance_within};
use stats::robust::mean;

/// The quantile of the service times that requests usually stay below. Pauses of a server touch few requests of a closed loop, but of a slow
/// service more than one of 100.
const USUAL: f64 = 0.95;

impl Numbers {
    /// The fixed rate of a run with these numbers; `None` before a start has come to that stage.
    pub(crate) fn rate_of(rounds: &[Self]) -> Option<Rate> {
        rounds.iter().find_map(|numbers| numbers.stage_loads.times.as_ref()?.rate)
    }

    /// The loads of the stage at a fixed rate in a run with these numbers.
    pub(crate) fn stage_loads(rounds: &[Self]) -> StageLoads {
        let mut loads = rounds.iter().map(|numbers| &numbers.stage_loads);
        loads.find(|loads| loads.times.is_some()).cloned().unwrap_or_default()
    }

    /// The numbers of all rounds that count.
    pub fn of_rounds(experiment: &Experiment, rounds: &[RoundRecord]) -> Vec<Self> {
        let mut starts: Vec<Self> = counted(rounds).filter_map(|round| Self::of(experiment, round)).collect();
        Self::settle(experiment, &mut starts);
        starts
    }

    /// Computes again what the numbers of a round owe to the other rounds, after one has been added: where a search looks in each of them.
    pub fn settle(experiment: &Experiment, starts: &mut [Self]) {
        mode(experiment).settle_results(experiment, starts);
    }

    /// The numbers of a round that has just ended; `None` where it does not count. A round or a level without numbers is
    /// recorded as void.
    pub fn of_ended_round(experiment: &Experiment, record: &mut RoundRecord) -> Option<Self> {
        if record.void.is_some() {
            return None;
        }
        let numbers = Self::of(experiment, record);
        match &numbers {
            Some(numbers) => void_levels_without_numbers(record, numbers),
            None => record.void = Some(Reason::NoValue),
        }
        numbers
    }

    /// The numbers of a round that counts. `None` where values are missing or not positive, so that they have no logarithm,
    /// either at every level or in the measures with one value per start. Where every level is void, the stage at a fixed rate
    /// is enough.
    pub(crate) fn of(experiment: &Experiment, round: &RoundRecord) -> Option<Self> {
        let open: Vec<&SliceRecord> = match round.latency_void {
            Some(_) => Vec::new(),
            None => round.staged().collect(),
        };
        if open.iter().any(|slice| slice.response.is_none() || slice.service.is_none()) {
            return None;
        }
        let levels = 0..experiment.load.connections.len();
        let mode = mode(experiment);
        let counted = |level: usize| match round.void_at(level) {
            None if !mode.voids_level(experiment, round, level) => closed_level(experiment, round, level),
            _ => None,
        };
        let levels: Vec<Option<ClosedLevel>> = levels.map(counted).collect();
        let spoilt = (0..levels.len()).all(|level| round.void_at(level).is_some());
        let counts = levels.iter().any(Option::is_some) || spoilt && round.staged().next().is_some();
        counts.then_some(())?;
        let arms = 0..experiment.arms.len();
        let at_rate = |arm: usize| {
            let times = service_times(&open, arm)?;
            Some([0.5, 0.99].map(|q| times.value_at_quantile(q) as f64 / 1e9))
        };
        let response_times =
            |arm: usize| ResponseTimes::of(open.iter().copied().filter(|slice| slice.arm == arm));
        let timed = if open.is_empty() { 0..0 } else { arms.clone() };
        let service_at_rate: Vec<Option<[f64; 2]>> = arms.clone().map(at_rate).collect();
        let usual = |arm: usize, level: usize| match levels.get(level)? {
            Some(level) => level.times.get(arm).copied().flatten().map(|times| times.usual),
            None => Some(service_at_rate[arm]?[0]),
        };
        let stood = pauses::of_round(experiment, round, usual);
        let mut per_start = values_per_start(experiment, round, &open)?;
        mode.add_result(experiment, round, &levels, &mut per_start);
        Some(Self {
            levels,
            per_start,
            stage_loads: StageLoads {
                times: round.open().find_map(SliceRecord::open_load),
                cpu: round.open_for_cpu().find_map(SliceRecord::open_load),
            },
            by_level: Measure::ALL.map(|measure| experiment.design.compares_by_level(measure)),
            response_times: timed.map(response_times).collect(),
            service_at_rate,
            stood,
        })
    }
}

/// The measures of the closed loop at a level; `None` where one of them has no value for an arm whose slices count.
fn closed_level(experiment: &Experiment, round: &RoundRecord, level: usize) -> Option<ClosedLevel> {
    let is_void = |arm: usize| round.void_of_arm(level, arm).is_some();
    let slices: Vec<&SliceRecord> = round.closed_at(level).filter(|slice| !is_void(slice.arm)).collect();
    let mirrored = round.level(level).is_none_or(|record| record.pairs > 1);
    let no_cpu = round.level(level).is_some_and(|record| record.cpu_void.is_some());
    let no_cpu = no_cpu || !is_read(experiment, Measure::CpuPerRequest);
    let counts = |measure: &Measure| !(no_cpu && *measure == Measure::CpuPerRequest);
    let mut numbers = ClosedLevel::default();
    for arm in 0..experiment.arms.len() {
        if is_void(arm) {
            numbers.values.value.push([None; MEASURES]);
            numbers.times.push(None);
            continue;
        }
        let mut values = closed_loop_values(experiment, &slices, arm)?;
        let service = service_times(&slices, arm)?;
        let at = |quantile: f64| service.value_at_quantile(quantile) as f64 / 1e9;
        numbers.times.push(Some(ServiceTimes {
            percentiles: [0.5, 0.99].map(at),
            usual: at(USUAL),
            in_flight: values[Measure::Throughput as usize]? * service.mean() / 1e9,
        }));
        if no_cpu {
            values[Measure::CpuPerRequest as usize] = None;
        }
        numbers.values.value.push(values);
    }
    let baseline = experiment.design.baseline;
    numbers.values.set_differences(baseline);
    let compared = (0..experiment.arms.len()).filter(|arm| !is_void(*arm) && !is_void(baseline));
    let compared: Vec<usize> = compared.filter(|arm| *arm != baseline).collect();
    let is_total = |measure: &Measure| Total::of(*measure).is_some() && counts(measure);
    for measure in Measure::ALL.into_iter().filter(is_total) {
        for &arm in &compared {
            set_rows(&mut numbers.values, &slices, Versus { arm, baseline }, measure, mirrored)?;
        }
    }
    Some(numbers)
}

/// Sets the difference of the typical row and the variance by windows for an arm against the baseline in a measure of these slices.
/// `None` where the slices are not in rows.
fn set_rows(
    numbers: &mut ArmValues,
    slices: &[&SliceRecord],
    versus: Versus,
    measure: Measure,
    mirrored: bool,
) -> Option<()> {
    let in_quad = if mirrored { 2 } else { 1 };
    let rows = row_differences(slices, versus, measure, mirrored)?;
    let within = variance_within(&rows, in_quad);
    let within = within.map(|variance| Within { variance, windows: rows.len() / in_quad });
    numbers.typical[versus.arm][measure as usize] = typical_difference(&rows);
    numbers.within[versus.arm][measure as usize] = within;
    Some(())
}

/// Whether a measure can be read of all arms: CPU only where every process can be seen.
fn is_read(experiment: &Experiment, measure: Measure) -> bool {
    !(experiment.design.unseen && measure == Measure::CpuPerRequest)
}

/// The measures that an arm has at every level.
fn closed_loop_values(experiment: &Experiment, slices: &[&SliceRecord], arm: usize) -> Option<PerMeasure> {
    let mut values = [None; MEASURES];
    let is_read = |measure: &Measure| measure.by_level() && is_read(experiment, *measure);
    for measure in Measure::ALL.into_iter().filter(is_read) {
        values[measure as usize] = match measure.scope() {
            MeasureScope::Events(time, statistic) => {
                let of_arm = slices.iter().copied().filter(|slice| slice.arm == arm);
                statistic.quantile().and_then(|quantile| events::time_of(of_arm, time, quantile))
            }
            _ => Some(total_of_arm(slices, arm, measure)?),
        };
    }
    Some(values)
}

/// The value of a total over the slices of an arm.
fn total_of_arm(slices: &[&SliceRecord], arm: usize, measure: Measure) -> Option<f64> {
    let of_arm = slices.iter().copied().filter(|slice| slice.arm == arm);
    positive(Total::of(measure)?.value(of_arm))
}

/// The start-up time of an arm in a round, in seconds: the geometric mean of all its starts alone. `None` where there was none.
fn startup(trial: &TrialRecord, started_at_once: bool) -> Option<f64> {
    let alone = (!started_at_once).then_some(trial.startup_ns);
    let all = alone.iter().chain(&trial.startup_cycles_ns);
    let seconds: Vec<f64> = all.map(|nanos| *nanos as f64 / 1e9).collect();
    let (first, rest) = seconds.split_first()?;
    let logs: Vec<f64> = rest.iter().map(|seconds| (seconds / first).ln()).chain([0.0]).collect();
    Some(first * mean(&logs).map_or(1.0, f64::exp))
}

fn positive(value: f64) -> Option<f64> {
    (value.is_finite() && value > 0.0).then_some(value)
}

/// The measures with one value per start: start-up and memory, and where there is a stage at a fixed rate also response times
/// and CPU per request. `open` are the slices of that stage; it is empty where their times do not count.
fn values_per_start(
    experiment: &Experiment,
    round: &RoundRecord,
    open: &[&SliceRecord],
) -> Option<ArmValues> {
    let staged: Vec<&SliceRecord> = round.staged_for_cpu().collect();
    let baseline = experiment.design.baseline;
    let mut numbers = ArmValues::default();
    for arm in 0..experiment.arms.len() {
        let trial = round.trials.iter().find(|trial| trial.arm == arm)?;
        let mut values = [None; MEASURES];
        if experiment.arms[arm].origin.is_none() {
            values[Measure::StartUp as usize] = match startup(trial, round.started_at_once) {
                Some(seconds) => Some(positive(seconds)?),
                None => None,
            };
            values[Measure::PeakMemory as usize] = Some(positive(trial.peak_memory.0 as f64)?);
        }
        if !staged.is_empty() && is_read(experiment, Measure::CpuPerRequest) {
            values[Measure::CpuPerRequest as usize] =
                Some(total_of_arm(&staged, arm, Measure::CpuPerRequest)?);
        }
        if !open.is_empty() {
            let times = times_of(open, arm, |slice| slice.response.as_ref())?;
            let counted = |(measure, _): &(Measure, f64)| round.times_void(*measure).is_none();
            for (measure, quantile) in Measure::response_times().filter(counted) {
                values[measure as usize] = Some(positive(times.value_at_quantile(quantile) as f64 / 1e9)?);
            }
        }
        numbers.value.push(values);
    }
    numbers.set_differences(baseline);
    if !staged.is_empty() && is_read(experiment, Measure::CpuPerRequest) {
        for arm in (0..experiment.arms.len()).filter(|arm| *arm != baseline) {
            set_rows(&mut numbers, &staged, Versus { arm, baseline }, Measure::CpuPerRequest, true)?;
        }
    }
    Some(numbers)
}

/// The differences of throughput or CPU per request between an arm and the baseline, one for each row of slices: log ratios,
/// positive when the arm is better, whose mean is `D`. A quad is a row and its mirror image, or a single row where it is not
/// `mirrored`.
pub(crate) fn row_differences(
    slices: &[&SliceRecord],
    versus: Versus,
    measure: Measure,
    mirrored: bool,
) -> Option<Vec<f64>> {
    let mut rows = Vec::new();
    for quad in slices.chunk_by(|one, next| one.quad == next.quad) {
        let in_quad = if mirrored { 2 } else { 1 };
        // A quad of odd length has lost a slice, and must not turn into a plausible number.
        if quad.len() % in_quad != 0 {
            return None;
        }
        for row in quad.chunks(quad.len() / in_quad) {
            let parts = row.iter().filter_map(|slice| part(slice, versus, measure));
            rows.push(parts.collect());
        }
    }
    pairing::row_differences(&rows)
}

/// What a slice adds to the totals of one of the two arms; `None` for a slice of a third arm.
fn part(slice: &SliceRecord, versus: Versus, measure: Measure) -> Option<Part> {
    let side = match slice.arm {
        arm if arm == versus.arm => Side::Arm,
        arm if arm == versus.baseline => Side::Baseline,
        _ => return None,
    };
    let spent = (Total::of(measure)?.spent)(slice) as f64;
    Some(Part { side, answers: slice.counts.ok as f64, spent })
}

/// The service times of an arm; `None` if there are none.
fn service_times(slices: &[&SliceRecord], arm: usize) -> Option<Histogram> {
    times_of(slices, arm, |slice| slice.service.as_ref())
}

/// The times of an arm over all these slices; `None` if there are none. Percentiles are read from the sum, and never averaged.
fn times_of(
    slices: &[&SliceRecord],
    arm: usize,
    times: fn(&SliceRecord) -> Option<&SparseHistogram>,
) -> Option<Histogram> {
    merged_times(slices.iter().filter(|slice| slice.arm == arm).map(|slice| times(slice)))
}

/// Records every level without numbers as void.
fn void_levels_without_numbers(record: &mut RoundRecord, numbers: &Numbers) {
    for level in &mut record.levels {
        if level.void.is_none() && numbers.levels[level.level].is_none() {
            level.void = Some(Reason::NoValue);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{PLAIN, Speed, experiment, levels, round, two_levels};
    use ask::arm::Arm;
    use model::reason::Reason;
    use record::rounds::{LevelRecord, VoidArm};

    const USUAL: usize = Measure::USUAL.len();

    fn d(baseline: Speed, arm: Speed) -> [f64; USUAL] {
        let numbers = Numbers::of(&experiment(), &round(1, &[baseline, arm])).expect("numbers");
        Measure::USUAL.map(|measure| numbers.d(1, measure, 0).expect("measured"))
    }

    #[test]
    fn better_is_positive_in_every_measure() {
        let better = d(PLAIN, PLAIN.better(1.25));
        for (measure, d) in Measure::USUAL.into_iter().zip(better) {
            // Histograms keep three digits.
            assert!((d - 1.25f64.ln()).abs() < 0.002, "{}: {d}", measure.id());
        }
    }

    #[test]
    fn swapping_the_arms_flips_the_sign_exactly() {
        let (there, back) = (d(PLAIN, PLAIN.better(1.1)), d(PLAIN.better(1.1), PLAIN));
        assert_eq!(there.map(|d| -d), back);
        assert_eq!(d(PLAIN, PLAIN), [0.0; USUAL]);
    }

    #[test]
    fn each_of_many_arms_is_compared_with_the_baseline_of_its_row() {
        let speeds = [PLAIN, PLAIN.better(1.1), PLAIN.better(1.2), PLAIN.better(0.9)];
        let round = round(1, &speeds);
        assert_eq!(round.closed().filter(|slice| slice.arm == 0).count(), 8);
        let mut experiment = experiment();
        experiment.arms.extend(experiment.arms.clone());
        let numbers = Numbers::of(&experiment, &round).expect("numbers");
        for (arm, factor) in [(1, 1.1f64), (2, 1.2), (3, 0.9)] {
            for measure in Measure::USUAL {
                let d = numbers.d(arm, measure, 0).expect("measured");
                assert!((d - factor.ln()).abs() < 0.002, "{arm}: {d}");
            }
        }
    }

    #[test]
    fn the_values_of_an_arm_are_in_the_units_of_the_measures() {
        let numbers = Numbers::of(&experiment(), &round(1, &[PLAIN, PLAIN])).expect("numbers");
        let values = Measure::USUAL.map(|measure| numbers.value(0, measure, 0).expect("measured"));
        let [throughput, cpu, p50, p90, p95, p99, p999, startup, memory] = values;
        assert!((throughput - 20_000.0).abs() < 1e-9 && (cpu - 4e-5).abs() < 1e-15);
        assert!([p50, p90, p95, p99, p999].iter().all(|time| (time - 1e-3).abs() < 2e-6));
        assert!((startup - 1.0).abs() < 1e-12 && (memory - 2e8).abs() < 1e-3);
    }

    #[test]
    fn the_start_up_of_a_round_is_the_geometric_mean_of_all_its_starts() {
        let mut round = round(1, &[PLAIN, PLAIN]);
        round.trials[1].startup_cycles_ns = vec![8_000_000_000, 1_000_000_000];
        let numbers = Numbers::of(&experiment(), &round).expect("numbers");
        let startup = |arm| numbers.value(arm, Measure::StartUp, 0).expect("measured");
        assert!((startup(1) - 2.0).abs() < 1e-9, "of 1, 8 and 1 s");
        assert_eq!(startup(0), 1.0);
        let d = numbers.d(1, Measure::StartUp, 0).expect("measured");
        assert!((d + 2f64.ln()).abs() < 1e-9, "{d}");
    }

    #[test]
    fn a_round_without_an_answer_or_with_a_broken_order_gives_no_number() {
        let silent = Speed { ok: 0, ..PLAIN };
        assert_eq!(Numbers::of(&experiment(), &round(1, &[PLAIN, silent])), None);
        let mut broken = round(1, &[PLAIN, PLAIN]);
        broken.slices.remove(0);
        assert_eq!(Numbers::of(&experiment(), &broken), None);
    }

    /// Takes a share of the answers of one slice of the second arm away, in the closed loop and at the fixed rate.
    fn stall(round: &mut RoundRecord, share: f64) {
        for at_rate in [false, true] {
            let mut of_arm = round.slices.iter_mut().filter(|slice| slice.arm == 1);
            let slice = of_arm.find(|slice| slice.rate.is_some() == at_rate);
            let slice = slice.expect("a slice");
            slice.counts.ok = (slice.counts.ok as f64 * (1.0 - share)) as u64;
        }
    }

    #[test]
    fn a_slice_without_answers_counts_as_zero() {
        let mut stalled = round(1, &[PLAIN, PLAIN]);
        stall(&mut stalled, 1.0);
        let numbers = Numbers::of(&experiment(), &stalled).expect("numbers");
        // One of four slices has no answer; at the fixed rate one of two, which took CPU time all the same.
        for (measure, factor) in [(Measure::Throughput, 0.75f64), (Measure::CpuPerRequest, 0.5)] {
            let d = numbers.d(1, measure, 0).expect("measured");
            assert!((d - factor.ln()).abs() < 1e-12, "{}: {d}", measure.id());
        }
    }

    #[test]
    fn the_typical_row_does_not_know_of_a_rare_stall() {
        let quick = round(1, &[PLAIN, PLAIN]);
        let mut long = quick.clone();
        for quad in 1..5 {
            let rest = quick.slices.iter().filter(|slice| slice.quad == 1);
            let again = rest.map(|slice| SliceRecord { quad: 10 + quad, ..slice.clone() });
            long.slices.extend(again);
        }
        stall(&mut long, 0.6);
        let numbers = Numbers::of(&experiment(), &long).expect("numbers");
        let d = numbers.d(1, Measure::Throughput, 0).expect("measured");
        let typical = numbers.typical(1, Measure::Throughput, 0).expect("rows");
        assert!((d - (1.0 - 0.6 / 12.0f64).ln()).abs() < 1e-12, "{d}");
        assert!(typical.abs() < 0.002, "{typical}");
    }

    #[test]
    fn drift_cancels_in_totals_however_many_slices_an_arm_has() {
        let mut four = experiment();
        for name in ["eleven", "twelve"] {
            four.arms.push(Arm { name: name.to_owned(), ..four.arms[1].clone() });
        }
        let mut round = round(1, &[PLAIN; 4]);
        let closed = round.slices.iter_mut().filter(|slice| slice.rate.is_none());
        for (index, slice) in closed.enumerate() {
            slice.counts.ok -= 100 * index as u64;
        }
        let numbers = Numbers::of(&four, &round).expect("numbers");
        for arm in 1..4 {
            let d = numbers.d(arm, Measure::Throughput, 0).expect("measured");
            assert!(d.abs() < 1e-12, "{d}");
        }
    }

    #[test]
    fn the_ratio_of_a_start_is_that_of_its_values_whatever_the_arms_did() {
        let speeds = [PLAIN, PLAIN.better(1.1), PLAIN.better(0.9)];
        let mut three = experiment();
        three.arms.push(Arm { name: "eleven".to_owned(), ..three.arms[1].clone() });
        let mut round = round(1, &speeds);
        stall(&mut round, 0.7);
        let numbers = Numbers::of(&three, &round).expect("numbers");
        for (arm, measure) in [1, 2].into_iter().flat_map(|arm| Measure::USUAL.map(|measure| (arm, measure)))
        {
            let [ours, theirs] = [arm, 0].map(|arm| numbers.value(arm, measure, 0).expect("measured"));
            let ratio =
                crate::d_series::ratio_from_log(measure, numbers.d(arm, measure, 0).expect("measured"));
            assert!((ratio / (ours / theirs) - 1.0).abs() < 1e-12, "{}: {ratio}", measure.id());
        }
    }

    #[test]
    fn the_void_parts_of_a_stage_at_a_fixed_rate_have_no_numbers() {
        let mut closed = round(1, &[PLAIN, PLAIN]);
        closed.slices.retain(|slice| slice.rate.is_none());
        let mut overloaded = round(1, &[PLAIN, PLAIN]);
        overloaded.stage_void = Some(Reason::NoValue);
        let mut late = round(1, &[PLAIN, PLAIN]);
        late.latency_void = Some(Reason::NoValue);
        for (round, cpu) in [(closed, false), (overloaded, false), (late, true)] {
            let numbers = Numbers::of(&experiment(), &round).expect("numbers");
            for measure in Measure::USUAL {
                let there = [numbers.value(1, measure, 0), numbers.d(1, measure, 0)].map(|of| of.is_some());
                let counts = match measure {
                    Measure::CpuPerRequest => cpu,
                    _ => !measure.at_a_rate(),
                };
                assert_eq!(there, [counts; 2], "{}", measure.id());
            }
            assert_eq!(numbers.service_at_rate, [None, None]);
        }
    }

    #[test]
    fn each_level_has_its_numbers_and_a_void_level_has_none() {
        let (slow, quick) = (PLAIN.better(0.5), PLAIN.better(1.2));
        let mut both = levels(1, &[[PLAIN, slow], [PLAIN, quick]]);
        let throughput = |round: &RoundRecord, level: usize| {
            let numbers = Numbers::of(&two_levels(), round).expect("numbers");
            numbers.d(1, Measure::Throughput, level)
        };
        for (level, factor) in [(0, 0.5f64), (1, 1.2)] {
            let d = throughput(&both, level).expect("measured");
            assert!((d - factor.ln()).abs() < 1e-9, "{level}: {d}");
        }
        both.levels[0].void = Some(Reason::NoValue);
        assert_eq!(throughput(&both, 0), None);
        assert!(throughput(&both, 1).is_some());
        both.levels[1].void = both.levels[0].void.clone();
        let staged = Numbers::of(&two_levels(), &both).expect("the stage at a fixed rate is left");
        assert!(staged.d(1, Measure::CpuPerRequest, 0).is_some());
        assert_eq!(staged.d(1, Measure::Throughput, 1), None);
        both.stage_void = Some(Reason::NoValue);
        assert_eq!(Numbers::of(&two_levels(), &both), None, "nothing is left");
    }

    #[test]
    fn an_arm_that_does_not_count_leaves_the_others_their_numbers() {
        let mut three = two_levels();
        three.arms.push(Arm { name: "eleven".to_owned(), ..three.arms[1].clone() });
        let speeds = [PLAIN, PLAIN.better(1.1), PLAIN.better(1.2)];
        let mut dead = round(1, &speeds);
        dead.levels = vec![LevelRecord {
            pairs: 4,
            void_arms: vec![VoidArm { arm: 1, reason: Reason::NoValue }],
            ..LevelRecord::default()
        }];
        dead.slices.retain(|slice| slice.rate.is_none());
        // It was loaded once, in the middle of a quad, and then left out.
        let mut loaded = 0;
        dead.slices.retain(|slice| {
            loaded += u32::from(slice.arm == 1);
            slice.arm != 1 || loaded == 1
        });
        let numbers = Numbers::of(&three, &dead).expect("numbers");
        let d = |arm| numbers.d(arm, Measure::Throughput, 0);
        assert_eq!((numbers.value(1, Measure::Throughput, 0), d(1)), (None, None));
        assert!((d(2).expect("measured") - 1.2f64.ln()).abs() < 1e-9);
        assert!(numbers.within(2, Measure::Throughput, 0).is_some());
        let void = |arm| VoidArm { arm, reason: Reason::NoValue };
        dead.levels[0].void_arms = vec![void(0), void(1)];
        dead.slices.retain(|slice| slice.arm == 2);
        let numbers = Numbers::of(&three, &dead).expect("numbers");
        assert!(numbers.value(2, Measure::Throughput, 0).is_some(), "without the baseline");
        assert_eq!(numbers.d(2, Measure::Throughput, 0), None);
    }

    #[test]
    fn a_level_whose_cpu_does_not_count_has_its_throughput() {
        let mut stolen = levels(1, &[[PLAIN, PLAIN], [PLAIN, PLAIN]]);
        stolen.levels[0].cpu_void = Some(Reason::NoValue);
        let mut asked = two_levels();
        asked.design.latency_pairs = 0;
        stolen.slices.retain(|slice| slice.rate.is_none());
        let numbers = Numbers::of(&asked, &stolen).expect("numbers");
        let there = |measure, level| {
            [numbers.value(1, measure, level), numbers.d(1, measure, level)].map(|of| of.is_some())
        };
        assert_eq!(there(Measure::Throughput, 0), [true; 2]);
        assert_eq!(there(Measure::CpuPerRequest, 0), [false; 2]);
        assert_eq!(there(Measure::CpuPerRequest, 1), [true; 2]);
    }

    #[test]
    fn a_row_alone_is_one_pair() {
        let mut alone = round(1, &[PLAIN, PLAIN.better(1.1)]);
        // The first half of the first quad: one slice of each arm.
        alone.slices.retain(|slice| slice.rate.is_some() || slice.quad == 0 && slice.position < 2);
        alone.levels = vec![LevelRecord { pairs: 1, ..LevelRecord::default() }];
        let numbers = Numbers::of(&experiment(), &alone).expect("numbers");
        let d = numbers.d(1, Measure::Throughput, 0).expect("measured");
        assert!((d - 1.1f64.ln()).abs() < 1e-9, "{d}");
        alone.levels.clear();
        assert_eq!(Numbers::of(&experiment(), &alone), None, "half a quad is no row");
    }
}
