//! The data of the time line, as its script reads it.

use crate::rows;
use crate::words::Words;
use model::outcome::Report;
use model::series::{Series, TrackId};
use serde::Serialize;

#[derive(Serialize)]
struct Data<'a> {
    arms: Vec<&'a str>,
    loads: Vec<String>,
    at: &'a [f64],
    arm: &'a [usize],
    start: &'a [u32],
    load: &'a [usize],
    tracks: Vec<Panel<'a>>,
    words: [(&'static str, &'static str); 3],
}

#[derive(Serialize)]
struct Panel<'a> {
    title: &'static str,
    /// Values are seconds.
    time: bool,
    values: &'a [Option<f64>],
}

/// JSON that may stand inside a `<script>`; `None` where no slice was stored.
pub(super) fn data(report: &Report, series: &Series, words: &Words) -> Option<String> {
    let line = &series.timeline;
    if line.at.is_empty() {
        return None;
    }
    let data = Data {
        arms: report.arms.iter().map(|arm| arm.name.as_str()).collect(),
        loads: line.loads.iter().map(|load| rows::load(load, words)).collect(),
        at: &line.at,
        arm: &line.arm,
        start: &line.start,
        load: &line.load,
        tracks: line
            .tracks
            .iter()
            .map(|track| Panel {
                title: words.track(track.id),
                time: matches!(track.id, TrackId::P50 | TrackId::P99),
                values: &track.values,
            })
            .collect(),
        words: [
            ("arms", words.page_all_arms),
            ("starts", words.page_all_starts),
            ("loads", words.page_all_loads),
        ],
    };
    // All numbers are finite and all keys strings, so there always is a JSON form.
    let json = serde_json::to_string(&data).unwrap_or_default();
    Some(json.replace('<', "\\u003c"))
}
