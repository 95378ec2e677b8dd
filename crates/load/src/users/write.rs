//! The bytes of a request of a session.

use super::Traffic;
use super::flat::PlacedRequest;
use super::player::World;
use super::render::Env;
use crate::web_socket::OPENING_HEADERS;
use std::io::Write as _;
use traffic::plan::Sessions;
use traffic::scenario::{BodyPart, ExprHost as _, RequestBody, Template, push_percent};
use traffic::web_socket::{Awaited, WebSocketStep};

/// Characters of the line between the parts of a multipart body.
const BOUNDARY: u32 = 24;

/// What is the same in every request of a kind: the headers that no step replaces.
#[derive(Clone, Debug, Default)]
pub(crate) struct RequestFrame {
    /// The headers of a request to the server that is loaded.
    loaded: FrameHeaders,
    /// Those of a request to another server.
    elsewhere: FrameHeaders,
    /// Whether the step has a `Content-Length` of its own.
    own_length: bool,
    /// Whether the request says that its connection carries no other one.
    pub(crate) closes: bool,
}

/// The headers that requests to a server have in common, without the `Host` that its URL gives.
#[derive(Clone, Debug, Default)]
struct FrameHeaders {
    /// With their line breaks.
    lines: Vec<u8>,
    /// Whether a `Host` or `Cookie` is given for all requests or by the step.
    own_host: bool,
    own_cookie: bool,
}

impl RequestFrame {
    /// Looks which headers the step has.
    pub(crate) fn new(placed: &PlacedRequest, sessions: &Sessions) -> Self {
        let headers = &placed.request.headers;
        let given: Vec<&str> = headers.iter().filter_map(|(name, _)| name.as_literal()).collect();
        let says_close = |(name, value): &(Template, Template)| {
            let is = |text: &Template, what: &str| {
                text.as_literal().is_some_and(|text| text.trim().eq_ignore_ascii_case(what))
            };
            is(name, "Connection") && is(value, "close")
        };
        let has = |name: &str| given.iter().any(|given| given.eq_ignore_ascii_case(name));
        let accepted = placed.request.streaming.map_or("*/*", |streaming| streaming.form.accepted());
        Self {
            closes: !placed.request.keep_alive || headers.iter().any(says_close),
            loaded: FrameHeaders::new(&given, &sessions.headers, accepted),
            elsewhere: FrameHeaders::new(&given, &[], accepted),
            own_length: has("Content-Length") || has("Transfer-Encoding"),
        }
    }

    /// The headers of a request to the server with this number.
    const fn headers(&self, server: usize) -> &FrameHeaders {
        if server == 0 { &self.loaded } else { &self.elsewhere }
    }
}

impl FrameHeaders {
    /// The headers of all requests that a step with these headers does not replace. `accepted` is what the step accepts if no header says it.
    fn new(of_step: &[&str], of_all: &[(String, String)], accepted: &str) -> Self {
        let has = |name: &str| of_step.iter().any(|given| given.eq_ignore_ascii_case(name));
        let is_of_all = |name: &str| of_all.iter().any(|(given, _)| given.eq_ignore_ascii_case(name));
        let agent = concat!("prony/", env!("CARGO_PKG_VERSION"));
        let mut lines = Vec::new();
        for (name, value) in [("User-Agent", agent), ("Accept", accepted)] {
            if !has(name) && !is_of_all(name) {
                push_header(&mut lines, name.as_bytes(), value.as_bytes());
            }
        }
        for (name, value) in of_all.iter().filter(|(name, _)| !has(name)) {
            push_header(&mut lines, name.as_bytes(), value.as_bytes());
        }
        Self {
            lines,
            own_host: has("Host") || is_of_all("Host"),
            own_cookie: has("Cookie") || is_of_all("Cookie"),
        }
    }
}

