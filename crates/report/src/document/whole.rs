//! A plot of what a start takes: time until the first answer, and memory.

use super::{Content, ContentBlock, SectionInput};
use crate::plot;

pub(super) const ID: &str = "whole";

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let plot = plot::whole(source.report, source.lang)?;
    Content::of(source.words.page_whole, [ContentBlock::Figure(plot)])
}
