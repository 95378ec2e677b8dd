//! Turns the parts of a request into a [`Step`], with variables for what varies and for secrets.

mod body;

use crate::Imported;
use crate::address::{decoded, encoded, form_encoded};
use crate::draft::{Authorization, Draft, Step, StepBody, literal};
use crate::exchange::{SentBody, header};
use crate::headers::{Author, is_name, is_of_browsers, lift};
use crate::remark::{Obstacle, Place, Remark, Unsupported};
use crate::secrets::{Vault, is_secret};
use crate::vary::{Slot, Varying};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;

/// The methods that steps have.
const METHODS: [&str; 7] = ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"];

/// A request as it was sent; its texts are no templates.
#[derive(Clone, Debug)]
pub(crate) struct SentRequest<'a> {
    pub(crate) place: Place,
    pub(crate) author: Author,
    pub(crate) method: &'a str,
    /// Scheme, host and port.
    pub(crate) origin: &'a str,
    /// Path and query.
    pub(crate) path: &'a str,
    pub(crate) headers: &'a [(String, String)],
    pub(crate) body: &'a SentBody,
}

impl SentRequest<'_> {
    /// Method and address, which name the request.
    fn name(&self) -> String {
        format!("{} {}{}", self.method, self.origin, self.path)
    }

    /// Whether prony sends a header by itself as it was written.
    fn is_implied(&self, name: &str, value: &str, body: &StepBody) -> bool {
        let host = self.origin.split("://").nth(1).unwrap_or_default();
        match name.to_ascii_lowercase().as_str() {
            "host" => value == host,
            "accept" => value == "*/*",
            "content-type" => match body {
                StepBody::Form(_) => value == FORM,
                StepBody::Multipart(_) => true,
                _ => false,
            },
            "content-length" => match (self.author, self.body) {
                (Author::Browser, _) => true,
                (Author::Hand, SentBody::Text(text)) => value.parse() == Ok(text.len()),
                (Author::Hand, _) => matches!(body, StepBody::Multipart(_)),
            },
            name => name.starts_with(':'),
        }
    }
}

/// The media type of a form that is no multipart form.
pub(crate) const FORM: &str = "application/x-www-form-urlencoded";

/// Makes steps out of requests.
#[derive(Debug, Default)]
pub(crate) struct StepMaker {
    vault: Vault,
    pub(crate) varying: Varying,
    pub(crate) steps: Vec<Step>,
    pub(crate) obstacles: Vec<Obstacle>,
    /// Names of headers that were left out.
    left_out: Vec<String>,
    /// The server of the first request: the scenario's.
    pub(crate) origin: Option<String>,
    /// The request that is read: its method and address; `None` before they are known.
    pub(crate) request: Option<String>,
    /// What is told above the step that is being made.
    remarks: Vec<Remark>,
}

impl StepMaker {
    pub(crate) fn new(keeps_secrets: bool) -> Self {
        let mut maker = Self::default();
        maker.vault.keeps = keeps_secrets;
        maker
    }

    /// Puts the steps and everything else that was made into a draft.
    pub(crate) fn finish(self, mut draft: Draft) -> Imported {
        let Self { vault, steps, mut obstacles, left_out, origin, .. } = self;
        if !left_out.is_empty() {
            draft.remarks.push(Remark::HeadersLeftOut { names: left_out });
        }
        if steps.is_empty() && obstacles.is_empty() {
            obstacles = Imported::refused(None, Unsupported::Nothing).obstacles;
        }
        obstacles.sort_by_key(|obstacle| match obstacle.place {
            Some(Place::Line(number) | Place::Entry(number)) => number,
            None => 0,
        });
        draft.origin = draft.origin.or(origin);
        draft.steps = steps;
        draft.variables.extend(vault.into_variables());
        lift(&mut draft);
        Imported { draft, obstacles }
    }

    /// Adds what is not supported.
    pub(crate) fn refuse(&mut self, place: Place, what: Unsupported) {
        self.obstacles.push(Obstacle { place: Some(place), request: self.request.clone(), what });
    }

