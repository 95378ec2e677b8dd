//! The tree of actions as steps of a scenario file.

use super::{Refused, Writer};
use crate::remark::{PlanPart, PlanRemark, Remark};
use crate::write::{duration, key, quoted};
use model::units::Nanos;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use traffic::plan::Think;
use traffic::scenario::{
    Action, Expr, ExtractFrom, Extractor, Found, Pause, PauseTerm, Program, ShareOf, Template, Times,
    Transaction, UrlInPath, UserGroup,
};

/// A step as it is written.
#[derive(Debug, Default)]
pub(super) struct Block {
    /// What is told above it.
    pub(super) remarks: Vec<Remark>,
    /// Its keys and their values in TOML.
    pub(super) keys: Vec<(&'static str, String)>,
    /// The steps within it.
    pub(super) steps: Vec<Block>,
    /// Rank of its outermost key that decides whether or how often it is done; 6, the innermost, without one.
    order: u8,
}

impl Block {
    pub(super) fn new(keys: Vec<(&'static str, String)>) -> Self {
        Self { keys, order: 6, ..Self::default() }
    }
}

/// Writes steps under this key.
pub(super) fn write(
    blocks: &[Block],
    path: &str,
    out: &mut String,
    say: &mut dyn FnMut(&mut String, &Remark),
) {
    for block in blocks {
        out.push('\n');
        block.remarks.iter().for_each(|remark| say(out, remark));
        let _ = writeln!(out, "[[{path}]]");
        for (name, value) in &block.keys {
            let _ = writeln!(out, "{name} = {value}");
        }
        write(&block.steps, &format!("{path}.step"), out, say);
    }
}

/// The slots that something in a program sets after the start.
pub(super) fn changed(program: &Program) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    for source in &program.data {
        found.extend(&source.columns);
    }
    for group in &program.groups {
        Action::visit_all(&group.body, &mut |action| match action {
            Action::Set { variable, .. } => {
                found.insert(*variable);
            }
            Action::Count { into, .. } | Action::ForEach { into, .. } => {
                found.insert(*into);
            }
            Action::Request(request) => {
                found.extend(request.extract.iter().filter_map(|extractor| match extractor.into {
                    Found::Variable(slot) => Some(slot),
                    Found::List(_) => None,
                }));
            }
            _ => {}
        });
    }
    found
}

impl Writer<'_> {
    /// Writes what the users of a group do. A session takes the rows of data at its begin.
    pub(super) fn body(&mut self, group: &UserGroup) -> Vec<Block> {
        let mut taken = BTreeSet::new();
        let mut rest = Vec::new();
        let mut before_requests = true;
        for action in &group.body {
            match action {
                Action::NextRow(index) if before_requests => {
                    taken.insert(*index);
                    if let Err(part) = self.data_source(*index) {
                        self.refuse(part);
                    }
                }
                Action::Set { variable, value } if Some(*variable) == self.source.lines => {
                    self.line = line_of(value);
                    rest.push(action);
                }
                Action::Set { .. } | Action::Count { .. } => rest.push(action),
                _ => {
                    before_requests = false;
                    rest.push(action);
                }
            }
        }
        let blocks = self.actions(rest.into_iter());
        let unused = |index: &usize| !taken.contains(index);
        let sources = self.program.data.iter().enumerate();
        let lacking: Vec<usize> = sources
            .filter(|(_, source)| source.columns.iter().any(|slot| self.used.contains(slot)))
            .map(|(index, _)| index)
            .filter(unused)
            .collect();
        if !lacking.is_empty() && self.data.keys().any(|index| lacking.contains(index)) {
            self.refuse(PlanPart::Row);
        }
        blocks
    }

