//! [`Schedule`]: how long a run still takes, and whether another round fits into its budget.

use ask::experiment::Experiment;
use judge::round_time::{guess_time, recent_time};
use model::units::{Nanos, Seconds};
use record::note::RunNote;
use record::rounds::{RoundRecord, counted};
use std::cell::Cell;
use std::time::Instant;

/// The time of a run: the used time, the length of a round, and the time that is left.
#[derive(Clone, Debug)]
pub(crate) struct Schedule {
    begun: Instant,
    budget: Option<Seconds>,
    cap: Option<u32>,
    /// The length of the first round, as far as it is known.
    guess: Cell<Seconds>,
    /// The length of every round that has ended.
    rounds: Vec<Seconds>,
    /// The number of rounds that ended in an earlier part of the run.
    earlier: usize,
    /// The number of rounds of this plan that count.
    valid: u32,
    /// The time that may still be spent waiting for a quieter machine.
    patience: Seconds,
    /// The time that the inspections after the last round take; 0 where there are none.
    inspections: Seconds,
    /// Whether the rounds are over.
    rounds_ended: bool,
}

/// The longest time that a part of a run waits for a quieter machine.
const PATIENCE: Seconds = Seconds(60.0);
/// The same limit as a share of the planned time.
const PATIENCE_SHARE: f64 = 0.1;

impl Schedule {
    /// The schedule of a part of a run that begins now, after these rounds. The first `before_plan` of them belong to earlier plans.
    pub(crate) fn new(
        experiment: &Experiment,
        budget: Option<Nanos>,
        earlier: &[RoundRecord],
        before_plan: usize,
    ) -> Self {
        let valid = counted(earlier.get(before_plan..).unwrap_or_default()).count();
        let mut schedule = Self {
            begun: Instant::now(),
            budget: budget.map(Seconds::from),
            cap: experiment.design.starts,
            guess: Cell::new(guess_time(experiment)),
            rounds: earlier.iter().map(|round| round.elapsed).collect(),
            earlier: earlier.len(),
            valid: valid as u32,
            patience: Seconds::ZERO,
            inspections: Seconds::ZERO,
            rounds_ended: false,
        };
        schedule.patience = PATIENCE.min(PATIENCE_SHARE * schedule.planned_time(0.0));
        schedule
    }

    /// Adds a round that has ended.
    pub(crate) fn add(&mut self, round: &RoundRecord) {
        self.rounds.push(round.elapsed);
        self.valid += u32::from(round.void.is_none());
        self.patience = self.patience - round.waited;
    }

    /// From now on rounds take so much longer than the ended ones.
    pub(crate) fn lengthen(&mut self, by: Seconds) {
        self.rounds.iter_mut().for_each(|round| *round += by);
    }

    /// The first round, which is under way, will take so much longer than was guessed.
    pub(crate) fn lengthen_first(&self, by: Seconds) {
        self.guess.set(self.guess.get() + by.max(Seconds::ZERO));
    }

    /// Reserves this time for the inspections after the last round.
    pub(crate) fn reserve(&mut self, time: Seconds) {
        self.inspections = time;
    }

    /// From now on only the inspections are left. They always begin, as the first round does, however short the budget is: without
    /// them there is no explanation.
    pub(crate) fn end_rounds(&mut self) {
        self.rounds_ended = true;
    }

    /// The time that may still be spent waiting for a quieter machine.
    pub(crate) fn patience(&self) -> Seconds {
        self.patience
    }

    /// The expected length of the next round: the mean of the last three, without the first round, which also
    /// measures how slow a service is.
    pub(crate) fn round_time(&self) -> Seconds {
        recent_time(&self.rounds).unwrap_or(self.guess.get())
    }

    /// The time since this part of the run began.
    pub(crate) fn used(&self) -> Seconds {
        self.begun.elapsed().into()
    }

    /// Whether no round of this part has ended.
    pub(crate) fn is_first_round(&self) -> bool {
        self.rounds.len() == self.earlier
    }

    /// Whether another round would end in time, and the inspections after it. The first one always may begin: without it there is no
    /// result.
    pub(crate) fn fits_another(&self) -> bool {
        self.is_first_round()
            || self.budget.is_none_or(|budget| self.used() + self.round_time() + self.inspections <= budget)
    }

    /// Whether a task of this length still fits into the budget after the last round, together with the inspections.
    pub(crate) fn has_room(&self, time: Seconds) -> bool {
        let needed = self.used() + time + self.inspections;
        self.budget.is_none_or(|budget| needed <= budget)
    }

    /// The note on a budget that is shorter than the first round with the inspections, which are finished in any case.
    pub(crate) fn budget_shortfall(&self) -> Option<RunNote> {
        let (budget, start, inspections) = (self.budget?, self.round_time(), self.inspections);
        let is_short = self.is_first_round() && start + inspections > budget;
        is_short.then_some(RunNote::BudgetTooShort { budget, start, inspections })
    }

    /// The longest time that is left, when `share` of the running round or of the inspections is done; `None` with neither a cap nor
    /// a budget. The first round and the inspections are finished even if that takes longer than the budget.
    pub(crate) fn left(&self, share: f64) -> Option<Nanos> {
        let left = self.time_left(share);
        left.0.is_finite().then(|| Nanos::from(left))
    }

    fn time_left(&self, share: f64) -> Seconds {
        if self.rounds_ended {
            return (1.0 - share) * self.inspections;
        }
        let first = match self.is_first_round() {
            true => (1.0 - share) * self.round_time(),
            false => Seconds::ZERO,
        };
        self.planned_time(share).max(first + self.inspections)
    }

