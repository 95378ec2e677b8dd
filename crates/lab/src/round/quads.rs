//! Measures quads of slices, one after the other. A quad in which the hypervisor took too much CPU time, or the compilers of an arm
//! did, is measured again: the arms are not what they are once they are warm, and only time is lost.

use super::Round;
use super::warm_up::read_shares;
use crate::Error;
use crate::meters::Meters;
use crate::order::Quad;
use crate::slice::SlicePosition;
use crate::warmup::Compilers;
use judge::validity;
use load::{Announced, LoadSession, Window};
use model::experiment::Pacing;
use model::record::SliceRecord;
use model::step::Step;
use std::ops::Range;

/// The length of a slice in seconds up to which a quad is measured again; a longer one costs as much as another round.
const SHORT: f64 = 2.0;
/// The largest share of an arm's CPU time that its compilers may take in a quad before it is measured again. Compilers that begin anew
/// after the warm-up, because something happened for the first time, moved the difference of two equal Tomcats' CPU per request in a
/// start by 15 and by 22 %.
const COMPILING: f64 = 0.1;

/// The quads that are to be measured.
pub(super) struct Quads<'a> {
    pub(super) order: &'a [Quad],
    /// Whether the slices of a row are measured one after the other or all at once.
    pub(super) pacing: Pacing,
    pub(super) window: Window,
    /// The position of the first slice, from which those of the others follow.
    pub(super) position: SlicePosition,
    /// The seed of each arm's load.
    pub(super) seeds: &'a [u64],
    /// Whether quads that the hypervisor or compilers spoilt are measured again.
    pub(super) repeat: bool,
    /// The step that is reported to the observer.
    pub(super) step: Step,
    /// The shares of the round at the begin and the end of this step.
    pub(super) progress: Range<f64>,
}

/// The measured slices.
pub(super) struct MeasuredQuads {
    /// All slices, in the order in which they were measured.
    pub(super) slices: Vec<SliceRecord>,
    /// The numbers of the quads that were measured again, and so do not count.
    pub(super) repeated: Vec<u32>,
}

impl MeasuredQuads {
    /// The slices that count.
    pub(super) fn counted(&self) -> Vec<SliceRecord> {
        let counts = |slice: &&SliceRecord| !self.repeated.contains(&slice.quad);
        self.slices.iter().filter(counts).cloned().collect()
    }
}

impl Round<'_> {
    /// Measures quads.
    pub(super) fn measure_quads(
        &mut self,
        sessions: &mut [Box<dyn LoadSession>],
        servers: &[sut::Server],
        meters: &Meters,
        quads: &Quads<'_>,
    ) -> Result<MeasuredQuads, Error> {
        let mut compilers: Vec<Compilers> = servers.iter().map(Compilers::of).collect();
        read_shares(&mut compilers, meters)?;
        let circumstances = self.circumstances(quads.position.level);
        let share = &quads.progress;
        let all = quads.order.len();
        let mut repeats_left = match quads.repeat {
            true => allowed_repeats(all, quads.window),
            false => 0,
        };
        let (mut slices, mut repeated) = (Vec::new(), Vec::new());
        let mut number = quads.position.quad;
        for (index, quad) in quads.order.iter().enumerate() {
            loop {
                let done = index as f64 / all as f64;
                self.report_step(quads.step.clone(), share.start + (share.end - share.start) * done);
                let begin = slices.len();
                self.bench
                    .generator()
                    .announce(&announced(sessions, quads, quad))?;
                slices.extend(self.measure_quad(sessions, meters, quads, number, quad)?);
                number += 1;
                // Compilers are looked at only while it matters: reading their clocks takes CPU time between the slices.
                if repeats_left == 0 {
                    break;
                }
                let compiling = read_shares(&mut compilers, meters)?;
                let compiles = compiling.into_iter().flatten().any(|share| share > COMPILING);
                if !compiles && validity::check_cpu_time(&slices[begin..], circumstances).is_none() {
                    break;
                }
                repeats_left -= 1;
                repeated.push(number - 1);
            }
        }
        Ok(MeasuredQuads { slices, repeated })
    }

    /// Measures the slices of one quad.
    fn measure_quad(
        &mut self,
        sessions: &mut [Box<dyn LoadSession>],
        meters: &Meters,
        quads: &Quads<'_>,
        number: u32,
        quad: &Quad,
    ) -> Result<Vec<SliceRecord>, Error> {
        let mut slices = Vec::with_capacity(quad.len());
        for arms in quad.chunks(quads.pacing.arms_at_once(sessions.len())) {
            let place = |(arm, place): (&usize, u32)| SlicePosition {
                quad: number,
                position: slices.len() as u32 + place,
                arm: *arm,
                seed: quads.seeds[*arm],
                together: quads.pacing.is_together(),
                ..quads.position
            };
            let positions: Vec<SlicePosition> = arms.iter().zip(0..).map(place).collect();
            slices.extend(self.measure_slices(sessions, meters, &positions, quads.window)?);
        }
        Ok(slices)
    }
}

/// The slices of a quad, for those who make their load.
fn announced(sessions: &[Box<dyn LoadSession>], quads: &Quads<'_>, quad: &Quad) -> Vec<Announced> {
    let slice = |arms: &[usize]| Announced {
        sessions: arms.iter().map(|arm| sessions[*arm].id()).collect(),
        window: quads.window,
    };
    quad.chunks(quads.pacing.arms_at_once(sessions.len()))
        .map(slice)
        .collect()
}

/// The number of quads that may be measured again: as many as there are, because compilers that begin anew are at it for some seconds;
/// none of long slices.
fn allowed_repeats(quads: usize, window: Window) -> usize {
    match (window.settle + window.counted).as_secs_f64() <= SHORT {
        true => quads,
        false => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::units::Nanos;

    #[test]
    fn all_short_quads_may_be_measured_again() {
        let window = |seconds| Window {
            settle: Nanos::from_millis(100),
            counted: Nanos::from_secs(seconds),
        };
        assert_eq!(
            [1, 2, 3, 8].map(|quads| allowed_repeats(quads, window(1))),
            [1, 2, 3, 8]
        );
        assert_eq!(allowed_repeats(8, window(2)), 0);
    }

    #[test]
    fn a_quad_that_was_measured_again_does_not_count() {
        let slice = |quad, position| SliceRecord {
            quad,
            position,
            ..SliceRecord::default()
        };
        let measured = MeasuredQuads {
            slices: vec![slice(0, 0), slice(1, 0), slice(1, 1), slice(2, 0)],
            repeated: vec![1],
        };
        let counted = measured.counted();
        assert_eq!(counted.iter().map(|slice| slice.quad).collect::<Vec<_>>(), [0, 2]);
    }
}
