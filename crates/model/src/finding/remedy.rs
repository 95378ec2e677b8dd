//! [`Remedy`]: what to change, with its numbers and the setting of the server that it concerns.

use super::connections::ClosedBy;
use super::pools::Bounded;
use super::sizing::Sizing;
use crate::kind::Kind;
use crate::units::Bytes;
use serde::{Deserialize, Serialize};

/// What a setting limits, whatever a server calls it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SettingName {
    /// Worker threads.
    Threads,
    /// Connections that the server holds.
    MaxConnections,
    /// Connections that wait to be accepted.
    AcceptCount,
}

impl SettingName {
    /// The key of an arm that sets it.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Threads => "threads",
            Self::MaxConnections => "max_connections",
            Self::AcceptCount => "accept_count",
        }
    }
}

/// A setting of a server; what it is called depends on the kind of server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerSetting {
    pub server: Kind,
    pub name: SettingName,
}

/// What to change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "code", content = "values", rename_all = "kebab-case", rename_all_fields = "snake_case")]
pub enum Remedy {
    /// Measure again: the generator was woken too late, because a hypervisor lets the machine wait or its CPU saves power.
    MeasureAgain,
    /// Free CPUs: other programs had the CPU that the generator needed.
    FreeCpusForGenerator,
    /// Give the generator more resources, because it is the limit itself.
    EnlargeGenerator,
    /// Use fewer local ports, or allow more.
    SparePorts,
    /// Let the generator open more files.
    RaiseGeneratorFiles,
    /// Let the server open more files.
    RaiseServerFiles,
    /// Find out what fails, from the log of the server.
    ReadServerLog,
    /// Raise a limit of the server.
    RaiseLimit {
        /// The limit.
        setting: ServerSetting,
        /// The new limit; absent where it is not known how much is needed.
        to: Option<u64>,
        /// What the new number brings; absent where that is not known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sizing: Option<Sizing>,
    },
    /// Raise the limit of tasks on virtual threads, on a server whose name for it is not known.
    RaiseTasks,
    /// Set a property of the server.
    SetProperty {
        property: String,
        /// Its value.
        to: u64,
        /// The arm's release of Spring Boot, where that ignores the property.
        ignored_by: Option<String>,
        /// What the new number brings; absent where that is not known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sizing: Option<Sizing>,
    },
    /// Keep connections after a request.
    KeepConnections,
    /// Find out who closes connections.
    FindWhoCloses,
    /// Let a connection serve any number of requests.
    LiftRequestsPerConnection {
        /// The server that limits them.
        server: Kind,
    },
    /// Keep connections, so that fewer handshakes are needed.
    SpareHandshakes {
        /// The side that ends them.
        closed_by: ClosedBy,
    },
    /// Raise the quota of CPU time.
    RaiseCpuQuota {
        /// CPUs.
        to: f64,
    },
    /// Measure while the machine is quiet.
    MeasureWhenQuiet,
    /// Let the warm-up last longer.
    WarmUpLonger,
    /// Change nothing: the CPU is full because a closed loop asks as fast as it is answered.
    AcceptFullCpu,
    /// Nothing is wrong, but the generator uses much of the same CPUs.
    AcceptSharedCpu,
    /// Use less CPU or add some: the server cannot hold the load with the CPU that it has.
    SpareCpu,
    /// Enlarge the heap.
    EnlargeHeap {
        /// Its size, whole MiB.
        to: Bytes,
    },
    /// Raise the limit of memory.
    RaiseMemoryLimit {
        /// The limit, whole MiB.
        to: Bytes,
    },
    /// Widen the link, or send less over it.
    WidenLink,
    /// Let the application have more of what is used up, or hold each for less time.
    EnlargePool {
        /// What is used up.
        pool: Bounded,
        /// How many there should be; absent where that is not known.
        to: Option<u64>,
        /// What the new number brings; absent where that is not known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sizing: Option<Sizing>,
    },
    /// Do not wait on the threads that handle the events of all connections.
    WaitElsewhere,
    /// Let more requests through in a second.
    RaiseRate {
        /// The setting of the rate, where the library has one.
        setting: Option<String>,
    },
    /// Hold a lock for less time.
    HoldLockShorter,
    /// Use a JDK whose virtual threads release their carriers.
    UseNewerJdk,
    /// Ask the service behind the server less often, or make it faster.
    RelieveBackend,
    /// Write the access log buffered, by a key of the arm.
    BufferAccessLog,
    /// Write files buffered, or in another thread.
    WriteLater {
        /// The server that writes.
        server: Kind,
    },
    /// Wait for the disk once for what several requests wrote.
    SyncTogether,
    /// Give the load and other programs CPUs of their own.
    SeparateCpus,
    /// Look at what the server's threads wait for.
    DumpThreads,
    /// Look at the places where most requests are.
    LookAtPlaces,
    /// The text that an earlier prony stored.
    Legacy(String),
}
