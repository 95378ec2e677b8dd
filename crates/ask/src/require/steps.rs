//! `[require.step.NAME]`: requirements on steps of sessions and on groups of steps.

use super::{Context, Requirement, Subject, Target, bounds};
use crate::diagnostic::{Diagnostic, near_or};
use crate::node::{Node, Value};
use crate::slip::{Advice, ExpectedValue, Hint, Listing, NameSlip, RequirementSlip, TableName};
use model::measure::Measure;

/// The key below which steps are named.
pub(super) const KEY: &str = "step";

/// What can be required of a step.
fn subjects() -> impl Iterator<Item = Subject> {
    let of_steps = |measure: &Measure| *measure == Measure::Throughput || measure.at_a_rate();
    let measures = Measure::ALL.into_iter().filter(of_steps).map(Subject::Measure);
    measures.chain([Subject::Errors])
}

/// Reads what is required of steps, by an arm or by all.
pub(super) fn read(
    node: &Node,
    arm: Option<&String>,
    context: &mut Context<'_>,
    problems: &mut Vec<Diagnostic>,
    requirements: &mut Vec<Requirement>,
) {
    let Value::Table(steps) = &node.value else {
        problems.push(node.expected(ExpectedValue::Table(TableName::Key("[require.step]"))));
        return;
    };
    for (name, value) in steps {
        let Value::Text(step) = &name.value else { continue };
        if let Some(problem) = refused(name, step, context) {
            problems.push(problem);
            continue;
        }
        let Value::Table(asked) = &value.value else {
            problems.push(value.expected(ExpectedValue::Table(TableName::Key("[require.step]"))));
            continue;
        };
        for (name, value) in asked {
            let Value::Text(id) = &name.value else { continue };
            match subjects().find(|subject| subject.id() == id) {
                Some(subject) => {
                    let target = Target { subject, arm, step: Some(step) };
                    bounds(value, target, context, problems, requirements);
                }
                None => problems.push(no_subject(name, id)),
            }
        }
    }
}

/// Why nothing can be required of this step: the scenario has no step of that name.
fn refused(name: &Node, step: &str, context: &Context<'_>) -> Option<Diagnostic> {
    if context.steps.is_empty() {
        return Some(name.refuse(RequirementSlip::NoSteps).hint(Advice::WholeLoad));
    }
    if context.steps.iter().any(|one| one.is_called(step)) {
        return None;
    }
    let names: Vec<String> = context.steps.iter().map(|one| one.full_name()).collect();
    let known = || names.iter().map(String::as_str);
    let short = context.steps.iter().map(|one| one.name.as_str());
    let hint = near_or(step, short.chain(known()), || Hint::listed(Listing::Steps, known()));
    Some(name.refuse(NameSlip::UnknownStep(step.to_owned())).hint(hint))
}

fn no_subject(name: &Node, id: &str) -> Diagnostic {
    let ids = || subjects().map(Subject::id);
    let hint = near_or(id, ids(), || Hint::listed(Listing::Measures, ids()));
    name.refuse(NameSlip::NotOfAStep(id.to_owned())).hint(hint)
}
