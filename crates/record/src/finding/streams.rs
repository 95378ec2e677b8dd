//! Findings about HTTP/2: its streams, their windows, and the connections that carry them.

use model::units::{Count, Cpus, Seconds, Share};
use say::Say;
use serde::{Deserialize, Serialize};

/// The causes of this family; the head of [`crate::finding`] explains a row.
#[doc(hidden)]
#[macro_export]
macro_rules! stream_causes {
    ($($before:tt)*) => { $crate::causes_of! { $($before)*
        /// The server allows no further stream on the connections that there are, so that requests wait in the client.
        StreamLimit(StreamsFull) = "stream-limit", Explains, Outside, 260;
        /// The server works on a part of a connection's streams at a time, and the others wait inside.
        StreamExecutionLimit(StreamsQueued) = "stream-execution-limit", Explains, Outside, 262;
        /// Bodies of requests wait until the server opens a window for them.
        FlowControlStall(WindowWait) = "flow-control-stall", Explains, Outside, 264;
        /// The event loops of the few connections are full, and others have nothing to do.
        OneConnection(LoopsFull) = "one-connection", Explains, Outside, 266;
        /// Answers on the few connections are written one at a time, and requests wait for each other to write theirs.
        SharedConnection(ConnectionShared) = "shared-connection", Explains, Outside, 267;
        /// The server ends connections of HTTP/2 again and again.
        GoawayChurn(ConnectionsEnded) = "goaway-churn", Explains, Outside, 465;
    } };
}

/// The server allows no further stream.
#[derive(Clone, Copy, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "the server allows {most} streams at a time on a connection, and the load has {connections} \
          {connections|connection|connections}: {waiting} requests wait for a stream, each of which is held for {each}",
    zh = "服务器在每个连接上最多允许 {most} 个流，而负载有 {connections} 个连接：{waiting} 个请求在等待流，每个流被占用 {each}"
)]
pub struct StreamsFull {
    /// The limit of a connection.
    pub most: Count,
    /// Connections of the load.
    pub connections: u64,
    /// Requests that wait for a stream, mean.
    pub waiting: Count,
    /// How long a request holds its stream, mean.
    pub each: Seconds,
}

/// The server works on a part of the streams of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "the server works on {most} streams of a connection at a time, and the load has {connections} \
          {connections|connection|connections}: of {in_flight} requests in flight {waiting} wait for their turn, each of which takes {each}",
    zh = "服务器同时只处理每个连接的 {most} 个流，而负载有 {connections} 个连接：{in_flight} 个在途请求中有 {waiting} 个在等待处理，每个处理需要 {each}"
)]
pub struct StreamsQueued {
    /// The limit of a connection.
    pub most: Count,
    /// Connections of the load.
    pub connections: u64,
    /// Requests in flight, mean.
    pub in_flight: Count,
    /// Those of them that wait.
    pub waiting: Count,
    /// How long the server works on a request, mean.
    pub each: Seconds,
}

/// Bodies of requests wait for a window of the server.
#[derive(Clone, Copy, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "the bodies of {share} of the requests wait until the server opens {of_connection?the window of the connection, which all streams \
          share|the window of their stream}: from the first wait on {each} until a body has left",
    zh = "{share} 的请求正文在等待服务器打开{of_connection?连接的窗口（所有流共用）|其流的窗口}：从首次等待到正文发完需要 {each}"
)]
pub struct WindowWait {
    /// The part of the requests whose bodies wait.
    pub share: Share,
    /// Whether most of them wait for the window of the connection, and not for that of their stream.
    pub of_connection: bool,
    /// How long such a body waits, mean.
    pub each: Seconds,
}

/// The event loops that serve the connections of the load are full.
#[derive(Clone, Copy, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "all streams are on {connections} {connections|connection|connections}, each of which one event loop serves: the server's {loops} \
          event loops use {used:three} CPUs, and {idle} of them have nothing to do",
    zh = "所有的流都在 {connections} 个连接上，每个连接由一个事件循环处理：服务器的 {loops} 个事件循环使用了 {used:three} 个 CPU，其中 {idle} 个无事可做"
)]
pub struct LoopsFull {
    /// Connections of the load.
    pub connections: u64,
    /// Event loops of the server.
    pub loops: u64,
    /// Event loops without a connection of the load.
    pub idle: u64,
    /// CPUs that the event loops use.
    pub used: Cpus,
}

/// Requests wait until their answers are written to a connection that they share.
#[derive(Clone, Copy, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "all streams are on {connections} {connections|connection|connections}, to each of which the server writes one answer at a time: of \
          {in_flight} requests in flight {waiting} wait to write theirs, {each} each",
    zh = "所有的流都在 {connections} 个连接上，服务器在每个连接上逐个写出应答：{in_flight} 个在途请求中有 {waiting} 个在等待写出自己的应答，每个等待 {each}"
)]
pub struct ConnectionShared {
    /// Connections of the load.
    pub connections: u64,
    /// Requests in flight, mean.
    pub in_flight: Count,
    /// Requests that wait to write their answers, mean.
    pub waiting: Count,
    /// How long a request waits for that.
    pub each: Seconds,
}

/// The server ends connections.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "the server ends a connection (GOAWAY{code?, {}}) after {each} requests: {goaways:count} times",
    zh = "服务器在 {each} 个请求之后结束连接（GOAWAY{code?，{}}）：共 {goaways:count} 次"
)]
pub struct ConnectionsEnded {
    /// How often it did.
    pub goaways: u64,
    /// Requests of a connection, mean.
    pub each: Count,
    /// The error code that it gave most often, where that tells of an error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
}

#[cfg(test)]
mod examples {
    use super::*;
    use crate::finding::Examples;

    impl Examples for StreamsFull {
        fn examples() -> Vec<Self> {
            vec![Self { most: Count(100.0), connections: 2, waiting: Count(300.0), each: Seconds(0.02) }]
        }
    }

    impl Examples for StreamsQueued {
        fn examples() -> Vec<Self> {
            vec![Self {
                most: Count(20.0),
                connections: 1,
                in_flight: Count(100.0),
                waiting: Count(80.0),
                each: Seconds(0.05),
            }]
        }
    }

    impl Examples for WindowWait {
        fn examples() -> Vec<Self> {
            [false, true]
                .map(|of_connection| Self { share: Share(0.98), of_connection, each: Seconds(0.004) })
                .to_vec()
        }
    }

    impl Examples for LoopsFull {
        fn examples() -> Vec<Self> {
            vec![Self { connections: 1, loops: 8, idle: 7, used: Cpus(0.971_573) }]
        }
    }

    impl Examples for ConnectionShared {
        fn examples() -> Vec<Self> {
            vec![Self {
                connections: 1,
                in_flight: Count(100.0),
                waiting: Count(72.0),
                each: Seconds(0.0015),
            }]
        }
    }

    impl Examples for ConnectionsEnded {
        fn examples() -> Vec<Self> {
            [None, Some("ENHANCE_YOUR_CALM")]
                .map(|code| Self { goaways: 71, each: Count(1000.0), code: code.map(str::to_owned) })
                .to_vec()
        }
    }
}
