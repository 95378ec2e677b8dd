//! [`Plan`]: all that the load generator ever sees. Addresses are resolved and request bytes are made before it starts.

use crate::units::{Nanos, Rate};
use serde::{Deserialize, Serialize};
use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// How long a slice loads before it counts, and how long it counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Loaded, not counted.
    pub settle: Nanos,
    /// Loaded and counted.
    pub counted: Nanos,
}

/// A trial resolved for one arm: immutable while it is loaded. Make one with [`Plan::new`] and change what differs.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Where the server listens.
    pub target: Target,
    /// Encrypt; `None` is plain HTTP.
    pub tls: Option<Tls>,
    /// What is asked; never empty.
    pub requests: Vec<Request>,
    /// In which order.
    pub order: Order,
    /// How requests arrive.
    pub arrivals: Arrivals,
    /// Closed model: how users behave.
    pub users: Users,
    /// Most requests in a slice; the slice ends when they are answered.
    pub limit: Option<u64>,
    /// What becomes of a connection when a response is complete.
    pub reuse: Reuse,
    /// Requests that a user sends at once and whose answers it then awaits, on one connection (RFC 9112 section 9.3.2);
    /// 1 is no pipelining. Only for a closed model whose users have connections of their own.
    pub pipeline: usize,
    /// Most connections begun per second, so that a ramp does not overflow the server's accept queue.
    pub connect_rate: Option<Rate>,
    /// Event loops (threads); connections are split evenly among them.
    pub shards: usize,
    /// After this long without a connection the attempt is a fault.
    pub connect_timeout: Nanos,
    /// After this long without a complete response, counted from `sent`, the request is a fault.
    pub response_timeout: Nanos,
    /// The times of wrong answers belong with those of right ones; otherwise they are kept apart.
    pub time_wrong: bool,
    /// Take the kernel's receive timestamp for `arrived`; otherwise `arrived` is `seen`.
    pub kernel_times: bool,
    /// Seed of everything random in the load.
    pub seed: u64,
}

impl Plan {
    /// Requests in turn on connections that are kept, no think time, one shard, ten-second timeouts, the kernel's
    /// timestamps.
    pub fn new(target: impl Into<Target>, requests: Vec<Request>, arrivals: Arrivals) -> Self {
        Self {
            target: target.into(),
            tls: None,
            requests,
            order: Order::InTurn,
            arrivals,
            users: Users::default(),
            limit: None,
            reuse: Reuse::PerUser,
            pipeline: 1,
            connect_rate: None,
            shards: 1,
            connect_timeout: Nanos::from_secs(10),
            response_timeout: Nanos::from_secs(10),
            time_wrong: false,
            kernel_times: true,
            seed: 1,
        }
    }
}

/// Where the server listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// An address and port, IPv4 or IPv6.
    Tcp(SocketAddr),
    /// A unix stream socket.
    Unix(PathBuf),
}

impl From<SocketAddr> for Target {
    fn from(address: SocketAddr) -> Self {
        Self::Tcp(address)
    }
}

/// How connections are encrypted: TLS 1.2 or 1.3, whichever the server prefers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tls {
    /// The name in the handshake, and in the certificate when that is verified; an address without brackets is one too.
    pub server_name: String,
    /// Whose certificates are accepted.
    pub trust: Trust,
    /// Resume sessions.
    pub resume: bool,
}

/// Whose certificates are accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trust {
    /// Anyone's.
    Anyone,
    /// Those that one of these certificates vouches for: the bytes of a CA file (PEM).
    Roots(Vec<u8>),
}

impl Tls {
    /// Resuming, and verified by a CA file unless the target is on this machine, where certificates are self-signed and
    /// nobody sits in between.
    pub fn new(server_name: &str, target: &Target, ca_file: Option<Vec<u8>>) -> Self {
        let local = match target {
            Target::Tcp(address) => address.ip().is_loopback(),
            Target::Unix(_) => true,
        };
        let trust = match ca_file {
            None if local => Trust::Anyone,
            roots => Trust::Roots(roots.unwrap_or_default()),
        };
        Self {
            server_name: server_name.to_owned(),
            trust,
            resume: true,
        }
    }
}

