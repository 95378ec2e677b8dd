//! What a server says of itself while it is loaded once more at the end of a round, when nothing is measured any more: to
//! ask costs the server time and memory, and some of it stops every thread.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One look into a server at one level.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Inspection {
    /// The level, its index among the experiment's.
    pub level: usize,
    /// How long it was looked at, seconds.
    pub seconds: f64,
    /// Right answers meanwhile.
    pub ok: u64,
    /// Requests in flight, integrated over that time, request-seconds: what the server should be busy with.
    pub in_flight: f64,
    /// What its own counters said, ten times a second; empty where it has none.
    pub pool: Vec<PoolReading>,
    /// Its threads at one moment; `None` where the slice was too short for it.
    pub threads: Option<ThreadsSeen>,
    /// What the JDK Flight Recorder saw; `None` where it was not asked, or is not there.
    pub jfr: Option<JfrFacts>,
}

/// What a server's own counters said at one moment. Unknown is `None`, never a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PoolReading {
    /// When, on the wall clock, nanoseconds since the epoch.
    pub at_ns: u64,
    /// Threads that answer requests.
    pub busy: Option<u64>,
    /// Threads there are.
    pub threads: Option<u64>,
    /// Requests that wait for a thread.
    pub queued: Option<u64>,
    /// Connections.
    pub connections: Option<u64>,
}

/// The threads of a JVM at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadsSeen {
    /// Platform threads.
    pub platform: u64,
    /// Virtual threads.
    pub r#virtual: u64,
    /// Platform threads that answer a request: they are within a servlet.
    pub platform_answering: u64,
    /// Virtual threads that do.
    pub virtual_answering: u64,
}

/// What threads waited for during an inspection, each wait of a millisecond or more, by what it was for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct JfrFacts {
    /// For a lock held by another thread (`synchronized`), by the class of its object.
    pub monitors: BTreeMap<String, Waits>,
    /// Without giving up the carrier: virtual threads, by the reason, or where the JDK gives none by the method.
    pub pinned: BTreeMap<String, Waits>,
    /// Parked within a request: for a lock, a semaphore, a queue, by its class.
    pub parked: BTreeMap<String, Waits>,
    /// For an answer on a socket within a request, by address and port.
    pub sockets: BTreeMap<String, Waits>,
    /// For a write to a file, or until it is on the disk, by its path.
    pub files: BTreeMap<String, Waits>,
    /// Bytes allocated, estimated from samples; `None` where the JDK takes none (before 16).
    pub allocated: Option<f64>,
}

/// Waits for one thing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Waits {
    /// How many.
    pub count: u64,
    /// How long, summed over threads, seconds.
    pub seconds: f64,
}

impl Inspection {
    /// Requests in flight on average.
    pub fn mean_in_flight(&self) -> f64 {
        self.in_flight / self.seconds.max(1e-9)
    }

    /// The most that a counter of the server said.
    pub fn most(&self, counter: impl Fn(&PoolReading) -> Option<u64>) -> Option<u64> {
        self.pool.iter().filter_map(counter).max()
    }
}

impl JfrFacts {
    /// Seconds of all waits of one kind.
    pub fn total(waits: &BTreeMap<String, Waits>) -> f64 {
        waits.values().map(|wait| wait.seconds).sum()
    }
}
