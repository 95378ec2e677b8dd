//! The run over time: every slice of load, and what was read at the same time.

use super::{Content, ContentBlock, SectionInput};
use crate::loads::load_name;
use model::units::Seconds;
use record::outcome::Report;
use record::series::{Timeline, TrackId};
use say::{Language, Say, text};
use serde::Serialize;

pub(super) const ID: &str = "timeline";

/// The words of the section.
#[derive(Say)]
enum TimelineText {
    #[say(en = "Over time", zh = "随时间变化")]
    Heading,
    #[say(
        en = "Every dot is a slice of load; the lower panels show what was read at the same time. Drag over the strip on top to \
              select a span, or over a panel to zoom in; on a phone spread two fingers. A double click or two taps show all again.",
        zh = "每个点是一个负载切片，下方各图是同一时刻读到的数据。在顶部的条带上拖动可选择一段时间，在任一图上拖动可放大，手机上用两指张开；双击或双触恢复全部。"
    )]
    Explained,
    #[say(
        en = "Each dot is the mean of up to {each} neighbouring slices.",
        zh = "每个点是至多 {each} 个相邻切片的平均值。"
    )]
    Means { each: usize },
    /// The title of the strip above the plots.
    #[say(en = "The whole run: drag to select a span", zh = "整次运行：拖动可选择一段时间")]
    Strip,
    #[say(en = "all arms", zh = "全部对象")]
    AllArms,
    #[say(en = "all starts", zh = "全部启动")]
    AllStarts,
    #[say(en = "all loads", zh = "全部负载")]
    AllLoads,
}

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let (timeline, language) = (&source.series?.timeline, source.language);
    if timeline.at.is_empty() {
        return None;
    }
    let mut explanation = text(&TimelineText::Explained, language);
    if timeline.each > 1 {
        explanation.push(' ');
        explanation.push_str(&text(&TimelineText::Means { each: timeline.each }, language));
    }
    Content::of(
        text(&TimelineText::Heading, language),
        [
            ContentBlock::explanation(explanation),
            ContentBlock::Timeline(data(source.report, timeline, language)),
        ],
    )
}

/// The data that the script of the plot reads. Each field is a column with one value for each slice.
#[derive(Serialize)]
struct TimelineData<'a> {
    arms: Vec<&'a str>,
    loads: Vec<String>,
    at: &'a [Seconds],
    arm: &'a [usize],
    start: &'a [u32],
    load: &'a [usize],
    tracks: Vec<TimelinePanel<'a>>,
    words: [(&'static str, String); 4],
}

/// One panel of the plot.
#[derive(Serialize)]
struct TimelinePanel<'a> {
    title: String,
    /// Values are seconds.
    time: bool,
    values: &'a [Option<f64>],
}

/// The data of the plot in JSON.
fn data(report: &Report, timeline: &Timeline, language: Language) -> String {
    let tracks = timeline.tracks.iter().map(|track| TimelinePanel {
        title: text(&track.id, language),
        time: matches!(track.id, TrackId::P50 | TrackId::P99),
        values: &track.values,
    });
    let data = TimelineData {
        arms: report.arms.iter().map(|arm| arm.name.as_str()).collect(),
        loads: timeline.loads.iter().map(|load| load_name(load, language)).collect(),
        at: &timeline.at,
        arm: &timeline.arm,
        start: &timeline.start,
        load: &timeline.load,
        tracks: tracks.collect(),
        words: [
            ("strip", text(&TimelineText::Strip, language)),
            ("arms", text(&TimelineText::AllArms, language)),
            ("starts", text(&TimelineText::AllStarts, language)),
            ("loads", text(&TimelineText::AllLoads, language)),
        ],
    };
    // All numbers are finite and all keys strings, so there always is a JSON form.
    serde_json::to_string(&data).unwrap_or_default()
}
