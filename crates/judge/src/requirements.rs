//! Judges the requirements of an experiment file. Each is judged by an interval: a bound passes when the whole interval is
//! within it, fails when the whole interval is outside, and is open otherwise. Intervals of measures hold at every look, so the
//! run may continue until all of these bounds are decided. The share of wrong answers does not decide how long a run lasts; it
//! is judged once, at the end. All bounds of a file share one error rate.

mod steps;

use crate::d_series::{DSeries, equivalence_estimate, ratio_estimate, replicate};
use crate::family::plan_beside_gate;
use crate::numbers::Numbers;
use crate::validity::VOID_ROUNDS;
use crate::voiding;
use ask::experiment::Experiment;
use ask::require::{Bound, Requirement, Subject};
use model::load::Load;
use model::measure::Measure;
use record::note::ArmNote;
use record::outcome::{ArmResult, Comparison, Estimate, GateVerdict, Required};
use record::rounds::RoundRecord;
use stats::distribution::clopper_pearson;
use stats::multiplicity::{Family, newest_look, primary};
use stats::sequential::{Call, Look, Test};
use stats::spending::{FIRST_LOOK, LookKind};
use steps::Ends;

pub(crate) use steps::of_steps;

/// The requirements on measures, judged as if no further round came.
#[derive(Debug, Default)]
pub(crate) struct JudgedRequirements {
    pub(crate) required: Vec<Required>,
    /// Another round may decide one that is still open.
    pub(crate) open: bool,
}

/// The test of an absolute bound on a figure of one arm, at one level if the figure is measured at every level.
struct BoundTest<'a> {
    requirement: &'a Requirement,
    arm: usize,
    measure: Measure,
    level: Option<Load>,
    /// The name of the step, if it is a figure of one.
    step: Option<String>,
    /// For each round, how far the figure is within the bound, as a log ratio.
    d: Vec<f64>,
    /// How many tests share the error rate.
    share: usize,
}

/// Judges the requirements on measures; `looks` are the looks at all comparisons.
pub(crate) fn judge(
    experiment: &Experiment,
    rounds: &[Numbers],
    looks: &[(&DSeries, Option<Look>)],
    kind: LookKind,
) -> JudgedRequirements {
    let mut judged = JudgedRequirements::default();
    for (series, look) in looks {
        let of_series = |requirement: &&Requirement| {
            requirement.step.is_none()
                && requirement.subject == Subject::Measure(series.measure)
                && applies(experiment, requirement, series.arm)
        };
        for requirement in experiment.require.iter().filter(of_series) {
            let Bound::NotWorse(loss) = requirement.bound else {
                continue;
            };
            let judged_look = look.filter(|_| series.shortfall(experiment.design.baseline, rounds).is_none());
            let verdict =
                judged_look.map_or(GateVerdict::Inconclusive, |look| not_worse(&look, series, loss));
            let required = against_baseline(experiment, requirement, series, *look, verdict);
            judged.add(required, rounds.len(), series.d.len());
        }
    }
    for test in &bound_tests(experiment, rounds, looks) {
        judged.add(test.judge(experiment, kind), rounds.len(), test.d.len());
    }
    judged
}

/// A bound against the baseline, with what was found: its interval is the one that decided.
fn against_baseline(
    experiment: &Experiment,
    requirement: &Requirement,
    series: &DSeries,
    look: Option<Look>,
    verdict: GateVerdict,
) -> Required {
    let by_equivalence = look.filter(|_| verdict == GateVerdict::Pass);
    let by_equivalence = by_equivalence.and_then(|look| equivalence_estimate(series.measure, look));
    Required {
        arm: experiment.arms[series.arm].name.clone(),
        step: None,
        level: series.level.clone(),
        measure: series.measure.into(),
        bound: requirement.bound,
        estimate: by_equivalence.or_else(|| Some(ratio_estimate(series.measure, look?))),
        verdict,
        why_invalid: None,
    }
}

impl JudgedRequirements {
    /// Adds a requirement; `with_value` of the `rounds` have a value for it.
    fn add(&mut self, required: Required, rounds: usize, with_value: usize) {
        // A figure that was missing so often will stay missing: no further round is begun for its sake.
        let missing = rounds - with_value.min(rounds);
        let hopeless = rounds >= FIRST_LOOK && missing as f64 > VOID_ROUNDS * rounds as f64;
        self.open |= required.verdict == GateVerdict::Inconclusive && !hopeless;
        self.required.push(required);
    }
}

/// Whether the requirement applies to this arm. One that names no arm applies to all but the baseline, or to an arm that is alone.
fn applies(experiment: &Experiment, requirement: &Requirement, arm: usize) -> bool {
    match &requirement.arm {
        Some(name) => *name == experiment.arms[arm].name,
        None => arm != experiment.design.baseline || experiment.arms.len() == 1,
    }
}

