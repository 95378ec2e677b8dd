//! `[reference]`: what somebody else measured, to stand beside what a run finds.

use crate::diagnostic::Diagnostic;
use crate::node::{Node, Table, Value};
use crate::outcome::{Reference, ReferenceRow};
use crate::values;

/// Reads `source`, `note` and the `rows`.
pub(super) fn read(node: &Node, problems: &mut Vec<Diagnostic>) -> Reference {
    let mut reference = Reference::default();
    let mut table = match Table::open(node, "[reference]") {
        Ok(table) => table,
        Err(problem) => {
            problems.push(problem);
            return reference;
        }
    };
    let text = |node: &Node| node.text().map(str::to_owned);
    reference.source = table.read("source", problems, text);
    reference.note = table.read("note", problems, text);
    let rows = table.get("rows").map_or(Ok(&[] as &[Node]), Node::list);
    table.finish(problems);
    match rows {
        Ok([]) => {
            let hint = "write [[reference.rows]] and below it arm = \"a\" and throughput = 192.76";
            problems.push(Diagnostic::new(node.span.clone(), "this reference has no `rows`").hint(hint));
        }
        Ok(rows) => reference.rows = rows.iter().filter_map(|node| row(node, problems)).collect(),
        Err(problem) => problems.push(problem.about("rows")),
    }
    reference
}

/// A row: an arm, where it matters a level, and any numbers.
fn row(node: &Node, problems: &mut Vec<Diagnostic>) -> Option<ReferenceRow> {
    let mut table = Table::open(node, "a row of the reference")
        .map_err(|problem| problems.push(problem))
        .ok()?;
    let named = table.get("arm");
    let arm = table.read("arm", problems, |node| node.text().map(str::to_owned));
    let level = table.read("level", problems, |node| node.integer(1..=10_000_000));
    if named.is_none() {
        let hint = "write arm = \"name\": one of this experiment's arms, or another";
        problems.push(Diagnostic::new(node.span.clone(), "this row names no `arm`").hint(hint));
    }
    let mut row = ReferenceRow {
        arm: arm?,
        level,
        values: Default::default(),
    };
    for (key, node) in table.rest() {
        match number(node) {
            Ok(number) => drop(row.values.insert(key.to_owned(), number)),
            Err(problem) => problems.push(problem.about(key)),
        }
    }
    Some(row)
}

/// A finite number, or a time in its own notation.
fn number(node: &Node) -> Result<f64, Diagnostic> {
    let found = match &node.value {
        Value::Integer(number) => Some(*number as f64),
        Value::Float(number) => Some(*number).filter(|number| number.is_finite()),
        Value::Text(text) => values::duration(text).ok().map(|span| span.as_secs_f64()),
        _ => None,
    };
    found.ok_or_else(|| node.expected("a number, or a time as `12ms`"))
}
