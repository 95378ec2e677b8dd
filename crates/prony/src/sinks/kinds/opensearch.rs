//! Bulk requests of OpenSearch and Elasticsearch, into the index `prony`. An answer with status 200 may refuse documents one by one.

use crate::outgoing::Trouble;
use crate::sinks::http::{self, HttpFormat, Request};
use crate::sinks::kind::{Rest, SinkKind};
use crate::sinks::point::Point;
use serde_json::{Map, Value, json};

pub(super) const KIND: SinkKind = SinkKind {
    name: "opensearch",
    example: "http://HOST:9200",
    takes_verdicts: true,
    takes_traces: false,
    place: |address| {
        let format = HttpFormat { preparation: Some(template), refused, ..HttpFormat::of_points(request) };
        http::place(address, format)
    },
};

/// The template of the index: names are keywords and figures are numbers, whatever the first document has.
fn template() -> Request {
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

fn request(points: &[Point]) -> Request {
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

fn refused(answer: &[u8]) -> Option<Rest> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sinks::point::awkward_point;

    #[test]
    fn documents_have_an_id_so_that_sending_twice_stores_once() {
        let body = String::from_utf8(request(&[awkward_point()]).body).expect("UTF-8");
        let lines: Vec<Value> = body.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        assert_eq!(lines[0]["index"]["_id"], "slice/tom cat,10=\"a\"/users=16/r\\1/1700000000123456789");
        assert_eq!(
            (&lines[1]["throughput"], &lines[1]["@timestamp"]),
            (&1200.5.into(), &1_700_000_000_123_u64.into())
        );
    }

    #[test]
    fn items_that_a_bulk_answer_refuses_are_counted() {
        let answer = br#"{"errors":true,"items":[{"index":{"status":201}},{"index":{"status":400,"error":{"reason":"no number"}}}]}"#;
        let rest = refused(answer).expect("one is refused");
        assert_eq!(rest.items, 1);
        assert_eq!(rest.trouble, Trouble::Refused { status: 400, words: "no number".to_owned() });
        assert_eq!(refused(br#"{"errors":false}"#), None);
    }
}
