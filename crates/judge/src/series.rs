//! The data of the plots of a run: curves of percentiles, every start, and slices over time. Like the report, they depend on the
//! records alone.

mod timeline;

use crate::flame;
use crate::histogram::merged_times;
use crate::numbers::Numbers;
use ask::experiment::Experiment;
use model::load::Load;
use model::measure::Measure;
use model::times::Clock;
use record::histogram::Histogram;
use record::outcome::Estimate;
use record::rounds::{RoundRecord, RunRecord, SliceRecord, counted};
use record::series::{PercentileCurve, Series, Starts};
use stats::summary::estimate;

/// The data of the plots of a run.
pub fn series(run: &RunRecord, rounds: &[RoundRecord]) -> Series {
    let experiment = &run.experiment;
    let numbers = Numbers::of_rounds(experiment, rounds);
    Series {
        curves: curves(experiment, rounds),
        starts: starts(experiment, &numbers),
        timeline: timeline::timeline(run, rounds),
        flames: flame::trees(run),
    }
}

/// The values of all starts for every measure at every load, in the order of the tables.
fn starts(experiment: &Experiment, numbers: &[Numbers]) -> Vec<Starts> {
    let stage = Numbers::stage_loads(numbers);
    let mut all = Vec::new();
    for measure in Measure::ALL.into_iter().filter(|measure| experiment.asks_for(*measure)) {
        for at in 0..experiment.comparisons_per_start(measure) {
            let value = |arm: usize| {
                let of_start = |numbers: &Numbers| numbers.value(arm, measure, at).map(rounded);
                numbers.iter().map(of_start).collect()
            };
            let values: Vec<Vec<Option<f64>>> = (0..experiment.arms.len()).map(value).collect();
            if values.iter().flatten().any(Option::is_some) {
                all.push(Starts { measure, load: experiment.load_of(measure, at, &stage), values });
            }
        }
    }
    all
}

/// Fewest requests beyond a percentile in every start.
const BEYOND: f64 = 100.0;
/// Points of a curve from one nine to the next (from 90 % to 99 %, for example).
const PER_DECADE: i32 = 10;
/// The number of nines at which curves end at the latest: 99.999 %.
const DECADES: i32 = 5;

/// The percentile curves of all arms at all loads.
fn curves(experiment: &Experiment, rounds: &[RoundRecord]) -> Vec<PercentileCurve> {
    let mut curves = Vec::new();
    for arm in 0..experiment.arms.len() {
        for at in 0..experiment.load.connections.len() {
            let times = |round: &RoundRecord| {
                let slices = round.closed_at(at).filter(|slice| slice.arm == arm);
                round.void_of_arm(at, arm).is_none().then(|| merge_times(slices, Clock::Service))?
            };
            let starts: Vec<Histogram> = rounds.iter().filter_map(times).collect();
            curves.extend(curve(arm, experiment.load.level(at), Clock::Service, &starts));
        }
        curves.extend(curves_at_rate(arm, rounds));
    }
    curves
}

/// The curves of response and service times of an arm at the fixed rate; empty where there was none.
fn curves_at_rate(arm: usize, rounds: &[RoundRecord]) -> Vec<PercentileCurve> {
    let Some(load) = rounds.iter().find_map(|round| round.open().next()?.open_load()) else {
        return Vec::new();
    };
    let timed = || counted(rounds).filter(|round| round.latency_void.is_none());
    let of_clock = |clock: Clock| {
        let times = |round: &RoundRecord| merge_times(round.staged().filter(|slice| slice.arm == arm), clock);
        let starts: Vec<Histogram> = timed().filter_map(times).collect();
        curve(arm, load.clone(), clock, &starts)
    };
    [Clock::Response, Clock::Service].into_iter().filter_map(of_clock).collect()
}

/// All times of these slices by one clock; `None` if there are none.
fn merge_times<'a>(slices: impl Iterator<Item = &'a SliceRecord>, clock: Clock) -> Option<Histogram> {
    let times = |slice: &'a SliceRecord| match clock {
        Clock::Response => slice.response.as_ref(),
        Clock::Service => slice.service.as_ref(),
        // A slice has no record of them.
        Clock::FirstByte | Clock::Body => None,
    };
    merged_times(slices.map(times).filter(Option::is_some))
}

