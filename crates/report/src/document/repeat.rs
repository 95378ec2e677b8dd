//! The command that repeats the run.

use super::{Block, Content, Source};

pub(super) const ID: &str = "repeat";

pub(super) fn section(source: &Source<'_>) -> Option<Content> {
    let command = Block::Preformatted(source.report.repeat.clone());
    Content::of(source.words.to_repeat, [command])
}
