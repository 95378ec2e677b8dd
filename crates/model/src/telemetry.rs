//! Telemetry: what was read of host and servers while they were loaded. Counters are totals, so that any two readings give
//! what happened between them.

use crate::units::{Bytes, Nanos};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One look at the host and at the server of every arm.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// When, on the wall clock, nanoseconds since the epoch: the clock of the slices.
    pub at_ns: u64,
    /// The host.
    pub host: HostReading,
    /// By arm; `None` for a server that was gone.
    pub servers: Vec<Option<ServerReading>>,
}

/// What the host has counted since boot.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostReading {
    /// Clock ticks of all CPUs.
    pub ticks: u64,
    /// Those of them in which a CPU was idle.
    pub idle_ticks: u64,
    /// Those that the hypervisor took for somebody else.
    pub steal_ticks: u64,
    /// Tasks that run or wait for a CPU at this moment.
    pub run_queue: Option<u64>,
    /// The receive queues of all CPUs.
    pub softnet: Option<SoftnetTotals>,
}

/// What a server and the network namespace that it is in have counted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerReading {
    /// Threads, memory and descriptors at this moment.
    pub holdings: Holdings,
    /// CPU time by group of threads.
    pub groups: BTreeMap<String, GroupTotals>,
    /// Its listener: the fullest it was seen since the reading before; `None` where the kernel does not tell.
    pub queue: Option<AcceptQueue>,
    /// TCP in its namespace; other programs there count, too.
    pub tcp: TcpTotals,
    /// Interfaces of its namespace, by name.
    pub interfaces: BTreeMap<String, InterfaceTotals>,
}

/// What a process holds at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holdings {
    /// Resident memory (VmRSS).
    pub memory: Bytes,
    /// Threads of the kernel; virtual threads of Java are none.
    pub threads: u64,
    /// Descriptors of open files and sockets.
    pub open_files: u64,
    /// How many of them it may open.
    pub open_files_limit: Option<u64>,
}

/// What the threads of one group have used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupTotals {
    /// Threads alive.
    pub threads: u32,
    /// CPU time of those alive.
    pub cpu: Nanos,
    /// Time in which they could have run and had no CPU.
    pub waited: Nanos,
}

/// The accept queue of a listening socket at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AcceptQueue {
    /// Connections that are established and wait to be accepted.
    pub waiting: u32,
    /// How many may wait: what the server asked for, at most `net.core.somaxconn`. The kernel holds one more.
    pub limit: u32,
}

/// What TCP has counted in a network namespace since it began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TcpTotals {
    /// Connections that were complete but found the accept queue full (`ListenOverflows`).
    pub listen_overflows: u64,
    /// Connection requests dropped by listeners for any reason (`ListenDrops`); overflows are among them.
    pub listen_drops: u64,
    /// Times the queue of half-open connections was full (`TCPReqQFullDrop`).
    pub request_queue_full: u64,
    /// SYN and SYN-ACK segments sent again (`TCPSynRetrans`).
    pub syn_retransmits: u64,
    /// Segments of any kind sent again (`RetransSegs`).
    pub retransmits: u64,
    /// Segments sent, those sent again left out (`OutSegs`).
    pub sent: u64,
    /// Connection attempts that came to nothing (`AttemptFails`).
    pub attempts_failed: u64,
    /// Connections accepted (`PassiveOpens`).
    pub accepted: u64,
}

/// What went through a network interface since it came up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InterfaceTotals {
    /// Bytes received, headers of the link layer too.
    pub received: u64,
    /// Bytes sent.
    pub sent: u64,
    /// Packets thrown away in either direction.
    pub dropped: u64,
}

/// What the receive queues of all CPUs have counted since boot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SoftnetTotals {
    /// Packets thrown away because a queue was full (`net.core.netdev_max_backlog`); on loopback, too.
    pub dropped: u64,
    /// Times that a CPU stopped receiving with packets left, because its share of time was used up.
    pub squeezed: u64,
}

impl TcpTotals {
    /// What happened since `earlier`.
    #[must_use]
    pub const fn since(&self, earlier: &Self) -> Self {
        Self {
            listen_overflows: self.listen_overflows.saturating_sub(earlier.listen_overflows),
            listen_drops: self.listen_drops.saturating_sub(earlier.listen_drops),
            request_queue_full: self.request_queue_full.saturating_sub(earlier.request_queue_full),
            syn_retransmits: self.syn_retransmits.saturating_sub(earlier.syn_retransmits),
            retransmits: self.retransmits.saturating_sub(earlier.retransmits),
            sent: self.sent.saturating_sub(earlier.sent),
            attempts_failed: self.attempts_failed.saturating_sub(earlier.attempts_failed),
            accepted: self.accepted.saturating_sub(earlier.accepted),
        }
    }
}
