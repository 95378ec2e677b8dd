//! [`Counted`]: arithmetic on counters that only grow. The difference of two readings is what happened between them.

use crate::telemetry::{CpuTimes, InterfaceTotals, IoTotals, JvmTotals, LimitTotals, TcpTotals};
use model::units::Nanos;

/// Totals of several counters. A field that is a level, not a counter, keeps the value of the later reading.
pub trait Counted: Copy {
    /// Returns what happened since `earlier`.
    #[must_use]
    fn since(self, earlier: Self) -> Self {
        self.with(earlier, u64::saturating_sub)
    }

    /// Returns the sum of what happened in this period and in `later`.
    #[must_use]
    fn and(self, later: Self) -> Self {
        later.with(self, u64::saturating_add)
    }

    /// Combines each counter with the same counter of `other`.
    #[must_use]
    fn with(self, other: Self, combine: fn(u64, u64) -> u64) -> Self;
}

impl Counted for TcpTotals {
    fn with(self, other: Self, combine: fn(u64, u64) -> u64) -> Self {
        Self {
            listen_overflows: combine(self.listen_overflows, other.listen_overflows),
            listen_drops: combine(self.listen_drops, other.listen_drops),
            request_queue_full: combine(self.request_queue_full, other.request_queue_full),
            syn_retransmits: combine(self.syn_retransmits, other.syn_retransmits),
            retransmits: combine(self.retransmits, other.retransmits),
            sent: combine(self.sent, other.sent),
            attempts_failed: combine(self.attempts_failed, other.attempts_failed),
            accepted: combine(self.accepted, other.accepted),
        }
    }
}

impl Counted for InterfaceTotals {
    fn with(self, other: Self, combine: fn(u64, u64) -> u64) -> Self {
        Self {
            received: combine(self.received, other.received),
            sent: combine(self.sent, other.sent),
            dropped: combine(self.dropped, other.dropped),
        }
    }
}

impl Counted for CpuTimes {
    fn with(self, other: Self, combine: fn(u64, u64) -> u64) -> Self {
        Self {
            user: Nanos(combine(self.user.0, other.user.0)),
            kernel: Nanos(combine(self.kernel.0, other.kernel.0)),
        }
    }
}

impl Counted for IoTotals {
    fn with(self, other: Self, combine: fn(u64, u64) -> u64) -> Self {
        Self { read: combine(self.read, other.read), written: combine(self.written, other.written) }
    }
}

/// Heap, classes and threads are levels, not counters.
impl Counted for JvmTotals {
    fn with(self, other: Self, combine: fn(u64, u64) -> u64) -> Self {
        let count = |one: Option<u64>, other: Option<u64>| Some(combine(one?, other?));
        let time = |one: Option<Nanos>, other: Option<Nanos>| Some(Nanos(combine(one?.0, other?.0)));
        Self {
            gc_count: combine(self.gc_count, other.gc_count),
            gc_time: Nanos(combine(self.gc_time.0, other.gc_time.0)),
            jit_time: time(self.jit_time, other.jit_time),
            safepoints: count(self.safepoints, other.safepoints),
            safepoint_time: time(self.safepoint_time, other.safepoint_time),
            ..self
        }
    }
}

impl Counted for LimitTotals {
    fn with(self, other: Self, combine: fn(u64, u64) -> u64) -> Self {
        Self {
            periods: combine(self.periods, other.periods),
            throttled_periods: combine(self.throttled_periods, other.throttled_periods),
            throttled: Nanos(combine(self.throttled.0, other.throttled.0)),
            memory_hits: combine(self.memory_hits, other.memory_hits),
            oom_kills: combine(self.oom_kills, other.oom_kills),
        }
    }
}
