//! The system under test: fetch, verify, unpack, configure, start, await, stop.
//!
//! Promises: nothing is unpacked that was not verified; the cache is never left half filled; a server counts as started
//! when *its own process* has answered with the *exact* body; whatever ends prony ends its servers too; a failure says
//! what happened in one sentence ([`Error`]), what to do ([`Error::hint`]) and what the server itself said ([`Error::log`]).
//!
//! Refuses: a distribution without a checksum, a port that somebody else holds, a setting that the server did not take.
//!
//! ```text
//! Catalog ─► Release ─ fetch ─► Tree ┬─► Program ┐
//! App ─ build ────► WAR or jar ──────┘           ├─► ServerSpec ─ Server::start ─► Server ─ effective ─► Effective
//! jdk::jdks ───────────────────────────► Jdk ────┘                                   └ stop (or drop: killed)
//! ```
//!
//! What exists is data in `catalog/` and `apps/`, embedded here. A new kind of server is one file beside [`tomcat`] and a
//! line in [`program`].

pub mod app;
mod around;
mod assemble;
mod attach;
mod burn;
pub mod catalog;
mod certificate;
mod cgroup;
mod command;
pub mod effective;
mod error;
pub mod fetch;
mod gclog;
pub mod guard;
mod http;
mod inspect;
pub mod jar;
pub mod jdk;
mod jetty;
mod lock;
mod log;
pub mod maven;
pub mod native;
mod network;
mod pip;
mod port;
mod process;
pub mod program;
mod random;
mod ready;
mod server;
mod service;
mod site;
mod spec;
mod spring_boot;
mod tcnative;
mod tomcat;
mod tool;
mod undertow;
mod unpack;
pub mod war;
pub mod work;

pub use app::{Answer, App, Package};
pub use around::Surroundings;
pub use burn::Burn;
pub use catalog::{Catalog, Kind, Namespace, Release, Source};
pub use certificate::Certificate;
pub use cgroup::Enforced;
pub use command::CommandLine;
pub use effective::effective;
pub use error::Error;
pub use fetch::{Tree, fetch};
pub use guard::Guard;
pub use inspect::Inspector;
pub use jar::Jar;
pub use jdk::Jdk;
pub use jetty::Jetty;
pub use maven::Maven;
pub use network::{Entered, Network};
pub use pip::Pip;
pub use program::Program;
pub use server::Server;
pub use service::Beside;
pub use site::Site;
pub use spec::{Expected, Gc, JvmOptions, ServerSpec};
pub use spring_boot::{Embedded, Form, SpringBoot};
pub use tcnative::{Tcnative, tcnative};
pub use tomcat::Tomcat;
pub use undertow::Undertow;
pub use work::WorkFolder;
