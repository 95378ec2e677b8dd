//! The course of a run: rounds until the headline is decided, the cap or the budget is reached, or the user ends it.

use crate::Error;
use crate::bench::Bench;
use crate::event::{Event, Observer};
use crate::numbers::Numbers;
use crate::planning::{self, Pairs};
use crate::round::Round;
use crate::schedule::{self, Schedule};
use crate::verdicts::{self, Standing};
use model::experiment::Experiment;
use model::outcome::Comparison;
use model::record::{RoundRecord, RunRecord};
use model::units::Nanos;
use std::slice;
use std::sync::atomic::{AtomicBool, Ordering};

/// Void rounds are borne as if so many were planned at least: a noisy minute is not a noisy run.
const FEW_ROUNDS: usize = 12;

/// Where a run stands: at its begin, or where an earlier part of it was left.
#[derive(Clone, Debug, PartialEq)]
pub struct Course {
    /// The rounds that ended, void ones too.
    pub rounds: Vec<RoundRecord>,
    /// The number of the next round: its random numbers come from it, so none is used twice.
    pub next: u32,
    /// Time for this part of the run; no round begins that would end later.
    pub budget: Option<Nanos>,
    /// It ends when so many rounds count, if it has not before.
    pub most: Option<usize>,
}

impl Course {
    /// A new run.
    pub fn new(experiment: &Experiment) -> Self {
        Self {
            rounds: Vec::new(),
            next: 1,
            budget: experiment.design.budget,
            most: None,
        }
    }
}

/// Runs `record.experiment` on a prepared bench from where it stands until the headline is decided, the cap or the budget
/// is reached, or `stop` is raised. Returns its rounds, the earlier ones too; how long it took and whether it was ended are
/// noted in `record`, which must be stored then.
pub fn run(
    record: &mut RunRecord,
    course: Course,
    bench: &Bench,
    stop: &AtomicBool,
    observer: &mut dyn Observer,
) -> Result<Vec<RoundRecord>, Error> {
    let (seed, before) = (record.seed, record.elapsed);
    let mut run = Run::new(&record.experiment, course);
    observer.event(Event::Planned {
        at_most: run.schedule.left(0.0),
        typically: planning::typical(
            &record.experiment,
            schedule::round_seconds(&record.experiment, &run.rounds),
        ),
    });
    let mut interrupted = false;
    let _there = bench.enter()?;
    while run.wants_another() && !interrupted {
        let round = Round {
            experiment: &record.experiment,
            bench,
            number: run.next,
            pairs: run.pairs,
            earlier: &run.rounds,
            schedule: &run.schedule,
            stop,
            observer,
        };
        match round.run(seed) {
            Ok(ended) => run.add(ended, observer),
            Err(_) if stop.load(Ordering::Relaxed) => interrupted = true,
            Err(error) => return Err(error),
        }
    }
    let (rounds, used) = (run.rounds, run.schedule.used());
    record.elapsed = before + used;
    record.interrupted = interrupted;
    Ok(rounds)
}

/// How everything stood after each of these rounds: what an observer was told then.
pub fn standings(experiment: &Experiment, rounds: &[RoundRecord]) -> impl Iterator<Item = Vec<Comparison>> {
    let mut numbers = Vec::new();
    rounds.iter().zip(1..).map(move |(round, count)| {
        numbers.extend(Numbers::of_all(experiment, slice::from_ref(round)));
        let seconds = schedule::round_seconds(experiment, &rounds[..count]);
        verdicts::judge(experiment, &numbers, seconds).comparisons
    })
}

/// An experiment on its way.
struct Run<'a> {
    experiment: &'a Experiment,
    schedule: Schedule,
    rounds: Vec<RoundRecord>,
    next: u32,
    most: Option<usize>,
    /// Pairs of slices in the next round.
    pairs: Pairs,
    numbers: Vec<Numbers>,
    /// The verdicts after the last round.
    standing: Standing,
}

