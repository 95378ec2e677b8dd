//! Findings about connections: how many the server holds, and how long it keeps each.

use serde::{Deserialize, Serialize};

/// The server holds no more connections than its limit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConnectionsFull {
    /// The limit.
    pub most: f64,
    /// Users, each of which wants one connection.
    pub users: f64,
    /// Users beyond the limit.
    pub left_out: f64,
    /// Requests that were given up.
    pub given_up: u64,
}

/// The side that ends a connection after its request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClosedBy {
    /// The load: it asks for `keepalive = false`.
    Load,
    /// The server, although the load keeps its connections.
    Server,
}

/// Connections are opened for about every request.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConnectionsNotKept {
    /// Connections opened per request.
    pub per_request: f64,
    /// The side that ends them.
    pub closed_by: ClosedBy,
}

/// The server closes a connection after so many requests.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RequestsPerConnection {
    /// Requests per connection, mean.
    pub each: f64,
    /// Connections that were opened.
    pub opened: u64,
    /// Requests that were sent.
    pub requests: u64,
}
