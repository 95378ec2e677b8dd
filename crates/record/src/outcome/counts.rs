//! [`Counts`]: what was counted of requests and their answers.

use super::parts::{PartTime, RequestPart};
use model::units::{Count, Seconds};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use traffic::scenario::FirstFailure;

/// What was counted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Counts {
    /// Requests that ended, right or wrong.
    pub requests: u64,
    /// Right answers.
    pub ok: u64,
    /// What went wrong, by kind; kinds that did not occur are absent.
    pub faults: BTreeMap<String, u64>,
    /// The first wrong answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_wrong: Option<FirstFailure>,
    /// Connections opened.
    pub connects: u64,
    /// TLS handshakes, full and resumed.
    pub tls_handshakes: u64,
    /// TLS handshakes that resumed an earlier session.
    pub tls_resumed: u64,
    /// What was counted of HTTP/2; absent where nothing of it was.
    #[serde(default, skip_serializing_if = "StreamCounts::is_empty")]
    pub http2: StreamCounts,
    /// Bytes received.
    pub bytes: u64,
    /// Bytes received in bodies, whatever their transfer coding.
    pub body_bytes: u64,
    /// The times of the parts of requests; a part that no request had is absent.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parts: BTreeMap<RequestPart, PartTime>,
}

/// What was counted of HTTP/2.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StreamCounts {
    /// Streams that the server cancelled, by the error code that it gave.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub resets: BTreeMap<String, u64>,
    /// How often the server announced that it ends a connection, by the error code that it gave.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub goaways: BTreeMap<String, u64>,
    /// Requests that had to wait because the server allowed no further stream.
    #[serde(default)]
    pub stream_waits: u64,
    /// How long requests waited for a stream, all of them together.
    #[serde(default)]
    pub stream_waited: Seconds,
    /// Requests whose bodies had to wait for a window of the server.
    #[serde(default)]
    pub window_waits: u64,
    /// Those of them that waited for the window of the connection, and not for that of their stream.
    #[serde(default)]
    pub connection_window_waits: u64,
    /// How long it took from when these bodies had to wait first until they had left, all of them together.
    #[serde(default)]
    pub window_waited: Seconds,
    /// Connections that were open at once; of several slices the most.
    #[serde(default)]
    pub connections: u64,
    /// Streams of a connection that were open at once, a mean over time and over connections; of several slices the most.
    #[serde(default)]
    pub streams: Count,
    /// Requests that waited for a stream at once, a mean over time; of several slices the most.
    #[serde(default)]
    pub waiting: Count,
    /// The fewest streams at once that the server allows on a connection; absent where it names no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream_limit: Option<u64>,
}

impl StreamCounts {
    /// Whether nothing was counted.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    fn add(&mut self, other: &Self) {
        for (mine, theirs) in [(&mut self.resets, &other.resets), (&mut self.goaways, &other.goaways)] {
            for (code, count) in theirs {
                *mine.entry(code.clone()).or_default() += count;
            }
        }
        self.stream_waits += other.stream_waits;
        self.stream_waited += other.stream_waited;
        self.window_waits += other.window_waits;
        self.connection_window_waits += other.connection_window_waits;
        self.window_waited += other.window_waited;
        self.connections = self.connections.max(other.connections);
        self.streams = Count(self.streams.0.max(other.streams.0));
        self.waiting = Count(self.waiting.0.max(other.waiting.0));
        self.stream_limit = [self.stream_limit, other.stream_limit].into_iter().flatten().min();
    }
}

impl Counts {
    /// Adds other counts to these.
    pub fn add(&mut self, other: &Self) {
        self.requests += other.requests;
        self.ok += other.ok;
        self.connects += other.connects;
        self.tls_handshakes += other.tls_handshakes;
        self.tls_resumed += other.tls_resumed;
        self.http2.add(&other.http2);
        self.bytes += other.bytes;
        self.body_bytes += other.body_bytes;
        for (kind, count) in &other.faults {
            *self.faults.entry(kind.clone()).or_default() += count;
        }
        for (part, time) in &other.parts {
            self.parts.entry(*part).or_default().add(*time);
        }
        if other.first_wrong.as_ref().is_some_and(|first| first.replaces(self.first_wrong.as_ref())) {
            self.first_wrong.clone_from(&other.first_wrong);
        }
    }
}
