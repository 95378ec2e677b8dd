//! The difference in every start, which shows whether the answer rests on all starts or on one.

use super::block::Column;
use super::{ColumnKind, Content, ContentBlock, SectionInput};
use crate::comparison;
use crate::units;
use record::outcome::Comparison;

pub(super) const ID: &str = "start-ratios";

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let (report, words) = (source.report, source.words);
    let comparisons = report.comparisons.iter();
    let starts = comparisons.map(|comparison| comparison.per_start.len()).max();
    let starts = starts.filter(|starts| *starts > 0)?;
    let numbers = (1..=starts).map(|number| Column::new(ColumnKind::Number, number.to_string()));
    let columns = [Column::new(ColumnKind::Text, words.arm_and_measure)].into_iter().chain(numbers);
    let row = |comparison: &Comparison| {
        let measure = comparison::row(report, comparison, words).name(words);
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
        words.every_start,
        [ContentBlock::explanation(words.every_start_says), ContentBlock::table(columns.collect(), rows)],
    )
}
