//! The differences with their intervals, as a plot.

use super::{Content, ContentBlock, SectionInput};
use crate::plot;
use say::Say;

pub(super) const ID: &str = "forest";

/// The heading of the section.
#[derive(Say)]
#[say(en = "Differences with their intervals", zh = "差异与区间")]
struct ForestHeading;

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let plots = plot::verdict_within(source.report, source.language);
    Content::of(source.say(&ForestHeading), plots.map(ContentBlock::Figure))
}
