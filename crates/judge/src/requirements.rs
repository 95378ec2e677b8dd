//! Whether what a file requires holds. Each answer comes from an interval: a bound holds when the whole interval is within it,
//! is missed when the interval is wholly outside, and is open otherwise. Those of measures hold at every look, so that the run
//! may go on until all of them are known; the share of wrong answers decides nothing about the run, and is judged once, at
//! its end. All bounds of a file share one error rate.

use crate::d_series::{Series, ratio};
use crate::findings;
use crate::numbers::Numbers;
use crate::validity::VOID_ROUNDS;
use model::experiment::Experiment;
use model::measure::Measure;
use model::note::ArmNote;
use model::outcome::{ArmResult, Comparison, Counts, Estimate, GateVerdict, Load, Required};
use model::record::RoundRecord;
use model::require::{Bound, Requirement, Subject};
use stats::boundary::FIRST_LOOK;
use stats::distribution::clopper_pearson;
use stats::sequential::{Call, Look, Rule};

/// What is required of measures, as if no further round came.
#[derive(Debug, Default)]
pub(crate) struct Standing {
    pub(crate) required: Vec<Required>,
    /// Another round may decide what is open.
    pub(crate) open: bool,
}

/// A bound of an arm's own figure, at one level where it is measured at each.
struct Test<'a> {
    requirement: &'a Requirement,
    arm: usize,
    measure: Measure,
    level: Option<Load>,
    /// Round by round how far the figure is within the bound, as a log ratio.
    d: Vec<f64>,
    /// Among how many tests the error rate is shared.
    share: usize,
}

/// Judges them; `looks` are those of the comparisons.
pub(crate) fn judge(
    experiment: &Experiment,
    rounds: &[Numbers],
    looks: &[(&Series, Option<Look>)],
) -> Standing {
    let mut standing = Standing::default();
    for (series, look) in looks {
        let of_series = |asked: &&Requirement| {
            asked.subject == Subject::Measure(series.measure) && applies(experiment, asked, series.arm)
        };
        for requirement in experiment.require.iter().filter(of_series) {
            let Bound::NotWorse(loss) = requirement.bound else {
                continue;
            };
            let verdict = look.map_or(GateVerdict::Inconclusive, |look| not_worse(&look, loss));
            let required = Required {
                arm: experiment.arms[series.arm].name.clone(),
                level: series.level.clone(),
                measure: series.measure.id().to_owned(),
                bound: requirement.bound,
                estimate: look.map(|look| ratio(series.measure, look)),
                verdict,
                why_invalid: None,
            };
            standing.add(required, rounds.len(), series.d.len());
        }
    }
    for test in &tests(experiment, rounds, looks) {
        standing.add(test.judged(experiment), rounds.len(), test.d.len());
    }
    standing
}

impl Standing {
    /// `rounds` of which some have a value.
    fn add(&mut self, required: Required, rounds: usize, with_value: usize) {
        // What had no value so often will not get one: no further round is begun for its sake.
        let missing = rounds - with_value.min(rounds);
        let hopeless = rounds >= FIRST_LOOK && missing as f64 > VOID_ROUNDS * rounds as f64;
        self.open |= required.verdict == GateVerdict::Inconclusive && !hopeless;
        self.required.push(required);
    }
}

/// Whether it is asked of that arm.
fn applies(experiment: &Experiment, requirement: &Requirement, arm: usize) -> bool {
    match &requirement.arm {
        Some(name) => *name == experiment.arms[arm].name,
        None => arm != experiment.design.baseline,
    }
}

/// How many bounds of an arm's own there are, of measures and of errors. They share the error rate in equal parts (Bonferroni),
/// and so do the levels at which one is judged share its part.
fn bounds(experiment: &Experiment) -> usize {
    let arms = |asked: &Requirement| {
        let asked_of = |arm: &usize| applies(experiment, asked, *arm);
        (0..experiment.arms.len()).filter(asked_of).count()
    };
    let own = experiment
        .require
        .iter()
        .filter(|asked| room(asked.bound).is_some());
    own.map(arms).sum()
}

