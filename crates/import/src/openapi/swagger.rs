//! Turns a document of Swagger 2.0 into one of OpenAPI 3.

use super::document::{Doc, Value};

/// The methods that operations have.
const METHODS: [&str; 7] = ["get", "put", "post", "delete", "options", "head", "patch"];

/// Returns the same document as OpenAPI 3 says it. References stay as they are, and so do the parts that they name.
pub(super) fn upgraded(root: &Doc) -> Doc {
    let mut entries: Vec<(String, Doc)> = Vec::new();
    for (name, value) in root.entries() {
        let value = match name {
            "paths" => map(value.line, value.entries().map(|(path, item)| (path, path_item(root, item)))),
            _ => value.clone(),
        };
        entries.push((name.to_owned(), value));
    }
    let schemes = root.get("securityDefinitions");
    let schemes = schemes.into_iter().flat_map(Doc::entries).map(|(name, scheme)| (name, security(scheme)));
    entries.push(("components".to_owned(), map(0, [("securitySchemes", map(0, schemes))].into_iter())));
    entries.push(("servers".to_owned(), servers(root)));
    Doc { line: root.line, value: Value::Map(entries) }
}

fn map<'a>(line: usize, entries: impl Iterator<Item = (&'a str, Doc)>) -> Doc {
    Doc { line, value: Value::Map(entries.map(|(name, value)| (name.to_owned(), value)).collect()) }
}

fn text(line: usize, text: &str) -> Doc {
    Doc { line, value: Value::Text(text.to_owned()) }
}

/// The address of the server, or the path that all others begin with where no host is named.
fn servers(root: &Doc) -> Doc {
    let schemes = root.get("schemes").map_or(&[][..], Doc::items);
    let schemes: Vec<&str> = schemes.iter().filter_map(Doc::text).collect();
    let scheme =
        schemes.iter().find(|scheme| **scheme == "https").or(schemes.first()).copied().unwrap_or("http");
    let base = root.text_of("basePath").unwrap_or_default();
    let url = match root.text_of("host") {
        Some(host) => format!("{scheme}://{host}{base}"),
        None => format!("/{}", base.trim_start_matches('/')),
    };
    Doc { line: 0, value: Value::List(vec![map(0, [("url", text(0, &url))].into_iter())]) }
}

fn security(scheme: &Doc) -> Doc {
    match scheme.text_of("type") {
        Some("basic") => {
            map(scheme.line, [("type", text(0, "http")), ("scheme", text(0, "basic"))].into_iter())
        }
        _ => scheme.clone(),
    }
}

/// Returns what a reference names, or the value itself.
fn resolved<'a>(root: &'a Doc, value: &'a Doc) -> &'a Doc {
    value.text_of("$ref").and_then(|reference| root.find(reference)).unwrap_or(value)
}

fn path_item(root: &Doc, item: &Doc) -> Doc {
    let item = resolved(root, item);
    let shared = item.get("parameters").map_or(&[][..], Doc::items);
    let entries = item.entries().filter(|(name, _)| *name != "parameters").map(|(name, value)| {
        let value = match METHODS.contains(&name) {
            true => operation(root, value, shared),
            false => value.clone(),
        };
        (name, value)
    });
    map(item.line, entries)
}

fn operation(root: &Doc, operation: &Doc, shared: &[Doc]) -> Doc {
    let own = operation.get("parameters").map_or(&[][..], Doc::items);
    let (mut parameters, mut fields, mut body) = (Vec::new(), Vec::new(), None);
    for parameter in own.iter().chain(shared) {
        let found = resolved(root, parameter);
        match found.text_of("in") {
            Some("body") => body = body.or(Some(found)),
            Some("formData") => fields.push(found),
            Some(_) => parameters.push(with_schema(found)),
            None => parameters.push(parameter.clone()),
        }
    }
    let consumes = operation.get("consumes").or_else(|| root.get("consumes")).map_or(&[][..], Doc::items);
    let consumes: Vec<&str> = consumes.iter().filter_map(Doc::text).collect();
    let kept = operation.entries().filter(|(name, _)| *name != "parameters");
    let mut entries: Vec<(&str, Doc)> = kept.map(|(name, value)| (name, value.clone())).collect();
    entries.push(("parameters", Doc { line: operation.line, value: Value::List(parameters) }));
    let content = match body {
        Some(body) => {
            let is_json = |kind: &&&str| kind.contains("json");
            let kind =
                consumes.iter().find(is_json).or(consumes.first()).copied().unwrap_or("application/json");
            let schema = body.get("schema").cloned().unwrap_or(Doc { line: body.line, value: Value::Null });
            Some((kind, schema))
        }
        None if fields.is_empty() => None,
        None => {
            let has_file = fields.iter().any(|field| field.text_of("type") == Some("file"));
            let is_multipart = has_file || consumes.contains(&"multipart/form-data");
            let kind = if is_multipart { "multipart/form-data" } else { crate::request::FORM };
            Some((kind, form(&fields)))
        }
    };
    if let Some((kind, schema)) = content {
        let media = map(operation.line, [("schema", schema)].into_iter());
        let content = map(operation.line, [(kind, media)].into_iter());
        entries.push(("requestBody", map(operation.line, [("content", content)].into_iter())));
    }
    map(operation.line, entries.into_iter())
}

/// Puts what describes the value of a parameter into a schema.
fn with_schema(parameter: &Doc) -> Doc {
    const OF_PARAMETER: [&str; 5] = ["name", "in", "required", "description", "x-example"];
    let (own, schema): (Vec<_>, Vec<_>) =
        parameter.entries().partition(|(name, _)| OF_PARAMETER.contains(name));
    let schema = map(parameter.line, schema.into_iter().map(|(name, value)| (name, value.clone())));
    let own = own
        .into_iter()
        .map(|(name, value)| (if name == "x-example" { "example" } else { name }, value.clone()));
    map(parameter.line, own.chain([("schema", schema)]))
}

/// Returns the schema of a form.
fn form(fields: &[&Doc]) -> Doc {
    let property = |field: &&Doc| {
        let name = field.text_of("name").unwrap_or_default().to_owned();
        let schema = match field.text_of("type") {
            Some("file") => {
                map(field.line, [("type", text(0, "string")), ("format", text(0, "binary"))].into_iter())
            }
            _ => (*field).clone(),
        };
        (name, schema)
    };
    let properties = Doc { line: 0, value: Value::Map(fields.iter().map(property).collect()) };
    let is_required = |field: &&&Doc| field.is_true("required");
    let required = fields.iter().filter(is_required).filter_map(|field| field.get("name").cloned()).collect();
    let required = Doc { line: 0, value: Value::List(required) };
    map(0, [("type", text(0, "object")), ("properties", properties), ("required", required)].into_iter())
}
