//! The settings of the experiment, by the keys of its file.

use super::block::Column;
use super::{ColumnKind, Content, ContentBlock, SectionInput};
use crate::words::Label;
use say::{Language, Say, text};
use std::collections::BTreeMap;

pub(super) const ID: &str = "asked";

/// The words of the section.
#[derive(Say)]
enum AskedText {
    #[say(en = "Settings of the experiment", zh = "实验设定的负载与参数")]
    Heading,
    #[say(
        en = "Keys are those of the experiment file; keys that it does not set are not listed.",
        zh = "键名与实验文件一致；未指定的项不列出。"
    )]
    Explained,
    #[say(en = "fact", zh = "项目")]
    Fact,
}

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let (asked, language) = (&source.report.asked, source.language);
    if asked.is_empty() {
        return None;
    }
    let explanation =
        source.form.asked_explained.then(|| ContentBlock::explanation(text(&AskedText::Explained, language)));
    let blocks = explanation.into_iter().chain([fact_table(asked, language)]);
    Content::of(text(&AskedText::Heading, language), blocks.collect::<Vec<_>>())
}

/// A table of facts with their values.
pub(super) fn fact_table(facts: &BTreeMap<String, String>, language: Language) -> ContentBlock {
    let columns = [text(&AskedText::Fact, language), text(&Label::Value, language)]
        .map(|heading| Column::new(ColumnKind::Text, heading));
    let rows = facts.iter().map(|(fact, value)| vec![fact.clone(), value.clone()]);
    ContentBlock::table(columns.into(), rows.collect())
}
