//! [`Plan`]: all that the load generator ever sees. Addresses are resolved and request bytes are made before it starts.

use crate::units::{Nanos, Rate};
use std::net::SocketAddr;
use std::path::PathBuf;

/// A trial resolved for one arm: immutable while it is loaded. Make one with [`Plan::new`] and change what differs.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Where the server listens.
    pub target: Target,
    /// What is asked, in turn; never empty.
    pub requests: Vec<Request>,
    /// How requests arrive.
    pub arrivals: Arrivals,
    /// Event loops (threads); connections are split evenly among them.
    pub shards: usize,
    /// After this long without a connection the attempt is a fault.
    pub connect_timeout: Nanos,
    /// After this long without a complete response, counted from `sent`, the request is a fault.
    pub response_timeout: Nanos,
    /// Take the kernel's receive timestamp for `arrived`; otherwise `arrived` is `seen`.
    pub kernel_times: bool,
    /// Seed of everything random in the load.
    pub seed: u64,
}

impl Plan {
    /// One shard, ten-second timeouts, the kernel's timestamps.
    pub fn new(target: impl Into<Target>, requests: Vec<Request>, arrivals: Arrivals) -> Self {
        Self {
            target: target.into(),
            requests,
            arrivals,
            shards: 1,
            connect_timeout: Nanos::from_secs(10),
            response_timeout: Nanos::from_secs(10),
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

/// One request, ready to send, and what a right answer to it looks like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The bytes on the wire: request line, headers, body.
    pub bytes: Vec<u8>,
    /// A HEAD request: its response has headers only, whatever they announce.
    pub head: bool,
    /// Accepted status; `None` accepts 200 to 399.
    pub status: Option<u16>,
    /// The exact body of a right answer; `None` accepts any.
    pub body: Option<Vec<u8>>,
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
}

impl Arrivals {
    /// Connections in use at most.
    pub const fn connections(&self) -> usize {
        match *self {
            Self::Closed { users } => users,
            Self::Open { connections, .. } => connections,
        }
    }
}
