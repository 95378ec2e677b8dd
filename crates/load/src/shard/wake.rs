//! [`WakeLead`]: how much earlier than a request is due the event loop has to ask to be woken, so that it is awake in time.

use model::units::Nanos;

/// The lead changes by this much with every wake-up.
const STEP: Nanos = Nanos(200);
/// The longest lead. The loop polls for what is left of it after waking, which takes CPU time from others on its CPU.
const LONGEST: Nanos = Nanos(50_000);

/// The median of how late the system wakes the loop when a wait times out: some microseconds, and tens of them on a virtual
/// machine, where a large part of the response time of a quick service would otherwise be the generator's. The loop asks to be
/// woken earlier by this much, and then polls until the request is due; so it never sends too early.
///
/// It is tracked by equal steps, up or down with every wake-up, whose fixed point is the median (stochastic approximation,
/// Robbins, Monro 1951). So a wake-up that was late by milliseconds, because the CPU was taken, moves it no further than any other.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WakeLead(Nanos);

impl WakeLead {
    /// How long to wait at `now` for a request that is due at `due`; 0 when there is less time than the lead.
    pub(super) fn wait(self, now: Nanos, due: Nanos) -> Nanos {
        due.since(now + self.0)
    }

    /// Learns that a wait of this length timed out and took `took`. A wait of length 0 is a poll and tells nothing.
    pub(super) fn learn(&mut self, asked: Nanos, took: Nanos) {
        if asked == Nanos(0) {
            return;
        }
        let late = took.since(asked);
        self.0 = if late > self.0 { (self.0 + STEP).min(LONGEST) } else { self.0.since(STEP) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lead after many waits of a millisecond that are late by what the function says, in microseconds.
    fn learnt(late: impl Fn(u64) -> u64) -> u64 {
        let mut lead = WakeLead::default();
        for wait in 0..2000 {
            let asked = Nanos::from_millis(1);
            lead.learn(asked, asked + Nanos(1000 * late(wait)));
        }
        lead.0.0 / 1000
    }

    #[test]
    fn the_lead_is_the_median_of_the_delays_and_bounded() {
        assert!((19..=20).contains(&learnt(|_| 20)));
        assert!((9..=13).contains(&learnt(|wait| if wait % 5 < 3 { 10 } else { 9000 })));
        assert_eq!(learnt(|_| 9000), 50);
        assert_eq!(learnt(|_| 0), 0);
    }

    #[test]
    fn the_wait_ends_before_the_request_is_due_and_never_below_0() {
        let mut lead = WakeLead::default();
        assert_eq!(lead.wait(Nanos(100), Nanos(900)), Nanos(800));
        (0..10).for_each(|_| lead.learn(Nanos(1), Nanos(100_000)));
        assert_eq!(lead.wait(Nanos(0), Nanos(9_000)), Nanos(7_000));
        assert_eq!(lead.wait(Nanos(8_000), Nanos(9_000)), Nanos(0));
        (0..99).for_each(|_| lead.learn(Nanos(0), Nanos(100_000)));
        assert_eq!(lead.wait(Nanos(0), Nanos(9_000)), Nanos(7_000));
    }
}
