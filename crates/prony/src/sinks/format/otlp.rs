//! OTLP metrics over HTTP as JSON: every figure is a gauge. (OpenTelemetry, "OTLP Specification".)

use super::{Request, Rest};
use crate::outgoing::Trouble;
use crate::sinks::point::Point;
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub(super) fn request(points: &[Point]) -> Request {
    let mut gauges: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for point in points {
        let attributes: Vec<Value> = point
            .labels
            .iter()
            .map(|(name, value)| attribute(name, value))
            .collect();
        for (figure, value) in &point.figures {
            let name = format!("prony.{}.{figure}", point.kind);
            gauges.entry(name).or_default().push(json!({
                "attributes": &attributes,
                "timeUnixNano": point.at_ns.to_string(),
                "asDouble": value,
            }));
        }
    }
    let metrics = gauges
        .into_iter()
        .map(|(name, points)| json!({"name": name, "gauge": {"dataPoints": points}}));
    let body = json!({"resourceMetrics": [{
        "resource": {"attributes": [attribute("service.name", "prony")]},
        "scopeMetrics": [{
            "scope": {"name": "prony", "version": env!("CARGO_PKG_VERSION")},
            "metrics": metrics.collect::<Vec<_>>(),
        }],
    }]});
    Request {
        method: "POST",
        path: None,
        headers: &[("Content-Type", "application/json")],
        body: body.to_string().into_bytes(),
    }
}

fn attribute(name: &str, value: &str) -> Value {
    json!({"key": name, "value": {"stringValue": value}})
}

/// A good answer may tell that some data points were refused. They are counted as points, of which each has several, so that more are called
/// lost than were.
pub(super) fn refused(answer: &[u8]) -> Option<Rest> {
    let answer: Value = serde_json::from_slice(answer).ok()?;
    let partial = &answer["partialSuccess"];
    let count = &partial["rejectedDataPoints"];
    // JSON of protobuf writes 64-bit numbers as texts.
    let items = count
        .as_u64()
        .or_else(|| count.as_str()?.parse().ok())
        .filter(|items| *items > 0)?;
    Some(Rest {
        items,
        trouble: Trouble::Refused {
            status: 200,
            words: partial["errorMessage"].as_str().unwrap_or_default().to_owned(),
        },
    })
}
