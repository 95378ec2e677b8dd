//! `[reference]`: figures that somebody else measured, which reports show next to the run's own.

use super::design::file::measure_among;
use crate::diagnostic::Diagnostic;
use crate::node::{Node, Table, Value};
use crate::question::Question;
use crate::reference::{Need, OpenQuestion, Reference, ReferenceRow};
use crate::slip::{Advice, ExpectedValue, Hint, Owner, TableName};
use crate::values;
use model::measure::Measure;

/// Reads `[reference]`.
pub(super) fn read(node: &Node, problems: &mut Vec<Diagnostic>) -> Reference {
    let mut reference = Reference::default();
    let Some(mut table) = Table::open_or_tell(node, TableName::Key("[reference]"), problems) else {
        return reference;
    };
    reference.source = table.read("source", problems, Node::owned_text);
    reference.note = table.read("note", problems, Node::owned_text);
    let figures = table.read("figures", problems, names);
    let open = table.get("open").map_or(Ok(&[] as &[Node]), Node::list);
    let rows = table.get("rows").map_or(Ok(&[] as &[Node]), Node::list);
    table.finish(problems);
    let has_figures = figures.is_some();
    reference.figures = figures.unwrap_or_default();
    match open {
        Ok(questions) => {
            let read = questions.iter().filter_map(|node| open_question(node, problems));
            reference.open = read.collect();
        }
        Err(problem) => problems.push(problem.about("open")),
    }
    match rows {
        Ok([]) if reference.open.is_empty() && !has_figures => {
            let hint = Hint::WriteTable {
                head: "[[reference.rows]]",
                below: &["arm = \"a\"", "throughput = 192.76"],
            };
            problems.push(node.lacks(Owner::Reference, "rows").hint(hint));
        }
        Ok(rows) => reference.rows = rows.iter().filter_map(|node| row(node, problems)).collect(),
        Err(problem) => problems.push(problem.about("rows")),
    }
    reference
}

/// Reads a list of names.
fn names(node: &Node) -> Result<Vec<String>, Diagnostic> {
    node.list()?.iter().map(Node::owned_text).collect()
}

/// Reads a question that was left open: its words, the arm and the level that it is about, and the measure whose verdict answers it, if one
/// does.
fn open_question(node: &Node, problems: &mut Vec<Diagnostic>) -> Option<OpenQuestion> {
    let mut table = Table::open_or_tell(node, TableName::OpenQuestion, problems)?;
    for key in ["question", "arm"] {
        if table.get(key).is_none() {
            let problem = node.lacks(Owner::OpenQuestion, key);
            problems.push(problem.hint(Advice::OpenQuestion));
        }
    }
    let question = Question::read(&mut table, problems);
    let arm = table.read("arm", problems, Node::owned_text);
    let level = table.read("level", problems, users);
    let measure = table.read("measure", problems, |node| measure_among(node, &Measure::ALL));
    table.finish(problems);
    Some(OpenQuestion { question: question?, arm: arm?, level, measure })
}

/// Reads a row: an arm, a level where that matters, and any figures.
fn row(node: &Node, problems: &mut Vec<Diagnostic>) -> Option<ReferenceRow> {
    let mut table = Table::open_or_tell(node, TableName::ReferenceRow, problems)?;
    let named = table.get("arm");
    let arm = table.read("arm", problems, Node::owned_text);
    let level = table.read("level", problems, users);
    let needs = table.read("needs", problems, |node| node.one_of(&Need::ALL, Need::id));
    if named.is_none() {
        let problem = node.lacks(Owner::ReferenceRow, "arm");
        problems.push(problem.hint(Advice::ReferenceArm));
    }
    let mut row = ReferenceRow { arm: arm?, level, needs, values: Default::default() };
    for (key, node) in table.rest() {
        match number(node) {
            Ok(number) => drop(row.values.insert(key.to_owned(), number)),
            Err(problem) => problems.push(problem.about(key)),
        }
    }
    Some(row)
}

/// Reads a number of users.
fn users(node: &Node) -> Result<u64, Diagnostic> {
    node.integer(1..=10_000_000)
}

/// Reads a finite number, or a time in its own notation, which becomes seconds.
fn number(node: &Node) -> Result<f64, Diagnostic> {
    let number = match &node.value {
        Value::Integer(number) => Some(*number as f64),
        Value::Float(number) => Some(*number).filter(|number| number.is_finite()),
        Value::Text(text) => values::duration(text).ok().map(|span| span.as_secs_f64()),
        _ => None,
    };
    number.ok_or_else(|| node.expected(ExpectedValue::Figure))
}
