//! Measures quads of slices, one after the other. A quad in which the hypervisor took too much CPU time is measured again: that is
//! no fault of any arm, and only time is lost. What an arm did itself always counts. A quad in which its compilers were busy is noted,
//! and later starts warm up for longer: a server that compiles again every few seconds would otherwise be measured without that.

use super::Round;
use super::warm_up::read_shares;
use crate::Error;
use crate::meters::Meters;
use crate::order::Quad;
use crate::slice::SlicePosition;
use crate::warmup::Compilers;
use ask::experiment::Pacing;
use judge::validity;
use load::{Announced, LoadSession, Window};
use model::units::Nanos;
use record::rounds::SliceRecord;
use record::step::Step;
use std::ops::Range;

/// The length of a slice in seconds up to which a quad is measured again; a longer one costs as much as another round.
const SHORT: f64 = 2.0;
/// The share of an arm's CPU time beyond which its compilers are noted in a quad. Compilers that begin anew after the warm-up, because
/// something happened for the first time, moved the difference of two equal Tomcats' CPU per request in a start by 15 and by 22 %.
const COMPILING: f64 = 0.1;

/// The quads that are to be measured.
pub(super) struct Quads<'a> {
    pub(super) order: &'a [Quad],
    /// Whether the slices of a row are measured one after the other or all at once.
    pub(super) pacing: Pacing,
    pub(super) window: Window,
    /// The counted part of each quad's slices as a multiple of the window's; 1 for quads that are not here.
    pub(super) stretches: Vec<f64>,
    /// The position of the first slice; the others' positions follow from it.
    pub(super) position: SlicePosition,
    /// The seed of each arm's load.
    pub(super) seeds: &'a [u64],
    /// Whether quads that the hypervisor spoilt are measured again.
    pub(super) repeat: bool,
    /// The step that is reported to the observer.
    pub(super) step: Step,
    /// The shares of the round at the begin and the end of this step.
    pub(super) progress: Range<f64>,
}

impl Quads<'_> {
    /// The window of the slices of a quad, by its index.
    fn window_of(&self, index: usize) -> Window {
        let stretch = self.stretches.get(index).copied().unwrap_or(1.0);
        Window { counted: Nanos::from_secs_f64(self.window.counted.as_secs_f64() * stretch), ..self.window }
    }
}

/// The measured slices.
pub(super) struct MeasuredQuads {
    /// All slices, in the order in which they were measured.
    pub(super) slices: Vec<SliceRecord>,
    /// The numbers of the quads that were measured again, and so do not count.
    pub(super) repeated: Vec<u32>,
    /// The numbers of the quads that count and in which the compilers of an arm were busy.
    pub(super) compiled: Vec<u32>,
}

/// Which quad is measured.
#[derive(Clone, Copy, Debug)]
struct QuadPlace {
    /// Its index in the order.
    index: usize,
    /// Its number in the round: quads that are measured again have numbers of their own.
    number: u32,
}

/// What a measured quad is to the totals of its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum QuadOutcome {
    /// It counts.
    Counts,
    /// It counts, and compilers were busy in it.
    CountsCompiling,
    /// It does not count, and is measured again.
    IsRepeated,
}

impl QuadOutcome {
    /// The outcome of a quad in which the compilers of each arm took these shares of its CPU time. `is_stolen`: the hypervisor took too
    /// much of the machine, and there may be a repetition.
    fn of(compiling: &[Option<f64>], is_stolen: bool) -> Self {
        match compiling.iter().flatten().any(|share| *share > COMPILING) {
            _ if is_stolen => Self::IsRepeated,
            true => Self::CountsCompiling,
            false => Self::Counts,
        }
    }
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
        let (mut slices, mut repeated, mut compiled) = (Vec::<SliceRecord>::new(), Vec::new(), Vec::new());
        let mut number = quads.position.quad;
        for index in 0..all {
            loop {
                let done = index as f64 / all as f64;
                self.report_step(quads.step.clone(), share.start + (share.end - share.start) * done);
                let begin = slices.len();
                self.bench.generator().announce(&announced(sessions, quads, index))?;
                let mute = self.mute_arms(&slices, sessions.len());
                slices.extend(self.measure_quad(
                    sessions,
                    meters,
                    quads,
                    QuadPlace { index, number },
                    mute,
                )?);
                number += 1;
                let is_stolen =
                    repeats_left > 0 && validity::check_cpu_time(&slices[begin..], circumstances).is_some();
                match QuadOutcome::of(&read_shares(&mut compilers, meters)?, is_stolen) {
                    QuadOutcome::Counts => break,
                    QuadOutcome::CountsCompiling => {
                        compiled.push(number - 1);
                        break;
                    }
                    QuadOutcome::IsRepeated => {
                        repeats_left -= 1;
                        repeated.push(number - 1);
                    }
                }
            }
        }
        Ok(MeasuredQuads { slices, repeated, compiled })
    }

    /// Measures the slices of one quad, without arms that are mute.
    fn measure_quad(
        &mut self,
        sessions: &mut [Box<dyn LoadSession>],
        meters: &Meters,
        quads: &Quads<'_>,
        place: QuadPlace,
        mut mute: Vec<bool>,
    ) -> Result<Vec<SliceRecord>, Error> {
        let QuadPlace { index, number } = place;
        let quad = &quads.order[index];
        let mut slices = Vec::with_capacity(quad.len());
        let at_once = quads.pacing.arms_at_once(sessions.len());
        for (row, arms) in quad.chunks(at_once).enumerate() {
            let place = |(arm, place): (&usize, u32)| SlicePosition {
                quad: number,
                position: (row * at_once) as u32 + place,
                arm: *arm,
                seed: quads.seeds[*arm],
                together: quads.pacing.is_together(),
                ..quads.position
            };
            let positions = arms.iter().zip(0..).map(place).filter(|position| !mute[position.arm]);
            let positions: Vec<SlicePosition> = positions.collect();
            if positions.is_empty() {
                continue;
            }
            slices.extend(self.measure_slices(sessions, meters, &positions, quads.window_of(index))?);
            let newly = self.mute_arms(&slices, sessions.len());
            mute.iter_mut().zip(newly).for_each(|(mute, newly)| *mute |= newly);
        }
        Ok(slices)
    }

    /// For each arm, whether it is loaded no more at a level with these slices: it was loaded for as long as a request may take, and gave no
    /// right answer. Each of its slices would last until all its requests are given up, which takes minutes. A fleet loads all arms, because
    /// its machines know the order of the slices beforehand.
    fn mute_arms(&self, slices: &[SliceRecord], arms: usize) -> Vec<bool> {
        let timeout = self.experiment.load.timeout;
        (0..arms).map(|arm| self.is_loaded_from_here() && is_mute(slices, arm, timeout)).collect()
    }
}

