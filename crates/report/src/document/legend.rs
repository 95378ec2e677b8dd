//! How to read the table of verdicts, in plain words: the rule, the kind of interval, what is secondary.

use super::block::Text;
use super::{Content, ContentBlock, SectionInput};
use crate::units;
use crate::words::fill;
use ask::experiment::secondary_alpha;

pub(super) const ID: &str = "legend";

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let (design, words) = (&source.report.design, source.words);
    let (limit, kind) = match design.starts_cap {
        Some(cap) => (fill(words.cap, &[("cap", &cap)]), words.group_sequential),
        None => (words.until_sure.to_owned(), words.anytime_valid),
    };
    let gate =
        design.gate.map_or_else(String::new, |loss| fill(words.gate, &[("margin", &units::share(loss))]));
    let percent = units::share(1.0 - design.alpha);
    let others = units::share(1.0 - secondary_alpha(design.alpha));
    let values: [(&str, &dyn std::fmt::Display); 3] =
        [("percent", &percent), ("others", &others), ("kind", &kind)];
    let intervals = fill(words.legend_intervals, &values);
    let values: [(&str, &dyn std::fmt::Display); 3] =
        [("limit", &limit), ("gate", &gate), ("intervals", &intervals)];
    let template = match design.headline_measures.is_empty() {
        true => words.legend,
        false => words.legend_overall,
    };
    let text = Text::with_stars(&fill(template, &values));
    Content::of("", [ContentBlock::explanation(text)])
}
