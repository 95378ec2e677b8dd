//! Requests as scenario files write them.

use super::steps::Block;
use super::{Refused, Writer};
use crate::remark::{PlanPart, PlanRemark, Remark};
use crate::write::{duration, grouped, inline, quoted, table};
use traffic::scenario::{BodyPart, Expr, Function, RequestBody, ScriptValue, SessionRequest, Template};

/// The name of a header with its value, as a file writes it.
type Header = (String, String);
/// A key of a step with its value.
type Key = (&'static str, String);

/// The most redirects that a scenario follows unless a step says otherwise.
const USUAL_REDIRECTS: u32 = 10;

impl Writer<'_> {
    /// Writes a request. Each part that cannot be written is refused on its own.
    pub(super) fn request(&mut self, request: &SessionRequest) -> Result<Block, Refused> {
        const METHODS: [&str; 7] = ["get", "post", "put", "delete", "patch", "head", "options"];
        let method = request.method.as_literal().ok_or(PlanPart::Method)?;
        let method = METHODS.into_iter().find(|known| known.eq_ignore_ascii_case(method));
        let method = method.ok_or(PlanPart::Method)?;
        let path = format!("{}{}", self.origin(request), self.path(&request.path)?);
        let name = &self.program.steps[request.step].name;
        let mut keys = vec![("name", quoted(name)), (method, quoted(&path))];
        let (headers, authorization) = self.headers(request)?;
        if !headers.is_empty() {
            keys.push(("headers", grouped(&headers, String::clone)));
        }
        keys.extend(authorization);
        keys.extend(self.request_body(&request.body)?);
        let mut remarks = Vec::new();
        if request.redirects != USUAL_REDIRECTS {
            keys.push(("redirects", request.redirects.to_string()));
        }
        if request.redirects > 0 && !request.repeats_bodies && !matches!(method, "get" | "head") {
            remarks.push(Remark::Plan(PlanRemark::BodiesRepeated));
        }
        if request.strict_url && path.contains("${replace(") {
            remarks.push(Remark::Plan(PlanRemark::UrlNotChecked));
        }
        if let Some(limit) = request.timeout {
            keys.push(("timeout", quoted(&duration(limit.as_secs_f64()))));
        }
        if !request.scripts.is_empty() {
            self.refuse(PlanPart::Script);
        }
        // What is checked may use what is extracted.
        let extract = self.extractors(&request.extract);
        if !extract.is_empty() {
            keys.push(("extract", table(extract.into_iter())));
        }
        keys.extend(self.checks(request));
        self.steps += 1;
        let mut block = Block::new(keys);
        block.remarks = remarks;
        Ok(block)
    }

    /// The beginning of a URL of another server; nothing for the server that is loaded.
    fn origin(&self, request: &SessionRequest) -> String {
        let other = request.server.checked_sub(1);
        other.map_or_else(String::new, |other| self.program.servers[other].to_string())
    }

    /// Writes the headers, and `basic` apart from them.
    fn headers(&mut self, request: &SessionRequest) -> Result<(Vec<Header>, Option<Key>), Refused> {
        let (mut headers, mut authorization) = (Vec::new(), None);
        for (name, value) in &request.headers {
            let name = name.as_literal().ok_or(PlanPart::HeaderName)?;
            match basic(value) {
                Some(pair) => authorization = Some(("basic", self.basic(&pair)?)),
                None => headers.push((name.to_owned(), inline(&self.template(value)?))),
            }
        }
        let says_connection = headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("connection"));
        if !request.keep_alive && !says_connection {
            headers.push(("Connection".to_owned(), inline("close")));
        }
        Ok((headers, authorization))
    }

    fn basic(&mut self, pair: &Template) -> Result<String, Refused> {
        let (mut user, mut password) = (Template::default(), None::<Template>);
        for part in pair.parts() {
            match (part, &mut password) {
                (Expr::Constant(ScriptValue::Text(text)), None) if text.contains(':') => {
                    let (before, behind) = text.split_once(':').unwrap_or_default();
                    user.push_literal(before);
                    password = Some(Template::literal(behind));
                }
                (part, None) => user.push(part.clone()),
                (part, Some(password)) => password.push(part.clone()),
            }
        }
        let password = password.ok_or(PlanPart::Function)?;
        let (user, password) = (self.template(&user)?, self.template(&password)?);
        Ok(format!("{{ user = {}, password = {} }}", inline(&user), inline(&password)))
    }

    fn request_body(&mut self, body: &RequestBody) -> Result<Option<(&'static str, String)>, Refused> {
        Ok(match body {
            RequestBody::Nothing => None,
            RequestBody::Text(text) => Some(("body", quoted(&self.template(text)?))),
            RequestBody::Bytes(bytes) => Some(("body_file", quoted(&self.file(bytes)?))),
            RequestBody::Multipart(parts) => Some(("multipart", self.multipart(parts)?)),
        })
    }

    /// The name of the file with this content.
    fn file(&self, bytes: &[u8]) -> Result<String, Refused> {
        let file = self.source.files.iter().find(|file| file.bytes == bytes);
        file.map(|file| file.path.clone()).ok_or(PlanPart::File)
    }

    fn multipart(&mut self, parts: &[BodyPart]) -> Result<String, Refused> {
        let mut written: Vec<(String, String)> = Vec::new();
        for part in parts {
            let name = part.name.as_literal().ok_or(PlanPart::PartName)?;
            let is_known = written.iter().any(|(other, _)| other == name);
            if is_known && written.last().is_none_or(|(last, _)| last != name) {
                return Err(PlanPart::PartName);
            }
            let mut keys = Vec::new();
            let value = match (&part.content, &part.file_name, &part.content_type) {
                (RequestBody::Text(text), None, None) => inline(&self.template(text)?),
                (RequestBody::Text(text), None, Some(kind)) => {
                    keys.push(format!("text = {}", inline(&self.template(text)?)));
                    keys.push(format!("type = {}", inline(&self.template(kind)?)));
                    table(keys.into_iter())
                }
                (RequestBody::Bytes(bytes), Some(file_name), kind) => {
                    keys.push(format!("file = {}", inline(&self.file(bytes)?)));
                    if let Some(kind) = kind {
                        keys.push(format!("type = {}", inline(&self.template(kind)?)));
                    }
                    keys.push(format!("name = {}", inline(&self.template(file_name)?)));
                    table(keys.into_iter())
                }
                _ => return Err(PlanPart::PartName),
            };
            written.push((name.to_owned(), value));
        }
        Ok(grouped(&written, String::clone))
    }
}

/// The user and the password of a header for basic authentication.
fn basic(value: &Template) -> Option<Template> {
    match value.parts() {
        [begin, Expr::Call(Function::Base64, pair)] if begin.as_literal() == Some("Basic ") => {
            pair.first().cloned().map(Template::from)
        }
        _ => None,
    }
}
