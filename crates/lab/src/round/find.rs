//! What is looked for (`find`) instead of a comparison at loads that are given. All that a mode changes in how a round runs
//! goes through [`Mode`]: one more mode is one more file here and one more line in [`mode`].

mod capacity;
mod max_rate;

use super::Round;
use crate::Error;
use crate::order;
use crate::slice::Running;
use model::experiment::{Experiment, Find};
use model::record::{LevelRecord, RoundRecord, SliceRecord};
use rand_chacha::ChaCha8Rng;

/// What a mode changes. Where it says nothing, a round runs as one that looks for nothing.
pub(super) trait Mode {
    /// The levels of the next start, in the order of their visits.
    fn levels(&self, experiment: &Experiment, _: &[RoundRecord], random: &mut ChaCha8Rng) -> Vec<usize> {
        order::permutation(random, experiment.load.connections.len())
    }

    /// The level at which arms are warmed up, where a start visits `first` first.
    fn warm_level(&self, _: &Experiment, first: usize) -> usize {
        first
    }

    /// Whether a start that has visited these levels visits no more of them.
    fn is_enough(&self, _: &Experiment, _earlier: &[RoundRecord], _: &RoundRecord) -> bool {
        false
    }

    /// What a start measures after its levels and the stage at a fixed rate.
    fn search(
        &self,
        _: &mut Round<'_>,
        _: &Running,
        _: &RoundRecord,
        _: &mut ChaCha8Rng,
    ) -> Result<Vec<SliceRecord>, Error> {
        Ok(Vec::new())
    }

    /// The levels at which a server is looked into once everything is measured.
    fn inspected<'a>(&self, record: &'a RoundRecord) -> &'a [LevelRecord] {
        &record.levels
    }
}

/// Nothing is looked for.
struct Nothing;

impl Mode for Nothing {}

/// How the rounds of an experiment run by what it looks for.
pub(super) fn mode(experiment: &Experiment) -> &dyn Mode {
    match &experiment.design.find {
        None => &Nothing,
        Some(Find::Capacity(steps)) => steps,
        Some(Find::MaxRate(objective)) => objective,
    }
}
