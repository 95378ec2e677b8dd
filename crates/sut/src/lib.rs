//! The system under test: this crate fetches, verifies, unpacks, configures, starts, awaits and stops servers.
//!
//! Promises: nothing is unpacked that was not verified; the cache is never left half filled; a server counts as started
//! when *its own process* has answered with the *exact* body; whatever ends prony ends its servers too; a failure says
//! what happened in one sentence ([`Error`]), what to do ([`Error::hint`]) and what the server logged ([`Error::log`]).
//!
//! Refuses: a distribution without a checksum, a port that another process holds, a setting that the server did not
//! accept.
//!
//! ```text
//! Catalog ─► Release ─ fetch ─► Tree ┬─► Program ┐
//! App ─ build ────► WAR or jar ──────┘           ├─► ServerSpec ─ Server::start ─► Server ─ effective ─► Effective
//! jdk::jdks ───────────────────────────► Jdk ────┘                                   └ stop (or drop: killed)
//! ```
//!
//! The servers and applications that exist are data in `catalog/` and `apps/`, embedded here. A new kind of server is one
//! file in [`programs`], its line in that module, and its facts in [`ask::kind`].
//!
//! There are five layers, and each layer knows only the layers before it (a test reads the `use` lines): [`Error`],
//! [`files`], [`tools`], [`programs`], [`server`].

mod error;
pub mod files;
pub mod programs;
pub mod server;
pub mod tools;

pub use error::{
    ArchiveFlaw, BuildError, ChecksumSource, ConfigurationError, ContainerError, Downloader, Error, FileAct,
    GitTask, HostError, HostTrouble, JarFlaw, LastSeen, MavenTask, MavenTrouble, NoLimitsReason,
    NoNetworkReason, PortHolder, Remnant, Resource, SshTrouble, Startable, UnreadableReason,
};
pub use files::catalog::{Catalog, Kind, Namespace, Release, Source};
pub use files::certificate::Certificate;
pub use files::cgroup::Enforced;
pub use files::work::WorkFolder;
pub use files::{catalog, work};
pub use programs::command::CommandLine;
pub use programs::image::ImageProgram;
pub use programs::jar::Jar;
pub use programs::jetty::Jetty;
pub use programs::jvm::{Gc, JvmOptions};
pub use programs::row::RowProgram;
pub use programs::spec::{Expected, ServerSpec, ServerSurroundings, ServiceContainer};
pub use programs::spring_boot::{Embedded, Form, SpringBoot};
pub use programs::tomcat::{ConnectorAttributes, Tomcat};
pub use programs::{Program, jar, native};
pub use server::attach::{Located, ProcessAt};
pub use server::effective::{self, effective};
pub use server::http::{Addressed, get};
pub use server::inspect::Inspector;
pub use server::profile::Profiler;
pub use server::remote;
pub use server::running::Server;
pub use server::service::ServiceView;
pub use server::slowness::{Slowness, StartCount};
pub use tools::app::{App, AppAnswer, Packaging};
pub use tools::container::{Container, ContainerFiles, Engine, ImageId};
pub use tools::contents::{Files, Pins, files_of};
pub use tools::fetch::{Tree, fetch};
pub use tools::guard::Guard;
pub use tools::jdk::Jdk;
pub use tools::maven::Maven;
pub use tools::network::{Entered, Network};
pub use tools::pip::Pip;
pub use tools::setenv::Setenv;
pub use tools::site::Site;
pub use tools::tcnative::Tcnative;
pub use tools::{app, build, container, fetch, guard, jdk, maven, profiler, tcnative, versions, war};
