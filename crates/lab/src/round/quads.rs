//! Quads of slices, one after the other. One of whose CPU time the hypervisor took too much is measured again: it did so to
//! all arms in it, so nothing but time is lost.

use super::Round;
use crate::Error;
use crate::meters::Meters;
use crate::order::Quad;
use crate::slice::Place;
use judge::validity;
use load::{Session, Window};
use model::record::SliceRecord;
use model::step::Step;
use std::ops::Range;

/// Seconds of a slice up to which a quad is measured again; a longer one is as dear as a start.
const SHORT: f64 = 2.0;

/// What is measured.
pub(super) struct Quads<'a> {
    pub(super) order: &'a [Quad],
    pub(super) window: Window,
    /// Of its first slice; the others are told from it.
    pub(super) place: Place,
    /// The seed of each arm's load.
    pub(super) seeds: &'a [u64],
    /// What the observer is told that the round does.
    pub(super) step: Step,
    /// The shares of the round between which this step lies.
    pub(super) progress: Range<f64>,
}

/// What was measured.
pub(super) struct Measured {
    /// In the order they were run.
    pub(super) slices: Vec<SliceRecord>,
    /// The quads of them that were measured again.
    pub(super) repeated: Vec<u32>,
}

impl Measured {
    /// The slices that count.
    pub(super) fn counted(&self) -> Vec<SliceRecord> {
        let counts = |slice: &&SliceRecord| !self.repeated.contains(&slice.quad);
        self.slices.iter().filter(counts).cloned().collect()
    }
}

impl Round<'_> {
    pub(super) fn in_quads(
        &mut self,
        sessions: &mut [Session],
        meters: &Meters,
        quads: &Quads<'_>,
    ) -> Result<Measured, Error> {
        let around = self.circumstances(quads.place.level);
        let share = &quads.progress;
        let all = quads.order.len();
        let mut again = spare(all, quads.window);
        let (mut slices, mut repeated) = (Vec::new(), Vec::new());
        let mut number = 0;
        for (index, quad) in quads.order.iter().enumerate() {
            loop {
                let done = index as f64 / all as f64;
                self.step(quads.step.clone(), share.start + (share.end - share.start) * done);
                let begin = slices.len();
                slices.extend(self.quad(sessions, meters, quads, number, quad)?);
                number += 1;
                if again == 0 || validity::check_cpu_time(&slices[begin..], around).is_none() {
                    break;
                }
                again -= 1;
                repeated.push(number - 1);
            }
        }
        Ok(Measured { slices, repeated })
    }

    /// Its slices, one after the other.
    fn quad(
        &mut self,
        sessions: &mut [Session],
        meters: &Meters,
        quads: &Quads<'_>,
        number: u32,
        quad: &Quad,
    ) -> Result<Vec<SliceRecord>, Error> {
        let mut slices = Vec::with_capacity(quad.len());
        for (position, &arm) in quad.iter().enumerate() {
            let place = Place {
                quad: number,
                position: position as u32,
                arm,
                seed: quads.seeds[arm],
                ..quads.place
            };
            slices.push(self.slice(&mut sessions[arm], meters, place, quads.window)?);
        }
        Ok(slices)
    }
}

/// How many of so many quads may be measured again: half, and of a single one that one.
fn spare(quads: usize, window: Window) -> usize {
    match (window.settle + window.counted).as_secs_f64() <= SHORT {
        true => quads.div_ceil(2),
        false => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::units::Nanos;

    #[test]
    fn half_of_the_short_ones_may_be_measured_again() {
        let window = |seconds| Window {
            settle: Nanos::from_millis(100),
            counted: Nanos::from_secs(seconds),
        };
        assert_eq!([1, 2, 3, 8].map(|quads| spare(quads, window(1))), [1, 1, 2, 4]);
        assert_eq!(spare(8, window(2)), 0);
    }

    #[test]
    fn what_was_measured_again_does_not_count() {
        let slice = |quad, position| SliceRecord {
            quad,
            position,
            ..SliceRecord::default()
        };
        let measured = Measured {
            slices: vec![slice(0, 0), slice(1, 0), slice(1, 1), slice(2, 0)],
            repeated: vec![1],
        };
        let counted = measured.counted();
        assert_eq!(counted.iter().map(|slice| slice.quad).collect::<Vec<_>>(), [0, 2]);
    }
}
