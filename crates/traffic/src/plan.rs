//! [`Plan`]: all that the load generator knows. Addresses are resolved and the bytes of requests are made before it starts. A plan can
//! be sent to another machine, so it is serialized.

use crate::grpc::GrpcExpected;
pub use crate::pace::{Stage, Think};
use crate::scenario::Program;
use crate::streaming::Streaming;
pub use crate::tunnel::{Credentials, Lookup, ProxyProtocol, Tunnel};
use crate::web_socket::WebSocketStep;
use model::units::{Nanos, Rate};
use serde::{Deserialize, Serialize};
use std::net::{IpAddr, SocketAddr};
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// How long a slice loads before it counts, and how long it counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    /// The uncounted part, which comes first.
    pub settle: Nanos,
    /// The counted part.
    pub counted: Nanos,
}

/// A trial resolved for one arm: immutable while it is loaded. Make one with [`Plan::new`] and change what differs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Where the server listens, or the proxy through which it is reached.
    pub target: Target,
    /// What a proxy is asked for, where the target is one.
    #[serde(default)]
    pub tunnel: Option<Tunnel>,
    /// The name whose addresses take the place of the target's; `None` stays with the target.
    #[serde(default)]
    pub lookup: Option<Lookup>,
    /// How connections are encrypted; `None` is plain HTTP.
    pub tls: Option<Tls>,
    /// The version of HTTP that is spoken.
    #[serde(default)]
    pub http: Http,
    /// The request that opens each connection of WebSocket, up to the value of its `Sec-WebSocket-Key`, which comes last. Then all
    /// requests are messages. `None` where they are requests of HTTP, or where sessions open connections by their steps.
    #[serde(default)]
    pub opening: Option<Vec<u8>>,
    /// The requests; never empty, unless there are sessions.
    pub requests: Vec<Request>,
    /// Sessions of steps in the place of `requests`. Then sessions arrive, and not requests: users play them one after
    /// the other, or sessions begin at a rate, and at most as many of them are played at once as there are connections.
    pub sessions: Option<Box<Sessions>>,
    /// The order in which they are sent.
    pub order: Order,
    /// How requests arrive.
    pub arrivals: Arrivals,
    /// How users behave in a closed model.
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
    /// The addresses from which connections are made, in turn; empty lets the system choose one. Each has ports of its own.
    #[serde(default)]
    pub sources: Vec<IpAddr>,
    /// Event loops (threads); connections are split evenly among them.
    pub shards: usize,
    /// The CPUs on which the event loops stay, one for each; empty lets the system choose.
    pub cpus: Vec<usize>,
    /// Whether event loops take a real-time priority while requests are due at a rate, if the system permits it.
    pub real_time: bool,
    /// An attempt to connect is a fault when it takes this long.
    pub connect_timeout: Nanos,
    /// A request is a fault when its response is not complete this long after `sent`.
    pub response_timeout: Nanos,
    /// Whether the times of wrong answers are recorded together with the times of right answers; otherwise they are
    /// kept apart.
    pub time_wrong: bool,
    /// Whether `arrived` is the kernel's receive timestamp; otherwise it is `seen`.
    pub kernel_times: bool,
    /// Whether an edge of the counted window waits for the next answer where requests are in flight. A pause of the server then lies in
    /// the window whole, or not at all.
    #[serde(default)]
    pub edges_at_answers: bool,
    /// Closed model: whether a slice ends with requests in flight and users who pause, with whom the next slice goes on.
    #[serde(default)]
    pub continuous: bool,
    /// Whether users leave out their pauses.
    #[serde(default)]
    pub hurry: bool,
    /// Seed of everything random in the load.
    pub seed: u64,
    /// Which part of a load that several machines make together this is.
    pub share: LoadPart,
}

/// Sessions of steps, and what all of their requests have in common.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sessions {
    /// What users do.
    pub program: Program,
    /// The header `Host`.
    pub authority: String,
    /// What comes before every path: the path of the URL that is loaded, without a slash at its end.
    pub base_path: String,
    /// The other servers of the program, in its order; requests to them have no `base_path`.
    pub others: Vec<OtherServer>,
    /// Headers of every request to the server that is loaded; a header of a step replaces one of the same name.
    pub headers: Vec<(String, String)>,
    /// How far the time zone is east of UTC, seconds.
    pub utc_offset: i32,
}

/// A server that gets requests of sessions beside the one that is loaded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OtherServer {
    /// Where it listens, or the proxy through which it is reached.
    pub target: Target,
    /// What a proxy is asked for, where the target is one.
    #[serde(default)]
    pub tunnel: Option<Tunnel>,
    /// As in [`Plan::lookup`].
    #[serde(default)]
    pub lookup: Option<Lookup>,
    /// How connections to it are encrypted; `None` is plain HTTP.
    pub tls: Option<Tls>,
    /// The header `Host`.
    pub authority: String,
}

