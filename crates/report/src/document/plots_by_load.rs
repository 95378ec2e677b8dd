//! Plots of the results over the number of users, and over the rate.

use super::{Content, ContentBlock, SectionInput};
use crate::plot;
use say::Say;

pub(super) const ID: &str = "levels";

/// The heading of the section.
#[derive(Say)]
#[say(en = "Results by load", zh = "各负载下的结果")]
struct ByLoadHeading;

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let plots = plot::by_load(source.report, source.language).into_iter();
    Content::unless_empty(source.say(&ByLoadHeading), plots.map(ContentBlock::Figure).collect())
}
