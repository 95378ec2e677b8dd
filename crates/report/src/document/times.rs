//! Response and service times of each arm at each load. In the closed loop, only the service time has a meaning.

use super::block::Column;
use super::by_arm::table_by_load;
use super::{ColumnKind, Content, SectionInput};
use crate::units;
use model::outcome::Level;

pub(super) const ID: &str = "times";

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let words = source.words;
    let columns = [
        words.response_p50,
        words.response_p99,
        words.service_p50,
        words.service_p99,
    ];
    let columns = columns.map(|heading| Column::new(ColumnKind::Number, heading));
    let cells = |level: &Level| {
        ["response_p50", "response_p99", "service_p50", "service_p99"].map(|id| {
            let estimate = level.measures.get(id);
            estimate.map_or_else(|| "–".to_owned(), |estimate| units::seconds(estimate.value))
        })
    };
    let table = table_by_load(source.report, words, columns, cells);
    Content::of(words.times_by_load, [table])
}
