//! [`Quantity`]: the kinds of numbers that are evidence for a finding.

use serde::{Deserialize, Serialize};

/// What a quantity is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// A number of things.
    Count,
    /// A part of a whole, 0 to 1.
    Share,
    /// CPUs: CPU seconds per second.
    Cpus,
    /// Seconds.
    Seconds,
    /// Bytes.
    Bytes,
    /// Bits per second.
    BitsPerSecond,
    /// A number per second.
    PerSecond,
    /// A number per request.
    PerRequest,
}

/// One row for each quantity: what it is, and its unit.
macro_rules! quantities {
    ($($(#[$doc:meta])* $quantity:ident, $unit:ident;)+) => {
        /// What a number of the evidence is. Codes are stable: reports and scripts rely on them.
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(tag = "code", content = "values", rename_all = "kebab-case")]
        pub enum Quantity {
            $($(#[$doc])* $quantity,)+
            /// CPU seconds per request of the server's threads of that group.
            GroupCpuPerRequest(String),
            /// The text that an earlier prony stored.
            Legacy(String),
        }

        impl Quantity {
            /// Its unit; `None` where an earlier prony stored none.
            pub const fn unit(&self) -> Option<Unit> {
                match self {
                    $(Self::$quantity => Some(Unit::$unit),)+
                    Self::GroupCpuPerRequest(_) => Some(Unit::Seconds),
                    Self::Legacy(_) => None,
                }
            }

            /// All quantities but those that hold a text.
            pub const ALL: &'static [Self] = &[$(Self::$quantity),+];
        }
    };
}

quantities! {
    /// Slices that do not measure the server, because the generator could not keep up.
    SlicesSpoilt, Share;
    /// Starts that do not count for that reason.
    StartsOverloaded, Share;
    /// Starts that do not count because of the hypervisor.
    StartsSpoilt, Share;
    /// CPU of the generator.
    GeneratorCpus, Cpus;
    /// CPU of the server.
    ServerCpus, Cpus;
    /// CPU that the server used of its quota.
    CpusUsed, Cpus;
    /// The quota.
    CpuQuota, Cpus;
    /// Periods of the quota in which the server had to wait.
    PeriodsThrottled, Share;
    /// CPU of the machine that was in use, by anybody.
    CpusInUse, Share;
    /// CPU of the machine that programs outside the run used.
    CpuOfOthers, Share;
    /// CPU of the machine that the hypervisor took.
    CpuStolen, Share;
    /// The part of the CPU time in use that the hypervisor took.
    CpuInUseStolen, Share;
    /// The part of the server's CPU that the application used.
    ApplicationCpu, Share;
    /// The part of the server's CPU that the kernel used.
    KernelCpu, Share;
    /// The part of the server's CPU that its compilers used.
    CompilerCpu, Share;
    /// The part of the server's CPU that its collector used.
    CollectorCpu, Share;
    /// CPU seconds of the server per request.
    CpuPerRequest, Seconds;
    /// Connections that found no free local port.
    ConnectionsWithoutPort, Count;
    /// Connections that found no free descriptor.
    ConnectionsWithoutDescriptor, Count;
    /// Connections that were opened.
    ConnectionsOpened, Count;
    /// The server's limit of connections.
    ConnectionsMost, Count;
    /// Connections opened per request.
    ConnectionsPerRequest, PerRequest;
    /// Requests per connection.
    RequestsPerConnection, Count;
    /// Requests that were sent.
    Requests, Count;
    /// Requests that were sent, per second.
    RequestRate, PerSecond;
    /// Requests in flight, mean.
    RequestsInFlight, Count;
    /// Requests that were given up.
    RequestsGivenUp, Count;
    /// Requests that ended without a right answer.
    RequestsFailed, Count;
    /// Requests that ended without a right answer, as a part of all.
    FailureShare, Share;
    /// How long a failed request took, mean.
    FailureTime, Seconds;
    /// Users.
    Users, Count;
    /// Users that are served, by Little's law.
    UsersServed, Count;
    /// Users that are not served, by Little's law.
    UsersNotServed, Count;
    /// Share of the users that were connecting at any moment.
    UsersConnecting, Share;
    /// Files and sockets that the server has open.
    FilesOpen, Count;
    /// Files and sockets that it may have open.
    FilesMost, Count;
    /// Time in which collections stopped the server.
    CollectionTime, Share;
    /// Collections.
    CollectionRate, PerSecond;
    /// The longest stop for a collection.
    LongestPause, Seconds;
    /// Full collections of each start.
    FullCollections, Count;
    /// Size of the heap.
    HeapSize, Bytes;
    /// What is in use of the heap after a collection.
    HeapLive, Bytes;
    /// Limit of memory of the server's control group.
    MemoryLimit, Bytes;
    /// How often that limit was hit.
    MemoryLimitHits, Count;
    /// Bytes read from disk per request.
    DiskReadPerRequest, Bytes;
    /// Bytes written to disk per request.
    DiskWrittenPerRequest, Bytes;
    /// Processes of each start that the kernel killed for lack of memory.
    ProcessesKilled, Count;
    /// Bits of answers that went over the link, with the headers of their segments.
    AnswerBits, BitsPerSecond;
    /// Bits of requests that went over the link, with the headers of their segments.
    RequestBits, BitsPerSecond;
    /// Bits that the link can pass.
    LinkBits, BitsPerSecond;
    /// TLS handshakes.
    Handshakes, Count;
    /// TLS handshakes per request.
    HandshakesPerRequest, PerRequest;
    /// Handshakes that resumed a session.
    HandshakesResumed, Share;
    /// The kernel's counter of accept queues that overflowed.
    ListenOverflows, Count;
    /// The kernel's counter of connections dropped at a listening socket.
    ListenDrops, Count;
    /// SYN segments that were sent again.
    SynRetransmits, Count;
    /// Length of the accept queue.
    QueueLimit, Count;
    /// Connects that took a second or more.
    ConnectsLate, Share;
    /// Late connects that the kernel's retries explain.
    ConnectsOnRetry, Share;
    /// Overflows of the accept queue in each start while users connected.
    ListenOverflowsConnecting, Count;
    /// SYN segments sent again in each start while users connected.
    SynRetransmitsConnecting, Count;
    /// Requests that can be served at once.
    SlotsMost, Count;
    /// How long a request holds its slot, by Little's law.
    SlotTime, Seconds;
    /// Right answers per second.
    Throughput, PerSecond;
    /// Right answers per second of fewer users.
    ThroughputOfFewerUsers, PerSecond;
    /// Carriers that virtual threads held while they waited, mean.
    CarriersHeld, Count;
    /// Waits that the flight recorder saw.
    WaitsSeen, Count;
    /// How long a wait took that the flight recorder saw, mean.
    WaitTime, Seconds;
    /// The part of the requests in flight that waited.
    RequestsWaiting, Share;
    /// The part of the requests in flight that waited behind others, which had what they waited for.
    RequestsBehind, Share;
    /// Requests that waited for the same thing, mean.
    Waiting, Count;
    /// How many of a bounded thing were in use, mean.
    SlotsHeld, Count;
    /// Connections that the server had opened to that address, at most.
    PeerConnections, Count;
    /// Connections on which the server waited for an answer, mean.
    AnswersAwaited, Count;
    /// The part of the users' time that connects took.
    ConnectTime, Share;
}
