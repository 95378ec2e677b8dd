//! Answers that stream: what a slice counted of their events ([`EventRecord`]), and what a report says of them ([`EventResult`]).

use crate::estimate::Estimate;
use crate::histogram::SparseHistogram;
use model::units::Seconds;
use serde::{Deserialize, Serialize};

/// What was counted in one slice of load of answers that stream. Times are in nanoseconds, each with how often it was, ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventRecord {
    /// Events that arrived.
    pub events: u64,
    /// Answers that went on, and whose rest was not read.
    #[serde(default)]
    pub left: u64,
    /// From when a request was sent until the first event of its answer arrived.
    pub first: Vec<(u64, u64)>,
    /// Between two events of an answer.
    pub gaps: Vec<(u64, u64)>,
}

impl EventRecord {
    /// Whether nothing was counted.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Adds what another slice counted.
    pub fn add(&mut self, other: &Self) {
        self.events += other.events;
        self.left += other.left;
        for (mine, theirs) in [(&mut self.first, &other.first), (&mut self.gaps, &other.gaps)] {
            let mut sum: SparseHistogram = std::mem::take(mine).into_iter().collect();
            sum.add(&theirs.iter().copied().collect());
            *mine = sum.cells().to_vec();
        }
    }
}

/// The events of the answers of an arm at a load.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EventResult {
    /// Events that arrived in the counted windows.
    pub events: u64,
    /// Answers that went on, and whose rest was not read.
    #[serde(default)]
    pub left: u64,
    /// Events per second.
    pub per_second: Option<Estimate>,
    /// From when a request was sent until the first event of its answer arrived; `None` where none did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<EventTimes>,
    /// Between two events of an answer; `None` where no answer had two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gap: Option<EventTimes>,
}

/// Times of events, in seconds: over starts means with their intervals, and without these where there is one start.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct EventTimes {
    pub p50: Estimate,
    pub p99: Estimate,
    /// The longest of all.
    pub max: Seconds,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_add_up() {
        let mut sum = EventRecord { events: 3, left: 1, first: vec![(5, 1)], gaps: vec![(7, 1), (9, 1)] };
        sum.add(&EventRecord { events: 4, left: 0, first: vec![(4, 1)], gaps: vec![(9, 2), (11, 1)] });
        let expected = EventRecord {
            events: 7,
            left: 1,
            first: vec![(4, 1), (5, 1)],
            gaps: vec![(7, 1), (9, 3), (11, 1)],
        };
        assert_eq!(sum, expected);
        assert!(EventRecord::default().is_empty() && !sum.is_empty());
    }
}
