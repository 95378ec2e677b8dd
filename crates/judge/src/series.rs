//! From the records of a run to what is drawn of it: curves of percentiles, every start, slices over time. As the report,
//! it comes from the records alone.

mod timeline;

use crate::histogram::{Histogram, decoded, merged};
use crate::numbers::Numbers;
use model::experiment::Experiment;
use model::measure::Measure;
use model::outcome::{Estimate, Load};
use model::record::{RoundRecord, RunRecord, SliceRecord};
use model::series::{Clock, PercentileCurve, Series, Starts};
use stats::summary::estimate;

/// What is drawn of a run.
pub fn series(run: &RunRecord, rounds: &[RoundRecord]) -> Series {
    let experiment = &run.experiment;
    let numbers = Numbers::of_all(experiment, rounds);
    Series {
        curves: curves(experiment, rounds),
        starts: starts(experiment, &numbers),
        timeline: timeline::timeline(run, rounds),
    }
}

/// Every measure at every load, in the order of the tables.
fn starts(experiment: &Experiment, numbers: &[Numbers]) -> Vec<Starts> {
    let design = &experiment.design;
    let rate = numbers.iter().find_map(|numbers| numbers.rate);
    let mut all = Vec::new();
    for measure in Measure::ALL {
        for at in 0..experiment.comparisons_per_start(measure) {
            let load = if design.compares_at_a_rate(measure) {
                Some(Load { users: None, rate })
            } else {
                let levels = design.compares_by_level(measure);
                levels.then(|| experiment.load.level(at))
            };
            let value = |arm: usize| {
                let of = |numbers: &Numbers| numbers.value(arm, measure, at).map(rounded);
                numbers.iter().map(of).collect()
            };
            let values: Vec<Vec<Option<f64>>> = (0..experiment.arms.len()).map(value).collect();
            if values.iter().flatten().any(Option::is_some) {
                all.push(Starts {
                    measure,
                    load,
                    values,
                });
            }
        }
    }
    all
}

/// Requests that have to lie beyond a percentile in every start.
const BEYOND: f64 = 100.0;
/// Points of a curve for each tenth of the requests that are left beyond.
const PER_DECADE: i32 = 10;
/// As far as five nines.
const DECADES: i32 = 5;

fn curves(experiment: &Experiment, rounds: &[RoundRecord]) -> Vec<PercentileCurve> {
    let mut curves = Vec::new();
    for arm in 0..experiment.arms.len() {
        for at in 0..experiment.load.connections.len() {
            let of = |round: &RoundRecord| {
                let own = round.closed_at(at).filter(|slice| slice.arm == arm);
                round.void_at(at).is_none().then(|| merge(own, Clock::Service))?
            };
            let starts: Vec<Histogram> = rounds.iter().filter_map(of).collect();
            curves.extend(curve(arm, experiment.load.level(at), Clock::Service, &starts));
        }
        curves.extend(at_rate(arm, rounds));
    }
    curves
}

/// Both times of an arm at the fixed rate, where there was one.
fn at_rate(arm: usize, rounds: &[RoundRecord]) -> Vec<PercentileCurve> {
    let counted = |round: &&RoundRecord| round.void.is_none() && round.latency_void.is_none();
    let Some(rate) = rounds.iter().find_map(|round| round.open().next()?.rate) else {
        return Vec::new();
    };
    let of_clock = |clock: Clock| {
        let own = |round: &RoundRecord| merge(round.staged().filter(|slice| slice.arm == arm), clock);
        let starts: Vec<Histogram> = rounds.iter().filter(counted).filter_map(own).collect();
        let load = Load {
            users: None,
            rate: Some(rate),
        };
        curve(arm, load, clock, &starts)
    };
    [Clock::Response, Clock::Service]
        .into_iter()
        .filter_map(of_clock)
        .collect()
}

/// All times of these slices; `None` without any.
fn merge<'a>(slices: impl Iterator<Item = &'a SliceRecord>, clock: Clock) -> Option<Histogram> {
    let times = |slice: &SliceRecord| {
        decoded(match clock {
            Clock::Response => &slice.response,
            Clock::Service => &slice.service,
        })
    };
    let histograms: Vec<Histogram> = slices.filter_map(times).collect();
    merged(histograms.iter()).filter(|all| !all.is_empty())
}

/// Each percentile is that of every start, never one of all requests: the mean of the logarithms with a t interval, as the
/// report has p50 and p99.
fn curve(arm: usize, load: Load, clock: Clock, starts: &[Histogram]) -> Option<PercentileCurve> {
    let least = starts.iter().map(Histogram::len).min()? as f64;
    let point = |step: i32| {
        let left = 10f64.powf(-f64::from(step) / f64::from(PER_DECADE));
        if least * left < BEYOND {
            return None;
        }
        let q = 1.0 - left;
        let logs: Vec<f64> = starts
            .iter()
            .map(|times| (times.value_at_quantile(q).max(1) as f64 / 1e9).ln())
            .collect();
        let found = estimate(&logs, 0.95)?.exp();
        let estimate = Estimate {
            value: rounded(found.value),
            low: found.interval.map(|ends| rounded(ends.low)),
            high: found.interval.map(|ends| rounded(ends.high)),
        };
        Some((q, estimate))
    };
    let points: Vec<(f64, Estimate)> = (1..=PER_DECADE * DECADES).map_while(point).collect();
    (points.len() > 1).then_some(PercentileCurve {
        arm,
        load,
        clock,
        points,
    })
}

/// Four digits: more than a plot shows, and a page of many starts stays small.
fn rounded(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return 0.0;
    }
    let unit = 10f64.powi(3 - value.abs().log10().floor() as i32);
    // Dividing last keeps the shortest way to write it.
    (value * unit).round() / unit
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{PLAIN, experiment, levels, record, round, two_levels};
    use model::series::TrackId;

    #[test]
    fn curves_and_starts_say_what_the_slices_held() {
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
        assert_eq!(
            throughput.values,
            [vec![Some(20_000.0); 3], vec![Some(40_000.0); 3]]
        );
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
    fn the_time_line_has_every_slice_and_its_own_values() {
        let rounds = [round(1, &[PLAIN, PLAIN]), round(2, &[PLAIN, PLAIN])];
        let line = series(&record(experiment()), &rounds).timeline;
        let slices: usize = rounds.iter().map(|round| round.slices.len()).sum();
        assert_eq!((line.at.len(), line.each), (slices, 1));
        let track = |id: TrackId| line.tracks.iter().find(|track| track.id == id).expect("a track");
        assert_eq!(track(TrackId::Throughput).values[0], Some(20_000.0));
        assert_eq!(track(TrackId::Cpu).values[0], Some(0.8));
        assert!(line.tracks.iter().all(|track| track.values.len() == slices));
        assert!(
            line.tracks.iter().all(|track| track.id != TrackId::Gc),
            "nobody read the collector"
        );
    }

    #[test]
    fn values_keep_four_digits() {
        assert_eq!(
            [0.0, 1234.56, 0.000123456, 99999.0].map(rounded),
            [0.0, 1235.0, 0.0001235, 100_000.0]
        );
    }
}
