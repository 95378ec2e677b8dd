//! `prony catalog --schema`: prints a JSON Schema of experiment files for editors. It is made from the table of the keys of arms, by
//! which prony itself parses them, and from the tree of all other keys.

use ask::arm::key::{Key, Setting, Taker, ValueType};
use ask::arm::keys;
use ask::experiment::keys::{FILE, FileKey, Form, STEP};
use ask::values::Notation;
use serde_json::{Map, Value as Json, json};

/// Returns the schema.
pub(super) fn schema() -> Json {
    let properties: Map<String, Json> = keys::all().map(|key| (key.name.to_owned(), property(key))).collect();
    let mut schema = table(FILE);
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema".into();
    schema["title"] = "An experiment of prony".into();
    schema["$defs"] = json!({
        "arm": {
            "type": "object",
            "required": ["server"],
            "properties": properties,
            "additionalProperties": false,
        },
        "step": table(STEP),
    });
    schema
}

/// Describes a key: its values, its meaning, which arms take it, and the name of its setting on each kind of server.
fn property(key: &Key) -> Json {
    let mut schema = values(&key.value);
    schema["description"] = key.about.into();
    if key.takers != Taker::ALL {
        let takers: Vec<&str> = key.takers.iter().map(|taker| server_form(*taker)).collect();
        schema["x-taken-by"] = takers.into();
    }
    if key.sets_something() {
        let named = |setting: Setting| (setting.kind.id().to_owned(), setting.name.into());
        let settings = key.settings().map(named);
        schema["x-settings"] = Json::Object(settings.collect());
    }
    schema
}

/// Returns the form of `server` in the arms that take a key.
const fn server_form(taker: Taker) -> &'static str {
    match taker {
        Taker::Catalog => "NAME:VERSION",
        Taker::BootJar => "jar with Spring Boot",
        Taker::PlainJar => "jar without Spring Boot",
        Taker::Command => "command",
        Taker::Image => "image",
        Taker::Url => "url",
    }
}

fn values(value: &ValueType) -> Json {
    match value {
        ValueType::Text => json!({ "type": "string" }),
        ValueType::Truth => json!({ "type": "boolean" }),
        ValueType::Whole { least, most } => json!({ "type": "integer", "minimum": least, "maximum": most }),
        ValueType::Number { least, most } => json!({ "type": "number", "minimum": least, "maximum": most }),
        ValueType::Size => json!({ "type": ["string", "integer"] }),
        ValueType::OneOf(words) => json!({ "enum": words() }),
        ValueType::Texts => json!({ "type": "array", "items": { "type": "string" } }),
        ValueType::Table => json!({ "type": "object" }),
        ValueType::AnyOf(all) => json!({ "anyOf": all.iter().map(values).collect::<Vec<_>>() }),
    }
}

/// Describes a table with these keys.
fn table(keys: &[FileKey]) -> Json {
    let describe = |key: &FileKey| {
        let mut schema = form(&key.form);
        schema["description"] = key.about.into();
        (key.name.to_owned(), schema)
    };
    let properties: Map<String, Json> = keys.iter().map(describe).collect();
    let mut schema = json!({ "type": "object", "properties": properties, "additionalProperties": false });
    let required = keys.iter().filter(|key| key.is_required);
    let required: Vec<&str> = required.map(|key| key.name).collect();
    if !required.is_empty() {
        schema["required"] = required.into();
    }
    schema
}

fn form(of: &Form) -> Json {
    match of {
        Form::Plain(value) => values(value),
        Form::Any => json!({}),
        Form::Steps => json!({ "type": "array", "minItems": 1, "items": { "$ref": "#/$defs/step" } }),
        Form::Number => json!({ "type": "number" }),
        Form::Quantity(notation) => quantity(*notation, &json!(["string", "number"])),
        Form::QuantityText(notation) => quantity(*notation, &json!("string")),
        Form::ListOf(item) => json!({ "type": "array", "minItems": 1, "items": form(item) }),
        Form::Table(keys) => table(keys),
        Form::OpenTable(keys, rest) => {
            let mut schema = table(keys);
            schema["additionalProperties"] = form(rest);
            schema
        }
        Form::Named(value) => json!({ "type": "object", "additionalProperties": form(value) }),
        Form::NamedAs(names, value) => {
            let properties = names().into_iter();
            let properties: Map<String, Json> =
                properties.map(|name| (name.to_owned(), form(value))).collect();
            json!({ "type": "object", "properties": properties, "additionalProperties": false })
        }
        Form::Arms => json!({
            "type": "array",
            "minItems": 1,
            "items": {
                "anyOf": [
                    { "type": "string", "description": "As on the command line: tomcat:10.1.29,threads=200" },
                    { "$ref": "#/$defs/arm" },
                ],
            },
        }),
        Form::AnyOf(all) => json!({ "anyOf": all.iter().map(form).collect::<Vec<_>>() }),
    }
}

/// Describes a quantity. A pattern applies to texts only; it accepts whatever prony accepts, and perhaps more.
fn quantity(notation: Notation, types: &Json) -> Json {
    const DURATION: &str = r"([0-9.]+(us|ms|s|m|h|d)?)+|[0-9.]+[eE][+-]?[0-9]+";
    let (pattern, example) = match notation {
        Notation::Duration => (DURATION.to_owned(), "1m30s"),
        Notation::Count => ("[0-9.]+[kKMG]?".to_owned(), "10k"),
        Notation::Size => (r"[0-9.]+\s*[kKmMgG]?i?B?".to_owned(), "256M"),
        Notation::Rate => (r"[0-9.eE+-]+[kKMG]?\s*(/.+)?".to_owned(), "1000/s"),
        Notation::BitRate => (r"[0-9.]+\s*[kKMG]?bit(/s)?".to_owned(), "45Mbit"),
        Notation::Pause => (r"(gaussian:|exponential:)?[0-9.a-z,\s-]+".to_owned(), "50ms-150ms"),
        Notation::Course => (r"[0-9.a-z:,\s-]+".to_owned(), "10s:0-1000,1m:1000"),
        Notation::ReadUntil => (format!("[0-9.]+[kKMG]?|{DURATION}"), "10"),
        Notation::Share => (r"[0-9.eE+-]+\s*%?".to_owned(), "2%"),
        Notation::ErrorRate => (r"[0-9.eE+-]+\s*%?".to_owned(), "1%"),
    };
    json!({ "type": types, "pattern": format!(r"^\s*({pattern})\s*$"), "examples": [example] })
}

#[cfg(test)]
mod tests;
