//! Turns the parts of a request into a [`Step`], with variables for what varies and for secrets.

use crate::Imported;
use crate::address::{decoded, encoded, form_fields};
use crate::draft::{Authorization, Draft, Part, Step, StepBody, literal};
use crate::exchange::{SentBody, header};
use crate::headers::{is_own, lift};
use crate::json_text;
use crate::multipart;
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
    pub(crate) method: &'a str,
    /// Path and query.
    pub(crate) path: &'a str,
    pub(crate) headers: &'a [(String, String)],
    pub(crate) body: &'a SentBody,
}

/// Makes steps out of requests.
#[derive(Debug, Default)]
pub(crate) struct StepMaker {
    vault: Vault,
    pub(crate) varying: Varying,
    pub(crate) steps: Vec<Step>,
    pub(crate) obstacles: Vec<Obstacle>,
    /// Names of headers that were left out.
    pub(crate) left_out: Vec<String>,
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
        let Self { vault, steps, mut obstacles, left_out, .. } = self;
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
        draft.steps = steps;
        draft.variables.extend(vault.into_variables());
        lift(&mut draft);
        Imported { draft, obstacles }
    }

    /// Adds what is not supported.
    pub(crate) fn refuse(&mut self, place: Place, what: Unsupported) {
        self.obstacles.push(Obstacle { place: Some(place), what });
    }

    /// Makes the step of a request. `None` if it cannot be one; why is among the obstacles.
    pub(crate) fn step(&mut self, sent: &SentRequest<'_>) -> Option<Step> {
        if !METHODS.contains(&sent.method) {
            self.refuse(sent.place, Unsupported::Method(sent.method.to_owned()));
            return None;
        }
        self.remarks = vec![Remark::From(sent.place)];
        let mut step = Step { method: sent.method.to_owned(), path: self.path(sent.path), ..Step::default() };
        let content_type = header(sent.headers, "Content-Type").unwrap_or_default().to_owned();
        step.body = self.body(sent, &content_type)?;
        for (name, value) in sent.headers {
            self.header(&mut step, name, value);
        }
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
    fn path(&mut self, sent: &str) -> String {
        let (path, query) = match sent.split_once('?') {
            Some((path, query)) => (path, Some(query)),
            None => (sent, None),
        };
        // The id of a session in the path stands for a cookie.
        let path = path.split(";jsessionid=").next().unwrap_or_default();
        let parts = path.split('/').map(|part| self.encoded(part, false, Slot::PathPart));
        let mut out = parts.collect::<Vec<_>>().join("/");
        if let Some(query) = query {
            let pairs = query.split('&').map(|pair| match pair.split_once('=') {
                Some((name, value)) => {
                    let name_text = decoded(name, true);
                    let value = self.encoded(value, true, Slot::Named(&name_text));
                    format!("{}={value}", literal(name))
                }
                None => literal(pair),
            });
            out.push('?');
            out.push_str(&pairs.collect::<Vec<_>>().join("&"));
        }
        out
    }

    /// Returns the template of an encoded value.
    fn encoded(&mut self, raw: &str, is_form: bool, slot: Slot<'_>) -> String {
        let value = decoded(raw, is_form);
        if value.is_empty() {
            return literal(raw);
        }
        let template = self.value(&value, slot);
        if template == literal(&value) {
            return literal(raw);
        }
        match encoded(&value) == value {
            true => template,
            false => template.replacen("${", "${url(", 1).replacen('}', ")}", 1),
        }
    }

    /// Adds a header to a step, unless a client sets it by itself.
    fn header(&mut self, step: &mut Step, name: &str, value: &str) {
        if name.eq_ignore_ascii_case("Authorization") {
            self.authorization(step, value);
            return;
        }
        let is_of_body = name.eq_ignore_ascii_case("Content-Type")
            && match step.body {
                StepBody::Form(_) => value.trim() == "application/x-www-form-urlencoded",
                StepBody::Multipart(_) => true,
                _ => false,
            };
        if is_of_body || name.eq_ignore_ascii_case("Accept") && value.trim() == "*/*" {
            return;
        }
        if is_own(name) {
            let is_told = !name.starts_with(':') && !name.eq_ignore_ascii_case("host");
            if is_told && !self.left_out.iter().any(|other| other.eq_ignore_ascii_case(name)) {
                self.left_out.push(name.to_owned());
            }
            return;
        }
        let value = self.value(value, Slot::Named(name));
        step.headers.push((name.to_owned(), value));
    }

    fn authorization(&mut self, step: &mut Step, value: &str) {
        let (scheme, rest) = value.trim().split_once(' ').unwrap_or((value, ""));
        match scheme.to_ascii_lowercase().as_str() {
            "bearer" => {
                let token = match self.varies(rest.trim(), Slot::Named("token")) {
                    Some(variable) => format!("${{{variable}}}"),
                    None => self.secret("token", rest.trim()),
                };
                step.authorization = Some(Authorization::Bearer(token));
            }
            "basic" => match basic(rest.trim()) {
                Some((user, password)) => step.authorization = Some(self.basic(&user, &password)),
                None => step.headers.push(("Authorization".to_owned(), self.secret("authorization", value))),
            },
            _ => step.headers.push(("Authorization".to_owned(), self.secret("authorization", value))),
        }
    }

    /// Returns basic authorization with the password as a secret.
    pub(crate) fn basic(&mut self, user: &str, password: &str) -> Authorization {
        Authorization::Basic { user: literal(user), password: self.secret("password", password) }
    }

    /// Returns the body of a step; `None` if it cannot be one.
    fn body(&mut self, sent: &SentRequest<'_>, content_type: &str) -> Option<StepBody> {
        let media_type = content_type.split(';').next().unwrap_or_default().trim();
        match sent.body {
            SentBody::Nothing => Some(StepBody::Nothing),
            SentBody::Fields(fields) => Some(self.form(fields)),
            SentBody::Binary => {
                self.refuse(sent.place, Unsupported::BinaryBody);
                None
            }
            SentBody::Text(text) if media_type.eq_ignore_ascii_case("multipart/form-data") => {
                self.multipart(sent.place, content_type, text)
            }
            SentBody::Text(text) if media_type.eq_ignore_ascii_case("application/x-www-form-urlencoded") => {
                Some(match form_fields(text) {
                    Some(fields) => self.form(&fields),
                    None => StepBody::Text(literal(text)),
                })
            }
            SentBody::Text(text) => Some(StepBody::Text(self.text(text))),
        }
    }

    fn form(&mut self, fields: &[(String, String)]) -> StepBody {
        let field = |(name, value): &(String, String)| {
            let value = match value.is_empty() {
                true => String::new(),
                false => self.value(value, Slot::Named(name)),
            };
            (name.clone(), value)
        };
        StepBody::Form(fields.iter().map(field).collect())
    }

    /// Returns the template of a text; one of JSON gets variables.
    fn text(&mut self, text: &str) -> String {
        let Some(leaves) = json_text::leaves(text) else {
            return literal(text);
        };
        let mut out = String::new();
        let mut end = 0;
        for leaf in leaves {
            let value = self.value(&leaf.value, Slot::Named(&leaf.name));
            if value == literal(&leaf.value) || leaf.value.is_empty() {
                continue;
            }
            out.push_str(&literal(&text[end..leaf.place.start]));
            let is_escaped = leaf.is_text && text[leaf.place.clone()] != leaf.value;
            out.push_str(&match is_escaped {
                true => value.replacen("${", "${json(", 1).replacen('}', ")}", 1),
                false => value,
            });
            end = leaf.place.end;
        }
        out + &literal(&text[end..])
    }

    fn multipart(&mut self, place: Place, content_type: &str, text: &str) -> Option<StepBody> {
        let Some(sent) = multipart::parts(content_type, text) else {
            self.refuse(place, Unsupported::BinaryBody);
            return None;
        };
        let mut parts: Vec<(String, Part)> = Vec::new();
        let mut files = Vec::new();
        for part in sent {
            if parts.iter().any(|(name, _)| *name == part.name) {
                self.refuse(place, Unsupported::RepeatedPart(part.name));
                return None;
            }
            let content = match part.file_name {
                None => Part::Text(self.value(&part.content, Slot::Named(&part.name))),
                Some(path) => {
                    files.push(path.clone());
                    Part::File { path, media_type: part.media_type, name: None }
                }
            };
            parts.push((part.name, content));
        }
        if !files.is_empty() {
            self.remarks.push(Remark::Files { names: files });
        }
        Some(StepBody::Multipart(parts))
    }
}

/// Decodes user and password of `Authorization: Basic`.
fn basic(text: &str) -> Option<(String, String)> {
    let decoded = String::from_utf8(BASE64_STANDARD.decode(text).ok()?).ok()?;
    let (user, password) = decoded.split_once(':')?;
    Some((user.to_owned(), password.to_owned()))
}
