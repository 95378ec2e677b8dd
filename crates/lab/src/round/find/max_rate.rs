//! The search for the highest rate that keeps an objective, at the end of a round. It measures probes: single slices at
//! different rates. Rates are places on a logarithmic scale.

use super::super::{Manner, Round};
use super::RoundMode;
use crate::Error;
use crate::latency;
use crate::order;
use crate::slice::{RunningArms, SlicePosition};
use ask::experiment::Objective;
use judge::find::max_rate::{self, Answer};
use model::units::Rate;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;
use record::rounds::{RoundRecord, SliceRecord};
use record::step::Step;
use traffic::plan::Arrivals;

/// The largest number of connections.
const CONNECTIONS: f64 = 8192.0;
/// The first rate to try, as a share of the throughput in the closed loop.
const FIRST: f64 = 0.5;
/// The largest number of probes of one arm's search.
const SEARCH: usize = 20;
/// The largest number of probes beyond the rates around a candidate.
const BEYOND: i32 = 6;

impl RoundMode for Objective {
    fn search(
        &self,
        round: &mut Round<'_>,
        running: &RunningArms,
        record: &RoundRecord,
        random: &mut ChaCha8Rng,
    ) -> Result<Vec<SliceRecord>, Error> {
        let known = |arm: usize| max_rate::known_place(self, round.earlier, arm);
        let known: Option<Vec<i32>> = (0..running.servers.len()).map(known).collect();
        let mut probing = Probing { round, running, objective: *self, random, slices: Vec::new() };
        let candidates = match known {
            Some(known) => known,
            None => probing.search(record)?,
        };
        probing.probe_around(&candidates)?;
        Ok(probing.slices)
    }
}

/// The probes of a round.
struct Probing<'a, 'r> {
    round: &'a mut Round<'r>,
    running: &'a RunningArms,
    objective: Objective,
    random: &'a mut ChaCha8Rng,
    /// The probes so far.
    slices: Vec<SliceRecord>,
}

impl Probing<'_, '_> {
    /// Searches for the highest rate of each arm, the arms in turns. Returns the candidates' places.
    fn search(&mut self, record: &RoundRecord) -> Result<Vec<i32>, Error> {
        let closed: Vec<SliceRecord> = record.closed().cloned().collect();
        let throughput = |arm: usize| latency::throughput(&closed, 0, arm);
        let arms = self.running.servers.len();
        let mut searches: Vec<Search> = (0..arms).map(|arm| Search::new(throughput(arm))).collect();
        while searches.iter().any(|search| search.next().is_some()) {
            for arm in order::permutation(self.random, arms) {
                if let Some(place) = searches[arm].next() {
                    let answer = self.probe(arm, place)?;
                    searches[arm].add(answer);
                }
            }
        }
        Ok(searches.iter().map(Search::candidate).collect())
    }

    /// Probes every arm at the rates around its candidate, in random order and then in the reverse order. Where all of
    /// these rates keep or all miss the objective, it probes further.
    fn probe_around(&mut self, candidates: &[i32]) -> Result<(), Error> {
        let places: Vec<Vec<i32>> = candidates.iter().map(|place| max_rate::places_around(*place)).collect();
        let steps = places.first().map_or(0, Vec::len);
        let forward = order::permutation(self.random, steps);
        let arms = order::permutation(self.random, candidates.len());
        for &step in &forward {
            for &arm in &arms {
                self.probe(arm, places[arm][step])?;
            }
        }
        let mut ends = Vec::new();
        for &step in forward.iter().rev() {
            for &arm in arms.iter().rev() {
                let answer = self.probe(arm, places[arm][step])?;
                ends.push((arm, step, answer));
            }
        }
        for (arm, places) in places.iter().enumerate() {
            let answer_at = |wanted: usize| {
                let end = ends.iter().find(|(probed, step, _)| *probed == arm && *step == wanted);
                end.map(|(.., answer)| *answer)
            };
            if answer_at(steps - 1) == Some(Answer::Kept) {
                self.probe_beyond(arm, places[steps - 1], 1)?;
            }
            if answer_at(0) == Some(Answer::Missed) {
                self.probe_beyond(arm, places[0], -1)?;
            }
        }
        Ok(())
    }

