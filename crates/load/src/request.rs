//! [`RequestBuilder`]: makes a [`Request`] from method, URL, headers and body.

use crate::web_socket::OPENING_HEADERS;
use crate::{Error, Url};
use std::ops::RangeInclusive;
use traffic::grpc::{GrpcCall, GrpcExpected, timeout_value};
use traffic::mix::{Ask, Mix};
use traffic::plan::{Fill, Insert, Order, Request};
use traffic::streaming::Streaming;
use traffic::web_socket::WebSocketStep;

/// Makes the bytes of one request. It adds `Host`, `User-Agent`, `Accept` and `Content-Length` unless these headers are
/// given; after [`RequestBuilder::bare`] it does not add `User-Agent` and `Accept`.
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
    streaming: Option<Streaming>,
    grpc: Option<GrpcExpected>,
    web_socket: Option<WebSocketStep<Vec<u8>>>,
    counters: bool,
}

/// The text that is replaced by the number of the iteration.
const COUNTER: &str = "${n}";
/// Stands in the head where the length of a body with counters is inserted. It begins with a control character that is
/// refused in headers, so it cannot occur there otherwise.
const LENGTH: &str = "\u{1}length";

impl RequestBuilder {
    /// A GET request for this URL.
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
            streaming: None,
            grpc: None,
            web_socket: None,
            counters: false,
        }
    }

    /// Sets the method; it is GET otherwise.
    pub fn method(mut self, method: &str) -> Self {
        method.clone_into(&mut self.method);
        self
    }

    /// Sets the path with its query; the default is the URL's path.
    pub fn path(mut self, path: &str) -> Self {
        path.clone_into(&mut self.path);
        self
    }

    /// Adds a header. It replaces a default header of the same name.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Sets the body.
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    /// Uses HTTP/1.0 instead of HTTP/1.1. The server then closes the connection unless a header asks it to keep it.
    pub fn http10(mut self) -> Self {
        self.version = "HTTP/1.0";
        self
    }

    /// Adds neither `User-Agent` nor `Accept`.
    pub fn bare(mut self) -> Self {
        self.bare = true;
        self
    }

    /// With false, sends `Connection: close`, so that the server closes the connection after each request.
    pub fn keep_alive(mut self, keep_alive: bool) -> Self {
        self.keep_alive = keep_alive;
        self
    }

    /// Sets the expected statuses; they are 200 to 399 otherwise.
    pub fn expect_status(mut self, status: RangeInclusive<u16>) -> Self {
        self.status = status;
        self
    }

    /// Sets the expected body; any body is expected otherwise.
    pub fn expect_body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.expected_body = Some(body.into());
        self
    }

    /// Expects every body to be as long as the first one.
    pub fn expect_same_length(mut self) -> Self {
        self.same_length = true;
        self
    }

    /// Takes the answer apart into events. Then `Accept` asks for a stream unless it is given.
    pub fn streaming(mut self, streaming: Option<Streaming>) -> Self {
        self.streaming = streaming;
        self
    }

    /// Calls a method of gRPC, which the path names. The headers of such a call are added unless they are given, and the body is its
    /// message.
    pub fn grpc(self, call: &GrpcCall) -> Self {
        let call_of = Self { grpc: Some(call.expected), ..self };
        call_of.method("POST").body(call.body.as_slice()).expect_status(200..=200)
    }

    /// Is a message of WebSocket, whose content is the body; see [`RequestBuilder::opening`] for the request that opens its connection.
    pub fn message(self, step: WebSocketStep<Vec<u8>>) -> Self {
        Self { web_socket: Some(step), ..self }.expect_status(101..=101)
    }

    /// Makes the request that opens a connection of WebSocket, up to the value of its `Sec-WebSocket-Key`: see [`Plan::opening`].
    ///
    /// # Errors
    ///
    /// Those of [`RequestBuilder::build`].
    ///
    /// [`Plan::opening`]: traffic::plan::Plan::opening
    pub fn opening(self) -> Result<Vec<u8>, Error> {
        let request = Self {
            body: Vec::new(),
            web_socket: None,
            streaming: None,
            counters: false,
            keep_alive: true,
            ..self
        };
        let mut bytes = request.method("GET").build()?.bytes;
        bytes.truncate(bytes.len() - "\r\n".len());
        bytes.extend_from_slice(OPENING_HEADERS.as_bytes());
        Ok(bytes)
    }

    /// With true, every `${n}` in path, header values and body is replaced by the number of the iteration.
    pub fn counters(mut self, counters: bool) -> Self {
        self.counters = counters;
        self
    }

    /// Makes the request: its bytes, and what the expected response looks like.
    ///
    /// # Errors
    ///
    /// [`Error::BadRequest`] when method, path or a header would break the framing.
    pub fn build(self) -> Result<Request, Error> {
        self.check()?;
        if let Some(step) = &self.web_socket {
            return Ok(self.content(step));
        }
        let mut head = format!("{} {} {}\r\n", self.method, self.path, self.version);
        self.default_header(&mut head, "Host", || self.authority.clone());
        if !self.bare {
            self.default_header(&mut head, "User-Agent", || {
                concat!("prony/", env!("CARGO_PKG_VERSION")).to_owned()
            });
        }
        match &self.grpc {
            Some(expected) => self.call_headers(&mut head, expected),
            None => self.body_headers(&mut head),
        }
        if !self.keep_alive {
            self.default_header(&mut head, "Connection", || "close".to_owned());
        }
        for (name, value) in &self.headers {
            push_header(&mut head, name, value);
        }
        head.push_str("\r\n");
        let mut bytes = head.into_bytes();
        let counters = self.count_body_counters();
        let length = Fill::Length { fixed: self.body.len() - counters * COUNTER.len(), counters };
        let mut inserts = self.extract_inserts(&mut bytes, &[(COUNTER, Fill::Counter), (LENGTH, length)]);
        let mut body = self.body.clone();
        let in_body = self.extract_inserts(&mut body, &[(COUNTER, Fill::Counter)]);
        inserts.extend(in_body.iter().map(|insert| Insert { at: insert.at + bytes.len(), ..*insert }));
        bytes.extend_from_slice(&body);
        Ok(Request {
            bytes,
            inserts,
            head: self.method == "HEAD",
            status: self.status,
            body: self.expected_body,
            same_length: self.same_length,
            streaming: self.streaming,
            grpc: self.grpc,
            web_socket: None,
        })
    }

    /// The request that is a message: its content without a head.
    fn content(&self, step: &WebSocketStep<Vec<u8>>) -> Request {
        let mut bytes = self.body.clone();
        let inserts = self.extract_inserts(&mut bytes, &[(COUNTER, Fill::Counter)]);
        Request {
            bytes,
            inserts,
            head: false,
            status: self.status.clone(),
            body: None,
            same_length: false,
            streaming: self.streaming,
            grpc: None,
            web_socket: Some(step.clone()),
        }
    }

    /// Adds the headers that say which body is accepted and how long the one that is sent is.
    fn body_headers(&self, head: &mut String) {
        if !self.bare {
            let accepted = self.streaming.map_or("*/*", |streaming| streaming.form.accepted());
            self.default_header(head, "Accept", || accepted.to_owned());
        }
        let announces = !self.body.is_empty() || matches!(self.method.as_str(), "POST" | "PUT" | "PATCH");
        if announces && !self.has_header("Transfer-Encoding") {
            let counted = self.count_body_counters() > 0;
            self.default_header(head, "Content-Length", || match counted {
                true => LENGTH.to_owned(),
                false => self.body.len().to_string(),
            });
        }
    }

    /// Adds the headers of a call of gRPC, as its clients send them: with neither `Accept` nor a length.
    fn call_headers(&self, head: &mut String, expected: &GrpcExpected) {
        self.default_header(head, "Content-Type", || "application/grpc".to_owned());
        self.default_header(head, "TE", || "trailers".to_owned());
        if let Some(deadline) = expected.deadline {
            self.default_header(head, "grpc-timeout", || timeout_value(deadline));
        }
    }

    /// The number of counters in the body.
    fn count_body_counters(&self) -> usize {
        if self.counters { find(&self.body, COUNTER).count() } else { 0 }
    }

    /// Removes the marks from the bytes, and returns the positions at which they were. Does nothing without counters.
    fn extract_inserts(&self, bytes: &mut Vec<u8>, marks: &[(&str, Fill)]) -> Vec<Insert> {
        let mut inserts = Vec::new();
        let mut at = 0;
        while self.counters && at < bytes.len() {
            let mark_here = marks.iter().find(|(mark, _)| bytes[at..].starts_with(mark.as_bytes()));
            let Some(&(mark, fill)) = mark_here else {
                at += 1;
                continue;
            };
            bytes.drain(at..at + mark.len());
            inserts.push(Insert { at, fill });
        }
        inserts
    }

    fn has_header(&self, name: &str) -> bool {
        self.headers.iter().any(|(given, _)| given.eq_ignore_ascii_case(name))
    }

    /// Adds a header to the head unless one of this name is given.
    fn default_header(&self, head: &mut String, name: &str, value: impl FnOnce() -> String) {
        if !self.has_header(name) {
            push_header(head, name, &value());
        }
    }

    /// Refuses parts that would break the framing: a line break in one of them could smuggle a second request.
    fn check(&self) -> Result<(), Error> {
        let is_token = |text: &str| !text.is_empty() && text.bytes().all(is_token_byte);
        if !is_token(&self.method) {
            return Err(Error::BadRequest(self.method.clone()));
        }
        if self.path.is_empty() || self.path.bytes().any(|byte| byte <= b' ' || byte == 0x7f) {
            return Err(Error::BadRequest(self.path.clone()));
        }
        for (name, value) in &self.headers {
            if !is_token(name) || value.bytes().any(|byte| matches!(byte, b'\r' | b'\n' | 0 | 1)) {
                return Err(Error::BadRequest(format!("{name}: {value}")));
            }
        }
        Ok(())
    }
}

