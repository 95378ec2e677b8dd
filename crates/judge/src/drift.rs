//! How the results of an experiment change from run to run.

use crate::{decided, pair};
use model::load::Load;
use model::measure::Measure;
use record::decision::Decision;
use record::history::{Drift, LevelChange, Point};
use record::outcome::{Comparison, Report, Verdict};
use stats::changepoint::{ChangePoint, FEWEST_NIGHTS, Night, find, last_is_odd};
use stats::distribution::t_isf;
use stats::robust::{mean, sd};

/// Seed of the permutations: fixed, so that the same history gives the same result.
pub(crate) const SEED: u64 = 1;

/// Which comparison a series follows from run to run.
#[derive(Clone, PartialEq)]
pub(crate) struct SeriesKey {
    pub(crate) arm: String,
    pub(crate) baseline: String,
    pub(crate) measure: Measure,
    pub(crate) users: Option<u64>,
}

/// The result of one run in a series.
pub(crate) struct RunPoint<'a> {
    pub(crate) report: &'a Report,
    /// The fixed rate, where the measure was compared at one: how much of what, and whether all arms had it at the same time.
    pub(crate) at_rate: Option<Load>,
    pub(crate) night: Night,
    /// Half of the width of the 95 % interval of the log ratio; `None` for a single start.
    pub(crate) half_width: Option<f64>,
}

/// One comparison in run after run, the oldest first, at the rate of the newest.
pub(crate) struct Series<'a> {
    pub(crate) key: SeriesKey,
    pub(crate) points: Vec<RunPoint<'a>>,
    /// Runs that compared at another rate or pace.
    pub(crate) at_other_rates: usize,
}

impl Series<'_> {
    /// The values of the runs.
    pub(crate) fn nights(&self) -> Vec<Night> {
        self.points.iter().map(|point| point.night).collect()
    }

    /// The load of the comparison, where it plays a part.
    pub(crate) fn level(&self) -> Option<Load> {
        let at_rate = self.points.last().and_then(|newest| newest.at_rate.clone());
        at_rate.or_else(|| {
            let users = self.key.users;
            users.is_some().then(|| Load { users, ..Load::default() })
        })
    }

    /// A change of the level of the series, with what differs between the runs before and after it, and what was decided about it.
    pub(crate) fn change(&self, change: &ChangePoint, decisions: &[Decision]) -> LevelChange {
        let [before, after] = [change.night - 1, change.night].map(|at| self.points[at].report);
        LevelChange {
            run: after.run.clone(),
            before: before.run.clone(),
            ratio: signed(self.key.measure, change.change).exp(),
            p: change.p,
            confirmed: change.confirmed,
            differs: pair::differences(before, after),
            decision: decided::about(self, change.night, decisions),
        }
    }
}

/// Every comparison that is valid in these runs, which are in order, the oldest first. What was compared at a fixed rate is followed at
/// the rate of the newest run; results at other rates, or with arms that were loaded together and not in turn, are only counted, because
/// they answer another question.
pub(crate) fn series<'a>(reports: &[&'a Report]) -> Vec<Series<'a>> {
    let mut all: Vec<Series<'_>> = Vec::new();
    for report in reports {
        for comparison in &report.comparisons {
            let Some(night) = night(comparison) else { continue };
            let key = series_key(comparison);
            let load = comparison.level.as_ref();
            let point = RunPoint {
                report,
                at_rate: load.filter(|level| level.rate.is_some()).cloned(),
                night,
                half_width: half_width(night, comparison.per_start.len()),
            };
            match all.iter_mut().find(|series| series.key == key) {
                Some(series) => series.points.push(point),
                None => all.push(Series { key, points: vec![point], at_other_rates: 0 }),
            }
        }
    }
    all.iter_mut().for_each(keep_newest_rate);
    all
}

fn keep_newest_rate(series: &mut Series<'_>) {
    let all = series.points.len();
    let at_rate = series.points.last().and_then(|newest| newest.at_rate.clone());
    series.points.retain(|point| point.at_rate == at_rate);
    series.at_other_rates = all - series.points.len();
}

