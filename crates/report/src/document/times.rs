//! Response and service times of each arm at each load, and how late its requests were sent. In the closed loop, only the service
//! time has a meaning.

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
        words.send_delay_p50,
        words.send_delay_p99,
    ];
    let columns = columns.map(|heading| Column::new(ColumnKind::Number, heading));
    let cells = |level: &Level| {
        let time = |id: &str| level.measures.get(id).map(|estimate| estimate.value);
        let delay = level.generator.send_delay;
        let times = [
            time("response_p50"),
            time("response_p99"),
            time("service_p50"),
            time("service_p99"),
            delay.map(|delay| delay.p50),
            delay.map(|delay| delay.p99),
        ];
        times.map(|time| time.map_or_else(|| "–".to_owned(), units::seconds))
    };
    let table = table_by_load(source.report, words, columns, cells);
    Content::of(words.times_by_load, [table])
}
