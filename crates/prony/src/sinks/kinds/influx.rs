//! InfluxDB's line protocol. (InfluxData documentation, "Line protocol reference".)

use crate::sinks::http::{self, HttpFormat, Request};
use crate::sinks::kind::SinkKind;
use crate::sinks::point::Point;
use std::fmt::Write;

pub(super) const KIND: SinkKind = SinkKind {
    name: "influx",
    example: "http://HOST:8086/write?db=NAME",
    takes_verdicts: true,
    takes_traces: false,
    place: |address| http::place(address, HttpFormat::of_points(request)),
};

fn request(points: &[Point]) -> Request {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sinks::point::awkward_point;

    #[test]
    fn influx_lines_escape_their_names() {
        assert_eq!(
            line(&awkward_point()),
            "prony_slice,arm=tom\\ cat\\,10\\=\"a\",load=users\\=16,run=r\\1 throughput=1200.5,faults=0 1700000000123456789\n"
        );
    }
}
