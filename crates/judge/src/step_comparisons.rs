//! Arms compared step by step of their sessions: throughput in the closed loop, and percentiles of the times at the fixed rate, where all
//! arms have equally much to do. All these comparisons are one family of tests with Holm's correction; the other measures are another.

use crate::d_series::{DSeries, equivalence_estimate, ratio_estimate, ratio_from_log};
use crate::family::plan_beside_gate;
use crate::requirements;
use crate::start_means::mean_of_starts;
use crate::step_series::{StepRounds, StepSeries, rounds_of_step};
use crate::verdicts::verdict;
use crate::voiding::void_comparisons;
use ask::experiment::{Experiment, secondary_alpha};
use record::outcome::{ArmResult, Comparison, Required, StepComparison, Verdict};
use record::rounds::{RoundRecord, counted};
use stats::multiplicity::secondary;
use stats::sequential::{Look, Test};
use stats::spending::LookKind;

/// What is judged of the steps of an experiment.
#[derive(Default)]
pub(crate) struct JudgedSteps {
    /// Every arm against the baseline, step by step.
    pub(crate) comparisons: Vec<StepComparison>,
    /// The requirements on measures of steps.
    pub(crate) required: Vec<Required>,
}

/// Judges all steps of an experiment; nothing where its requests are no sessions. Comparisons are invalid that rest on a load that is.
pub(crate) fn judge(
    experiment: &Experiment,
    rounds: &[RoundRecord],
    arms: &[ArmResult],
    kind: LookKind,
) -> JudgedSteps {
    let mut judged = judge_rounds(experiment, rounds, kind);
    for step in &mut judged.comparisons {
        void_comparisons(std::slice::from_mut(&mut step.comparison), arms, rounds);
    }
    judged
}

fn judge_rounds(experiment: &Experiment, rounds: &[RoundRecord], kind: LookKind) -> JudgedSteps {
    let Some(program) = &experiment.workload.sessions else {
        return JudgedSteps::default();
    };
    let rounds: Vec<&RoundRecord> = counted(rounds).collect();
    let steps: Vec<StepRounds> =
        (0..program.steps.len()).flat_map(|step| rounds_of_step(experiment, &rounds, step)).collect();
    let series: Vec<StepSeries> = steps.iter().flat_map(|step| step.series(experiment)).collect();
    let tests: Vec<Test<'_>> = series.iter().map(|series| series.d.test()).collect();
    let design = &experiment.design;
    let looks = secondary(&tests, &plan_beside_gate(design), secondary_alpha(design.alpha), kind);
    let looked_at: Vec<(&StepSeries, Option<Look>)> = series.iter().zip(looks).collect();
    let compared = looked_at.iter().map(|(series, look)| {
        let step = &program.steps[series.step];
        StepComparison {
            step: step.name.clone(),
            group: step.group.clone(),
            transaction: step.transaction,
            values: [&series.values[0], &series.values[1]]
                .map(|values| mean_of_starts(values.iter().copied())),
            comparison: comparison(series, experiment, *look),
        }
    });
    JudgedSteps {
        comparisons: compared.collect(),
        required: requirements::of_steps(experiment, &steps, &looked_at, kind),
    }
}

