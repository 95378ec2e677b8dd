//! The requests, answers, faults and connects of each arm at each load.

use super::block::Column;
use super::by_arm::table_by_load;
use super::{ColumnKind, Content, SectionInput};
use crate::words::Label;
use model::faults::FaultCounts;
use record::outcome::Level;
use say::{Say, text};

pub(super) const ID: &str = "counts";

/// The words of the section.
#[derive(Say)]
enum CountsText {
    #[say(en = "Counted", zh = "计数")]
    Heading,
    #[say(en = "right", zh = "正确")]
    Right,
    #[say(en = "faults", zh = "错误")]
    Faults,
}

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let language = source.language;
    let columns = [
        Column::new(ColumnKind::Number, text(&Label::Requests, language)),
        Column::new(ColumnKind::Number, text(&CountsText::Right, language)),
        Column::new(ColumnKind::Text, text(&CountsText::Faults, language)),
        Column::new(ColumnKind::Number, text(&Label::Connects, language)),
    ];
    let cells = |level: &Level| {
        let counts = &level.counts;
        [
            counts.requests.to_string(),
            counts.ok.to_string(),
            say::some_text(&FaultCounts(&counts.faults), language)
                .unwrap_or_else(|| text(&Label::None, language)),
            counts.connects.to_string(),
        ]
    };
    let table = table_by_load(source.report, language, columns, cells);
    Content::of(text(&CountsText::Heading, language), [table])
}
