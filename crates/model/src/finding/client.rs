//! Findings about the generator and its resources, and about wrong answers.

use crate::reason::Reason;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The generator could not keep up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LateGenerator {
    /// Share of the slices in which it reported that it could not keep up, 0 to 1.
    pub share_of_slices: f64,
    /// Share of the starts that do not count because of it, 0 to 1.
    pub share_of_starts: f64,
    /// Why the last start that did not count is void; absent where all starts counted.
    pub why: Option<Reason>,
    /// Present where it was late although it used little CPU: somebody else had its CPU.
    pub starved: Option<Starved>,
}

/// A generator that was late although it used little of the CPU.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Starved {
    /// CPUs that it used.
    pub cpus: f64,
    /// Share of the machine's CPU time that was idle, where that is most of it: then nobody here kept the generator from a
    /// CPU, and it was woken too late.
    pub idle: Option<f64>,
}

/// Connections found no free local port.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PortsExhausted {
    /// Connections that could not be opened.
    pub failed: u64,
    /// The same per request, 0 to 1.
    pub share: f64,
}

/// No file descriptor was left.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "code", content = "values", rename_all = "kebab-case", rename_all_fields = "snake_case")]
pub enum DescriptorsExhausted {
    /// The generator's are all in use.
    OfGenerator {
        /// Connections that could not be opened.
        failed: u64,
        /// The same per request, 0 to 1.
        share: f64,
    },
    /// The server's are all in use.
    OfServer {
        /// Files and sockets that it has open.
        open: f64,
        /// How many it may have open.
        limit: f64,
        /// The sign that it accepts no more connections.
        lacking: Lacking,
    },
}

/// The sign that a server accepts no more connections.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "code", content = "values", rename_all = "kebab-case", rename_all_fields = "snake_case")]
pub enum Lacking {
    /// Users are not served.
    Users {
        /// Number of users that are not served, by Little's law.
        left_out: f64,
        users: f64,
    },
    /// Requests failed.
    Requests {
        /// Share of all requests, 0 to 1.
        failed: f64,
    },
}

/// Requests failed in less time than right answers took.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FastErrors {
    /// Share of all requests, 0 to 1.
    pub share: f64,
    /// Seconds that a failed request took, mean.
    pub each: f64,
    /// Seconds that a right answer took, mean; absent where there was none.
    pub right: Option<f64>,
    /// How often each kind of fault happened, by the names that `report.json` gives them.
    pub faults: BTreeMap<String, u64>,
}
