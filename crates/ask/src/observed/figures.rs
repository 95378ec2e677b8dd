//! [`FigureSource`]: where a server that runs already tells figures of itself.

use crate::diagnostic::Diagnostic;
use crate::node::{Node, Table, Value};
use crate::slip::{ArmSlip, Hint, TableName};
use model::url::Url;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Where a server tells figures of itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum FigureSource {
    /// A page in the text format of Prometheus: its URL.
    Page(String),
    /// A Prometheus server, which has read them.
    Collected(CollectedFigures),
}

/// The figures of a service at a Prometheus server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CollectedFigures {
    /// The URL of the Prometheus server.
    pub prometheus: String,
    /// The matchers that its series have, as in a selector without braces: `job="shop",instance="10.0.0.5:8080"`; empty where only
    /// `queries` count.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub select: String,
    /// What to ask for in the place of the usual series.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub queries: BTreeMap<ToldFigure, String>,
}

/// A figure that a server tells of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToldFigure {
    /// CPU time since its start, seconds.
    CpuSeconds,
    /// CPUs that it has.
    Processors,
    /// Bytes of the heap in use.
    Heap,
    /// Bytes that the heap may have.
    HeapMost,
    /// Time in collections since its start, seconds.
    GcSeconds,
    /// Collections since its start.
    GcCount,
    /// Threads that serve requests.
    Threads,
    /// Most of them.
    ThreadsMost,
    /// Connections of a pool that are in use.
    Connections,
    /// Most of them.
    ConnectionsMost,
    /// Requests that wait for one.
    ConnectionsWaiting,
    /// Resident memory, bytes.
    Memory,
}

impl ToldFigure {
    /// All variants.
    pub const ALL: [Self; 12] = [
        Self::CpuSeconds,
        Self::Processors,
        Self::Heap,
        Self::HeapMost,
        Self::GcSeconds,
        Self::GcCount,
        Self::Threads,
        Self::ThreadsMost,
        Self::Connections,
        Self::ConnectionsMost,
        Self::ConnectionsWaiting,
        Self::Memory,
    ];

    /// Its key in a file.
    pub const fn id(self) -> &'static str {
        match self {
            Self::CpuSeconds => "cpu_seconds",
            Self::Processors => "processors",
            Self::Heap => "heap",
            Self::HeapMost => "heap_most",
            Self::GcSeconds => "gc_seconds",
            Self::GcCount => "gc_count",
            Self::Threads => "threads",
            Self::ThreadsMost => "threads_most",
            Self::Connections => "connections",
            Self::ConnectionsMost => "connections_most",
            Self::ConnectionsWaiting => "connections_waiting",
            Self::Memory => "memory",
        }
    }
}

impl FigureSource {
    /// Reads the key `metrics`: the URL of a page, or a table with the URL of a Prometheus server.
    pub(crate) fn read(node: &Node) -> Result<Self, Diagnostic> {
        match &node.value {
            Value::Table(_) => CollectedFigures::read(node).map(Self::Collected),
            _ => address(node).map(Self::Page),
        }
    }

    /// The URL of the page, or of the Prometheus server; `None` where the stored text is none.
    pub fn url(&self) -> Option<Url> {
        let (Self::Page(text) | Self::Collected(CollectedFigures { prometheus: text, .. })) = self;
        Url::parse(text).ok()
    }

    /// As a report shows it.
    pub fn shown(&self) -> String {
        match self {
            Self::Page(url) => url.clone(),
            Self::Collected(CollectedFigures { prometheus, select, queries }) => {
                let queries: String =
                    queries.iter().map(|(figure, query)| format!(", {} = {query}", figure.id())).collect();
                format!("{prometheus} {{{select}}}{queries}")
            }
        }
    }
}

impl CollectedFigures {
    fn read(node: &Node) -> Result<Self, Diagnostic> {
        let mut problems = Vec::new();
        let mut table = Table::open(node, TableName::Key("metrics"))?;
        let prometheus = table.read("prometheus", &mut problems, address);
        let mut figures = Self { prometheus: prometheus.unwrap_or_default(), ..Self::default() };
        table.set("select", &mut figures.select, &mut problems, select);
        for figure in ToldFigure::ALL {
            let query = table.read(figure.id(), &mut problems, Node::owned_text);
            figures.queries.extend(query.map(|query| (figure, query)));
        }
        table.finish(&mut problems);
        if let Some(problem) = problems.into_iter().next() {
            return Err(problem);
        }
        if figures.prometheus.is_empty() || figures.select.is_empty() && figures.queries.is_empty() {
            let example = "metrics = { prometheus = \"http://prometheus:9090\", select = \"instance='10.0.0.5:8080'\" }";
            return Err(node.refuse(ArmSlip::WhoseFigures).hint(Hint::write(example)));
        }
        Ok(figures)
    }
}

/// Matchers, with or without the braces of a selector.
fn select(node: &Node) -> Result<String, Diagnostic> {
    let text = node.text()?.trim();
    let inner = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')).unwrap_or(text);
    match inner.contains('=') {
        true => Ok(inner.trim().trim_end_matches(',').to_owned()),
        false => Err(node.refuse(ArmSlip::NotMatchers(text.to_owned()))),
    }
}

fn address(node: &Node) -> Result<String, Diagnostic> {
    let text = node.text()?;
    match Url::parse(text) {
        Ok(_) if text.contains("://") => Ok(text.to_owned()),
        _ => Err(node.refuse(ArmSlip::NotAnAddress(text.to_owned()))),
    }
}
