//! The settings of the experiment, by the keys of its file.

use super::block::Column;
use super::{ColumnKind, Content, ContentBlock, SectionInput};
use crate::words::Words;
use std::collections::BTreeMap;

pub(super) const ID: &str = "asked";

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let (asked, words) = (&source.report.asked, source.words);
    if asked.is_empty() {
        return None;
    }
    let explanation = source.form.asked_explained.then(|| ContentBlock::explanation(words.asked_says));
    let blocks = explanation.into_iter().chain([fact_table(asked, words)]);
    Content::of(words.asked, blocks.collect::<Vec<_>>())
}

/// A table of facts with their values.
pub(super) fn fact_table(facts: &BTreeMap<String, String>, words: &Words) -> ContentBlock {
    let columns = [words.fact, words.value].map(|heading| Column::new(ColumnKind::Text, heading));
    let rows = facts.iter().map(|(fact, value)| vec![fact.clone(), value.clone()]);
    ContentBlock::table(columns.into(), rows.collect())
}
