//! What the generator lacked, and answers that were wrong.

use crate::reason::Reason;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The generator could not keep up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LateGenerator {
    /// Share of the slices in which it said so of itself, 0 to 1.
    pub share_of_slices: f64,
    /// What it said of the last start that did not count; absent where all starts counted.
    pub why: Option<Reason>,
    /// It was late and not busy: somebody else had its CPU.
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
    /// These per request, 0 to 1.
    pub share: f64,
}

/// No file descriptor was left.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    tag = "code",
    content = "values",
    rename_all = "kebab-case",
    rename_all_fields = "snake_case"
)]
pub enum DescriptorsExhausted {
    /// The generator's are all in use.
    OfGenerator {
        /// Connections that could not be opened.
        failed: u64,
        /// These per request, 0 to 1.
        share: f64,
    },
    /// The server's are all in use.
    OfServer {
        /// Files and sockets that it has open.
        open: f64,
        /// How many it may have open.
        limit: f64,
        /// What that leads to.
        lacking: Lacking,
    },
}

/// How it shows that a server accepts no connection more.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    tag = "code",
    content = "values",
    rename_all = "kebab-case",
    rename_all_fields = "snake_case"
)]
pub enum Lacking {
    /// Users are not served.
    Users {
        /// How many, by Little's law.
        left_out: f64,
        /// Of how many.
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
    /// Seconds that each of them took, mean.
    pub each: f64,
    /// Seconds that a right answer took, mean; absent where there was none.
    pub right: Option<f64>,
    /// How often each kind of fault happened, by the names that `report.json` gives them.
    pub faults: BTreeMap<String, u64>,
}
