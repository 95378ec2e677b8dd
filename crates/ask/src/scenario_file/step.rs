//! The steps of a scenario.

use super::Reader;
use crate::diagnostic::{Diagnostic, nearest};
use crate::node::{Node, Table, Value};
use crate::slip::{Advice, ScenarioSlip};
use traffic::scenario::{Action, Pause, SessionRequest, ShareOf, Template, Times, Transaction};

/// The keys that say what a step does. `step` is one of them only where there is no `group`.
const DEEDS: [&str; 15] = [
    "get", "post", "put", "delete", "patch", "head", "options", "group", "step", "pause", "set", "ws",
    "send", "expect", "close",
];
/// How many of them are methods.
const METHODS: usize = 7;

impl Reader<'_> {
    /// Reads a list of steps.
    pub(super) fn steps(&mut self, node: &Node) -> Vec<Action> {
        let list = match node.list() {
            Ok(list) => list,
            Err(problem) => {
                self.refuse(problem.hint(Advice::ScenarioForm));
                return Vec::new();
            }
        };
        if list.is_empty() {
            self.refuse(node.refuse(ScenarioSlip::NoStep).hint(Advice::ScenarioForm));
        }
        list.iter().flat_map(|step| self.step(step)).collect()
    }

    /// Reads a step. What decides whether and how often it is done is put around what it does.
    fn step(&mut self, node: &Node) -> Vec<Action> {
        let Some(mut table) = self.open(node, "[[scenario.step]]") else {
            return Vec::new();
        };
        let once = self.read(&mut table, "once", Node::boolean).unwrap_or(false);
        let share = self.read(&mut table, "share", Node::share);
        let condition = table.get("if").map(|node| self.condition(node));
        let times = table.get("repeat").map(|node| self.times(node));
        let for_each = table.get("for_each").and_then(|node| self.for_each(node));
        let while_node = table.get("while");
        let mut body = self.deed(node, &mut table);
        if let Some(pause) = self.think_of(&mut table, &body) {
            body.push(Action::Pause(pause));
        }
        // A loop may wait for a variable that its own steps set, so its condition is read after them.
        let condition_of_loop = while_node.map(|node| self.condition(node));
        table.finish(&mut self.problems);
        if let Some((list, into)) = for_each {
            body = vec![Action::ForEach { list, into, index: None, from: 0, to: None, body }];
        }
        if let Some(times) = times {
            let index = None;
            body = vec![Action::Loop { times, index, body }];
        }
        if let Some(condition) = condition_of_loop {
            body = vec![Action::While { condition, index: None, body }];
        }
        if let Some(condition) = condition {
            body = vec![Action::If { condition, then: body, otherwise: Vec::new() }];
        }
        if once {
            body = vec![Action::OnceOnly(body)];
        }
        if let Some(share) = share {
            body = vec![Action::Share {
                of: ShareOf::Percent(Template::literal(&(share * 100.0).to_string())),
                together: true,
                body,
            }];
        }
        body
    }

    /// Reads what a step does.
    fn deed(&mut self, node: &Node, table: &mut Table<'_>) -> Vec<Action> {
        let mut present = Vec::new();
        for (index, key) in DEEDS.iter().enumerate() {
            if let Some(value) = table.get(key) {
                present.push((index, *key, value));
            }
        }
        if let [(_, "group", _), (_, "step", steps)] = present[..] {
            return self.group(table, steps);
        }
        if let [(_, "send", sent), (_, "expect", awaited)] = present[..] {
            return requested(self.message(Some(sent), Some(awaited), table));
        }
        match present[..] {
            [] => {
                // A misspelt deed is told as the unknown key that it is.
                if !has_misspelt_deed(node) {
                    self.refuse(node.refuse(ScenarioSlip::IdleStep).hint(Advice::ScenarioForm));
                }
                Vec::new()
            }
            [(index, key, value)] if index < METHODS => {
                let method = key.to_ascii_uppercase();
                requested(self.request(&method, value, table))
            }
            [(_, "ws", path)] => requested(self.opening(path, table)),
            [(_, "send", sent)] => requested(self.message(Some(sent), None, table)),
            [(_, "expect", awaited)] => requested(self.message(None, Some(awaited), table)),
            [(_, "close", value)] => requested(self.closing(value, table)),
            [(_, "set", value)] => self.set(value),
            [(_, "pause", value)] => self.pause(value).map(Action::Pause).into_iter().collect(),
            [(_, "group", value)] => {
                self.refuse(value.refuse(ScenarioSlip::NoStep).hint(Advice::ScenarioForm));
                Vec::new()
            }
            [(_, _, steps)] => self.steps(steps),
            [(_, one, _), (_, other, value), ..] => {
                self.refuse(value.refuse(ScenarioSlip::TwoDeeds(one, other)));
                Vec::new()
            }
        }
    }

    /// Reads a group of steps with measures of its own.
    fn group(&mut self, table: &mut Table<'_>, steps: &Node) -> Vec<Action> {
        let name = self.read(table, "group", |node| node.text().map(str::to_owned));
        let group = self.several.then(|| self.scenario.clone());
        let name = name.unwrap_or_default();
        let step = self.program.step(&name, true, group.as_deref());
        let body = self.steps(steps);
        vec![Action::Transaction(Transaction { step, with_pauses: false, alone: false, body })]
    }

    /// The pause behind a step: the step's own pause, or behind a request without one the scenario's pause.
    fn think_of(&mut self, table: &mut Table<'_>, body: &[Action]) -> Option<Pause> {
        let is_request = matches!(body, [Action::Request(_)]);
        match table.get("think") {
            Some(node) => self.pause(node),
            None => self.think.clone().filter(|_| is_request),
        }
    }

    /// Reads how often a step is done.
    fn times(&mut self, node: &Node) -> Times {
        match &node.value {
            Value::Text(_) => Times::Rendered(self.template(node)),
            _ => match node.integer(0..=1_000_000_000) {
                Ok(times) => Times::Fixed(times),
                Err(problem) => {
                    self.refuse(problem);
                    Times::Fixed(0)
                }
            },
        }
    }

    /// Reads `for_each = { id = "ids" }`: the list and the variable.
    fn for_each(&mut self, node: &Node) -> Option<(usize, usize)> {
        let entries = self.entries(node, "{ id = \"ids\" }");
        let [(name, list)] = entries[..] else {
            if !entries.is_empty() {
                self.refuse(node.expected(crate::slip::ExpectedValue::TableLike("{ id = \"ids\" }")));
            }
            return None;
        };
        let into = self.define(name)?;
        let found = list.text().map(|text| (text, self.program.lists.find(text)));
        match found {
            Ok((_, Some(list))) => Some((list, into)),
            Ok((text, None)) => {
                let slip = ScenarioSlip::UnknownList(text.to_owned());
                self.refuse(list.refuse(slip).hint(Advice::Lists));
                None
            }
            Err(problem) => {
                self.refuse(problem);
                None
            }
        }
    }

    /// Reads `set = { name = "value" }`.
    fn set(&mut self, node: &Node) -> Vec<Action> {
        let mut actions = Vec::new();
        for (name, value) in self.entries(node, "{ page = \"${random(1, 9)}\" }") {
            let value = self.scalar(value);
            if let Some(variable) = self.define(name) {
                actions.push(Action::Set { variable, value });
            }
        }
        actions
    }

    /// Refuses keys of requests in a step that sends none.
    pub(super) fn text_of(&mut self, node: &Node) -> Option<String> {
        let text: Result<_, Diagnostic> = node.text().map(str::to_owned);
        text.map_err(|problem| self.refuse(problem)).ok()
    }
}

/// The actions of a step that sends this request.
fn requested(request: Option<SessionRequest>) -> Vec<Action> {
    request.map(|request| Action::Request(Box::new(request))).into_iter().collect()
}

/// Whether a step has a key that is nearly one of [`DEEDS`].
fn has_misspelt_deed(node: &Node) -> bool {
    let Value::Table(entries) = &node.value else {
        return false;
    };
    let mut keys = entries.iter().filter_map(|(name, _)| name.text().ok());
    keys.any(|key| !DEEDS.contains(&key) && nearest(key, DEEDS).is_some())
}
