//! The stage at a fixed rate at the end of a round: response times and CPU per request.

use super::Round;
use crate::Error;
use crate::latency::{self, Stage, Windows};
use crate::order;
use crate::slice::{self, Place, Running};
use crate::validity;
use load::Window;
use model::record::{RoundRecord, SliceRecord};
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
        let counted = |slice: &&SliceRecord| record.void_at(slice.level).is_none();
        let closed: Vec<SliceRecord> = record.closed().filter(counted).cloned().collect();
        let Some(stage) = latency::stage(self.experiment, self.earlier, &closed) else {
            return Ok(());
        };
        let service_p50 = record.level(stage.level).map_or(0, |level| level.service_p50_ns);
        let windows = latency::windows(self.experiment, Nanos(service_p50).as_secs_f64());
        let pairs = windows.pairs(self.experiment, self.pairs.open);
        let open = self.fixed_rate(running, stage, (windows, pairs), random)?;
        let name = |arm: usize| self.experiment.arms[arm].name.as_str();
        record.stage_void = validity::stage(&open, self.circumstances(stage.level), name);
        record.latency_void = record
            .stage_void
            .is_none()
            .then(|| validity::generator(&open))
            .flatten();
        record.latency_pairs = pairs;
        record.slices.extend(open);
        Ok(())
    }

    /// Slices in which requests are due at a fixed rate, at the same times for all arms of a row.
    fn fixed_rate(
        &mut self,
        running: &Running,
        stage: Stage,
        (windows, pairs): (Windows, u32),
        random: &mut ChaCha8Rng,
    ) -> Result<Vec<SliceRecord>, Error> {
        let users = self.experiment.load.connections[stage.level];
        // Every arm once: a session that was loaded more often than the others would be due at other times.
        let row: Vec<usize> = (0..running.servers.len()).collect();
        let quads = order::quads(random, &row, pairs);
        // A session draws the gaps of its n-th slice from its seed and n: sessions of one seed, loaded equally often, give
        // all slices of a row the same due times.
        let seed = random.next_u64();
        let arrivals = || latency::arrivals(stage.rate, users);
        let open = |arm: usize| self.session(&running.servers[arm], arrivals(), Nanos(0), seed);
        let mut sessions = row.iter().map(|arm| open(*arm)).collect::<Result<Vec<_>, _>>()?;
        for &arm in &row {
            let entry = Window {
                settle: Nanos(0),
                counted: latency::ENTRY,
            };
            slice::measure(&mut sessions[arm], (arm, &running.meters), entry, self.stop)?;
        }
        let mut slices = Vec::with_capacity(2 * row.len() * quads.len());
        for (index, quad) in quads.iter().enumerate() {
            self.step(
                "measuring at a fixed rate",
                0.75 + 0.2 * index as f64 / quads.len() as f64,
            );
            for (position, &arm) in quad.iter().enumerate() {
                let place = Place {
                    round: self.number,
                    quad: index as u32,
                    position: position as u32,
                    arm,
                    level: stage.level,
                    rate: Some(stage.rate.0),
                    probe: false,
                    seed,
                };
                let session = &mut sessions[arm];
                slices.push(self.slice(session, &running.meters, place, windows.window)?);
            }
        }
        Ok(slices)
    }
}
