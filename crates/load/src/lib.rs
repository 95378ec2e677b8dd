//! The load generator: a [`Plan`](model::plan::Plan) goes in, [`Slice`]s of measured load come out.
//!
//! It promises: times that are the server's (the kernel's receive timestamp, due times fixed in advance, lag reported
//! beside them), one event loop for every kind of load, nothing allocated per request, bounded memory whatever a server
//! sends. It refuses to know: files, databases, other threads than its shards, and why the load is wanted.
//!
//! ```text
//! Port (sockets) -> Http1 (bytes to events) -> Shard (the loop) -> Recorder -> Interval, Slice
//!                                                ^ DueTimes (when to send)
//! ```
//! Only `port` touches sockets and holds `unsafe` code; codec, schedule and recorder are values.

mod attention;
mod audit;
pub mod cells;
mod clock;
mod conn;
mod error;
mod fault;
mod hlog;
pub mod http1;
mod port;
mod random;
mod recorder;
mod request;
pub mod schedule;
mod session;
mod shard;
mod slice;
mod tls;
mod url;
mod workload;

pub use audit::is_late;
pub use error::Error;
pub use fault::{Fault, Faults};
pub use hlog::hlog;
pub use http1::FirstAnswer;
pub use request::{RequestBuilder, mixed};
pub use session::Session;
pub use slice::{Edge, Histogram, Interval, SelfCheck, Slice, SparseHistogram, Tenth, Window, new_histogram};
pub use url::Url;
