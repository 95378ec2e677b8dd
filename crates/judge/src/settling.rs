//! Checks whether arms were still warming up at different speeds while they were measured: their difference would then depend
//! on when it was measured.

use crate::planning::headline_pairs;
use model::experiment::Experiment;
use model::measure::Measure;
use model::note::RunNote;
use model::record::RoundRecord;
use stats::pairing::slope;
use stats::robust::mean;
use stats::summary::t_test;

/// Significance level of the t test for a drift.
const LEVEL: f64 = 0.01;
/// Smallest drift that matters, from the first pair of a start to the last, as a share of the margin.
const MATTERS: f64 = 0.5;

/// A note for each arm and level that drifted against the baseline while it was measured. Each start gives one slope through
/// its pair differences; a t test over the starts decides.
pub(crate) fn notes_on_drift(experiment: &Experiment, rounds: &[RoundRecord]) -> Vec<RunNote> {
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

/// By how much the arm improves from the first pair of a start to the last, as a log ratio; `None` where that may be chance,
/// or is too little to matter.
fn drift(experiment: &Experiment, rounds: &[RoundRecord], arm: usize, level: usize) -> Option<f64> {
    let counted = rounds.iter().filter(|round| round.void_at(level).is_none());
    let within = counted.filter_map(|round| {
        let pairs = headline_pairs(experiment, round, arm, level)?;
        Some(slope(&pairs)? * (pairs.len() - 1) as f64)
    });
    let within: Vec<f64> = within.collect();
    let drift = mean(&within)?;
    let margin = experiment.design.margin(experiment.design.headline);
    let matters = t_test(&within)?.p < LEVEL && drift.abs() > MATTERS * margin;
    matters.then_some(drift)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{PLAIN, experiment, round};

    /// Six starts in each of which the second arm's CPU per request falls by about `share` in all.
    fn starts(share: f64) -> Vec<RoundRecord> {
        let falls = |number: u32| {
            let mut round = round(number, &[PLAIN, PLAIN]);
            let of_arm = round.slices.iter_mut().filter(|slice| slice.arm == 1);
            let mut of_arm: Vec<_> = of_arm.collect();
            let last = (of_arm.len() - 1).max(1) as f64;
            let share = share * (1.0 + 0.01 * f64::from(number));
            for (index, slice) in of_arm.iter_mut().enumerate() {
                let left = 1.0 - share * index as f64 / last;
                slice.cpu_ns_arm = (slice.cpu_ns_arm as f64 * left) as u64;
            }
            round
        };
        (1..=6).map(falls).collect()
    }

    #[test]
    fn an_arm_that_improves_while_it_is_measured_gets_a_note() {
        let mut asked = experiment();
        asked.design.headline = Measure::CpuPerRequest;
        let drifts = notes_on_drift(&asked, &starts(0.2));
        assert!(
            matches!(&drifts[..], [RunNote::WarmupDrift { arm, gain, .. }] if arm == "ten" && *gain > 0.05),
            "{drifts:?}"
        );
        assert_eq!(notes_on_drift(&asked, &starts(0.0)), Vec::new());
    }
}
