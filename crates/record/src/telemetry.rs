//! The readings of host and server under load. Counters are totals, so that the difference of any two readings is what happened
//! between them.

use model::units::{Bytes, Nanos};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A reading of the host and of the server that is loaded.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// Time on the wall clock, nanoseconds since the epoch, as for slices.
    pub at_ns: u64,
    /// The moment of the slice.
    pub mark: Mark,
    pub host: HostReading,
    /// The servers by arm; `None` for one that was not loaded, or had ended.
    pub servers: Vec<Option<ServerReading>>,
}

/// The moment of a slice at which a reading was taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mark {
    /// Its load begins.
    Loads,
    /// Its counted window begins.
    Begins,
    /// A second has passed since the reading before.
    #[default]
    Within,
    /// Its counted window ends; for a slice that is not stored also the moment at which its last request was answered.
    Ends,
}

/// What the host has counted since boot.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostReading {
    /// Clock ticks of all CPUs.
    pub ticks: u64,
    /// Ticks in which a CPU was idle.
    pub idle_ticks: u64,
    /// Ticks in interrupts, which no process is charged with: mostly the handling of packets.
    #[serde(default)]
    pub interrupt_ticks: u64,
    /// Ticks that the hypervisor took for somebody else.
    pub steal_ticks: u64,
    /// Tasks that run or wait for a CPU at this moment.
    pub run_queue: Option<u64>,
    /// The receive queues of all CPUs.
    pub softnet: Option<SoftnetTotals>,
    /// Its disks, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub disks: BTreeMap<String, DiskTotals>,
}

/// Counters of a server and of its network namespace.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ServerReading {
    /// Threads, memory and descriptors at this moment.
    pub holdings: Holdings,
    /// CPU time by group of threads.
    pub groups: BTreeMap<String, GroupTotals>,
    /// CPU time by where it was spent; `None` where the kernel does not report it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<CpuTimes>,
    /// Its accept queue at the fullest since the reading before; `None` where the kernel does not report it.
    pub queue: Option<AcceptQueue>,
    /// TCP in its namespace; other programs there count, too.
    pub tcp: TcpTotals,
    /// Interfaces of its namespace, by name.
    pub interfaces: BTreeMap<String, InterfaceTotals>,
    /// Counters of its JVM; `None` for another program, and for a JVM without performance data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jvm: Option<JvmTotals>,
    /// Its pools, by what they are for (`workers` serve requests), as it tells of them itself.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub pools: BTreeMap<String, PoolReading>,
    /// What it has read from disks and written to them; `None` where the kernel does not report it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disk: Option<IoTotals>,
    /// What the kernel did to keep it within its limits; `None` where it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<LimitTotals>,
    /// Its services, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub services: BTreeMap<String, ServiceReading>,
}

/// A pool of threads or connections at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PoolReading {
    /// Those in use.
    pub busy: u64,
    /// The most that there may be; `None` where it does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most: Option<u64>,
    /// Who waits for one; `None` where it does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting: Option<u64>,
}

/// The pool of threads that serve requests.
pub const WORKERS: &str = "workers";
/// The pool of connections to a database.
pub const DATABASE: &str = "database";

/// What a process holds at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holdings {
    /// Resident memory (VmRSS).
    pub memory: Bytes,
    /// Threads of the kernel; virtual threads of Java are none.
    pub threads: u64,
    /// Descriptors of open files and sockets.
    pub open_files: u64,
    /// Limit of open files and sockets.
    pub open_files_limit: Option<u64>,
}

/// CPU time of a process since its start, including threads that have ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CpuTimes {
    /// CPU time in its own code.
    pub user: Nanos,
    /// CPU time in the kernel on its behalf: system calls, handling of packets.
    pub kernel: Nanos,
}

/// What the threads of one group have used since they were first seen, including threads that have ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupTotals {
    /// Threads alive.
    pub threads: u32,
    /// CPU time.
    pub cpu: Nanos,
    /// Time in which they were ready to run but had no CPU.
    pub waited: Nanos,
    /// Times that one of them got a CPU: context switches.
    #[serde(default)]
    pub switches: u64,
}

/// The accept queue of a listening socket at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AcceptQueue {
    /// Connections that are established and wait to be accepted.
    pub waiting: u32,
    /// Limit of the queue: what the server asked for, at most `net.core.somaxconn`. The kernel holds one more.
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

/// What a disk has done since boot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiskTotals {
    /// Bytes read.
    pub read: u64,
    /// Bytes written.
    pub written: u64,
    /// Time in which it had something to do.
    pub busy: Nanos,
}

/// What a process has read from disks and written to them; reads that the page cache served are not included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IoTotals {
    /// Bytes read.
    pub read: u64,
    /// Bytes written to disk, or to the page cache to be written later.
    pub written: u64,
}

/// Counters of a JVM since its start, and the state of its heap. What it does not report is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JvmTotals {
    /// Collections, as its collectors count them: ZGC and the concurrent part of G1 count each pause.
    pub gc_count: u64,
    /// Time in collections. The application stands still in that time, except with Shenandoah, which counts whole cycles.
    pub gc_time: Nanos,
    /// Time of its compilers, summed over their threads and counted as each compilation ends; it contains waiting for a
    /// CPU. `None` with `-Xint`.
    pub jit_time: Option<Nanos>,
    /// Times that all of its threads stood still, for collections or anything else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub safepoints: Option<u64>,
    /// Time in which all of its threads stood still.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub safepoint_time: Option<Nanos>,
    /// Heap in use, as of the end of the last collection; `None` before the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heap_used: Option<Bytes>,
    /// Heap that it has reserved from the system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heap_capacity: Option<Bytes>,
    /// Classes loaded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub classes: Option<u64>,
    /// Threads of Java alive; virtual threads are not among them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threads: Option<u64>,
}

/// What the kernel did to keep a control group within its limits since the group was created.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LimitTotals {
    /// Periods in which the quota of CPU time counted.
    pub periods: u64,
    /// Periods in which it was used up, so that the group had to wait.
    pub throttled_periods: u64,
    /// How long it waited, summed over the CPUs that it would have had.
    pub throttled: Nanos,
    /// Times that the limit of memory was hit.
    pub memory_hits: u64,
    /// Processes killed for want of memory.
    pub oom_kills: u64,
}

/// A reading of a service of an arm.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ServiceReading {
    /// CPU time of its process and of the processes that it started.
    pub cpu: Nanos,
    /// How long it took to report its counters; `None` for a service that has none, or did not answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered_in: Option<Nanos>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub counters: BTreeMap<String, f64>,
}
