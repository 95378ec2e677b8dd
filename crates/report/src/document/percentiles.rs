//! Times by percentile, in a plot for each load.

use super::{Content, ContentBlock, Fold, SectionInput};
use crate::plot;
use say::{Say, text};

pub(super) const ID: &str = "percentiles";

/// The words of the section.
#[derive(Say)]
enum PercentilesText {
    #[say(en = "Times by percentile", zh = "时间分位数")]
    Heading,
    #[say(
        en = "Further to the right are the slowest requests. Curves end where a start has fewer than 100 requests left.",
        zh = "越靠右，请求越慢。每次启动剩余请求不足 100 个的部分不画。"
    )]
    Explained,
    #[say(en = "At the other loads", zh = "其他负载")]
    OtherLoads,
}

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let language = source.language;
    let mut plots = plot::percentiles(source.report, source.series?, source.language).into_iter();
    let mut blocks = vec![
        ContentBlock::explanation(text(&PercentilesText::Explained, language)),
        ContentBlock::Figure(plots.next()?),
    ];
    let others: Vec<ContentBlock> = plots.map(ContentBlock::Figure).collect();
    if !others.is_empty() {
        blocks.push(ContentBlock::Fold(Fold {
            summary: text(&PercentilesText::OtherLoads, language),
            blocks: others,
        }));
    }
    Content::of(text(&PercentilesText::Heading, language), blocks)
}
