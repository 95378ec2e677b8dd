//! Finds what varies from session to session: a value in an answer that a later request sends back.

use crate::draft::Source;
use crate::exchange::Answer;
use crate::html::hidden_fields;
use serde_json::Value as Json;
use std::collections::BTreeSet;

/// Most values that are kept of an answer.
const MOST_VALUES: usize = 5_000;
/// Shortest value of any kind that is sent back by more than chance.
const LONG: usize = 8;
/// Shortest one with a digit, if it is no number.
const LONG_WITH_DIGIT: usize = 4;
/// Shortest number.
const LONG_NUMBER: usize = 5;

/// Last words of names whose values identify something, however short they are.
const IDENTIFIERS: [&str; 8] = ["id", "uuid", "guid", "key", "token", "code", "slug", "csrf"];

/// A value that an answer had.
#[derive(Clone, Debug)]
struct Known {
    value: String,
    /// The name of the field.
    name: String,
    from: Source,
    /// The step whose answer had it, by index.
    step: usize,
    /// The variable that it is in, once a request has sent it back.
    variable: Option<String>,
}

/// Where a request has a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slot<'a> {
    /// A part of the path.
    PathPart,
    /// The parameter of a query, the field of a form or of JSON, or a header.
    Named(&'a str),
}

/// A value that was found in an earlier answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sent {
    /// The variable that has it.
    pub(crate) variable: String,
    /// The step that it comes from, by index.
    pub(crate) step: usize,
    /// Where it is in the answer; `None` if the step takes it already.
    pub(crate) new: Option<Source>,
}

/// What answers have had and requests have sent, so far.
#[derive(Debug, Default)]
pub(crate) struct Varying {
    known: Vec<Known>,
    /// Values that the client sent without having got them from an answer.
    own: BTreeSet<String>,
    variables: BTreeSet<String>,
}

impl Varying {
    /// Returns the variable for a value of a request, if an earlier answer had it; otherwise remembers that the client knew it.
    pub(crate) fn find(&mut self, value: &str, slot: Slot<'_>) -> Option<Sent> {
        let fits = |known: &&Known| known.value == value && is_sent_back(known, slot);
        let in_variable = self.known.iter().filter(fits).position(|known| known.variable.is_some());
        let nth = in_variable.unwrap_or(0);
        let index = self.known.iter().enumerate().filter(|(_, known)| fits(known)).nth(nth);
        let Some((index, _)) = index else {
            self.own.insert(value.to_owned());
            return None;
        };
        let is_new = self.known[index].variable.is_none();
        if is_new {
            let name = self.free_name(&self.known[index].name.clone());
            self.known[index].variable = Some(name);
        }
        let known = &self.known[index];
        Some(Sent {
            variable: known.variable.clone()?,
            step: known.step,
            new: is_new.then(|| known.from.clone()),
        })
    }

    /// Returns a name for a variable that no other has.
    fn free_name(&mut self, name: &str) -> String {
        let usable = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let base: String = name.chars().map(usable).collect();
        let base = base.trim_matches('_').to_owned();
        let base = if base.is_empty() { "value".to_owned() } else { base };
        let mut free = base.clone();
        let mut number = 2;
        while !self.variables.insert(free.clone()) {
            free = format!("{base}_{number}");
            number += 1;
        }
        free
    }

    /// Reserves the name of a variable that is set before the load.
    pub(crate) fn reserve(&mut self, name: &str) {
        self.variables.insert(name.to_owned());
    }

    /// Remembers the values of an answer. What the client has sent before is not new in it.
    pub(crate) fn learn(&mut self, step: usize, answer: &Answer) {
        let mut found = Vec::new();
        let body = answer.body.as_deref().unwrap_or_default();
        let media_type = answer.media_type();
        if media_type.ends_with("json") || body.trim_start().starts_with(['{', '[']) {
            if let Ok(json) = serde_json::from_str::<Json>(body) {
                leaves(&json, "$".to_owned(), "value", &mut found);
            }
        } else if media_type.ends_with("html") || media_type.ends_with("xml") {
            let fields = hidden_fields(body).into_iter();
            found.extend(fields.map(|field| (field.name, field.value, Source::Regex(field.pattern))));
        }
        for (name, value) in &answer.headers {
            let is_token = crate::secrets::is_secret(name) || name.to_ascii_lowercase().contains("csrf");
            if is_token || name.eq_ignore_ascii_case("ETag") {
                found.push((name.clone(), value.clone(), Source::Header(name.clone())));
            }
        }
        for (name, value, from) in found {
            let is_old = self.own.contains(&value) || self.known.iter().any(|known| known.value == value);
            if !is_old && !value.is_empty() {
                self.known.push(Known { value, name, from, step, variable: None });
            }
        }
    }
}

