//! Whether the arms were warm when they were measured. If too many warm-ups ended before, the figures belong to servers that
//! were still compiling, and nobody can tell what they become: such comparisons stay open.

use ask::experiment::Experiment;
use ask::require::Subject;
use model::measure::Measure;
use model::units::{Seconds, Share};
use record::outcome::{Comparison, GateVerdict, Required, Verdict};
use record::remark::{Remark, StillCompiling};
use record::rounds::{RoundRecord, SteadyBy, TrialRecord, counted};
use stats::robust::mean;

/// What compilers of two arms took when their warm-ups in the rounds that count ended; `None` where one arm's compilers are not known, or all
/// warm-ups ended because the arm was warm. It is much where it is beyond the margin and could turn the verdict.
fn still_compiling(
    experiment: &Experiment,
    rounds: &[RoundRecord],
    comparison: &Comparison,
) -> Option<StillCompiling> {
    let arms = [&comparison.arm, &comparison.baseline];
    let trials_of = |name: &String| -> Vec<&TrialRecord> {
        let of_arm = counted(rounds).flat_map(|round| &round.trials);
        of_arm.filter(|trial| experiment.arms[trial.arm].name == *name).collect()
    };
    let trials = arms.map(trials_of);
    let both = trials.concat();
    let is_unsteady = |trial: &&&TrialRecord| trial.steady_by == SteadyBy::Compilers && !trial.steady;
    let unsteady = both.iter().filter(is_unsteady).count();
    if unsteady == 0 {
        return None;
    }
    let share = |trials: &Vec<&TrialRecord>| {
        let shares: Option<Vec<f64>> = trials.iter().map(|trial| Some(trial.compiling?.0)).collect();
        mean(&shares?)
    };
    let shares = [share(&trials[0])?, share(&trials[1])?];
    let more = usize::from(shares[1] > shares[0]);
    let (share, other_share) = (shares[more], shares[1 - more]);
    let differs = share - other_share;
    let margin = experiment.design.margin(comparison.measure);
    Some(StillCompiling {
        arm: arms[more].clone(),
        share: Share(share),
        other_share: Share(other_share),
        unsteady,
        all: both.len(),
        is_much: differs > margin && !comparison.withstands(Share(differs)),
    })
}

/// The largest share of the warm-ups of two arms that may have ended before the arm was warm.
const UNSTEADY: f64 = 0.25;

/// Opens the comparisons and requirements of arms that were not warm in too many of the rounds that count. Start-up and memory
/// do not depend on it. Returns whether it opened a comparison.
pub(crate) fn open_verdicts(
    comparisons: &mut [Comparison],
    required: &mut [Required],
    experiment: &Experiment,
    rounds: &[RoundRecord],
) -> bool {
    let cap = experiment.design.warmup_cap.into();
    let not_warm = |subject: Subject, arms: &[&String]| {
        let is_asked = |trial: &&TrialRecord| arms.contains(&&experiment.arms[trial.arm].name);
        let trials = counted(rounds).flat_map(|round| &round.trials).filter(is_asked);
        let depends = !matches!(subject, Subject::Measure(measure) if !depends_on_warmth(measure));
        not_warm(trials, cap).filter(|_| depends)
    };
    for required in required.iter_mut() {
        if not_warm(required.measure, &[&required.arm]).is_some() {
            required.verdict = GateVerdict::Inconclusive;
        }
    }
    let mut opened = false;
    for comparison in comparisons.iter_mut().filter(|one| one.verdict != Verdict::Invalid) {
        if let Some(remark) =
            not_warm(Subject::Measure(comparison.measure), &[&comparison.arm, &comparison.baseline])
        {
            comparison.verdict = Verdict::Inconclusive;
            comparison.gate = comparison.gate.map(|_| GateVerdict::Inconclusive);
            comparison.remarks = vec![remark];
            opened = true;
            continue;
        }
        let compiling = depends_on_warmth(comparison.measure)
            .then(|| still_compiling(experiment, rounds, comparison))
            .flatten();
        let Some(remark) = compiling else { continue };
        if remark.is_much {
            comparison.verdict = Verdict::Inconclusive;
            comparison.gate = comparison.gate.map(|_| GateVerdict::Inconclusive);
            comparison.remarks.clear();
            opened = true;
        }
        comparison.remarks.push(Remark::StillCompiling(remark));
    }
    opened
}

