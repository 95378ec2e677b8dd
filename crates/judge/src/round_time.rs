//! How long a round takes: as the last ones did, or by a guess before there was one.

use crate::find::mode;
use model::experiment::{Design, Experiment};
use model::record::RoundRecord;

/// What one arm costs a round besides its slices, before a round has shown it: start and stop, seconds.
const START_AND_STOP: f64 = 3.0;

/// What an arm costs at each level but the first before its slices: its users connect, seconds.
const ENTRY: f64 = 0.5;

/// Pairs of slices in a start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pairs {
    /// At each level of the closed loop, where the service is quick.
    pub closed: u32,
    /// At the fixed rate.
    pub open: u32,
}

impl Pairs {
    /// Those designed.
    pub(crate) fn of(design: &Design) -> Self {
        Self {
            closed: design.pairs,
            open: design.latency_pairs,
        }
    }

    /// Seconds that all their slices take.
    pub fn seconds(self, experiment: &Experiment) -> f64 {
        let [closed, open] = pair_seconds(experiment);
        f64::from(self.closed) * closed + f64::from(self.open) * open
    }
}

/// What a pair costs, seconds: in the closed loop a slice of each arm at each level, and where there are many arms more of
/// the baseline; at the fixed rate one of each arm.
pub(crate) fn pair_seconds(experiment: &Experiment) -> [f64; 2] {
    let design = &experiment.design;
    let arms = experiment.arms.len();
    let closed = row(arms, design.baseline).len() * experiment.load.connections.len();
    [
        closed as f64 * design.quick_slice().as_secs_f64(),
        arms as f64 * design.quick_latency_slice().as_secs_f64(),
    ]
}

/// What every row holds: each arm once, the baseline about sqrt(J) times where J others are compared with it, because it
/// takes part in every comparison (Dunnett, *A Multiple Comparison Procedure for Comparing Several Treatments with a
/// Control*, JASA 1955).
pub fn row(arms: usize, baseline: usize) -> Vec<usize> {
    let others = arms.saturating_sub(1) as f64;
    let more = (others.sqrt().round() as usize).saturating_sub(1);
    (0..arms).chain(std::iter::repeat_n(baseline, more)).collect()
}

/// What a round takes, seconds, after these; before there was one, what is to be expected and not the most.
pub fn round_seconds(experiment: &Experiment, rounds: &[RoundRecord]) -> f64 {
    let rounds: Vec<f64> = rounds.iter().map(|round| round.elapsed).collect();
    recent(&rounds).unwrap_or_else(|| guess(&mode(experiment).expected(experiment)))
}

/// The mean of the last three; the first of all only where there is no other.
pub fn recent(rounds: &[f64]) -> Option<f64> {
    let least = usize::from(rounds.len() > 1);
    let last = &rounds[rounds.len().saturating_sub(3).max(least)..];
    (!last.is_empty()).then(|| last.iter().sum::<f64>() / last.len() as f64)
}

/// What a round should take, before there was one, with all its levels. A warm-up ends between its shortest and its
/// longest; on a busy machine most last as long as they may.
pub fn guess(experiment: &Experiment) -> f64 {
    let design = &experiment.design;
    let warmup = (design.warmup.as_secs_f64() + design.warmup_cap.as_secs_f64()) / 2.0;
    let arms = experiment.arms.len() as f64;
    let entries = (experiment.load.connections.len() - 1) as f64 * arms * ENTRY;
    let slices = Pairs::of(design).seconds(experiment);
    slices + entries + mode(experiment).seconds(experiment) + arms * (START_AND_STOP + warmup)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_baseline_has_about_the_root_as_many_slices() {
        let slices = |others: usize| row(others + 1, 0).iter().filter(|arm| **arm == 0).count();
        assert_eq!([1, 2, 3, 4, 6, 7, 9].map(slices), [1, 1, 2, 2, 2, 3, 3]);
        assert_eq!(row(4, 2), [0, 1, 2, 3, 2]);
    }
}
