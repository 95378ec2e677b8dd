//! Prometheus's remote write 1.0: a message of protobuf, compressed as a block of snappy. (Prometheus, "Remote-Write 1.0".)

use crate::sinks::http::{self, HttpFormat, Request};
use crate::sinks::kind::SinkKind;
use crate::sinks::point::Point;
use prost::Message;
use std::collections::BTreeMap;

pub(super) const KIND: SinkKind = SinkKind {
    name: "prometheus",
    example: "http://HOST:9090/api/v1/write",
    takes_verdicts: true,
    takes_traces: false,
    place: |address| http::place(address, HttpFormat::of_points(request)),
};

#[derive(Clone, PartialEq, Message)]
struct WriteRequest {
    #[prost(message, repeated, tag = "1")]
    series: Vec<TimeSeries>,
}

#[derive(Clone, PartialEq, Message)]
struct TimeSeries {
    /// Sorted by name.
    #[prost(message, repeated, tag = "1")]
    labels: Vec<Label>,
    /// In the order of time.
    #[prost(message, repeated, tag = "2")]
    samples: Vec<Sample>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Message)]
struct Label {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(string, tag = "2")]
    value: String,
}

#[derive(Clone, Copy, PartialEq, Message)]
struct Sample {
    #[prost(double, tag = "1")]
    value: f64,
    /// Milliseconds since the epoch.
    #[prost(int64, tag = "2")]
    timestamp: i64,
}

fn request(points: &[Point]) -> Request {
    let mut series: BTreeMap<Vec<Label>, Vec<Sample>> = BTreeMap::new();
    for point in points {
        for (figure, value) in &point.figures {
            let sample = Sample { value: *value, timestamp: (point.at_ns / 1_000_000) as i64 };
            series.entry(labels(point, figure)).or_default().push(sample);
        }
    }
    let series = series.into_iter().map(|(labels, mut samples)| {
        samples.sort_by_key(|sample| sample.timestamp);
        TimeSeries { labels, samples }
    });
    let message = WriteRequest { series: series.collect() };
    let mut body = message.encode_to_vec();
    // Compression fails only for more than four gigabytes; then the receiver refuses what it gets.
    if let Ok(compressed) = snap::raw::Encoder::new().compress_vec(&body) {
        body = compressed;
    }
    Request {
        method: "POST",
        path: None,
        headers: &[
            ("Content-Type", "application/x-protobuf"),
            ("Content-Encoding", "snappy"),
            ("X-Prometheus-Remote-Write-Version", "0.1.0"),
        ],
        body,
    }
}

fn labels(point: &Point, figure: &str) -> Vec<Label> {
    let label = |name: &str, value: String| Label { name: name.to_owned(), value };
    let mut labels = vec![label("__name__", format!("prony_{}_{figure}", point.kind))];
    labels.extend(point.labels.iter().map(|(name, value)| label(name, value.clone())));
    labels.sort();
    labels
}
