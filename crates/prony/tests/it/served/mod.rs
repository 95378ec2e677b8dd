//! Whole runs of servers whose figures are not judged: two run at once.

pub(crate) mod around;
pub(crate) mod builds;
pub(crate) mod ci;
pub(crate) mod containers;
pub(crate) mod cpus;
pub(crate) mod faults;
pub(crate) mod grpc;
pub(crate) mod history;
pub(crate) mod hlog;
pub(crate) mod import;
pub(crate) mod jmeter;
pub(crate) mod jmx;
pub(crate) mod live;
pub(crate) mod maven;
pub(crate) mod native;
pub(crate) mod nightly;
pub(crate) mod real;
pub(crate) mod scenario;
pub(crate) mod secrets;
pub(crate) mod serve;
pub(crate) mod sinks;
pub(crate) mod team;
pub(crate) mod telemetry;
pub(crate) mod together;
pub(crate) mod users_apps;
pub(crate) mod websocket;