/// The drift of every series with at least two runs.
pub(crate) fn drift(series: &[Series<'_>], decisions: &[Decision]) -> Vec<Drift> {
    let several = series.iter().filter(|series| series.points.len() + series.at_other_rates > 1);
    several.map(|series| drift_of_series(series, decisions)).collect()
}

fn series_key(comparison: &Comparison) -> SeriesKey {
    let users = comparison.level.as_ref().and_then(|level| level.users);
    SeriesKey {
        arm: comparison.arm.clone(),
        baseline: comparison.baseline.clone(),
        measure: comparison.measure,
        users,
    }
}

/// The result of one run with its standard error, as a log ratio that is positive when the arm is better.
fn night(comparison: &Comparison) -> Option<Night> {
    let measure = comparison.measure;
    if comparison.verdict == Verdict::Invalid {
        return None;
    }
    let starts: Vec<f64> = comparison.per_start.iter().map(|ratio| signed(measure, ratio.ln())).collect();
    Some(Night {
        value: mean(&starts).filter(|value| value.is_finite())?,
        se: sd(&starts).map_or(0.0, |sd| sd / (starts.len() as f64).sqrt()),
    })
}

/// Half of the width of Student's 95 % interval of a night's log ratio.
fn half_width(night: Night, starts: usize) -> Option<f64> {
    (starts > 1).then(|| t_isf(0.025, starts as f64 - 1.0) * night.se)
}

/// Converts the logarithm of a ratio to one that is positive when the arm is better, or back.
fn signed(measure: Measure, log: f64) -> f64 {
    if measure.more_is_better() { log } else { -log }
}

/// The result of one run in the unit of the measure.
fn point(measure: Measure, point: &RunPoint<'_>) -> Point {
    let ratio = |apart: f64| (signed(measure, point.night.value) + apart).exp();
    Point {
        run: point.report.run.clone(),
        ratio: ratio(0.0),
        low: point.half_width.map(|half| ratio(-half)),
        high: point.half_width.map(ratio),
    }
}

fn drift_of_series(series: &Series<'_>, decisions: &[Decision]) -> Drift {
    let nights = series.nights();
    let measure = series.key.measure;
    let points = series.points.iter().map(|of_run| point(measure, of_run));
    let young = nights.len() < FEWEST_NIGHTS;
    let changes = find(&nights, SEED);
    Drift {
        changes: changes.iter().map(|change| series.change(change, decisions)).collect(),
        last_is_odd: if young { last_is_odd(&nights) } else { None },
        points: points.collect(),
        arm: series.key.arm.clone(),
        baseline: series.key.baseline.clone(),
        measure,
        level: series.level(),
        at_other_rates: series.at_other_rates,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drift(reports: &[Report]) -> Vec<Drift> {
        super::drift(&series(&reports.iter().collect::<Vec<_>>()), &[])
    }
    use crate::testing::{PLAIN, experiment, record, round};
    use model::units::Rate;
    use record::rounds::RunRecord;

    /// A run of three starts in which `ten` is better by about `factor`.
    fn report(number: usize, factor: f64) -> Report {
        let record = RunRecord {
            run: format!("run-{number:02}"),
            fingerprint: Default::default(),
            ..record(experiment())
        };
        let wave = |start: u32| 1.0 + 0.001 * f64::from((start * 7 + number as u32 * 3) % 5);
        let rounds: Vec<_> =
            (1..=3).map(|start| round(start, &[PLAIN, PLAIN.better(factor * wave(start))])).collect();
        crate::report(&record, &rounds)
    }

    fn series_of(drift: &[Drift], measure: Measure) -> &Drift {
        drift.iter().find(|series| series.measure == measure).expect("a series")
    }

    #[test]
    fn a_change_of_level_is_dated_in_the_unit_of_the_measure() {
        let reports: Vec<Report> = (0..16).map(|n| report(n, if n < 9 { 1.0 } else { 1.1 })).collect();
        let drift = drift(&reports);
        for (measure, expected) in [(Measure::Throughput, 1.1), (Measure::StartUp, 1.0 / 1.1)] {
            let series = series_of(&drift, measure);
            let [change] = series.changes.as_slice() else { panic!("{measure:?}: {:?}", series.changes) };
            assert_eq!((change.before.as_str(), change.run.as_str()), ("run-08", "run-09"));
            assert!(change.confirmed && (change.ratio / expected - 1.0).abs() < 0.005, "{change:?}");
            assert_eq!((series.points.len(), series.last_is_odd), (16, None));
        }
    }

    #[test]
    fn a_flat_history_has_no_change_and_a_short_one_shows_an_odd_last_run() {
        let flat: Vec<Report> = (0..16).map(|n| report(n, 1.0)).collect();
        assert!(series_of(&drift(&flat), Measure::Throughput).changes.is_empty());
        let young = |last: f64| {
            let reports: Vec<Report> =
                [1.0, 1.0, 1.0, 1.0, last].into_iter().zip(0..).map(|(f, n)| report(n, f)).collect();
            series_of(&drift(&reports), Measure::Throughput).last_is_odd
        };
        assert_eq!((young(1.0), young(1.2)), (Some(false), Some(true)));
        assert!(drift(&flat[..1]).is_empty());
    }

    /// Sets the rate of everything that was compared at the fixed rate.
    fn at_rate(report: &mut Report, rate: f64) {
        for comparison in &mut report.comparisons {
            let level = comparison.level.as_mut().filter(|level| level.rate.is_some());
            level.map(|level| level.rate = Some(Rate(rate))).unwrap_or_default();
        }
    }

    #[test]
    fn an_invalid_comparison_is_no_point() {
        let mut reports: Vec<Report> = (0..4).map(|n| report(n, 1.0)).collect();
        reports[1].comparisons[0].verdict = Verdict::Invalid;
        let drift = drift(&reports);
        assert_eq!(series_of(&drift, Measure::Throughput).points.len(), 3);
        assert_eq!(series_of(&drift, Measure::ResponseP99).points.len(), 4);
        let compared = Measure::USUAL.into_iter().filter(|measure| !measure.on_request());
        assert_eq!(drift.len(), compared.count());
    }

    #[test]
    fn runs_at_another_rate_than_the_newest_are_counted_and_not_merged() {
        let mut reports: Vec<Report> = (0..5).map(|n| report(n, 1.0)).collect();
        let rates = [19_000.0, 13_000.0, 19_000.0, 24_000.0, 19_000.0];
        for (report, rate) in reports.iter_mut().zip(rates) {
            at_rate(report, rate);
        }
        let counts = |drift: &[Drift], measure: Measure| {
            let series = series_of(drift, measure);
            (series.points.len(), series.at_other_rates)
        };
        let found = drift(&reports);
        assert_eq!(counts(&found, Measure::ResponseP99), (3, 2));
        assert_eq!(counts(&found, Measure::CpuPerRequest), (3, 2));
        assert_eq!(counts(&found, Measure::Throughput), (5, 0));
        let level = series_of(&found, Measure::ResponseP99).level.clone();
        assert_eq!(level.and_then(|level| level.rate), Some(Rate(19_000.0)));
        for comparison in &mut reports[2].comparisons {
            let level = comparison.level.as_mut().filter(|level| level.rate.is_some());
            level.map(|level| level.together = true).unwrap_or_default();
        }
        let found = drift(&reports);
        assert_eq!(counts(&found, Measure::CpuPerRequest), (2, 3), "one of them was measured together");
        let newest = reports.last_mut().expect("five reports");
        for comparison in &mut newest.comparisons {
            let level = comparison.level.as_mut().filter(|level| level.rate.is_some());
            level.map(|level| level.sessions = true).unwrap_or_default();
        }
        let found = drift(&reports);
        assert_eq!(
            counts(&found, Measure::CpuPerRequest),
            (1, 4),
            "the same rate of sessions is another load than that of requests"
        );
        let level = series_of(&found, Measure::CpuPerRequest).level.clone();
        assert!(level.is_some_and(|level| level.sessions));
        // A rate that no other run has leaves a single point, and the count says why.
        assert_eq!(counts(&drift(&reports[..4]), Measure::CpuPerRequest), (1, 3));
    }
}
