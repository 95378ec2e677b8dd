//! The command that repeats the run.

use super::{Content, ContentBlock, SectionInput};
use say::Say;

pub(super) const ID: &str = "repeat";

/// The heading of the section.
#[derive(Say)]
#[say(en = "To repeat", zh = "重复本次运行")]
struct RepeatHeading;

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let command = ContentBlock::Preformatted(source.report.repeat.clone());
    Content::of(source.say(&RepeatHeading), [command])
}