/// Requirements of arms that are not in the run: one that cannot run here, or whose place another one took.
fn of_nobody(experiment: &Experiment) -> impl Iterator<Item = &Requirement> {
    let gone = |name: &String| experiment.arms.iter().all(|arm| arm.name != *name);
    let required = experiment.require.iter();
    required.filter(move |asked| asked.arm.as_ref().is_some_and(gone))
}

/// Open, and nothing will close it.
fn not_judged(asked: &Requirement) -> Option<Required> {
    Some(Required {
        arm: asked.arm.clone()?,
        level: None,
        measure: asked.subject.id().to_owned(),
        bound: asked.bound,
        estimate: None,
        verdict: GateVerdict::Inconclusive,
        why_invalid: None,
    })
}

/// A note for each `[require.NAME]` whose arm the run does not have.
pub(crate) fn without_arm(experiment: &Experiment) -> impl Iterator<Item = ArmNote> {
    let mut asked: Vec<&String> = of_nobody(experiment)
        .filter_map(|asked| asked.arm.as_ref())
        .collect();
    asked.dedup();
    asked
        .into_iter()
        .map(|arm| ArmNote::RequirementWithoutArm { arm: arm.clone() })
}

/// As a gate: passes at 5 %, one-sided, over all looks; fails when a larger loss is shown.
fn not_worse(look: &Look, loss: f64) -> GateVerdict {
    let delta = loss.ln_1p();
    if look.req.is_some_and(|req| req.low > -delta) {
        GateVerdict::Pass
    } else if look.rci.is_some_and(|rci| rci.high < -delta) {
        GateVerdict::Fail
    } else {
        GateVerdict::Inconclusive
    }
}

/// Every bound of an arm's own figures.
fn tests<'a>(
    experiment: &'a Experiment,
    rounds: &[Numbers],
    looks: &[(&Series, Option<Look>)],
) -> Vec<Test<'a>> {
    let mut tests = Vec::new();
    let bounds = bounds(experiment);
    for requirement in &experiment.require {
        let Subject::Measure(measure) = requirement.subject else {
            continue;
        };
        let Some(room) = room(requirement.bound) else {
            continue;
        };
        for arm in (0..experiment.arms.len()).filter(|arm| applies(experiment, requirement, *arm)) {
            for at in 0..experiment.comparisons_per_start(measure) {
                let own = rounds
                    .iter()
                    .filter_map(|numbers| numbers.value(arm, measure, at));
                let of_place = looks
                    .iter()
                    .find(|(series, _)| series.measure == measure && series.at == at);
                tests.push(Test {
                    requirement,
                    arm,
                    measure,
                    level: of_place.and_then(|(series, _)| series.level.clone()),
                    d: own.map(&room).collect(),
                    share: bounds * experiment.comparisons_per_start(measure),
                });
            }
        }
    }
    tests
}

/// How far within a bound of its own a figure is, as a log ratio; `None` for one against the baseline.
fn room(bound: Bound) -> Option<Box<dyn Fn(f64) -> f64>> {
    match bound {
        Bound::NotWorse(_) => None,
        Bound::Below(most) => Some(Box::new(move |value| most.ln() - value.ln())),
        Bound::Above(least) => Some(Box::new(move |value| value.ln() - least.ln())),
    }
}

