//! Times by percentile, in a plot for each load.

use super::{Block, Content, Fold, Source};
use crate::plot;

pub(super) const ID: &str = "percentiles";

pub(super) fn section(source: &Source<'_>) -> Option<Content> {
    let words = source.words;
    let mut plots = plot::percentiles(source.report, source.series?, source.lang).into_iter();
    let mut blocks = vec![
        Block::explanation(words.page_percentiles_says),
        Block::Figure(plots.next()?),
    ];
    let others: Vec<Block> = plots.map(Block::Figure).collect();
    if !others.is_empty() {
        blocks.push(Block::Fold(Fold {
            summary: words.page_curves_more.to_owned(),
            blocks: others,
        }));
    }
    Content::of(words.page_percentiles, blocks)
}
