//! Findings about connections: how many the server holds, and how long it keeps each.

use model::units::Count;
use say::Say;
use serde::{Deserialize, Serialize};

/// The causes of this family; the head of [`crate::finding`] explains a row.
#[doc(hidden)]
#[macro_export]
macro_rules! connection_causes {
    ($($before:tt)*) => { $crate::causes_of! { $($before)*
        /// The server holds no more connections; the other users wait outside.
        ConnectionLimit(ConnectionsFull) = "connection-limit", Explains, Outside, 140;
        /// Every request pays for a connection.
        KeepaliveNotEffective(ConnectionsNotKept) = "keepalive-not-effective", Explains, Outside, 450;
        /// The server closes a connection after so many requests.
        KeepaliveLimit(RequestsPerConnection) = "keepalive-limit", Explains, Outside, 460;
    } };
}

/// The server holds no more connections than its limit.
#[derive(Clone, Copy, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "the server holds {most} connections and there are {users} users: {left_out} of them wait outside, \
          {given_up:count} requests were given up",
    zh = "服务器最多保持 {most} 个连接，而用户有 {users} 个：其中 {left_out} 个在外面等待，{given_up:count} 个请求被放弃"
)]
pub struct ConnectionsFull {
    /// The limit.
    pub most: Count,
    /// Users; each user wants one connection.
    pub users: Count,
    /// Users beyond the limit.
    pub left_out: Count,
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
#[derive(Clone, Copy, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "{per_request:three} connections per request{by_load?: the load asks for `keepalive = false`|, although the load keeps them: \
          the server closes each}",
    zh = "每个请求 {per_request:three} 个连接{by_load?：负载设置了 `keepalive = false`|，尽管负载保持连接：服务器每次都将其关闭}",
    by_load = *closed_by == ClosedBy::Load
)]
pub struct ConnectionsNotKept {
    /// Connections opened per request.
    pub per_request: Count,
    /// The side that ends them.
    pub closed_by: ClosedBy,
}

/// The server closes a connection after so many requests.
#[derive(Clone, Copy, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "the server closes a connection after {each} requests: {opened:count} were opened again for {requests:count} requests",
    zh = "服务器在 {each} 个请求之后关闭连接：{requests:count} 个请求重新建立了 {opened:count} 个连接"
)]
pub struct RequestsPerConnection {
    /// Requests per connection, mean.
    pub each: Count,
    /// Connections that were opened.
    pub opened: u64,
    /// Requests that were sent.
    pub requests: u64,
}

#[cfg(test)]
mod examples {
    use super::*;
    use crate::finding::Examples;

    impl Examples for ConnectionsFull {
        fn examples() -> Vec<Self> {
            vec![Self { most: Count(8192.0), users: Count(9000.0), left_out: Count(808.0), given_up: 71 }]
        }
    }

    impl Examples for ConnectionsNotKept {
        fn examples() -> Vec<Self> {
            [ClosedBy::Load, ClosedBy::Server]
                .map(|closed_by| Self { per_request: Count(0.97), closed_by })
                .to_vec()
        }
    }

    impl Examples for RequestsPerConnection {
        fn examples() -> Vec<Self> {
            vec![Self { each: Count(100.0), opened: 240, requests: 24_000 }]
        }
    }
}
