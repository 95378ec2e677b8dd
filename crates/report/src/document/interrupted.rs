//! What the results of a run that was ended early are still worth.

use super::{Content, ContentBlock, SectionInput, Text, TextMark};
use crate::comparison::has_interval;
use say::{Say, text};

pub(super) const ID: &str = "interrupted";

/// The words of a run that was ended early.
#[derive(Say)]
enum InterruptedText {
    #[say(
        en = "This run was ended before its time: its intervals hold, but more time would have narrowed them.",
        zh = "本次运行被提前结束：已得到的区间成立，但时间更长时区间会更窄。"
    )]
    Holds,
    #[say(
        en = "This run was ended before its time: too few of its starts count for any verdict.",
        zh = "本次运行被提前结束：有效启动太少，不足以作出任何判定。"
    )]
    TooEarly,
}

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let (report, language) = (source.report, source.language);
    if !report.design.interrupted {
        return None;
    }
    // A single load has no verdict anyway, and its figures hold.
    let text = match has_interval(report) || report.comparisons.is_empty() {
        true => text(&InterruptedText::Holds, language),
        false => text(&InterruptedText::TooEarly, language),
    };
    Content::of("", [ContentBlock::paragraph(Text::marked(text, TextMark::Strong))])
}