/// Which part of a load this is: part `index` of `of` parts, each made by a machine of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoadPart {
    /// The number of the part, from 0.
    pub index: u64,
    /// The number of all parts, at least 1.
    pub of: u64,
    /// The connections of all parts together; `None` where they are the connections of this part.
    pub connections: Option<u64>,
}

impl LoadPart {
    /// The whole load.
    pub const WHOLE: Self = Self { index: 0, of: 1, connections: None };
}

impl Plan {
    /// Returns a plan with defaults: requests in turn on connections that are kept, no think time, one shard, ten-second
    /// timeouts, the kernel's timestamps.
    pub fn new(target: impl Into<Target>, requests: Vec<Request>, arrivals: Arrivals) -> Self {
        Self {
            target: target.into(),
            tunnel: None,
            lookup: None,
            tls: None,
            http: Http::One,
            opening: None,
            requests,
            sessions: None,
            order: Order::InTurn,
            arrivals,
            users: Users::default(),
            limit: None,
            reuse: Reuse::PerUser,
            pipeline: 1,
            connect_rate: None,
            sources: Vec::new(),
            shards: 1,
            cpus: Vec::new(),
            real_time: false,
            connect_timeout: Nanos::from_secs(10),
            response_timeout: Nanos::from_secs(10),
            time_wrong: false,
            kernel_times: true,
            edges_at_answers: false,
            continuous: false,
            hurry: false,
            seed: 1,
            share: LoadPart::WHOLE,
        }
    }

    /// Where all servers listen that get requests, the one that is loaded first.
    pub fn targets(&self) -> impl Iterator<Item = &Target> {
        let others = self.sessions.iter().flat_map(|sessions| &sessions.others);
        std::iter::once(&self.target).chain(others.map(|other| &other.target))
    }

    /// The users of the whole load that this is a part of, by the connections of its arrivals.
    pub fn users_of_all_parts(&self) -> u64 {
        let here = self.arrivals.connections() as u64;
        self.share.connections.unwrap_or(here)
    }
}

/// The version of HTTP that is spoken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Http {
    /// HTTP/1.0 or HTTP/1.1, as the bytes of each request say.
    #[default]
    One,
    /// HTTP/2, over TLS by ALPN and over clear text by prior knowledge. What sends one request after the other is a stream then, and
    /// what is said of connections elsewhere in the plan is true of streams: a user has one, or shares a pool of them.
    Two {
        /// The most streams of a connection, at least 1. There are as many connections as it takes.
        streams: usize,
    },
}

/// Where the server listens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Target {
    /// An address and port, IPv4 or IPv6.
    Tcp(SocketAddr),
    /// A unix stream socket.
    Unix(PathBuf),
}

impl Target {
    /// Its address; `None` for a unix socket.
    pub const fn address(&self) -> Option<SocketAddr> {
        match self {
            Self::Tcp(address) => Some(*address),
            Self::Unix(_) => None,
        }
    }
}

impl From<SocketAddr> for Target {
    fn from(address: SocketAddr) -> Self {
        Self::Tcp(address)
    }
}

/// How connections are encrypted: TLS 1.2 or 1.3, whichever the server prefers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tls {
    /// The name in the handshake, and in the certificate when that is verified; an address without brackets is one too.
    pub server_name: String,
    /// The certificates that are accepted.
    pub trust: Trust,
    /// Whether sessions are resumed.
    pub resume: bool,
    /// What tells the server who connects; `None` is nobody in particular.
    #[serde(default)]
    pub identity: Option<Identity>,
    /// The version that is spoken; `None` is 1.2 or 1.3, whichever the server prefers.
    #[serde(default)]
    pub version: Option<TlsVersion>,
    /// The cipher suites that are offered, by their names in the registry of TLS; empty offers all.
    #[serde(default)]
    pub ciphers: Vec<String>,
}

/// A client certificate with its key.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Identity {
    /// Texts in PEM: the certificate with those that have signed it, and the private key, not encrypted.
    Pem { chain: Vec<u8>, key: Vec<u8> },
    /// A store as PKCS #12 with one key, and the password that opens it.
    Pkcs12 { store: Vec<u8>, password: String },
}

/// The key is shown nowhere.
impl std::fmt::Debug for Identity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Identity")
    }
}

/// A version of TLS.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TlsVersion {
    Tls12,
    Tls13,
}

/// The certificates that are accepted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Trust {
    /// Any certificate.
    Anyone,
    /// Certificates that one of these has signed: the bytes of a CA file (PEM), or the authorities of the machine that connects, where
    /// it is empty.
    Roots(Vec<u8>),
}

impl Tls {
    /// Resumes sessions, and verifies certificates by a CA file; without one any certificate is accepted if the target is on
    /// this machine, where certificates are self-signed and nobody sits in between.
    pub fn new(server_name: &str, target: &Target, ca_file: Option<Vec<u8>>) -> Self {
        let local = match target {
            Target::Tcp(address) => address.ip().is_loopback(),
            Target::Unix(_) => true,
        };
        let trust = match ca_file {
            None if local => Trust::Anyone,
            roots => Trust::Roots(roots.unwrap_or_default()),
        };
        Self { trust, ..Self::accepting_anyone(server_name) }
    }

