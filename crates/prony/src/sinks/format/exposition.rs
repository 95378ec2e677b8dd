//! The text that Prometheus reads from a page: every figure is a gauge. (Prometheus, "Exposition formats", text format 0.0.4.)

use crate::sinks::point::Point;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The type of the text.
pub(in crate::sinks) const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The page with these points. Each has its time, so that Prometheus stores it once, however often it reads it.
pub(in crate::sinks) fn text<'a>(points: impl Iterator<Item = &'a Point>) -> String {
    let mut samples: BTreeMap<String, String> = BTreeMap::new();
    for point in points {
        let labels = point.labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value)));
        let labels = labels.collect::<Vec<_>>().join(",");
        let millis = point.at_ns / 1_000_000;
        for (figure, value) in &point.figures {
            let name = format!("prony_{}_{figure}", point.kind);
            let line = format!("{name}{{{labels}}} {value} {millis}\n");
            samples.entry(name).or_default().push_str(&line);
        }
    }
    let mut out = String::new();
    for (name, lines) in samples {
        // Writing to a String cannot fail.
        let _ = write!(out, "# TYPE {name} gauge\n{lines}");
    }
    out
}

/// The value of a label.
fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
