//! `[require]` of a scenario file: what `prony load` requires of the load and of its steps, as `--require` does.

use crate::diagnostic::Diagnostic;
use crate::node::{Node, Value};
use crate::require::{Requirement, of_load};
use crate::slip::{Advice, ExpectedValue, NameSlip, TableName};
use traffic::scenario::Program;

/// The key of the table.
pub(super) const KEY: &str = "require";
/// The key below which steps are named.
const STEP: &str = "step";

/// Reads the table.
pub(super) fn read(node: &Node, program: &Program, problems: &mut Vec<Diagnostic>) -> Vec<Requirement> {
    let mut requirements = Vec::new();
    for (name, key, value) in entries(node, "[require]", problems) {
        if key != STEP {
            add(name, "", key, value, problems, &mut requirements);
            continue;
        }
        for (name, step, value) in entries(value, "[require.step]", problems) {
            if !program.steps.iter().any(|one| one.is_called(step)) {
                problems.push(name.refuse(NameSlip::UnknownStep(step.to_owned())));
                continue;
            }
            for (name, key, value) in entries(value, "[require.step.NAME]", problems) {
                add(name, &format!("{step}: "), key, value, problems, &mut requirements);
            }
        }
    }
    requirements
}

/// The entries of a table, each with the place of its key.
fn entries<'a>(
    node: &'a Node,
    name: &'static str,
    problems: &mut Vec<Diagnostic>,
) -> Vec<(&'a Node, &'a str, &'a Node)> {
    let Value::Table(entries) = &node.value else {
        problems.push(node.expected(ExpectedValue::Table(TableName::Key(name))));
        return Vec::new();
    };
    let named = |(name, value): &'a (Node, Node)| Some((name, name.text().ok()?, value));
    entries.iter().filter_map(named).collect()
}

/// Reads one bound of a measure, or a list of them. `about` is the step that they are for, as a line has it in front.
fn add(
    name: &Node,
    about: &str,
    key: &str,
    value: &Node,
    problems: &mut Vec<Diagnostic>,
    requirements: &mut Vec<Requirement>,
) {
    let all = match &value.value {
        Value::List(items) => items.as_slice(),
        _ => std::slice::from_ref(value),
    };
    for bound in all {
        let read = bound.text().and_then(|text| {
            // An amount without < or > would be part of the name in a line.
            let line = format!("{about}{key}{text}");
            let is_bound = text.trim_start().starts_with(['<', '>']);
            let place = if is_bound { name } else { bound };
            of_load(if is_bound { &line } else { text }).map_err(|slip| place.refuse(slip))
        });
        match read {
            Ok(requirement) => requirements.push(requirement),
            Err(problem) => problems.push(problem.hint(Advice::RequireForm)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Rejected;
    use crate::require::Bound;
    use crate::scenario_file::{parse, parse_file};
    use model::measure::Measure;
    use traffic::scenario::Resources;

    const SCENARIO: &str = "[[scenario]]\nname = \"buyers\"\nstep = [{ name = \"pay\", get = \"/pay\" }]\n";

    fn resources() -> Resources<'static> {
        Resources { read: &|_| Err(String::new()), environment: &|_| None }
    }

    fn read(text: &str) -> Result<Vec<Requirement>, Rejected> {
        let text = format!("{SCENARIO}{text}");
        let read = parse_file(&text, &resources()).map(|file| file.requirements);
        // Whoever only checks a file sees the same mistakes.
        assert_eq!(parse(&text, &resources()).is_err(), read.is_err(), "{text}");
        read
    }

    #[test]
    fn a_file_requires_of_the_load_and_of_its_steps() {
        let all = read(
            "[require]\nresponse_p95 = \"< 20ms\"\n\"p99.9\" = \"< 1s\"\nerrors = [\"< 1%\"]\n[require.step.pay]\np99 = \"< 200ms\"\n",
        );
        let all = all.expect("requirements");
        let about: Vec<_> =
            all.iter().map(|one| (one.step.as_deref(), one.subject.id(), one.bound)).collect();
        assert_eq!(about[0], (None, "response_p95", Bound::Below(0.02)));
        assert_eq!(
            (about[1].1, about[2]),
            (Measure::ResponseP999.id(), (None, "errors", Bound::Below(0.01)))
        );
        assert_eq!(about[3], (Some("pay"), "response_p99", Bound::Below(0.2)));
        assert_eq!(read("").expect("nothing").len(), 0);
    }

    #[test]
    fn what_cannot_be_required_of_a_load_is_refused() {
        for wrong in [
            "[require]\np95 = \"20ms\"",
            "[require]\nthroughput = \"not slower than baseline\"",
            "[require]\np95 = 20",
            "[require]\nstartup = \"< 5s\"",
            "[require]\nstep = 5",
            "[require.step.sell]\np95 = \"< 5s\"",
            "[require.step.pay]\nthroughput = \"> 5/s\"",
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
