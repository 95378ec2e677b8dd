//! Answers that stream: how soon their first event comes, and how long the gaps between events are.

use super::block::Column;
use super::by_arm::table_by_load;
use super::{ColumnKind, Content, ContentBlock, SectionInput};
use crate::units;
use crate::words::Label;
use record::events::{EventResult, EventTimes};
use record::outcome::{Estimate, Level};
use say::{Say, numbers, text};

pub(super) const ID: &str = "events";

/// The words of the section.
#[derive(Say)]
enum EventsText {
    #[say(en = "Events of answers that stream", zh = "流式应答的事件")]
    Heading,
    #[say(
        en = "From when a request was sent until the first event of its answer arrived, and between two events of an answer. Events that arrive \
              together have a gap of 0.",
        zh = "从请求发送到其应答的首个事件到达的时间，以及同一应答相邻事件之间的间隔。同时到达的事件间隔为 0。"
    )]
    Explained,
    #[say(en = "events", zh = "事件")]
    Events,
    #[say(en = "per second", zh = "每秒")]
    PerSecond,
    #[say(en = "first event p50", zh = "首个事件 p50")]
    FirstP50,
    #[say(en = "first event p99", zh = "首个事件 p99")]
    FirstP99,
    #[say(en = "gap p50", zh = "间隔 p50")]
    GapP50,
    #[say(en = "gap p99", zh = "间隔 p99")]
    GapP99,
    #[say(en = "longest gap", zh = "最长间隔")]
    LongestGap,
    #[say(en = "left", zh = "未读完")]
    Left,
}

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let (report, language) = (source.report, source.language);
    let mut levels = report.arms.iter().flat_map(|arm| &arm.levels);
    if levels.all(|level| level.events.is_none()) {
        return None;
    }
    let titles = [
        EventsText::Events,
        EventsText::PerSecond,
        EventsText::FirstP50,
        EventsText::FirstP99,
        EventsText::GapP50,
        EventsText::GapP99,
        EventsText::LongestGap,
        EventsText::Left,
    ];
    let columns = titles.map(|title| Column::new(ColumnKind::Number, text(&title, language)));
    let cells = |level: &Level| match &level.events {
        Some(events) => row(events),
        None => [(); 8].map(|()| text(&Label::None, language)),
    };
    let table = table_by_load(report, language, columns, cells);
    let explained = ContentBlock::explanation(source.say(&EventsText::Explained));
    Content::of(source.say(&EventsText::Heading), [table, explained])
}

/// The cells of a load.
fn row(events: &EventResult) -> [String; 8] {
    let seconds = |of: Option<EventTimes>, which: fn(&EventTimes) -> f64| {
        of.map_or_else(|| "–".to_owned(), |times| units::seconds(which(&times)))
    };
    let p50: fn(&EventTimes) -> f64 = |times| times.p50.value;
    let p99: fn(&EventTimes) -> f64 = |times| times.p99.value;
    [
        events.events.to_string(),
        events.per_second.map_or_else(|| "–".to_owned(), |rate: Estimate| numbers::rate(rate.value)),
        seconds(events.first, p50),
        seconds(events.first, p99),
        seconds(events.gap, p50),
        seconds(events.gap, p99),
        seconds(events.gap, |times| times.max.0),
        events.left.to_string(),
    ]
}
