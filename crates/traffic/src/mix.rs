//! [`Mix`]: several kinds of request under one load.

use crate::grpc::GrpcCall;
use crate::streaming::Streaming;
use crate::web_socket::WebSocketStep;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// Requests that are sent in turn by each user, or drawn by weight.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mix {
    /// The requests, at least one.
    pub asks: Vec<Ask>,
    /// Each request's share is its weight over the sum of all; `None` sends them in turn.
    pub weights: Option<Vec<u32>>,
}

/// One kind of request and what a right answer to it looks like. `${n}` in path, header values and body is the number of
/// the iteration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ask {
    pub method: String,
    /// Path and query; begins with a slash.
    pub path: String,
    /// Headers in addition to the usual ones.
    pub headers: Vec<(String, String)>,
    /// The body, which is sent after the headers; of a call of gRPC, its message as JSON; of a message of WebSocket, its text.
    pub body: String,
    /// Statuses of a right answer.
    pub status: RangeInclusive<u16>,
    /// The exact body of a right answer; `None` accepts any.
    pub expect: Option<String>,
    /// How an answer that comes as a row of events is taken apart; `None` takes it as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub streaming: Option<Streaming>,
    /// A call of gRPC, whose body takes the place of `body`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grpc: Option<GrpcCall>,
    /// What it does on a connection of WebSocket, which is opened by a request for its path with its headers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub web_socket: Option<WebSocketStep<String>>,
}

impl Ask {
    /// What is asked, as reports name it: method and path, the method of gRPC, or the path of a WebSocket.
    pub fn title(&self) -> String {
        match (&self.grpc, &self.web_socket) {
            (Some(_), _) => format!("gRPC {}", self.path.trim_start_matches('/')),
            (None, Some(_)) => format!("WebSocket {}", self.path),
            (None, None) => format!("{} {}", self.method, self.path),
        }
    }
}

impl Mix {
    /// Whether it has calls of gRPC, which need HTTP/2.
    pub fn has_calls(&self) -> bool {
        self.asks.iter().any(|ask| ask.grpc.is_some())
    }

    /// Whether it has nothing but calls of gRPC, so that its server need not speak HTTP/1.1.
    pub fn is_of_calls(&self) -> bool {
        self.asks.iter().all(|ask| ask.grpc.is_some())
    }

    /// Whether its requests are messages of WebSocket.
    pub fn is_of_messages(&self) -> bool {
        self.asks.iter().any(|ask| ask.web_socket.is_some())
    }

    /// The path and the headers of the first GET without a body whose answer does not stream, in its first iteration; `None` if there is none.
    /// Asking for it shows whether a server is ready.
    pub fn first_get(&self) -> Option<(String, &[(String, String)])> {
        let ends = |ask: &&Ask| {
            let is_plain = ask.streaming.is_none() && ask.web_socket.is_none();
            ask.method == "GET" && ask.body.is_empty() && is_plain
        };
        let first = self.asks.iter().find(ends)?;
        Some((first.path.replace("${n}", "0"), &first.headers))
    }
}
