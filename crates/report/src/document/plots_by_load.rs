//! What more users, or a higher rate, bring: a plot over each.

use super::{Block, Content, Source};
use crate::plot;

pub(super) const ID: &str = "levels";

pub(super) fn section(source: &Source<'_>) -> Option<Content> {
    let plots = plot::by_load(source.report, source.lang).into_iter();
    Content::unless_empty(source.words.page_levels, plots.map(Block::Figure).collect())
}
