//! The search for the highest rate at the end of a round: probes, each a slice at a rate of its own.

use super::Round;
use crate::Error;
use crate::latency;
use crate::max_rate::{self, Answer, Search};
use crate::order;
use crate::slice::{Place, Running};
use model::experiment::Objective;
use model::plan::Arrivals;
use model::record::{RoundRecord, SliceRecord};
use model::units::{Nanos, Rate};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;

/// Connections at most.
const CONNECTIONS: f64 = 8192.0;

impl Round<'_> {
    /// The probes of a round, where a rate is looked for.
    pub(super) fn search(
        &mut self,
        running: &Running,
        record: &mut RoundRecord,
        random: &mut ChaCha8Rng,
    ) -> Result<(), Error> {
        let Some(objective) = max_rate::objective(self.experiment) else {
            return Ok(());
        };
        if record.void.is_some() {
            return Ok(());
        }
        let mut probes = Probes {
            running,
            objective,
            slices: Vec::new(),
        };
        let known = |arm: usize| max_rate::known(self.experiment, self.earlier, arm);
        let known: Option<Vec<i32>> = (0..running.servers.len()).map(known).collect();
        let candidates = match known {
            Some(known) => known,
            None => self.approach(&mut probes, record, random)?,
        };
        self.around(&mut probes, &candidates, random)?;
        record.slices.extend(probes.slices);
        Ok(())
    }

    /// Halves the way to the highest rate of each arm, arms in turns.
    fn approach(
        &mut self,
        probes: &mut Probes<'_>,
        record: &RoundRecord,
        random: &mut ChaCha8Rng,
    ) -> Result<Vec<i32>, Error> {
        let closed: Vec<SliceRecord> = record.closed().cloned().collect();
        let throughput = |arm: usize| latency::throughput(&closed, 0, arm);
        let arms = probes.running.servers.len();
        let mut ways: Vec<Search> = (0..arms).map(|arm| Search::new(throughput(arm))).collect();
        while ways.iter().any(|way| way.next().is_some()) {
            for arm in order::permutation(random, arms) {
                if let Some(place) = ways[arm].next() {
                    let answer = self.probe(probes, arm, place, random)?;
                    ways[arm].told(answer);
                }
            }
        }
        Ok(ways.iter().map(Search::candidate).collect())
    }

    /// Probes every arm at the rates around its candidate, there and back; and further where that shows no limit.
    fn around(
        &mut self,
        probes: &mut Probes<'_>,
        candidates: &[i32],
        random: &mut ChaCha8Rng,
    ) -> Result<(), Error> {
        let places: Vec<Vec<i32>> = candidates.iter().map(|place| max_rate::around(*place)).collect();
        let steps = places.first().map_or(0, Vec::len);
        let there = order::permutation(random, steps);
        let arms = order::permutation(random, candidates.len());
        for &step in &there {
            for &arm in &arms {
                self.probe(probes, arm, places[arm][step], random)?;
            }
        }
        let mut ends = Vec::new();
        for &step in there.iter().rev() {
            for &arm in arms.iter().rev() {
                let answer = self.probe(probes, arm, places[arm][step], random)?;
                ends.push((arm, step, answer));
            }
        }
        for (arm, own) in places.iter().enumerate() {
            let at = |wanted: usize| {
                let found = ends.iter().find(|(of, step, _)| *of == arm && *step == wanted);
                found.map(|(.., answer)| *answer)
            };
            if at(steps - 1) == Some(Answer::Kept) {
                self.further(probes, arm, (own[steps - 1], 1), random)?;
            }
            if at(0) == Some(Answer::Missed) {
                self.further(probes, arm, (own[0], -1), random)?;
            }
        }
        Ok(())
    }

    /// Steps on from the end of the rates around a candidate until the answer is another.
    fn further(
        &mut self,
        probes: &mut Probes<'_>,
        arm: usize,
        (end, step): (i32, i32),
        random: &mut ChaCha8Rng,
    ) -> Result<(), Error> {
        let going_on = if step > 0 { Answer::Kept } else { Answer::Missed };
        let places = (1..=max_rate::BEYOND).map(|more| end + step * more);
        for place in places.filter(|place| *place >= 0) {
            if self.probe(probes, arm, place, random)? != going_on {
                break;
            }
        }
        Ok(())
    }

    /// One probe, on connections of its own.
    fn probe(
        &mut self,
        probes: &mut Probes<'_>,
        arm: usize,
        place: i32,
        random: &mut ChaCha8Rng,
    ) -> Result<Answer, Error> {
        let rate = max_rate::rate(place);
        let name = &self.experiment.arms[arm].name;
        self.step(&format!("probing {name} at {rate:.0}/s"), 0.85);
        let limit = probes.objective.limit.as_secs_f64();
        let (seed, users) = (random.next_u64(), self.experiment.load.connections[0]);
        let usual = latency::arrivals(Rate(rate), users).connections();
        let under_way = (2.0 * rate * limit).min(CONNECTIONS) as usize;
        let arrivals = Arrivals::Open {
            rate: Rate(rate),
            poisson: true,
            connections: usual.max(under_way),
        };
        let server = &probes.running.servers[arm];
        let mut session = self.session(server, arrivals, Nanos(0), seed)?;
        let at = Place {
            round: self.number,
            quad: probes.slices.len() as u32,
            position: 0,
            arm,
            level: 0,
            rate: Some(rate),
            probe: true,
            seed,
        };
        let window = max_rate::window(self.experiment, &probes.objective);
        let slice = self.slice(&mut session, &probes.running.meters, at, window)?;
        let answer = max_rate::answer(&slice, &probes.objective);
        probes.slices.push(slice);
        Ok(answer)
    }
}

/// The probes of a round so far.
struct Probes<'a> {
    running: &'a Running,
    objective: Objective,
    slices: Vec<SliceRecord>,
}
