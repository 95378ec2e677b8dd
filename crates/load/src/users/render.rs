//! [`Env`]: a user, and what its texts, conditions and scripts are evaluated in.

use super::Traffic;
use super::json::{simple_value, value_kind};
use super::player::{Player, World};
use regex::bytes::NoExpand;
use std::time::{SystemTime, UNIX_EPOCH};
use traffic::scenario::{Dialect, Expr, ExprHost, ScriptValue, Template};

/// A user, and what it acts in.
#[derive(Debug)]
pub(crate) struct Env<'a> {
    pub(crate) shared: &'a Traffic,
    pub(crate) world: &'a mut World,
    pub(crate) player: &'a mut Player,
}

impl ExprHost for Env<'_> {
    fn environment(&self, index: usize) -> &str {
        self.shared.program().environment[index].value.as_deref().unwrap_or_default()
    }

    fn variable(&self, slot: usize) -> Option<&[u8]> {
        let variable = &self.player.variables[slot];
        variable.set.then_some(variable.text.as_slice())
    }

    fn variable_name(&self, slot: usize) -> &str {
        self.shared.program().variables.name(slot)
    }

    fn set_variable(&mut self, slot: usize, text: &[u8]) {
        self.player.variables[slot].put(text);
    }

    fn item(&self, list: usize, number: i64) -> &[u8] {
        let index = number.checked_sub(1).and_then(|index| usize::try_from(index).ok());
        index.and_then(|index| self.player.lists[list].get(index)).unwrap_or_default()
    }

    fn list_length(&self, list: usize) -> usize {
        self.player.lists[list].len()
    }

    /// Takes the next number of a counter.
    fn next_number(&mut self, counter: usize) -> i64 {
        let asked = &self.shared.program().counters[counter];
        let taken = if asked.per_user {
            self.player.counters[counter] += 1;
            self.player.counters[counter] - 1
        } else {
            self.world.counters[counter] += 1;
            self.world.nth(self.world.counters[counter] - 1)
        };
        let count =
            asked.end.map(|end| (end.saturating_sub(asked.start) / asked.step.max(1)).max(0) as u64 + 1);
        let place = count.map_or(taken, |count| taken % count);
        asked.start.wrapping_add(asked.step.wrapping_mul(place as i64))
    }

    fn next_row(&mut self, source: usize) {
        self.take_row(source);
    }

    fn group_name(&self) -> &str {
        &self.shared.program().groups[self.player.group].name
    }

    fn user_number(&mut self) -> u64 {
        let before = self.shared.first_of_group.get(self.player.group).copied().unwrap_or(0);
        self.player.number.saturating_sub(before) + 1
    }

    fn iteration(&self) -> u64 {
        self.player.all_iterations
    }

    fn session(&self) -> u64 {
        self.player.session
    }

    fn last_ok(&mut self) -> bool {
        self.player.last_ok
    }

    fn last_status(&mut self) -> Option<u16> {
        Some(self.player.last_status).filter(|status| *status > 0)
    }

    /// Also an item of a list, such as `ids_2`, or the length of one, `ids_matchNr`.
    fn named_variable(&mut self, name: &str) -> Option<String> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let program = self.shared.program();
        if let Some(slot) = program.variables.find(name) {
            let variable = &self.player.variables[slot];
            if variable.set {
                return Some(text(&variable.text));
            }
        }
        if let Some((_, value)) = self.player.named.iter().find(|(known, _)| known == name) {
            return Some(value.clone());
        }
        let (list, rest) = name.rsplit_once('_')?;
        let list = &self.player.lists[program.lists.find(list)?];
        match rest {
            "matchNr" => Some(list.len().to_string()),
            number => list.get(number.parse::<usize>().ok()?.checked_sub(1)?).map(text),
        }
    }

    fn put_named(&mut self, name: &str, value: Option<String>) {
        match (self.shared.program().variables.find(name), value) {
            (Some(slot), Some(value)) => self.player.variables[slot].put(value.as_bytes()),
            (Some(slot), None) => self.player.variables[slot].set = false,
            (None, value) => {
                self.player.named.retain(|(known, _)| known != name);
                self.player.named.extend(value.map(|value| (name.to_owned(), value)));
            }
        }
    }

    fn property(&mut self, name: &str) -> Option<String> {
        self.shared.property(name)
    }

    fn put_property(&mut self, name: &str, value: String) {
        self.shared.put_property(name, value);
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.player.random.below(bound)
    }

    fn now(&mut self) -> i64 {
        SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as i64
    }

    fn utc_offset(&mut self) -> i32 {
        self.shared.sessions().utc_offset
    }

    fn regex(&mut self, pattern: &str, text: &[u8], whole: bool) -> Option<bool> {
        let patterns = &mut self.world.patterns;
        let regex = if whole { patterns.whole_regex(pattern) } else { patterns.regex(pattern) };
        Some(regex?.is_match(text))
    }

    fn json(&mut self, text: &str, path: &str, dialect: Dialect) -> Option<ScriptValue> {
        simple_value(text, self.world.patterns.path(path)?, dialect)
    }

    fn json_kind(&mut self, text: &str, path: &str) -> Option<&'static str> {
        value_kind(text, self.world.patterns.path(path)?)
    }

    fn replaced(&mut self, pattern: &str, text: &str, with: &str, all: bool) -> Option<String> {
        let regex = self.world.patterns.regex(pattern)?;
        let limit = usize::from(!all);
        let replaced = regex.replacen(text.as_bytes(), limit, NoExpand(with.as_bytes()));
        Some(String::from_utf8_lossy(&replaced).into_owned())
    }

    fn take_buffer(&mut self) -> Vec<u8> {
        let mut buffer = self.world.buffers.pop().unwrap_or_default();
        buffer.clear();
        buffer
    }

    fn keep_buffer(&mut self, buffer: Vec<u8>) {
        if self.world.buffers.len() < 16 {
            self.world.buffers.push(buffer);
        }
    }
}

impl Env<'_> {
    /// Whether a condition holds.
    pub(crate) fn holds(&mut self, condition: &Expr) -> bool {
        condition.holds(self)
    }

    /// Appends the text of a template.
    pub(crate) fn render(&mut self, template: &Template, out: &mut Vec<u8>) {
        template.write(self, out);
    }

    /// The text of a template, in memory that [`ExprHost::keep_buffer`] takes again.
    pub(crate) fn rendered(&mut self, template: &Template) -> Vec<u8> {
        let mut text = self.take_buffer();
        template.write(self, &mut text);
        text
    }

    /// The integer that a template gives; `None` if it gives none.
    pub(crate) fn number(&mut self, template: &Template) -> Option<i64> {
        if let Some(text) = template.as_literal() {
            return text.trim().parse().ok();
        }
        self.parsed(template)
    }

    /// The number, with its fraction, that a template gives; 0 if it gives none.
    pub(crate) fn fraction(&mut self, template: &Template) -> f64 {
        self.parsed(template).unwrap_or(0.0)
    }

    fn parsed<T: std::str::FromStr>(&mut self, template: &Template) -> Option<T> {
        let text = self.rendered(template);
        let number = std::str::from_utf8(&text).ok().and_then(|text| text.trim().parse().ok());
        self.keep_buffer(text);
        number
    }

    /// Sets a variable to the text of a template.
    pub(crate) fn set(&mut self, variable: usize, value: &Template) {
        let text = self.rendered(value);
        self.set_variable(variable, &text);
        self.keep_buffer(text);
    }
}