/// The comparison of an arm with the baseline by a step, from the look at it.
fn comparison(series: &StepSeries, experiment: &Experiment, look: Option<Look>) -> Comparison {
    let DSeries { arm, measure, .. } = series.d;
    let judged = look.map_or(Verdict::Inconclusive, |look| verdict(measure, look.call));
    Comparison {
        baseline: experiment.arms[experiment.design.baseline].name.clone(),
        arm: experiment.arms[arm].name.clone(),
        level: series.d.level.clone(),
        measure,
        ratio: look.map(|look| ratio_estimate(measure, look)),
        equivalence: look.and_then(|look| equivalence_estimate(measure, look)),
        margin: series.d.margin,
        verdict: match series.lacks {
            Some(_) => Verdict::Inconclusive,
            None => judged,
        },
        gate: None,
        starts: look.map_or(0, |look| look.k) as u32,
        per_start: series.d.d.iter().map(|d| ratio_from_log(measure, *d)).collect(),
        spread: None,
        remarks: series.lacks.iter().cloned().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{PLAIN, experiment, record, round};
    use ask::require::{Bound, Requirement, Subject};
    use model::measure::Measure;
    use record::outcome::GateVerdict;
    use record::remark::Remark;
    use traffic::scenario::{Program, ProgramStep, StepRecord};

    fn shop() -> Experiment {
        let mut shop = experiment();
        let step = |name: &str, transaction| ProgramStep { name: name.to_owned(), transaction, group: None };
        shop.workload.sessions = Some(Box::new(Program {
            steps: vec![step("log in", false), step("buy", true)],
            ..Program::default()
        }));
        shop
    }

    /// A step that ended so often, each time after so many milliseconds.
    fn ended(ok: u64, millis: u64) -> StepRecord {
        StepRecord { ended: ok, ok, times: vec![(millis * 1_000_000, ok)], ..StepRecord::default() }
    }

    /// Rounds in which the second arm buys in half the time, and logs in as quickly as the first, give or take a little chance.
    fn rounds(ends: u64) -> Vec<RoundRecord> {
        let made = |number: u32| {
            let mut made = round(number, &[PLAIN, PLAIN]);
            for slice in &mut made.slices {
                let quick = 1 + u64::from(slice.arm == 0);
                let chance = u64::from(number) % 3;
                slice.steps = vec![ended(1000 + chance, 50), ended(ends, 100 * quick + chance)];
            }
            made
        };
        (1..=8).map(made).collect()
    }

    fn compared(experiment: &Experiment, rounds: &[RoundRecord]) -> Vec<StepComparison> {
        judge_rounds(experiment, rounds, LookKind::Last).comparisons
    }

    fn judged<'a>(all: &'a [StepComparison], step: &str, measure: Measure) -> &'a Comparison {
        let is_asked = |one: &&StepComparison| one.step == step && one.comparison.measure == measure;
        &all.iter().find(is_asked).expect("it is compared").comparison
    }

    #[test]
    fn an_arm_that_is_quicker_in_one_step_is_called_so_in_that_step_alone() {
        let all = compared(&shop(), &rounds(1000));
        // Two steps in throughput and three percentiles.
        assert_eq!(all.len(), 8);
        for measure in [Measure::ResponseP50, Measure::ResponseP99] {
            let buy = judged(&all, "buy", measure);
            assert_eq!(buy.verdict, Verdict::Faster, "{}", measure.id());
            let ratio = buy.ratio.expect("a ratio");
            assert!((ratio.value - 0.5).abs() < 0.01, "{ratio:?}");
            assert!(ratio.high.expect("an interval") < 0.6, "{ratio:?}");
            assert_eq!(judged(&all, "log in", measure).verdict, Verdict::Same);
        }
        assert_eq!(judged(&all, "buy", Measure::Throughput).verdict, Verdict::Same);
        assert!(all.iter().all(|one| one.transaction == (one.step == "buy")));
    }

    #[test]
    fn a_percentile_beyond_which_hardly_anything_lies_has_no_verdict() {
        // Eight rounds of a slice with each arm and twelve ends: about one takes longer than p99.
        let all = compared(&shop(), &rounds(12));
        let p99 = judged(&all, "buy", Measure::ResponseP99);
        assert_eq!(p99.verdict, Verdict::Inconclusive);
        assert!(matches!(p99.remarks[..], [Remark::NotEstimable { .. }]), "{p99:?}");
        assert_eq!(judged(&all, "buy", Measure::ResponseP50).verdict, Verdict::Faster);
    }

    #[test]
    fn a_stage_that_does_not_count_and_plain_requests_have_no_comparisons() {
        let mut rounds = rounds(1000);
        for round in &mut rounds {
            round.stage_void = Some(model::reason::Reason::NoValue);
        }
        let all = compared(&shop(), &rounds);
        assert!(all.iter().all(|one| one.comparison.measure == Measure::Throughput), "{all:?}");
        assert_eq!(all.len(), 2);
        assert!(compared(&experiment(), &rounds).is_empty());
    }

    #[test]
    fn requirements_on_a_step_pass_and_fail_by_what_the_step_does() {
        let throughput = Subject::Measure(Measure::Throughput);
        let p50 = Subject::Measure(Measure::ResponseP50);
        let required = |step: &str, subject, bound| Requirement {
            arm: None,
            step: Some(step.to_owned()),
            subject,
            bound,
        };
        let mut shop = shop();
        // Buying takes 100 ms, and 200 ms with the baseline; logging in takes 50 ms with both.
        shop.require = vec![
            required("buy", p50, Bound::Below(0.15)),
            required("buy", p50, Bound::Below(0.05)),
            required("log in", p50, Bound::NotWorse(0.05)),
            required("buy", throughput, Bound::Above(1e9)),
            required("buy", Subject::Errors, Bound::Below(0.5)),
        ];
        let report = crate::report(&record(shop), &rounds(1000));
        let said: Vec<(&str, Subject, GateVerdict)> = report
            .required
            .iter()
            .filter(|required| {
                required
                    .level
                    .as_ref()
                    .is_some_and(|load| load.users.is_none() || required.measure == throughput)
            })
            .map(|required| (required.step.as_deref().unwrap_or(""), required.measure, required.verdict))
            .collect();
        let expected = [
            ("buy", p50, GateVerdict::Pass),
            ("buy", p50, GateVerdict::Fail),
            ("log in", p50, GateVerdict::Pass),
            ("buy", throughput, GateVerdict::Fail),
            ("buy", Subject::Errors, GateVerdict::Pass),
        ];
        assert_eq!(said, expected);
        assert!(report.arms[0].levels.last().expect("a level").load.sessions);
    }
}
