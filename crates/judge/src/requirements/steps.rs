//! Requirements on steps of sessions. They are judged from all rounds of a run, and none of them decides how long it lasts.

use super::{BoundTest, against_baseline, applies, count_bounds, distance_within, not_worse};
use crate::step_series::{StepRounds, StepSeries};
use ask::experiment::Experiment;
use ask::require::{Bound, Requirement, Subject};
use record::outcome::{GateVerdict, Level, Required};
use stats::sequential::Look;
use stats::spending::LookKind;
use traffic::scenario::{Program, full_name_of_step};

/// How often something ended, and how often wrongly.
pub(super) struct Ends {
    /// The name of the step; `None` for all requests.
    pub(super) step: Option<String>,
    pub(super) wrong: u64,
    pub(super) all: u64,
}

/// The ends at a load that a requirement on wrong ends is about: of all requests, or of each step with its name.
pub(super) fn ends(requirement: &Requirement, level: &Level) -> Vec<Ends> {
    let Some(asked) = &requirement.step else {
        let counts = &level.counts;
        return vec![Ends {
            step: None,
            wrong: counts.requests.saturating_sub(counts.ok),
            all: counts.requests,
        }];
    };
    let ends = level.steps.iter().map(|step| {
        let name = full_name_of_step(&step.name, step.group.as_ref());
        (*asked == name || *asked == step.name).then(|| Ends {
            step: Some(name),
            wrong: step.ended.saturating_sub(step.ok),
            all: step.ended,
        })
    });
    ends.flatten().collect()
}

/// Returns the number of steps that a requirement applies to; it is 1 for a requirement on the whole load.
pub(super) fn count(experiment: &Experiment, requirement: &Requirement) -> usize {
    let (Some(program), Some(_)) = (&experiment.workload.sessions, &requirement.step) else {
        return 1;
    };
    let steps = 0..program.steps.len();
    steps.filter(|step| is_asked(program, *step, requirement)).count()
}

fn is_asked(program: &Program, step: usize, requirement: &Requirement) -> bool {
    let asked = requirement.step.as_ref();
    asked.is_some_and(|name| program.steps[step].is_called(name))
}

/// Judges the requirements on measures of steps.
pub(crate) fn of_steps(
    experiment: &Experiment,
    steps: &[StepRounds],
    looks: &[(&StepSeries, Option<Look>)],
    kind: LookKind,
) -> Vec<Required> {
    let Some(program) = &experiment.workload.sessions else {
        return Vec::new();
    };
    let mut judged = Vec::new();
    for requirement in &experiment.require {
        let is_asked = |step: usize| is_asked(program, step, requirement);
        match requirement.bound {
            Bound::NotWorse(loss) => {
                let asked = looks.iter().filter(|(series, _)| {
                    is_asked(series.step)
                        && requirement.subject == Subject::Measure(series.d.measure)
                        && applies(experiment, requirement, series.d.arm)
                });
                judged.extend(asked.map(|(series, look)| {
                    let verdict = look
                        .filter(|_| series.lacks.is_none())
                        .map_or(GateVerdict::Inconclusive, |look| not_worse(&look, &series.d, loss));
                    Required {
                        step: Some(program.steps[series.step].full_name()),
                        ..against_baseline(experiment, requirement, &series.d, *look, verdict)
                    }
                }));
            }
            Bound::Below(_) | Bound::Above(_) => {
                let asked = steps.iter().filter(|step| {
                    is_asked(step.step) && requirement.subject == Subject::Measure(step.measure)
                });
                let asked: Vec<&StepRounds> = asked.collect();
                judged.extend(absolute(experiment, program, requirement, &asked, kind));
            }
        }
    }
    judged
}

/// Judges an absolute bound on a measure of steps, for each arm and load that it applies to.
fn absolute(
    experiment: &Experiment,
    program: &Program,
    requirement: &Requirement,
    asked: &[&StepRounds],
    kind: LookKind,
) -> Vec<Required> {
    let Some(distance) = distance_within(requirement.bound) else {
        return Vec::new();
    };
    let arms = (0..experiment.arms.len()).filter(|arm| applies(experiment, requirement, *arm));
    let judge = |arm: usize, step: &StepRounds| {
        let test = BoundTest {
            requirement,
            arm,
            measure: step.measure,
            level: Some(step.load.clone()),
            step: Some(program.steps[step.step].full_name()),
            d: step.values(arm).into_iter().map(&distance).collect(),
            share: count_bounds(experiment) * experiment.comparisons_per_start(step.measure),
        };
        let mut required = test.judge(experiment, kind);
        if step.lacks(arm).is_some() {
            required.verdict = GateVerdict::Inconclusive;
        }
        required
    };
    arms.flat_map(|arm| asked.iter().map(move |step| (arm, *step)))
        .map(|(arm, step)| judge(arm, step))
        .collect()
}