impl<'a> Run<'a> {
    fn new(experiment: &'a Experiment, course: Course) -> Self {
        let mut schedule = Schedule::new(experiment, course.budget, &course.rounds);
        let pairs = planning::pairs(experiment, &course.rounds);
        let last = course.rounds.last().map_or(pairs, |round| Pairs {
            closed: round.pairs,
            open: round.latency_pairs,
        });
        schedule.lengthen(longer(experiment, last, pairs));
        let numbers = Numbers::of_all(experiment, &course.rounds);
        let standing = verdicts::judge(experiment, &numbers, schedule.round());
        Self {
            experiment,
            schedule,
            rounds: course.rounds,
            next: course.next,
            most: course.most,
            pairs,
            numbers,
            standing,
        }
    }

    /// Void rounds are repeated, but not for ever.
    fn wants_another(&self) -> bool {
        let cap = self.experiment.design.starts.map(|cap| cap as usize);
        let counted = self.numbers.len();
        let void = self.rounds.len() - counted;
        (!self.standing.decided || self.standing.open)
            && cap.is_none_or(|cap| counted < cap)
            && self.most.is_none_or(|most| counted < most)
            && void <= cap.unwrap_or(counted).max(FEW_ROUNDS) / 3
            && self.schedule.fits_another()
    }

    fn add(&mut self, mut record: RoundRecord, observer: &mut dyn Observer) {
        if record.void.is_none() {
            match Numbers::of(self.experiment, &record) {
                Some(numbers) => {
                    note_silent(&mut record, &numbers);
                    self.numbers.push(numbers);
                }
                None => record.void = Some(NO_VALUE.to_owned()),
            }
        }
        self.schedule.ended(&record);
        self.standing = verdicts::judge(self.experiment, &self.numbers, self.schedule.round());
        let left = self.schedule.left(0.0);
        observer.event(Event::RoundEnded {
            record: &record,
            verdicts: &self.standing.comparisons,
            left,
        });
        self.next = record.round + 1;
        let counted = record.void.is_none();
        self.rounds.push(record);
        let pairs = planning::pairs(self.experiment, &self.rounds);
        self.schedule.lengthen(longer(self.experiment, self.pairs, pairs));
        self.pairs = pairs;
        if counted && self.numbers.len() == planning::FORECAST && !self.standing.decided {
            let forecast = planning::forecast(self.experiment, &self.numbers, self.schedule.round());
            forecast.inspect(|said| observer.event(Event::Forecast(said)));
        }
    }
}

/// Why a round or a level of it gives no number.
const NO_VALUE: &str = "a measure has no value in it";

/// A level without numbers does not count, and says so.
fn note_silent(record: &mut RoundRecord, numbers: &Numbers) {
    for level in &mut record.levels {
        if level.void.is_none() && numbers.levels[level.level].is_none() {
            level.void = Some(NO_VALUE.to_owned());
        }
    }
}

/// How much longer a round gets with other pairs, seconds; less than nothing when it gets shorter.
fn longer(experiment: &Experiment, before: Pairs, after: Pairs) -> f64 {
    after.seconds(experiment) - before.seconds(experiment)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge;
    use crate::testing::{PLAIN, experiment, record, round};

    #[test]
    fn what_stood_after_each_round_is_found_again() {
        let rounds: Vec<RoundRecord> = (1..=6)
            .map(|number| {
                let mut round = round(number, &[PLAIN, PLAIN.better(1.0 + 0.01 * f64::from(number))]);
                round.void = (number == 3).then(|| "a void one".to_owned());
                round
            })
            .collect();
        let run = record(experiment());
        let stood: Vec<Vec<Comparison>> = standings(&run.experiment, &rounds).collect();
        assert_eq!(stood.len(), 6);
        assert_eq!(stood[1], stood[2], "a void round adds nothing");
        assert_ne!(stood[4], stood[5]);
        for (count, stood) in (1..).zip(stood) {
            assert_eq!(stood, judge::report(&run, &rounds[..count]).comparisons);
        }
    }
}
