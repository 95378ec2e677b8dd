//! The lab: runs an experiment. It joins servers ([`sut`]), load ([`load`]) and readings ([`probe`]) into rounds, asks of
//! each round whether it was the server that was measured, and of all of them what can be said.
//!
//! It promises: every server it started is stopped when it returns, whatever happened; a void round is reported, never
//! dropped; the order of everything comes from the seed.

mod bench;
pub mod calibration;
mod error;
pub mod event;
mod findings;
mod latency;
mod numbers;
mod order;
mod percentiles;
mod ranking;
mod remarks;
mod round;
mod schedule;
mod slice;
#[cfg(test)]
mod testing;
mod validity;
mod verdicts;
mod warmup;

pub use bench::Bench;
pub use error::Error;
pub use percentiles::{Times, times};
pub use slice::counts;

use event::{Event, Observer};
use model::experiment::Experiment;
use model::outcome::{ArmResult, Comparison, Effective, Ranking};
use model::record::RoundRecord;
use numbers::Numbers;
use round::Round;
use schedule::Schedule;
use std::sync::atomic::{AtomicBool, Ordering};
use verdicts::Standing;

/// What an experiment found.
#[derive(Debug)]
pub struct Findings {
    /// The variants, in the order of the experiment.
    pub arms: Vec<ArmResult>,
    /// Arm against baseline, measure by measure.
    pub comparisons: Vec<Comparison>,
    /// The arms by the headline, where there are more than two and no level is invalid.
    pub ranking: Option<Ranking>,
    /// Rounds that count.
    pub starts: u32,
    /// Rounds that a gate voided.
    pub starts_void: u32,
    /// How long it took, seconds.
    pub elapsed: f64,
    /// Ended by the user.
    pub interrupted: bool,
    /// What the reader has to know.
    pub notes: Vec<String>,
}

/// Runs `experiment` on a prepared bench until the headline is decided, the cap or the budget is reached, or `stop` is
/// raised. `seed` fixes the order of everything.
pub fn run(
    experiment: &Experiment,
    bench: &Bench,
    seed: u64,
    stop: &AtomicBool,
    observer: &mut dyn Observer,
) -> Result<Findings, Error> {
    let mut run = Run::new(experiment);
    observer.event(Event::Planned {
        at_most: run.schedule.left(0.0),
    });
    while run.wants_another() {
        let round = Round {
            experiment,
            bench,
            number: run.rounds.len() as u32 + 1,
            earlier: &run.rounds,
            schedule: &run.schedule,
            stop,
            observer,
        };
        match round.run(seed, run.effective.is_empty()) {
            Ok(ended) => run.add(ended, observer),
            Err(_) if stop.load(Ordering::Relaxed) => {
                run.interrupted = true;
                break;
            }
            Err(error) => return Err(error),
        }
    }
    Ok(run.findings())
}

/// Without a cap, void rounds are borne as if so many were planned at least.
const FEW_ROUNDS: usize = 12;

/// An experiment on its way.
struct Run<'a> {
    experiment: &'a Experiment,
    schedule: Schedule,
    rounds: Vec<RoundRecord>,
    numbers: Vec<Numbers>,
    effective: Vec<Effective>,
    /// The verdicts after the last round.
    standing: Standing,
    interrupted: bool,
}

impl<'a> Run<'a> {
    fn new(experiment: &'a Experiment) -> Self {
        Self {
            experiment,
            schedule: Schedule::new(&experiment.design, experiment.arms.len()),
            rounds: Vec::new(),
            numbers: Vec::new(),
            effective: Vec::new(),
            standing: verdicts::judge(experiment, &[], 0.0),
            interrupted: false,
        }
    }

    /// Void rounds are repeated, but not for ever.
    fn wants_another(&self) -> bool {
        let cap = self.experiment.design.starts.map(|cap| cap as usize);
        let counted = self.numbers.len();
        let void = self.rounds.len() - counted;
        !self.standing.decided
            && cap.is_none_or(|cap| counted < cap)
            && void <= cap.unwrap_or(counted.max(FEW_ROUNDS)) / 3
            && self.schedule.fits_another()
    }

    fn add(&mut self, mut ended: round::Ended, observer: &mut dyn Observer) {
        let (arms, baseline) = (self.experiment.arms.len(), self.experiment.design.baseline);
        if ended.record.void.is_none() {
            match Numbers::of(&ended.record, arms, baseline) {
                Some(numbers) => self.numbers.push(numbers),
                None => ended.record.void = Some("a measure has no value in it".to_owned()),
            }
        }
        if let Some(effective) = ended.effective {
            self.effective = effective;
        }
        self.schedule
            .ended(ended.record.elapsed, ended.record.void.is_none());
        self.standing = verdicts::judge(self.experiment, &self.numbers, self.schedule.round());
        let left = self.schedule.left(0.0);
        observer.event(Event::RoundEnded {
            record: &ended.record,
            verdicts: &self.standing.comparisons,
            left,
        });
        self.rounds.push(ended.record);
    }

    fn findings(self) -> Findings {
        let arms = findings::arms(self.experiment, &self.rounds, &self.numbers, &self.effective);
        let mut comparisons = self.standing.comparisons;
        findings::void_comparisons(&mut comparisons, &arms);
        let valid = arms.iter().flat_map(|arm| &arm.levels).all(|level| level.valid);
        Findings {
            arms,
            comparisons,
            ranking: self.standing.ranking.filter(|_| valid),
            starts: self.numbers.len() as u32,
            starts_void: self.rounds.iter().filter(|round| round.void.is_some()).count() as u32,
            elapsed: self.schedule.used(),
            interrupted: self.interrupted,
            notes: findings::notes(&self.rounds),
        }
    }
}
