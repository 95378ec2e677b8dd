//! What control groups, collectors and services counted, as a mean over the starts.

use super::by_arm::{ArmRow, table_by_arm};
use super::{ColumnKind, Content, ContentBlock, SectionInput};
use record::outcome::ArmResult;
use std::collections::BTreeSet;

pub(super) const ID: &str = "facts";

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let (report, words) = (source.report, source.words);
    let names: BTreeSet<&String> = report.arms.iter().flat_map(|arm| arm.facts.keys()).collect();
    if names.is_empty() {
        return None;
    }
    let row = |name: &String| {
        let value = |arm: &ArmResult| {
            let fact = arm.facts.get(name);
            fact.map_or_else(|| "–".to_owned(), |fact| fact_text(*fact))
        };
        ArmRow::new(report, name, value)
    };
    let rows = names.into_iter().map(row).collect();
    Content::of(
        words.beside_load,
        [ContentBlock::explanation(words.beside_load_says), table_by_arm(report, ColumnKind::Number, rows)],
    )
}

/// A mean of counts with at most two decimals.
fn fact_text(value: f64) -> String {
    let text = format!("{value:.2}");
    text.strip_suffix(".00").unwrap_or(&text).to_owned()
}
