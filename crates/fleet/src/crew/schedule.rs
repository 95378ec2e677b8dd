//! [`Schedule`]: the slices that were announced, each with its instant and its numbers.

use crate::instant::wall;
use load::Window;
use model::units::Nanos;
use std::collections::{BTreeMap, VecDeque};

/// The shortest gap between two slices: the results of one have to come and to be stored in it.
const SHORTEST_GAP: Nanos = Nanos::from_millis(50);
/// The longest gap. Where answers take longer, slices are sent one by one.
const LONGEST_GAP: Nanos = Nanos::from_secs(30);
/// How much longer than the last slice's results were on their way a gap is.
const GAP: f64 = 1.5;
/// How often the lead of slices doubles at most.
const MOST_DOUBLINGS: u32 = 5;
/// Which part of a long gap is kept when results come sooner again.
const KEPT: f64 = 0.7;

/// A slice that was announced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Slot {
    pub(super) start: Nanos,
    pub(super) window: Window,
    /// The number of the slice on each session that has not taken it yet.
    pub(super) numbers: BTreeMap<u64, u64>,
}

/// The slices that were announced and are not taken yet, in order.
#[derive(Debug, Default)]
pub(super) struct Schedule {
    slots: VecDeque<Slot>,
    /// How long after the end of their windows results come, seconds.
    turnaround: f64,
    /// How often agents were told too late of a slice.
    missed: u32,
    /// The start for which the wall clock was read last, and what it will show then.
    read: Option<(Nanos, i64)>,
}

impl Schedule {
    /// The gap between the end of a window and the next slice.
    pub(super) fn gap(&self) -> Nanos {
        let gap = Nanos::from_secs_f64(GAP * self.turnaround);
        (gap + SHORTEST_GAP).min(LONGEST_GAP)
    }

    /// Learns how long after the end of their window the results of a slice came.
    pub(super) fn learn(&mut self, turnaround: Nanos) {
        self.turnaround = turnaround.as_secs_f64().max(KEPT * self.turnaround);
    }

    /// An agent was told too late of a slice.
    pub(super) const fn miss(&mut self) {
        self.missed = self.missed.saturating_add(1);
    }

    /// How far ahead slices have to be, if `least` is enough as long as no agent was told too late: each time it doubles.
    pub(super) fn lead(&self, least: Nanos) -> Nanos {
        Nanos(least.0.saturating_mul(1 << self.missed.min(MOST_DOUBLINGS)))
    }

    /// What the wall clock shows at a start. It is the same to the nanosecond for all sessions that begin then, however they are told:
    /// by it agents know that these are loaded together.
    pub(super) fn wall_of(&mut self, start: Nanos) -> i64 {
        match self.read {
            Some((known, at)) if known == start => at,
            _ => {
                let at = wall(start);
                self.read = Some((start, at));
                at
            }
        }
    }

    pub(super) fn push(&mut self, slot: Slot) {
        self.slots.push_back(slot);
    }

    /// When the next slice begins, if it was announced for this session and begins after `earliest`.
    pub(super) fn next(&self, session: u64, earliest: Nanos) -> Option<Nanos> {
        let slot = self.slots.front()?;
        let is_next = slot.numbers.contains_key(&session) && slot.start > earliest;
        is_next.then_some(slot.start)
    }

    /// Takes the slice of a session that begins then; `None` when it was not announced.
    pub(super) fn take(&mut self, session: u64, start: Nanos, window: Window) -> Option<u64> {
        let slot = self.slots.front_mut()?;
        if slot.start != start || slot.window != window {
            return None;
        }
        let number = slot.numbers.remove(&session)?;
        if slot.numbers.is_empty() {
            self.slots.pop_front();
        }
        Some(number)
    }

    /// Forgets all that is left, and returns the numbers of these slices.
    pub(super) fn clear(&mut self) -> Vec<u64> {
        let slots = std::mem::take(&mut self.slots).into_iter();
        slots.flat_map(|slot| slot.numbers.into_values()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WINDOW: Window = Window { settle: Nanos(0), counted: Nanos::from_millis(500) };

    fn slot(start: u64, numbers: &[(u64, u64)]) -> Slot {
        Slot { start: Nanos(start), window: WINDOW, numbers: numbers.iter().copied().collect() }
    }

    #[test]
    fn announced_slices_are_taken_in_order_by_their_sessions() {
        let mut schedule = Schedule::default();
        schedule.push(slot(100, &[(1, 11), (2, 12)]));
        schedule.push(slot(200, &[(2, 13)]));
        assert_eq!(schedule.next(1, Nanos(90)), Some(Nanos(100)));
        assert_eq!(schedule.next(1, Nanos(100)), None, "it is too late");
        assert_eq!(schedule.next(3, Nanos(90)), None, "it is for others");
        assert_eq!(schedule.take(1, Nanos(100), WINDOW), Some(11));
        assert_eq!(schedule.take(1, Nanos(100), WINDOW), None, "it is taken");
        assert_eq!(schedule.take(2, Nanos(100), WINDOW), Some(12));
        assert_eq!(schedule.next(2, Nanos(100)), Some(Nanos(200)));
        assert_eq!(schedule.clear(), [13]);
        assert_eq!(schedule.next(2, Nanos(0)), None);
    }

    #[test]
    fn sessions_with_one_start_are_told_the_same_instant() {
        let mut schedule = Schedule::default();
        let start = load::now() + Nanos::from_millis(100);
        let first = schedule.wall_of(start);
        assert_eq!(schedule.wall_of(start), first);
        assert!(schedule.wall_of(start + Nanos::from_secs(1)) > first);
    }

    #[test]
    fn the_gap_follows_the_time_that_results_take() {
        let mut schedule = Schedule::default();
        assert_eq!(schedule.gap(), SHORTEST_GAP);
        schedule.learn(Nanos::from_millis(200));
        assert_eq!(schedule.gap(), Nanos::from_millis(350));
        schedule.learn(Nanos::from_millis(1));
        let millis = (schedule.gap().as_secs_f64() * 1e3).round();
        assert_eq!(millis, 260.0, "it shrinks slowly");
        schedule.learn(Nanos::from_secs(100));
        assert_eq!(schedule.gap(), LONGEST_GAP);
    }
}
