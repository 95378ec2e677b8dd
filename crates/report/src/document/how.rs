//! How to read a report, in plain words.

use super::{Block, Content, Source};

pub(super) const ID: &str = "how";

pub(super) fn section(source: &Source<'_>) -> Option<Content> {
    let points = source.words.how().map(str::to_owned);
    Content::of(source.words.page_how, [Block::list(points)])
}
