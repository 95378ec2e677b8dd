//! The run over time: every slice of load, and what was read at the same time.

use super::{Content, ContentBlock, SectionInput};
use crate::loads::load_name;
use crate::words::{Words, fill};
use model::units::Seconds;
use record::outcome::Report;
use record::series::{Timeline, TrackId};
use serde::Serialize;

pub(super) const ID: &str = "timeline";

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let (timeline, words) = (&source.series?.timeline, source.words);
    if timeline.at.is_empty() {
        return None;
    }
    let mut explanation = words.page_timeline_says.to_owned();
    if timeline.each > 1 {
        explanation.push(' ');
        explanation.push_str(&fill(words.page_timeline_each, &[("each", &timeline.each)]));
    }
    Content::of(
        words.page_timeline,
        [
            ContentBlock::explanation(explanation),
            ContentBlock::Timeline(data(source.report, timeline, words)),
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
    words: [(&'static str, &'static str); 3],
}

/// One panel of the plot.
#[derive(Serialize)]
struct TimelinePanel<'a> {
    title: &'static str,
    /// Values are seconds.
    time: bool,
    values: &'a [Option<f64>],
}

/// The data of the plot in JSON.
fn data(report: &Report, timeline: &Timeline, words: &Words) -> String {
    let tracks = timeline.tracks.iter().map(|track| TimelinePanel {
        title: words.track(track.id),
        time: matches!(track.id, TrackId::P50 | TrackId::P99),
        values: &track.values,
    });
    let data = TimelineData {
        arms: report.arms.iter().map(|arm| arm.name.as_str()).collect(),
        loads: timeline.loads.iter().map(|load| load_name(load, words)).collect(),
        at: &timeline.at,
        arm: &timeline.arm,
        start: &timeline.start,
        load: &timeline.load,
        tracks: tracks.collect(),
        words: [
            ("arms", words.page_all_arms),
            ("starts", words.page_all_starts),
            ("loads", words.page_all_loads),
        ],
    };
    // All numbers are finite and all keys strings, so there always is a JSON form.
    serde_json::to_string(&data).unwrap_or_default()
}
