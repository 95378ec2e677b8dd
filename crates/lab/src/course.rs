//! The course of a run: rounds until the headline is decided, the cap or the budget is reached, or the user ends it.

use crate::Error;
use crate::bench::Bench;
use crate::event::{Event, Observer};
use crate::round::Round;
use crate::schedule::Schedule;
use judge::numbers::Numbers;
use judge::planning;
use judge::round_time::{Pairs, round_seconds};
use judge::verdicts::{self, Standing};
use model::experiment::Experiment;
use model::note::RunNote;
use model::record::{RoundRecord, RunRecord};
use model::units::Nanos;
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
        typically: planning::typical_duration(
            &record.experiment,
            round_seconds(&record.experiment, &run.rounds),
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
        let pairs = planning::next_pairs(experiment, &course.rounds);
        let last = course.rounds.last().map_or(pairs, |round| Pairs {
            closed: round.pairs,
            open: round.latency_pairs,
        });
        schedule.lengthen(longer(experiment, last, pairs));
        let numbers = Numbers::of_rounds(experiment, &course.rounds);
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
        self.numbers
            .extend(Numbers::of_ended_round(self.experiment, &mut record));
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
        let pairs = planning::next_pairs(self.experiment, &self.rounds);
        self.schedule.lengthen(longer(self.experiment, self.pairs, pairs));
        self.pairs = pairs;
        if counted && self.numbers.len() == planning::FORECAST && !self.standing.decided {
            let forecast = planning::forecast(self.experiment, &self.numbers, self.schedule.round());
            if let Some(forecast) = forecast {
                observer.event(Event::Note(&RunNote::Forecast(forecast).into()));
            }
        }
    }
}

/// How much longer a round gets with other pairs, seconds; less than nothing when it gets shorter.
fn longer(experiment: &Experiment, before: Pairs, after: Pairs) -> f64 {
    after.seconds(experiment) - before.seconds(experiment)
}
