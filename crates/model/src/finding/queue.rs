//! Findings about the accept queue, in which complete connections wait until the server takes them.

use serde::{Deserialize, Serialize};

/// The accept queue was full, so that the kernel dropped what would have completed a connection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "code", content = "values", rename_all = "kebab-case", rename_all_fields = "snake_case")]
pub enum QueueOverflow {
    /// While requests were counted.
    UnderLoad {
        /// Length of the queue.
        limit: f64,
        /// How often it overflowed.
        overflows: u64,
        /// Share of the connects that took a second or more, 0 to 1.
        late: f64,
        /// Share of these late connects that the kernel's retries explain, 0 to 1.
        on_time: f64,
        /// When the kernel sends a SYN again, seconds since the first; the first few times.
        retries: Vec<f64>,
        /// Share of the users that were connecting at any moment, 0 to 1.
        connecting: f64,
    },
    /// While all users connected at once, before anything was counted.
    AtConnecting {
        /// Users that connected.
        users: f64,
        /// Length of the queue.
        limit: u32,
        /// How often it overflowed, mean over starts.
        overflows: f64,
        /// How often a SYN was sent again, mean over starts.
        again: f64,
        /// When the kernel sends a SYN again, seconds since the first; the first few times.
        retries: Vec<f64>,
    },
}
