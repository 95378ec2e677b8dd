//! Findings about what requests wait for inside the server while neither CPU nor threads are short.

use serde::{Deserialize, Serialize};

/// Threads wait for one lock.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LockWait {
    /// The lock: its class.
    pub lock: String,
    /// Share of the requests in flight that wait for it, 0 to 1.
    pub share: f64,
    /// Seconds of each wait, mean.
    pub each: f64,
    /// Share of the machine's CPU time in use, 0 to 1.
    pub busy: f64,
}

/// Virtual threads hold on to their carriers while they wait.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pinning {
    /// What they wait for.
    pub wait: String,
    /// Carriers that they hold, mean.
    pub held: f64,
    /// Carriers that there are.
    pub carriers: f64,
    /// Share of the machine's CPU time in use, 0 to 1.
    pub busy: f64,
}

/// Requests wait for a service that the server asks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BackendWait {
    /// The service: its address or its name.
    pub backend: String,
    /// Share of the requests in flight that wait for it, 0 to 1.
    pub share: f64,
    /// Seconds until it answers, mean.
    pub each: f64,
    /// Share of the machine's CPU time in use, 0 to 1.
    pub busy: f64,
}

/// Requests wait until a file is written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DiskWait {
    /// The file.
    pub file: String,
    /// Share of the requests in flight that wait for it, 0 to 1.
    pub share: f64,
    /// Seconds of each wait, mean.
    pub each: f64,
    /// Bytes written per request.
    pub written: f64,
}