    /// Probes further places from `end` on in steps of `step`, until the answer changes.
    fn probe_beyond(&mut self, arm: usize, end: i32, step: i32) -> Result<(), Error> {
        let expected = if step > 0 { Answer::Kept } else { Answer::Missed };
        let places = (1..=BEYOND).map(|more| end + step * more);
        for place in places.filter(|place| *place >= 0) {
            if self.probe(arm, place)? != expected {
                break;
            }
        }
        Ok(())
    }

    /// Measures one probe on new connections.
    fn probe(&mut self, arm: usize, place: i32) -> Result<Answer, Error> {
        let rate = max_rate::rate(place);
        let name = &self.round.experiment.arms[arm].name;
        let probing = Step::Probing { arm: name.clone(), rate };
        self.round.report_step(probing, 0.85);
        let limit = self.objective.limit.as_secs_f64();
        let (seed, users) = (self.random.next_u64(), self.round.experiment.load.connections[0]);
        let usual = latency::arrivals(rate, users).connections();
        let in_flight = (2.0 * rate.0 * limit).min(CONNECTIONS) as usize;
        let arrivals = Arrivals::Open { rate, poisson: true, connections: usual.max(in_flight) };
        let server = &self.running.servers[arm];
        let mut session = self.round.session(arm, server, arrivals, Manner::default(), seed)?;
        let position = SlicePosition {
            round: self.round.number,
            quad: self.slices.len() as u32,
            position: 0,
            arm,
            level: 0,
            rate: Some(rate),
            probe: true,
            curve: false,
            together: false,
            seed,
        };
        let window = max_rate::window(self.round.experiment, &self.objective);
        let slice = self.round.measure_slice(session.as_mut(), &self.running.meters, position, window)?;
        let answer = max_rate::answer(&slice, &self.objective);
        self.slices.push(slice);
        Ok(answer)
    }
}

/// The search of one arm for the highest place that keeps the objective. Steps double until one place keeps it and one
/// misses it; then the interval between them is halved.
#[derive(Clone, Debug)]
struct Search {
    next: i32,
    step: i32,
    kept: Option<i32>,
    missed: Option<i32>,
    left: usize,
}

impl Search {
    /// The search of an arm with this throughput (requests per second) in the closed loop.
    fn new(throughput: f64) -> Self {
        Self {
            next: max_rate::nearest_place(Rate((FIRST * throughput).max(1.0))),
            step: 4,
            kept: None,
            missed: None,
            left: SEARCH,
        }
    }

    /// The place to probe next; `None` when the search has ended.
    fn next(&self) -> Option<i32> {
        let apart = self.kept.zip(self.missed).map(|(kept, missed)| missed - kept);
        let is_found = apart.is_some_and(|apart| apart <= 1);
        (!is_found && self.left > 0 && self.next >= 0).then_some(self.next)
    }

    /// Adds the answer of the probe at [`Self::next`].
    fn add(&mut self, answer: Answer) {
        self.left -= 1;
        match answer {
            Answer::Kept => self.kept = Some(self.next),
            Answer::Missed | Answer::Late => self.missed = Some(self.next),
        }
        self.next = match (self.kept, self.missed) {
            (Some(kept), Some(missed)) => kept + (missed - kept) / 2,
            (Some(kept), None) => kept + self.step,
            // The lowest place misses the objective: the search ends.
            (None, Some(0)) => -1,
            (None, missed) => (missed.unwrap_or(self.next) - self.step).max(0),
        };
        if self.kept.is_none() || self.missed.is_none() {
            self.step *= 2;
        }
    }

    /// The highest place that keeps the objective; if there is none, the lowest that was tried.
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
                let mut search = Search::new(throughput);
                let mut probes = 0;
                while let Some(place) = search.next() {
                    search.add(answer(&probe(0, rate(place).0, truth), &objective));
                    probes += 1;
                }
                let result = rate(search.candidate()).0;
                assert!(result <= truth * 1.01 && result > truth / 1.07, "{truth} {throughput}: {result}");
                assert!(probes <= SEARCH);
            }
        }
        let mut never = Search::new(1000.0);
        while never.next().is_some() {
            never.add(Answer::Missed);
        }
        assert!(never.candidate() >= 0);
    }
}
