//! Scenario files: TOML, read into a [`Program`].

mod answer;
mod body;
mod condition_text;
mod data;
mod request;
mod require;
mod step;
mod template_text;
mod web_socket;

use crate::diagnostic::{Diagnostic, Rejected, near_or};
use crate::node::{self, Node, Table, Value};
use crate::require::Requirement;
use crate::slip::{Advice, ExpectedValue, Hint, Listing, ScenarioSlip, TableName};
use condition_text::ConditionMistake;
use std::collections::BTreeSet;
use std::ops::Range;
use template_text::{FUNCTIONS, Names, TemplateMistake, compile};
use traffic::pace::Think;
use traffic::scenario::{
    Action, Cookies, Expr, GroupArrivals, OnFailure, Pause, PauseTerm, Program, Resources, Slots, Template,
    UserGroup,
};

/// A file with a scenario: `[vars]`, `[[data]]`, `[[scenario]]` and `[require]`.
#[derive(Debug)]
pub struct ScenarioFile {
    pub program: Program,
    /// What `prony load` requires of the load and of its steps.
    pub requirements: Vec<Requirement>,
}

/// Reads the program of a file with a scenario.
///
/// # Errors
///
/// Everything that is wrong with the file, also in the files that it names.
pub fn parse(text: &str, resources: &Resources<'_>) -> Result<Program, Rejected> {
    parse_file(text, resources).map(|file| file.program)
}

/// Reads a file with a scenario.
///
/// # Errors
///
/// Everything that is wrong with it, also in the files that it names.
pub fn parse_file(text: &str, resources: &Resources<'_>) -> Result<ScenarioFile, Rejected> {
    let mut problems = Vec::new();
    let root = node::parse(text).map_err(|problem| problems.push(problem)).ok();
    let file = root.and_then(|root| {
        let mut table = Table::open(&root, TableName::Key("[[scenario]]"))
            .map_err(|problem| problems.push(problem))
            .ok()?;
        let required = table.get(require::KEY);
        let program = read(&mut table, resources, &mut problems);
        let file = program.map(|program| ScenarioFile {
            requirements: required.map_or_else(Vec::new, |node| require::read(node, &program, &mut problems)),
            program,
        });
        table.finish(&mut problems);
        file
    });
    match file {
        Some(file) if problems.is_empty() => Ok(file),
        _ => {
            if problems.is_empty() {
                problems.push(Diagnostic::new(0..0, ScenarioSlip::NoScenario).hint(Advice::ScenarioForm));
            }
            problems.sort_by_key(|problem| problem.span.start);
            Err(Rejected { diagnostics: problems })
        }
    }
}

/// Reads the scenarios of a table, which may have other keys, too; `None` if it has no `scenario`.
pub(crate) fn read(
    table: &mut Table<'_>,
    resources: &Resources<'_>,
    problems: &mut Vec<Diagnostic>,
) -> Option<Program> {
    let (vars, data) = (table.get("vars"), table.get("data"));
    let scenarios = table.get("scenario")?;
    let mut reader = Reader::new(resources);
    if let Some(vars) = vars {
        reader.read_vars(vars);
    }
    if let Some(data) = data {
        reader.read_data(data);
    }
    match scenarios.list() {
        Ok(list) => {
            reader.several = list.len() > 1;
            for node in list {
                reader.read_scenario(node);
            }
            if list.is_empty() {
                reader.problems.push(scenarios.refuse(ScenarioSlip::NoScenario).hint(Advice::ScenarioForm));
            }
        }
        Err(problem) => reader.problems.push(problem.hint(Advice::ScenarioForm)),
    }
    problems.append(&mut reader.problems);
    Some(reader.program)
}

/// Reads a file, and keeps what was read and what is wrong.
struct Reader<'a> {
    program: Program,
    counters: Slots,
    resources: &'a Resources<'a>,
    problems: Vec<Diagnostic>,
    /// The variables that the present scenario names.
    used: BTreeSet<usize>,
    /// The headers of every request of the present scenario.
    headers: Vec<(Template, Template)>,
    /// The pause behind every step of the present scenario that has none of its own.
    think: Option<Pause>,
    /// The number of the server to which the user has a connection of WebSocket at the present step.
    opened: Option<usize>,
    /// The name of the present scenario.
    scenario: String,
    /// Whether there are several scenarios, so that steps are named together with theirs.
    several: bool,
}

impl<'a> Reader<'a> {
    fn new(resources: &'a Resources<'a>) -> Self {
        Self {
            program: Program::default(),
            counters: Slots::default(),
            resources,
            problems: Vec::new(),
            used: BTreeSet::new(),
            headers: Vec::new(),
            think: None,
            opened: None,
            scenario: String::new(),
            several: false,
        }
    }

