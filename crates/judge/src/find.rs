//! Searches (`find`): an experiment may look for a capacity or a highest rate instead of comparing arms at given loads. All that
//! a search changes in how rounds are judged goes through [`Mode`]: a new mode is a new file here and a new line in [`mode`].

pub mod capacity;
pub mod max_rate;

use crate::numbers::{ArmValues, ClosedLevel, Numbers};
use ask::experiment::{Experiment, Find, Objective};
use model::units::Seconds;
use record::outcome::{ArmResult, Comparison};
use record::rounds::{RoundRecord, RunRecord, SliceRecord};

/// What a mode of search changes in how rounds are judged. The defaults are for an experiment without a search.
pub(crate) trait Mode {
    /// Whether a level of a round gives no numbers, although it is not recorded as void.
    fn voids_level(&self, _: &Experiment, _: &RoundRecord, _level: usize) -> bool {
        false
    }

    /// Adds the result of a start to the measures with one value per start; `_levels` are the start's numbers of the closed
    /// loop.
    fn add_result(
        &self,
        _: &Experiment,
        _: &RoundRecord,
        _levels: &[Option<ClosedLevel>],
        _per_start: &mut ArmValues,
    ) {
    }

    /// Computes the results of all starts again where one start's depends on the others. It may be called again after every start.
    fn settle_results(&self, _: &Experiment, _starts: &mut [Numbers]) {}

    /// How many of the levels, from the first on, have figures in a report.
    fn reported_levels(&self, experiment: &Experiment, _: &[RoundRecord]) -> usize {
        experiment.load.connections.len()
    }

    /// The lowest level at which servers are looked into after all rounds, when so many levels were reached.
    fn first_inspected_level(&self, _reached: usize) -> usize {
        0
    }

    /// The experiment with as many levels as a start is expected to visit.
    fn expected_experiment(&self, experiment: &Experiment) -> Experiment {
        experiment.clone()
    }

    /// How long the search takes in a start, in addition to warm-up, levels and the stage at a fixed rate.
    fn search_time(&self, _: &Experiment) -> Seconds {
        Seconds::ZERO
    }

    /// The slices of an arm in a start whose load is beyond the result, and which show what limits the arm there.
    fn slices_beyond<'a>(&self, _: &Experiment, _: &'a RoundRecord, _arm: usize) -> Vec<&'a SliceRecord> {
        Vec::new()
    }

    /// The objective that the slices beyond the result missed.
    fn missed_objective(&self) -> Option<Objective> {
        None
    }

    /// Fills in the result of the search for each arm.
    fn fill_in_results(&self, _: &mut [ArmResult], _: JudgedRun<'_>) {}

    /// Voids the comparisons of arms for which the search has no result.
    fn void_comparisons(&self, _: &mut [Comparison], _: &[ArmResult]) {}
}

/// A run with the numbers of its rounds that count.
#[derive(Clone, Copy)]
pub(crate) struct JudgedRun<'a> {
    pub(crate) run: &'a RunRecord,
    pub(crate) rounds: &'a [RoundRecord],
    pub(crate) numbers: &'a [Numbers],
}

/// The mode of an experiment without a search.
struct Nothing;

impl Mode for Nothing {}

/// The mode of search of an experiment.
pub(crate) fn mode(experiment: &Experiment) -> &dyn Mode {
    match &experiment.design.find {
        None => &Nothing,
        Some(Find::Capacity(steps)) => steps,
        Some(Find::MaxRate(objective)) => objective,
    }
}