/// Whether a measure depends on how warm the arms are.
fn depends_on_warmth(measure: Measure) -> bool {
    ![Measure::StartUp, Measure::PeakMemory].contains(&measure)
}

/// Says that too many of these warm-ups ended before the arm was warm, if they did.
fn not_warm<'a>(trials: impl Iterator<Item = &'a TrialRecord>, cap: Seconds) -> Option<Remark> {
    let trials: Vec<&TrialRecord> = trials.collect();
    let (unsteady, all) = (trials.iter().filter(|trial| !trial.steady).count(), trials.len());
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
        let remark = not_warm(round.trials.iter(), Seconds(20.0));
        let expected = Remark::NotWarm { unsteady: 2, all: 2, cap: Seconds(20.0) };
        assert_eq!(remark, Some(expected));
    }

    /// The verdict and the remark on CPU per request after six starts, in which the second arm is better by about `gain`. In the last start it
    /// was not warm: its compilers took `share` of its CPU time.
    fn said(share: f64, gain: f64) -> (Verdict, Option<Remark>) {
        let mut rounds: Vec<RoundRecord> = (1..=6)
            .map(|number| round(number, &[PLAIN, PLAIN.better(gain + 0.001 * f64::from(number))]))
            .collect();
        for (index, round) in rounds.iter_mut().enumerate() {
            for trial in &mut round.trials {
                let is_late = index == 5 && trial.arm == 1;
                trial.steady_by = SteadyBy::Compilers;
                trial.steady = !is_late;
                trial.compiling = Some(if is_late { Share(share) } else { Share(0.01) });
            }
        }
        let report = report::report(&record(experiment()), &rounds);
        let mut comparisons = report.comparisons.into_iter();
        let found = comparisons.find(|one| one.measure == Measure::CpuPerRequest);
        let found = found.expect("compared");
        let told = |remark: &Remark| matches!(remark, Remark::StillCompiling(_));
        let remark = found.remarks.into_iter().find(told);
        (found.verdict, remark)
    }

    #[test]
    fn an_arm_that_was_still_compiling_is_named_and_much_of_it_opens_the_verdict() {
        let (verdict, remark) = said(0.07, 1.5);
        assert_ne!(verdict, Verdict::Inconclusive);
        assert!(
            matches!(&remark, Some(Remark::StillCompiling(StillCompiling { arm, share, other_share, unsteady: 1, all: 12, is_much: false }))
                if arm == "ten" && (share.0 - 0.02).abs() < 1e-9 && (other_share.0 - 0.01).abs() < 1e-9),
            "{remark:?}"
        );
        let (verdict, remark) = said(0.61, 1.07);
        assert_eq!(verdict, Verdict::Inconclusive);
        assert!(matches!(remark, Some(Remark::StillCompiling(StillCompiling { is_much: true, .. }))));
        assert!(said(0.0, 1.5).1.is_some(), "it was not warm by the rule");
        let (verdict, remark) = said(0.61, 1.5);
        assert_eq!(verdict, Verdict::Cheaper, "a tenth of its CPU time turns no difference of a third");
        assert!(matches!(remark, Some(Remark::StillCompiling(StillCompiling { is_much: false, .. }))));
    }

    /// The verdicts on CPU per request and start-up of six clear starts; the first `unsteady` starts were not warm.
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
            let found = report.comparisons.iter().find(|one| one.measure == measure).expect("compared");
            found.verdict
        })
    }

    #[test]
    fn arms_that_were_not_warm_in_more_than_a_quarter_of_the_starts_are_not_judged() {
        let [decided, startup] = verdicts(0, SteadyBy::Compilers);
        assert_ne!(decided, Verdict::Inconclusive);
        assert_eq!(verdicts(1, SteadyBy::Compilers), [decided, startup], "2 of 12");
        assert_eq!(verdicts(2, SteadyBy::Compilers), [Verdict::Inconclusive, startup], "4 of 12");
        assert_eq!(verdicts(2, SteadyBy::Cost), [Verdict::Inconclusive, startup]);
    }
}
