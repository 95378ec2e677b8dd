//! [`OpeningHandshake`]: the handshake that makes a connection of HTTP/1.1 one of WebSocket (RFC 6455, section 4).

use aws_lc_rs::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use traffic::web_socket::WebSocketFlaw;

/// What comes behind the key before both are hashed.
const GUID: &str = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
/// The longest head of an answer, in bytes.
const MAX_HEAD: usize = 16 * 1024;
/// The most headers of an answer.
const MOST_HEADERS: usize = 128;
/// What ends a head.
const END: &[u8] = b"\r\n\r\n";

/// The answer to an opening handshake that is being received.
#[derive(Debug, Default)]
pub(super) struct OpeningHandshake {
    /// The proof that the server has to give: that it has read the key.
    accept: String,
    /// The client has offered subprotocols.
    has_offers: bool,
    /// The bytes of the answer so far.
    head: Vec<u8>,
}

impl OpeningHandshake {
    /// Begins a handshake with these random bytes, by a request that ends before the value of its key. Appends the whole request.
    pub(super) fn begin(&mut self, request: &[u8], nonce: u128, out: &mut Vec<u8>) {
        let key = STANDARD.encode(nonce.to_be_bytes());
        self.accept = STANDARD.encode(digest(&SHA1_FOR_LEGACY_USE_ONLY, format!("{key}{GUID}").as_bytes()));
        self.has_offers = headers(request).any(|name| name.eq_ignore_ascii_case(b"sec-websocket-protocol"));
        self.head.clear();
        out.extend_from_slice(request);
        out.extend_from_slice(key.as_bytes());
        out.extend_from_slice(END);
    }

    /// The proof that the server has to give.
    #[cfg(test)]
    pub(super) fn accept(&self) -> &str {
        &self.accept
    }

    /// The head of the answer.
    pub(super) fn head(&self) -> &[u8] {
        &self.head
    }

    /// Takes bytes of the answer. Returns how many belong to its head, and whether it is complete.
    pub(super) fn take(&mut self, input: &[u8]) -> Result<(usize, bool), WebSocketFlaw> {
        let before = self.head.len();
        let room = (MAX_HEAD - before).min(input.len());
        self.head.extend_from_slice(&input[..room]);
        let from = before.saturating_sub(END.len() - 1);
        let Some(at) = memchr::memmem::find(&self.head[from..], END) else {
            let is_full = self.head.len() == MAX_HEAD;
            return if is_full { Err(WebSocketFlaw::NotHttp) } else { Ok((input.len(), false)) };
        };
        self.head.truncate(from + at + END.len());
        self.check()?;
        Ok((self.head.len() - before, true))
    }

    /// Checks a complete head.
    fn check(&self) -> Result<(), WebSocketFlaw> {
        let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
        let mut response = httparse::Response::new(&mut headers);
        match response.parse(&self.head) {
            Ok(httparse::Status::Complete(_)) => {}
            Ok(httparse::Status::Partial) | Err(_) => return Err(WebSocketFlaw::NotHttp),
        }
        let status = response.code.unwrap_or_default();
        if status != 101 {
            return Err(WebSocketFlaw::Refused(status));
        }
        let values = |name: &'static str| {
            let named = response.headers.iter().filter(move |header| header.name.eq_ignore_ascii_case(name));
            named.map(|header| header.value)
        };
        let has = |name: &'static str, token: &[u8]| {
            let tokens = values(name).flat_map(|value| value.split(|&byte| byte == b','));
            tokens.map(<[u8]>::trim_ascii).any(|one| one.eq_ignore_ascii_case(token))
        };
        if !has("upgrade", b"websocket") || !has("connection", b"upgrade") {
            return Err(WebSocketFlaw::NoUpgrade);
        }
        if values("sec-websocket-accept").next() != Some(self.accept.as_bytes()) {
            return Err(WebSocketFlaw::WrongAccept);
        }
        let chooses = |name: &'static str| values(name).any(|value| !value.is_empty());
        if chooses("sec-websocket-extensions") || chooses("sec-websocket-protocol") && !self.has_offers {
            return Err(WebSocketFlaw::Unoffered);
        }
        Ok(())
    }
}

