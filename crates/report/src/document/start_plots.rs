//! Plots of every start, one for each measure and load.

use super::{Content, ContentBlock, Fold, SectionInput};
use crate::plot;
use say::{Say, text};

pub(super) const ID: &str = "starts";

/// The words of the section.
#[derive(Say)]
enum StartPlotsText {
    #[say(en = "Every start", zh = "每次启动")]
    Heading,
    #[say(
        en = "One dot for each fresh start; the arms of one start are joined. Lines that slope alike say that the answer rests \
              on all starts.",
        zh = "每次全新启动一个点，同一次启动的各对象用线相连。各线走向一致，说明结论来自全部启动，而非个别几次。"
    )]
    Explained,
    #[say(en = "The other measures", zh = "其他指标")]
    OtherMeasures,
}

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let (report, series, language) = (source.report, source.series?, source.language);
    let mut plots = plot::starts(report, series, source.language);
    if plots.is_empty() {
        return None;
    }
    let starts = series.starts.iter();
    let of_headline = starts.filter(|starts| report.design.has_headline(starts.measure));
    // The plots of the headline come first.
    let others = plots.split_off(of_headline.count().min(plots.len()));
    let mut blocks = vec![
        ContentBlock::explanation(text(&StartPlotsText::Explained, language)),
        ContentBlock::Figures(plots),
    ];
    if !others.is_empty() {
        blocks.push(ContentBlock::Fold(Fold {
            summary: text(&StartPlotsText::OtherMeasures, language),
            blocks: vec![ContentBlock::Figures(others)],
        }));
    }
    Content::of(text(&StartPlotsText::Heading, language), blocks)
}
