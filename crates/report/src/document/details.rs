//! What most readers of a page about published figures skip: the answer with all measures, how to read them, and the notes.

use super::{Content, ContentBlock, Fold, SectionInput};
use super::{answer, circumstances, legend, measures, notes, required};
use say::Say;

pub(super) const ID: &str = "details";

/// The line that unfolds them.
#[derive(Say)]
#[say(en = "Details of the run", zh = "运行详情")]
struct Summary;

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let parts = [
        answer::section(source),
        circumstances::section(source),
        measures::section(source),
        legend::section(source),
        required::section(source),
        notes::section(source),
    ];
    let blocks: Vec<ContentBlock> = parts.into_iter().flatten().flat_map(|part| part.blocks).collect();
    let summary = say::text(&Summary, source.language);
    Content::unless_empty("", vec![ContentBlock::Fold(Fold { summary, blocks })])
}
