//! Findings about what serves requests inside the server: its pool of threads, or a limit of tasks on virtual threads.

use super::place::RequestPlace;
use serde::{Deserialize, Serialize};

/// Requests wait for a slot while the CPU is not full. By Little's law the slots answer `slots / each` requests per second.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ceiling {
    /// Requests per second.
    pub rate: f64,
    /// Requests that are served at once at most.
    pub slots: f64,
    /// Seconds that each request holds its slot.
    pub each: f64,
    /// Requests in flight, mean.
    pub in_flight: f64,
    /// Requests in flight that wait for a slot.
    pub waiting: f64,
    /// Share of the machine's CPU time in use, 0 to 1.
    pub busy: f64,
}

/// What the slots of a [`Ceiling`] are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Slots {
    /// Worker threads.
    Threads,
    /// The few threads that handle the events of all connections, and should never wait.
    EventLoops,
    /// Tasks on virtual threads, as many as somebody chose.
    Tasks,
}

/// All worker threads, or all tasks that somebody allowed, are taken.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PoolFull {
    /// Threads or tasks.
    pub slots_are: Slots,
    pub ceiling: Ceiling,
    /// What most of the threads do, as a share of them; absent where it was not seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holders: Option<RequestPlace>,
}

/// All tasks that a default allows on virtual threads are taken.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TasksFull {
    pub ceiling: Ceiling,
}
