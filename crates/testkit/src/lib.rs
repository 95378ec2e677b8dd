//! What tests need around prony: a scripted HTTP server, other machines ([`Hosts`]), a PostgreSQL ([`Postgres`], [`Database`]), and one
//! folder of downloads ([`link_downloads`]).
//!
//! The server delays, stalls, resets connections and violates the protocol as its script says,
//! and tells afterwards what it really did.
//!
//! It runs on one thread of its own and stops when it is dropped. A delay is never shorter than the script says. On a busy
//! machine it can be longer; [`ScriptedServer::delays`] tells how long each reply was really delayed.
//!
//! ```
//! use testkit::{Reply, Script, ScriptedServer};
//! let server = ScriptedServer::start(Script::new(Reply::ok("hello")).close_after(3)).unwrap();
//! let url = format!("http://{}/", server.address());
//! # assert!(url.starts_with("http://127.0.0.1:"));
//! ```

mod answering;
mod connection;
mod count;
mod delays;
mod downloads;
mod hosts;
mod postgres;
mod reply;
mod server;

pub use answering::{Answered, AnsweringServer, Asked};
pub use count::{Started, count_started};
pub use delays::told_delays;
pub use downloads::link_downloads;
pub use hosts::{Host, Hosts};
pub use postgres::{Database, Postgres};
pub use reply::{Ending, Piece, Reply, Script};
pub use server::ScriptedServer;