/// One request, ready to send, and what a right answer to it looks like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The bytes on the wire: request line, headers, body.
    pub bytes: Vec<u8>,
    /// A HEAD request: its response has headers only, whatever they announce.
    pub head: bool,
    /// Accepted statuses.
    pub status: RangeInclusive<u16>,
    /// The exact body of a right answer; `None` accepts any.
    pub body: Option<Vec<u8>>,
    /// The body of a right answer is as long as that of the shard's first answer.
    pub same_length: bool,
    /// Numbers that are written into `bytes` each time they are sent, in ascending order of place.
    pub inserts: Vec<Insert>,
}

/// A number that is written into a request each time it is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Insert {
    /// Before which byte of [`Request::bytes`].
    pub at: usize,
    /// Which number.
    pub fill: Fill,
}

/// What an [`Insert`] writes, in decimal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fill {
    /// The number of the iteration, from 0, which no other iteration of the session has. An iteration is one pass
    /// through the requests, or one request when they are drawn by weight.
    Counter,
    /// The length of a body of so many fixed bytes and so many counters.
    Length {
        /// Bytes that are always the same.
        fixed: usize,
        /// How often the counter stands in the body.
        counters: usize,
    },
}

/// In which order a plan's requests are sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// One after the other; in a closed model each user has its own place.
    InTurn,
    /// Each drawn independently, with these weights; one per request.
    Weighted(Vec<u32>),
}

/// How the users of a closed model behave.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Users {
    /// User i of N begins at `i * ramp / N` after the start of a slice, as in JMeter.
    pub ramp: Nanos,
    /// From the end of one request to the next one.
    pub think: Think,
    /// Iterations of each user in a slice; `None` is without end. The slice ends when all users are done.
    pub iterations: Option<u64>,
}

/// How long a user thinks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Think {
    /// Not at all.
    #[default]
    None,
    /// Always so long.
    Constant(Nanos),
    /// Every time between the two alike.
    Uniform(Nanos, Nanos),
    /// Normally distributed; what would be negative is zero.
    Gaussian {
        /// Mean.
        mean: Nanos,
        /// Standard deviation.
        deviation: Nanos,
    },
    /// Exponentially distributed with this mean.
    Exponential(Nanos),
}

/// What becomes of a connection when a response is complete.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reuse {
    /// Each user keeps its own, as long as the server does.
    #[default]
    PerUser,
    /// Closed model: the users share so many; who finds none free waits, and the wait counts.
    Pool(usize),
    /// It is closed: every request has a connection of its own.
    Never,
}

/// A part of a rate's course.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stage {
    /// Requests per second at its begin, over all connections.
    pub from: Rate,
    /// Requests per second at its end; in between the rate changes evenly.
    pub to: Rate,
    /// How long it is.
    pub length: Nanos,
}

/// How requests arrive.
#[derive(Clone, Debug, PartialEq)]
pub enum Arrivals {
    /// `users` connections, each sending its next request when the last one is answered.
    Closed {
        /// Users, one connection each.
        users: usize,
    },
    /// Due times fixed in advance at a total rate, whatever the server does.
    Open {
        /// Requests per second over all connections.
        rate: Rate,
        /// Exponential gaps when true, equal gaps when false.
        poisson: bool,
        /// Connections to spread them over; a request that finds none free waits, and the wait counts.
        connections: usize,
    },
    /// As [`Arrivals::Open`], with a rate that changes: ramps, steps, or ramp, warm-up and measured part in sequence.
    Stages {
        /// From the start of a slice; the last one's end rate goes on.
        stages: Vec<Stage>,
        /// Exponential gaps when true, equal gaps (at an even rate) when false.
        poisson: bool,
        /// As in [`Arrivals::Open`].
        connections: usize,
    },
}

impl Arrivals {
    /// Connections in use at most, if users do not share them.
    pub const fn connections(&self) -> usize {
        match self {
            Self::Closed { users } => *users,
            Self::Open { connections, .. } | Self::Stages { connections, .. } => *connections,
        }
    }

    /// Whether due times are fixed in advance.
    pub const fn open(&self) -> bool {
        !matches!(self, Self::Closed { .. })
    }
}

impl Plan {
    /// Connections in use at most.
    pub fn connections(&self) -> usize {
        match (&self.arrivals, self.reuse) {
            (Arrivals::Closed { users }, Reuse::Pool(shared)) => shared.min(*users),
            (arrivals, _) => arrivals.connections(),
        }
    }
}
