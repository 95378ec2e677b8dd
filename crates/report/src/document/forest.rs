//! The differences with their intervals, as a plot.

use super::{Content, ContentBlock, SectionInput};
use crate::plot;

pub(super) const ID: &str = "forest";

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let plots = plot::verdict_within(source.report, source.lang);
    Content::of(source.words.page_forest, plots.map(ContentBlock::Figure))
}