    /// The time that is left by the cap and the budget.
    fn planned_time(&self, share: f64) -> Seconds {
        let by_rounds = self.cap.map_or(Seconds(f64::INFINITY), |cap| {
            let rounds = f64::from(cap.saturating_sub(self.valid)) - share;
            rounds.max(0.0) * self.round_time() + self.inspections
        });
        let by_budget =
            self.budget.map_or(Seconds(f64::INFINITY), |budget| (budget - self.used()).max(Seconds::ZERO));
        by_rounds.min(by_budget)
    }

    /// The progress of the run, 0 to 1, if it takes as long as it may.
    pub(crate) fn share(&self, share: f64) -> f64 {
        let (used, left) = (self.used(), self.time_left(share));
        used / (used + left).max(Seconds(1e-9))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ask::experiment::Pacing;
    use judge::round_time::round_time;
    use judge::testing::experiment;

    fn schedule(budget: Option<u64>) -> Schedule {
        let mut experiment = experiment();
        experiment.design.pairs = 8;
        Schedule::new(&experiment, budget.map(Nanos::from_secs), &[], 0)
    }

    #[test]
    fn before_the_first_round_its_length_follows_from_the_design() {
        let guess = |change: &dyn Fn(&mut Experiment)| {
            let mut experiment = experiment();
            experiment.design.pairs = 8;
            change(&mut experiment);
            guess_time(&experiment).0
        };
        let plain = guess(&|_| ());
        assert!((schedule(None).round_time().0 - plain).abs() < 1e-9);
        // Each level adds as many slices of the closed loop, and two arms that connect.
        let levels = guess(&|experiment| experiment.load.connections = vec![4, 8, 16]);
        let twice = guess(&|experiment| experiment.design.slice = Some(experiment.design.shortest_slice()));
        assert!((twice - plain).abs() < 1e-9);
        assert!((levels - plain) / 2.0 > 1.0 + 16.0 * 0.27, "{levels} {plain}");
        // Windows of all arms at once are as long as a slice of each.
        let mixed = |windows: u32| {
            guess(&|experiment| {
                (experiment.design.pacing, experiment.design.latency_pairs) = (Pacing::Mixed, 6);
                experiment.design.windows = windows;
            })
        };
        let window = (mixed(20) - mixed(10)) / 10.0;
        assert!((0.6..0.7).contains(&window), "{window}");
        let cycles = guess(&|experiment| experiment.design.startup_cycles = 2);
        assert!((cycles - plain - 2.0 * 2.0 * 1.5).abs() < 1e-9);
    }

    #[test]
    fn a_part_continues_where_the_last_one_ended() {
        let earlier =
            [20.0, 30.0].map(|elapsed| RoundRecord { elapsed: Seconds(elapsed), ..RoundRecord::default() });
        let tight = Schedule::new(&experiment(), Some(Nanos::from_secs(1)), &earlier, 0);
        assert!(tight.fits_another(), "the first round of a part always runs");
        assert_eq!((tight.round_time(), tight.valid), (Seconds(30.0), 2));
        assert_eq!(round_time(&experiment(), &earlier), Seconds(30.0), "the first round is not typical");
    }

    #[test]
    fn a_round_begins_only_when_it_ends_within_the_budget() {
        let mut tight = schedule(Some(20));
        assert!(tight.fits_another(), "the first round always runs");
        let round = |elapsed: f64| RoundRecord {
            elapsed: Seconds(elapsed),
            waited: Seconds(1.5),
            ..RoundRecord::default()
        };
        let patience = tight.patience().0;
        assert!(patience > 0.0 && patience <= 2.0, "a tenth of the budget: {patience}");
        tight.add(&round(15.0));
        assert!(tight.fits_another());
        tight.add(&round(30.0));
        assert_eq!(tight.patience().0, patience - 3.0);
        assert!(!tight.fits_another());
        assert!(schedule(None).fits_another());
    }

    #[test]
    fn the_first_round_is_finished_even_if_the_budget_is_shorter() {
        let left = |schedule: &Schedule, share| schedule.left(share).expect("a limit").as_secs_f64();
        let mut short = schedule(Some(10));
        let guess = short.round_time().0;
        assert!(guess > 15.0 && (left(&short, 0.0) - guess).abs() < 0.1, "not 10 s");
        // A slow service has longer slices than was guessed.
        short.lengthen_first(Seconds(120.0));
        assert!((left(&short, 0.5) - 0.5 * (guess + 120.0)).abs() < 0.1);
        short.add(&RoundRecord { elapsed: Seconds(150.0), ..RoundRecord::default() });
        assert!(left(&short, 0.0) <= 10.0, "there is no second one");
    }

    #[test]
    fn the_time_for_inspections_is_kept_free_until_the_rounds_are_over() {
        let mut schedule = schedule(Some(60));
        schedule.add(&RoundRecord { elapsed: Seconds(20.0), ..RoundRecord::default() });
        assert!(schedule.fits_another());
        schedule.reserve(Seconds(45.0));
        assert!(!schedule.fits_another(), "20 and 45 are more than 60");
        schedule.reserve(Seconds(40.0));
        schedule.end_rounds();
        let left = schedule.left(0.25).expect("known");
        assert_eq!(left, Nanos::from_secs(30));
    }

    #[test]
    fn what_is_left_is_the_smaller_of_rounds_and_budget() {
        let left = |schedule: &Schedule, share| schedule.left(share).expect("a limit").as_secs_f64();
        let endless_budget = schedule(None);
        let expected = 11.5 * endless_budget.round_time().0;
        assert!((left(&endless_budget, 0.5) - expected).abs() < 1e-6);
        assert!(left(&schedule(Some(60)), 0.0) <= 60.0);
        let mut endless = schedule(None);
        endless.cap = None;
        assert_eq!((endless.left(0.5), endless.share(0.5)), (None, 0.0));
    }
}
