//! Whether the arms were warm when they were measured. If too many warm-ups ended before, the figures belong to servers that
//! were still compiling, and nobody can tell what they become: such comparisons stay open.

use model::experiment::Experiment;
use model::measure::Measure;
use model::outcome::{Comparison, GateVerdict, Required, Verdict};
use model::record::{RoundRecord, SteadyBy, TrialRecord, counted};
use model::remark::Remark;

/// The largest share of the warm-ups of two arms that may have ended before the arm was warm.
const UNSTEADY: f64 = 0.25;

/// Opens the comparisons and requirements of arms that were not warm in too many of the rounds that count. Start-up and memory
/// do not depend on it. Rounds in which slopes were looked at do not count here: that rule called nearly all warm-ups unsteady.
/// Returns whether it opened a comparison.
pub(crate) fn open_verdicts(
    comparisons: &mut [Comparison],
    required: &mut [Required],
    experiment: &Experiment,
    rounds: &[RoundRecord],
) -> bool {
    let cap = experiment.design.warmup_cap.as_secs_f64();
    let not_warm = |measure: &str, arms: &[&String]| {
        let is_asked = |trial: &&TrialRecord| arms.contains(&&experiment.arms[trial.arm].name);
        let trials = counted(rounds).flat_map(|round| &round.trials).filter(is_asked);
        let depends = ![Measure::StartUp, Measure::PeakMemory]
            .map(Measure::id)
            .contains(&measure);
        not_warm(trials, cap).filter(|_| depends)
    };
    for required in required.iter_mut() {
        if not_warm(&required.measure, &[&required.arm]).is_some() {
            required.verdict = GateVerdict::Inconclusive;
        }
    }
    let mut opened = false;
    for comparison in comparisons
        .iter_mut()
        .filter(|one| one.verdict != Verdict::Invalid)
    {
        if let Some(remark) = not_warm(&comparison.measure, &[&comparison.arm, &comparison.baseline]) {
            comparison.verdict = Verdict::Inconclusive;
            comparison.gate = comparison.gate.map(|_| GateVerdict::Inconclusive);
            comparison.remarks = vec![remark];
            opened = true;
        }
    }
    opened
}

/// Says that too many of these warm-ups ended before the arm was warm, if they did.
fn not_warm<'a>(trials: impl Iterator<Item = &'a TrialRecord>, cap: f64) -> Option<Remark> {
    let judged: Vec<&TrialRecord> = trials
        .filter(|trial| trial.steady_by != SteadyBy::Slopes)
        .collect();
    let (unsteady, all) = (judged.iter().filter(|trial| !trial.steady).count(), judged.len());
    (unsteady as f64 > UNSTEADY * all as f64).then_some(Remark::NotWarm { unsteady, all, cap })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report;
    use crate::testing::{PLAIN, experiment, record, round};

    #[test]
    fn an_open_bound_and_the_cap_are_named() {
        let mut round = round(1, &[PLAIN, PLAIN]);
        for trial in &mut round.trials {
            (trial.steady, trial.steady_by) = (false, SteadyBy::Compilers);
        }
        let remark = not_warm(round.trials.iter(), 20.0);
        let expected = Remark::NotWarm {
            unsteady: 2,
            all: 2,
            cap: 20.0,
        };
        assert_eq!(remark, Some(expected));
    }

    /// The verdicts on CPU per request and start-up of six clear starts, the first `unsteady` of which were not warm.
    fn verdicts(unsteady: usize, steady_by: SteadyBy) -> [Verdict; 2] {
        let mut rounds: Vec<RoundRecord> = (1..=6)
            .map(|number| round(number, &[PLAIN, PLAIN.better(1.5 + 0.01 * f64::from(number))]))
            .collect();
        for (index, trial) in rounds
            .iter_mut()
            .enumerate()
            .flat_map(|(index, round)| round.trials.iter_mut().map(move |trial| (index, trial)))
        {
            (trial.steady, trial.steady_by) = (index >= unsteady, steady_by);
        }
        let report = report::report(&record(experiment()), &rounds);
        [Measure::CpuPerRequest, Measure::StartUp].map(|measure| {
            let found = report
                .comparisons
                .iter()
                .find(|one| one.measure == measure.id())
                .expect("compared");
            found.verdict
        })
    }

    #[test]
    fn arms_that_were_not_warm_in_more_than_a_quarter_of_the_starts_are_not_judged() {
        let [decided, startup] = verdicts(0, SteadyBy::Compilers);
        assert_ne!(decided, Verdict::Inconclusive);
        assert_eq!(verdicts(1, SteadyBy::Compilers), [decided, startup], "2 of 12");
        assert_eq!(
            verdicts(2, SteadyBy::Compilers),
            [Verdict::Inconclusive, startup],
            "4 of 12"
        );
        assert_eq!(verdicts(2, SteadyBy::Cost), [Verdict::Inconclusive, startup]);
        assert_eq!(
            verdicts(6, SteadyBy::Slopes),
            [decided, startup],
            "stored by the old rule"
        );
    }
}
