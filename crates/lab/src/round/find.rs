//! How an experiment's `find` changes its rounds. Without `find` a run compares arms at given loads. Every change goes
//! through [`RoundMode`]: another mode is another file here and another line in [`mode`].

mod capacity;
mod max_rate;

use super::Round;
use crate::Error;
use crate::order;
use crate::slice::RunningArms;
use ask::experiment::{Experiment, Find};
use rand_chacha::ChaCha8Rng;
use record::rounds::{RoundRecord, SliceRecord};

/// What a mode changes in a round. The defaults are for an experiment without `find`.
pub(super) trait RoundMode {
    /// The levels that the next round visits, in this order.
    fn levels(&self, experiment: &Experiment, _: &[RoundRecord], random: &mut ChaCha8Rng) -> Vec<usize> {
        order::permutation(random, experiment.load.connections.len())
    }

    /// The level at which arms are warmed up, in a round that visits `first` first.
    fn warm_level(&self, _: &Experiment, first: usize) -> usize {
        first
    }

    /// Whether a round that has visited the levels of its record needs no more levels.
    fn is_enough(&self, _: &Experiment, _earlier: &[RoundRecord], _: &RoundRecord) -> bool {
        false
    }

    /// Measures what the search needs, after the levels and the stage at a fixed rate.
    fn search(
        &self,
        _: &mut Round<'_>,
        _: &RunningArms,
        _: &RoundRecord,
        _: &mut ChaCha8Rng,
    ) -> Result<Vec<SliceRecord>, Error> {
        Ok(Vec::new())
    }
}

/// The mode of an experiment without `find`.
struct NoSearch;

impl RoundMode for NoSearch {}

/// The mode of an experiment.
pub(super) fn mode(experiment: &Experiment) -> &dyn RoundMode {
    match &experiment.design.find {
        None => &NoSearch,
        Some(Find::Capacity(steps)) => steps,
        Some(Find::MaxRate(objective)) => objective,
    }
}
