//! How the results of an experiment change from run to run.

use model::history::{Drift, LevelChange, Point};
use model::measure::Measure;
use model::outcome::{Comparison, Load, Report, Verdict};
use stats::changepoint::{FEWEST_NIGHTS, Night, find, last_is_odd};
use stats::robust::{mean, sd};

/// Seed of the permutations: fixed, so that the same history gives the same result.
const SEED: u64 = 1;

/// Which comparison a series follows from run to run.
#[derive(Clone, PartialEq)]
struct SeriesKey {
    arm: String,
    baseline: String,
    measure: Measure,
    users: Option<u64>,
}

/// The drift of every comparison that is valid in at least two of these runs; `reports` are in order, the oldest first.
pub fn drift(reports: &[Report]) -> Vec<Drift> {
    let mut series: Vec<(SeriesKey, Vec<(&str, Night)>)> = Vec::new();
    for report in reports {
        for comparison in &report.comparisons {
            let Some((key, night)) = series_key(comparison).zip(night(comparison)) else {
                continue;
            };
            let point = (report.run.as_str(), night);
            match series.iter_mut().find(|(known, _)| *known == key) {
                Some((_, points)) => points.push(point),
                None => series.push((key, vec![point])),
            }
        }
    }
    let several = series.into_iter().filter(|(_, points)| points.len() > 1);
    several
        .map(|(key, points)| drift_of_series(key, &points))
        .collect()
}

fn series_key(comparison: &Comparison) -> Option<SeriesKey> {
    let measure = Measure::from_id(&comparison.measure)?;
    // Every run chooses its own rate for response times: the rate is left out, or one series would become many.
    let users = comparison.level.as_ref().and_then(|level| level.users);
    Some(SeriesKey {
        arm: comparison.arm.clone(),
        baseline: comparison.baseline.clone(),
        measure,
        users,
    })
}

/// The result of one run with its standard error, as a log ratio that is positive when the arm is better.
fn night(comparison: &Comparison) -> Option<Night> {
    let measure = Measure::from_id(&comparison.measure)?;
    if comparison.verdict == Verdict::Invalid {
        return None;
    }
    let starts: Vec<f64> = comparison
        .per_start
        .iter()
        .map(|ratio| signed(measure, ratio.ln()))
        .collect();
    Some(Night {
        value: mean(&starts).filter(|value| value.is_finite())?,
        se: sd(&starts).map_or(0.0, |sd| sd / (starts.len() as f64).sqrt()),
    })
}

/// Converts the logarithm of a ratio to one that is positive when the arm is better, or back.
fn signed(measure: Measure, log: f64) -> f64 {
    if measure.more_is_better() { log } else { -log }
}

fn drift_of_series(key: SeriesKey, points: &[(&str, Night)]) -> Drift {
    let nights: Vec<Night> = points.iter().map(|(_, night)| *night).collect();
    let run = |at: usize| points[at].0.to_owned();
    let ratio = |value: f64| signed(key.measure, value).exp();
    let changes = find(&nights, SEED).into_iter().map(|change| LevelChange {
        run: run(change.night),
        before: run(change.night - 1),
        ratio: ratio(change.change),
        p: change.p,
        confirmed: change.confirmed,
    });
    let young = nights.len() < FEWEST_NIGHTS;
    let points = points.iter().map(|(run, night)| Point {
        run: (*run).to_owned(),
        ratio: ratio(night.value),
    });
    Drift {
        changes: changes.collect(),
        last_is_odd: if young { last_is_odd(&nights) } else { None },
        points: points.collect(),
        arm: key.arm,
        baseline: key.baseline,
        measure: key.measure.id().to_owned(),
        level: key.users.map(|users| Load {
            users: Some(users),
            rate: None,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{PLAIN, experiment, record, round};
    use model::record::RunRecord;

    /// A run of three starts in which `ten` is better by about `factor`.
    fn report(number: usize, factor: f64) -> Report {
        let record = RunRecord {
            run: format!("run-{number:02}"),
            fingerprint: Default::default(),
            ..record(experiment())
        };
        let wave = |start: u32| 1.0 + 0.001 * f64::from((start * 7 + number as u32 * 3) % 5);
        let rounds: Vec<_> = (1..=3)
            .map(|start| round(start, &[PLAIN, PLAIN.better(factor * wave(start))]))
            .collect();
        crate::report(&record, &rounds)
    }

    fn series_of<'a>(drift: &'a [Drift], measure: &str) -> &'a Drift {
        drift
            .iter()
            .find(|series| series.measure == measure)
            .expect("a series")
    }

    #[test]
    fn a_change_of_level_is_dated_in_the_unit_of_the_measure() {
        let reports: Vec<Report> = (0..16)
            .map(|n| report(n, if n < 9 { 1.0 } else { 1.1 }))
            .collect();
        let drift = drift(&reports);
        for (measure, expected) in [("throughput", 1.1), ("startup", 1.0 / 1.1)] {
            let series = series_of(&drift, measure);
            let [change] = series.changes.as_slice() else {
                panic!("{measure}: {:?}", series.changes)
            };
            assert_eq!(
                (change.before.as_str(), change.run.as_str()),
                ("run-08", "run-09")
            );
            assert!(
                change.confirmed && (change.ratio / expected - 1.0).abs() < 0.005,
                "{change:?}"
            );
            assert_eq!((series.points.len(), series.last_is_odd), (16, None));
        }
    }

    #[test]
    fn a_flat_history_has_no_change_and_a_short_one_shows_an_odd_last_run() {
        let flat: Vec<Report> = (0..16).map(|n| report(n, 1.0)).collect();
        assert!(series_of(&drift(&flat), "throughput").changes.is_empty());
        let young = |last: f64| {
            let reports: Vec<Report> = [1.0, 1.0, 1.0, 1.0, last]
                .into_iter()
                .zip(0..)
                .map(|(f, n)| report(n, f))
                .collect();
            series_of(&drift(&reports), "throughput").last_is_odd
        };
        assert_eq!((young(1.0), young(1.2)), (Some(false), Some(true)));
        assert!(drift(&flat[..1]).is_empty());
    }

    #[test]
    fn an_invalid_comparison_is_no_point_and_another_rate_is_no_other_series() {
        let mut reports: Vec<Report> = (0..4).map(|n| report(n, 1.0)).collect();
        for (rate, report) in reports.iter_mut().enumerate() {
            for comparison in &mut report.comparisons {
                let level = comparison.level.as_mut().filter(|level| level.rate.is_some());
                level
                    .map(|level| level.rate = Some(1000.0 + rate as f64))
                    .unwrap_or_default();
            }
        }
        reports[1].comparisons[0].verdict = Verdict::Invalid;
        let drift = drift(&reports);
        assert_eq!(series_of(&drift, "throughput").points.len(), 3);
        assert_eq!(series_of(&drift, "response_p99").points.len(), 4);
        assert_eq!(drift.len(), Measure::USUAL.len());
    }
}
