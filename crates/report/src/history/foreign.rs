//! The figures of other tools beside a history.

use super::COLUMNS;
use crate::units::{self, left, right};
use crate::words::history::HistoryWords;
use crate::words::{Words, fill};
use model::foreign::{ForeignHistory, ForeignMeasure, ForeignSeries, ForeignUnit};
use model::measure::Measure;
use std::fmt::{Display, Write};

/// Columns of the name of a figure.
const NAME: usize = 36;

/// Writes every series with its first and last value.
pub(super) fn write(out: &mut String, all: &[ForeignSeries], words: &Words, own: &HistoryWords) {
    if all.is_empty() {
        return;
    }
    out.push('\n');
    units::wrapped(out, own.foreign, 0, COLUMNS);
    for series in all {
        let values: [(&str, &dyn Display); 2] = [("series", &series.series), ("tool", &series.tool.name())];
        units::wrapped(out, &fill(own.foreign_series, &values), 0, COLUMNS);
        let headings = [words.history_runs, words.history_first, words.history_last];
        write_row(out, "", headings);
        for figure in &series.figures {
            write_figure(out, figure, own, words);
        }
    }
}

fn write_row(out: &mut String, name: &str, [runs, first, last]: [&str; 3]) {
    let name = left(&units::truncated(name, NAME), NAME);
    let [runs, first, last] = [(runs, 5), (first, 14), (last, 14)].map(|(text, width)| right(text, width));
    let _ = writeln!(out, "  {name} {runs} {first} {last}");
}

fn write_figure(out: &mut String, figure: &ForeignHistory, own: &HistoryWords, words: &Words) {
    let (Some(first), Some(last)) = (figure.points.first(), figure.points.last()) else {
        return;
    };
    let name = match &figure.measure {
        ForeignMeasure::Throughput => words.measure(Measure::Throughput).to_owned(),
        ForeignMeasure::Errors => own.foreign_errors.to_owned(),
        ForeignMeasure::Mean => own.foreign_mean.to_owned(),
        ForeignMeasure::Percentile(percent) => format!("p{percent}"),
        ForeignMeasure::Named(name) => name.replace('\n', " "),
    };
    let [first, last] = [first, last].map(|point| value(&figure.unit, point.value));
    write_row(out, &name, [&figure.points.len().to_string(), &first, &last]);
}

fn value(unit: &ForeignUnit, value: f64) -> String {
    match unit {
        ForeignUnit::Seconds => units::seconds(value),
        ForeignUnit::PerSecond => units::rate(value),
        ForeignUnit::Share => units::share(value),
        ForeignUnit::Other(unit) => format!("{value:.3} {unit}"),
    }
}
