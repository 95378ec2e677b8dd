//! [`Finding`]: the cause that limits a load, with the numbers that show it and its words. A run stores these values.
//!
//! A cause is one row of the table below: its id, where it is named among others, and the type that holds its numbers. From the row
//! follow [`Cause`], [`Finding`] and their form in files.

mod client;
mod connections;
mod cpu;
mod memory;
mod network;
mod place;
mod pools;
mod quantity;
mod queue;
mod remedy;
mod sizing;
mod threads;
mod unknown;
mod waits;

pub use client::{DescriptorsExhausted, FastErrors, Lacking, LateGenerator, PortsExhausted, Starved};
pub use connections::{ClosedBy, ConnectionsFull, ConnectionsNotKept, RequestsPerConnection};
pub use cpu::{Compiling, CpuFull, CpuShares, Neighbour, QuotaUsed};
pub use memory::{Collections, HeapFull, MemoryShort, Stalls};
pub use network::Handshakes;
pub use place::{DearFrame, Doing, RequestPlace};
pub use pools::{Bounded, Lent, PoolUsedUp, RateLimit};
pub use quantity::{Quantity, Unit};
pub use queue::QueueOverflow;
pub use remedy::{Remedy, ServerSetting, SettingName};
pub use sizing::{SizeBound, Sizing};
pub use threads::{Ceiling, PoolFull, Slots, TasksFull};
pub use unknown::{NotFound, RuledOut, Shown};
pub use waits::{BackendWait, DiskWait, LockWait, Pinning, SyncWait};

use crate::reason::FullLink;
use say::Say;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Where a cause is named among several that are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// First: the figures are about something else than the server, or about wrong answers.
    Voids,
    /// By how much it explains; what explains little is not named at all.
    Explains,
    /// Last: the cause is expected, may be no more than an effect of another one, or is not known.
    Last,
}