/// Whether an arm was loaded for this time in these slices and gave no right answer.
fn is_mute(slices: &[SliceRecord], arm: usize, timeout: Nanos) -> bool {
    let of_arm = || slices.iter().filter(|slice| slice.arm == arm);
    let loaded: u64 = of_arm().map(|slice| slice.elapsed_ns).sum();
    loaded >= timeout.0 && of_arm().all(|slice| slice.counts.ok == 0)
}

/// The slices of a quad, as their generators need them.
fn announced(sessions: &[Box<dyn LoadSession>], quads: &Quads<'_>, index: usize) -> Vec<Announced> {
    let slice = |arms: &[usize]| Announced {
        sessions: arms.iter().map(|arm| sessions[*arm].id()).collect(),
        window: quads.window_of(index),
    };
    quads.order[index].chunks(quads.pacing.arms_at_once(sessions.len())).map(slice).collect()
}

/// The number of quads that may be measured again: as many as there are, because a neighbour stays for some seconds; none of long slices.
fn allowed_repeats(quads: usize, window: Window) -> usize {
    match (window.settle + window.counted).as_secs_f64() <= SHORT {
        true => quads,
        false => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_short_quads_may_be_measured_again() {
        let window = |seconds| Window { settle: Nanos::from_millis(100), counted: Nanos::from_secs(seconds) };
        assert_eq!([1, 2, 3, 8].map(|quads| allowed_repeats(quads, window(1))), [1, 2, 3, 8]);
        assert_eq!(allowed_repeats(8, window(2)), 0);
    }

    #[test]
    fn an_arm_without_an_answer_is_mute_when_its_requests_were_given_up() {
        let slice = |arm, seconds: u64, ok| {
            let mut slice =
                SliceRecord { arm, elapsed_ns: seconds * 1_000_000_000, ..SliceRecord::default() };
            slice.counts.ok = ok;
            slice
        };
        let mute = |slices: &[SliceRecord]| [0, 1].map(|arm| is_mute(slices, arm, Nanos::from_secs(10)));
        assert_eq!(mute(&[slice(0, 1, 9), slice(1, 10, 0)]), [false, true]);
        assert_eq!(mute(&[slice(0, 12, 9), slice(1, 9, 0)]), [false, false], "it may still answer");
        assert_eq!(mute(&[slice(0, 12, 0), slice(0, 1, 1)]), [false, false], "it stood still");
        assert_eq!(mute(&[]), [false, false]);
    }

    #[test]
    fn a_quad_that_was_measured_again_does_not_count() {
        let slice = |quad, position| SliceRecord { quad, position, ..SliceRecord::default() };
        let measured = MeasuredQuads {
            slices: vec![slice(0, 0), slice(1, 0), slice(1, 1), slice(2, 0)],
            repeated: vec![1],
            compiled: Vec::new(),
        };
        let counted = measured.counted();
        assert_eq!(counted.iter().map(|slice| slice.quad).collect::<Vec<_>>(), [0, 2]);
    }

    /// A server that answers 1000 requests in every quad of half a second and takes 0.1 s of CPU time for them. In one quad of ten, its
    /// compilers take 0.12 s more: a burst of 0.3 s every 5 s.
    #[test]
    fn bursts_of_compilers_are_in_the_totals_and_noted() {
        let quads: Vec<(f64, f64)> =
            (0..40).map(|quad| if quad % 10 == 7 { (0.22, 0.12 / 0.22) } else { (0.1, 0.0) }).collect();
        let outcome = |share: f64| QuadOutcome::of(&[Some(0.0), None, Some(share)], false);
        let counted: Vec<f64> = quads
            .iter()
            .filter(|(_, share)| outcome(*share) != QuadOutcome::IsRepeated)
            .map(|(cpu, _)| *cpu)
            .collect();
        let mean = counted.iter().sum::<f64>() / counted.len() as f64;
        assert!((mean / 0.1 - 1.12).abs() < 1e-9, "{mean}");
        let noted = quads.iter().filter(|(_, share)| outcome(*share) == QuadOutcome::CountsCompiling);
        assert_eq!(noted.count(), 4);
        assert_eq!(QuadOutcome::of(&[Some(0.5)], true), QuadOutcome::IsRepeated, "stolen");
    }
}