    /// Resumes sessions, and accepts any certificate.
    pub fn accepting_anyone(server_name: &str) -> Self {
        Self {
            server_name: server_name.to_owned(),
            trust: Trust::Anyone,
            resume: true,
            identity: None,
            version: None,
            ciphers: Vec::new(),
        }
    }
}

/// One request, ready to send, and what a right answer to it looks like.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// The bytes on the wire: request line, headers, body. Of a message of WebSocket, its content.
    pub bytes: Vec<u8>,
    /// Whether it is a HEAD request: its response has no body, whatever its headers announce.
    pub head: bool,
    /// Accepted statuses.
    pub status: RangeInclusive<u16>,
    /// The exact body of a right answer; `None` accepts any.
    pub body: Option<Vec<u8>>,
    /// Whether the body of a right answer has to be as long as the body of the shard's first answer.
    pub same_length: bool,
    /// How an answer that comes as a row of events is taken apart; `None` takes it as a whole.
    #[serde(default)]
    pub streaming: Option<Streaming>,
    /// What a right answer of gRPC is, where it is a call; then the plan speaks HTTP/2.
    #[serde(default)]
    pub grpc: Option<GrpcExpected>,
    /// What it does on a connection of WebSocket, where it is no request of HTTP.
    #[serde(default)]
    pub web_socket: Option<WebSocketStep<Vec<u8>>>,
    /// Numbers that are written into `bytes` each time they are sent, in ascending order of place.
    pub inserts: Vec<Insert>,
}

/// A number that is written into a request each time it is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Insert {
    /// Before which byte of [`Request::bytes`].
    pub at: usize,
    pub fill: Fill,
}

/// What an [`Insert`] writes, in decimal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fill {
    /// The number of the iteration, from 0, which no other iteration of the session has. An iteration is one pass
    /// through the requests, or one request when they are drawn by weight.
    Counter,
    /// The length of a body of so many fixed bytes and so many counters.
    Length {
        /// Bytes that are always the same.
        fixed: usize,
        /// How often the counter occurs in the body.
        counters: usize,
    },
}

/// The order in which the requests of a plan are sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Order {
    /// One after the other; in a closed model each user has its own place.
    InTurn,
    /// Each drawn independently, with these weights; one per request.
    Weighted(Vec<u32>),
}

/// How the users of a closed model behave.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Users {
    /// User i of N begins at `i * ramp / N` after the start of a slice, as in JMeter.
    pub ramp: Nanos,
    /// From the end of one request to the next one.
    pub think: Think,
    /// Iterations of each user in a slice; `None` is without end. The slice ends when all users are done.
    pub iterations: Option<u64>,
}

/// What becomes of a connection when a response is complete.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reuse {
    /// Each user keeps its own until the server closes it.
    #[default]
    PerUser,
    /// The users of a closed model share so many; a user who finds none free waits, and the wait counts.
    Pool(usize),
    /// The connection is closed: every request has one of its own.
    Never,
}

/// How requests arrive.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
        /// Whether the gaps between due times are exponential; otherwise they are equal.
        poisson: bool,
        /// Connections to spread them over; a request that finds none free waits, and the wait counts.
        connections: usize,
    },
    /// As [`Arrivals::Open`], with a rate that changes: ramps, steps, or ramp, warm-up and measured part in sequence.
    Stages {
        /// The stages from the start of a slice on; the end rate of the last one continues.
        stages: Vec<Stage>,
        /// Whether gaps are exponential; otherwise they are equal where the rate is even.
        poisson: bool,
        /// As in [`Arrivals::Open`].
        connections: usize,
    },
}

impl Arrivals {
    /// Returns the most connections in use if users do not share them.
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
    /// Returns the most sockets that are open at once. A connection of HTTP/2 that the server ends may still have streams when its successor
    /// is opened; and each event loop has connections of its own.
    pub fn sockets(&self) -> usize {
        let each = match self.http {
            Http::One => self.connections(),
            Http::Two { streams } => 2 * (self.connections().div_ceil(streams.max(1)) + self.shards),
        };
        // The users of sessions have connections of WebSocket beside those of HTTP.
        let opens = |request: &Request| request.web_socket == Some(WebSocketStep::Connect);
        let lines = self.targets().count() + usize::from(self.requests.iter().any(opens));
        each * lines
    }

    /// Returns the most connections in use; with HTTP/2, the most streams.
    pub fn connections(&self) -> usize {
        match (&self.arrivals, self.reuse) {
            (Arrivals::Closed { users }, Reuse::Pool(shared)) => shared.min(*users),
            (arrivals, _) => arrivals.connections(),
        }
    }
}
