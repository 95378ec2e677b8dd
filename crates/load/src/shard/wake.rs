//! [`WakeLead`]: how much earlier than a request is due the event loop has to ask to be woken, so that it is awake in time.

use model::units::Nanos;

/// The lead changes at least by this much with every wake-up.
const STEP: Nanos = Nanos(200);
/// The share of itself by which a long lead changes.
const STEP_SHARE: u64 = 32;
/// The longest lead before a short wait. The loop polls for what is left of the lead after waking, which takes CPU time from others on
/// its CPU.
const LONGEST: Nanos = Nanos(50_000);
/// The share of a long wait that the lead may take: a machine with little to do wakes late, and has CPU time to spare.
const SHARE_OF_WAIT: u64 = 50;
/// The longest lead of all.
const LONGEST_OF_ALL: Nanos = Nanos(500_000);

/// The median of how late the system wakes the loop when a wait times out: some microseconds, and tens of them on a virtual
/// machine, where a large part of the response time of a quick service would otherwise be the generator's. The loop asks to be
/// woken earlier by this much, and then polls until the request is due; so it never sends too early.
///
/// It is tracked by steps of equal size, up or down with every wake-up, whose fixed point is the median (stochastic approximation,
/// Robbins, Monro 1951). So a wake-up that was late by milliseconds, because the CPU was taken, moves it no further than any other.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WakeLead(Nanos);

impl WakeLead {
    /// How long to wait at `now` for a request that is due at `due`; 0 when there is less time than the lead.
    pub(super) fn wait(self, now: Nanos, due: Nanos) -> Nanos {
        let wait = due.since(now);
        let longest = LONGEST.max(Nanos(wait.0 / SHARE_OF_WAIT));
        wait.since(self.0.min(longest))
    }

    /// Learns that a wait of this length timed out and took `took`. A wait of length 0 is a poll and tells nothing.
    pub(super) fn learn(&mut self, asked: Nanos, took: Nanos) {
        if asked == Nanos(0) {
            return;
        }
        let late = took.since(asked);
        let step = STEP.max(Nanos(self.0.0 / STEP_SHARE));
        self.0 = if late > self.0 { (self.0 + step).min(LONGEST_OF_ALL) } else { self.0.since(step) };
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
        assert!((115..=125).contains(&learnt(|_| 120)));
        assert_eq!(learnt(|_| 9000), 500);
        assert_eq!(learnt(|_| 0), 0);
    }

    #[test]
    fn a_lead_of_a_tenth_of_a_millisecond_is_learnt_within_two_hundred_waits() {
        let mut lead = WakeLead::default();
        (0..200).for_each(|_| lead.learn(Nanos(1), Nanos(120_000)));
        assert!((110_000..130_000).contains(&lead.0.0), "{lead:?}");
    }

    #[test]
    fn only_a_long_wait_is_shortened_by_a_long_lead() {
        let mut lead = WakeLead::default();
        (0..1000).for_each(|_| lead.learn(Nanos(1), Nanos(120_000)));
        let shortened = |wait: Nanos| wait.since(lead.wait(Nanos(0), wait)).0 / 1000;
        assert_eq!(shortened(Nanos::from_millis(1)), 50);
        assert_eq!(shortened(Nanos::from_millis(4)), 80);
        assert!((115..=125).contains(&shortened(Nanos::from_millis(40))));
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
