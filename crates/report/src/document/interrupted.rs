//! What the results of a run that was ended early are still worth.

use super::{Content, ContentBlock, SectionInput, Text, TextMark};
use crate::comparison::has_interval;

pub(super) const ID: &str = "interrupted";

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let (report, words) = (source.report, source.words);
    if !report.design.interrupted {
        return None;
    }
    // A single load has no verdict anyway, and its figures hold.
    let text = match has_interval(report) || report.comparisons.is_empty() {
        true => words.page_interrupted,
        false => words.page_interrupted_early,
    };
    Content::of("", [ContentBlock::paragraph(Text::marked(text, TextMark::Strong))])
}
