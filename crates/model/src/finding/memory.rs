//! Findings about memory: the collector of the JVM, and the memory limit of a control group.

use crate::units::Bytes;
use serde::{Deserialize, Serialize};

/// Collections stop the server for a good part of the time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Collections {
    /// Share of the time in which they stop it, 0 to 1.
    pub share: f64,
    /// Collections per second.
    pub per_second: f64,
    /// Size of the heap.
    pub heap: Bytes,
    /// The longest pause, seconds; absent where no log shows it.
    pub longest: Option<f64>,
    /// Share of the server's CPU time that the collector takes, 0 to 1, where that is more than the time in which it stops the
    /// server, and the CPU is full.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<f64>,
}

/// Threads wait until the collector has freed memory, while the others go on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stalls {
    /// Share of the requests in flight that stand still, 0 to 1.
    pub share: f64,
    /// Seconds of each wait, mean; absent where the JVM does not tell.
    pub each: Option<f64>,
    /// The collector: `Z`.
    pub collector: Option<String>,
    /// Size of the heap.
    pub heap: Bytes,
    /// What was in use after the last collection; absent where it is not known.
    pub live: Option<Bytes>,
}

/// The heap is nearly full of what is in use.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeapFull {
    /// What was in use after the last collection.
    pub live: Bytes,
    /// What there may be at most.
    pub heap: Bytes,
    /// Share of the time, or of the server's CPU time, that collections take, 0 to 1.
    pub collecting: f64,
    /// Collections per second; absent where they are not counted.
    pub per_second: Option<f64>,
}

/// The limit of memory is hit, and what the kernel took back is read from disk again.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemoryShort {
    pub limit: Bytes,
    /// How often it was hit under load.
    pub hits: f64,
    /// Bytes read from disk per request.
    pub read: f64,
    /// Processes that the kernel killed for it, mean over starts.
    pub kills: f64,
}
