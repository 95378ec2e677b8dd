//! [`Tape`]: what went through the proxy, in the order in which it was asked for.

use import::{Address, Answer, Exchange, Obstacle, Place, SentBody, Unsupported};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// The most bytes of an answer that are kept: values that vary stand in pages and JSON, which are smaller.
const MOST_BYTES: usize = 4 << 20;

/// What went through the proxy.
#[derive(Debug)]
pub(crate) struct Tape {
    begun: Instant,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    exchanges: Vec<Exchange>,
    /// The bodies of the answers, by exchange.
    bodies: Vec<Vec<u8>>,
    obstacles: Vec<Obstacle>,
    /// Connections that were passed on unread, by server.
    unread: BTreeMap<String, usize>,
}

/// A request that is passed on.
#[derive(Debug)]
pub(crate) struct SeenRequest {
    pub(crate) method: String,
    pub(crate) url: Address,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

/// What a tape has at the end.
#[derive(Debug)]
pub(crate) struct Recording {
    pub(crate) exchanges: Vec<Exchange>,
    pub(crate) obstacles: Vec<Obstacle>,
    /// Connections over https that were passed on unread, by server.
    pub(crate) unread: BTreeMap<String, usize>,
}

impl Tape {
    /// Begins a recording.
    pub(crate) fn begin() -> Self {
        Self { begun: Instant::now(), kept: Mutex::default() }
    }

    /// Runs `change` with what is kept. A thread that has panicked leaves a tape that is still right.
    fn with<T>(&self, change: impl FnOnce(&mut Kept) -> T) -> T {
        change(&mut self.kept.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn now(&self) -> f64 {
        self.begun.elapsed().as_secs_f64()
    }

    /// Keeps a request, and returns its index.
    pub(crate) fn request(&self, request: SeenRequest) -> usize {
        let now = self.now();
        let body = match request.body {
            body if body.is_empty() => SentBody::Nothing,
            body => text_of_body(&request.headers, body),
        };
        self.with(|kept| {
            let index = kept.exchanges.len();
            kept.exchanges.push(Exchange {
                place: Place::Entry(index + 1),
                method: request.method,
                url: request.url,
                headers: request.headers,
                body,
                answer: None,
                begun: now,
                ended: now,
            });
            kept.bodies.push(Vec::new());
            index
        })
    }

    /// Keeps the head of an answer.
    pub(crate) fn answer(&self, index: usize, status: u16, headers: Vec<(String, String)>) {
        self.with(|kept| {
            if let Some(exchange) = kept.exchanges.get_mut(index) {
                exchange.answer = Some(Answer { status, headers, body: None });
            }
        });
    }

    /// Keeps a part of the body of an answer.
    pub(crate) fn append(&self, index: usize, bytes: &[u8]) {
        self.with(|kept| {
            if let Some(body) = kept.bodies.get_mut(index) {
                let room = MOST_BYTES.saturating_sub(body.len());
                body.extend_from_slice(&bytes[..bytes.len().min(room)]);
            }
        });
    }

    /// An answer is complete.
    pub(crate) fn end(&self, index: usize) {
        let now = self.now();
        self.with(|kept| {
            if let Some(exchange) = kept.exchanges.get_mut(index) {
                exchange.ended = now;
            }
        });
    }

    /// A connection was passed on unread.
    pub(crate) fn unread(&self, server: &str) {
        self.with(|kept| *kept.unread.entry(server.to_owned()).or_default() += 1);
    }

    /// A client has asked for a connection of WebSocket.
    pub(crate) fn web_socket(&self) {
        self.with(|kept| {
            let place = Some(Place::Entry(kept.exchanges.len() + 1));
            let what = Unsupported::Scheme("ws".to_owned());
            kept.obstacles.push(Obstacle::new(place, what));
        });
    }

    /// Returns everything that was kept.
    pub(crate) fn take(&self) -> Recording {
        let mut kept = self.with(std::mem::take);
        for (exchange, body) in kept.exchanges.iter_mut().zip(kept.bodies) {
            if let Some(answer) = &mut exchange.answer {
                answer.body = String::from_utf8(body).ok();
            }
        }
        Recording { exchanges: kept.exchanges, obstacles: kept.obstacles, unread: kept.unread }
    }
}

/// Returns the body of a request as a text. The files of a form are no text, but its fields and the names of its files are.
fn text_of_body(headers: &[(String, String)], body: Vec<u8>) -> SentBody {
    let is_form = headers.iter().any(|(name, value)| {
        name.eq_ignore_ascii_case("Content-Type")
            && value.to_ascii_lowercase().starts_with("multipart/form-data")
    });
    match String::from_utf8(body) {
        Ok(text) => SentBody::Text(text),
        Err(error) if is_form => SentBody::Text(String::from_utf8_lossy(error.as_bytes()).into_owned()),
        Err(_) => SentBody::Binary,
    }
}
