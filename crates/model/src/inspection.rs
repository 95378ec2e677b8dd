//! [`Inspection`]: what a server reports about itself under load. It happens at the end of a round, after all measurements,
//! because to ask costs the server time and memory, and some questions stop every thread.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One inspection of a server at one level.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Inspection {
    /// The level, its index among the experiment's.
    pub level: usize,
    /// How long it took, seconds.
    pub seconds: f64,
    /// Right answers in that time.
    pub ok: u64,
    /// Requests in flight, integrated over that time, request-seconds.
    pub in_flight: f64,
    /// Readings of its own counters, ten per second; empty where it has none.
    pub pool: Vec<PoolReading>,
    /// Its threads at one moment; `None` where the slice was too short for it.
    pub threads: Option<ThreadsSeen>,
    /// What the JDK Flight Recorder saw; `None` where it was not asked, or is not there.
    pub jfr: Option<JfrFacts>,
}

/// A reading of a server's own counters. What is unknown is `None`, never a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PoolReading {
    /// When, on the wall clock, nanoseconds since the epoch.
    pub at_ns: u64,
    /// Threads that answer requests.
    pub busy: Option<u64>,
    /// All threads of the pool.
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
    /// Platform threads that answer a request, because they are within a servlet.
    pub platform_answering: u64,
    /// Virtual threads that answer a request.
    pub virtual_answering: u64,
}

/// Waits of threads during an inspection that took a millisecond or more, by what the thread waited for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct JfrFacts {
    /// Waits for a lock that another thread held (`synchronized`), by the class of its object.
    pub monitors: BTreeMap<String, Waits>,
    /// Waits of virtual threads that did not release their carrier, by the reason, or by the method where the JDK gives no
    /// reason.
    pub pinned: BTreeMap<String, Waits>,
    /// Waits within a request for a lock, a semaphore or a queue, by its class.
    pub parked: BTreeMap<String, Waits>,
    /// Waits within a request for an answer on a socket, by address and port.
    pub sockets: BTreeMap<String, Waits>,
    /// Waits for a write to a file, or until it is on the disk, by the path of the file.
    pub files: BTreeMap<String, Waits>,
    /// Bytes allocated, estimated from samples; `None` where the JDK takes none (before 16).
    pub allocated: Option<f64>,
}

/// Waits for one thing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Waits {
    /// Their number.
    pub count: u64,
    /// Their length, summed over threads, seconds.
    pub seconds: f64,
}

impl Inspection {
    /// Returns the mean number of requests in flight.
    pub fn mean_in_flight(&self) -> f64 {
        self.in_flight / self.seconds.max(1e-9)
    }

    /// Returns the largest value of one of the server's counters.
    pub fn most(&self, counter: impl Fn(&PoolReading) -> Option<u64>) -> Option<u64> {
        self.pool.iter().filter_map(counter).max()
    }
}

impl JfrFacts {
    /// Returns the seconds of all waits of one kind.
    pub fn total(waits: &BTreeMap<String, Waits>) -> f64 {
        waits.values().map(|wait| wait.seconds).sum()
    }
}