/// How many absolute bounds there are over all arms, on measures and on errors. They share the error rate in equal parts
/// (Bonferroni), and the levels at which a bound is judged share its part in the same way.
fn count_bounds(experiment: &Experiment) -> usize {
    let arms = |requirement: &Requirement| {
        let is_bound = |arm: &usize| applies(experiment, requirement, *arm);
        (0..experiment.arms.len()).filter(is_bound).count() * steps::count(experiment, requirement)
    };
    let absolute =
        experiment.require.iter().filter(|requirement| distance_within(requirement.bound).is_some());
    absolute.map(arms).sum()
}

/// The requirements on arms that the run does not have: such an arm cannot run here, or another one was run instead.
fn requirements_on_missing_arms(experiment: &Experiment) -> impl Iterator<Item = &Requirement> {
    let is_missing = |name: &String| experiment.arms.iter().all(|arm| arm.name != *name);
    let required = experiment.require.iter();
    required.filter(move |requirement| requirement.arm.as_ref().is_some_and(is_missing))
}

/// A requirement that was not judged, and so stays open.
fn not_judged(requirement: &Requirement) -> Option<Required> {
    Some(Required {
        arm: requirement.arm.clone()?,
        step: requirement.step.clone(),
        level: None,
        measure: requirement.subject,
        bound: requirement.bound,
        estimate: None,
        verdict: GateVerdict::Inconclusive,
        why_invalid: None,
    })
}

/// A note for each `[require.NAME]` whose arm the run does not have.
pub(crate) fn notes_on_missing_arms(experiment: &Experiment) -> impl Iterator<Item = ArmNote> {
    let mut names: Vec<&String> =
        requirements_on_missing_arms(experiment).filter_map(|requirement| requirement.arm.as_ref()).collect();
    names.dedup();
    names.into_iter().map(|arm| ArmNote::RequirementWithoutArm { arm: arm.clone() })
}

/// Judges a bound on the loss against the baseline as a gate: it passes when a larger loss is excluded at 5 %, one-sided, over
/// all looks, and fails when a larger loss is shown.
fn not_worse(look: &Look, series: &DSeries, loss: f64) -> GateVerdict {
    let delta = loss.ln_1p();
    if !look.decides {
        GateVerdict::Inconclusive
    } else if look.k >= series.replicate.fewest_for_same() && look.req.is_some_and(|req| req.low > -delta) {
        GateVerdict::Pass
    } else if look.rci.is_some_and(|rci| rci.high < -delta) {
        GateVerdict::Fail
    } else {
        GateVerdict::Inconclusive
    }
}

/// A test for each absolute bound on a measure, for each arm and level that it applies to.
fn bound_tests<'a>(
    experiment: &'a Experiment,
    rounds: &[Numbers],
    looks: &[(&DSeries, Option<Look>)],
) -> Vec<BoundTest<'a>> {
    let mut tests = Vec::new();
    let bounds = count_bounds(experiment);
    let stage = Numbers::stage_loads(rounds);
    for requirement in experiment.require.iter().filter(|asked| asked.step.is_none()) {
        let Subject::Measure(measure) = requirement.subject else {
            continue;
        };
        let Some(distance) = distance_within(requirement.bound) else {
            continue;
        };
        for arm in (0..experiment.arms.len()).filter(|arm| applies(experiment, requirement, *arm)) {
            for at in 0..experiment.comparisons_per_start(measure) {
                let values = rounds.iter().filter_map(|numbers| numbers.value(arm, measure, at));
                let comparison =
                    looks.iter().find(|(series, _)| series.measure == measure && series.at == at);
                tests.push(BoundTest {
                    requirement,
                    arm,
                    measure,
                    level: match comparison {
                        Some((series, _)) => series.level.clone(),
                        None => experiment.load_of(measure, at, &stage),
                    },
                    step: None,
                    d: values.map(&distance).collect(),
                    share: bounds * experiment.comparisons_per_start(measure),
                });
            }
        }
    }
    tests
}

/// A function that tells how far a figure is within an absolute bound, as a log ratio: positive within, negative outside.
/// `None` for a bound against the baseline.
fn distance_within(bound: Bound) -> Option<Box<dyn Fn(f64) -> f64>> {
    match bound {
        Bound::NotWorse(_) => None,
        Bound::Below(most) => Some(Box::new(move |value| most.ln() - value.ln())),
        Bound::Above(least) => Some(Box::new(move |value| value.ln() - least.ln())),
    }
}

impl BoundTest<'_> {
    fn judge(&self, experiment: &Experiment, kind: LookKind) -> Required {
        let plan = plan_beside_gate(&experiment.design);
        let family = Family::of_one(experiment.design.alpha / self.share as f64);
        // The first look that settles the bound decides, whatever later rounds show.
        let test = Test { replicate: replicate(experiment), ..Test::of(&self.d, 0.0) };
        let settled = primary(&[test], &family, &plan, kind)[0];
        let look = settled.map(|look| newest_look(look, &test, family.alpha, &plan, kind));
        Required {
            arm: experiment.arms[self.arm].name.clone(),
            step: self.step.clone(),
            level: self.level.clone(),
            measure: self.measure.into(),
            bound: self.requirement.bound,
            estimate: look.map(|look| self.in_unit(look)),
            verdict: match look.map(|look| look.call) {
                Some(Call::Better) => GateVerdict::Pass,
                Some(Call::Worse) => GateVerdict::Fail,
                _ => GateVerdict::Inconclusive,
            },
            why_invalid: None,
        }
    }

    /// The estimate in the unit of the measure, from log ratios to the bound.
    fn in_unit(&self, look: Look) -> Estimate {
        let (bound, below) = match self.requirement.bound {
            Bound::Below(bound) => (bound, true),
            Bound::Above(bound) | Bound::NotWorse(bound) => (bound, false),
        };
        let value = |d: f64| bound * if below { (-d).exp() } else { d.exp() };
        let ends = look.rci.map(|rci| if below { rci.negated() } else { rci });
        Estimate {
            value: value(look.mean),
            low: ends.map(|ends| bound * ends.low.exp()),
            high: ends.map(|ends| bound * ends.high.exp()),
        }
    }
}