impl Env<'_> {
    /// Writes the request that was fixed for the user, the one to which a redirect leads, or the one that answers a challenge.
    pub(crate) fn write_request(&mut self, out: &mut Vec<u8>) {
        if !self.player.sending.answering.is_empty() {
            out.extend_from_slice(&self.player.sending.answering);
            return;
        }
        let shared: &Traffic = self.shared;
        let request = &shared.flat.requests[self.player.sending.request].request;
        match &request.web_socket {
            Some(WebSocketStep::Close) => {}
            // Of a message, only its content is written.
            Some(WebSocketStep::Message { .. }) => _ = self.write_body(&request.body, out),
            Some(WebSocketStep::Connect) | None => self.write_http(out),
        }
    }

    /// Writes a request of HTTP. One that opens a connection of WebSocket ends before the value of its key.
    fn write_http(&mut self, out: &mut Vec<u8>) {
        let shared: &Traffic = self.shared;
        let (number, server) = (self.player.sending.request, self.player.sending.server);
        let (request, frame) = (&shared.flat.requests[number].request, &shared.frames[number]);
        let headers = frame.headers(server);
        let follows = !self.player.sending.location.is_empty();
        let as_get = follows && self.player.sending.as_get;
        let mut body = self.world.buffers.pop().unwrap_or_default();
        body.clear();
        let mut boundary = None;
        if !as_get {
            boundary = self.write_body(&request.body, &mut body);
        }
        let begin = out.len();
        match request.method.as_literal() {
            Some("HEAD") => out.extend_from_slice(b"HEAD"),
            _ if as_get => out.extend_from_slice(b"GET"),
            _ => self.render(&request.method, out),
        }
        let is_announced = !body.is_empty() || [&b"POST"[..], b"PUT", b"PATCH"].contains(&&out[begin..]);
        out.push(b' ');
        let path_begin = out.len();
        match follows {
            true => push_path(&self.player.sending.location, out),
            false => self.write_path(&request.path, shared.base_path(server), out),
        }
        let path_end = out.len();
        out.extend_from_slice(b" HTTP/1.1\r\n");
        if !headers.own_host {
            push_header(out, b"Host", shared.servers.authority(server).as_bytes());
        }
        out.extend_from_slice(&headers.lines);
        self.write_headers(&request.headers, as_get, out);
        if let Some(boundary) = boundary {
            let line = format!("multipart/form-data; boundary={boundary}");
            push_header(out, b"Content-Type", line.as_bytes());
        }
        if is_announced && !frame.own_length {
            out.extend_from_slice(b"Content-Length: ");
            write!(out, "{}\r\n", body.len()).expect("memory can be written to");
        }
        if !request.keep_alive {
            out.extend_from_slice(b"Connection: close\r\n");
        }
        if !self.player.jar.is_empty() && !headers.own_cookie {
            self.write_cookies(path_begin..path_end, out);
        }
        if request.web_socket.is_some() {
            out.extend_from_slice(OPENING_HEADERS.as_bytes());
            return self.keep_buffer(body);
        }
        out.extend_from_slice(b"\r\n");
        out.extend_from_slice(&body);
        self.keep_buffer(body);
    }

    /// Writes the text that the message has which the fixed request awaits; nothing where any will do.
    pub(crate) fn write_awaited(&mut self, out: &mut Vec<u8>) {
        out.clear();
        let shared: &Traffic = self.shared;
        let request = &shared.flat.requests[self.player.sending.request].request;
        if let Some(WebSocketStep::Message { awaits: Awaited::Containing(text), .. }) = &request.web_socket {
            self.render(text, out);
        }
    }

    /// Writes the path of the step behind the base path of its server.
    fn write_path(&mut self, path: &Template, base: &str, out: &mut Vec<u8>) {
        out.extend_from_slice(base.as_bytes());
        let path = self.rendered(path);
        if base.is_empty() && matches!(path.first(), None | Some(b'?')) {
            out.push(b'/');
        }
        push_path(&path, out);
        self.keep_buffer(path);
    }

    /// Writes the headers of the step; without a body, headers about it are left out.
    fn write_headers(&mut self, headers: &[(Template, Template)], as_get: bool, out: &mut Vec<u8>) {
        for (name, value) in headers {
            let name = self.rendered(name);
            let is_of_body = name.len() >= 8 && name[..8].eq_ignore_ascii_case(b"content-");
            let is_sent = !(name.is_empty() || as_get && is_of_body);
            if is_sent && name.iter().all(|&byte| is_token(byte)) {
                let value = self.rendered(value);
                push_header(out, &name, &value);
                self.keep_buffer(value);
            }
            self.keep_buffer(name);
        }
    }

    fn write_cookies(&mut self, path: std::ops::Range<usize>, out: &mut Vec<u8>) {
        let mut cookies = self.world.buffers.pop().unwrap_or_default();
        cookies.clear();
        let server = self.player.sending.server;
        self.player.jar.write(server, &out[path], &mut cookies);
        if !cookies.is_empty() {
            push_header(out, b"Cookie", &cookies);
        }
        self.keep_buffer(cookies);
    }

    /// Writes a body. Returns the line between its parts, if it has parts.
    fn write_body(&mut self, body: &RequestBody, out: &mut Vec<u8>) -> Option<String> {
        match body {
            RequestBody::Nothing => None,
            RequestBody::Text(text) => {
                self.render(text, out);
                None
            }
            RequestBody::Bytes(bytes) => {
                out.extend_from_slice(bytes);
                None
            }
            RequestBody::Multipart(parts) => {
                let mut boundary = "prony".to_owned();
                for _ in 0..BOUNDARY {
                    boundary.push(char::from(b'a' + self.player.random.below(26) as u8));
                }
                for part in parts {
                    self.write_part(part, &boundary, out);
                }
                write!(out, "--{boundary}--\r\n").expect("memory can be written to");
                Some(boundary)
            }
        }
    }

    fn write_part(&mut self, part: &BodyPart, boundary: &str, out: &mut Vec<u8>) {
        write!(out, "--{boundary}\r\nContent-Disposition: form-data; name=\"")
            .expect("memory can be written to");
        self.write_quoted(&part.name, out);
        if let Some(file_name) = &part.file_name {
            out.extend_from_slice(b"\"; filename=\"");
            self.write_quoted(file_name, out);
        }
        out.extend_from_slice(b"\"\r\n");
        if let Some(content_type) = &part.content_type {
            let content_type = self.rendered(content_type);
            push_header(out, b"Content-Type", &content_type);
            self.keep_buffer(content_type);
        }
        out.extend_from_slice(b"\r\n");
        self.write_body(&part.content, out);
        out.extend_from_slice(b"\r\n");
    }

    /// Writes a name between quotes (RFC 7578 section 4.2; quotes and line breaks as browsers encode them).
    fn write_quoted(&mut self, name: &Template, out: &mut Vec<u8>) {
        let name = self.rendered(name);
        for &byte in &name {
            match byte {
                b'"' | b'\r' | b'\n' => push_percent(byte, out),
                byte => out.push(byte),
            }
        }
        self.keep_buffer(name);
    }
}