    fn actions<'b>(&mut self, actions: impl Iterator<Item = &'b Action>) -> Vec<Block> {
        let mut blocks: Vec<Block> = Vec::new();
        let mut remarks = Vec::new();
        for action in actions {
            if let Action::Set { variable, value } = action
                && Some(*variable) == self.source.lines
            {
                self.line = line_of(value);
                let element = self.source.elements.get(&self.line);
                remarks = vec![Remark::Plan(PlanRemark::Element {
                    line: self.line as usize,
                    name: element.cloned().unwrap_or_default(),
                })];
                continue;
            }
            match self.action(action) {
                Ok(None) => {}
                Ok(Some(mut block)) => {
                    block.remarks.splice(0..0, std::mem::take(&mut remarks));
                    blocks.push(block);
                }
                Err(part) => self.refuse(part),
            }
        }
        blocks
    }

    /// Writes an action; nothing for one that a scenario does by itself.
    fn action(&mut self, action: &Action) -> Result<Option<Block>, Refused> {
        match action {
            Action::Request(request) if request.url_in_path != UrlInPath::Never => Err(PlanPart::Server),
            Action::Request(request) if request.computed_timeout.is_some() => Err(PlanPart::Timeout),
            Action::Request(request) if request.digest.is_some() => Err(PlanPart::Digest),
            Action::Request(request) => self.request(request).map(Some),
            Action::Meet(_) => Err(PlanPart::Meeting),
            Action::Runtime { .. } | Action::HeedRuntime => Err(PlanPart::Runtime),
            Action::Pause(pause) => {
                let pause = self.pause(pause)?;
                Ok(pause.map(|pause| Block::new(vec![("pause", pause)])))
            }
            Action::Set { variable, value } => {
                let value = self.template(value)?;
                Ok(Some(self.set(*variable, &value)))
            }
            Action::Count { counter, into, digits: 0 | 1 } => {
                let value = self.counter(*counter)?;
                Ok(Some(self.set(*into, &value)))
            }
            Action::Count { .. } => Err(PlanPart::Counter),
            Action::NextRow(_) => Err(PlanPart::Row),
            Action::Transaction(transaction) => self.transaction(transaction),
            Action::Script(_) => Err(PlanPart::Script),
            Action::Branch(_) => Err(PlanPart::Branches),
            Action::Stop(_) => Err(PlanPart::Stop),
            Action::Unset(_) | Action::SetList { .. } => Err(PlanPart::List),
            _ => self.wrapped(action),
        }
    }

    fn set(&mut self, variable: usize, value: &str) -> Block {
        self.defined.insert(variable);
        let name = self.name(variable);
        Block::new(vec![("set", format!("{{ {} = {} }}", key(&name), crate::write::inline(value)))])
    }

    fn transaction(&mut self, transaction: &Transaction) -> Result<Option<Block>, Refused> {
        let name = &self.program.steps[transaction.step].name;
        let steps = self.actions(transaction.body.iter());
        if steps.is_empty() {
            return Ok(None);
        }
        let mut block = Block::new(vec![("group", quoted(name))]);
        if transaction.with_pauses && steps.iter().any(has_pause) {
            block.remarks.push(Remark::Plan(PlanRemark::PausesNotCounted));
        }
        block.steps = steps;
        Ok(Some(block))
    }

    /// Writes actions with a rule for whether or how often they are done.
    fn wrapped(&mut self, action: &Action) -> Result<Option<Block>, Refused> {
        let no_index = |index: &Option<usize>| match index {
            Some(_) => Err(PlanPart::Index),
            None => Ok(()),
        };
        let (order, rule, body) = match action {
            Action::Share { of: ShareOf::Percent(part), together: true, body } => {
                (0, ("share", percent(part)?), body)
            }
            Action::Share { .. } => return Err(PlanPart::Share),
            Action::OnceOnly(body) => (1, ("once", "true".to_owned()), body),
            Action::If { condition, then, otherwise } => {
                if !otherwise.is_empty() {
                    return Err(PlanPart::Else);
                }
                (2, ("if", quoted(&self.condition(condition)?)), then)
            }
            Action::While { condition, index, body } => {
                no_index(index)?;
                // It is read behind the steps, but defines nothing itself.
                let steps = self.actions(body.iter());
                let condition = quoted(&self.condition(condition)?);
                return Ok(wrap(3, ("while", condition), steps));
            }
            Action::Loop { times, index, body } => {
                no_index(index)?;
                let (order, rule) = self.times(times)?;
                (order, rule, body)
            }
            Action::ForEach { list, into, index, from: 0, to: None, body } => {
                no_index(index)?;
                (5, ("for_each", self.for_each(*list, *into)?), body)
            }
            _ => return Err(PlanPart::List),
        };
        Ok(wrap(order, rule, self.actions(body.iter())))
    }

    fn for_each(&mut self, list: usize, into: usize) -> Result<String, Refused> {
        if !self.lists.contains(&list) {
            return Err(PlanPart::List);
        }
        self.defined.insert(into);
        let name = self.name(into);
        Ok(format!("{{ {} = {} }}", key(&name), quoted(self.list_name(list))))
    }

    /// Writes how often a loop is done, as the key and the key's rank (see `Block::order`).
    fn times(&mut self, times: &Times) -> Result<(u8, (&'static str, String)), Refused> {
        Ok(match times {
            Times::Fixed(times) => (4, ("repeat", times.to_string())),
            Times::Rendered(times) => (4, ("repeat", quoted(&self.template(times)?))),
            Times::Forever => (3, ("while", "true".to_owned())),
        })
    }

    /// Writes a pause; nothing for one without length.
    fn pause(&mut self, pause: &Pause) -> Result<Option<String>, Refused> {
        let (mut fixed, mut spread) = (0.0, None);
        for term in &pause.terms {
            match term {
                PauseTerm::Milliseconds(text) => fixed += self.known(text)?,
                PauseTerm::Think(Think::Constant(Nanos(nanos))) => fixed += *nanos as f64 / 1e6,
                _ if spread.is_some() => return Err(PlanPart::Pause),
                term => spread = Some(term),
            }
        }
        let length = |millis: f64| duration(millis.max(0.0) / 1e3);
        Ok(match spread {
            None if fixed < 0.5 => None,
            None => Some(quoted(&length(fixed))),
            Some(PauseTerm::Uniform(range)) => {
                let range = self.known(range)?;
                Some(quoted(&format!("{}-{}", length(fixed), length(fixed + range))))
            }
            Some(PauseTerm::Gaussian { deviation, absolute: false }) => {
                let deviation = self.known(deviation)?;
                Some(quoted(&format!("gaussian:{},{}", length(fixed), length(deviation))))
            }
            Some(_) => return Err(PlanPart::Pause),
        })
    }

    /// A number that is known before the load; also a variable that only `[vars]` sets.
    fn known(&self, template: &Template) -> Result<f64, Refused> {
        let text = match template.parts() {
            [Expr::Variable(slot)] => self.fixed(*slot),
            _ => template.as_literal(),
        };
        let text = text.ok_or(PlanPart::Pause)?.trim();
        if text.is_empty() {
            return Ok(0.0);
        }
        text.parse().map_err(|_| PlanPart::Pause)
    }

    /// The value that a variable has from the start.
    pub(super) fn initial(&self, slot: usize) -> Option<&Template> {
        let mut initial = self.program.initial.iter();
        initial.find(|(known, _)| *known == slot).map(|(_, value)| value)
    }

    /// The text of a variable that only `[vars]` sets; `None` for other variables, and where it is known under load only.
    fn fixed(&self, slot: usize) -> Option<&str> {
        let value = self.initial(slot)?;
        value.as_literal().filter(|_| !self.changed.contains(&slot))
    }

    /// Writes a path, which begins with a slash.
    pub(super) fn path(&mut self, path: &Template) -> Result<String, Refused> {
        let mut rest = Template::default();
        let mut parts = path.parts().iter().peekable();
        if let Some(Expr::Choice(..)) = parts.peek() {
            // A slash unless the variable begins with one: this is known if only `[vars]` sets the variable.
            parts.next();
            let first = match parts.peek() {
                Some(Expr::Variable(slot)) => self.fixed(*slot),
                _ => None,
            };
            let first = first.ok_or(PlanPart::Path)?;
            rest.push_literal(if first.starts_with('/') { "" } else { "/" });
        }
        parts.for_each(|part| rest.push(part.clone()));
        let text = self.template(&rest)?;
        let begins = text.starts_with('/') || text.starts_with("${");
        let text = if text.is_empty() { "/".to_owned() } else { text };
        match begins || text == "/" {
            true => Ok(text),
            false => Err(PlanPart::Path),
        }
    }

    /// Notes what an extractor defines.
    pub(super) fn extracted(&mut self, extractor: &Extractor) {
        match extractor.into {
            Found::Variable(slot) => {
                self.defined.insert(slot);
            }
            Found::List(list) => {
                self.lists.insert(list);
            }
        }
        debug_assert!(!matches!(&extractor.from, ExtractFrom::Header(name) if name.is_empty()));
    }
}

/// Puts a rule around steps; into the step itself if there is one, whose rules are all further inside.
fn wrap(order: u8, rule: (&'static str, String), mut steps: Vec<Block>) -> Option<Block> {
    if steps.is_empty() {
        return None;
    }
    if steps.len() == 1 && steps[0].order > order {
        let mut block = steps.remove(0);
        block.keys.insert(0, rule);
        block.order = order;
        return Some(block);
    }
    let mut block = Block::new(vec![rule]);
    block.order = order;
    block.steps = steps;
    Some(block)
}

/// Writes a percentage.
fn percent(part: &Template) -> Result<String, Refused> {
    let percent = part.as_literal().and_then(|text| text.trim().parse::<f64>().ok());
    let percent = percent.filter(|part| (0.0..=100.0).contains(part)).ok_or(PlanPart::Share)?;
    Ok(quoted(&format!("{percent}%")))
}

fn has_pause(block: &Block) -> bool {
    block.keys.iter().any(|(key, _)| *key == "pause") || block.steps.iter().any(has_pause)
}

fn line_of(value: &Template) -> u32 {
    value.as_literal().and_then(|text| text.parse().ok()).unwrap_or(0)
}
