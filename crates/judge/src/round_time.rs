//! How long a round takes: measured from the last rounds, or guessed before the first.

use crate::find::mode;
use model::experiment::{Design, Experiment};
use model::record::RoundRecord;

/// Guess of the seconds that an arm takes to start and to stop.
const START_AND_STOP: f64 = 3.0;

/// Guess of the seconds in which the users of an arm connect, at each level but the first.
const CONNECTING: f64 = 0.5;

/// Pairs of slices in a start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pairs {
    /// At each level of the closed loop, where the service is quick.
    pub closed: u32,
    /// At the fixed rate.
    pub open: u32,
}

impl Pairs {
    /// The numbers that the design asks for.
    pub(crate) fn of(design: &Design) -> Self {
        Self {
            closed: design.pairs,
            open: design.latency_pairs,
        }
    }

    /// Seconds that all slices of these pairs take.
    pub fn seconds(self, experiment: &Experiment) -> f64 {
        let [closed, open] = pair_seconds(experiment);
        f64::from(self.closed) * closed + f64::from(self.open) * open
    }
}

/// Seconds that one pair takes, in the closed loop and at the fixed rate. In the closed loop it is a row of slices
/// ([`slice_row`]) at each level, at the fixed rate one slice of each arm.
pub(crate) fn pair_seconds(experiment: &Experiment) -> [f64; 2] {
    let design = &experiment.design;
    let arms = experiment.arms.len();
    let closed = slice_row(arms, design.baseline).len() * experiment.load.connections.len();
    let open = if design.pacing.is_together() { 1 } else { arms };
    [
        closed as f64 * design.quick_slice().as_secs_f64(),
        open as f64 * design.quick_latency_slice().as_secs_f64(),
    ]
}

/// Pairs of slices at a point of the curve over rates.
pub const CURVE_PAIRS: u32 = 2;

/// Seconds that a point of the curve over rates takes.
pub(crate) fn curve_seconds(experiment: &Experiment) -> f64 {
    let [_, open] = pair_seconds(experiment);
    f64::from(CURVE_PAIRS) * open
}

/// The arms of a row of slices: each arm once, but the baseline about sqrt(J) times where J others are compared with it,
/// because it takes part in every comparison (Dunnett, *A Multiple Comparison Procedure for Comparing Several Treatments with
/// a Control*, JASA 1955).
pub fn slice_row(arms: usize, baseline: usize) -> Vec<usize> {
    let others = arms.saturating_sub(1) as f64;
    let more = (others.sqrt().round() as usize).saturating_sub(1);
    (0..arms).chain(std::iter::repeat_n(baseline, more)).collect()
}

/// Seconds that the next round will take, judged by these; before the first round an expectation, not a maximum.
pub fn round_seconds(experiment: &Experiment, rounds: &[RoundRecord]) -> f64 {
    let rounds: Vec<f64> = rounds.iter().map(|round| round.elapsed).collect();
    recent_seconds(&rounds)
        .unwrap_or_else(|| guess_seconds(&mode(experiment).expected_experiment(experiment)))
}

/// Mean duration of the last three rounds, in seconds; `None` before the first round. The first round, which inspects the
/// servers too, is used only while it is the only one.
pub fn recent_seconds(rounds: &[f64]) -> Option<f64> {
    let least = usize::from(rounds.len() > 1);
    let last = &rounds[rounds.len().saturating_sub(3).max(least)..];
    (!last.is_empty()).then(|| last.iter().sum::<f64>() / last.len() as f64)
}

/// Seconds that a round with all its levels should take, guessed before the first round. The warm-up is taken as half way
/// between its shortest and its longest duration; on a busy machine most warm-ups last as long as they may.
pub fn guess_seconds(experiment: &Experiment) -> f64 {
    let design = &experiment.design;
    let warmup = (design.warmup.as_secs_f64() + design.warmup_cap.as_secs_f64()) / 2.0;
    let arms = experiment.arms.len() as f64;
    let entries = (experiment.load.connections.len() - 1) as f64 * arms * CONNECTING;
    let slices = Pairs::of(design).seconds(experiment);
    let curve = match design.curve {
        Some(true) => curve_seconds(experiment),
        _ => 0.0,
    };
    slices + curve + entries + mode(experiment).search_seconds(experiment) + arms * (START_AND_STOP + warmup)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_baseline_has_about_the_root_as_many_slices() {
        let slices = |others: usize| slice_row(others + 1, 0).iter().filter(|arm| **arm == 0).count();
        assert_eq!([1, 2, 3, 4, 6, 7, 9].map(slices), [1, 1, 2, 2, 2, 3, 3]);
        assert_eq!(slice_row(4, 2), [0, 1, 2, 3, 2]);
    }
}
