//! `prony catalog --schema`: prints a JSON Schema of experiment files for editors. It describes the keys of arms and is made from the
//! table by which prony itself parses them. It does not describe the other tables of a file.

use model::arm::key::{Key, Taker, ValueType};
use model::arm::keys;
use serde_json::{Map, Value as Json, json};

/// Returns the schema.
pub(super) fn schema() -> Json {
    let properties: Map<String, Json> = keys::all()
        .map(|key| (key.name.to_owned(), property(key)))
        .collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "An experiment of prony",
        "type": "object",
        "required": ["arms"],
        "properties": {
            "arms": {
                "type": "array",
                "minItems": 2,
                "items": {
                    "anyOf": [
                        { "type": "string", "description": "As on the command line: tomcat:10.1.29,threads=200" },
                        { "$ref": "#/$defs/arm" },
                    ],
                },
            },
        },
        "$defs": {
            "arm": {
                "type": "object",
                "required": ["server"],
                "properties": properties,
                "additionalProperties": false,
            },
        },
    })
}

/// Describes a key: its values, its meaning, which arms take it, and the name of its setting on each kind of server.
fn property(key: &Key) -> Json {
    let mut schema = values(&key.value);
    schema["description"] = key.about.into();
    if key.takers != Taker::ALL {
        let takers: Vec<&str> = key.takers.iter().map(|taker| server_form(*taker)).collect();
        schema["x-taken-by"] = takers.into();
    }
    if !key.settings.is_empty() {
        let named = |kind| serde_json::to_value(kind).ok()?.as_str().map(str::to_owned);
        let settings = key.settings.iter();
        let settings = settings.filter_map(|setting| Some((named(setting.kind)?, setting.name.into())));
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::{Path, PathBuf};

    /// Whether a value fits a schema, as far as the schema uses the keywords that ours use.
    fn fits(value: &Json, schema: &Json) -> bool {
        let types = |of: &Json| of.as_array().cloned().unwrap_or_else(|| vec![of.clone()]);
        let is = |name: &Json| match name.as_str() {
            Some("string") => value.is_string(),
            Some("boolean") => value.is_boolean(),
            Some("integer") => value.is_i64(),
            Some("number") => value.is_number(),
            Some("array") => value.is_array(),
            Some("object") => value.is_object(),
            other => panic!("no type of a schema: {other:?}"),
        };
        let number = value.as_f64().unwrap_or_default();
        schema.get("type").is_none_or(|of| types(of).iter().any(is))
            && schema.get("enum").is_none_or(|of| types(of).contains(value))
            && schema
                .get("anyOf")
                .is_none_or(|of| types(of).iter().any(|one| fits(value, one)))
            && schema["minimum"].as_f64().is_none_or(|least| number >= least)
            && schema["maximum"].as_f64().is_none_or(|most| number <= most)
    }

    /// Returns the keys of an arm that do not fit the schema.
    fn misfits(arm: &Json) -> Vec<String> {
        let schema = &schema()["$defs"]["arm"];
        let Some(arm) = arm.as_object() else {
            return Vec::new();
        };
        let key = |(name, value): (&String, &Json)| {
            let property = schema["properties"].get(name);
            let right = property.is_some_and(|property| fits(value, property));
            (!right).then(|| format!("{name} = {value}"))
        };
        arm.iter().filter_map(key).collect()
    }

    fn collect_experiments(folder: &Path, files: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            match entry.path() {
                path if path.is_dir() => collect_experiments(&path, files),
                path if path.extension().is_some_and(|end| end == "toml") => files.push(path),
                _ => {}
            }
        }
    }

    #[test]
    fn the_schema_accepts_every_experiment_of_the_repository() {
        let mut files = Vec::new();
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments");
        collect_experiments(&folder, &mut files);
        let mut tables = 0;
        for file in &files {
            let text = fs::read_to_string(file).expect("a file");
            let data: Json = toml::from_str(&text).expect("TOML");
            for arm in data["arms"].as_array().expect("arms") {
                tables += usize::from(arm.is_object());
                assert_eq!(misfits(arm), [""; 0], "{}", file.display());
            }
        }
        assert!(
            files.len() > 10 && tables > 10,
            "{} files, {tables} arms",
            files.len()
        );
    }

    #[test]
    fn the_schema_refuses_what_prony_refuses() {
        let arm = |text: &str| toml::from_str::<Json>(text).expect("TOML");
        assert_eq!(misfits(&arm("server = \"tomcat:1\"\nthreads = 5")), [""; 0]);
        assert_eq!(misfits(&arm("threads = \"virtual\"\njdk = \"/jdk\"")), [""; 0]);
        assert_eq!(misfits(&arm("theads = 5")), ["theads = 5"]);
        assert_eq!(misfits(&arm("threads = 0")), ["threads = 0"]);
        assert_eq!(misfits(&arm("threads = \"many\"")), ["threads = \"many\""]);
        assert_eq!(misfits(&arm("connector = \"bio\"")), ["connector = \"bio\""]);
        assert_eq!(misfits(&arm("access_log = 1")), ["access_log = 1"]);
    }

    #[test]
    fn the_schema_names_the_setting_of_each_kind_of_server() {
        let schema = schema();
        let key = &schema["$defs"]["arm"]["properties"]["accept_count"];
        assert_eq!(key["x-settings"]["tomcat"], "acceptCount");
        assert_eq!(
            key["x-settings"]["spring-boot-tomcat"],
            "server.tomcat.accept-count"
        );
        assert_eq!(key["x-taken-by"], json!(["NAME:VERSION", "jar with Spring Boot"]));
    }
}
