//! [`Env`]: renders templates for a user, with variables and functions.

use super::Traffic;
use super::clock_text::{push_number, write_time};
use super::player::{Player, World};
use model::scenario::expression::Scope;
use model::scenario::{Condition, Function, Segment, Template};
use std::time::{SystemTime, UNIX_EPOCH};

/// The letters of a random text that names none.
const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
/// The longest random text.
const LONGEST: u64 = 1 << 20;

/// A user, and what it acts in.
#[derive(Debug)]
pub(crate) struct Env<'a> {
    pub(crate) shared: &'a Traffic,
    pub(crate) world: &'a mut World,
    pub(crate) player: &'a mut Player,
}

impl Scope for Env<'_> {
    fn render(&mut self, template: &Template, out: &mut Vec<u8>) {
        for segment in template.segments() {
            match segment {
                Segment::Literal(text) => out.extend_from_slice(text.as_bytes()),
                Segment::Environment(index) => {
                    let value = &self.shared.program().environment[*index].value;
                    out.extend_from_slice(value.as_deref().unwrap_or_default().as_bytes());
                }
                Segment::Variable(slot) => self.write_variable(*slot, out),
                Segment::Item { list, index } => {
                    let index = self.number(index).unwrap_or(0);
                    let index = usize::try_from(index - 1).unwrap_or(usize::MAX);
                    out.extend_from_slice(self.player.lists[*list].get(index).unwrap_or_default());
                }
                Segment::Length(list) => push_number(out, self.player.lists[*list].len() as i64, 1),
                Segment::Call(function) => self.call(function, out),
            }
        }
    }

    fn is_set(&self, variable: usize) -> bool {
        self.player.variables[variable].set
    }

    fn last_ok(&self) -> bool {
        self.player.last_ok
    }

    fn finds(&mut self, pattern: &str, text: &[u8]) -> bool {
        self.world.patterns.regex(pattern).is_some_and(|regex| regex.is_match(text))
    }
}

impl Env<'_> {
    fn write_variable(&self, slot: usize, out: &mut Vec<u8>) {
        let variable = &self.player.variables[slot];
        if variable.set {
            return out.extend_from_slice(&variable.text);
        }
        out.extend_from_slice(b"${");
        out.extend_from_slice(self.shared.program().variables.name(slot).as_bytes());
        out.push(b'}');
    }

    /// Whether a condition holds.
    pub(crate) fn holds(&mut self, condition: &Condition) -> bool {
        condition.holds(self)
    }

    /// The text of a template, in memory that [`Env::give_back`] takes again.
    pub(crate) fn rendered(&mut self, template: &Template) -> Vec<u8> {
        let mut text = self.world.buffers.pop().unwrap_or_default();
        text.clear();
        self.render(template, &mut text);
        text
    }

    /// Keeps the memory of a text for the next one.
    pub(crate) fn give_back(&mut self, text: Vec<u8>) {
        if self.world.buffers.len() < 16 {
            self.world.buffers.push(text);
        }
    }

    /// The integer that a template gives; `None` if it gives none.
    pub(crate) fn number(&mut self, template: &Template) -> Option<i64> {
        if let Some(text) = template.as_literal() {
            return text.trim().parse().ok();
        }
        let text = self.rendered(template);
        let number = std::str::from_utf8(&text).ok().and_then(|text| text.trim().parse().ok());
        self.give_back(text);
        number
    }

    /// The number, with its fraction, that a template gives; 0 if it gives none.
    pub(crate) fn fraction(&mut self, template: &Template) -> f64 {
        let text = self.rendered(template);
        let number = std::str::from_utf8(&text).ok().and_then(|text| text.trim().parse().ok());
        self.give_back(text);
        number.unwrap_or(0.0)
    }

    /// Sets a variable to the text of a template.
    pub(crate) fn set(&mut self, variable: usize, value: &Template) {
        let text = self.rendered(value);
        self.player.variables[variable].put(&text);
        self.give_back(text);
    }

    /// Appends what a function of one text makes of it.
    fn map(&mut self, argument: &Template, out: &mut Vec<u8>, write: fn(&[u8], &mut Vec<u8>)) {
        let text = self.rendered(argument);
        write(&text, out);
        self.give_back(text);
    }

    fn call(&mut self, function: &Function, out: &mut Vec<u8>) {
        match function {
            Function::RandomInteger { least, most, digits } => {
                let (least, most) = (self.number(least).unwrap_or(0), self.number(most).unwrap_or(0));
                let span = most.saturating_sub(least).max(0) as u64;
                let drawn = self.player.random.below(span.saturating_add(1));
                push_number(out, least.saturating_add(drawn as i64), *digits);
            }
            Function::RandomText { length, letters } => self.random_text(length, letters, out),
            Function::Pick(texts) => {
                let drawn = self.player.random.below(texts.len().max(1) as u64);
                if let Some(text) = texts.get(drawn as usize) {
                    self.render(text, out);
                }
            }
            Function::Uuid => self.uuid(out),
            Function::Now { format, shift } => {
                let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
                let millis = since.as_millis() as i64 + self.number(shift).unwrap_or(0);
                write_time(format, millis, self.shared.sessions().utc_offset, out);
            }
            Function::Next { counter, digits } => {
                let number = self.next_number(*counter);
                push_number(out, number, *digits);
            }
            Function::UserNumber => push_number(out, self.user_number() as i64, 1),
            Function::Iteration => push_number(out, self.player.all_iterations as i64, 1),
            Function::Session => push_number(out, self.player.session as i64, 1),
            Function::GroupName => {
                out.extend_from_slice(self.shared.program().groups[self.player.group].name.as_bytes());
            }
            Function::LastOk => out.extend_from_slice(if self.player.last_ok { b"true" } else { b"false" }),
            Function::LastStatus if self.player.last_status == 0 => {}
            Function::LastStatus => push_number(out, i64::from(self.player.last_status), 3),
            Function::Sum(numbers) => {
                let sum: i64 = numbers.iter().map(|number| self.number(number).unwrap_or(0)).sum();
                push_number(out, sum, 1);
            }
            Function::Keep { value, into } => {
                self.set(*into, value);
                self.write_variable(*into, out);
            }
            Function::Script(snippet) => self.write_script(snippet, out),
            Function::When { condition, then, otherwise } => {
                let chosen = if self.holds(condition) { then } else { otherwise };
                self.render(chosen, out);
            }
            function => self.encode(function, out),
        }
    }

    /// Appends what a function makes of one text.
    fn encode(&mut self, function: &Function, out: &mut Vec<u8>) {
        match function {
            Function::Percent(text) => self.map(text, out, percent),
            Function::Form(text) => self.map(text, out, form),
            Function::Decode(text) => self.map(text, out, decode),
            Function::Base64(text) => self.map(text, out, base64),
            Function::Base64Decode(text) => self.map(text, out, base64_decode),
            Function::Upper(text) => self.map(text, out, |text, out| {
                out.extend_from_slice(String::from_utf8_lossy(text).to_uppercase().as_bytes());
            }),
            Function::Lower(text) => self.map(text, out, |text, out| {
                out.extend_from_slice(String::from_utf8_lossy(text).to_lowercase().as_bytes());
            }),
            Function::JsonText(text) => self.map(text, out, json_text),
            _ => {}
        }
    }

    /// The number of the user within its group, from 1.
    pub(super) fn user_number(&self) -> u64 {
        let before = self.shared.first_of_group.get(self.player.group).copied().unwrap_or(0);
        self.player.number.saturating_sub(before) + 1
    }

    /// Takes the next number of a counter.
    pub(crate) fn next_number(&mut self, counter: usize) -> i64 {
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

    fn random_text(&mut self, length: &Template, letters: &Template, out: &mut Vec<u8>) {
        let length = self.number(length).map_or(0, |length| length.max(0) as u64).min(LONGEST);
        let given = self.rendered(letters);
        let given_text = String::from_utf8_lossy(&given);
        let letters: Vec<char> = given_text.chars().collect();
        for _ in 0..length {
            if letters.is_empty() {
                out.push(LETTERS[self.player.random.below(LETTERS.len() as u64) as usize]);
            } else {
                let letter = letters[self.player.random.below(letters.len() as u64) as usize];
                out.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
            }
        }
        drop(given_text);
        self.give_back(given);
    }

    /// A random UUID (RFC 9562 section 5.4).
    fn uuid(&mut self, out: &mut Vec<u8>) {
        let mut bits = u128::from(self.player.random.below(u64::MAX)) << 64;
        bits |= u128::from(self.player.random.below(u64::MAX));
        bits = bits & !(0xf << 76) | 4 << 76;
        bits = bits & !(0b11 << 62) | 0b10 << 62;
        for digit in 0..32 {
            if matches!(digit, 8 | 12 | 16 | 20) {
                out.push(b'-');
            }
            out.push(b"0123456789abcdef"[(bits >> (124 - 4 * digit)) as usize & 0xf]);
        }
    }
}

