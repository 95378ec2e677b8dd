//! The formats of points: how they are written, and what an answer says.

pub(super) mod exposition;
mod influx;
mod opensearch;
pub(super) mod otlp;
mod prometheus;
pub(super) mod statsd;

use super::point::Point;
use crate::outgoing::Trouble;

/// A format in which points are sent by HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HttpFormat {
    /// InfluxDB's line protocol.
    Influx,
    /// Prometheus's remote write 1.0.
    Prometheus,
    /// OTLP metrics, as JSON.
    Otlp,
    /// The bulk requests of OpenSearch and Elasticsearch.
    OpenSearch,
}

/// A request to a sink.
pub(super) struct Request {
    pub(super) method: &'static str,
    /// What follows the address of the sink; `None` where the address is complete.
    pub(super) path: Option<&'static str>,
    pub(super) headers: &'static [(&'static str, &'static str)],
    pub(super) body: Vec<u8>,
}

/// Points that were refused one by one.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Rest {
    pub(super) items: u64,
    /// Why the first of them was.
    pub(super) trouble: Trouble,
}

impl HttpFormat {
    const ALL: [Self; 4] = [Self::Influx, Self::Prometheus, Self::Otlp, Self::OpenSearch];

    /// The format of this name.
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// Its name, as `--sink` takes it.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Influx => "influx",
            Self::Prometheus => "prometheus",
            Self::Otlp => "otlp",
            Self::OpenSearch => "opensearch",
        }
    }

    /// The request that tells a sink how to store points, where it has to know.
    pub(super) fn preparation(self) -> Option<Request> {
        match self {
            Self::OpenSearch => Some(opensearch::template()),
            Self::Influx | Self::Prometheus | Self::Otlp => None,
        }
    }

    /// The request that stores points.
    pub(super) fn request(self, points: &[Point]) -> Request {
        match self {
            Self::Influx => influx::request(points),
            Self::Prometheus => prometheus::request(points),
            Self::Otlp => otlp::request(points),
            Self::OpenSearch => opensearch::request(points),
        }
    }

    /// The points that a good answer refuses nevertheless.
    pub(super) fn refused_items(self, answer: &[u8]) -> Option<Rest> {
        match self {
            Self::OpenSearch => opensearch::refused(answer),
            Self::Otlp => otlp::refused(answer),
            Self::Influx | Self::Prometheus => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A point whose names have what formats have to escape.
    pub(super) fn point() -> Point {
        Point {
            kind: "slice",
            labels: vec![
                ("arm", "tom cat,10=\"a\"".to_owned()),
                ("load", "users=16".to_owned()),
                ("run", "r\\1".to_owned()),
            ],
            figures: vec![("throughput", 1200.5), ("faults", 0.0)],
            at_ns: 1_700_000_000_123_456_789,
        }
    }

    fn text(format: HttpFormat) -> String {
        String::from_utf8(format.request(&[point()]).body).expect("UTF-8")
    }

    #[test]
    fn influx_lines_escape_their_names() {
        assert_eq!(
            text(HttpFormat::Influx),
            "prony_slice,arm=tom\\ cat\\,10\\=\"a\",load=users\\=16,run=r\\1 throughput=1200.5,faults=0 1700000000123456789\n"
        );
    }

    #[test]
    fn opensearch_documents_have_an_id_so_that_sending_twice_stores_once() {
        let body = text(HttpFormat::OpenSearch);
        let lines: Vec<serde_json::Value> =
            body.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        assert_eq!(lines[0]["index"]["_id"], "slice/tom cat,10=\"a\"/users=16/r\\1/1700000000123456789");
        assert_eq!(
            (&lines[1]["throughput"], &lines[1]["@timestamp"]),
            (&1200.5.into(), &1_700_000_000_123_u64.into())
        );
    }

    #[test]
    fn items_that_a_bulk_answer_refuses_are_counted() {
        let answer = br#"{"errors":true,"items":[{"index":{"status":201}},{"index":{"status":400,"error":{"reason":"no number"}}}]}"#;
        let rest = HttpFormat::OpenSearch.refused_items(answer).expect("one is refused");
        assert_eq!(rest.items, 1);
        assert_eq!(rest.trouble, Trouble::Refused { status: 400, words: "no number".to_owned() });
        assert_eq!(HttpFormat::OpenSearch.refused_items(br#"{"errors":false}"#), None);
    }

    #[test]
    fn a_page_has_each_figure_with_its_labels_and_time() {
        let text = exposition::text([&point()].into_iter());
        assert_eq!(
            text,
            "# TYPE prony_slice_faults gauge\n\
             prony_slice_faults{arm=\"tom cat,10=\\\"a\\\"\",load=\"users=16\",run=\"r\\\\1\"} 0 1700000000123\n\
             # TYPE prony_slice_throughput gauge\n\
             prony_slice_throughput{arm=\"tom cat,10=\\\"a\\\"\",load=\"users=16\",run=\"r\\\\1\"} 1200.5 1700000000123\n"
        );
    }

    #[test]
    fn statsd_packets_fit_into_a_frame() {
        let packets = statsd::packets(&vec![point(); 40]);
        assert!(packets.len() > 1 && packets.iter().all(|packet| packet.len() <= 1400));
        assert!(
            packets[0].starts_with("prony.slice.tom_cat_10__a_.users_16.throughput:1200.5|g\n"),
            "{}",
            packets[0]
        );
    }
}
