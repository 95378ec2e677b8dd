//! What control groups, collectors and services counted, as a mean over the starts.

use super::by_arm::{ArmRow, table_by_arm};
use super::{ColumnKind, Content, ContentBlock, SectionInput};
use record::outcome::ArmResult;
use say::{Say, text};
use std::collections::BTreeSet;

pub(super) const ID: &str = "facts";

/// The words of the section.
#[derive(Say)]
enum FactsText {
    #[say(en = "Other counters", zh = "其他计数")]
    Heading,
    #[say(
        en = "Counted from the start of a server to its end, warm-up included; mean over the starts.",
        zh = "从服务器启动到结束的计数，含预热；各次启动的平均值。"
    )]
    Explained,
}

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let (report, language) = (source.report, source.language);
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
        text(&FactsText::Heading, language),
        [
            ContentBlock::explanation(text(&FactsText::Explained, language)),
            table_by_arm(report, ColumnKind::Number, rows),
        ],
    )
}

/// A mean of counts with at most two decimals.
fn fact_text(value: f64) -> String {
    let text = format!("{value:.2}");
    text.strip_suffix(".00").unwrap_or(&text).to_owned()
}