/// Whether a value that stands in this slot comes from the answer, and not by chance from both.
fn is_sent_back(known: &Known, slot: Slot<'_>) -> bool {
    let value = known.value.as_str();
    let length = value.chars().count();
    let is_number = value.bytes().all(|byte| byte.is_ascii_digit());
    let has_digit = value.bytes().any(|byte| byte.is_ascii_digit());
    if is_number && length >= LONG_NUMBER
        || !is_number && (length >= LONG || has_digit && length >= LONG_WITH_DIGIT)
    {
        return true;
    }
    let is_slot_for_it = match slot {
        Slot::PathPart => true,
        Slot::Named(name) => is_identifier(name) || name.eq_ignore_ascii_case(&known.name),
    };
    is_identifier(&known.name) && is_slot_for_it
}

/// Whether the name of a field says that its value identifies something: `id`, `orderId`, `order_id`.
fn is_identifier(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let ends = |word: &&str| {
        let Some(before) = lower.strip_suffix(*word) else {
            return false;
        };
        let begins_word = name[before.len()..].starts_with(char::is_uppercase);
        before.is_empty() || begins_word || !before.ends_with(char::is_alphanumeric)
    };
    IDENTIFIERS.iter().any(ends)
}

/// Collects the texts and numbers in a JSON value with their paths.
fn leaves(json: &Json, path: String, name: &str, found: &mut Vec<(String, String, Source)>) {
    if found.len() >= MOST_VALUES {
        return;
    }
    match json {
        Json::Null | Json::Bool(_) => {}
        Json::Number(number) => found.push((name.to_owned(), number.to_string(), Source::Json(path))),
        Json::String(text) => found.push((name.to_owned(), text.clone(), Source::Json(path))),
        Json::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                leaves(item, format!("{path}[{index}]"), name, found);
            }
        }
        Json::Object(entries) => {
            for (key, value) in entries {
                let is_plain = key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && !key.is_empty();
                let step = match is_plain {
                    true => format!(".{key}"),
                    false if key.contains(['\'', '\\']) || key.contains("${") => continue,
                    false => format!("['{key}']"),
                };
                leaves(value, format!("{path}{step}"), key, found);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(body: &str) -> Answer {
        Answer { status: 200, headers: Vec::new(), body: Some(body.to_owned()) }
    }

    #[test]
    fn a_value_that_is_sent_back_gets_one_variable() {
        let mut varying = Varying::default();
        varying.learn(0, &json(r#"{"token": "abc-123-xyz", "items": [{"id": 7, "name": "red"}]}"#));
        let sent = varying.find("abc-123-xyz", Slot::Named("Authorization")).expect("it varies");
        assert_eq!(sent.new, Some(Source::Json("$.token".to_owned())));
        varying.learn(1, &json(r#"{"again": "abc-123-xyz"}"#));
        let again = varying.find("abc-123-xyz", Slot::Named("t")).expect("it varies");
        assert_eq!((again.variable.as_str(), again.step, again.new), ("token", 0, None));
        let id = varying.find("7", Slot::PathPart).expect("it varies");
        assert_eq!(id.new, Some(Source::Json("$.items[0].id".to_owned())));
        assert_eq!(
            varying.find("red", Slot::Named("colour")),
            None,
            "a short word may be the same by chance"
        );
    }

    #[test]
    fn a_short_number_is_sent_back_only_as_an_identifier() {
        let mut varying = Varying::default();
        varying.learn(0, &json(r#"{"id": 1, "count": 2}"#));
        assert_eq!(varying.find("1", Slot::Named("page")), None);
        assert_eq!(varying.find("2", Slot::PathPart), None);
        varying.learn(1, &json(r#"{"orderId": 3}"#));
        assert!(varying.find("3", Slot::Named("order_id")).is_some());
    }

    #[test]
    fn what_the_client_knew_does_not_vary() {
        let mut varying = Varying::default();
        assert_eq!(varying.find("anna-2024", Slot::Named("user")), None);
        varying.learn(0, &json(r#"{"user": "anna-2024"}"#));
        assert_eq!(varying.find("anna-2024", Slot::PathPart), None);
    }

    #[test]
    fn an_identifier_is_known_by_its_name() {
        for name in ["id", "orderId", "order_id", "ID", "x-token", "csrf"] {
            assert!(is_identifier(name), "{name}");
        }
        for name in ["paid", "grid", "name", "monkey"] {
            assert!(!is_identifier(name), "{name}");
        }
    }
}
