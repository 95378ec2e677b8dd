//! Makes sample values from examples and schemas.

use super::document::{Doc, Value};
use std::cell::RefCell;

/// The deepest that schemas are followed; a schema that contains itself ends here.
const DEEPEST: usize = 8;

/// Makes samples of the schemas of a document.
#[derive(Clone, Copy, Debug)]
pub(super) struct Samples<'a> {
    pub(super) root: &'a Doc,
    /// References that lead nowhere, as they are met.
    pub(super) missing: &'a RefCell<Vec<String>>,
}

impl<'a> Samples<'a> {
    /// Follows references to the end; the node itself where one leads nowhere.
    pub(super) fn resolved(&self, node: &'a Doc) -> &'a Doc {
        let mut at = node;
        for _ in 0..DEEPEST {
            let Some(reference) = at.text_of("$ref") else {
                return at;
            };
            let Some(target) = self.root.find(reference) else {
                self.missing.borrow_mut().push(reference.to_owned());
                return at;
            };
            at = target;
        }
        at
    }

    /// Returns the sample of a parameter or a media type: its example, or one that fits its schema. The flag tells whether the
    /// document itself gives it.
    pub(super) fn of_parameter(&self, node: &'a Doc) -> Option<(Doc, bool)> {
        if let Some(example) = self.example(node) {
            return Some((example, true));
        }
        let schema = self.resolved(node.get("schema")?);
        match self.given(schema) {
            Some(given) => Some((given, true)),
            None => Some((self.of_schema(schema, 0), false)),
        }
    }

    fn example(&self, node: &'a Doc) -> Option<Doc> {
        if let Some(example) = node.get("example") {
            return Some(example.clone());
        }
        let (_, first) = node.get("examples")?.entries().next()?;
        self.resolved(first).get("value").cloned()
    }

    /// Returns the sample that a schema itself gives.
    fn given(&self, schema: &Doc) -> Option<Doc> {
        let first = |key: &str| schema.get(key)?.items().first().cloned();
        let one = |key: &str| schema.get(key).cloned();
        let given = one("example").or_else(|| first("examples")).or_else(|| one("const"));
        given.or_else(|| one("default")).or_else(|| first("enum"))
    }

    /// Returns a value that fits a schema.
    fn of_schema(&self, schema: &'a Doc, depth: usize) -> Doc {
        let schema = self.resolved(schema);
        if let Some(given) = self.given(schema) {
            return given;
        }
        if depth >= DEEPEST {
            return node(Value::Null);
        }
        if let Some(all) = schema.get("allOf") {
            return self.merged(schema, all.items(), depth);
        }
        for choice in ["oneOf", "anyOf"] {
            let mut options = schema.get(choice).map_or(&[][..], Doc::items).iter();
            if let Some(option) = options.find(|option| option.text_of("type") != Some("null")) {
                return self.of_schema(option, depth + 1);
            }
        }
        match self.type_of(schema) {
            "object" => self.object(schema, depth),
            "array" => {
                let item = schema.get("items").map(|items| self.of_schema(items, depth + 1));
                node(Value::List(item.into_iter().filter(|item| item.value != Value::Null).collect()))
            }
            "integer" => node(Value::Number(number(schema, "1"))),
            "number" => node(Value::Number(number(schema, "1.5"))),
            "boolean" => node(Value::Truth(true)),
            "null" => node(Value::Null),
            _ => node(Value::Text(text(schema))),
        }
    }

    /// Returns the type of a schema; of several (OpenAPI 3.1) the first that is not `null`.
    fn type_of(&self, schema: &'a Doc) -> &'a str {
        let named = schema.get("type");
        let several = named.map_or(&[][..], Doc::items).iter().filter_map(Doc::text);
        let first = several.into_iter().find(|name| *name != "null");
        let known = named.and_then(Doc::text).or(first);
        known.unwrap_or_else(|| match (schema.get("properties"), schema.get("items")) {
            (Some(_), _) => "object",
            (None, Some(_)) => "array",
            (None, None) => "string",
        })
    }

    /// Returns an object with its required properties, or with all of them if none is required.
    fn object(&self, schema: &'a Doc, depth: usize) -> Doc {
        let required: Vec<&str> =
            schema.get("required").map_or(&[][..], Doc::items).iter().filter_map(Doc::text).collect();
        let properties = schema.get("properties").into_iter().flat_map(Doc::entries);
        let mut entries = Vec::new();
        for (name, property) in properties {
            let resolved = self.resolved(property);
            if resolved.is_true("readOnly") {
                continue;
            }
            let is_needed = required.is_empty() || required.contains(&name) || self.given(resolved).is_some();
            if is_needed {
                let value = self.of_schema(property, depth + 1);
                if value.value != Value::Null {
                    entries.push((name.to_owned(), value));
                }
            }
        }
        node(Value::Map(entries))
    }

    /// Returns an object with the properties of all these schemas.
    fn merged(&self, schema: &'a Doc, all: &'a [Doc], depth: usize) -> Doc {
        let mut entries: Vec<(String, Doc)> = Vec::new();
        let mut last = node(Value::Null);
        let parts = all.iter().map(|part| self.of_schema(part, depth + 1));
        for sample in parts.chain([self.object(schema, depth)]) {
            match sample.value {
                Value::Map(more) => {
                    for (name, value) in more {
                        entries.retain(|(other, _)| *other != name);
                        entries.push((name, value));
                    }
                }
                _ => last = sample,
            }
        }
        match entries.is_empty() && last.value != Value::Null {
            true => last,
            false => node(Value::Map(entries)),
        }
    }
}

const fn node(value: Value) -> Doc {
    Doc { line: 0, value }
}

/// Returns a number within the limits of a schema.
fn number(schema: &Doc, usual: &str) -> String {
    let limit = |key: &str| schema.get(key).and_then(Doc::scalar);
    let fits = |limit: &str, above: bool| {
        let pair = limit.parse::<f64>().ok().zip(usual.parse::<f64>().ok());
        pair.is_none_or(|(limit, usual)| if above { usual >= limit } else { usual <= limit })
    };
    let least = limit("minimum").filter(|least| !fits(least, true));
    let most = limit("maximum").filter(|most| !fits(most, false));
    least.or(most).unwrap_or_else(|| usual.to_owned())
}

/// Returns a text of the format of a schema.
fn text(schema: &Doc) -> String {
    let format = schema.text_of("format").unwrap_or_default();
    let sample = match format {
        "date" => "2026-01-15",
        "date-time" => "2026-01-15T10:30:00Z",
        "time" => "10:30:00Z",
        "duration" => "PT30S",
        "uuid" => "3fa85f64-5717-4562-b3fc-2c963f66afa6",
        "email" => "user@example.com",
        "hostname" => "example.com",
        "ipv4" => "192.0.2.1",
        "ipv6" => "2001:db8::1",
        "uri" | "url" => "https://example.com/",
        "byte" => "dGV4dA==",
        _ => "text",
    };
    let least = schema.get("minLength").and_then(Doc::scalar);
    let least: usize = least.and_then(|least| least.parse().ok()).unwrap_or(0);
    let mut text = sample.to_owned();
    while text.len() < least.min(10_000) {
        text.push('x');
    }
    text
}