impl World {
    /// Takes memory for so many texts that are rendered at once.
    pub(crate) fn reserve(&mut self, texts: usize, bytes: usize) {
        self.buffers.extend((0..texts).map(|_| Vec::with_capacity(bytes)));
    }
}

/// Adds a header. Line breaks in its value become spaces, because they could smuggle a second request.
fn push_header(out: &mut Vec<u8>, name: &[u8], value: &[u8]) {
    out.extend_from_slice(name);
    out.extend_from_slice(b": ");
    let begin = out.len();
    out.extend_from_slice(value);
    for byte in &mut out[begin..] {
        if matches!(byte, b'\r' | b'\n' | 0) {
            *byte = b' ';
        }
    }
    out.extend_from_slice(b"\r\n");
}

/// Adds a path. What would end it, and what is no ASCII, is percent-encoded.
fn push_path(path: &[u8], out: &mut Vec<u8>) {
    for &byte in path {
        match byte {
            b'!'..=b'~' => out.push(byte),
            byte => push_percent(byte, out),
        }
    }
}

/// The first character of a rendered URL that Java's `URI` refuses: a character of ASCII that it does not allow, or a percent sign that encodes
/// nothing. It refuses brackets in a path and allows them in a query.
pub(super) fn illegal_in_url(url: &[u8]) -> Option<char> {
    let query = url.iter().position(|&byte| byte == b'?').unwrap_or(url.len());
    let is_illegal = |&(at, &byte): &(usize, &u8)| match byte {
        b'%' => url[at + 1..].iter().take(2).filter(|byte| byte.is_ascii_hexdigit()).count() < 2,
        b'[' | b']' => at < query,
        b'"' | b'<' | b'>' | b'\\' | b'^' | b'`' | b'{' | b'|' | b'}' => true,
        byte => byte <= b' ' || byte == 0x7f,
    };
    url.iter().enumerate().find(is_illegal).map(|(_, &byte)| char::from(byte))
}

/// True for the bytes of a name of a header (RFC 9110 section 5.6.2).
const fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'!' | b'#'..=b'\'' | b'*' | b'+' | b'-' | b'.' | b'^'..=b'`' | b'|' | b'~')
}
