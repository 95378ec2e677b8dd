//! The kinds of sinks. Each is a file here, which has all that is particular to it, and a row of [`ALL`].

mod influx;
mod jtl;
mod opensearch;
mod otlp;
mod prometheus;
mod scrape;
mod statsd;

use super::kind::SinkKind;

/// Every kind, in the order in which hints and `--help` name them.
const ALL: [SinkKind; 7] =
    [influx::KIND, prometheus::KIND, otlp::KIND, opensearch::KIND, statsd::KIND, scrape::KIND, jtl::KIND];

/// The kind of this name.
pub(super) fn named(name: &str) -> Option<SinkKind> {
    ALL.into_iter().find(|kind| kind.name == name)
}

/// An example of each kind: `statsd=HOST:8125`.
pub(crate) fn examples() -> String {
    ALL.map(|kind| format!("{}={}", kind.name, kind.example)).join(", ")
}

/// The names of all kinds: `influx, statsd or jtl`.
pub(super) fn names() -> String {
    let [names @ .., last] = ALL.map(|kind| kind.name);
    format!("{} or {last}", names.join(", "))
}
