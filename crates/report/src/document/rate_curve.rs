//! The figures at every rate of the curve over rates.

use super::by_arm::{ArmRow, table_by_arm};
use super::{ColumnKind, Content, ContentBlock, SectionInput};
use crate::units;
use crate::words::fill;
use model::measure::Measure;
use model::units::Rate;
use record::outcome::{ArmResult, Estimate};
use record::rate_curve::RatePoint;

pub(super) const ID: &str = "rates";

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let (report, words) = (source.report, source.words);
    let points = &report.arms.first()?.curve;
    if points.is_empty() {
        return None;
    }
    type Value = fn(&RatePoint) -> Option<Estimate>;
    let measures: [(&str, Value); 3] = [
        (words.measure(Measure::CpuPerRequest), |point| point.cpu_per_request),
        (words.measure(Measure::ResponseP50), |point| point.response_p50),
        (words.measure(Measure::ResponseP99), |point| point.response_p99),
    ];
    let counted = units::counted_at_rates(report, words);
    let row = |(title, value): (&str, Value), rate: Rate| {
        let title = format!("{title}, {}", units::rate_of(rate.0, counted));
        let of_arm = |arm: &ArmResult| {
            let point = arm.curve.iter().find(|point| point.rate == rate);
            let value = point.and_then(value);
            value.map_or_else(|| "–".to_owned(), |value| units::seconds(value.value))
        };
        ArmRow::new(report, title, of_arm)
    };
    let rows =
        measures.into_iter().flat_map(|measure| points.iter().map(move |point| row(measure, point.rate)));
    let table = table_by_arm(report, ColumnKind::Number, rows.collect());
    let starts = points.iter().map(|point| point.starts).min().unwrap_or(0);
    let note = fill(words.rate_curve_note, &[("starts", &starts)]);
    let late = report.arms.iter().flat_map(|arm| &arm.curve).any(|point| point.generator_late);
    let late = late.then(|| ContentBlock::paragraph(words.rate_curve_late));
    Content::of(
        words.rate_curve_heading,
        [ContentBlock::paragraph(note), table].into_iter().chain(late).collect::<Vec<_>>(),
    )
}
