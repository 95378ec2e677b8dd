//! The curve over rates: CPU per request and response times of each arm at each rate that its starts measured. It describes the
//! arms, and no verdict rests on it: few starts measure each rate.

use crate::histogram::merged_times;
use crate::totals::Total;
use model::measure::Measure;
use model::units::Rate;
use record::outcome::{ArmResult, Estimate};
use record::rate_curve::RatePoint;
use record::rounds::{RoundRecord, SliceRecord, counted};
use stats::summary::estimate;

/// Share of the slices at a rate in which the generator was late, from which on response times at this rate are not shown.
const LATE: f64 = 0.5;

/// Fills in the curve of every arm, the stage at the fixed rate being one of its points. Leaves it empty where no start measured
/// another rate.
pub(crate) fn fill_in_curves(arms: &mut [ArmResult], rounds: &[RoundRecord]) {
    let staged: Vec<&RoundRecord> = counted(rounds).filter(|round| round.stage_void.is_none()).collect();
    if staged.iter().all(|round| round.curve().next().is_none()) {
        return;
    }
    let slices = || staged.iter().flat_map(|round| round.curve().chain(round.staged()));
    let mut rates: Vec<Rate> = slices().filter_map(|slice| slice.rate).collect();
    rates.sort_by(Rate::total_cmp);
    rates.dedup();
    for (arm, result) in arms.iter_mut().enumerate() {
        result.curve = rates.iter().filter_map(|rate| point(&staged, arm, *rate)).collect();
    }
}

/// The figures of one start at one rate. Times are in seconds; `None` where a value is missing.
struct StartFigures {
    cpu_per_request: Option<f64>,
    /// Median and 99th percentile of the response times.
    response: Option<[f64; 2]>,
}

/// The point of an arm at a rate; `None` if no start measured it.
fn point(rounds: &[&RoundRecord], arm: usize, rate: Rate) -> Option<RatePoint> {
    let here = |slice: &&SliceRecord| slice.arm == arm && slice.rate == Some(rate);
    let by_start: Vec<Vec<&SliceRecord>> = rounds
        .iter()
        .map(|round| round.curve().chain(round.staged()).filter(here).collect())
        .filter(|slices: &Vec<_>| !slices.is_empty())
        .collect();
    let all = || by_start.iter().flatten();
    let late = all().filter(|slice| slice.why_invalid.is_some()).count() as f64;
    let generator_late = late > LATE * all().count() as f64;
    let starts: Vec<StartFigures> = by_start.iter().map(|slices| start_figures(slices)).collect();
    let response = |index: usize| {
        let times = starts.iter().filter(|_| !generator_late);
        mean_over_starts(times.filter_map(|start| Some(start.response?[index])))
    };
    (!starts.is_empty()).then(|| RatePoint {
        rate,
        starts: starts.len() as u32,
        cpu_per_request: mean_over_starts(starts.iter().filter_map(|start| start.cpu_per_request)),
        response_p50: response(0),
        response_p99: response(1),
        generator_late,
    })
}

fn start_figures(slices: &[&SliceRecord]) -> StartFigures {
    let cpu = Total::of(Measure::CpuPerRequest).map(|total| total.value(slices.iter().copied()));
    let times = merged_times(slices.iter().map(|slice| slice.response.as_ref()));
    StartFigures {
        cpu_per_request: cpu.filter(|value| value.is_finite() && *value > 0.0),
        response: times.map(|times| [0.5, 0.99].map(|q| times.value_at_quantile(q) as f64 / 1e9)),
    }
}

/// The geometric mean over the starts, with a 95 % t interval of the mean logarithm if there are several.
fn mean_over_starts(values: impl Iterator<Item = f64>) -> Option<Estimate> {
    let logs: Vec<f64> = values.map(f64::ln).collect();
    let mean = estimate(&logs, 0.95)?.exp();
    Some(Estimate {
        value: mean.value,
        low: mean.interval.map(|ends| ends.low),
        high: mean.interval.map(|ends| ends.high),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::Numbers;
    use crate::testing::{PLAIN, RATE, experiment, round};

    /// A round that also measured a point of the curve at `rate`, at which every request takes twice the CPU time.
    fn with_point(number: u32, rate: f64) -> RoundRecord {
        let mut round = round(number, &[PLAIN, PLAIN.better(1.1)]);
        let staged: Vec<SliceRecord> = round.staged().cloned().collect();
        let point = staged.into_iter().map(|slice| SliceRecord {
            rate: Some(Rate(rate)),
            curve: true,
            cpu_ns_arm: 2 * slice.cpu_ns_arm,
            ..slice
        });
        round.slices.extend(point);
        round
    }

    fn curves(rounds: &[RoundRecord]) -> Vec<Vec<RatePoint>> {
        let numbers = Numbers::of_rounds(&experiment(), rounds);
        let mut arms = crate::arm_results::arm_results(&experiment(), rounds, &numbers, &[]);
        fill_in_curves(&mut arms, rounds);
        arms.into_iter().map(|arm| arm.curve).collect()
    }

    #[test]
    fn a_curve_has_the_stage_and_every_rate_that_a_start_measured() {
        let rounds = [with_point(1, 3_000.0), with_point(2, 20_000.0), with_point(3, 3_000.0)];
        let curves = curves(&rounds);
        let places: Vec<(f64, u32)> = curves[0].iter().map(|point| (point.rate.0, point.starts)).collect();
        assert_eq!(places, [(3_000.0, 2), (RATE, 3), (20_000.0, 1)]);
        let cpu = |arm: usize, at: usize| curves[arm][at].cpu_per_request.expect("CPU time").value;
        assert!((cpu(0, 0) / cpu(0, 1) - 2.0).abs() < 1e-9);
        assert!((cpu(0, 0) / cpu(1, 0) - 1.1).abs() < 1e-3);
        assert!(
            curves[0][2].response_p99.is_some_and(|time| time.low.is_none()),
            "one start has no interval"
        );
    }

    #[test]
    fn points_of_the_curve_change_no_number_of_a_start() {
        let with = Numbers::of(&experiment(), &with_point(1, 3_000.0)).expect("numbers");
        let without = Numbers::of(&experiment(), &round(1, &[PLAIN, PLAIN.better(1.1)])).expect("numbers");
        assert_eq!(format!("{with:?}"), format!("{without:?}"));
        assert!(curves(&[round(1, &[PLAIN, PLAIN])]).iter().all(Vec::is_empty));
    }

    #[test]
    fn a_late_generator_leaves_a_point_without_response_times() {
        let mut late = with_point(1, 3_000.0);
        let reason = model::reason::Reason::NoValue;
        late.slices
            .iter_mut()
            .filter(|slice| slice.curve)
            .for_each(|slice| slice.why_invalid = Some(reason.clone()));
        let point = curves(&[late])[0][0].clone();
        assert!(point.generator_late && point.response_p99.is_none() && point.cpu_per_request.is_some());
    }
}