/// One row for each cause, in the order of docs/diagnoses.md.
macro_rules! causes {
    ($($(#[$doc:meta])* $cause:ident($numbers:ident) = $id:literal, $rank:ident;)+) => {
        /// What limits a load.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum Cause {
            $($(#[$doc])* #[serde(rename = $id)] $cause,)+
        }

        impl Cause {
            /// All variants.
            pub const ALL: &'static [Self] = &[$(Self::$cause),+];

            /// The name in files. Reports and scripts rely on it: it is never changed.
            pub const fn id(self) -> &'static str {
                match self {
                    $(Self::$cause => $id,)+
                }
            }

            /// Where it is usually named among several that are found.
            pub const fn rank(self) -> Rank {
                match self {
                    $(Self::$cause => Rank::$rank,)+
                }
            }
        }

        /// A cause that limits a load, with the numbers that its sentence needs.
        #[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
        #[serde(tag = "cause", content = "values")]
        pub enum Finding {
            $($(#[$doc])* #[serde(rename = $id)] #[say(transparent)] $cause($numbers),)+
            /// A cause that an earlier prony stored.
            #[serde(rename = "legacy")]
            #[say(transparent)]
            Legacy(Legacy),
        }

        impl Finding {
            /// The cause that was found.
            pub const fn cause(&self) -> Cause {
                match self {
                    $(Self::$cause(_) => Cause::$cause,)+
                    Self::Legacy(legacy) => legacy.cause,
                }
            }

            /// The examples of all causes.
            #[cfg(test)]
            fn examples() -> Vec<Self> {
                let mut all = Vec::new();
                $(all.extend(<$numbers as Examples>::examples().into_iter().map(Self::$cause));)+
                all
            }
        }
    };
}

causes! {
    /// The generator could not keep up: its own figures are no longer about the server.
    GeneratorSaturated(LateGenerator) = "generator-saturated", Voids;
    /// Somebody else took the CPU: another guest of the hypervisor, or another program here.
    NoisyNeighbour(Neighbour) = "noisy-neighbour", Explains;
    /// The generator has no local port left for another connection.
    EphemeralPortsExhausted(PortsExhausted) = "ephemeral-ports-exhausted", Voids;
    /// No descriptor is left for another connection, of the server or of the generator.
    FileDescriptorLimit(DescriptorsExhausted) = "file-descriptor-limit", Explains;
    /// The server holds no more connections; the other users wait outside.
    ConnectionLimit(ConnectionsFull) = "connection-limit", Explains;
    /// The queue of connections that wait to be accepted was full: connects take a second or more.
    AcceptQueueOverflow(QueueOverflow) = "accept-queue-overflow", Explains;
    /// Errors are answered faster than work is done, so that failing looks fast.
    ErrorsFast(FastErrors) = "errors-fast", Voids;
    /// The limit of memory of the server's control group was hit.
    MemoryLimit(MemoryShort) = "memory-limit", Explains;
    /// The link to the server is full.
    LinkSaturated(FullLink) = "link-saturated", Explains;
    /// The server used up its quota of CPU time and had to wait.
    CpuQuotaThrottled(QuotaUsed) = "cpu-quota-throttled", Explains;
    /// A service that the server asks answers slowly.
    BackendSlow(BackendWait) = "backend-slow", Explains;
    /// Threads wait for one lock.
    LockContention(LockWait) = "lock-contention", Explains;
    /// Requests wait for a connection, a permit or a thread; the application has a limited number of them.
    ApplicationPoolLimit(PoolUsedUp) = "application-pool-limit", Explains;
    /// The application itself lets only so many requests through in a second.
    RateLimited(RateLimit) = "rate-limited", Explains;
    /// Virtual threads hold on to their carriers while they wait.
    VirtualThreadPinning(Pinning) = "virtual-thread-pinning", Explains;
    /// A default of the server lets only so many requests run at once.
    ConcurrencyLimitDefault(TasksFull) = "concurrency-limit-default", Explains;
    /// All worker threads are taken.
    ThreadPoolLimit(PoolFull) = "thread-pool-limit", Explains;
    /// Every request pays for a TLS handshake.
    TlsHandshakePerRequest(Handshakes) = "tls-handshake-per-request", Explains;
    /// Every request pays for a connection.
    KeepaliveNotEffective(ConnectionsNotKept) = "keepalive-not-effective", Explains;
    /// The server closes a connection after so many requests.
    KeepaliveLimit(RequestsPerConnection) = "keepalive-limit", Explains;
    /// The garbage collector takes the time.
    GcPressure(Collections) = "gc-pressure", Explains;
    /// Threads wait until the collector has freed memory.
    AllocationStall(Stalls) = "allocation-stall", Explains;
    /// The heap is nearly full of what is in use, so that the collector works all the time.
    HeapNearlyFull(HeapFull) = "heap-nearly-full", Explains;
    /// The JVM is still compiling.
    JitWarmingUp(Compiling) = "jit-warming-up", Explains;
    /// Requests wait until their line of the log is written.
    DiskLogging(DiskWait) = "disk-logging", Explains;
    /// Requests wait until what they wrote is on the disk.
    DiskSync(SyncWait) = "disk-sync", Explains;
    /// The CPU is full of the server's own work.
    ServerCpuSaturated(CpuFull) = "server-cpu-saturated", Explains;
    /// Throughput has stopped growing, and nothing above explains it.
    LimitNotFound(NotFound) = "limit-not-found", Last;
}

impl Cause {
    /// The cause of that [`Cause::id`].
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|cause| cause.id() == id)
    }
}

impl fmt::Display for Cause {
    /// Its id.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

/// A cause as an earlier prony stored it: with a sentence instead of numbers.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(en = "{says}", zh = "{says}")]
pub struct Legacy {
    pub cause: Cause,
    /// The sentence, in English.
    pub says: String,
}

/// Made-up values of a type, one for each form of its sentence. A cause does not compile in tests until its type has them.
#[cfg(test)]
trait Examples: Sized {
    fn examples() -> Vec<Self>;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::assertions::assert_said_apart;
    use say::{Language, text};

    #[test]
    fn every_cause_is_found_by_its_id_and_stored_by_it() {
        for cause in Cause::ALL {
            assert_eq!(Cause::from_id(cause.id()), Some(*cause));
            let stored = serde_json::to_value(cause).expect("JSON");
            assert_eq!(stored, cause.id());
        }
        assert_eq!(Cause::from_id("other"), None);
    }

    #[test]
    fn a_finding_is_stored_with_its_cause_and_its_numbers() {
        let finding = Finding::JitWarmingUp(Compiling { share: 0.5 });
        let stored = serde_json::to_value(&finding).expect("JSON");
        let expected = serde_json::json!({"cause": "jit-warming-up", "values": {"share": 0.5}});
        assert_eq!(stored, expected);
        assert_eq!(serde_json::from_value::<Finding>(stored).expect("a finding"), finding);
        let old = Finding::Legacy(Legacy {
            cause: Cause::GcPressure,
            says: "the collector stops the server".to_owned(),
        });
        assert_eq!(old.cause(), Cause::GcPressure);
        assert_eq!(text(&old, Language::Zh), "the collector stops the server");
        let stored = serde_json::to_string(&old).expect("JSON");
        assert_eq!(serde_json::from_str::<Finding>(&stored).expect("a finding"), old);
    }

    #[test]
    fn every_finding_is_said_in_both_languages_with_its_numbers() {
        let examples = Finding::examples();
        for cause in Cause::ALL {
            assert!(examples.iter().any(|finding| finding.cause() == *cause), "{cause}");
        }
        assert_said_apart(&examples);
    }

    #[test]
    fn every_finding_is_stored_and_read_again() {
        for example in Finding::examples() {
            let stored = serde_json::to_string(&example).expect("JSON");
            assert_eq!(serde_json::from_str::<Finding>(&stored).expect("a finding"), example);
            assert!(stored.starts_with(&format!("{{\"cause\":\"{}\"", example.cause())), "{stored}");
        }
    }

    #[test]
    fn chinese_has_a_space_between_ideographs_and_what_fills_a_gap() {
        let tasks = Finding::ThreadPoolLimit(PoolFull::examples().swap_remove(1));
        assert_eq!(
            text(&tasks, Language::Zh),
            "上限 1950/s = 同时 200 个请求（虚拟线程） / 103 ms：500 个在途请求中有 300 个在排队，而 CPU 使用率为 12 %"
        );
    }

    #[test]
    fn the_documentation_has_a_row_for_each_cause() {
        let page = include_str!("../../../docs/diagnoses.md");
        for cause in Cause::ALL {
            assert!(page.contains(&format!("\n| `{}` | ", cause.id())), "{}", cause.id());
        }
    }
}