    /// Adds what is not supported. A variable without a value is one mistake, however many requests need it.
    pub(crate) fn refuse_request(&mut self, place: Place, what: Unsupported) {
        let is_variable = matches!(what, Unsupported::ServerVariable(_) | Unsupported::ScriptSets(_));
        if !is_variable || !self.obstacles.iter().any(|obstacle| obstacle.what == what) {
            self.refuse(place, what);
        }
    }

    /// Makes the step of a request. `None` if it cannot be one; why is among the obstacles. The server of the first request is the
    /// scenario's, and requests to others name theirs.
    pub(crate) fn step(&mut self, sent: &SentRequest<'_>) -> Option<Step> {
        self.request = Some(sent.name());
        let step = self.step_of(sent);
        self.request = None;
        step
    }

    fn step_of(&mut self, sent: &SentRequest<'_>) -> Option<Step> {
        if let Some(what) = unsendable(sent) {
            self.refuse(sent.place, what);
            return None;
        }
        self.remarks = vec![Remark::From(sent.place)];
        let path = self.path(sent.path, sent.author);
        let mut step = Step { method: sent.method.to_owned(), path, ..Step::default() };
        let content_type = header(sent.headers, "Content-Type").unwrap_or_default().to_owned();
        step.body = self.body(sent, &content_type)?;
        for (name, value) in sent.headers {
            if !sent.is_implied(name, value, &step.body) {
                self.header(&mut step, sent.author, name, value);
            }
        }
        let origin = self.origin.get_or_insert_with(|| sent.origin.to_owned());
        step.server = (*origin != sent.origin).then(|| sent.origin.to_owned());
        step.remarks = std::mem::take(&mut self.remarks);
        Some(step)
    }

    /// Returns what stands for a value: a variable if an earlier answer had it, one of the environment if it is a secret, or itself.
    fn value(&mut self, value: &str, slot: Slot<'_>) -> String {
        if let Some(variable) = self.varies(value, slot) {
            return format!("${{{variable}}}");
        }
        match slot {
            Slot::Named(name) if is_secret(name) => self.secret(name, value),
            _ => literal(value),
        }
    }

    /// Hides a secret.
    pub(crate) fn secret(&mut self, name: &str, value: &str) -> String {
        let hidden = self.vault.hide(name, &literal(value));
        let variable = hidden.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
        if let Some(variable) = variable {
            self.varying.reserve(variable);
        }
        hidden
    }

    /// Returns the variable of a value that an earlier answer had, and lets the step of that answer take it.
    fn varies(&mut self, value: &str, slot: Slot<'_>) -> Option<String> {
        let sent = self.varying.find(value, slot)?;
        if let Some(from) = sent.new {
            let step = self.steps.get_mut(sent.step)?;
            step.extract.push(crate::draft::Extraction { variable: sent.variable.clone(), from });
        }
        let remark = Remark::Varies { variable: sent.variable.clone(), step: sent.step + 1 };
        if !self.remarks.contains(&remark) {
            self.remarks.push(remark);
        }
        Some(sent.variable)
    }

    /// Returns the template of path and query.
    fn path(&mut self, sent: &str, author: Author) -> String {
        let (path, query) = match sent.split_once('?') {
            Some((path, query)) => (path, Some(query)),
            None => (sent, None),
        };
        // The id of a session in the path stands for a browser's cookie.
        let path = match author {
            Author::Browser => path.split(";jsessionid=").next().unwrap_or_default(),
            Author::Hand => path,
        };
        let parts = path.split('/').map(|part| self.encoded(part, false, Slot::PathPart));
        let mut out = parts.collect::<Vec<_>>().join("/");
        if let Some(query) = query {
            out.push('?');
            out.push_str(&self.pairs(query));
        }
        out
    }

    /// Returns the template of `a=1&b=2`, which stays as it is written but for the values that variables give.
    fn pairs(&mut self, text: &str) -> String {
        let pairs = text.split('&').map(|pair| match pair.split_once('=') {
            Some((name, value)) => {
                let name_text = decoded(name, true);
                let value = self.encoded(value, true, Slot::Named(&name_text));
                format!("{}={value}", literal(name))
            }
            None => literal(pair),
        });
        pairs.collect::<Vec<_>>().join("&")
    }

