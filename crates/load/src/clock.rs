//! The monotonic clock, and [`ClockOffset`], which converts the kernel's wall-clock timestamps to it.

use model::units::Nanos;
use rustix::time::{ClockId, Timespec, clock_gettime};

/// How long one comparison of the two clocks is used. The wall clock is slewed by at most 500 ppm, which is half a
/// microsecond in this time.
const VALID: Nanos = Nanos::from_millis(1);
/// When the offset changes by more nanoseconds than this between two comparisons, the wall clock was not slewed but set.
const STEP: i64 = 1_000_000;

/// The present time of the monotonic clock.
pub fn now() -> Nanos {
    nanos(clock_gettime(ClockId::Monotonic))
}

/// The CPU time that the calling thread has used.
pub(crate) fn thread_cpu_time() -> Nanos {
    nanos(clock_gettime(ClockId::ThreadCPUTime))
}

/// The offset between wall clock and monotonic clock, measured again from time to time.
#[derive(Debug)]
pub(crate) struct ClockOffset {
    /// Wall clock minus monotonic clock, nanoseconds.
    offset: i64,
    /// When the clocks were compared last.
    compared: Nanos,
    /// How often the wall clock was set.
    steps: u64,
}

impl ClockOffset {
    /// Compares the clocks for the first time.
    pub(crate) fn measure() -> Self {
        let (offset, compared) = compare();
        Self { offset, compared, steps: 0 }
    }

    /// Compares the clocks again if the last comparison is too old. The event loop calls this once per turn.
    pub(crate) fn refresh(&mut self, now: Nanos) {
        if now.since(self.compared) < VALID {
            return;
        }
        let (offset, compared) = compare();
        self.steps += u64::from((offset - self.offset).abs() > STEP);
        (self.offset, self.compared) = (offset, compared);
    }

    /// Converts the kernel timestamp `wall` of a response to the monotonic clock. When the wall clock has just been set, the
    /// result would lie outside `sent..=seen`, where no response can arrive; it is then moved to the nearer end.
    pub(crate) fn arrival(&self, wall: Nanos, sent: Nanos, seen: Nanos) -> Nanos {
        let monotonic = Nanos(wall.0.saturating_add_signed(-self.offset));
        monotonic.max(sent).min(seen)
    }

    /// How often the wall clock was set since [`ClockOffset::measure`].
    pub(crate) const fn steps(&self) -> u64 {
        self.steps
    }
}

/// The wall clock minus the monotonic clock, and when this was measured.
///
/// The wall clock is read between two readings of the monotonic clock. The thread may be interrupted in between, so the
/// comparison with the shortest interval of up to three is used; the first one is enough when it is short.
fn compare() -> (i64, Nanos) {
    let once = || {
        let before = now();
        let wall = nanos(clock_gettime(ClockId::Realtime));
        let after = now();
        let width = after.since(before);
        let middle = Nanos(before.0 + width.0 / 2);
        (width, wall.0.cast_signed() - middle.0.cast_signed(), after)
    };
    let mut best = once();
    for _ in 0..2 {
        if best.0 < Nanos(500) {
            break;
        }
        best = std::cmp::min(best, once());
    }
    (best.1, best.2)
}

/// A time of the system in nanoseconds.
fn nanos(time: Timespec) -> Nanos {
    Nanos(time.tv_sec.cast_unsigned() * 1_000_000_000 + time.tv_nsec.cast_unsigned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arrival_lies_between_sent_and_seen() {
        let clock = ClockOffset { offset: 1_000, compared: Nanos(0), steps: 0 };
        let arrival = |wall| clock.arrival(Nanos(wall), Nanos(10), Nanos(20));
        assert_eq!(arrival(1_015), Nanos(15));
        assert_eq!(arrival(3), Nanos(10));
        assert_eq!(arrival(9_999), Nanos(20));
    }

    #[test]
    fn setting_the_wall_clock_is_counted_as_a_step() {
        let mut clock = ClockOffset::measure();
        clock.refresh(now());
        assert_eq!(clock.steps(), 0);
        clock.offset += 10_000_000_000;
        clock.compared = Nanos(0);
        clock.refresh(now());
        assert_eq!(clock.steps(), 1);
    }
}
