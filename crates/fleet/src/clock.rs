//! [`Offset`]: how far the clock of another machine is from ours, and how wrong that may be.

use serde::{Deserialize, Serialize};

/// The four times of one question and its answer, in nanoseconds of the wall clock of the machine that read them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockReading {
    /// We asked, by our clock.
    pub asked: i64,
    /// The other machine got the question, by its clock.
    pub received: i64,
    /// The other machine answered, by its clock.
    pub answered: i64,
    /// We got the answer, by our clock.
    pub seen: i64,
}

/// The clock of another machine compared with ours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offset {
    /// Its clock minus ours, nanoseconds.
    pub nanos: i64,
    /// The most by which this can be wrong, nanoseconds: half of the time that question and answer were on their way.
    pub bound: i64,
}

impl ClockReading {
    /// Returns the offset by RFC 5905 section 8; its bound is half of the round trip.
    const fn offset(self) -> Offset {
        let there = self.received.saturating_sub(self.asked);
        let back = self.answered.saturating_sub(self.seen);
        let away = self.seen.saturating_sub(self.asked);
        let round_trip = away.saturating_sub(self.answered.saturating_sub(self.received));
        Offset {
            nanos: there.saturating_add(back) / 2,
            bound: if round_trip > 0 { round_trip / 2 + 1 } else { 1 },
        }
    }
}

impl Offset {
    /// Returns the offset by the reading with the shortest round trip, which has the smallest bound; `None` without readings.
    pub fn best(readings: &[ClockReading]) -> Option<Self> {
        let offsets = readings.iter().map(|reading| reading.offset());
        offsets.min_by_key(|offset| offset.bound)
    }

    /// What the other clock shows when ours shows `here`.
    pub(crate) const fn there(self, here: i64) -> i64 {
        here.saturating_add(self.nanos)
    }

    /// What our clock shows when the other one shows `there`.
    pub(crate) const fn here(self, there: i64) -> i64 {
        there.saturating_sub(self.nanos)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_true_offset_lies_within_the_bound(
            offset in -5_000_000_000_i64..5_000_000_000,
            ways in proptest::collection::vec((0_i64..50_000_000, 0_i64..1_000_000, 0_i64..50_000_000), 1..9),
        ) {
            let readings: Vec<ClockReading> = ways.iter().map(|&(there, works, back)| ClockReading {
                asked: 1_000,
                received: 1_000 + there + offset,
                answered: 1_000 + there + works + offset,
                seen: 1_000 + there + works + back,
            }).collect();
            let best = Offset::best(&readings).unwrap();
            prop_assert!((best.nanos - offset).abs() <= best.bound, "{best:?}");
            // An instant of ours is the other machine's after it was translated, and ours again when it comes back.
            prop_assert!((best.there(1_000) - (1_000 + offset)).abs() <= best.bound);
            prop_assert_eq!(best.here(best.there(1_000)), 1_000);
            let shortest = ways.iter().map(|&(there, _, back)| there + back).min().unwrap();
            prop_assert_eq!(best.bound, shortest / 2 + 1);
        }
    }

    #[test]
    fn there_is_no_offset_without_a_reading() {
        assert_eq!(Offset::best(&[]), None);
    }
}
