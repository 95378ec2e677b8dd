//! The command that repeats the run.

use super::{Content, ContentBlock, SectionInput};

pub(super) const ID: &str = "repeat";

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let command = ContentBlock::Preformatted(source.report.repeat.clone());
    Content::of(source.words.to_repeat, [command])
}
