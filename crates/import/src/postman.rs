//! Reads collections of Postman (v2.0 and v2.1), with their variables, environments and scripts.

mod media_type;
mod request;

use crate::draft::{Authorization, Draft, Extraction, Step};
use crate::exchange::header;
use crate::headers::Author;
use crate::marks::resolve;
use crate::names::Names;
use crate::remark::{Obstacle, Place, Remark, Unsupported};
use crate::request::{SentRequest, StepMaker};
use crate::script::{self, Given};
use crate::{Files, Imported, Options};
use request::{Auth, Read};
use serde_json::Value as Json;

/// Parses JSON.
///
/// # Errors
///
/// What is wrong with it.
pub(crate) fn parsed(text: &str) -> Result<Json, Obstacle> {
    serde_json::from_str(text.trim_start_matches('\u{feff}'))
        .map_err(|error| Obstacle::new(Place::line(error.line()), Unsupported::Unreadable(error.to_string())))
}

pub(crate) fn import(text: &str, options: &Options, files: Files<'_>) -> Imported {
    let root = match parsed(text) {
        Ok(root) => root,
        Err(Obstacle { place, what, .. }) => return Imported::refused(place, what),
    };
    // The API of Postman puts a collection into an object.
    let root = root.get("collection").unwrap_or(&root);
    if root.get("item").is_none() {
        return Imported::refused(None, Unsupported::Version("Postman v1".to_owned()));
    }
    let mut reader = Reader {
        maker: StepMaker::new(options.keeps_secrets),
        names: Names::default(),
        entry: 0,
        has_tests: false,
    };
    for (name, value) in &options.variables {
        reader.names.give(name, value);
    }
    if let Some(file) = &options.environment {
        match files(file).map_err(|why| (file.clone(), why)).map(|text| parsed(&text)) {
            Ok(Ok(environment)) => {
                for (name, value) in variables(environment.get("values")) {
                    reader.names.fix(&name, &value);
                }
            }
            Ok(Err(Obstacle { place, what, .. })) => return Imported::refused(place, what),
            Err((file, why)) => return Imported::refused(None, Unsupported::NoEnvironment { file, why }),
        }
    }
    let around = Around::default().within(root, &mut reader.names);
    reader.items(root, &around);
    let Reader { mut maker, names, has_tests, .. } = reader;
    maker.steps.iter_mut().for_each(|step| resolve(step, &|expression| format!("${{{expression}}}")));
    let mut draft = Draft { name: options.name.clone(), is_independent: true, ..Draft::default() };
    if has_tests {
        draft.remarks.push(Remark::TestsLeftOut);
    }
    if !names.environment.is_empty() {
        draft.remarks.push(Remark::Environment { names: names.environment.into_iter().collect() });
    }
    maker.finish(draft)
}

/// Returns the names and values of a list of variables, without those that are switched off.
fn variables(list: Option<&Json>) -> Vec<(String, String)> {
    let list = list.and_then(Json::as_array).into_iter().flatten();
    let is_on = |variable: &&Json| {
        variable.get("disabled") != Some(&Json::Bool(true))
            && variable.get("enabled") != Some(&Json::Bool(false))
    };
    let pair = |variable: &Json| {
        let name = variable.get("key").or_else(|| variable.get("id"))?.as_str()?;
        Some((name.to_owned(), text(variable.get("value")?)))
    };
    list.filter(is_on).filter_map(pair).collect()
}

/// A text, or another value as JSON writes it.
fn text(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        Json::Null => String::new(),
        value => value.to_string(),
    }
}

/// What a request has from the folders around it.
#[derive(Clone, Debug, Default)]
struct Around {
    /// Their names, from the outermost.
    names: Vec<String>,
    auth: Option<Json>,
    /// Scripts before and behind each request.
    before: Vec<String>,
    behind: Vec<String>,
}

