//! What was asked, by the keys of the experiment file.

use super::block::Column;
use super::{Block, ColumnKind, Content, Source};
use crate::words::Words;
use std::collections::BTreeMap;

pub(super) const ID: &str = "asked";

pub(super) fn section(source: &Source<'_>) -> Option<Content> {
    let (asked, words) = (&source.report.asked, source.words);
    if asked.is_empty() {
        return None;
    }
    let explanation = source
        .form
        .asked_explained
        .then(|| Block::explanation(words.asked_says));
    let blocks = explanation.into_iter().chain([fact_table(asked, words)]);
    Content::of(words.asked, blocks.collect::<Vec<_>>())
}

/// Facts, each with its value.
pub(super) fn fact_table(facts: &BTreeMap<String, String>, words: &Words) -> Block {
    let columns = [words.fact, words.value].map(|heading| Column::new(ColumnKind::Text, heading));
    let rows = facts
        .iter()
        .map(|(fact, value)| vec![fact.clone(), value.clone()]);
    Block::table(columns.into(), rows.collect())
}
