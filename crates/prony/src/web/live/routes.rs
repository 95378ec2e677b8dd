//! What the page of a run answers.

use super::page::Seen;
use super::{Shared, now};
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

/// Viewers at once: each costs the run a little, and a thousand would cost it something.
const VIEWERS: usize = 20;

pub(super) fn router(shared: Arc<Shared>) -> Router {
    files::routes(&files::LIVE)
        .route("/events", get(events))
        .route("/stop", post(stop))
        .with_state(shared)
}

/// Ends the run properly, as Ctrl-C does.
async fn stop(State(shared): State<Arc<Shared>>) -> StatusCode {
    shared.stop.store(true, Ordering::Relaxed);
    StatusCode::ACCEPTED
}

/// What happens, once a second while there is something new.
async fn events(State(shared): State<Arc<Shared>>) -> Response {
    if shared.changed.receiver_count() >= VIEWERS {
        let why = format!("{VIEWERS} viewers are enough: close one of the others\n");
        return (StatusCode::SERVICE_UNAVAILABLE, why).into_response();
    }
    let stream = updates(Viewer::new(shared));
    Sse::new(stream).keep_alive(KeepAlive::default()).into_response()
}

/// Somebody looks.
struct Viewer {
    changed: watch::Receiver<()>,
    seen: Seen,
    shared: Arc<Shared>,
    /// Has been told that the run is over.
    done: bool,
}

impl Viewer {
    fn new(shared: Arc<Shared>) -> Self {
        let mut changed = shared.changed.subscribe();
        // All there is comes at once, not only with the next news.
        changed.mark_changed();
        Self {
            changed,
            seen: Seen::default(),
            shared,
            done: false,
        }
    }

    /// Waits for something new; `None` when the run is over, or the server.
    async fn next(mut self) -> Option<(Result<Event, Infallible>, Self)> {
        if self.done || self.changed.changed().await.is_err() {
            return None;
        }
        let text = {
            let page = self.shared.page();
            self.done = page.has_ended();
            page.news_for(&mut self.seen, now())
        };
        Some((Ok(Event::default().data(text)), self))
    }
}

fn updates(viewer: Viewer) -> impl Stream<Item = Result<Event, Infallible>> {
    unfold(viewer, Viewer::next)
}
