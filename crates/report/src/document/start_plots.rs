//! Plots of every start, one for each measure and load.

use super::{Content, ContentBlock, Fold, SectionInput};
use crate::plot;

pub(super) const ID: &str = "starts";

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let (report, series, words) = (source.report, source.series?, source.words);
    let mut plots = plot::starts(report, series, source.lang);
    if plots.is_empty() {
        return None;
    }
    let starts = series.starts.iter();
    let of_headline = starts.filter(|starts| report.design.has_headline(starts.measure));
    // The plots of the headline come first.
    let others = plots.split_off(of_headline.count().min(plots.len()));
    let mut blocks = vec![ContentBlock::explanation(words.page_starts_says), ContentBlock::Figures(plots)];
    if !others.is_empty() {
        blocks.push(ContentBlock::Fold(Fold {
            summary: words.page_starts_more.to_owned(),
            blocks: vec![ContentBlock::Figures(others)],
        }));
    }
    Content::of(words.page_starts, blocks)
}
