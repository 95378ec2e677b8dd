//! Plots of the results over the number of users, and over the rate.

use super::{Content, ContentBlock, SectionInput};
use crate::plot;

pub(super) const ID: &str = "levels";

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let plots = plot::by_load(source.report, source.lang).into_iter();
    Content::unless_empty(source.words.page_levels, plots.map(ContentBlock::Figure).collect())
}
