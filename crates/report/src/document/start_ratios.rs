//! The difference in every start, which shows whether the answer rests on all starts or on one.

use super::block::Column;
use super::{ColumnKind, Content, ContentBlock, SectionInput};
use crate::comparison;
use crate::units;
use record::outcome::Comparison;
use say::{Say, text};

pub(super) const ID: &str = "start-ratios";

/// The words of the section.
#[derive(Say)]
enum StartRatiosText {
    #[say(en = "Differences in every start", zh = "每次启动的差异")]
    Heading,
    #[say(
        en = "Difference of the arm from the baseline in each fresh start, in per cent.",
        zh = "每次全新启动中，对象相对基线的差异，单位 %。"
    )]
    Explained,
    #[say(en = "arm, measure", zh = "对象，指标")]
    ArmAndMeasure,
}

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let (report, language) = (source.report, source.language);
    let comparisons = report.comparisons.iter();
    let starts = comparisons.map(|comparison| comparison.per_start.len()).max();
    let starts = starts.filter(|starts| *starts > 0)?;
    let numbers = (1..=starts).map(|number| Column::new(ColumnKind::Number, number.to_string()));
    let columns = [Column::new(ColumnKind::Text, text(&StartRatiosText::ArmAndMeasure, language))]
        .into_iter()
        .chain(numbers);
    let row = |comparison: &Comparison| {
        let measure = comparison::row(report, comparison, language).name(language);
        let title = format!("{}, {measure}", comparison.arm);
        let ratios = comparison.per_start.iter().map(|ratio| units::percent(*ratio));
        let mut row: Vec<String> = [title].into_iter().chain(ratios).collect();
        if comparison.per_start.is_empty() {
            // In Markdown, a row with a single cell would not belong to the table.
            row.push(String::new());
        }
        Some(row)
    };
    let rows = report.comparisons.iter().filter_map(row).collect();
    Content::of(
        text(&StartRatiosText::Heading, language),
        [
            ContentBlock::explanation(text(&StartRatiosText::Explained, language)),
            ContentBlock::table(columns.collect(), rows),
        ],
    )
}
