//! [`Cause`]: what can limit a load, by the ids that reports and scripts rely on.

/// What limits a load. The order is that of docs/diagnoses.md.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cause {
    /// The generator could not keep up: its own figures are no longer about the server.
    GeneratorSaturated,
    /// Somebody else took the CPU: another guest of the hypervisor, or another program here.
    NoisyNeighbour,
    /// The generator has no local port left for another connection.
    EphemeralPortsExhausted,
    /// No descriptor is left for another connection, of the server or of the generator.
    FileDescriptorLimit,
    /// The server holds no more connections; the other users wait outside.
    ConnectionLimit,
    /// The queue of connections that wait to be accepted was full: connects take a second or more.
    AcceptQueueOverflow,
    /// Errors are answered faster than work is done, so that failing looks fast.
    ErrorsFast,
    /// The limit of memory of the server's control group was hit.
    MemoryLimit,
    /// The way to the server is full.
    LinkSaturated,
    /// The server used up its quota of CPU time and had to wait.
    CpuQuotaThrottled,
    /// What the server itself asks answers slowly.
    BackendSlow,
    /// Threads wait for one lock.
    LockContention,
    /// Virtual threads hold on to their carriers while they wait.
    VirtualThreadPinning,
    /// A default of the server lets only so many requests run at once.
    ConcurrencyLimitDefault,
    /// All worker threads are taken.
    ThreadPoolLimit,
    /// Every request pays for a TLS handshake.
    TlsHandshakePerRequest,
    /// Every request pays for a connection.
    KeepaliveNotEffective,
    /// The server closes a connection after so many requests.
    KeepaliveLimit,
    /// The garbage collector takes the time.
    GcPressure,
    /// The JVM is still compiling.
    JitWarmingUp,
    /// Requests wait until their line of the log is written.
    DiskLogging,
    /// The CPU is full of the server's own work.
    ServerCpuSaturated,
    /// Throughput has stopped growing, and nothing above explains it.
    LimitNotFound,
}

impl Cause {
    /// All of them.
    pub const ALL: [Self; 23] = [
        Self::GeneratorSaturated,
        Self::NoisyNeighbour,
        Self::EphemeralPortsExhausted,
        Self::FileDescriptorLimit,
        Self::ConnectionLimit,
        Self::AcceptQueueOverflow,
        Self::ErrorsFast,
        Self::MemoryLimit,
        Self::LinkSaturated,
        Self::CpuQuotaThrottled,
        Self::BackendSlow,
        Self::LockContention,
        Self::VirtualThreadPinning,
        Self::ConcurrencyLimitDefault,
        Self::ThreadPoolLimit,
        Self::TlsHandshakePerRequest,
        Self::KeepaliveNotEffective,
        Self::KeepaliveLimit,
        Self::GcPressure,
        Self::JitWarmingUp,
        Self::DiskLogging,
        Self::ServerCpuSaturated,
        Self::LimitNotFound,
    ];

    /// The name in files.
    pub const fn id(self) -> &'static str {
        match self {
            Self::GeneratorSaturated => "generator-saturated",
            Self::NoisyNeighbour => "noisy-neighbour",
            Self::EphemeralPortsExhausted => "ephemeral-ports-exhausted",
            Self::FileDescriptorLimit => "file-descriptor-limit",
            Self::ConnectionLimit => "connection-limit",
            Self::AcceptQueueOverflow => "accept-queue-overflow",
            Self::ErrorsFast => "errors-fast",
            Self::MemoryLimit => "memory-limit",
            Self::LinkSaturated => "link-saturated",
            Self::CpuQuotaThrottled => "cpu-quota-throttled",
            Self::BackendSlow => "backend-slow",
            Self::LockContention => "lock-contention",
            Self::VirtualThreadPinning => "virtual-thread-pinning",
            Self::ConcurrencyLimitDefault => "concurrency-limit-default",
            Self::ThreadPoolLimit => "thread-pool-limit",
            Self::TlsHandshakePerRequest => "tls-handshake-per-request",
            Self::KeepaliveNotEffective => "keepalive-not-effective",
            Self::KeepaliveLimit => "keepalive-limit",
            Self::GcPressure => "gc-pressure",
            Self::JitWarmingUp => "jit-warming-up",
            Self::DiskLogging => "disk-logging",
            Self::ServerCpuSaturated => "server-cpu-saturated",
            Self::LimitNotFound => "limit-not-found",
        }
    }

    /// The cause of that [`Cause::id`].
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|cause| cause.id() == id)
    }

    /// How early it is named where several are found. First a generator that cannot keep up, for it sees no more than itself;
    /// then what keeps users out, makes answers wrong, or makes requests wait while CPUs are idle: no neighbour does that.
    /// Then what makes each request dearer, a neighbour among it. The CPU comes last, because a closed loop fills it wherever
    /// nothing else limits.
    pub const fn tier(self) -> u8 {
        match self {
            Self::GeneratorSaturated => 0,
            Self::EphemeralPortsExhausted
            | Self::FileDescriptorLimit
            | Self::ConnectionLimit
            | Self::ErrorsFast
            | Self::MemoryLimit => 1,
            Self::LinkSaturated | Self::CpuQuotaThrottled => 2,
            Self::BackendSlow | Self::LockContention | Self::VirtualThreadPinning | Self::DiskLogging => 3,
            Self::AcceptQueueOverflow | Self::ConcurrencyLimitDefault | Self::ThreadPoolLimit => 4,
            Self::NoisyNeighbour | Self::TlsHandshakePerRequest | Self::GcPressure | Self::JitWarmingUp => 5,
            Self::KeepaliveNotEffective | Self::KeepaliveLimit => 6,
            Self::ServerCpuSaturated => 7,
            Self::LimitNotFound => Self::LAST,
        }
    }

    /// Of what is no more than the effect of another cause.
    pub const LAST: u8 = 8;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cause_is_found_by_its_id() {
        for cause in Cause::ALL {
            assert_eq!(Cause::from_id(cause.id()), Some(cause));
        }
        assert_eq!(Cause::from_id("other"), None);
    }
}