impl Around {
    fn within(&self, node: &Json, names: &mut Names) -> Self {
        let mut inner = self.clone();
        inner.auth = node.get("auth").filter(|auth| !auth.is_null()).cloned().or(inner.auth);
        for (name, value) in variables(node.get("variable")) {
            names.set(&name, &value);
        }
        for event in node.get("event").and_then(Json::as_array).into_iter().flatten() {
            let code = event.pointer("/script/exec").map(|exec| match exec {
                Json::Array(lines) => lines.iter().map(text).collect::<Vec<_>>().join("\n"),
                exec => text(exec),
            });
            let list = match event.get("listen").and_then(Json::as_str) {
                Some("prerequest") => &mut inner.before,
                _ => &mut inner.behind,
            };
            list.extend(code.filter(|code| !code.trim().is_empty()));
        }
        inner
    }
}

struct Reader {
    maker: StepMaker,
    names: Names,
    /// The number of the present request, from 1.
    entry: usize,
    has_tests: bool,
}

impl Reader {
    fn items(&mut self, node: &Json, around: &Around) {
        for item in node.get("item").and_then(Json::as_array).into_iter().flatten() {
            let mut inner = around.within(item, &mut self.names);
            inner.names.push(item.get("name").map(text).unwrap_or_default());
            if item.get("item").is_some() {
                self.items(item, &inner);
            } else if let Some(request) = item.get("request") {
                self.entry += 1;
                self.request(request, item, &inner);
            }
        }
    }

    fn request(&mut self, node: &Json, item: &Json, around: &Around) {
        let place = Place::Entry(self.entry);
        self.maker.request = Some(around.names.join(" / "));
        for code in &around.before {
            let deeds = script::read(code);
            if let Some(change) = deeds.change {
                return self.maker.refuse(
                    place,
                    Unsupported::Script(change.trim_matches(['(', '.', ' ', '=']).to_owned()),
                );
            }
            for (name, given) in deeds.sets {
                match given {
                    Given::Text(value) => self.names.set(&name, &value),
                    _ => self.names.lose(&name),
                }
            }
        }
        let keeps_body =
            item.pointer("/protocolProfileBehavior/disableBodyPruning") == Some(&Json::Bool(true));
        match request::read(node, around.auth.as_ref(), keeps_body, &mut self.names) {
            Ok(read) => {
                if let Some(step) = self.step(&read, place) {
                    self.maker.steps.push(step);
                    self.behind(place, &around.behind);
                }
            }
            Err(what) => self.maker.refuse_request(place, what),
        }
    }

    fn step(&mut self, read: &Read, place: Place) -> Option<Step> {
        let name = self.maker.request.take();
        let sent = SentRequest {
            place,
            author: Author::Hand,
            method: &read.method,
            origin: &read.origin,
            path: &read.path,
            headers: &read.headers,
            body: &read.body,
        };
        let mut step = self.maker.step(&sent)?;
        step.name = name;
        match &read.auth {
            Auth::Basic(user, password) => step.authorization = Some(self.maker.basic(user, password)),
            Auth::Bearer(token) if header(&read.headers, "Authorization").is_none() => {
                step.authorization = Some(Authorization::Bearer(self.maker.secret("token", token)));
            }
            _ => {}
        }
        Some(step)
    }

    /// Reads what the scripts behind a request do.
    fn behind(&mut self, place: Place, scripts: &[String]) {
        for code in scripts {
            let deeds = script::read(code);
            self.has_tests |= deeds.sets.is_empty();
            if let Some(change) = deeds.change {
                let name = self.maker.steps.last().and_then(|step| step.name.clone());
                self.maker.request = name;
                self.maker
                    .refuse(place, Unsupported::Script(change.trim_matches(['(', '.', ' ', '=']).to_owned()));
                self.maker.request = None;
                continue;
            }
            let Some(step) = self.maker.steps.last_mut() else { return };
            step.status = step.status.or(deeds.status);
            for (name, given) in deeds.sets {
                match given {
                    Given::Text(value) => self.names.set(&name, &value),
                    Given::From(from) => {
                        if let Some(variable) = self.names.take(&name) {
                            step.extract.retain(|extraction| extraction.variable != variable);
                            step.extract.push(Extraction { variable, from });
                        }
                    }
                    Given::Unknown => self.names.lose(&name),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