/// The positions of `mark`, a text that cannot overlap itself.
fn find(bytes: &[u8], mark: &'static str) -> impl Iterator<Item = usize> {
    (0..bytes.len()).filter(move |&at| bytes[at..].starts_with(mark.as_bytes()))
}

fn push_header(head: &mut String, name: &str, value: &str) {
    head.push_str(name);
    head.push_str(": ");
    head.push_str(value);
    head.push_str("\r\n");
}

/// True for the bytes of a token (RFC 9110 section 5.6.2), as methods and names of headers are.
const fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'!' | b'#'..=b'\'' | b'*' | b'+' | b'-' | b'.' | b'^'..=b'`' | b'|' | b'~')
}

/// Makes the requests of a mix, and their order. `base` is a request from which each takes what the mix does not set.
///
/// # Errors
///
/// Those of [`RequestBuilder::build`].
pub fn mixed(base: &RequestBuilder, mix: &Mix) -> Result<(Vec<Request>, Order), Error> {
    let request = |ask: &Ask| {
        let mut request = base
            .clone()
            .method(&ask.method)
            .path(&ask.path)
            .body(ask.body.as_bytes())
            .expect_status(ask.status.clone())
            .streaming(ask.streaming)
            .counters(ask.grpc.is_none());
        for (name, value) in &ask.headers {
            request = request.header(name, value);
        }
        if let Some(body) = &ask.expect {
            request = request.expect_body(body.as_bytes());
        }
        if let Some(call) = &ask.grpc {
            request = request.grpc(call);
        }
        if let Some(step) = &ask.web_socket {
            request = request.message(step.map(|text| text.clone().into_bytes()));
        }
        request.build()
    };
    let requests = mix.asks.iter().map(request).collect::<Result<_, _>>()?;
    let weights = mix.weights.clone();
    Ok((requests, weights.map_or(Order::InTurn, Order::Weighted)))
}

