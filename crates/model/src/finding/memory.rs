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
}

/// The limit of memory is hit, and what the kernel took back is read from disk again.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemoryShort {
    /// The limit.
    pub limit: Bytes,
    /// How often it was hit under load.
    pub hits: f64,
    /// Bytes read from disk per request.
    pub read: f64,
    /// Processes that the kernel killed for it, mean over starts.
    pub kills: f64,
}
