//! Reads `.http` and `.rest` files, as the HTTP Client of JetBrains and the REST Client of Visual Studio Code have them.

mod lines;

use crate::address::{Address, NoAddress};
use crate::clients;
use crate::draft::{Draft, Extraction, Source};
use crate::exchange::{SentBody, header};
use crate::headers::Author;
use crate::marks::{first_variable, resolve};
use crate::multipart;
use crate::names::Names;
use crate::postman::parsed;
use crate::remark::{Obstacle, Place, Remark, Unsupported};
use crate::request::{FORM, SentRequest, StepMaker};
use crate::script::{self, Given};
use crate::{Files, Imported, Options};
use lines::{BodyLine, Written};
use serde_json::Value as Json;

/// The files with the values of environments, beside the file with the requests.
const ENVIRONMENTS: [&str; 2] = ["http-client.private.env.json", "http-client.env.json"];

pub(crate) fn import(text: &str, options: &Options, files: Files<'_>) -> Imported {
    let mut names = Names::default();
    for (name, value) in &options.variables {
        names.give(name, value);
    }
    if let Err(Obstacle { place, what, .. }) = environment(options, files, &mut names) {
        return Imported::refused(place, what);
    }
    let (requests, variables) = lines::read(text);
    for (name, value) in &variables {
        names.set(name, value);
    }
    let maker = StepMaker::new(options.keeps_secrets);
    let mut reader = Reader { maker, names, named: Vec::new(), files, has_tests: false, keeps_cookies: true };
    for request in &requests {
        reader.maker.request = Some(format!("{} {}", request.method, request.url));
        let place = Place::Line(request.line);
        if let Err(what) = reader.request(request, place) {
            reader.maker.refuse_request(place, what);
        }
    }
    let Reader { mut maker, names, has_tests, keeps_cookies, .. } = reader;
    maker.steps.iter_mut().for_each(|step| resolve(step, &|expression| format!("${{{expression}}}")));
    let mut draft = Draft {
        name: options.name.clone(),
        is_independent: true,
        drops_cookies: !keeps_cookies,
        ..Draft::default()
    };
    if has_tests {
        draft.remarks.push(Remark::TestsLeftOut);
    }
    if !names.environment.is_empty() {
        draft.remarks.push(Remark::Environment { names: names.environment.into_iter().collect() });
    }
    maker.finish(draft)
}

/// Reads the values of the environment that is asked for.
fn environment(options: &Options, files: Files<'_>, names: &mut Names) -> Result<(), Obstacle> {
    let Some(wanted) = &options.environment else {
        return Ok(());
    };
    let (mut has_it, mut why) = (false, "-".to_owned());
    for file in ENVIRONMENTS {
        let text = match files(file) {
            Ok(text) => text,
            Err(error) => {
                why = error;
                continue;
            }
        };
        let json = parsed(&text)?;
        why.clone_from(&text);
        for name in [wanted.as_str(), "$shared"] {
            let values = json.get(name).and_then(Json::as_object);
            has_it |= values.is_some() && name == wanted;
            for (name, value) in values.into_iter().flatten() {
                names.fix(name, value.as_str().unwrap_or(&value.to_string()));
            }
        }
    }
    match has_it {
        true => Ok(()),
        false => {
            let names = parsed(&why)
                .ok()
                .and_then(|json| Some(json.as_object()?.keys().cloned().collect::<Vec<_>>()));
            let why = names.map_or(why, |names| names.join(", "));
            Err(Obstacle::new(None, Unsupported::NoEnvironment { file: wanted.clone(), why }))
        }
    }
}

struct Reader<'a> {
    maker: StepMaker,
    names: Names,
    /// Names of requests, each with the index of its step.
    named: Vec<(String, usize)>,
    files: Files<'a>,
    has_tests: bool,
    keeps_cookies: bool,
}

