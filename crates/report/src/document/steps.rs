//! The figures of an arm that ran alone, with a row for each load.

use super::block::Column;
use super::{ColumnKind, Content, ContentBlock, SectionInput};
use crate::loads::load_name;
use crate::units;
use crate::words::Label;
use model::measure::Measure;
use record::level_figure::LevelFigure;
use record::outcome::Level;
use say::{Say, text};

pub(super) const ID: &str = "steps";

/// The heading of the section.
#[derive(Say)]
#[say(en = "Figures by load", zh = "各负载下的数据")]
struct StepsHeading;

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let (report, language) = (source.report, source.language);
    let arm = report.arms.first().filter(|_| report.is_of_one_arm())?;
    let number = |heading: &dyn Say| Column::new(ColumnKind::Number, text(heading, language));
    let columns = vec![
        Column::new(ColumnKind::RowHeading, text(&Label::Load, language)),
        number(&Measure::Throughput),
        number(&Label::ServiceP50),
        number(&Label::ServiceP99),
        number(&Measure::CpuPerRequest),
    ];
    let row = |level: &Level| {
        let value = |figure: LevelFigure, text: &dyn Fn(f64) -> String| {
            level.value(figure).map_or_else(|| "–".to_owned(), text)
        };
        let throughput = |value| units::value_in(report, Measure::Throughput, value, language);
        vec![
            load_name(&level.load, language),
            value(Measure::Throughput.into(), &throughput),
            value(LevelFigure::SERVICE_P50, &units::seconds),
            value(LevelFigure::SERVICE_P99, &units::seconds),
            value(Measure::CpuPerRequest.into(), &units::seconds),
        ]
    };
    let rows = arm.levels.iter().map(row).collect();
    Content::of(text(&StepsHeading, language), [ContentBlock::table(columns, rows)])
}
