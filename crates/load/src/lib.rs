//! The load generator: it takes a [`Plan`](traffic::plan::Plan) and gives [`Slice`]s of measured load.
//!
//! Times are the server's and not the generator's: a response is timed by the kernel's receive timestamp, due times are
//! fixed before the first request is sent, and the generator's own lag is reported separately. All kinds of load run in
//! one event loop. No memory is allocated per request, and the memory of a connection is bounded whatever a server
//! sends. The crate knows no files and no databases, and no threads but its shards and those that look names up
//! again; it does not know why the load is wanted.
//!
//! ```text
//! Port (sockets) -> Http1, Http2, WebSocket (bytes to events) -> Shard (the loop) -> Recorder -> Interval, Slice
//!                                                                  ^ DueTimes (when to send)
//! ```
//! Only `port` touches the sockets of a load. `unsafe` code is there, and in `pkcs12`. Codec, schedule and recorder are values without I/O, so that
//! they are tested and fuzzed without a network.

mod addresses;
mod audit;
pub mod cells;
mod clock;
mod conn;
mod descriptors;
mod error;
mod events;
mod fault;
mod generator;
mod grpc;
mod hlog;
pub mod http1;
pub mod http2;
mod pkcs12;
mod port;
mod priority;
mod random;
mod recorder;
mod reply;
mod request;
mod request_picker;
mod resolve;
pub mod schedule;
mod session;
mod shard;
mod slice;
mod steps;
mod tls;
mod tunnel;
mod users;
pub mod web_socket;

pub use clock::now;
pub use descriptors::most_connections;
pub use error::{Act, Error, PlanPart, TlsFlaw};
pub use fault::{Fault, Faults};
pub use generator::{AgentStatus, Announced, FleetStatus, Generator, LoadSession, LocalGenerator, MadeSlice};
pub use hlog::hlog;
pub use http1::FirstAnswer;
pub use model::url::Url;
pub use priority::generator_priority;
pub use request::{RequestBuilder, mixed, opening_of};
pub use resolve::resolve;
pub use session::Session;
pub use slice::{
    Edge, EventSlice, Histogram, Http2Counts, Interval, SelfCheck, Slice, SparseHistogram, Tenth,
    new_histogram,
};
pub use steps::StepSlice;
pub use tls::client_config;
pub use traffic::plan::Window;
pub use tunnel::open_tunnel;
