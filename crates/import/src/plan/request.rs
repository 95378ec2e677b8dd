//! Requests as scenario files write them.

use super::steps::Block;
use super::{Refused, Writer};
use crate::remark::{PlanPart, PlanRemark, Remark};
use crate::write::{duration, inline, key, quoted, table};
use traffic::scenario::{BodyPart, Expr, Function, RequestBody, ScriptValue, SessionRequest, Template};

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
        let (headers, authorization) = self.headers(request);
        if !headers.is_empty() {
            keys.push(("headers", table(headers.into_iter())));
        }
        keys.extend(authorization);
        match self.request_body(&request.body) {
            Ok(body) => keys.extend(body),
            Err(part) => self.refuse(part),
        }
        let mut remarks = Vec::new();
        if request.redirects != USUAL_REDIRECTS {
            keys.push(("redirects", request.redirects.to_string()));
        }
        if request.redirects > 0 && !request.repeats_bodies && !matches!(method, "get" | "head") {
            remarks.push(Remark::Plan(PlanRemark::BodiesRepeated));
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
    fn headers(&mut self, request: &SessionRequest) -> (Vec<String>, Option<(&'static str, String)>) {
        let (mut headers, mut authorization) = (Vec::new(), None);
        let mut names: Vec<String> = Vec::new();
        for (name, value) in &request.headers {
            let Some(name) = name.as_literal() else {
                self.refuse(PlanPart::HeaderName);
                continue;
            };
            if let Some(pair) = basic(value) {
                match self.basic(&pair) {
                    Ok(text) => authorization = Some(("basic", text)),
                    Err(part) => self.refuse(part),
                }
                continue;
            }
            if names.iter().any(|known| known == name) {
                self.refuse(PlanPart::HeaderTwice);
                continue;
            }
            names.push(name.to_owned());
            match self.template(value) {
                Ok(value) => headers.push(format!("{} = {}", key(name), inline(&value))),
                Err(part) => self.refuse(part),
            }
        }
        if !request.keep_alive && !names.iter().any(|name| name.eq_ignore_ascii_case("connection")) {
            headers.push("Connection = \"close\"".to_owned());
        }
        (headers, authorization)
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
        let mut written: Vec<String> = Vec::new();
        let mut names: Vec<&str> = Vec::new();
        for part in parts {
            let name = part.name.as_literal().ok_or(PlanPart::PartName)?;
            if names.contains(&name) {
                return Err(PlanPart::PartName);
            }
            names.push(name);
            let value = match (&part.content, &part.file_name, &part.content_type) {
                (RequestBody::Text(text), None, None) => inline(&self.template(text)?),
                (RequestBody::Bytes(bytes), Some(file_name), kind) => {
                    let mut keys = vec![format!("file = {}", inline(&self.file(bytes)?))];
                    if let Some(kind) = kind {
                        keys.push(format!("type = {}", inline(&self.template(kind)?)));
                    }
                    keys.push(format!("name = {}", inline(&self.template(file_name)?)));
                    table(keys.into_iter())
                }
                _ => return Err(PlanPart::PartName),
            };
            written.push(format!("{} = {value}", key(name)));
        }
        Ok(table(written.into_iter()))
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
