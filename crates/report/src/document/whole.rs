//! What a start needs as a whole, as a plot: time until the first answer, and memory.

use super::{Block, Content, Source};
use crate::plot;

pub(super) const ID: &str = "whole";

pub(super) fn section(source: &Source<'_>) -> Option<Content> {
    let plot = plot::whole(source.report, source.lang)?;
    Content::of(source.words.page_whole, [Block::Figure(plot)])
}
