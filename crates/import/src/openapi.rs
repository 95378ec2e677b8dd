//! Reads OpenAPI documents: each operation becomes a step, with sample values from its examples and schemas.

mod document;
mod parts;
mod sample;
mod swagger;

use crate::address::{Address, encoded};
use crate::draft::{Authorization, Draft, Part, Step, StepBody, Variable, literal};
use crate::remark::{Obstacle, Place, Remark, Unsupported};
use crate::request::StepMaker;
use crate::{Files, Imported, Options};
use document::{Doc, Value, parse};
use sample::Samples;
use std::cell::RefCell;

/// The operations of a path, in the order of their keys.
const METHODS: [&str; 8] = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

pub(crate) fn import(text: &str, options: &Options, files: Files<'_>) -> Imported {
    let root = match parse(text) {
        Ok(root) => parts::joined(root, files),
        Err(Obstacle { place, what, .. }) => return Imported::refused(place, what),
    };
    let version = root.get("openapi").and_then(Doc::scalar);
    match version.as_deref() {
        Some(version) if version.starts_with("3.0") || version.starts_with("3.1") => {}
        Some(version) => return Imported::refused(None, Unsupported::Version(format!("OpenAPI {version}"))),
        None => match root.get("swagger").and_then(Doc::scalar) {
            Some(version) if version.starts_with('2') => return read(&swagger::upgraded(&root), options),
            Some(version) => {
                return Imported::refused(None, Unsupported::Version(format!("Swagger {version}")));
            }
            None => return Imported::refused(None, Unsupported::Nothing),
        },
    }
    read(&root, options)
}

/// Reads a document of OpenAPI 3.
fn read(root: &Doc, options: &Options) -> Imported {
    let (origin, base) = server(root);
    let missing = RefCell::new(Vec::new());
    let mut reader = Reader {
        root,
        samples: Samples { root, missing: &missing },
        base,
        maker: StepMaker::new(false),
        variables: Vec::new(),
    };
    let paths = root.get("paths").into_iter().flat_map(Doc::entries);
    for (path, item) in paths {
        reader.path(path, item);
    }
    let Reader { maker, variables, .. } = reader;
    let mut draft =
        Draft { name: options.name.clone(), origin, is_independent: true, variables, ..Draft::default() };
    draft.remarks.extend(root.get("info").and_then(|info| info.text_of("title")).map(says));
    maker.finish(draft)
}

/// The first line of a text.
fn says(text: &str) -> Remark {
    Remark::Says(text.lines().next().unwrap_or_default().to_owned())
}

/// Returns the origin of the first server, if it names one, and the path that all others begin with.
fn server(root: &Doc) -> (Option<String>, String) {
    let first = root.get("servers").and_then(|servers| servers.items().first());
    let Some(url) = first.and_then(|first| first.text_of("url")) else {
        return (None, String::new());
    };
    let mut url = url.to_owned();
    let variables = first.and_then(|first| first.get("variables"));
    for (name, variable) in variables.into_iter().flat_map(Doc::entries) {
        if let Some(default) = variable.get("default").and_then(Doc::scalar) {
            url = url.replace(&format!("{{{name}}}"), &default);
        }
    }
    if url.starts_with('/') {
        return (None, url.trim_end_matches('/').to_owned());
    }
    match Address::parse(&url) {
        Ok(address) => (Some(address.origin()), address.path.trim_end_matches('/').to_owned()),
        Err(_) => (None, String::new()),
    }
}

struct Reader<'a> {
    root: &'a Doc,
    samples: Samples<'a>,
    /// The path that all others begin with.
    base: String,
    maker: StepMaker,
    /// The parameters of paths.
    variables: Vec<Variable>,
}

impl<'a> Reader<'a> {
    /// Reads the operations of a path.
    fn path(&mut self, path: &str, item: &'a Doc) {
        let item = self.samples.resolved(item);
        self.refuse_missing(Place::Line(item.line));
        let shared = item.get("parameters").map_or(&[][..], Doc::items);
        for (method, operation) in item.entries().filter(|(key, _)| METHODS.contains(key)) {
            let place = Place::Line(operation.line);
            if method == "trace" {
                self.maker.refuse(place, Unsupported::Method("TRACE".to_owned()));
                continue;
            }
            if let Some(step) = self.operation(method, path, operation, shared) {
                self.maker.steps.push(step);
            }
        }
    }

    /// Refuses references that lead nowhere.
    fn refuse_missing(&mut self, place: Place) {
        for reference in self.samples.missing.take() {
            self.maker.refuse(place, Unsupported::Reference(reference));
        }
    }

