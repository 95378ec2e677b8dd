//! A scripted HTTP server for tests: it stalls, resets, lies and keeps perfect time, and says afterwards what it did.
//!
//! It runs on one thread of its own and stops when it is dropped. It promises that a delay is never shorter than asked
//! for, and longer only as far as the machine makes it so; [`Server::held`] tells how long each answer really took.
//!
//! ```
//! use testkit::{Reply, Script, Server};
//! let server = Server::start(Script::new(Reply::ok("hello")).close_after(3)).unwrap();
//! let url = format!("http://{}/", server.address());
//! # assert!(url.starts_with("http://127.0.0.1:"));
//! ```

mod connection;
mod reply;
mod server;

pub use reply::{Ending, Piece, Reply, Script};
pub use server::Server;
