//! [`Clock`]: the monotonic clock, and the kernel's wall-clock timestamps moved onto it.

use model::units::Nanos;
use rustix::time::{ClockId, Timespec, clock_gettime};

/// How long one comparison of the two clocks is trusted. Slewing is at most 500 ppm: half a microsecond in this time.
const VALID: Nanos = Nanos::from_millis(1);
/// A change of the difference beyond this is no slewing: somebody set the wall clock.
const STEP: i64 = 1_000_000;

/// Reads the monotonic clock, and knows how far the wall clock is from it.
#[derive(Debug)]
pub(crate) struct Clock {
    /// Wall clock minus monotonic clock.
    offset: i64,
    compared: Nanos,
    steps: u64,
}

impl Clock {
    pub(crate) fn new() -> Self {
        let (offset, compared) = compare();
        Self {
            offset,
            compared,
            steps: 0,
        }
    }

    pub(crate) fn now() -> Nanos {
        nanos(clock_gettime(ClockId::Monotonic))
    }

    /// CPU time of the calling thread.
    pub(crate) fn thread_cpu() -> Nanos {
        nanos(clock_gettime(ClockId::ThreadCPUTime))
    }

    /// Compares the clocks again when the last time was too long ago; once a turn of the loop.
    pub(crate) fn refresh(&mut self, now: Nanos) {
        if now.since(self.compared) < VALID {
            return;
        }
        let (offset, compared) = compare();
        self.steps += u64::from((offset - self.offset).abs() > STEP);
        (self.offset, self.compared) = (offset, compared);
    }

    /// A kernel timestamp on the monotonic clock. After a step of the wall clock it may lie outside `sent..=seen`, where
    /// no answer can arrive; such a one becomes the nearer end.
    pub(crate) fn arrived(&self, wall: Nanos, sent: Nanos, seen: Nanos) -> Nanos {
        let monotonic = Nanos(wall.0.saturating_add_signed(-self.offset));
        monotonic.max(sent).min(seen)
    }

    /// How often the wall clock was set while we watched.
    pub(crate) const fn steps(&self) -> u64 {
        self.steps
    }
}

/// Reads the wall clock between two readings of the monotonic one. We may be interrupted in between, so the tightest of
/// three is taken; one is enough when nothing came between.
fn compare() -> (i64, Nanos) {
    let once = || {
        let before = Clock::now();
        let wall = nanos(clock_gettime(ClockId::Realtime));
        let after = Clock::now();
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

fn nanos(time: Timespec) -> Nanos {
    Nanos(time.tv_sec.cast_unsigned() * 1_000_000_000 + time.tv_nsec.cast_unsigned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arrival_stays_between_sent_and_seen() {
        let clock = Clock {
            offset: 1_000,
            compared: Nanos(0),
            steps: 0,
        };
        let arrived = |wall| clock.arrived(Nanos(wall), Nanos(10), Nanos(20));
        assert_eq!(arrived(1_015), Nanos(15));
        assert_eq!(arrived(3), Nanos(10));
        assert_eq!(arrived(9_999), Nanos(20));
    }

    #[test]
    fn a_set_clock_is_noticed() {
        let mut clock = Clock::new();
        clock.refresh(Clock::now());
        assert_eq!(clock.steps(), 0);
        clock.offset += 10_000_000_000;
        clock.compared = Nanos(0);
        clock.refresh(Clock::now());
        assert_eq!(clock.steps(), 1);
    }
}
