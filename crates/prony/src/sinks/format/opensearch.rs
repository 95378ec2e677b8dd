//! Bulk requests of OpenSearch and Elasticsearch, into the index `prony`. An answer with status 200 may refuse documents one by one.

use super::{Request, Rest};
use crate::outgoing::Trouble;
use crate::sinks::point::Point;
use serde_json::{Map, Value, json};

/// The template of the index: names are keywords and figures are numbers, whatever the first document has.
pub(super) fn template() -> Request {
    let names = json!({"strings": {"match_mapping_type": "string", "mapping": {"type": "keyword"}}});
    // One rule for each type: Elasticsearch 7 takes no lists.
    let rule = |of: &str| json!({"figures": {"match_mapping_type": of, "mapping": {"type": "double"}}});
    let template = json!({
        "index_patterns": ["prony"],
        "template": {"mappings": {
            "properties": {"@timestamp": {"type": "date", "format": "epoch_millis"}},
            "dynamic_templates": [names, rule("long"), rule("double")],
        }},
    });
    Request {
        method: "PUT",
        path: Some("/_index_template/prony"),
        headers: &[("Content-Type", "application/json")],
        body: template.to_string().into_bytes(),
    }
}

pub(super) fn request(points: &[Point]) -> Request {
    let mut body = String::new();
    for point in points {
        body.push_str(&format!("{}\n{}\n", json!({"index": {"_id": point.id()}}), document(point)));
    }
    Request {
        method: "POST",
        path: Some("/prony/_bulk?filter_path=errors,items.*.status,items.*.error.reason"),
        headers: &[("Content-Type", "application/x-ndjson")],
        body: body.into_bytes(),
    }
}

fn document(point: &Point) -> Value {
    let mut document = Map::new();
    document.insert("@timestamp".to_owned(), (point.at_ns / 1_000_000).into());
    document.insert("kind".to_owned(), point.kind.into());
    let names = point.labels.iter().map(|(name, value)| ((*name).to_owned(), value.as_str().into()));
    document.extend(names);
    let figures = point.figures.iter().map(|(name, value)| ((*name).to_owned(), (*value).into()));
    document.extend(figures);
    Value::Object(document)
}

pub(super) fn refused(answer: &[u8]) -> Option<Rest> {
    let answer: Value = serde_json::from_slice(answer).ok()?;
    let items = answer["items"].as_array()?.iter().map(|item| &item["index"]);
    let refused: Vec<&Value> = items.filter(|item| item["status"].as_u64() >= Some(300)).collect();
    let first = refused.first()?;
    Some(Rest {
        items: refused.len() as u64,
        trouble: Trouble::Refused {
            status: first["status"].as_u64()? as u16,
            words: first["error"]["reason"].as_str().unwrap_or_default().to_owned(),
        },
    })
}
