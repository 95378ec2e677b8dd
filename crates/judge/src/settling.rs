//! Checks whether arms were still warming up at different speeds while they were measured: their difference would then depend
//! on when it was measured.

use crate::tuning::{Place, pairs_in_round, places};
use ask::experiment::Experiment;
use model::measure::Measure;
use record::note::RunNote;
use record::rounds::RoundRecord;
use stats::pairing::slope;
use stats::robust::mean;
use stats::summary::t_test;

/// Significance level of the t test for a drift.
const LEVEL: f64 = 0.01;
/// Smallest drift that matters, from the first pair of a start to the last, as a share of the margin.
const MATTERS: f64 = 0.5;

/// A note for each arm that drifted against the baseline while it was measured, in the measure and at the level of the headline
/// where it drifted most. Each start gives one slope through its pair differences; a t test over the starts decides.
pub(crate) fn notes_on_drift(experiment: &Experiment, rounds: &[RoundRecord]) -> Vec<RunNote> {
    let design = &experiment.design;
    let measures = design.headline_measures(None);
    let drifts_of = |arm: usize| {
        let of_measure = |measure: &Measure| {
            let here = places(experiment, *measure).filter(|place| place.arm == arm);
            let drifts = here.filter_map(|place| drift(experiment, rounds, *measure, place));
            drifts.collect::<Vec<f64>>()
        };
        measures.iter().flat_map(of_measure).collect::<Vec<f64>>()
    };
    let others = (0..experiment.arms.len()).filter(|arm| *arm != design.baseline);
    let note = |arm: usize| {
        let drifts = drifts_of(arm).into_iter();
        let gain = drifts.max_by(|one, other| one.abs().total_cmp(&other.abs()))?.exp_m1();
        let [arm, baseline] = [arm, design.baseline].map(|arm| experiment.arms[arm].name.clone());
        Some(RunNote::WarmupDrift { arm, baseline, gain })
    };
    others.filter_map(note).collect()
}

/// By how much the arm improves from the first pair of a start to the last, as a log ratio; `None` where that may be chance,
/// or is too little to matter.
fn drift(experiment: &Experiment, rounds: &[RoundRecord], measure: Measure, place: Place) -> Option<f64> {
    let both = [place.arm, experiment.design.baseline];
    let counts = |round: &RoundRecord| both.iter().all(|arm| round.void_of_arm(place.level, *arm).is_none());
    let counted = rounds.iter().filter(|round| counts(round));
    let within = counted.filter_map(|round| {
        let pairs = pairs_in_round(experiment, round, measure, place)?;
        Some(slope(&pairs)? * (pairs.len() - 1) as f64)
    });
    let within: Vec<f64> = within.collect();
    let drift = mean(&within)?;
    let matters = t_test(&within)?.p < LEVEL && drift.abs() > MATTERS * experiment.design.margin(measure);
    matters.then_some(drift)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{PLAIN, experiment, round};
    use ask::experiment::Headline;

    /// Six starts; in each the second arm's CPU per request falls by about `share` in all.
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
        asked.design.headline = Headline::One(Measure::CpuPerRequest);
        let drifts = notes_on_drift(&asked, &starts(0.2));
        assert!(
            matches!(&drifts[..], [RunNote::WarmupDrift { arm, gain, .. }] if arm == "ten" && *gain > 0.05),
            "{drifts:?}"
        );
        assert_eq!(notes_on_drift(&asked, &starts(0.0)), Vec::new());
    }
}