/// Percent-encodes all but unreserved characters (RFC 3986 section 2.3).
fn percent(text: &[u8], out: &mut Vec<u8>) {
    for &byte in text {
        match byte {
            b'-' | b'.' | b'_' | b'~' => out.push(byte),
            byte if byte.is_ascii_alphanumeric() => out.push(byte),
            byte => push_percent(byte, out),
        }
    }
}

/// Adds `%XX`.
pub(super) fn push_percent(byte: u8, out: &mut Vec<u8>) {
    let digit = |value: u8| b"0123456789ABCDEF"[usize::from(value)];
    out.extend_from_slice(&[b'%', digit(byte >> 4), digit(byte & 0xf)]);
}

/// Encodes for a form (WHATWG URL, application/x-www-form-urlencoded).
fn form(text: &[u8], out: &mut Vec<u8>) {
    for &byte in text {
        match byte {
            b' ' => out.push(b'+'),
            b'-' | b'.' | b'_' | b'*' => out.push(byte),
            byte if byte.is_ascii_alphanumeric() => out.push(byte),
            byte => push_percent(byte, out),
        }
    }
}

fn decode(text: &[u8], out: &mut Vec<u8>) {
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        let code = text
            .get(at + 1..at + 3)
            .filter(|_| byte == b'%')
            .and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        match (code, byte) {
            (Some(code), _) => out.push(code),
            (None, b'+') => out.push(b' '),
            (None, byte) => out.push(byte),
        }
        at += if code.is_some() { 3 } else { 1 };
    }
}

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn base64(text: &[u8], out: &mut Vec<u8>) {
    for chunk in text.chunks(3) {
        let byte = |index: usize| u32::from(chunk.get(index).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let digit = BASE64[(bits >> (18 - 6 * place)) as usize & 63];
            out.push(if place <= chunk.len() { digit } else { b'=' });
        }
    }
}

fn base64_decode(text: &[u8], out: &mut Vec<u8>) {
    let (mut bits, mut count) = (0_u32, 0);
    for &byte in text.iter().filter(|&&byte| byte != b'=') {
        let Some(value) = BASE64.iter().position(|&digit| digit == byte) else {
            return;
        };
        bits = bits << 6 | value as u32;
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
        }
    }
}

/// Escapes for a JSON string.
fn json_text(text: &[u8], out: &mut Vec<u8>) {
    for &byte in text {
        match byte {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            byte if byte < b' ' => out.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
            byte => out.push(byte),
        }
    }
}
