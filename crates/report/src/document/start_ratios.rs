//! The difference in every start: whether the answer rests on all of them or on one.

use super::block::Column;
use super::{Block, ColumnKind, Content, Source};
use crate::comparison;
use crate::units;
use model::outcome::Comparison;

pub(super) const ID: &str = "start-ratios";

pub(super) fn section(source: &Source<'_>) -> Option<Content> {
    let (report, words) = (source.report, source.words);
    let comparisons = report.comparisons.iter();
    let starts = comparisons.map(|comparison| comparison.per_start.len()).max();
    let starts = starts.filter(|starts| *starts > 0)?;
    let numbers = (1..=starts).map(|number| Column::new(ColumnKind::Number, number.to_string()));
    let columns = [Column::new(ColumnKind::Text, words.arm_and_measure)]
        .into_iter()
        .chain(numbers);
    let row = |comparison: &Comparison| {
        let measure = comparison::row(report, comparison, words)?.name(words);
        let title = format!("{}, {measure}", comparison.arm);
        let ratios = comparison.per_start.iter().map(|ratio| units::percent(*ratio));
        let mut row: Vec<String> = [title].into_iter().chain(ratios).collect();
        if comparison.per_start.is_empty() {
            // A row of the title alone would be no row of a table in Markdown.
            row.push(String::new());
        }
        Some(row)
    };
    let rows = report.comparisons.iter().filter_map(row).collect();
    Content::of(
        words.every_start,
        [
            Block::explanation(words.every_start_says),
            Block::table(columns.collect(), rows),
        ],
    )
}
