//! The requests that the live page answers.

use super::page::ViewerPosition;
use super::{LiveState, now};
use crate::web::files;
use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use futures_util::stream::{Stream, unfold};
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tokio::sync::watch;

/// The maximum number of viewers at a time. Each one takes a little CPU from the run.
const MAX_VIEWERS: usize = 20;

pub(super) fn router(shared: Arc<LiveState>) -> Router {
    files::routes(&files::LIVE).route("/events", get(events)).route("/stop", post(stop)).with_state(shared)
}

/// Stops the run as Ctrl-C does.
async fn stop(State(shared): State<Arc<LiveState>>) -> StatusCode {
    shared.stop.store(true, Ordering::Relaxed);
    StatusCode::ACCEPTED
}

/// Sends a viewer what is new, once a second.
async fn events(State(shared): State<Arc<LiveState>>) -> Response {
    if shared.changed.receiver_count() >= MAX_VIEWERS {
        let why = format!(
            "this page has {MAX_VIEWERS} viewers already, which is the maximum; close one of the others\n"
        );
        return (StatusCode::SERVICE_UNAVAILABLE, why).into_response();
    }
    let stream = updates(Viewer::new(shared));
    Sse::new(stream).keep_alive(KeepAlive::default()).into_response()
}

/// A viewer of the page.
struct Viewer {
    changed: watch::Receiver<()>,
    position: ViewerPosition,
    shared: Arc<LiveState>,
    /// Whether the viewer knows that the run is over.
    done: bool,
}

impl Viewer {
    fn new(shared: Arc<LiveState>) -> Self {
        let mut changed = shared.changed.subscribe();
        // A new viewer gets everything at once and does not wait for the next event.
        changed.mark_changed();
        Self { changed, position: ViewerPosition::default(), shared, done: false }
    }

    /// Waits for something new; returns `None` when the run or the server has ended.
    async fn next(mut self) -> Option<(Result<Event, Infallible>, Self)> {
        if self.done || self.changed.changed().await.is_err() {
            return None;
        }
        let text = {
            let page = self.shared.page();
            self.done = page.has_ended();
            page.update_for(&mut self.position, now())
        };
        Some((Ok(Event::default().data(text)), self))
    }
}

fn updates(viewer: Viewer) -> impl Stream<Item = Result<Event, Infallible>> {
    unfold(viewer, Viewer::next)
}
