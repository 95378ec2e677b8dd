//! Response and service times of each arm at each load, and how late its requests were sent. In the closed loop, only the service
//! time has a meaning.

use super::block::Column;
use super::by_arm::table_by_load;
use super::{ColumnKind, Content, SectionInput};
use crate::units;
use crate::words::Label;
use model::measure::Measure;
use record::level_figure::LevelFigure;
use record::outcome::Level;
use say::{Say, text};

pub(super) const ID: &str = "times";

/// The words of the section.
#[derive(Say)]
enum TimesText {
    #[say(en = "Times at each load", zh = "各负载下的响应时间与服务时间")]
    Heading,
    #[say(en = "send delay p50", zh = "发送延迟 p50")]
    SendDelayP50,
    #[say(en = "send delay p99", zh = "发送延迟 p99")]
    SendDelayP99,
}

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let language = source.language;
    let column = |heading: &dyn Say| Column::new(ColumnKind::Number, text(heading, language));
    let [p50, p99] = [Measure::ResponseP50, Measure::ResponseP99].map(|measure| column(&measure));
    let [service_p50, service_p99] = [Label::ServiceP50, Label::ServiceP99].map(|label| column(&label));
    let mut levels = source.report.arms.iter().flat_map(|arm| &arm.levels);
    let table = match levels.any(|level| level.generator.send_delay.is_some()) {
        true => {
            let [delay_p50, delay_p99] =
                [TimesText::SendDelayP50, TimesText::SendDelayP99].map(|delay| column(&delay));
            let columns = [p50, p99, delay_p50, delay_p99, service_p50, service_p99];
            table_by_load(source.report, language, columns, |level| {
                let ([p50, p99, service_p50, service_p99], [delay_p50, delay_p99]) =
                    (times(level), delays(level));
                [p50, p99, delay_p50, delay_p99, service_p50, service_p99]
            })
        }
        false => table_by_load(source.report, language, [p50, p99, service_p50, service_p99], times),
    };
    Content::of(text(&TimesText::Heading, language), [table])
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