impl Test<'_> {
    fn judged(&self, experiment: &Experiment) -> Required {
        let cap = experiment.design.starts.map(|cap| cap as usize);
        let rule = Rule::new(cap, experiment.design.alpha, self.share, 0.0);
        // The first look that settles it stays, whatever comes later.
        let look = rule.replay(&self.d);
        Required {
            arm: experiment.arms[self.arm].name.clone(),
            level: self.level.clone(),
            measure: self.measure.id().to_owned(),
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

    /// From log ratios to the bound back to the unit of the measure.
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

/// All that is required, void where the level it rests on is: the gate first, then by arm what the file lists.
pub(crate) fn all(
    experiment: &Experiment,
    rounds: &[RoundRecord],
    arms: &[ArmResult],
    comparisons: &[Comparison],
    of_measures: Vec<Required>,
) -> Vec<Required> {
    let gate = comparisons
        .iter()
        .filter_map(|comparison| gate(experiment, comparison));
    let mut all: Vec<Required> = gate.chain(of_measures).collect();
    let late = findings::late(rounds);
    for required in &mut all {
        let baseline = &experiment.arms[experiment.design.baseline].name;
        let relative = matches!(required.bound, Bound::NotWorse(_));
        let rests_on = |arm: &&ArmResult| arm.name == required.arm || (relative && arm.name == *baseline);
        let level = required.level.as_ref();
        let rests_on = arms.iter().filter(rests_on);
        let why_invalid = findings::invalid(&required.measure, level, rests_on, late.as_ref());
        required.why_invalid = why_invalid;
        if required.why_invalid.is_some() {
            required.verdict = GateVerdict::Inconclusive;
        }
    }
    // An arm that answers wrongly voids its level, and all the same misses what is required of its answers.
    all.extend(errors(experiment, arms));
    all.extend(of_nobody(experiment).filter_map(not_judged));
    let place = |required: &Required| arms.iter().position(|arm| arm.name == required.arm);
    let order = |required: &Required| place(required).unwrap_or(arms.len());
    all.sort_by_key(order);
    all
}

/// The gate is what is required of the headline.
fn gate(experiment: &Experiment, comparison: &Comparison) -> Option<Required> {
    let design = &experiment.design;
    let loss = design
        .gate
        .filter(|_| comparison.measure == design.headline.id())?;
    Some(Required {
        arm: comparison.arm.clone(),
        level: comparison.level.clone(),
        measure: comparison.measure.clone(),
        bound: Bound::NotWorse(loss),
        estimate: comparison.ratio,
        verdict: comparison.gate.unwrap_or(GateVerdict::Inconclusive),
        why_invalid: None,
    })
}

/// What is required of answers, level by level. It is no figure of a start, and no round is begun for its sake: so the end of
/// the run is the only look at it.
fn errors(experiment: &Experiment, arms: &[ArmResult]) -> Vec<Required> {
    let bounds = bounds(experiment);
    let mut judged = Vec::new();
    for asked in experiment
        .require
        .iter()
        .filter(|asked| asked.subject == Subject::Errors)
    {
        for (_, arm) in arms
            .iter()
            .enumerate()
            .filter(|(index, _)| applies(experiment, asked, *index))
        {
            let confidence = 1.0 - experiment.design.alpha / (bounds * arm.levels.len()) as f64;
            judged.extend(arm.levels.iter().map(|level| Required {
                arm: arm.name.clone(),
                level: Some(level.load.clone()),
                measure: Subject::Errors.id().to_owned(),
                ..wrong_answers(&level.counts, asked.bound, confidence)
            }));
        }
    }
    judged
}

/// The share of wrong answers with its exact interval (Clopper, Pearson 1934) against a bound.
fn wrong_answers(counts: &Counts, bound: Bound, confidence: f64) -> Required {
    let all = counts.requests;
    let wrong = all.saturating_sub(counts.ok);
    let interval = (all > 0).then(|| clopper_pearson(wrong, all, confidence));
    let verdict = match (bound, interval) {
        (Bound::Below(most), Some(interval)) if interval.high < most => GateVerdict::Pass,
        (Bound::Below(most), Some(interval)) if interval.low > most => GateVerdict::Fail,
        _ => GateVerdict::Inconclusive,
    };
    Required {
        arm: String::new(),
        level: None,
        measure: String::new(),
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
