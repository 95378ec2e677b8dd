//! Every start as a dot, in a plot for each measure and load.

use super::{Block, Content, Fold, Source};
use crate::plot;

pub(super) const ID: &str = "starts";

pub(super) fn section(source: &Source<'_>) -> Option<Content> {
    let (report, series, words) = (source.report, source.series?, source.words);
    let mut plots = plot::starts(report, series, source.lang);
    if plots.is_empty() {
        return None;
    }
    let starts = series.starts.iter();
    let of_headline = starts.filter(|starts| starts.measure.id() == report.design.headline);
    // The plots of the headline come first.
    let others = plots.split_off(of_headline.count().min(plots.len()));
    let mut blocks = vec![Block::explanation(words.page_starts_says), Block::Figures(plots)];
    if !others.is_empty() {
        blocks.push(Block::Fold(Fold {
            summary: words.page_starts_more.to_owned(),
            blocks: vec![Block::Figures(others)],
        }));
    }
    Content::of(words.page_starts, blocks)
}