    /// Returns the template of an encoded value.
    fn encoded(&mut self, raw: &str, is_form: bool, slot: Slot<'_>) -> String {
        let value = decoded(raw, is_form);
        if value.is_empty() {
            return literal(raw);
        }
        let (percent, form) = (encoded(&value), form_encoded(&value));
        // A secret that is encoded otherwise than prony encodes stays encoded in its variable.
        let is_odd = raw != value && raw != percent && raw != form;
        if let Slot::Named(name) = slot
            && is_odd
            && is_secret(name)
        {
            return self.secret(name, raw);
        }
        let template = self.value(&value, slot);
        if template == literal(&value) {
            return literal(raw);
        }
        let function = match raw {
            raw if raw == value && percent == value => return template,
            raw if raw == value && is_form => return template,
            raw if is_form && raw == form => "form",
            _ => "url",
        };
        template.replacen("${", &format!("${{{function}("), 1).replacen('}', ")}", 1)
    }

    /// Adds a header to a step, unless it is one that a browser sets by itself.
    fn header(&mut self, step: &mut Step, author: Author, name: &str, value: &str) {
        if name.eq_ignore_ascii_case("Authorization") {
            self.authorization(step, name, value);
            return;
        }
        if author == Author::Browser && is_of_browsers(name) {
            if !self.left_out.iter().any(|other| other.eq_ignore_ascii_case(name)) {
                self.left_out.push(name.to_owned());
            }
            return;
        }
        let value = match name.eq_ignore_ascii_case("Cookie") {
            true => self.secret("cookie", value),
            false => self.value(value, Slot::Named(name)),
        };
        step.headers.push((name.to_owned(), value));
    }

    /// Adds the header `Authorization`: as `bearer` or `basic` only where these send the same.
    fn authorization(&mut self, step: &mut Step, name: &str, value: &str) {
        let is_usual = name == "Authorization" && step.authorization.is_none();
        let token = value.strip_prefix("Bearer ").filter(|token| is_usual && !token.contains(' '));
        if let Some(token) = token {
            let token = match self.varies(token, Slot::Named("token")) {
                Some(variable) => format!("${{{variable}}}"),
                None => self.secret("token", token),
            };
            step.authorization = Some(Authorization::Bearer(token));
            return;
        }
        match value.strip_prefix("Basic ").filter(|_| is_usual).and_then(basic) {
            Some((user, password)) => step.authorization = Some(self.basic(&user, &password)),
            None => step.headers.push((name.to_owned(), self.secret("authorization", value))),
        }
    }

    /// Returns basic authorization with the password as a secret.
    pub(crate) fn basic(&mut self, user: &str, password: &str) -> Authorization {
        Authorization::Basic { user: literal(user), password: self.secret("password", password) }
    }
}

/// Tells what prony cannot send of a request.
fn unsendable(sent: &SentRequest<'_>) -> Option<Unsupported> {
    if !METHODS.contains(&sent.method) {
        return Some(Unsupported::Method(sent.method.to_owned()));
    }
    if let Some((name, _)) = sent.headers.iter().find(|(name, _)| !is_name(name) && !name.starts_with(':')) {
        return Some(Unsupported::HeaderName(name.clone()));
    }
    if sent.author == Author::Browser {
        return None;
    }
    let says = |name: &str| header(sent.headers, name).map(str::to_ascii_lowercase);
    if says("Transfer-Encoding").is_some() {
        return Some(Unsupported::Chunks);
    }
    says("Upgrade").filter(|to| to == "websocket").map(Unsupported::Scheme)
}

/// Decodes user and password of `Authorization: Basic`; `None` where they would be encoded otherwise.
fn basic(text: &str) -> Option<(String, String)> {
    let decoded = String::from_utf8(BASE64_STANDARD.decode(text).ok()?).ok()?;
    let (user, password) = decoded.split_once(':')?;
    (BASE64_STANDARD.encode(&decoded) == text).then(|| (user.to_owned(), password.to_owned()))
}
