//! The figures of other tools beside a history.

use super::COLUMNS;
use super::HistoryText;
use crate::units::{self, left, right};
use model::foreign::{ForeignHistory, ForeignMeasure, ForeignSeries, ForeignUnit};
use model::measure::Measure;
use say::{Language, Say, text};
use std::fmt::Write;

/// The words of figures of other tools.
#[derive(Say)]
pub(crate) enum ForeignText<'a> {
    #[say(
        en = "foreign series: prony has not measured them, and they take part in no verdict",
        zh = "外部序列：并非由 prony 测得，不参与任何结论"
    )]
    Foreign,
    #[say(en = "{series} ({tool}):", zh = "{series}（{tool}）：")]
    Series { series: &'a str, tool: &'a str },
    #[say(en = "failed requests", zh = "失败的请求")]
    Errors,
    #[say(en = "mean time", zh = "平均时间")]
    Mean,
}

/// Columns of the name of a figure.
const NAME: usize = 36;

/// Writes every series with its first and last value.
pub(super) fn write(out: &mut String, all: &[ForeignSeries], language: Language) {
    if all.is_empty() {
        return;
    }
    out.push('\n');
    units::wrapped(out, &text(&ForeignText::Foreign, language), 0, COLUMNS);
    for series in all {
        let heading = ForeignText::Series { series: &series.series, tool: series.tool.name() };
        units::wrapped(out, &text(&heading, language), 0, COLUMNS);
        let headings: [&dyn Say; 3] = [&HistoryText::Runs, &HistoryText::First, &HistoryText::Last];
        write_row(out, "", headings, language);
        for figure in &series.figures {
            write_figure(out, figure, language);
        }
    }
}

fn write_row(out: &mut String, name: &str, [runs, first, last]: [&dyn Say; 3], language: Language) {
    let name = left(&units::truncated(name, NAME), NAME);
    let cells = [(runs, 5), (first, 14), (last, 14)];
    let [runs, first, last] = cells.map(|(words, width)| right(&text(words, language), width));
    let _ = writeln!(out, "  {name} {runs} {first} {last}");
}

fn write_figure(out: &mut String, figure: &ForeignHistory, language: Language) {
    let (Some(first), Some(last)) = (figure.points.first(), figure.points.last()) else {
        return;
    };
    let name = match &figure.measure {
        ForeignMeasure::Throughput => text(&Measure::Throughput, language),
        ForeignMeasure::Errors => text(&ForeignText::Errors, language),
        ForeignMeasure::Mean => text(&ForeignText::Mean, language),
        ForeignMeasure::Percentile(percent) => format!("p{percent}"),
        ForeignMeasure::Named(name) => name.replace('\n', " "),
    };
    let [first, last] = [first, last].map(|point| value(&figure.unit, point.value));
    write_row(out, &name, [&figure.points.len(), &first, &last], language);
}

fn value(unit: &ForeignUnit, value: f64) -> String {
    match unit {
        ForeignUnit::Seconds => units::seconds(value),
        ForeignUnit::PerSecond => units::rate(value),
        ForeignUnit::Share => units::share(value),
        ForeignUnit::Other(unit) => format!("{value:.3} {unit}"),
    }
}