/// The percentile curve of an arm; `None` where it has fewer than two points. Each point is the geometric mean of a percentile
/// over the starts with a 95 % t interval, as for p50 and p99 in the report, and never a percentile of all requests together.
fn curve(arm: usize, load: Load, clock: Clock, starts: &[Histogram]) -> Option<PercentileCurve> {
    let least = starts.iter().map(Histogram::len).min()? as f64;
    let point = |step: i32| {
        let left = 10f64.powf(-f64::from(step) / f64::from(PER_DECADE));
        if least * left < BEYOND {
            return None;
        }
        let q = 1.0 - left;
        let logs: Vec<f64> =
            starts.iter().map(|times| (times.value_at_quantile(q).max(1) as f64 / 1e9).ln()).collect();
        let mean = estimate(&logs, 0.95)?.exp();
        let estimate = Estimate {
            value: rounded(mean.value),
            low: mean.interval.map(|ends| rounded(ends.low)),
            high: mean.interval.map(|ends| rounded(ends.high)),
        };
        Some((q, estimate))
    };
    let points: Vec<(f64, Estimate)> = (1..=PER_DECADE * DECADES).map_while(point).collect();
    (points.len() > 1).then_some(PercentileCurve { arm, load, clock, points })
}

/// Rounds to four significant digits: more than a plot shows, and few enough to keep a page of many starts small.
fn rounded(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return 0.0;
    }
    let unit = 10f64.powi(3 - value.abs().log10().floor() as i32);
    // With the division last, the result has the fewest decimals when it is printed.
    (value * unit).round() / unit
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{PLAIN, experiment, levels, record, round, two_levels};
    use record::series::TrackId;

    #[test]
    fn curves_and_starts_show_the_times_of_the_slices() {
        let rounds: Vec<RoundRecord> = (1..=3).map(|n| round(n, &[PLAIN, PLAIN.better(2.0)])).collect();
        let found = series(&record(experiment()), &rounds);
        let clocks: Vec<(usize, Clock)> = found.curves.iter().map(|c| (c.arm, c.clock)).collect();
        let of_arm = |arm| [Clock::Service, Clock::Response, Clock::Service].map(|clock| (arm, clock));
        assert_eq!(clocks, [of_arm(0), of_arm(1)].concat());
        for curve in &found.curves {
            let expected = [1e-3, 5e-4][curve.arm];
            for (q, at) in &curve.points {
                assert!((at.value / expected - 1.0).abs() < 1e-2, "{q}: {at:?}");
            }
        }
        let throughput = &found.starts[0];
        assert_eq!(throughput.measure, Measure::Throughput);
        assert_eq!(throughput.values, [vec![Some(20_000.0); 3], vec![Some(40_000.0); 3]]);
    }

    #[test]
    fn a_curve_ends_where_a_start_has_too_few_requests() {
        let found = series(&record(experiment()), &[round(1, &[PLAIN, PLAIN])]);
        let closed = &found.curves[0];
        let slices = round(1, &[PLAIN, PLAIN]);
        let requests = PLAIN.ok as f64 * slices.closed_at(0).filter(|s| s.arm == 0).count() as f64;
        let (last, _) = closed.points[closed.points.len() - 1];
        assert!(requests * (1.0 - last) >= BEYOND * 0.999, "{last}");
        assert!(requests * (1.0 - last) < 2.0 * BEYOND, "{last}");
    }

    #[test]
    fn levels_that_do_not_count_are_not_drawn() {
        let mut both = levels(1, &[[PLAIN, PLAIN], [PLAIN, PLAIN]]);
        let users = |found: &Series| {
            let closed = found.curves.iter().filter_map(|curve| curve.load.users);
            closed.collect::<Vec<u64>>()
        };
        let all = users(&series(&record(two_levels()), &[both.clone()]));
        both.levels[1].void = Some(crate::testing::stolen());
        let one = users(&series(&record(two_levels()), &[both]));
        assert_eq!((all.len(), one.len()), (4, 2));
    }

    #[test]
    fn the_time_line_has_every_slice_with_its_values() {
        let rounds = [round(1, &[PLAIN, PLAIN]), round(2, &[PLAIN, PLAIN])];
        let line = series(&record(experiment()), &rounds).timeline;
        let slices: usize = rounds.iter().map(|round| round.slices.len()).sum();
        assert_eq!((line.at.len(), line.each), (slices, 1));
        let track = |id: TrackId| line.tracks.iter().find(|track| track.id == id).expect("a track");
        assert_eq!(track(TrackId::Throughput).values[0], Some(20_000.0));
        assert_eq!(track(TrackId::Cpu).values[0], Some(0.8));
        assert!(line.tracks.iter().all(|track| track.values.len() == slices));
        assert!(line.tracks.iter().all(|track| track.id != TrackId::Gc), "the collector was not read");
    }

    #[test]
    fn values_keep_four_digits() {
        assert_eq!([0.0, 1234.56, 0.000123456, 99999.0].map(rounded), [0.0, 1235.0, 0.0001235, 100_000.0]);
    }
}
