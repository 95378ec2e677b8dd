//! Findings about what requests wait for inside the server while neither CPU nor threads are short.

use super::place::RequestPlace;
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
    /// The method of the application that waits for it; absent where stacks were not seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// The method of the application that called it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caller: Option<String>,
    /// What its holder does most of the time, as a share of that; absent where it was not seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holder: Option<RequestPlace>,
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
    /// How many addresses are waited for, as those of a cluster; the service is the one that is waited for most.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub addresses: u64,
    /// The method of the application that waits for it; absent where no thread of it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
}

const fn one() -> u64 {
    1
}

const fn is_one(addresses: &u64) -> bool {
    *addresses == 1
}

/// Requests wait until a file is written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DiskWait {
    /// The file, or the library that writes the log where the file is not known.
    pub file: String,
    /// Share of the requests in flight that wait for it, 0 to 1.
    pub share: f64,
    /// Seconds of each wait, mean.
    pub each: f64,
    /// Bytes written per request.
    pub written: f64,
    /// The method of the application that waits; absent where stacks were not seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
}

/// Requests wait until what they wrote is on the disk.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SyncWait {
    /// The file that is waited for longest; absent where it is not known.
    pub file: Option<String>,
    /// The method of the application that waits.
    pub method: Option<String>,
    /// Share of the requests in flight that wait, 0 to 1; those that wait for another that waits are among them.
    pub share: f64,
    /// Share of the requests in flight that wait for a lock or a pool whose holders wait for the disk, 0 to 1.
    pub behind: f64,
    /// Seconds that a request waits, mean.
    pub each: f64,
    /// Share of the machine's CPU time in use, 0 to 1.
    pub busy: f64,
}
