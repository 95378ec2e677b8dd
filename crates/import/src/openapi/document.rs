//! A document in YAML or JSON, which is YAML too, as a tree that knows its lines and the order of its keys.

use crate::remark::{Obstacle, Place, Unsupported};
use saphyr::{LoadableYamlNode, MarkedYaml, Scalar, YamlData};

/// The key of the other files of a document; no document has such a key.
pub(super) const FILES: &str = "\u{0}files";

/// A value and its line.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Doc {
    /// From 1.
    pub(super) line: usize,
    pub(super) value: Value,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Null,
    Truth(bool),
    /// As it is written in JSON.
    Number(String),
    Text(String),
    List(Vec<Doc>),
    Map(Vec<(String, Doc)>),
}

/// Parses a document.
pub(super) fn parse(text: &str) -> Result<Doc, Obstacle> {
    let documents = MarkedYaml::load_from_str(text).map_err(|error| {
        let place = Place::line(error.marker().line());
        Obstacle::new(place, Unsupported::Unreadable(error.info().to_owned()))
    })?;
    documents.first().map(doc).ok_or(Obstacle::new(None, Unsupported::Nothing))
}

fn doc(node: &MarkedYaml<'_>) -> Doc {
    let value = match &node.data {
        YamlData::Value(scalar) => match scalar {
            Scalar::Null => Value::Null,
            Scalar::Boolean(truth) => Value::Truth(*truth),
            Scalar::Integer(number) => Value::Number(number.to_string()),
            Scalar::FloatingPoint(number) => Value::Number(number.to_string()),
            Scalar::String(text) => Value::Text(text.to_string()),
        },
        YamlData::Sequence(items) => Value::List(items.iter().map(doc).collect()),
        YamlData::Mapping(entries) => {
            let name = |key: &MarkedYaml<'_>| match doc(key).value {
                Value::Text(text) | Value::Number(text) => text,
                other => Doc { line: 0, value: other }.json(),
            };
            Value::Map(entries.iter().map(|(key, value)| (name(key), doc(value))).collect())
        }
        YamlData::Tagged(_, inner) => return doc(inner),
        _ => Value::Null,
    };
    Doc { line: node.span.start.line(), value }
}

impl Doc {
    /// Returns the value of a key, where this is a map that has it.
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        self.entries().find(|(name, _)| *name == key).map(|(_, value)| value)
    }

    /// Returns the entries of a map, in their order.
    pub(super) fn entries(&self) -> impl Iterator<Item = (&str, &Self)> {
        let entries = match &self.value {
            Value::Map(entries) => entries.as_slice(),
            _ => &[],
        };
        entries.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Returns the items of a list.
    pub(super) fn items(&self) -> &[Self] {
        match &self.value {
            Value::List(items) => items,
            _ => &[],
        }
    }

    /// Returns a text.
    pub(super) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the text of a key.
    pub(super) fn text_of(&self, key: &str) -> Option<&str> {
        self.get(key)?.text()
    }

    /// Whether a key is `true`.
    pub(super) fn is_true(&self, key: &str) -> bool {
        self.get(key).is_some_and(|value| value.value == Value::Truth(true))
    }

    /// Returns a value as the text of a parameter; `None` for lists and maps.
    pub(super) fn scalar(&self) -> Option<String> {
        match &self.value {
            Value::Truth(truth) => Some(truth.to_string()),
            Value::Number(text) | Value::Text(text) => Some(text.clone()),
            Value::Null | Value::List(_) | Value::Map(_) => None,
        }
    }

    /// Returns the value as JSON on one line.
    pub(super) fn json(&self) -> String {
        let quoted = |text: &str| serde_json::Value::String(text.to_owned()).to_string();
        match &self.value {
            Value::Null => "null".to_owned(),
            Value::Truth(truth) => truth.to_string(),
            Value::Number(number) => number.clone(),
            Value::Text(text) => quoted(text),
            Value::List(items) => {
                let items: Vec<String> = items.iter().map(Self::json).collect();
                format!("[{}]", items.join(", "))
            }
            Value::Map(entries) => {
                let entries = entries.iter();
                let entries: Vec<String> =
                    entries.map(|(name, value)| format!("{}: {}", quoted(name), value.json())).collect();
                format!("{{{}}}", entries.join(", "))
            }
        }
    }

    /// Returns what a reference names, in the document (`#/components/schemas/Item`) or in one of its other files (`items.yaml#/Item`).
    pub(super) fn find(&self, reference: &str) -> Option<&Self> {
        let (file, path) = reference.split_once('#')?;
        let begin = if file.is_empty() { self } else { self.get(FILES)?.get(file)? };
        if path.trim_start_matches('/').is_empty() {
            return Some(begin);
        }
        path.strip_prefix('/')?.split('/').try_fold(begin, |at, part| {
            let part = part.replace("~1", "/").replace("~0", "~");
            match &at.value {
                Value::List(items) => items.get(part.parse::<usize>().ok()?),
                _ => at.get(&part),
            }
        })
    }
}
