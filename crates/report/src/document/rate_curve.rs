//! The figures at every rate of the curve over rates.

use super::by_arm::{ArmRow, table_by_arm};
use super::{ColumnKind, Content, ContentBlock, SectionInput};
use crate::units;
use crate::words::Label;
use model::measure::Measure;
use model::units::Rate;
use record::outcome::{ArmResult, Estimate};
use record::rate_curve::RatePoint;
use say::{Say, text};

pub(super) const ID: &str = "rates";

/// The words of the section.
#[derive(Say)]
enum RateCurveText {
    #[say(
        en = "Starts take turns at the rates beside the fixed one, so a rate has at least {starts} of them. No verdict rests \
              on these figures.",
        zh = "除固定速率外，各次启动轮流测量其他速率，因此每个速率至少有 {starts} 次启动。这些数据不用于任何判定。"
    )]
    Explained { starts: u32 },
    #[say(
        en = "–: the generator was late in most slices at this rate.",
        zh = "–：在该速率下，负载发生器在多数切片中发送过晚。"
    )]
    GeneratorLate,
}

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let (report, language) = (source.report, source.language);
    let points = &report.arms.first()?.curve;
    if points.is_empty() {
        return None;
    }
    type Value = fn(&RatePoint) -> Option<Estimate>;
    let measures: [(Measure, Value); 3] = [
        (Measure::CpuPerRequest, |point| point.cpu_per_request),
        (Measure::ResponseP50, |point| point.response_p50),
        (Measure::ResponseP99, |point| point.response_p99),
    ];
    let counted = units::counted_at_rates(report, language);
    let row = |(measure, value): (Measure, Value), rate: Rate| {
        let title = format!("{}, {}", measure.name(language), units::rate_of(rate.0, &counted));
        let of_arm = |arm: &ArmResult| {
            let point = arm.curve.iter().find(|point| point.rate == rate);
            let value = point.and_then(value);
            value.map_or_else(|| "–".to_owned(), |value| units::seconds(value.value))
        };
        ArmRow::new(report, title, of_arm)
    };
    let row = &row;
    let rows =
        measures.into_iter().flat_map(|measure| points.iter().map(move |point| row(measure, point.rate)));
    let table = table_by_arm(report, ColumnKind::Number, rows.collect());
    let starts = points.iter().map(|point| point.starts).min().unwrap_or(0);
    let note = text(&RateCurveText::Explained { starts }, language);
    let late = report.arms.iter().flat_map(|arm| &arm.curve).any(|point| point.generator_late);
    let late = late.then(|| ContentBlock::paragraph(text(&RateCurveText::GeneratorLate, language)));
    Content::of(
        text(&Label::RateCurve, language),
        [ContentBlock::paragraph(note), table].into_iter().chain(late).collect::<Vec<_>>(),
    )
}
