//! The confidence of the intervals in the answers.

use super::{Content, ContentBlock, SectionInput};
use crate::comparison::has_interval;
use crate::words::fill;
use ask::experiment::GATE_ALPHA;

pub(super) const ID: &str = "sure";

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let (design, words) = (&source.report.design, source.words);
    if !has_interval(source.report) {
        return None;
    }
    let [sure, wrong] = [1.0 - design.alpha, design.alpha].map(|share| format!("{:.0}", 100.0 * share));
    // Equal arms are called different twice in the same direction once in 2 / alpha^2 pairs of runs.
    let chance = (2.0 / design.alpha.powi(2)).round();
    let stricter = if design.alpha > GATE_ALPHA { words.page_stricter } else { "" };
    let overall = !design.headline_measures.is_empty();
    let template = match design.starts_cap {
        _ if overall => words.page_sure_overall,
        Some(_) => words.page_sure,
        None => words.page_sure_until,
    };
    let values: [(&str, &dyn std::fmt::Display); 4] =
        [("sure", &sure), ("wrong", &wrong), ("chance", &chance), ("stricter", &stricter)];
    Content::of("", [ContentBlock::explanation(fill(template, &values))])
}
