//! Response and service times of each arm at each load, and how late its requests were sent. In the closed loop, only the service
//! time has a meaning.

use super::block::Column;
use super::by_arm::table_by_load;
use super::{ColumnKind, Content, SectionInput};
use crate::units;
use model::measure::Measure;
use record::level_figure::LevelFigure;
use record::outcome::Level;

pub(super) const ID: &str = "times";

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let words = source.words;
    let [p50, p99, service_p50, service_p99] = [
        words.measure(Measure::ResponseP50),
        words.measure(Measure::ResponseP99),
        words.service_p50,
        words.service_p99,
    ]
    .map(column);
    let mut levels = source.report.arms.iter().flat_map(|arm| &arm.levels);
    let table = match levels.any(|level| level.generator.send_delay.is_some()) {
        true => {
            let [delay_p50, delay_p99] = [words.send_delay_p50, words.send_delay_p99].map(column);
            let columns = [p50, p99, delay_p50, delay_p99, service_p50, service_p99];
            table_by_load(source.report, words, columns, |level| {
                let ([p50, p99, service_p50, service_p99], [delay_p50, delay_p99]) =
                    (times(level), delays(level));
                [p50, p99, delay_p50, delay_p99, service_p50, service_p99]
            })
        }
        false => table_by_load(source.report, words, [p50, p99, service_p50, service_p99], times),
    };
    Content::of(words.times_by_load, [table])
}

fn column(heading: &'static str) -> Column {
    Column::new(ColumnKind::Number, heading)
}

/// The response and service times of a level.
fn times(level: &Level) -> [String; 4] {
    let [p50, p99] = [Measure::ResponseP50, Measure::ResponseP99].map(LevelFigure::Measure);
    [p50, p99, LevelFigure::SERVICE_P50, LevelFigure::SERVICE_P99].map(|figure| shown(level.value(figure)))
}

/// How late the requests of a level were sent: median and 99th percentile.
fn delays(level: &Level) -> [String; 2] {
    let delay = level.generator.send_delay;
    [delay.map(|delay| delay.p50.0), delay.map(|delay| delay.p99.0)].map(shown)
}

fn shown(seconds: Option<f64>) -> String {
    seconds.map_or_else(|| "–".to_owned(), units::seconds)
}
