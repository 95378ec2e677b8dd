//! Requests.

use super::Reader;
use super::web_socket;
use crate::node::{Node, Table, Value};
use crate::slip::{Advice, Hint, RequestSlip};
use crate::streaming_keys;
use model::url::{Url, http_form};
use traffic::scenario::{Function, RequestBody, Server, SessionRequest, Template};

/// The most redirects that are followed unless a step says otherwise.
const REDIRECTS: u32 = 10;

impl Reader<'_> {
    /// Reads a request. The caller has read the method from the table.
    pub(super) fn request(
        &mut self,
        method: &str,
        path: &Node,
        table: &mut Table<'_>,
    ) -> Option<SessionRequest> {
        let written = self.text_of(path);
        let is_opening = method == web_socket::OPENING;
        let written = written.map(|text| http_form(&text).filter(|_| is_opening).unwrap_or(text));
        let name = self.read(table, "name", |node| node.text().map(str::to_owned));
        let headers = table.get("headers").map(|node| self.headers(node));
        let mut headers = headers.unwrap_or_default();
        let (body, content_type) = self.body(table);
        if let Some(authorization) = self.authorization(table) {
            headers.push((Template::literal("Authorization"), authorization));
        }
        let redirects = self.read(table, "redirects", |node| node.integer(0..=100));
        let timeout = self.read(table, "timeout", Node::duration);
        let streaming = streaming_keys::read(table, &mut self.problems);
        let written = written?;
        let (server, path) = self.place(path, &written);
        let plain = written.split('?').next().unwrap_or_default();
        let name = name.unwrap_or_else(|| format!("{method} {plain}"));
        let group = self.several.then(|| self.scenario.clone());
        let step = self.program.step(&name, false, group.as_deref());
        let mut request = SessionRequest::new(step, method, path);
        request.server = server;
        let has = |headers: &[(Template, Template)], name: &str| {
            let is_it = |(given, _): &(Template, Template)| {
                given.as_literal().is_some_and(|given| given.eq_ignore_ascii_case(name))
            };
            headers.iter().any(is_it)
        };
        let of_scenario = self.headers.iter();
        let of_scenario =
            of_scenario.filter(|(name, _)| !name.as_literal().is_some_and(|name| has(&headers, name)));
        headers.extend(of_scenario.cloned().collect::<Vec<_>>());
        if let Some(content_type) = content_type.filter(|_| !has(&headers, "Content-Type")) {
            headers.push((Template::literal("Content-Type"), Template::literal(content_type)));
        }
        request.headers = headers;
        request.body = body;
        request.redirects = redirects.map_or(REDIRECTS, |most| most as u32);
        request.timeout = timeout;
        request.streaming = streaming;
        if let Some(extract) = table.get("extract") {
            request.extract = self.extractors(extract);
        }
        if let Some(check) = table.get("check") {
            self.checks(check, &mut request);
        }
        Some(request)
    }

    /// Returns the number of the server, and the path. A URL names the server, and a path alone goes to the one that is loaded.
    fn place(&mut self, node: &Node, written: &str) -> (usize, Template) {
        if !written.starts_with("http://") && !written.starts_with("https://") {
            return (0, self.path(node, written));
        }
        let host = written.find("://").map_or(0, |at| at + 3);
        let end = written[host..].find(['/', '?']).map_or(written.len(), |at| host + at);
        let (origin, rest) = written.split_at(end);
        let url = Url::parse(origin).ok().filter(|_| !origin.contains("${"));
        let server = url.and_then(|url| self.program.server(&Server::from(&url)));
        if server.is_none() {
            let slip = RequestSlip::NotAServer(origin.to_owned());
            self.refuse(node.refuse(slip).hint(Advice::ServerForm));
        }
        let slash = if rest.starts_with('/') { "" } else { "/" };
        (server.unwrap_or(0), self.path(node, &format!("{slash}{rest}")))
    }

    /// Compiles a path.
    fn path(&mut self, node: &Node, written: &str) -> Template {
        if !written.starts_with('/') && !written.starts_with("${") {
            let hint = Hint::write(format!("\"/{written}\""));
            self.refuse(node.refuse(RequestSlip::NoSlash).hint(hint));
        }
        if written.split("${").next().is_some_and(|begin| begin.contains(' ')) {
            let hint = Hint::write(format!("\"{}\"", written.replace(' ', "%20")));
            self.refuse(node.refuse(RequestSlip::NotAPath(written.to_owned())).hint(hint));
        }
        self.compile(node, written)
    }

    /// Reads a table of headers; a list is a header several times.
    pub(super) fn headers(&mut self, node: &Node) -> Vec<(Template, Template)> {
        let mut headers = Vec::new();
        for (name, value) in self.entries(node, "{ Accept = \"text/html\" }") {
            let values = match &value.value {
                Value::List(values) => values.iter().collect(),
                _ => vec![value],
            };
            for value in values {
                let value = self.scalar(value);
                headers.push((Template::literal(name.text().unwrap_or_default()), value));
            }
        }
        headers
    }

    /// Reads `bearer` and `basic`: the value of `Authorization`.
    fn authorization(&mut self, table: &mut Table<'_>) -> Option<Template> {
        if let Some(node) = table.get("basic") {
            let mut basic = self.open(node, "basic")?;
            let mut pair = basic.get("user").map(|node| self.template(node)).unwrap_or_default();
            pair.push_literal(":");
            if let Some(password) = basic.get("password") {
                pair.append(self.template(password));
            }
            basic.finish(&mut self.problems);
            let mut value = Template::literal("Basic ");
            value.append(Template::call(Function::Base64, vec![pair]));
            return Some(value);
        }
        let token = table.get("bearer").map(|node| self.template(node))?;
        let mut value = Template::literal("Bearer ");
        value.append(token);
        Some(value)
    }

    /// Reads the body, and tells the `Content-Type` that goes with it.
    fn body(&mut self, table: &mut Table<'_>) -> (RequestBody, Option<&'static str>) {
        const KINDS: [&str; 5] = ["body", "json", "form", "body_file", "multipart"];
        let mut present = Vec::new();
        for key in KINDS {
            if let Some(node) = table.get(key) {
                present.push((key, node));
            }
        }
        if let [(one, _), (other, node), ..] = present[..] {
            self.refuse(node.refuse(crate::slip::ScenarioSlip::TwoBodies(one, other)));
        }
        match present.first() {
            Some(("body", node)) => (RequestBody::Text(self.template(node)), None),
            Some(("json", node)) => (RequestBody::Text(self.json(node)), Some("application/json")),
            Some(("form", node)) => {
                let form = self.form(node);
                (RequestBody::Text(form), Some("application/x-www-form-urlencoded"))
            }
            Some(("body_file", node)) => {
                let bytes = self.body_file(node).unwrap_or_default();
                (RequestBody::Bytes(bytes), None)
            }
            Some((_, node)) => (RequestBody::Multipart(self.parts(node)), None),
            None => (RequestBody::Nothing, None),
        }
    }
}