    fn operation(&mut self, method: &str, path: &str, operation: &'a Doc, shared: &'a [Doc]) -> Option<Step> {
        let place = Place::Line(operation.line);
        let before = self.maker.obstacles.len();
        let mut step = Step {
            name: operation.text_of("operationId").map(str::to_owned),
            method: method.to_ascii_uppercase(),
            remarks: vec![Remark::From(place)],
            ..Step::default()
        };
        let told = operation.text_of("summary").or_else(|| operation.text_of("description"));
        step.remarks.extend(told.map(says));
        if operation.is_true("deprecated") {
            step.remarks.push(Remark::Deprecated);
        }
        let mut template = literal(&self.base) + &literal(path);
        let mut query = Vec::new();
        for parameter in self.parameters(operation, shared) {
            self.parameter(parameter, &mut template, &mut query, &mut step);
        }
        self.security(operation, &mut step, &mut query);
        if let Some(body) = operation.get("requestBody") {
            self.body(self.samples.resolved(body), place, &mut step);
        }
        if !query.is_empty() {
            template.push('?');
            template.push_str(&query.join("&"));
        }
        step.path = template;
        step.status = status(operation);
        self.maker.request = Some(format!("{} {path}", step.method));
        self.refuse_missing(place);
        self.maker.request = None;
        (self.maker.obstacles.len() == before).then_some(step)
    }

