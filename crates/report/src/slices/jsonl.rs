//! `report --format jsonl`: one line per slice, as it is stored, with the names of its run and its arm. Times are HdrHistograms
//! (V2 deflate) in base64, as in a histogram log.

use super::StoredSlices;
use crate::json::Coded;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use model::reason::Reason;
use record::histogram::SparseHistogram;
use record::rounds::SliceRecord;
use say::Language;
use serde_json::{Value, json};

/// All slices of a run.
pub fn text(stored: StoredSlices<'_>) -> String {
    let mut out = String::new();
    for slice in stored.slices {
        out.push_str(&line(stored, slice).to_string());
        out.push('\n');
    }
    out
}

fn line(stored: StoredSlices<'_>, slice: &SliceRecord) -> Value {
    // A slice has string keys and finite numbers only, so it always has a JSON form.
    let mut line = serde_json::to_value(slice).unwrap_or_default();
    line["run"] = json!(stored.run.run);
    line["experiment"] = json!(stored.run.experiment.name);
    line["arm"] = json!(stored.arm(slice));
    line["users"] = json!(stored.load(slice).users);
    add_reason(&mut line, "void", stored.void(slice).as_ref());
    add_reason(&mut line, "why_invalid", slice.why_invalid.as_ref());
    for (kind, times) in
        [("response", &slice.response), ("service", &slice.service), ("connect", &slice.connect)]
    {
        let bytes = times.as_ref().map_or_else(Vec::new, SparseHistogram::to_bytes);
        line[kind] = json!(BASE64_STANDARD.encode(bytes));
    }
    if let Some(undelayed) = &slice.undelayed {
        line["undelayed"] = json!(undelayed.to_bytes());
    }
    line
}

/// Adds a reason to the line: its sentence, or null without a reason, and its code and values.
fn add_reason(line: &mut Value, key: &str, reason: Option<&Reason>) {
    line[key] = json!(reason.map(|reason| say::text(reason, Language::En)));
    if let Some(Coded { code, values }) = reason.map(Coded::of) {
        line[format!("{key}_code")] = json!(code);
        line[format!("{key}_values")] = values;
    }
}
