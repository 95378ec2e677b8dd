//! What a run that was ended before its time still says.

use super::{Block, Content, Source, Text, TextMark};
use crate::comparison::has_interval;

pub(super) const ID: &str = "interrupted";

pub(super) fn section(source: &Source<'_>) -> Option<Content> {
    let (report, words) = (source.report, source.words);
    if !report.design.interrupted {
        return None;
    }
    // A single load has its figures and no verdict either way.
    let text = match has_interval(report) || report.comparisons.is_empty() {
        true => words.page_interrupted,
        false => words.page_interrupted_early,
    };
    Content::of("", [Block::paragraph(Text::marked(text, TextMark::Strong))])
}
