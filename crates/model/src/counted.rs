//! [`Counted`]: arithmetic of counters that only grow. Two readings of one tell what happened between them.

use crate::telemetry::{CpuTimes, InterfaceTotals, IoTotals, JvmTotals, LimitTotals, TcpTotals};
use crate::units::Nanos;

/// Totals of several counters. What is a level and no counter stays as it is in the later one.
pub trait Counted: Copy {
    /// What happened since `earlier`.
    #[must_use]
    fn since(self, earlier: Self) -> Self {
        self.with(earlier, u64::saturating_sub)
    }

    /// What happened in this and then in `later`.
    #[must_use]
    fn and(self, later: Self) -> Self {
        later.with(self, u64::saturating_add)
    }

    /// `of` for each counter of this one and `other`.
    #[must_use]
    fn with(self, other: Self, of: fn(u64, u64) -> u64) -> Self;
}

impl Counted for TcpTotals {
    fn with(self, other: Self, of: fn(u64, u64) -> u64) -> Self {
        Self {
            listen_overflows: of(self.listen_overflows, other.listen_overflows),
            listen_drops: of(self.listen_drops, other.listen_drops),
            request_queue_full: of(self.request_queue_full, other.request_queue_full),
            syn_retransmits: of(self.syn_retransmits, other.syn_retransmits),
            retransmits: of(self.retransmits, other.retransmits),
            sent: of(self.sent, other.sent),
            attempts_failed: of(self.attempts_failed, other.attempts_failed),
            accepted: of(self.accepted, other.accepted),
        }
    }
}

impl Counted for InterfaceTotals {
    fn with(self, other: Self, of: fn(u64, u64) -> u64) -> Self {
        Self {
            received: of(self.received, other.received),
            sent: of(self.sent, other.sent),
            dropped: of(self.dropped, other.dropped),
        }
    }
}

impl Counted for CpuTimes {
    fn with(self, other: Self, of: fn(u64, u64) -> u64) -> Self {
        Self {
            user: Nanos(of(self.user.0, other.user.0)),
            kernel: Nanos(of(self.kernel.0, other.kernel.0)),
        }
    }
}

impl Counted for IoTotals {
    fn with(self, other: Self, of: fn(u64, u64) -> u64) -> Self {
        Self {
            read: of(self.read, other.read),
            written: of(self.written, other.written),
        }
    }
}

/// Heap, classes and threads are levels.
impl Counted for JvmTotals {
    fn with(self, other: Self, of: fn(u64, u64) -> u64) -> Self {
        let count = |one: Option<u64>, other: Option<u64>| Some(of(one?, other?));
        let time = |one: Option<Nanos>, other: Option<Nanos>| Some(Nanos(of(one?.0, other?.0)));
        Self {
            gc_count: of(self.gc_count, other.gc_count),
            gc_time: Nanos(of(self.gc_time.0, other.gc_time.0)),
            jit_time: time(self.jit_time, other.jit_time),
            safepoints: count(self.safepoints, other.safepoints),
            safepoint_time: time(self.safepoint_time, other.safepoint_time),
            ..self
        }
    }
}

impl Counted for LimitTotals {
    fn with(self, other: Self, of: fn(u64, u64) -> u64) -> Self {
        Self {
            periods: of(self.periods, other.periods),
            throttled_periods: of(self.throttled_periods, other.throttled_periods),
            throttled: Nanos(of(self.throttled.0, other.throttled.0)),
            memory_hits: of(self.memory_hits, other.memory_hits),
            oom_kills: of(self.oom_kills, other.oom_kills),
        }
    }
}
