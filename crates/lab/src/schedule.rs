//! How long it still takes, and whether another round fits.

use crate::order;
use model::experiment::Design;
use model::units::Nanos;
use std::time::Instant;

/// What one arm costs a round besides its slices, before a round has shown it: start and stop, seconds.
const START_AND_STOP: f64 = 3.0;

/// The time of a run: what is used, what a round takes, what is left.
#[derive(Clone, Debug)]
pub(crate) struct Schedule {
    begun: Instant,
    budget: Option<f64>,
    cap: Option<u32>,
    guess: f64,
    /// Length of every round that ended, seconds.
    rounds: Vec<f64>,
    /// Rounds that count.
    valid: u32,
}

impl Schedule {
    /// The run begins now; `arms` are started in every round.
    pub(crate) fn new(design: &Design, arms: usize) -> Self {
        let slices = f64::from(design.pairs) * order::row(arms, design.baseline).len() as f64;
        let slice = (design.settle + design.slice).as_secs_f64();
        let warmup = design.warmup.as_secs_f64();
        let guess = slices * slice + arms as f64 * (START_AND_STOP + warmup);
        let budget = design.budget.map(Nanos::as_secs_f64);
        Self {
            begun: Instant::now(),
            budget,
            cap: design.starts,
            guess,
            rounds: Vec::new(),
            valid: 0,
        }
    }

    /// A round of so many seconds ended.
    pub(crate) fn ended(&mut self, seconds: f64, valid: bool) {
        self.rounds.push(seconds);
        self.valid += u32::from(valid);
    }

    /// What the next round will take, seconds: the mean of the last three.
    pub(crate) fn round(&self) -> f64 {
        let last = &self.rounds[self.rounds.len().saturating_sub(3)..];
        if last.is_empty() {
            self.guess
        } else {
            last.iter().sum::<f64>() / last.len() as f64
        }
    }

    /// Seconds since the run began.
    pub(crate) fn used(&self) -> f64 {
        self.begun.elapsed().as_secs_f64()
    }

    /// Another round begins only if it ends in time. The first one always does: without it there is nothing to say.
    pub(crate) fn fits_another(&self) -> bool {
        self.rounds.is_empty()
            || self
                .budget
                .is_none_or(|budget| self.used() + self.round() <= budget)
    }

    /// Time left at most, `share` of the running round being done; `None` with neither a cap nor a budget.
    pub(crate) fn left(&self, share: f64) -> Option<Nanos> {
        let left = self.seconds_left(share);
        left.is_finite().then(|| Nanos::from_secs_f64(left))
    }

    fn seconds_left(&self, share: f64) -> f64 {
        let by_rounds = self.cap.map_or(f64::INFINITY, |cap| {
            let rounds = f64::from(cap.saturating_sub(self.valid)) - share;
            rounds.max(0.0) * self.round()
        });
        let by_budget = self
            .budget
            .map_or(f64::INFINITY, |budget| (budget - self.used()).max(0.0));
        by_rounds.min(by_budget)
    }

    /// How far the run is, 0 to 1, if it takes as long as it may.
    pub(crate) fn share(&self, share: f64) -> f64 {
        let (used, left) = (self.used(), self.seconds_left(share));
        used / (used + left).max(1e-9)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schedule(budget: Option<u64>) -> Schedule {
        let design = Design {
            budget: budget.map(Nanos::from_secs),
            starts: Some(12),
            pairs: 8,
            ..Design::default()
        };
        Schedule::new(&design, 2)
    }

    #[test]
    fn before_the_first_round_the_design_tells_its_length() {
        // 16 slices of 0.6 s, two arms of 4 s warm-up and 3 s start and stop.
        assert!((schedule(None).round() - 23.6).abs() < 1e-9);
    }

    #[test]
    fn a_round_begins_only_when_it_ends_within_the_budget() {
        let mut tight = schedule(Some(20));
        assert!(tight.fits_another(), "the first round always runs");
        tight.ended(15.0, true);
        assert!(tight.fits_another());
        tight.ended(30.0, true);
        assert!(!tight.fits_another());
        assert!(schedule(None).fits_another());
    }

    #[test]
    fn what_is_left_is_the_smaller_of_rounds_and_budget() {
        let left = |schedule: &Schedule, share| schedule.left(share).expect("a limit").as_secs_f64();
        assert!((left(&schedule(None), 0.5) - 11.5 * 23.6).abs() < 1e-6);
        assert!(left(&schedule(Some(60)), 0.0) <= 60.0);
        let mut endless = schedule(None);
        endless.cap = None;
        assert_eq!((endless.left(0.5), endless.share(0.5)), (None, 0.0));
    }
}
