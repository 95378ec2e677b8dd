//! `[tune]`: settings of the application that trials may change.

use crate::arm::Arm;
use crate::diagnostic::Diagnostic;
use crate::node::{Node, Table, Value};
use crate::slip::{ArmSlip, DesignSlip, ExpectedValue, Hint, Owner, TableName};
use crate::tunable::{GivenBy, Tunable};

/// Most values of a setting: each of them has a server of its own in the trial.
const MOST: usize = 6;
const EXAMPLE: &str = "\"pool.size\" = { env = \"POOL\", values = [8, 16, 32] }";

/// Reads `[tune]`.
pub(super) fn read(node: &Node, arms: &[Arm], problems: &mut Vec<Diagnostic>) -> Vec<Tunable> {
    let Value::Table(entries) = &node.value else {
        problems.push(node.expected(ExpectedValue::TablesLike(EXAMPLE)));
        return Vec::new();
    };
    let read = |(name, value): &(Node, Node)| {
        let setting = setting(name, value, problems)?;
        if !arms.is_empty() && !arms.iter().any(|arm| suits(&setting, arm)) {
            problems.push(value.refuse(DesignSlip::NothingToTune(setting.name.clone())));
        }
        Some(setting)
    };
    entries.iter().filter_map(read).collect()
}

/// Whether an arm can get the setting.
fn suits(setting: &Tunable, arm: &Arm) -> bool {
    let first = setting.values.first().map(|value| setting.change(value));
    first.is_some_and(|change| arm.with(&[change]).is_some())
}

/// Reads one setting.
fn setting(key: &Node, node: &Node, problems: &mut Vec<Diagnostic>) -> Option<Tunable> {
    let name = key.text().ok()?;
    let mut table = Table::open(node, TableName::Tunable)
        .map_err(|problem| problems.push(problem.hint(Hint::for_example(EXAMPLE))))
        .ok()?;
    let before = problems.len();
    let env = table.read("env", problems, variable);
    let property = table.read("property", problems, Node::owned_text);
    if table.get("values").is_none() {
        let problem = node.lacks(Owner::Tunable(name.to_owned()), "values");
        problems.push(problem.hint(Hint::for_example(EXAMPLE)));
    }
    let values = table.read("values", problems, values);
    table.finish(problems);
    let given_by = match (env, property) {
        (Some(env), None) => Some(GivenBy::Env(env)),
        (None, Some(property)) => Some(GivenBy::Property(property)),
        _ => None,
    };
    if given_by.is_none() && problems.len() == before {
        let problem = node.refuse(DesignSlip::TunedBy(name.to_owned()));
        problems.push(problem.hint(Hint::for_example(EXAMPLE)));
    }
    Some(Tunable { name: name.to_owned(), given_by: given_by?, values: values? })
}

/// Reads the name of a variable.
fn variable(node: &Node) -> Result<String, Diagnostic> {
    let name = node.text()?;
    match name.is_empty() || name.contains(['=', '\0']) {
        true => Err(node.refuse(ArmSlip::Variable(name.to_owned()))),
        false => Ok(name.to_owned()),
    }
}

fn values(node: &Node) -> Result<Vec<String>, Diagnostic> {
    let items = node.list()?;
    if items.is_empty() || items.len() > MOST {
        return Err(node.outside(ExpectedValue::Values(MOST), items.len()));
    }
    let value = |node: &Node| match &node.value {
        Value::Text(text) if !text.contains('\0') => Ok(text.clone()),
        Value::Integer(number) => Ok(number.to_string()),
        Value::Float(number) => Ok(number.to_string()),
        Value::Bool(set) => Ok(set.to_string()),
        _ => Err(node.expected(ExpectedValue::Setting)),
    };
    items.iter().map(value).collect()
}
