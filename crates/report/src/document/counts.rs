//! The requests, answers, faults and connects of each arm at each load.

use super::block::Column;
use super::by_arm::table_by_load;
use super::{ColumnKind, Content, SectionInput};
use model::faults::FaultCounts;
use record::outcome::Level;

pub(super) const ID: &str = "counts";

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let words = source.words;
    let columns = [
        Column::new(ColumnKind::Number, words.requests),
        Column::new(ColumnKind::Number, words.right),
        Column::new(ColumnKind::Text, words.faults),
        Column::new(ColumnKind::Number, words.connects),
    ];
    let cells = |level: &Level| {
        let counts = &level.counts;
        [
            counts.requests.to_string(),
            counts.ok.to_string(),
            say::some_text(&FaultCounts(&counts.faults), words.lang).unwrap_or_else(|| words.none.to_owned()),
            counts.connects.to_string(),
        ]
    };
    let table = table_by_load(source.report, words, columns, cells);
    Content::of(words.counted, [table])
}
