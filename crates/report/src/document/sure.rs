//! The confidence of the intervals in the answers.

use super::{Content, ContentBlock, SectionInput};
use crate::comparison::has_interval;
use crate::units;
use crate::words::fill;

pub(super) const ID: &str = "sure";

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let (design, words) = (&source.report.design, source.words);
    if !has_interval(source.report) {
        return None;
    }
    let percent = units::share(1.0 - design.alpha);
    let overall = !design.headline_measures.is_empty();
    let template = match design.starts_cap {
        _ if overall => words.page_sure_overall,
        Some(_) => words.page_sure,
        None => words.page_sure_until,
    };
    Content::of(
        "",
        [ContentBlock::explanation(fill(
            template,
            &[("percent", &percent)],
        ))],
    )
}
