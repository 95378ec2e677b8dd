//! Whether arms still warmed up at unlike speed while they were measured: then what they differ by depends on when.

use crate::planning::headline_pairs;
use model::experiment::Experiment;
use model::measure::Measure;
use model::note::RunNote;
use model::record::RoundRecord;
use stats::pairing::slope;
use stats::robust::mean;
use stats::summary::t_test;

/// Chance at which a drift is believed.
const BELIEVED: f64 = 0.01;
/// Of the margin so much, from the first pair of a start to the last, matters.
const MATTERS: f64 = 0.5;

/// A note for each arm and level that changed against the baseline while it was measured, by one slope of the pair
/// differences for each start and a t test over the starts.
pub(crate) fn notes(experiment: &Experiment, rounds: &[RoundRecord]) -> Vec<RunNote> {
    let design = &experiment.design;
    if ![Measure::Throughput, Measure::CpuPerRequest].contains(&design.headline) {
        return Vec::new();
    }
    let others = (0..experiment.arms.len()).filter(|arm| *arm != design.baseline);
    let places = others.flat_map(|arm| {
        (0..experiment.comparisons_per_start(design.headline)).map(move |level| (arm, level))
    });
    let drifts = places.filter_map(|(arm, level)| {
        let gain = drift(experiment, rounds, arm, level)?.exp_m1();
        let [arm, baseline] = [arm, design.baseline].map(|arm| experiment.arms[arm].name.clone());
        Some(RunNote::WarmupDrift { arm, baseline, gain })
    });
    drifts.collect()
}

/// How much better the arm gets from the first pair to the last, on the log scale; `None` where that is chance, or too little
/// to matter.
fn drift(experiment: &Experiment, rounds: &[RoundRecord], arm: usize, level: usize) -> Option<f64> {
    let counted = rounds.iter().filter(|round| round.void_at(level).is_none());
    let within = counted.filter_map(|round| {
        let pairs = headline_pairs(experiment, round, arm, level)?;
        Some(slope(&pairs)? * (pairs.len() - 1) as f64)
    });
    let within: Vec<f64> = within.collect();
    let drift = mean(&within)?;
    let margin = experiment.design.margin(experiment.design.headline);
    let believed = t_test(&within)?.p < BELIEVED && drift.abs() > MATTERS * margin;
    believed.then_some(drift)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{PLAIN, experiment, round};

    /// Six starts in which the second arm's cost falls by `share` in all, give or take a little.
    fn starts(share: f64) -> Vec<RoundRecord> {
        let falls = |number: u32| {
            let mut round = round(number, &[PLAIN, PLAIN]);
            let own = round.slices.iter_mut().filter(|slice| slice.arm == 1);
            let mut own: Vec<_> = own.collect();
            let last = (own.len() - 1).max(1) as f64;
            let share = share * (1.0 + 0.01 * f64::from(number));
            for (index, slice) in own.iter_mut().enumerate() {
                let left = 1.0 - share * index as f64 / last;
                slice.cpu_ns_arm = (slice.cpu_ns_arm as f64 * left) as u64;
            }
            round
        };
        (1..=6).map(falls).collect()
    }

    #[test]
    fn an_arm_that_gets_better_while_it_is_measured_is_told() {
        let mut asked = experiment();
        asked.design.headline = Measure::CpuPerRequest;
        let drifts = notes(&asked, &starts(0.2));
        assert!(
            matches!(&drifts[..], [RunNote::WarmupDrift { arm, gain, .. }] if arm == "ten" && *gain > 0.05),
            "{drifts:?}"
        );
        assert_eq!(notes(&asked, &starts(0.0)), Vec::new());
    }
}
