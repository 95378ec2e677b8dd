//! The requests, answers, faults and connects of each arm at each load.

use super::block::Column;
use super::by_arm::table_by_load;
use super::{ColumnKind, Content, ContentBlock, SectionInput};
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
    #[say(
        en = "HTTP/2: connections at once, streams that are open at once on each, and the most that the server allows on each; requests that \
              wait for one, a mean over time",
        zh = "HTTP/2：同时打开的连接数、每个连接上同时打开的流数，以及服务器允许的上限；等待流的请求数（按时间平均）"
    )]
    Http2,
    #[say(en = "connections", zh = "连接")]
    Connections,
    #[say(en = "TLS handshakes", zh = "TLS 握手")]
    Handshakes,
    #[say(en = "streams on each", zh = "每连接的流")]
    Streams,
    #[say(en = "most", zh = "上限")]
    MostStreams,
    #[say(en = "waiting", zh = "等待")]
    Waiting,
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
    let mut blocks = vec![table];
    blocks.extend(http2(source));
    Content::of(text(&CountsText::Heading, language), blocks)
}

/// The connections of HTTP/2 and their streams, where a load had any.
fn http2(source: &SectionInput<'_>) -> Vec<ContentBlock> {
    let language = source.language;
    let mut levels = source.report.arms.iter().flat_map(|arm| &arm.levels);
    if !levels.any(|level| level.counts.http2.connections > 0) {
        return Vec::new();
    }
    let titles = [
        CountsText::Connections,
        CountsText::Handshakes,
        CountsText::Streams,
        CountsText::MostStreams,
        CountsText::Waiting,
    ];
    let columns = titles.map(|title| Column::new(ColumnKind::Number, text(&title, language)));
    let none = || text(&Label::None, language);
    let cells = |level: &Level| {
        let (counts, streams) = (&level.counts, &level.counts.http2);
        if streams.connections == 0 {
            return [(); 5].map(|()| none());
        }
        [
            streams.connections.to_string(),
            counts.tls_handshakes.to_string(),
            format!("{:.1}", streams.streams.0),
            streams.stream_limit.map_or_else(none, |most| most.to_string()),
            format!("{:.1}", streams.waiting.0),
        ]
    };
    let table = table_by_load(source.report, language, columns, cells);
    vec![ContentBlock::explanation(text(&CountsText::Http2, language)), table]
}
