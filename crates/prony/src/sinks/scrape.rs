//! [`ScrapePage`]: a page from which Prometheus reads the newest figures when it likes.

use super::format::{Rest, exposition};
use super::point::Point;
use crate::failure::Failure;
use crate::outgoing::Trouble;
use crate::user_config::ConfigComplaint;
use crate::web::PageServer;
use axum::Router;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use axum::routing::get;
use model::patience::Patience;
use std::collections::BTreeMap;
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long the end of a run waits for a reader; less than the run waits for all its sinks.
const PATIENCE: Duration = Duration::from_millis(2500);

/// A page with the newest figures of each arm at each load.
pub(super) struct ScrapePage {
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
    pub(super) fn start(address: SocketAddr) -> Result<Self, Failure> {
        let listener = TcpListener::bind(address)
            .map_err(|source| Failure::usage(ConfigComplaint::CannotListen { address, source }))?;
        let shown = Arc::new(Shown::default());
        let router = Router::new().route("/metrics", get(metrics)).with_state(Arc::clone(&shown));
        Ok(Self { shown, _server: PageServer::open_to_all(listener, Patience::default(), router)? })
    }

    /// Shows points in the place of earlier ones of the same series.
    pub(super) fn put(&self, points: Vec<Point>) {
        let mut state = self.shown.state();
        for point in points {
            state.put += 1;
            let series = (point.kind, point.labels.clone());
            let is_read = false;
            state.points.insert(series, ShownPoint { point, is_read });
        }
    }

    /// Waits until somebody has read the newest points; returns those that nobody has.
    pub(super) fn finish(&self) -> Option<Rest> {
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
    let text = exposition::text(state.points.values().map(|shown| &shown.point));
    drop(state);
    shown.read.notify_all();
    ([(CONTENT_TYPE, exposition::CONTENT_TYPE)], text)
}
