//! The stage at a fixed rate at the end of a round, which measures response times and CPU per request.

use super::quads::{MeasuredQuads, Quads};
use super::{Manner, Round};
use crate::Error;
use crate::latency::{self, RateStage, StageWindows};
use crate::order;
use crate::slice::{self, Measured, RunningArms, SlicePosition};
use ask::experiment::Pacing;
use judge::{round_time, validity};
use load::{LoadSession, Window};
use model::units::Nanos;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;
use record::rounds::{RoundRecord, SliceRecord};
use record::step::Step;
use std::ops::Range;

impl Round<'_> {
    /// Measures the stage, if the experiment has one and the closed loop is not void.
    pub(super) fn measure_at_rate(
        &mut self,
        running: &RunningArms,
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
            // Void slices count for nothing else, but they suffice to choose a rate.
            closed = record.closed().cloned().collect();
        }
        let stages = latency::stages(self.experiment, self.earlier, &closed);
        let Some(first) = stages.first() else {
            return Ok(());
        };
        let service_p50 = record.level(first.level).map_or(0, |level| level.service_p50_ns);
        let windows = latency::stage_windows(self.experiment, Nanos(service_p50).as_secs_f64());
        // Where less than half of the machine was used by all arms at once, each of them may have the whole rate at the same time.
        let at_once = record.level(first.level).is_some_and(|level| level.at_once);
        let stage = match at_once {
            true => RateStage { pacing: Pacing::Together, ..*first },
            false => self.choose_stage(running, &stages, windows, &closed, random)?,
        };
        let mixed = self.experiment.design.pacing == Pacing::Mixed;
        if mixed && !at_once {
            // The warm-up had all arms at once, too, so their code is compiled for just that.
            let part = latency::part_of_each(self.experiment, stage);
            let pairs = windows.pairs(self.experiment, self.pairs.windows);
            self.measure_part(running, part, windows.of_all_arms(self.experiment), pairs, record, random)?;
        }
        // All arms at once have response times and CPU per request in the same windows.
        let (windows, pairs) = match mixed && at_once {
            true if windows.is_quick() => (windows.of_all_arms(self.experiment), self.pairs.windows),
            true => (windows, self.pairs.windows),
            false => (windows, self.pairs.open),
        };
        let pairs = windows.pairs(self.experiment, pairs);
        record.latency_pairs = pairs;
        let open = self.measure_part(running, stage, windows, pairs, record, random)?;
        let name = |arm: usize| self.experiment.arms[arm].name.as_str();
        record.latency_void =
            record.stage_void.is_none().then(|| validity::check_generator_at_rate(&open, name)).flatten();
        record.late_percentiles = validity::check_send_delay(&open, name);
        if record.stage_void.is_none() {
            self.measure_curve(running, stage, windows, record, random)?;
        }
        Ok(())
    }

    /// Measures a part of the stage, or all of it, and adds it to the record of the round. Returns the slices that count.
    fn measure_part(
        &mut self,
        running: &RunningArms,
        part: RateStage,
        windows: StageWindows,
        pairs: u32,
        record: &mut RoundRecord,
        random: &mut ChaCha8Rng,
    ) -> Result<Vec<SliceRecord>, Error> {
        let at_rate = record.slices.iter().rev().find(|slice| slice.rate.is_some());
        let first_quad = at_rate.map_or(0, |slice| slice.quad + 1);
        let measured = self.measure_stage(running, part, windows, pairs, first_quad, random)?;
        let counted = measured.counted();
        let name = |arm: usize| self.experiment.arms[arm].name.as_str();
        let why = validity::check_fixed_rate(&counted, self.circumstances(part.level), name);
        record.stage_void = record.stage_void.take().or(why);
        record.latency_repeated.extend(measured.repeated);
        record.latency_compiled.extend(measured.compiled);
        record.slices.extend(measured.slices);
        Ok(counted)
    }

    /// Measures a point of the curve over rates, if the experiment asks for one.
    fn measure_curve(
        &mut self,
        running: &RunningArms,
        stage: RateStage,
        windows: StageWindows,
        record: &mut RoundRecord,
        random: &mut ChaCha8Rng,
    ) -> Result<(), Error> {
        if self.experiment.design.curve != Some(true) {
            return Ok(());
        }
        let mut earlier = self.earlier.iter();
        let first = earlier.find(|round| round.closed().next().is_some());
        let first = first.unwrap_or(record);
        let closed: Vec<SliceRecord> = first.closed().cloned().collect();
        let point = latency::curve_point(self.experiment, stage, &closed, self.number);
        if let Some(point) = point {
            let measured = self.measure_stage(running, point, windows, round_time::CURVE_PAIRS, 0, random)?;
            record.slices.extend(measured.slices);
        }
        Ok(())
    }

    /// The first of these stages that can be used with every arm, or the last one. They are not tried for a slow service, whose rate
    /// is too low for the generator to be late. `closed` are slices of the closed loop.
    fn choose_stage(
        &mut self,
        running: &RunningArms,
        stages: &[RateStage],
        windows: StageWindows,
        closed: &[SliceRecord],
        random: &mut ChaCha8Rng,
    ) -> Result<RateStage, Error> {
        let stages = if windows.is_quick() { stages } else { &stages[..1] };
        let (last, tried) = stages.split_last().expect("there is a stage");
        for (index, &stage) in tried.iter().enumerate() {
            let share = 0.72 + 0.01 * index as f64;
            self.report_step(Step::ChoosingRate, share);
            if self.can_be_used(running, stage, windows.window, closed, random)? {
                return Ok(stage);
            }
        }
        Ok(*last)
    }

    /// Whether the generator is on time with every arm, and the CPUs have time left. Lateness because other programs used the machine
    /// does not count.
    fn can_be_used(
        &self,
        running: &RunningArms,
        stage: RateStage,
        window: Window,
        closed: &[SliceRecord],
        random: &mut ChaCha8Rng,
    ) -> Result<bool, Error> {
        let seeds = self.stage_seeds(stage.pacing, random);
        let circumstances = self.circumstances(stage.level);
        let mut sessions = self.entered_sessions_at(running, stage, &seeds)?;
        let first = SlicePosition::first(self.number, stage.level, Some(stage.rate));
        let arms: Vec<usize> = (0..sessions.len()).collect();
        for arms in arms.chunks(stage.pacing.arms_at_once(arms.len())) {
            let mut slices = Vec::new();
            for _ in 0..latency::TRIES {
                let measured =
                    slice::measure_together(&mut sessions, arms, &running.meters, window, self.stop)?;
                let record = |(measured, arm): (&Measured, &usize)| {
                    measured.record(SlicePosition { arm: *arm, ..first })
                };
                slices.extend(measured.iter().zip(arms).map(record));
            }
            if validity::generator_is_late(&slices, circumstances) || !latency::has_cpu_left(&slices, closed)
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The seed of each arm's load. Arms in turn have the same one, so that their requests are due at the same times. Arms
    /// that are loaded together have different ones: requests that are due at the same instants would meet on the CPUs every
    /// time, and in an order that may always favour the same arm.
    pub(super) fn stage_seeds(&self, pacing: Pacing, random: &mut ChaCha8Rng) -> Vec<u64> {
        let arms = self.experiment.arms.len();
        match pacing.is_together() {
            false => vec![random.next_u64(); arms],
            true => (0..arms).map(|_| random.next_u64()).collect(),
        }
    }

    /// Opens a session with every arm, and loads all of them at once for a moment. A session draws the gaps between requests of its n-th slice from
    /// its seed and n, so sessions with one seed that are loaded equally often give all slices of a row the same due times.
    fn entered_sessions_at(
        &self,
        running: &RunningArms,
        stage: RateStage,
        seeds: &[u64],
    ) -> Result<Vec<Box<dyn LoadSession>>, Error> {
        let entry = Window { settle: Nanos(0), counted: stage.entry };
        let mut sessions = self.sessions_at(running, stage, seeds)?;
        let arms: Vec<usize> = (0..sessions.len()).collect();
        slice::measure_together(&mut sessions, &arms, &running.meters, entry, self.stop)?;
        Ok(sessions)
    }

    /// Opens a session with every arm.
    pub(super) fn sessions_at(
        &self,
        running: &RunningArms,
        stage: RateStage,
        seeds: &[u64],
    ) -> Result<Vec<Box<dyn LoadSession>>, Error> {
        let users = self.experiment.load.connections[stage.level];
        let arms = running.servers.iter().zip(seeds).enumerate();
        arms.map(|(arm, (server, seed))| {
            let arrivals = latency::arrivals(stage.rate, users);
            self.session(arm, server, arrivals, Manner::default(), *seed)
        })
        .collect()
    }

    /// Measures slices in which requests are due at a fixed rate, with the arms in turn or together. The first quad has the number
    /// `first_quad`.
    fn measure_stage(
        &mut self,
        running: &RunningArms,
        stage: RateStage,
        windows: StageWindows,
        pairs: u32,
        first_quad: u32,
        random: &mut ChaCha8Rng,
    ) -> Result<MeasuredQuads, Error> {
        // A row has every arm once: a session that is loaded more often than the others would have other due times.
        let row: Vec<usize> = (0..running.servers.len()).collect();
        let order = order::quads(random, &row, pairs);
        let seeds = self.stage_seeds(stage.pacing, random);
        let mut sessions = self.entered_sessions_at(running, stage, &seeds)?;
        let quads = Quads {
            order: &order,
            pacing: stage.pacing,
            window: windows.window,
            stretches: Vec::new(),
            position: SlicePosition {
                quad: first_quad,
                curve: stage.curve,
                ..SlicePosition::first(self.number, stage.level, Some(stage.rate))
            },
            seeds: &seeds,
            repeat: !stage.curve,
            step: Step::MeasuringAtRate,
            progress: self.stage_progress(stage),
        };
        self.measure_quads(&mut sessions, &running.servers, &running.meters, &quads)
    }
    /// The shares of the round at the begin and the end of these slices.
    fn stage_progress(&self, stage: RateStage) -> Range<f64> {
        match (self.experiment.design.pacing, stage.pacing) {
            _ if stage.curve => 0.92..0.95,
            (Pacing::Mixed, Pacing::Together) => 0.75..0.84,
            (Pacing::Mixed, _) => 0.84..0.92,
            _ => 0.75..0.92,
        }
    }
}
