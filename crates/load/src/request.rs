//! [`RequestBuilder`]: from method, URL, headers and body to the bytes of a [`Request`].

use crate::{Error, Url};
use model::mix::{Ask, Mix};
use model::plan::{Fill, Insert, Order, Request};
use std::ops::RangeInclusive;

/// Makes the bytes of one request. `Host`, `User-Agent`, `Accept` and `Content-Length` are added unless given.
/// [`RequestBuilder::bare`] leaves out the second and third.
#[derive(Clone, Debug)]
pub struct RequestBuilder {
    method: String,
    authority: String,
    path: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    version: &'static str,
    bare: bool,
    keep_alive: bool,
    status: RangeInclusive<u16>,
    expected_body: Option<Vec<u8>>,
    same_length: bool,
    counters: bool,
}

/// Where the number of the iteration goes.
const COUNTER: &str = "${n}";
/// Where the length of a body with counters goes; no header can hold it by accident, as a control character is refused.
const LENGTH: &str = "\u{1}length";

impl RequestBuilder {
    /// A GET of that URL.
    pub fn new(url: &Url) -> Self {
        Self {
            method: "GET".to_owned(),
            authority: url.authority(),
            path: url.path.clone(),
            headers: Vec::new(),
            body: Vec::new(),
            version: "HTTP/1.1",
            bare: false,
            keep_alive: true,
            status: 200..=399,
            expected_body: None,
            same_length: false,
            counters: false,
        }
    }

    /// Another method than GET.
    pub fn method(mut self, method: &str) -> Self {
        method.clone_into(&mut self.method);
        self
    }

    /// Another path (with its query) than the URL's.
    pub fn path(mut self, path: &str) -> Self {
        path.clone_into(&mut self.path);
        self
    }

    /// A header; it takes the place of a default of the same name.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// What is sent after the headers.
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    /// HTTP/1.0 instead of 1.1: the server closes the connection unless a header asks it not to.
    pub fn http10(mut self) -> Self {
        self.version = "HTTP/1.0";
        self
    }

    /// No `User-Agent` and no `Accept` unless given.
    pub fn bare(mut self) -> Self {
        self.bare = true;
        self
    }

    /// False sends `Connection: close`: a new connection for each request.
    pub fn keep_alive(mut self, keep_alive: bool) -> Self {
        self.keep_alive = keep_alive;
        self
    }

    /// The right statuses; otherwise 200 to 399.
    pub fn expect_status(mut self, status: RangeInclusive<u16>) -> Self {
        self.status = status;
        self
    }

    /// The only right body; otherwise any is.
    pub fn expect_body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.expected_body = Some(body.into());
        self
    }

    /// Bodies that are not as long as that of the first answer are wrong.
    pub fn expect_same_length(mut self) -> Self {
        self.same_length = true;
        self
    }

    /// True has each `${n}` in path, header values and body replaced by the number of the iteration.
    pub fn counters(mut self, counters: bool) -> Self {
        self.counters = counters;
        self
    }

    /// The bytes, and what a right answer looks like.
    pub fn build(self) -> Result<Request, Error> {
        self.check()?;
        let mut head = format!("{} {} {}\r\n", self.method, self.path, self.version);
        self.default_header(&mut head, "Host", || self.authority.clone());
        if !self.bare {
            self.default_header(&mut head, "User-Agent", || {
                concat!("prony/", env!("CARGO_PKG_VERSION")).to_owned()
            });
            self.default_header(&mut head, "Accept", || "*/*".to_owned());
        }
        let announces = !self.body.is_empty() || matches!(self.method.as_str(), "POST" | "PUT" | "PATCH");
        if announces && !self.has("Transfer-Encoding") {
            let counted = self.body_counters() > 0;
            self.default_header(&mut head, "Content-Length", || match counted {
                true => LENGTH.to_owned(),
                false => self.body.len().to_string(),
            });
        }
        if !self.keep_alive {
            self.default_header(&mut head, "Connection", || "close".to_owned());
        }
        for (name, value) in &self.headers {
            push_header(&mut head, name, value);
        }
        head.push_str("\r\n");
        let mut bytes = head.into_bytes();
        let counters = self.body_counters();
        let length = Fill::Length {
            fixed: self.body.len() - counters * COUNTER.len(),
            counters,
        };
        let mut inserts = self.take_inserts(&mut bytes, &[(COUNTER, Fill::Counter), (LENGTH, length)]);
        let mut body = self.body.clone();
        let in_body = self.take_inserts(&mut body, &[(COUNTER, Fill::Counter)]);
        inserts.extend(in_body.iter().map(|insert| Insert {
            at: insert.at + bytes.len(),
            ..*insert
        }));
        bytes.extend_from_slice(&body);
        Ok(Request {
            bytes,
            inserts,
            head: self.method == "HEAD",
            status: self.status,
            body: self.expected_body,
            same_length: self.same_length,
        })
    }

    fn body_counters(&self) -> usize {
        if self.counters {
            find(&self.body, COUNTER).count()
        } else {
            0
        }
    }

    /// Takes the marks out of the bytes and tells where they were.
    fn take_inserts(&self, bytes: &mut Vec<u8>, marks: &[(&str, Fill)]) -> Vec<Insert> {
        let mut inserts = Vec::new();
        let mut at = 0;
        while self.counters && at < bytes.len() {
            let found = marks
                .iter()
                .find(|(mark, _)| bytes[at..].starts_with(mark.as_bytes()));
            let Some(&(mark, fill)) = found else {
                at += 1;
                continue;
            };
            bytes.drain(at..at + mark.len());
            inserts.push(Insert { at, fill });
        }
        inserts
    }

    fn has(&self, name: &str) -> bool {
        self.headers
            .iter()
            .any(|(given, _)| given.eq_ignore_ascii_case(name))
    }

    fn default_header(&self, head: &mut String, name: &str, value: impl FnOnce() -> String) {
        if !self.has(name) {
            push_header(head, name, &value());
        }
    }

    /// A line break in any part would smuggle a second request.
    fn check(&self) -> Result<(), Error> {
        let token = |text: &str| !text.is_empty() && text.bytes().all(is_token_byte);
        if !token(&self.method) {
            return Err(Error::BadRequest(self.method.clone()));
        }
        if self.path.is_empty() || self.path.bytes().any(|byte| byte <= b' ' || byte == 0x7f) {
            return Err(Error::BadRequest(self.path.clone()));
        }
        for (name, value) in &self.headers {
            if !token(name) || value.bytes().any(|byte| matches!(byte, b'\r' | b'\n' | 0 | 1)) {
                return Err(Error::BadRequest(format!("{name}: {value}")));
            }
        }
        Ok(())
    }
}