    /// Reads one value of a table.
    fn read<T>(
        &mut self,
        table: &mut Table<'_>,
        key: &'static str,
        read: impl FnOnce(&Node) -> Result<T, Diagnostic>,
    ) -> Option<T> {
        table.read(key, &mut self.problems, read)
    }

    /// Keeps what is wrong.
    fn refuse(&mut self, problem: Diagnostic) {
        self.problems.push(problem);
    }

    /// Opens a table.
    fn open<'n>(&mut self, node: &'n Node, name: &'static str) -> Option<Table<'n>> {
        Table::open(node, TableName::Key(name)).map_err(|problem| self.refuse(problem)).ok()
    }

    /// Reads `[vars]`; each value can use those above it.
    fn read_vars(&mut self, node: &Node) {
        for (name, value) in self.entries(node, "{ page = \"7\" }") {
            let value = self.scalar(value);
            if let Some(slot) = self.define(name) {
                self.program.initial.push((slot, value));
            }
        }
    }

    /// Reads one `[[scenario]]`.
    fn read_scenario(&mut self, node: &Node) {
        let Some(mut table) = self.open(node, "[[scenario]]") else {
            return;
        };
        let number = self.program.groups.len() + 1;
        let name = self.read(&mut table, "name", |node| node.text().map(str::to_owned));
        self.scenario = name.unwrap_or_else(|| format!("scenario {number}"));
        let weight = self.read(&mut table, "weight", |node| node.integer(1..=1_000_000));
        let mut group = UserGroup::new(&self.scenario.clone(), weight.unwrap_or(1) as u32);
        group.iterations = self.read(&mut table, "iterations", |node| node.integer(1..=1_000_000_000));
        let cookies = self.read(&mut table, "cookies", cookies);
        group.cookies = cookies.unwrap_or_default();
        let on_failure = self.read(&mut table, "on_failure", on_failure);
        group.on_failure = on_failure.unwrap_or(OnFailure::NextIteration);
        let new_connections = self.read(&mut table, "new_connections", Node::boolean);
        group.keeps_connections = !new_connections.unwrap_or(false);
        self.think = table.get("think").and_then(|node| self.pause(node));
        self.used.clear();
        self.opened = None;
        self.headers = Vec::new();
        if let Some(headers) = table.get("headers") {
            self.headers = self.headers(headers);
        }
        let steps = table.get("step");
        if let Some(steps) = steps {
            group.body = self.steps(steps);
        } else {
            self.refuse(node.refuse(ScenarioSlip::NoStep).hint(Advice::ScenarioForm));
        }
        table.finish(&mut self.problems);
        self.take_rows(&mut group.body);
        debug_assert!(matches!(group.arrivals, GroupArrivals::Weight(_)));
        self.program.groups.push(group);
    }

    /// Lets a session begin with a row of each file whose columns it uses.
    fn take_rows(&self, body: &mut Vec<Action>) {
        let sources = self.program.data.iter().enumerate();
        let used = sources.filter(|(_, source)| source.columns.iter().any(|slot| self.used.contains(slot)));
        let rows: Vec<_> = used.map(|(index, _)| Action::NextRow(index)).collect();
        body.splice(0..0, rows);
    }

    /// Defines a variable; a name that templates cannot write is refused.
    fn define(&mut self, name: &Node) -> Option<usize> {
        let text = name.text().ok()?;
        let fits = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
        if text.is_empty() || !text.chars().all(fits) {
            let slip = ScenarioSlip::BadName(text.to_owned());
            self.refuse(name.refuse(slip).hint(Advice::NameForm));
            return None;
        }
        Some(self.program.variables.define(text))
    }

