//! InfluxDB's line protocol. (InfluxData documentation, "Line protocol reference".)

use super::Request;
use crate::sinks::point::Point;
use std::fmt::Write;

pub(super) fn request(points: &[Point]) -> Request {
    Request {
        method: "POST",
        path: None,
        headers: &[("Content-Type", "text/plain; charset=utf-8")],
        body: points.iter().map(line).collect::<String>().into_bytes(),
    }
}

fn line(point: &Point) -> String {
    let mut line = format!("prony_{}", point.kind);
    for (name, value) in &point.labels {
        // Writing to a String cannot fail.
        let _ = write!(line, ",{name}={}", escaped(value));
    }
    let figures = point.figures.iter().map(|(name, value)| format!("{name}={value}"));
    let figures: Vec<String> = figures.collect();
    let _ = writeln!(line, " {} {}", figures.join(","), point.at_ns);
    line
}

/// The value of a tag; a line break has no escape there.
fn escaped(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    for character in value.chars() {
        match character {
            ',' | '=' | ' ' => out.extend(['\\', character]),
            '\n' | '\r' => out.push('_'),
            _ => out.push(character),
        }
    }
    out
}
