//! The figures of an arm at a level as tables of other load tools have them. They describe the level and are never compared: in a closed
//! loop, the times of a slow arm are those of fewer requests.

use crate::histogram::merged_times;
use crate::start_means::mean_of_starts;
use record::histogram::Histogram;
use record::outcome::{Counts, Estimate};
use record::rounds::{RoundRecord, SliceRecord};
use record::table_figure::TableFigure;
use std::collections::BTreeMap;

/// The bytes of a kB in tables of JMeter.
const KILOBYTE: f64 = 1024.0;

/// The figures of an arm at a level: means over the starts that count there, or where none does over all that have slices.
pub(crate) fn table_figures(
    rounds: &[RoundRecord],
    arm: usize,
    at: usize,
) -> BTreeMap<TableFigure, Estimate> {
    let counts = |round: &&RoundRecord| round.void_of_arm(at, arm).is_none();
    let valid = rounds.iter().filter(counts).filter_map(|round| TableStart::of(round, arm, at));
    let mut starts: Vec<TableStart> = valid.collect();
    if starts.is_empty() {
        starts.extend(rounds.iter().filter_map(|round| TableStart::of(round, arm, at)));
    }
    let all = TableFigure::ALL.into_iter();
    all.filter_map(|figure| Some((figure, figure_of(&starts, figure)?))).collect()
}

/// A figure of an arm over these starts.
fn figure_of(starts: &[TableStart], figure: TableFigure) -> Option<Estimate> {
    if figure.is_of_all_starts() {
        let value = of_all_starts(starts, figure)?;
        return Some(Estimate { value, low: None, high: None });
    }
    let values = starts.iter().map(|start| start.value(figure));
    mean_of_starts(values.collect::<Option<Vec<f64>>>()?.into_iter().filter(|value| *value > 0.0))
}

/// A figure of all starts together.
fn of_all_starts(starts: &[TableStart], figure: TableFigure) -> Option<f64> {
    let extreme = |times: fn(&TableStart) -> Option<&Histogram>,
                   of: fn(&Histogram) -> u64,
                   pick: fn(f64, f64) -> f64| {
        let values = starts.iter().filter_map(times).map(|times| of(times) as f64 / 1e9);
        values.reduce(pick)
    };
    let times: fn(&TableStart) -> Option<&Histogram> = |start| start.times.as_ref();
    match figure {
        TableFigure::Min => extreme(times, Histogram::min, f64::min),
        TableFigure::Max => extreme(times, Histogram::max, f64::max),
        TableFigure::ConnectMax => extreme(|start| start.connects.as_ref(), Histogram::max, f64::max),
        _ => {
            let requests: u64 = starts.iter().map(|start| start.counts.requests).sum();
            let wrong: u64 = starts.iter().map(|start| start.counts.requests - start.counts.ok).sum();
            (requests > 0).then(|| 100.0 * wrong as f64 / requests as f64)
        }
    }
}

/// What a start has measured of an arm at a level.
struct TableStart {
    seconds: f64,
    counts: Counts,
    /// From when a user wants an answer to its last byte; `None` where nothing was answered.
    times: Option<Histogram>,
    /// Times to connect; `None` where no connection was opened.
    connects: Option<Histogram>,
    /// Bytes of a request, where all are the same.
    request_bytes: Option<u64>,
}

impl TableStart {
    /// `None` of a start that has no slices of the arm there.
    fn of(round: &RoundRecord, arm: usize, at: usize) -> Option<Self> {
        let slices: Vec<&SliceRecord> = round.closed_at(at).filter(|slice| slice.arm == arm).collect();
        if slices.is_empty() {
            return None;
        }
        let mut counts = Counts::default();
        slices.iter().for_each(|slice| counts.add(&slice.counts));
        let connects = slices.iter().map(|slice| slice.connect.as_ref()).filter(Option::is_some);
        Some(Self {
            seconds: slices.iter().map(|slice| slice.elapsed_ns as f64 / 1e9).sum(),
            counts,
            times: merged_times(slices.iter().map(|slice| slice.response.as_ref())),
            connects: merged_times(connects),
            request_bytes: round.trials.get(arm).and_then(|trial| trial.request_bytes),
        })
    }

