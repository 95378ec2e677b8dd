//! [`RequestPlace`]: where requests are at a moment, and what they do there.

use serde::{Deserialize, Serialize};

/// What a request does, or what it waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Doing {
    /// It runs on a CPU, or waits for one.
    Runs,
    /// It waits for a thread of the server.
    ServerThread,
    /// It waits for a thread of the application.
    Thread,
    /// It waits for a permit.
    Permit,
    /// It waits for something that a pool lends, such as a connection.
    Pool,
    /// It waits for its turn at a limiter of rates.
    Limiter,
    /// It waits for a lock that another thread holds.
    Lock,
    /// It waits for the answer of another program.
    Answer,
    /// It reads from its own client, or writes to it.
    Client,
    /// It reads or writes a file.
    File,
    /// It waits until a file is on the disk.
    Sync,
    /// It waits until its line is in a log.
    Log,
    /// It waits for what another thread does.
    Result,
    /// It sleeps for a time.
    Sleep,
    /// Its thread stands still in the JVM or in the kernel, such as for memory.
    Stalled,
    /// It waits for something else.
    Other,
    /// It has no thread in the server, and no other program is asked for it: a timer, the network, or a queue.
    NoThread,
}

/// A place where requests are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RequestPlace {
    /// What they do there.
    pub doing: Doing,
    /// What they wait for, where it has a name: a library, the class of a lock, an address, the threads of a pool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub what: Option<String>,
    /// The innermost method of the application.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// The method of the application that called it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caller: Option<String>,
    /// Share of the requests that are there, 0 to 1.
    pub share: f64,
}

/// A method that CPU time is spent in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DearFrame {
    pub method: String,
    /// Share of the server's CPU time, 0 to 1.
    pub share: f64,
}
