//! OTLP over HTTP as JSON: every figure is a gauge, and a run is a trace. (OpenTelemetry, "OTLP Specification".)

use crate::outgoing::Trouble;
use crate::sinks::http::{self, HttpFormat, Request};
use crate::sinks::kind::{Rest, SinkKind};
use crate::sinks::point::Point;
use crate::sinks::trace::Trace;
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub(super) const KIND: SinkKind = SinkKind {
    name: "otlp",
    example: "http://HOST:4318/v1/metrics",
    takes_verdicts: true,
    takes_traces: true,
    place: |address| {
        let format = HttpFormat { refused, trace: Some(trace_request), ..HttpFormat::of_points(request) };
        http::place(address, format)
    },
};

/// The kind of a span within one program.
const INTERNAL: u32 = 1;
/// The status of a span that failed.
const FAILED: u32 = 2;

fn request(points: &[Point]) -> Request {
    let mut gauges: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for point in points {
        let attributes: Vec<Value> =
            point.labels.iter().map(|(name, value)| attribute(name, value)).collect();
        for (figure, value) in &point.figures {
            let name = format!("prony.{}.{figure}", point.kind);
            gauges.entry(name).or_default().push(json!({
                "attributes": &attributes,
                "timeUnixNano": point.at_ns.to_string(),
                "asDouble": value,
            }));
        }
    }
    let metrics =
        gauges.into_iter().map(|(name, points)| json!({"name": name, "gauge": {"dataPoints": points}}));
    let body = json!({"resourceMetrics": [{
        "resource": resource(),
        "scopeMetrics": [{"scope": scope(), "metrics": metrics.collect::<Vec<_>>()}],
    }]});
    post(&body)
}

/// The request that stores a trace, for the path of traces.
fn trace_request(trace: &Trace) -> Request {
    let spans = trace.spans.iter().map(|span| {
        let labels = span.labels.iter().map(|(name, value)| attribute(&format!("prony.{name}"), value));
        let figures = span
            .figures
            .iter()
            .map(|(name, value)| json!({"key": format!("prony.{name}"), "value": {"doubleValue": value}}));
        let mut written = json!({
            "traceId": trace.id,
            "spanId": span.id,
            "name": span.name,
            "kind": INTERNAL,
            "startTimeUnixNano": span.begin_ns.to_string(),
            "endTimeUnixNano": span.end_ns.to_string(),
            "attributes": labels.chain(figures).collect::<Vec<_>>(),
        });
        if let Some(parent) = &span.parent {
            written["parentSpanId"] = json!(parent);
        }
        if span.is_void {
            written["status"] = json!({"code": FAILED, "message": "it does not count"});
        }
        written
    });
    post(&json!({"resourceSpans": [{
        "resource": resource(),
        "scopeSpans": [{"scope": scope(), "spans": spans.collect::<Vec<_>>()}],
    }]}))
}

fn resource() -> Value {
    json!({"attributes": [attribute("service.name", "prony")]})
}

fn scope() -> Value {
    json!({"name": "prony", "version": env!("CARGO_PKG_VERSION")})
}

fn post(body: &Value) -> Request {
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

/// A good answer may tell that some data points were refused. Each refused data point is counted as a whole point,
/// although a point has several data points, so more points are called lost than were lost.
fn refused(answer: &[u8]) -> Option<Rest> {
    let answer: Value = serde_json::from_slice(answer).ok()?;
    let partial = &answer["partialSuccess"];
    let count = &partial["rejectedDataPoints"];
    // JSON of protobuf writes 64-bit numbers as texts.
    let items = count.as_u64().or_else(|| count.as_str()?.parse().ok()).filter(|items| *items > 0)?;
    Some(Rest {
        items,
        trouble: Trouble::Refused {
            status: 200,
            words: partial["errorMessage"].as_str().unwrap_or_default().to_owned(),
        },
    })
}