    /// The entries of a table of free keys.
    fn entries<'n>(&mut self, node: &'n Node, example: &'static str) -> Vec<(&'n Node, &'n Node)> {
        let Value::Table(entries) = &node.value else {
            self.refuse(node.expected(ExpectedValue::TableLike(example)));
            return Vec::new();
        };
        entries.iter().map(|(name, value)| (name, value)).collect()
    }

    /// Reads a text with variables.
    fn template(&mut self, node: &Node) -> Template {
        match node.text() {
            Ok(text) => self.compile(node, text),
            Err(problem) => {
                self.refuse(problem);
                Template::default()
            }
        }
    }

    /// Reads a text with variables, or a number or truth value as its text.
    fn scalar(&mut self, node: &Node) -> Template {
        match &node.value {
            Value::Integer(number) => Template::literal(&number.to_string()),
            Value::Float(number) => Template::literal(&number.to_string()),
            Value::Bool(truth) => Template::literal(&truth.to_string()),
            _ => self.template(node),
        }
    }

    /// Compiles a text that stands at this node.
    fn compile(&mut self, node: &Node, text: &str) -> Template {
        let mut names = Names {
            program: &mut self.program,
            counters: &mut self.counters,
            environment: self.resources.environment,
            used: &mut self.used,
        };
        match compile(text, &mut names) {
            Ok(template) => template,
            Err(mistakes) => {
                for found in mistakes {
                    let span = place_in(node, text, found.place);
                    let problem = self.mistake(span, found.mistake);
                    self.refuse(problem);
                }
                Template::default()
            }
        }
    }

    /// What is said about a mistake in a template.
    fn mistake(&self, span: Range<usize>, mistake: TemplateMistake) -> Diagnostic {
        let variables = self.program.variables.names().iter().map(String::as_str);
        let functions = || FUNCTIONS.iter().map(|(name, _)| *name);
        let (slip, hint) = match mistake {
            TemplateMistake::Unclosed => (ScenarioSlip::Unclosed, Hint::Advice(Advice::CloseBrace)),
            TemplateMistake::NoName => (ScenarioSlip::NoName, Hint::Advice(Advice::Variables)),
            TemplateMistake::Unknown(name) => {
                let hint = near_or(&name, variables, || Hint::Advice(Advice::Variables));
                (ScenarioSlip::UnknownVariable(name), hint)
            }
            TemplateMistake::UnknownFunction(name) => {
                let hint = near_or(&name, functions(), || Hint::listed(Listing::Functions, functions()));
                (ScenarioSlip::UnknownFunction(name), hint)
            }
            TemplateMistake::Arguments(form) => (ScenarioSlip::Arguments, Hint::write(form)),
            TemplateMistake::NoEnvironment(name) => {
                let hint = Hint::Advice(Advice::SetEnvironment);
                (ScenarioSlip::NoEnvironment(name), hint)
            }
        };
        Diagnostic::new(span, slip).hint(hint)
    }

    /// Reads a condition.
    fn condition(&mut self, node: &Node) -> Expr {
        if let Value::Bool(truth) = node.value {
            return Expr::always(truth);
        }
        let text = match node.text() {
            Ok(text) => text,
            Err(problem) => {
                self.refuse(problem.hint(Advice::ConditionForm));
                return Expr::always(true);
            }
        };
        let mut names = Names {
            program: &mut self.program,
            counters: &mut self.counters,
            environment: self.resources.environment,
            used: &mut self.used,
        };
        let problem = match condition_text::parse(text, &mut names) {
            Ok(condition) => return condition,
            Err(ConditionMistake::Form(at)) => {
                let slip = ScenarioSlip::Condition(text[at..].to_owned());
                Diagnostic::new(place_in(node, text, at..text.len()), slip).hint(Advice::ConditionForm)
            }
            Err(ConditionMistake::Template(place, mistake)) => {
                self.mistake(place_in(node, text, place), mistake)
            }
        };
        self.refuse(problem);
        Expr::always(true)
    }

    /// Reads a pause: a text as `[load] think` has it, or `{ min, max }`.
    fn pause(&mut self, node: &Node) -> Option<Pause> {
        let think = match &node.value {
            Value::Table(_) => {
                let mut table = self.open(node, "think")?;
                let min = self.read(&mut table, "min", Node::duration);
                let max = self.read(&mut table, "max", Node::duration);
                table.finish(&mut self.problems);
                let (min, max) = (min.unwrap_or_default(), max?);
                Think::Uniform(min.min(max), max)
            }
            _ => match node.think() {
                Ok(think) => think,
                Err(problem) => {
                    self.refuse(problem);
                    return None;
                }
            },
        };
        Some(Pause::of(PauseTerm::Think(think)))
    }
}

/// The bytes of the source at which a part of a text stands. A text with escapes is pointed at as a whole.
fn place_in(node: &Node, text: &str, part: Range<usize>) -> Range<usize> {
    let begin = match node.span.len().checked_sub(text.len()) {
        Some(2) => 1,
        Some(6) => 3,
        Some(7) => 4, // the line break behind the opening quotes is no part of the text
        _ => return node.span.clone(),
    };
    let start = node.span.start + begin;
    start + part.start..start + part.end
}

fn cookies(node: &Node) -> Result<Cookies, Diagnostic> {
    match &node.value {
        Value::Bool(true) => Ok(Cookies::PerIteration),
        Value::Bool(false) => Ok(Cookies::Ignored),
        Value::Text(word) if word == "keep" => Ok(Cookies::PerUser),
        _ => Err(node.expected(ExpectedValue::TruthOr("keep"))),
    }
}

fn on_failure(node: &Node) -> Result<OnFailure, Diagnostic> {
    const ALL: [OnFailure; 3] = [OnFailure::Continue, OnFailure::NextIteration, OnFailure::StopUser];
    node.one_of(&ALL, |on_failure| match on_failure {
        OnFailure::NextIteration => "next",
        OnFailure::StopUser => "stop",
        _ => "continue",
    })
}

#[cfg(test)]
mod tests;
