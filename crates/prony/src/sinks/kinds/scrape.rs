//! [`ScrapePage`]: a page from which Prometheus reads the newest figures when it likes.

use crate::failure::Failure;
use crate::outgoing::Trouble;
use crate::sinks::kind::{BadAddress, Place, Rest, Sending, SinkKind};
use crate::sinks::point::{Point, Source};
use crate::user_config::ConfigComplaint;
use crate::web::PageServer;
use axum::Router;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use axum::routing::get;
use model::patience::Patience;
use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

pub(super) const KIND: SinkKind = SinkKind {
    name: "prometheus-scrape",
    example: "127.0.0.1:9464",
    takes_verdicts: true,
    takes_traces: false,
    place: |address| {
        let address: SocketAddr = address.parse().map_err(|_| BadAddress::NoAddress)?;
        Ok(Box::new(PagePlace(address)))
    },
};

/// The type of the page.
const PAGE_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// How long the end of a run waits for a reader; less than the run waits for all its sinks.
const PATIENCE: Duration = Duration::from_millis(2500);

/// The address of this machine at which Prometheus reads.
struct PagePlace(SocketAddr);

impl fmt::Display for PagePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at {}", self.0)
    }
}

impl Place for PagePlace {
    fn open(&self, _authorization: Option<&str>) -> Result<Box<dyn Sending>, Failure> {
        Ok(Box::new(ScrapePage::start(self.0)?))
    }
}

/// A page with the newest figures of each arm at each load.
struct ScrapePage {
    shown: Arc<Shown>,
    /// It ends with the page.
    _server: PageServer,
}

#[derive(Default)]
struct Shown {
    state: Mutex<ShownState>,
    /// Somebody has read the page.
    read: Condvar,
}

#[derive(Default)]
struct ShownState {
    /// By kind and labels.
    points: BTreeMap<ShownSeries, ShownPoint>,
    /// All points that were ever shown.
    put: u64,
    was_read: bool,
}

/// What the points of a series have in common: their kind and their labels.
type ShownSeries = (&'static str, Vec<(&'static str, String)>);

struct ShownPoint {
    point: Point,
    is_read: bool,
}

impl Shown {
    fn state(&self) -> MutexGuard<'_, ShownState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ShownState {
    /// How many points nobody has read. One that a newer one has replaced was not meant to be read.
    fn unread(&self) -> u64 {
        match self.was_read {
            true => self.points.values().filter(|shown| !shown.is_read).count() as u64,
            false => self.put,
        }
    }
}

impl ScrapePage {
    /// Serves the page at this address, to everybody who can connect.
    fn start(address: SocketAddr) -> Result<Self, Failure> {
        let listener = TcpListener::bind(address)
            .map_err(|source| Failure::usage(ConfigComplaint::CannotListen { address, source }))?;
        let shown = Arc::new(Shown::default());
        let router = Router::new().route("/metrics", get(metrics)).with_state(Arc::clone(&shown));
        Ok(Self { shown, _server: PageServer::open_to_all(listener, Patience::default(), router)? })
    }
}

impl Sending for ScrapePage {
    /// Shows points in the place of earlier ones of the same series.
    fn send(&mut self, batch: &[Source]) -> Result<Option<Rest>, Trouble> {
        let mut state = self.shown.state();
        for point in batch.iter().filter_map(Source::point) {
            state.put += 1;
            let series = (point.kind, point.labels.clone());
            let is_read = false;
            state.points.insert(series, ShownPoint { point, is_read });
        }
        Ok(None)
    }

    /// Waits until somebody has read the newest points; returns those that nobody has.
    fn finish(&self) -> Option<Rest> {
        let is_unread = |state: &mut ShownState| state.unread() > 0;
        let waited = self.shown.read.wait_timeout_while(self.shown.state(), PATIENCE, is_unread);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        Some(state.unread())
            .filter(|unread| *unread > 0)
            .map(|items| Rest { items, trouble: Trouble::Unread })
    }
}

async fn metrics(State(shown): State<Arc<Shown>>) -> impl IntoResponse {
    let mut state = shown.state();
    state.was_read = true;
    state.points.values_mut().for_each(|shown| shown.is_read = true);
    let text = page_text(state.points.values().map(|shown| &shown.point));
    drop(state);
    shown.read.notify_all();
    ([(CONTENT_TYPE, PAGE_TYPE)], text)
}

/// The page with these points: every figure is a gauge. (Prometheus, "Exposition formats", text format 0.0.4.) Each point has its time, so that Prometheus stores it once, however often it reads it.
fn page_text<'a>(points: impl Iterator<Item = &'a Point>) -> String {
    let mut samples: BTreeMap<String, String> = BTreeMap::new();
    for point in points {
        let labels = point.labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value)));
        let labels = labels.collect::<Vec<_>>().join(",");
        let millis = point.at_ns / 1_000_000;
        for (figure, value) in &point.figures {
            let name = format!("prony_{}_{figure}", point.kind);
            let line = format!("{name}{{{labels}}} {value} {millis}\n");
            samples.entry(name).or_default().push_str(&line);
        }
    }
    let mut out = String::new();
    for (name, lines) in samples {
        // Writing to a String cannot fail.
        let _ = write!(out, "# TYPE {name} gauge\n{lines}");
    }
    out
}

/// The value of a label.
fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sinks::point::awkward_point;

    #[test]
    fn a_page_has_each_figure_with_its_labels_and_time() {
        let text = page_text([&awkward_point()].into_iter());
        assert_eq!(
            text,
            "# TYPE prony_slice_faults gauge\n\
             prony_slice_faults{arm=\"tom cat,10=\\\"a\\\"\",load=\"users=16\",run=\"r\\\\1\"} 0 1700000000123\n\
             # TYPE prony_slice_throughput gauge\n\
             prony_slice_throughput{arm=\"tom cat,10=\\\"a\\\"\",load=\"users=16\",run=\"r\\\\1\"} 1200.5 1700000000123\n"
        );
    }
}
