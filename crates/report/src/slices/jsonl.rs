//! `report --format jsonl`: one slice a line, as it is stored, with the names of its run and its arm. The times are
//! HdrHistograms (V2 deflate) in base64, as in a histogram log.

use super::Stored;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use model::record::SliceRecord;
use serde_json::{Value, json};

/// All slices of a run.
pub fn text(stored: Stored<'_>) -> String {
    let mut out = String::new();
    for slice in stored.slices {
        out.push_str(&line(stored, slice).to_string());
        out.push('\n');
    }
    out
}

fn line(stored: Stored<'_>, slice: &SliceRecord) -> Value {
    let bare = SliceRecord {
        response: Vec::new(),
        service: Vec::new(),
        connect: Vec::new(),
        ..slice.clone()
    };
    // A slice has string keys and finite numbers only, so it always has a JSON form.
    let mut line = serde_json::to_value(bare).unwrap_or_default();
    line["run"] = json!(stored.run.run);
    line["experiment"] = json!(stored.run.experiment.name);
    line["arm"] = json!(stored.arm(slice));
    line["users"] = json!(stored.load(slice).users);
    line["void"] = json!(stored.void(slice));
    for (kind, times) in [
        ("response", &slice.response),
        ("service", &slice.service),
        ("connect", &slice.connect),
    ] {
        line[kind] = json!(BASE64_STANDARD.encode(times));
    }
    line
}