    /// A figure of this start; `None` for one that it does not have.
    fn value(&self, figure: TableFigure) -> Option<f64> {
        let (ok, times) = (self.counts.ok as f64, self.times.as_ref());
        let per_second = |count: f64| Some(count / self.seconds).filter(|rate| rate.is_finite());
        match figure {
            TableFigure::Throughput => per_second(ok),
            TableFigure::Mean => Some(times?.mean() / 1e9),
            TableFigure::Deviation => Some(times?.stdev() / 1e9),
            TableFigure::ConnectMean => Some(self.connects.as_ref()?.mean() / 1e9),
            TableFigure::Received => per_second(self.counts.bytes as f64 / KILOBYTE),
            TableFigure::Sent => {
                per_second(self.request_bytes? as f64 * self.counts.requests as f64 / KILOBYTE)
            }
            TableFigure::AnswerBytes => Some(self.counts.bytes as f64 / ok).filter(|bytes| bytes.is_finite()),
            _ => Some(times?.value_at_quantile(figure.quantile()?) as f64 / 1e9),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{PLAIN, round, stolen};

    fn rounds(of: impl Fn(&mut RoundRecord)) -> Vec<RoundRecord> {
        let made = |number: u32| {
            let mut round = round(number, &[PLAIN, PLAIN.better(2.0)]);
            of(&mut round);
            round
        };
        (1..=3).map(made).collect()
    }

    #[test]
    fn a_start_has_the_columns_of_jmeter() {
        let figures = table_figures(
            &rounds(|round| round.trials.iter_mut().for_each(|trial| trial.request_bytes = Some(178))),
            0,
            0,
        );
        let value = |figure: TableFigure| figures[&figure].value;
        assert!((value(TableFigure::Throughput) / 20_000.0 - 1.0).abs() < 1e-9);
        for figure in [TableFigure::Mean, TableFigure::Min, TableFigure::P98, TableFigure::Max] {
            assert!((value(figure) / 1e-3 - 1.0).abs() < 1e-2, "{figure:?} {}", value(figure));
        }
        assert!((value(TableFigure::Sent) / (178.0 * 20_000.0 / 1024.0) - 1.0).abs() < 1e-9);
        assert_eq!(value(TableFigure::Errors), 0.0);
        assert!(figures[&TableFigure::Mean].low.is_some() && figures[&TableFigure::Max].low.is_none());
        assert!(!figures.contains_key(&TableFigure::ConnectMax), "no connection was opened");
    }

    #[test]
    fn errors_and_extremes_are_of_all_starts_together() {
        let some = rounds(|round| {
            let slice = round.slices.iter_mut().find(|slice| slice.arm == 0 && slice.rate.is_none());
            let slice = slice.filter(|slice| slice.round == 2);
            slice.into_iter().for_each(|slice| slice.counts.ok -= 400);
        });
        let requests: u64 = some
            .iter()
            .flat_map(|round| round.closed_at(0))
            .filter(|slice| slice.arm == 0)
            .map(|slice| slice.counts.requests)
            .sum();
        let errors = table_figures(&some, 0, 0)[&TableFigure::Errors];
        assert!((errors.value - 100.0 * 400.0 / requests as f64).abs() < 1e-9, "{errors:?}");
    }

    #[test]
    fn starts_that_do_not_count_are_shown_only_where_none_does() {
        let throughput = |void: &[u32]| {
            let some = rounds(|round| {
                if void.contains(&round.round) {
                    round.void = Some(stolen());
                    round.slices.iter_mut().for_each(|slice| slice.counts.ok /= 2);
                }
            });
            table_figures(&some, 0, 0)[&TableFigure::Throughput].value.round()
        };
        assert_eq!([&[] as &[u32], &[1], &[1, 2, 3]].map(throughput), [20_000.0, 20_000.0, 10_000.0]);
    }
}
