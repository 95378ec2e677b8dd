//! The parts of a request, from the connect to the last byte of its answer: how long each took on average.

use super::block::Column;
use super::by_arm::table_by_load;
use super::{ColumnKind, Content, ContentBlock, SectionInput};
use crate::units;
use record::outcome::{Level, RequestPart};
use say::{Language, Say, text};

pub(super) const ID: &str = "parts";

/// The words of the section.
#[derive(Say)]
enum PartsText<'a> {
    #[say(en = "Parts of a request", zh = "请求的各个阶段")]
    Heading,
    #[say(
        en = "Means over the requests that have the part: where connections are kept, most need no connect and no handshake.",
        zh = "对含有该阶段的请求取平均：保持连接时，大多数请求无需建立连接，也无需握手。"
    )]
    Explained,
    #[say(en = "{time}, in {share} of requests", zh = "{time}（{share} 的请求）")]
    InShare { time: &'a str, share: &'a str },
}

/// The share of requests from which on all of them are said to have a part.
const ALL: f64 = 0.995;

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let (report, language) = (source.report, source.language);
    let levels = || report.arms.iter().flat_map(|arm| &arm.levels);
    if levels().all(|level| level.counts.parts.is_empty()) {
        return None;
    }
    let columns = RequestPart::ALL.map(|part| Column::new(ColumnKind::Number, text(&part, language)));
    let cells = |level: &Level| RequestPart::ALL.map(|part| cell(level, part, language));
    let table = table_by_load(report, language, columns, cells);
    let explained = ContentBlock::explanation(source.say(&PartsText::Explained));
    Content::of(source.say(&PartsText::Heading), [table, explained])
}

/// The mean time of a part at a load, with the share of the requests that had it.
fn cell(level: &Level, part: RequestPart, language: Language) -> String {
    let time = level.counts.parts.get(&part);
    let Some((time, mean)) = time.and_then(|time| Some((time, time.mean()?))) else {
        return "–".to_owned();
    };
    let mean = units::seconds(mean.0);
    let share = time.count as f64 / level.counts.requests.max(1) as f64;
    match share < ALL {
        true => text(&PartsText::InShare { time: &mean, share: &units::share(share) }, language),
        false => mean,
    }
}
