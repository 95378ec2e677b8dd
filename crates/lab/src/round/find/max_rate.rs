//! The search for the highest rate at the end of a round: probes, each a slice at a rate of its own.

use super::super::Round;
use super::Mode;
use crate::Error;
use crate::latency;
use crate::order;
use crate::slice::{Place, Running};
use judge::find::max_rate::{self, Answer};
use model::experiment::Objective;
use model::plan::Arrivals;
use model::record::{RoundRecord, SliceRecord};
use model::step::Step;
use model::units::{Nanos, Rate};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;

/// Connections at most.
const CONNECTIONS: f64 = 8192.0;
/// The first rate tried, as a share of the throughput in the closed loop.
const FIRST: f64 = 0.5;
/// Probes at most on the way there, and beyond the rates around it.
const SEARCH: usize = 20;
const BEYOND: i32 = 6;

impl Mode for Objective {
    fn search(
        &self,
        round: &mut Round<'_>,
        running: &Running,
        record: &RoundRecord,
        random: &mut ChaCha8Rng,
    ) -> Result<Vec<SliceRecord>, Error> {
        let known = |arm: usize| max_rate::known_place(self, round.earlier, arm);
        let known: Option<Vec<i32>> = (0..running.servers.len()).map(known).collect();
        let mut probing = Probing {
            round,
            running,
            objective: *self,
            random,
            slices: Vec::new(),
        };
        let candidates = match known {
            Some(known) => known,
            None => probing.approach(record)?,
        };
        probing.around(&candidates)?;
        Ok(probing.slices)
    }
}

/// The probes of a round.
struct Probing<'a, 'r> {
    round: &'a mut Round<'r>,
    running: &'a Running,
    objective: Objective,
    random: &'a mut ChaCha8Rng,
    /// Those so far.
    slices: Vec<SliceRecord>,
}

impl Probing<'_, '_> {
    /// Halves the way to the highest rate of each arm, arms in turns.
    fn approach(&mut self, record: &RoundRecord) -> Result<Vec<i32>, Error> {
        let closed: Vec<SliceRecord> = record.closed().cloned().collect();
        let throughput = |arm: usize| latency::throughput(&closed, 0, arm);
        let arms = self.running.servers.len();
        let mut ways: Vec<Search> = (0..arms).map(|arm| Search::new(throughput(arm))).collect();
        while ways.iter().any(|way| way.next().is_some()) {
            for arm in order::permutation(self.random, arms) {
                if let Some(place) = ways[arm].next() {
                    let answer = self.probe(arm, place)?;
                    ways[arm].told(answer);
                }
            }
        }
        Ok(ways.iter().map(Search::candidate).collect())
    }

    /// Probes every arm at the rates around its candidate, there and back; and further where that shows no limit.
    fn around(&mut self, candidates: &[i32]) -> Result<(), Error> {
        let places: Vec<Vec<i32>> = candidates
            .iter()
            .map(|place| max_rate::places_around(*place))
            .collect();
        let steps = places.first().map_or(0, Vec::len);
        let there = order::permutation(self.random, steps);
        let arms = order::permutation(self.random, candidates.len());
        for &step in &there {
            for &arm in &arms {
                self.probe(arm, places[arm][step])?;
            }
        }
        let mut ends = Vec::new();
        for &step in there.iter().rev() {
            for &arm in arms.iter().rev() {
                let answer = self.probe(arm, places[arm][step])?;
                ends.push((arm, step, answer));
            }
        }
        for (arm, own) in places.iter().enumerate() {
            let at = |wanted: usize| {
                let found = ends.iter().find(|(of, step, _)| *of == arm && *step == wanted);
                found.map(|(.., answer)| *answer)
            };
            if at(steps - 1) == Some(Answer::Kept) {
                self.further(arm, own[steps - 1], 1)?;
            }
            if at(0) == Some(Answer::Missed) {
                self.further(arm, own[0], -1)?;
            }
        }
        Ok(())
    }

    /// Steps on by `step` from `end`, an end of the rates around a candidate, until the answer is another.
    fn further(&mut self, arm: usize, end: i32, step: i32) -> Result<(), Error> {
        let going_on = if step > 0 { Answer::Kept } else { Answer::Missed };
        let places = (1..=BEYOND).map(|more| end + step * more);
        for place in places.filter(|place| *place >= 0) {
            if self.probe(arm, place)? != going_on {
                break;
            }
        }
        Ok(())
    }

