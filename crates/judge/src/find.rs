//! What is looked for (`find`) instead of a comparison at loads that are given. All that a mode changes in how rounds are
//! judged goes through [`Mode`]: one more mode is one more file here and one more line in [`mode`].

pub mod capacity;
pub mod max_rate;

use crate::numbers::{Closed, Numbers, Values};
use model::experiment::{Experiment, Find, Objective};
use model::outcome::{ArmResult, Comparison};
use model::record::{RoundRecord, RunRecord, SliceRecord};

/// What a mode changes. Where it says nothing, a run is judged as one that looks for nothing.
pub(crate) trait Mode {
    /// Whether a level of a round gives no numbers, although the round does not call it void.
    fn spoils(&self, _: &Experiment, _: &RoundRecord, _level: usize) -> bool {
        false
    }

    /// Adds what a start found to what is compared once a start; `levels` are its numbers of the closed loop.
    fn add(&self, _: &Experiment, _: &RoundRecord, _levels: &[Option<Closed>], _once: &mut Values) {}

    /// How many of the levels have figures in a report, from the first on.
    fn shown(&self, experiment: &Experiment, _: &[RoundRecord]) -> usize {
        experiment.load.connections.len()
    }

    /// The experiment with as many levels as a start may be expected to take.
    fn expected(&self, experiment: &Experiment) -> Experiment {
        experiment.clone()
    }

    /// What looking for it takes in a start, seconds, besides warm-up, levels and the stage at a fixed rate.
    fn seconds(&self, _: &Experiment) -> f64 {
        0.0
    }

    /// The slices of an arm in a start that show what limits it beyond what was found.
    fn beyond<'a>(&self, _: &Experiment, _: &'a RoundRecord, _arm: usize) -> Vec<&'a SliceRecord> {
        Vec::new()
    }

    /// What those slices miss.
    fn missed(&self) -> Option<Objective> {
        None
    }

    /// Fills in what was found of each arm.
    fn fill(&self, _: &mut [ArmResult], _: Judged<'_>) {}

    /// Voids the comparisons of arms of which it cannot be told what was looked for.
    fn void_comparisons(&self, _: &mut [Comparison], _: &[ArmResult]) {}
}

/// A run, and the numbers of its rounds that count.
#[derive(Clone, Copy)]
pub(crate) struct Judged<'a> {
    pub(crate) run: &'a RunRecord,
    pub(crate) rounds: &'a [RoundRecord],
    pub(crate) numbers: &'a [Numbers],
}

/// Nothing is looked for.
struct Nothing;

impl Mode for Nothing {}

/// How an experiment is judged by what it looks for.
pub(crate) fn mode(experiment: &Experiment) -> &dyn Mode {
    match &experiment.design.find {
        None => &Nothing,
        Some(Find::Capacity(steps)) => steps,
        Some(Find::MaxRate(objective)) => objective,
    }
}