/// Where `mark` stands; it does not overlap itself.
fn find(bytes: &[u8], mark: &'static str) -> impl Iterator<Item = usize> {
    (0..bytes.len()).filter(move |&at| bytes[at..].starts_with(mark.as_bytes()))
}

fn push_header(head: &mut String, name: &str, value: &str) {
    head.push_str(name);
    head.push_str(": ");
    head.push_str(value);
    head.push_str("\r\n");
}

/// RFC 9110 section 5.6.2.
const fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'!' | b'#'..=b'\'' | b'*' | b'+' | b'-' | b'.' | b'^'..=b'`' | b'|' | b'~')
}

/// The requests of a mix and their order; `base` is what every one of them has, whatever else it is.
pub fn mixed(base: &RequestBuilder, mix: &Mix) -> Result<(Vec<Request>, Order), Error> {
    let request = |ask: &Ask| {
        let mut request = base
            .clone()
            .method(&ask.method)
            .path(&ask.path)
            .body(ask.body.as_bytes())
            .expect_status(ask.status.clone())
            .counters(true);
        for (name, value) in &ask.headers {
            request = request.header(name, value);
        }
        if let Some(body) = &ask.expect {
            request = request.expect_body(body.as_bytes());
        }
        request.build()
    };
    let requests = mix.asks.iter().map(request).collect::<Result<_, _>>()?;
    let weights = mix.weights.clone();
    Ok((requests, weights.map_or(Order::InTurn, Order::Weighted)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn builder() -> RequestBuilder {
        RequestBuilder::new(&Url::parse("localhost:8080/a?b=c").unwrap())
    }

    fn text(builder: RequestBuilder) -> String {
        String::from_utf8(builder.build().unwrap().bytes).unwrap()
    }

    #[test]
    fn a_get_has_the_headers_the_rfc_asks_for() {
        let version = env!("CARGO_PKG_VERSION");
        let expected = format!(
            "GET /a?b=c HTTP/1.1\r\nHost: localhost:8080\r\nUser-Agent: prony/{version}\r\nAccept: */*\r\n\r\n"
        );
        assert_eq!(text(builder()), expected);
    }

    #[test]
    fn given_headers_replace_defaults() {
        let sent = text(
            builder()
                .header("host", "x")
                .header("USER-AGENT", "y")
                .keep_alive(false),
        );
        assert!(
            sent.contains("host: x\r\n")
                && sent.contains("USER-AGENT: y\r\n")
                && sent.contains("Connection: close\r\n")
        );
        assert!(!sent.contains("prony") && !sent.contains("Host"));
    }

    #[test]
    fn a_bare_request_has_a_host_only() {
        assert_eq!(
            text(builder().bare().http10().header("X", "y")),
            "GET /a?b=c HTTP/1.0\r\nHost: localhost:8080\r\nX: y\r\n\r\n"
        );
    }

    #[test]
    fn a_body_is_announced() {
        assert!(text(builder().method("POST").body("xyz")).ends_with("Content-Length: 3\r\n\r\nxyz"));
        assert!(text(builder().method("PUT")).contains("Content-Length: 0\r\n"));
        assert!(!text(builder().method("DELETE")).contains("Content-Length"));
    }

    #[test]
    fn nothing_can_be_smuggled() {
        assert!(builder().header("a", "b\r\nc: d").build().is_err());
        assert!(builder().header("a b", "c").build().is_err());
        assert!(builder().method("GET /x HTTP/1.1\r\n").build().is_err());
        assert!(builder().path("/ HTTP/1.1").build().is_err());
    }
}
