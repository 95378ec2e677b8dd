//! The figures of an arm that ran alone, with a row for each load.

use super::block::Column;
use super::{ColumnKind, Content, ContentBlock, SectionInput};
use crate::loads::load_name;
use crate::units;
use model::measure::Measure;
use record::level_figure::LevelFigure;
use record::outcome::Level;

pub(super) const ID: &str = "steps";

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let (report, words) = (source.report, source.words);
    let arm = report.arms.first().filter(|_| report.is_of_one_arm())?;
    let number = |heading: &'static str| Column::new(ColumnKind::Number, heading);
    let columns = vec![
        Column::new(ColumnKind::RowHeading, words.load),
        number(words.measure(Measure::Throughput)),
        number(words.service_p50),
        number(words.service_p99),
        number(words.measure(Measure::CpuPerRequest)),
    ];
    let row = |level: &Level| {
        let value = |figure: LevelFigure, text: &dyn Fn(f64) -> String| {
            level.value(figure).map_or_else(|| "–".to_owned(), text)
        };
        let throughput = |value| units::value_in(report, Measure::Throughput, value, words);
        vec![
            load_name(&level.load, words),
            value(Measure::Throughput.into(), &throughput),
            value(LevelFigure::SERVICE_P50, &units::seconds),
            value(LevelFigure::SERVICE_P99, &units::seconds),
            value(Measure::CpuPerRequest.into(), &units::seconds),
        ]
    };
    let rows = arm.levels.iter().map(row).collect();
    Content::of(words.steps_heading, [ContentBlock::table(columns, rows)])
}
