//! A plot of what a start takes: time until the first answer, and memory.

use super::{Content, ContentBlock, SectionInput};
use crate::plot;
use say::Say;

pub(super) const ID: &str = "whole";

/// The heading of the section.
#[derive(Say)]
#[say(en = "Start-up and memory", zh = "启动时间与内存")]
struct WholeHeading;

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let plot = plot::whole(source.report, source.language)?;
    Content::of(source.say(&WholeHeading), [ContentBlock::Figure(plot)])
}