impl Reader<'_> {
    fn request(&mut self, written: &Written, place: Place) -> Result<(), Unsupported> {
        for (name, value) in &written.variables {
            let value = self.names.resolved(value)?;
            self.names.set(name, &value);
        }
        for code in &written.before {
            self.before(code)?;
        }
        let url = self.value(&written.url)?;
        let mut headers = Vec::new();
        for (name, value) in &written.headers {
            headers.push((name.clone(), self.value(value)?));
        }
        let url = match header(&headers, "Host").filter(|_| url.starts_with('/')) {
            Some(host) => format!("http://{host}{url}"),
            None => url,
        };
        let address = Address::parse(&url).map_err(|why| match why {
            NoAddress::Scheme(scheme) => Unsupported::Scheme(scheme),
            NoAddress::Host => Unsupported::NoAddress(written.url.clone()),
        })?;
        let address = clients::of_browsers(address);
        if let Some(expression) = first_variable(&address.host) {
            let name = expression.strip_prefix("env('").and_then(|rest| rest.strip_suffix("')"));
            return Err(Unsupported::ServerVariable(name.unwrap_or(expression).to_owned()));
        }
        authorize(&mut headers);
        let is_odd =
            matches!(written.method.as_str(), "GET" | "HEAD") && header(&headers, "Content-Type").is_none();
        if is_odd && !written.body.is_empty() {
            return Err(Unsupported::OddBody(written.method.clone()));
        }
        let body = self.body(written, &headers)?;
        let sent = SentRequest {
            place,
            author: Author::Hand,
            method: &written.method,
            origin: &address.origin(),
            path: &address.path,
            headers: &headers,
            body: &body,
        };
        let Some(mut step) = self.maker.step(&sent) else {
            return Ok(());
        };
        if let (Some(user), None) = (&address.user, header(&headers, "Authorization")) {
            let (user, password) = user.split_once(':').unwrap_or((user, ""));
            step.authorization = Some(self.maker.basic(user, password));
        }
        step.name = written.name.clone();
        step.redirects = written.follows_none.then_some(0);
        step.timeout = written.timeout;
        self.keeps_cookies &= !written.drops_cookies;
        if let Some(name) = &written.name {
            self.named.push((name.clone(), self.maker.steps.len()));
        }
        self.maker.steps.push(step);
        written.behind.iter().for_each(|code| self.behind(code));
        Ok(())
    }

    /// Reads a script before a request.
    fn before(&mut self, code: &str) -> Result<(), Unsupported> {
        let deeds = script::read(code);
        if let Some(change) = deeds.change {
            return Err(Unsupported::Script(change.trim_matches(['(', '.', ' ', '=']).to_owned()));
        }
        for (name, given) in deeds.sets {
            match given {
                Given::Text(value) => self.names.set(&name, &value),
                _ => self.names.lose(&name),
            }
        }
        Ok(())
    }

    /// Reads a script behind a request.
    fn behind(&mut self, code: &str) {
        let deeds = script::read(code);
        self.has_tests |= deeds.sets.is_empty();
        for (name, given) in deeds.sets {
            match given {
                Given::Text(value) => self.names.set(&name, &value),
                Given::From(from) => self.take(&name, &name, from, self.maker.steps.len() - 1),
                Given::Unknown => self.names.lose(&name),
            }
        }
        if let Some(step) = self.maker.steps.last_mut() {
            step.status = step.status.or(deeds.status);
        }
    }

    /// Lets a step take a variable from its answer.
    fn take(&mut self, name: &str, variable: &str, from: Source, step: usize) {
        if let Some(variable) = self.names.take_as(name, variable)
            && let Some(step) = self.maker.steps.get_mut(step)
            && !step.extract.iter().any(|extraction| extraction.variable == variable)
        {
            step.extract.push(Extraction { variable, from });
        }
    }

    /// Returns a text with its variables; `{{login.response.body.$.token}}` is taken from the answer to the request `login`.
    fn value(&mut self, text: &str) -> Result<String, Unsupported> {
        let mut rest = text;
        while let Some((_, behind)) = rest.split_once("{{") {
            let Some((name, behind)) = behind.split_once("}}") else {
                break;
            };
            self.take_named(name.trim())?;
            rest = behind;
        }
        self.names.resolved(text)
    }

    fn take_named(&mut self, text: &str) -> Result<(), Unsupported> {
        let Some((request, part)) = text.split_once(".response.") else {
            return Ok(());
        };
        let unknown = || Unsupported::NamedPart(text.to_owned());
        let step = self.named.iter().rev().find(|(name, _)| name == request).map(|(_, step)| *step);
        let from = match part.split_once('.') {
            Some(("headers", name)) => Source::Header(name.to_owned()),
            Some(("body", path)) if path.starts_with('$') => Source::Json(path.to_owned()),
            Some(("body", path)) if !path.starts_with(['/', '*']) => Source::Json(format!("$.{path}")),
            _ => return Err(unknown()),
        };
        let last = part.rsplit(['.', '[', ']', '\'']).find(|last| !last.is_empty()).unwrap_or_default();
        self.take(text, &format!("{request}_{last}"), from, step.ok_or_else(unknown)?);
        Ok(())
    }

    /// Puts the lines of a body together. One that is a single file stays one.
    fn body(&mut self, written: &Written, headers: &[(String, String)]) -> Result<SentBody, Unsupported> {
        let media_type = header(headers, "Content-Type").unwrap_or_default().to_owned();
        if let [BodyLine::File { path, .. }] = written.body.as_slice() {
            let path = self.value(path)?;
            return match &written.body[0] {
                BodyLine::File { has_variables: true, .. } => {
                    let text = (self.files)(&path).map_err(|_| Unsupported::Include(path.clone()))?;
                    Ok(SentBody::Text(self.value(&text)?))
                }
                _ => Ok(SentBody::File { path, joins_lines: false }),
            };
        }
        if written.body.is_empty() {
            return Ok(SentBody::Nothing);
        }
        let is_multipart = media_type.to_ascii_lowercase().starts_with("multipart/");
        let (mut lines, mut files) = (Vec::new(), Vec::new());
        for line in &written.body {
            match line {
                BodyLine::Text(text) => lines.push(self.value(text)?),
                BodyLine::File { path, has_variables: false } if is_multipart => {
                    files.push(self.value(path)?);
                    lines.push(String::new());
                }
                BodyLine::File { path, has_variables } => {
                    let text = (self.files)(path).map_err(|_| Unsupported::Include(path.clone()))?;
                    lines.push(if *has_variables { self.value(&text)? } else { text });
                }
            }
        }
        if is_multipart {
            let text = lines.join("\r\n") + "\r\n";
            let parts = multipart::parts(&media_type, &text);
            let mut parts = parts.ok_or_else(|| Unsupported::NamelessFile(media_type.clone()))?;
            let mut files = files.into_iter();
            for part in parts.iter_mut().filter(|part| part.file_name.is_some() && part.content.is_empty()) {
                part.path = files.next();
            }
            return Ok(SentBody::Parts(parts));
        }
        // The lines of a form are one.
        let is_form = media_type.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case(FORM);
        Ok(SentBody::Text(match is_form {
            true => clients::form(&lines.iter().map(|line| line.trim()).collect::<Vec<_>>().concat()),
            false => lines.join("\n"),
        }))
    }
}

/// Encodes `Authorization: Basic user password` and `user:password`, as both clients do.
fn authorize(headers: &mut [(String, String)]) {
    use base64::Engine;
    for (_, value) in headers.iter_mut().filter(|(name, _)| name.eq_ignore_ascii_case("Authorization")) {
        let Some(pair) = value.strip_prefix("Basic ").map(str::trim) else { continue };
        let pair = match pair.split_once(' ') {
            Some((user, password)) => format!("{user}:{}", password.trim()),
            None if pair.contains(':') => pair.to_owned(),
            None => continue,
        };
        *value = format!("Basic {}", base64::prelude::BASE64_STANDARD.encode(pair));
    }
}

#[cfg(test)]
mod tests;
