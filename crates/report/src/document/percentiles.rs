//! Times by percentile, in a plot for each load.

use super::{Content, ContentBlock, Fold, SectionInput};
use crate::plot;

pub(super) const ID: &str = "percentiles";

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let words = source.words;
    let mut plots = plot::percentiles(source.report, source.series?, source.lang).into_iter();
    let mut blocks =
        vec![ContentBlock::explanation(words.page_percentiles_says), ContentBlock::Figure(plots.next()?)];
    let others: Vec<ContentBlock> = plots.map(ContentBlock::Figure).collect();
    if !others.is_empty() {
        blocks.push(ContentBlock::Fold(Fold { summary: words.page_curves_more.to_owned(), blocks: others }));
    }
    Content::of(words.page_percentiles, blocks)
}
