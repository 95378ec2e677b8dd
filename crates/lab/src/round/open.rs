//! The stage at a fixed rate at the end of a round: response times and CPU per request.

use super::Round;
use super::quads::{Measured, Quads};
use crate::Error;
use crate::latency::{self, Stage, Windows};
use crate::order;
use crate::slice::{self, Place, Running};
use judge::validity;
use load::{Session, Window};
use model::record::{RoundRecord, SliceRecord};
use model::step::Step;
use model::units::Nanos;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;

impl Round<'_> {
    /// The stage, where it is asked for and the closed loop gave something to compare.
    pub(super) fn at_a_rate(
        &mut self,
        running: &Running,
        record: &mut RoundRecord,
        random: &mut ChaCha8Rng,
    ) -> Result<(), Error> {
        // The stage of a void round would not count either.
        if self.experiment.design.latency_pairs == 0 || record.void.is_some() {
            return Ok(());
        }
        let counts = |slice: &&SliceRecord| record.void_at(slice.level).is_none();
        let mut closed: Vec<SliceRecord> = record.closed().filter(counts).cloned().collect();
        if closed.is_empty() {
            closed = record.closed().cloned().collect(); // How fast it was tells a rate, though it is no measurement.
        }
        let stages = latency::stages(self.experiment, self.earlier, &closed);
        let Some(first) = stages.first() else {
            return Ok(());
        };
        let service_p50 = record.level(first.level).map_or(0, |level| level.service_p50_ns);
        let windows = latency::windows(self.experiment, Nanos(service_p50).as_secs_f64());
        let stage = self.on_time(running, &stages, windows, random)?;
        let pairs = windows.pairs(self.experiment, self.pairs.open);
        let measured = self.fixed_rate(running, stage, windows, pairs, random)?;
        let open = measured.counted();
        let name = |arm: usize| self.experiment.arms[arm].name.as_str();
        record.stage_void = validity::check_fixed_rate(&open, self.circumstances(stage.level), name);
        record.latency_void = record
            .stage_void
            .is_none()
            .then(|| validity::check_generator(&open))
            .flatten();
        record.latency_pairs = pairs;
        record.latency_repeated = measured.repeated;
        record.slices.extend(measured.slices);
        Ok(())
    }

    /// The first of these stages at which the generator is on time with every arm, or the last. A slow service is not asked
    /// so often that it could be late.
    fn on_time(
        &mut self,
        running: &Running,
        stages: &[Stage],
        windows: Windows,
        random: &mut ChaCha8Rng,
    ) -> Result<Stage, Error> {
        let stages = if windows.quick() { stages } else { &stages[..1] };
        let (last, tried) = stages.split_last().expect("there is a stage");
        for (index, &stage) in tried.iter().enumerate() {
            let share = 0.72 + 0.01 * index as f64;
            self.step(Step::ChoosingRate, share);
            if self.holds(running, stage, windows.window, random)? {
                return Ok(stage);
            }
        }
        Ok(*last)
    }

    /// Whether the generator is on time with every arm, as far as the machine was ours.
    fn holds(
        &self,
        running: &Running,
        stage: Stage,
        window: Window,
        random: &mut ChaCha8Rng,
    ) -> Result<bool, Error> {
        let seed = random.next_u64();
        let around = self.circumstances(stage.level);
        for (arm, session) in self.sessions_at(running, stage, seed)?.iter_mut().enumerate() {
            let place = Place {
                arm,
                seed,
                ..Place::of(self.number, stage.level, Some(stage.rate.0))
            };
            let mut tried = || {
                let measured = slice::measure(session, arm, &running.meters, window, self.stop)?;
                Ok(measured.record(place))
            };
            let slices = (0..latency::TRIES)
                .map(|_| tried())
                .collect::<Result<Vec<_>, Error>>()?;
            if validity::generator_is_late(&slices, around) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// A session with every arm, its connections open. A session draws the gaps of its n-th slice from its seed and n:
    /// sessions of one seed, loaded equally often, give all slices of a row the same due times.
    fn sessions_at(&self, running: &Running, stage: Stage, seed: u64) -> Result<Vec<Session>, Error> {
        let users = self.experiment.load.connections[stage.level];
        let entry = Window {
            settle: Nanos(0),
            counted: latency::ENTRY,
        };
        let open = |(arm, server)| {
            let arrivals = latency::arrivals(stage.rate, users);
            let mut session = self.session(server, arrivals, Nanos(0), seed)?;
            slice::measure(&mut session, arm, &running.meters, entry, self.stop)?;
            Ok(session)
        };
        running.servers.iter().enumerate().map(open).collect()
    }

    /// Slices in which requests are due at a fixed rate, at the same times for all arms of a row.
    fn fixed_rate(
        &mut self,
        running: &Running,
        stage: Stage,
        windows: Windows,
        pairs: u32,
        random: &mut ChaCha8Rng,
    ) -> Result<Measured, Error> {
        // Every arm once: a session that was loaded more often than the others would be due at other times.
        let row: Vec<usize> = (0..running.servers.len()).collect();
        let order = order::quads(random, &row, pairs);
        let seed = random.next_u64();
        let mut sessions = self.sessions_at(running, stage, seed)?;
        let quads = Quads {
            order: &order,
            window: windows.window,
            place: Place::of(self.number, stage.level, Some(stage.rate.0)),
            seeds: &vec![seed; row.len()],
            step: Step::MeasuringAtRate,
            progress: 0.75..0.95,
        };
        self.in_quads(&mut sessions, &running.meters, &quads)
    }
}