/// Makes the request that opens each connection of a mix whose requests are messages of WebSocket; `None` for any other mix. All of them have
/// the same path and headers.
///
/// # Errors
///
/// Those of [`RequestBuilder::build`].
pub fn opening_of(base: &RequestBuilder, mix: &Mix) -> Result<Option<Vec<u8>>, Error> {
    let Some(ask) = mix.asks.iter().find(|ask| ask.web_socket.is_some()) else {
        return Ok(None);
    };
    let mut request = base.clone().path(&ask.path);
    for (name, value) in &ask.headers {
        request = request.header(name, value);
    }
    request.opening().map(Some)
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
    fn a_get_request_has_the_default_headers() {
        let version = env!("CARGO_PKG_VERSION");
        let expected = format!(
            "GET /a?b=c HTTP/1.1\r\nHost: localhost:8080\r\nUser-Agent: prony/{version}\r\nAccept: */*\r\n\r\n"
        );
        assert_eq!(text(builder()), expected);
    }

    #[test]
    fn given_headers_replace_defaults() {
        let sent = text(builder().header("host", "x").header("USER-AGENT", "y").keep_alive(false));
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
    fn a_body_is_announced_by_content_length() {
        assert!(text(builder().method("POST").body("xyz")).ends_with("Content-Length: 3\r\n\r\nxyz"));
        assert!(text(builder().method("PUT")).contains("Content-Length: 0\r\n"));
        assert!(!text(builder().method("DELETE")).contains("Content-Length"));
    }

    #[test]
    fn a_call_of_grpc_has_the_headers_of_its_clients() {
        let deadline = Some(model::units::Nanos::from_millis(500));
        let expected = GrpcExpected { deadline, ..GrpcExpected::default() };
        let call = GrpcCall { body: traffic::grpc::prefixed(b"${n}"), expected };
        let of_call = builder().path("/shop.Orders/Place").header("x-user", "7").grpc(&call);
        let version = env!("CARGO_PKG_VERSION");
        let head = format!(
            "POST /shop.Orders/Place HTTP/1.1\r\nHost: localhost:8080\r\nUser-Agent: prony/{version}\r\n\
             Content-Type: application/grpc\r\nTE: trailers\r\ngrpc-timeout: 500m\r\nx-user: 7\r\n\r\n"
        );
        let request = of_call.clone().build().unwrap();
        assert_eq!(request.bytes, [head.as_bytes(), b"\0\0\0\0\x04${n}"].concat());
        assert_eq!((request.status, request.grpc, request.inserts.len()), (200..=200, Some(expected), 0));
        let other = of_call.header("content-type", "application/grpc+proto");
        assert!(text(other).matches("application/grpc").count() == 1);
    }

    #[test]
    fn a_message_has_no_head_and_its_connection_is_opened_by_a_get() {
        use traffic::web_socket::{Awaited, MessageForm};
        let step = WebSocketStep::Message { sends: Some(MessageForm::Text), awaits: Awaited::Echo };
        let base = builder().path("/echo").header("Cookie", "a=b");
        let message = base.clone().body("hello ${n}").counters(true).message(step.clone()).build().unwrap();
        let insert = Insert { at: 6, fill: Fill::Counter };
        assert_eq!((message.bytes.as_slice(), message.inserts), (&b"hello "[..], vec![insert]));
        assert_eq!((message.status, message.web_socket), (101..=101, Some(step)));
        let version = env!("CARGO_PKG_VERSION");
        let opening = format!(
            "GET /echo HTTP/1.1\r\nHost: localhost:8080\r\nUser-Agent: prony/{version}\r\nAccept: */*\r\nCookie: a=b\r\n\
             Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "
        );
        assert_eq!(String::from_utf8(base.clone().body("x").opening().unwrap()).unwrap(), opening);
        assert!(base.header("x", "a\r\nb").opening().is_err());
    }

    #[test]
    fn parts_that_would_smuggle_a_request_are_refused() {
        assert!(builder().header("a", "b\r\nc: d").build().is_err());
        assert!(builder().header("a b", "c").build().is_err());
        assert!(builder().method("GET /x HTTP/1.1\r\n").build().is_err());
        assert!(builder().path("/ HTTP/1.1").build().is_err());
    }
}