/// The names of the headers of a request.
fn headers(request: &[u8]) -> impl Iterator<Item = &[u8]> {
    request.split(|&byte| byte == b'\n').skip(1).filter_map(|line| line.split(|&byte| byte == b':').next())
}

#[cfg(test)]
mod tests {
    use super::*;

    const REQUEST: &[u8] = b"GET /chat HTTP/1.1\r\nHost: server.example.com\r\nSec-WebSocket-Key: ";
    /// The nonce and the accept of RFC 6455, section 1.3.
    const NONCE: &[u8; 16] = b"the sample nonce";
    const ACCEPT: &str = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";

    /// What becomes of a handshake with this answer, which comes in pieces of this size.
    fn answered(request: &[u8], answer: &str, size: usize) -> Result<bool, WebSocketFlaw> {
        let mut handshake = OpeningHandshake::default();
        let mut out = Vec::new();
        handshake.begin(request, u128::from_be_bytes(*NONCE), &mut out);
        assert_eq!(out, [request, b"dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"].concat());
        for piece in answer.as_bytes().chunks(size) {
            let (used, is_complete) = handshake.take(piece)?;
            if is_complete {
                assert!(handshake.head().ends_with(END) && used <= piece.len());
                return Ok(true);
            }
            assert_eq!(used, piece.len());
        }
        Ok(false)
    }

    fn answer(status: &str, headers: &[&str]) -> String {
        format!("HTTP/1.1 {status}\r\n{}\r\n\r\n", headers.join("\r\n"))
    }

    #[test]
    fn the_example_of_the_standard_is_accepted_wherever_it_is_split() {
        let accept = format!("Sec-WebSocket-Accept: {ACCEPT}");
        let right = answer(
            "101 Switching Protocols",
            &["UPGRADE: WebSocket", "connection: keep-alive, Upgrade", &accept],
        );
        for size in [1, 2, 3, 50, 1000] {
            assert_eq!(answered(REQUEST, &right, size), Ok(true), "{size}");
            assert_eq!(answered(REQUEST, &format!("{right}\x01\x02hi"), size), Ok(true), "{size}");
        }
        assert_eq!(answered(REQUEST, &right[..right.len() - 1], 7), Ok(false));
    }

    #[test]
    fn whatever_else_a_server_answers_is_refused() {
        use WebSocketFlaw::*;
        let (upgrade, connection) = ("Upgrade: websocket", "Connection: Upgrade");
        let accept = format!("Sec-WebSocket-Accept: {ACCEPT}");
        let refusal = |answer: &str| answered(REQUEST, answer, 1000);
        assert_eq!(refusal(&answer("404 Not Found", &["Content-Length: 0"])), Err(Refused(404)));
        assert_eq!(refusal("SSH-2.0-x\r\n\r\n"), Err(NotHttp));
        assert_eq!(refusal(&"x".repeat(MAX_HEAD)), Err(NotHttp));
        assert_eq!(refusal(&answer("101 x", &[connection, &accept])), Err(NoUpgrade));
        assert_eq!(refusal(&answer("101 x", &[upgrade, "Connection: close", &accept])), Err(NoUpgrade));
        assert_eq!(refusal(&answer("101 x", &[upgrade, connection])), Err(WrongAccept));
        let other = accept.to_lowercase();
        assert_eq!(refusal(&answer("101 x", &[upgrade, connection, &other])), Err(WrongAccept));
        let deflate = "Sec-WebSocket-Extensions: permessage-deflate";
        assert_eq!(refusal(&answer("101 x", &[upgrade, connection, &accept, deflate])), Err(Unoffered));
        let protocol = answer("101 x", &[upgrade, connection, &accept, "Sec-WebSocket-Protocol: stomp"]);
        assert_eq!(refusal(&protocol), Err(Unoffered));
        let offers = b"GET / HTTP/1.1\r\nsec-websocket-protocol: stomp\r\nSec-WebSocket-Key: ";
        assert_eq!(answered(offers, &protocol, 1000), Ok(true));
    }
}
