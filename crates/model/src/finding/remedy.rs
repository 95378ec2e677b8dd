//! [`Remedy`]: what to change, with its numbers and the setting of the server that is there.

use super::connections::ClosedBy;
use crate::kind::Kind;
use crate::units::Bytes;
use serde::{Deserialize, Serialize};

/// What a setting limits, whatever it is called.
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
pub struct Setting {
    /// The server.
    pub server: Kind,
    /// The setting.
    pub name: SettingName,
}

/// What to change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    tag = "code",
    content = "values",
    rename_all = "kebab-case",
    rename_all_fields = "snake_case"
)]
pub enum Remedy {
    /// The generator was woken too late: a hypervisor lets the machine wait, or its CPU saves power.
    MeasureAgain,
    /// Others had the CPU that the generator needed.
    FreeCpusForGenerator,
    /// The generator itself is the limit.
    EnlargeGenerator,
    /// Fewer local ports have to be used, or more allowed.
    SparePorts,
    /// The generator may open more files.
    RaiseGeneratorFiles,
    /// The server may open more files.
    RaiseServerFiles,
    /// What fails has to be found.
    ReadServerLog,
    /// A limit of the server is raised.
    RaiseLimit {
        /// The limit.
        setting: Setting,
        /// To so many; absent where nobody knows how many it needs.
        to: Option<u64>,
    },
    /// The limit of tasks of virtual threads is raised, of a server whose name for it is not known.
    RaiseTasks,
    /// A property of the server is set.
    SetProperty {
        /// The property.
        property: String,
        /// Its value.
        to: u64,
        /// A release of Spring Boot that ignores the property: the arm's own.
        ignored_by: Option<String>,
    },
    /// Connections are kept after a request.
    KeepConnections,
    /// Who closes connections has to be found.
    FindWhoCloses,
    /// A connection may serve any number of requests.
    LiftRequestsPerConnection {
        /// The server that limits them.
        server: Kind,
    },
    /// Connections are kept, so that fewer handshakes are needed.
    SpareHandshakes {
        /// Who ends them.
        closed_by: ClosedBy,
    },
    /// The quota of CPU time is raised.
    RaiseCpuQuota {
        /// CPUs.
        to: f64,
    },
    /// The machine is to be quiet.
    MeasureWhenQuiet,
    /// The warm-up is to last longer.
    WarmUpLonger,
    /// Nothing has to be changed: the CPU is full because the load asks as fast as it is answered.
    AcceptFullCpu,
    /// The server cannot hold the load with the CPU that it has.
    SpareCpu,
    /// The heap is enlarged.
    EnlargeHeap {
        /// Its size, whole MiB.
        to: Bytes,
    },
    /// The limit of memory is raised.
    RaiseMemoryLimit {
        /// The limit, whole MiB.
        to: Bytes,
    },
    /// More has to fit through the link.
    WidenLink,
    /// A lock is to be held for less time.
    HoldLockShorter,
    /// A JDK whose virtual threads let go of their carriers.
    UseNewerJdk,
    /// The service that the server asks is to be asked less often, or made faster.
    RelieveBackend,
    /// The access log is written buffered, which the arm says.
    BufferAccessLog,
    /// What is written is written buffered, or by another thread.
    WriteLater {
        /// The server that writes.
        server: Kind,
    },
    /// The load and other programs need CPUs of their own.
    SeparateCpus,
    /// Somebody has to look at what the server's threads wait for.
    DumpThreads,
    /// As an earlier prony stored it.
    Legacy(String),
}