    /// Returns the parameters of an operation; its own come before the path's.
    fn parameters(&self, operation: &'a Doc, shared: &'a [Doc]) -> Vec<&'a Doc> {
        let own = operation.get("parameters").map_or(&[][..], Doc::items);
        let mut all: Vec<&Doc> = Vec::new();
        for parameter in own.iter().chain(shared) {
            let resolved = self.samples.resolved(parameter);
            if resolved.text_of("$ref").is_some() {
                continue;
            }
            let key = |parameter: &Doc| {
                let text = |key: &str| parameter.text_of(key).map(str::to_owned);
                (text("in"), text("name"))
            };
            if !all.iter().any(|other| key(other) == key(resolved)) {
                all.push(resolved);
            }
        }
        all
    }

    /// Adds a parameter to its request: one of the path as a variable, any other only if it is required or has an example.
    fn parameter(&mut self, parameter: &'a Doc, path: &mut String, query: &mut Vec<String>, step: &mut Step) {
        let name = parameter.text_of("name").unwrap_or_default().to_owned();
        let sample = self.samples.of_parameter(parameter);
        let has_example = sample.as_ref().is_some_and(|(_, given)| *given);
        let value = sample.map(|(sample, _)| match sample.value {
            Value::List(items) => items.iter().filter_map(Doc::scalar).collect::<Vec<_>>().join(","),
            _ => sample.scalar().unwrap_or_default(),
        });
        let value = value.unwrap_or_else(|| "1".to_owned());
        let is_needed = parameter.is_true("required") || has_example;
        match parameter.text_of("in") {
            Some("path") => {
                let variable = self.path_variable(&name, &value);
                *path = path.replace(&format!("{{{name}}}"), &format!("${{url({variable})}}"));
            }
            Some("query") if is_needed => query.push(format!("{}={}", encoded(&name), encoded(&value))),
            Some("header") if is_needed => step.headers.push((name, literal(&value))),
            Some("cookie") if is_needed => {
                step.headers.push(("Cookie".to_owned(), literal(&format!("{name}={value}"))));
            }
            _ => {}
        }
    }

    /// Returns the variable of a parameter of a path; parameters of one name and value share it.
    fn path_variable(&mut self, name: &str, value: &str) -> String {
        let usable = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let base: String = name.chars().map(usable).collect();
        let mut free = base.clone();
        let mut number = 2;
        while let Some(other) = self.variables.iter().find(|variable| variable.name == free) {
            if other.value == literal(value) {
                return free;
            }
            free = format!("{base}_{number}");
            number += 1;
        }
        self.variables.push(Variable {
            name: free.clone(),
            value: literal(value),
            remark: Remark::Parameter,
        });
        free
    }

    /// Adds the first of the ways to authenticate.
    fn security(&mut self, operation: &'a Doc, step: &mut Step, query: &mut Vec<String>) {
        let schemes = operation.get("security").or_else(|| self.root.get("security"));
        let first = schemes.and_then(|schemes| schemes.items().first());
        let names: Vec<&str> = first.into_iter().flat_map(Doc::entries).map(|(name, _)| name).collect();
        for name in names {
            let reference = format!("#/components/securitySchemes/{name}");
            let Some(scheme) = self.root.find(&reference).map(|scheme| self.samples.resolved(scheme)) else {
                continue;
            };
            let field = |key: &str| scheme.text_of(key).unwrap_or_default().to_owned();
            match (field("type").as_str(), field("scheme").to_ascii_lowercase().as_str()) {
                ("http", "basic") => {
                    let user = self.maker.secret("login", "login");
                    let password = self.maker.secret("password", "password");
                    step.authorization = Some(Authorization::Basic { user, password });
                }
                ("apiKey", _) => {
                    let (key, name) = (self.maker.secret(name, name), field("name"));
                    match field("in").as_str() {
                        "query" => query.push(format!("{}={key}", encoded(&name))),
                        "cookie" => step.headers.push(("Cookie".to_owned(), format!("{name}={key}"))),
                        _ => step.headers.push((name, key)),
                    }
                }
                _ => {
                    let token = self.maker.secret("token", "token");
                    step.authorization = Some(Authorization::Bearer(token));
                }
            }
        }
    }

    /// Adds a sample body of the media type that suits best.
    fn body(&mut self, body: &'a Doc, place: Place, step: &mut Step) {
        let kinds: Vec<(&str, &Doc)> = body.get("content").into_iter().flat_map(Doc::entries).collect();
        let is_json = |kind: &str| kind.contains("json");
        let rank = |kind: &str| match kind {
            kind if is_json(kind) => 0,
            "application/x-www-form-urlencoded" => 1,
            "multipart/form-data" => 2,
            kind if kind.starts_with("text/") || kind == "*/*" => 3,
            _ => 4,
        };
        let Some((kind, media)) = kinds.into_iter().min_by_key(|(kind, _)| rank(kind)) else {
            return;
        };
        let Some((sample, given)) = self.samples.of_parameter(media) else {
            return;
        };
        if !given {
            step.remarks.push(Remark::Sample);
        }
        let fields = |sample: &Doc| {
            let field = |(name, value): (&str, &Doc)| {
                let text = value.scalar().unwrap_or_else(|| value.json());
                (name.to_owned(), literal(&text))
            };
            sample.entries().map(field).collect::<Vec<_>>()
        };
        match rank(kind) {
            0 => {
                // An example may be written as a text that has JSON in it.
                let text = sample.text().filter(|text| text.trim_start().starts_with(['{', '[']));
                let text = text.map_or_else(|| sample.json(), str::to_owned);
                step.body = StepBody::Text(literal(&text));
                step.headers.push(("Content-Type".to_owned(), kind.to_owned()));
            }
            1 => step.body = StepBody::Form(fields(&sample)),
            2 => {
                let parts = self.parts(media, fields(&sample));
                let files = parts.iter().filter_map(|(_, part)| match part {
                    Part::File { path, .. } => Some(path.clone()),
                    Part::Text(_) | Part::TypedText { .. } => None,
                });
                let names: Vec<String> = files.collect();
                if !names.is_empty() {
                    step.remarks.push(Remark::Files { names });
                }
                step.body = StepBody::Multipart(parts);
            }
            3 => {
                let text = sample.scalar().unwrap_or_else(|| sample.json());
                step.body = StepBody::Text(literal(&text));
                if kind != "*/*" {
                    step.headers.push(("Content-Type".to_owned(), kind.to_owned()));
                }
            }
            _ => self.maker.refuse(place, Unsupported::MediaType(kind.to_owned())),
        }
    }

    /// Returns the parts of a form; properties of the format `binary` are files.
    fn parts(&self, media: &'a Doc, fields: Vec<(String, String)>) -> Vec<(String, Part)> {
        let schema = media.get("schema").map(|schema| self.samples.resolved(schema));
        let properties = schema.and_then(|schema| schema.get("properties"));
        let is_file = |name: &str| {
            let property = properties.and_then(|properties| properties.get(name));
            let property = property.map(|property| self.samples.resolved(property));
            property.is_some_and(|property| {
                property.text_of("format") == Some("binary") || property.get("contentMediaType").is_some()
            })
        };
        let part = |(name, value): (String, String)| {
            let part = match is_file(&name) {
                true => Part::File { path: name.clone(), media_type: None, name: None },
                false => Part::Text(value),
            };
            (name, part)
        };
        fields.into_iter().map(part).collect()
    }
}

/// Returns the first status of success that an operation describes.
fn status(operation: &Doc) -> Option<u16> {
    let codes = operation.get("responses").into_iter().flat_map(Doc::entries);
    let mut statuses = codes.filter_map(|(code, _)| code.parse::<u16>().ok());
    statuses.find(|status| (200..400).contains(status))
}

#[cfg(test)]
mod tests;