/// All requirements in the order of the arms: for each arm first the gate, then the others in the order of the file. Those that
/// rest on an invalid level are invalid, too.
pub(crate) fn all_requirements(
    experiment: &Experiment,
    rounds: &[RoundRecord],
    arms: &[ArmResult],
    comparisons: &[Comparison],
    of_measures: Vec<Required>,
) -> Vec<Required> {
    let gate = comparisons.iter().filter_map(|comparison| gate_requirement(experiment, comparison));
    let mut all: Vec<Required> = gate.chain(of_measures).collect();
    for required in &mut all {
        let baseline = &experiment.arms[experiment.design.baseline].name;
        let relative = matches!(required.bound, Bound::NotWorse(_));
        let rests_on = |arm: &&ArmResult| arm.name == required.arm || (relative && arm.name == *baseline);
        let level = required.level.as_ref();
        let rests_on = arms.iter().filter(rests_on);
        let late = required.measure.measure().and_then(|measure| voiding::why_times_invalid(measure, rounds));
        let held = voiding::held_back(level, rests_on.clone()).map(|held| held.reason);
        required.why_invalid = voiding::why_invalid(level, rests_on, late.as_ref()).or(held);
        if required.why_invalid.is_some() {
            required.verdict = GateVerdict::Inconclusive;
        }
    }
    // Wrong answers make a level invalid; a requirement on the share of wrong answers is judged all the same.
    all.extend(error_requirements(experiment, arms));
    all.extend(requirements_on_missing_arms(experiment).filter_map(not_judged));
    let place = |required: &Required| arms.iter().position(|arm| arm.name == required.arm);
    let order = |required: &Required| place(required).unwrap_or(arms.len());
    all.sort_by_key(order);
    all
}

/// The gate as a requirement, if this is a comparison in the headline measure.
fn gate_requirement(experiment: &Experiment, comparison: &Comparison) -> Option<Required> {
    let design = &experiment.design;
    let loss = design.gate.filter(|_| design.headline.one() == Some(comparison.measure))?;
    Some(Required {
        arm: comparison.arm.clone(),
        step: None,
        level: comparison.level.clone(),
        measure: comparison.measure.into(),
        bound: Bound::NotWorse(loss),
        estimate: comparison.deciding(),
        verdict: comparison.gate.unwrap_or(GateVerdict::Inconclusive),
        why_invalid: None,
    })
}

/// The requirements on the share of wrong answers, level by level. That share is not a figure of single starts, and no round
/// is begun for its sake, so the end of the run is the only look at it.
fn error_requirements(experiment: &Experiment, arms: &[ArmResult]) -> Vec<Required> {
    let bounds = count_bounds(experiment);
    let mut judged = Vec::new();
    for requirement in experiment.require.iter().filter(|requirement| requirement.subject == Subject::Errors)
    {
        for (_, arm) in arms.iter().enumerate().filter(|(index, _)| applies(experiment, requirement, *index))
        {
            let confidence = 1.0 - experiment.design.alpha / (bounds * arm.levels.len()) as f64;
            for level in &arm.levels {
                let ends = steps::ends(requirement, level).into_iter();
                judged.extend(ends.map(|ends| Required {
                    arm: arm.name.clone(),
                    level: Some(level.load.clone()),
                    ..judge_wrong_ends(ends, requirement.bound, confidence)
                }));
            }
        }
    }
    judged
}

/// Judges the share of wrong answers by its exact interval (Clopper, Pearson 1934).
fn judge_wrong_ends(ends: Ends, bound: Bound, confidence: f64) -> Required {
    let Ends { step, wrong, all } = ends;
    let interval = (all > 0).then(|| clopper_pearson(wrong, all, confidence));
    let verdict = match (bound, interval) {
        (Bound::Below(most), Some(interval)) if interval.high < most => GateVerdict::Pass,
        (Bound::Below(most), Some(interval)) if interval.low > most => GateVerdict::Fail,
        _ => GateVerdict::Inconclusive,
    };
    Required {
        arm: String::new(),
        step,
        level: None,
        measure: Subject::Errors,
        bound,
        estimate: interval.map(|interval| Estimate {
            value: wrong as f64 / all as f64,
            low: Some(interval.low),
            high: Some(interval.high),
        }),
        verdict,
        why_invalid: None,
    }
}

#[cfg(test)]
mod tests;