    /// One probe, on connections of its own.
    fn probe(&mut self, arm: usize, place: i32) -> Result<Answer, Error> {
        let rate = max_rate::rate(place);
        let name = &self.round.experiment.arms[arm].name;
        let probing = Step::Probing {
            arm: name.clone(),
            rate,
        };
        self.round.step(probing, 0.85);
        let limit = self.objective.limit.as_secs_f64();
        let (seed, users) = (self.random.next_u64(), self.round.experiment.load.connections[0]);
        let usual = latency::arrivals(Rate(rate), users).connections();
        let under_way = (2.0 * rate * limit).min(CONNECTIONS) as usize;
        let arrivals = Arrivals::Open {
            rate: Rate(rate),
            poisson: true,
            connections: usual.max(under_way),
        };
        let server = &self.running.servers[arm];
        let mut session = self.round.session(server, arrivals, Nanos(0), seed)?;
        let at = Place {
            round: self.round.number,
            quad: self.slices.len() as u32,
            position: 0,
            arm,
            level: 0,
            rate: Some(rate),
            probe: true,
            seed,
        };
        let window = max_rate::window(self.round.experiment, &self.objective);
        let slice = self.round.slice(&mut session, &self.running.meters, at, window)?;
        let answer = max_rate::answer(&slice, &self.objective);
        self.slices.push(slice);
        Ok(answer)
    }
}

/// The way of one arm to the place where it stops keeping the objective: doubling steps until that place is passed, then
/// halves.
#[derive(Clone, Debug)]
struct Search {
    next: i32,
    step: i32,
    kept: Option<i32>,
    missed: Option<i32>,
    left: usize,
}

impl Search {
    /// Of an arm that answered so many requests per second in the closed loop.
    fn new(throughput: f64) -> Self {
        Self {
            next: max_rate::nearest_place((FIRST * throughput).max(1.0)),
            step: 4,
            kept: None,
            missed: None,
            left: SEARCH,
        }
    }

    /// The place to probe next; `None` when it is found, or there is none.
    fn next(&self) -> Option<i32> {
        let apart = self.kept.zip(self.missed).map(|(kept, missed)| missed - kept);
        let found = apart.is_some_and(|apart| apart <= 1);
        (!found && self.left > 0 && self.next >= 0).then_some(self.next)
    }

    /// What the probe at [`Self::next`] said.
    fn told(&mut self, answer: Answer) {
        self.left -= 1;
        match answer {
            Answer::Kept => self.kept = Some(self.next),
            Answer::Missed | Answer::Late => self.missed = Some(self.next),
        }
        self.next = match (self.kept, self.missed) {
            (Some(kept), Some(missed)) => kept + (missed - kept) / 2,
            (Some(kept), None) => kept + self.step,
            // Below the lowest place there is none.
            (None, Some(0)) => -1,
            (None, missed) => (missed.unwrap_or(self.next) - self.step).max(0),
        };
        if self.kept.is_none() || self.missed.is_none() {
            self.step *= 2;
        }
    }

    /// The highest place that was kept; without one the lowest that was tried.
    fn candidate(&self) -> i32 {
        self.kept.or(self.missed).unwrap_or(self.next).max(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use judge::find::max_rate::{answer, rate};
    use judge::testing::{objective, probe};

    #[test]
    fn a_search_ends_next_to_the_truth_wherever_it_begins() {
        let objective = objective();
        for truth in [37.0, 512.0, 9_000.0, 64_000.0] {
            for throughput in [100.0, 20_000.0, 90_000.0] {
                let mut way = Search::new(throughput);
                let mut probes = 0;
                while let Some(place) = way.next() {
                    way.told(answer(&probe(0, rate(place), truth), &objective));
                    probes += 1;
                }
                let found = rate(way.candidate());
                assert!(
                    found <= truth * 1.01 && found > truth / 1.07,
                    "{truth} {throughput}: {found}"
                );
                assert!(probes <= SEARCH);
            }
        }
        let mut never = Search::new(1000.0);
        while never.next().is_some() {
            never.told(Answer::Missed);
        }
        assert!(never.candidate() >= 0);
    }
}
