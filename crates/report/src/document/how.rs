//! How to read a report, in plain words.

use super::{Content, ContentBlock, SectionInput};

pub(super) const ID: &str = "how";

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let points = source.words.how(!source.report.answers.is_empty()).map(str::to_owned);
    Content::of(source.words.page_how, [ContentBlock::list(points)])
}
