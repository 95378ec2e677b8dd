//! A client for single requests of the readiness check. Each has a connection of its own. It speaks HTTP/1.1, because some servers
//! refuse HTTP/1.0. A server that may speak HTTP/2 only is greeted instead, and its greeting is the answer.

use crate::files::certificate::TlsTrust;
use crate::programs::spec::Expected;
use rustls::{ClientConfig, ClientConnection, StreamOwned};
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

/// The largest answer in bytes that is accepted: more than any answer of a readiness check.
const LARGEST: usize = 16 << 20;

/// The time that a proxy has to connect to a server.
const TUNNEL: Duration = Duration::from_secs(5);

/// How HTTP/2 begins on a connection whose server is known to speak it: with the client's settings, which are empty here (RFC 9113 section
/// 3.4).
const GREETING: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";
/// The type of the frame with which the server begins.
const SETTINGS: u8 = 4;

/// A complete answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HttpReply {
    pub(crate) status: u16,
    pub(crate) body: Vec<u8>,
}

/// A request that waits for its answer.
#[derive(Debug)]
pub(crate) struct Exchange {
    stream: Stream,
    received: Vec<u8>,
    /// Whether the server was greeted in HTTP/2, and nothing was requested.
    greets: bool,
}

#[derive(Debug)]
enum Stream {
    Plain(TcpStream),
    Secure(Box<StreamOwned<ClientConnection, TcpStream>>),
}

/// Whom a request goes to.
#[derive(Clone, Copy)]
pub struct Addressed<'a> {
    pub address: SocketAddr,
    /// The name or address that its certificate must have.
    pub host: &'a str,
    /// Host and port as in the `Host` header.
    pub authority: &'a str,
    /// Has a proxy connect the socket to the server, where the address is that of one.
    pub open_tunnel: &'a dyn Fn(&TcpStream) -> io::Result<()>,
}

/// A server on this machine, to which nothing but its address leads.
fn here(address: SocketAddr, authority: &str) -> Addressed<'_> {
    Addressed { address, host: "127.0.0.1", authority, open_tunnel: &|_| Ok(()) }
}

/// What is asked for by GET.
#[derive(Clone, Copy)]
pub(crate) struct Page<'a> {
    path: &'a str,
    /// Headers beside `Host` and `Connection`.
    headers: &'a [(String, String)],
}

impl<'a> From<&'a str> for Page<'a> {
    fn from(path: &'a str) -> Self {
        Self { path, headers: &[] }
    }
}

impl<'a> From<&'a Expected> for Page<'a> {
    fn from(expected: &'a Expected) -> Self {
        Self { path: &expected.path, headers: &expected.headers }
    }
}

impl Page<'_> {
    /// The request; a `Host` among its headers takes the place of `authority`.
    fn request(self, authority: &str) -> String {
        let has_host = self.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host"));
        let host = if has_host { String::new() } else { format!("Host: {authority}\r\n") };
        let is_ours = |name: &str| name.eq_ignore_ascii_case("connection");
        let headers = self.headers.iter().filter(|(name, _)| !is_ours(name));
        let headers: String = headers.map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        format!("GET {} HTTP/1.1\r\n{host}Connection: close\r\n{headers}\r\n", self.path)
    }
}

impl Stream {
    /// Connects and sends `first`, by TLS with these protocols where `trust` is given.
    fn open(
        to: Addressed<'_>,
        first: &[u8],
        trust: Option<&TlsTrust>,
        protocols: &[&[u8]],
    ) -> io::Result<Self> {
        let mut socket = TcpStream::connect_timeout(&to.address, Duration::from_secs(1))?;
        socket.set_write_timeout(Some(Duration::from_secs(1)))?;
        socket.set_read_timeout(Some(TUNNEL))?;
        (to.open_tunnel)(&socket)?;
        Ok(match trust {
            None => {
                socket.write_all(first)?;
                Self::Plain(socket)
            }
            Some(trust) => {
                let mut connection = trust.connection_to(to.host, protocols)?;
                // rustls keeps the request until the handshake is done, which continues while we wait for the answer.
                connection.writer().write_all(first)?;
                Self::Secure(Box::new(StreamOwned::new(connection, socket)))
            }
        })
    }
}

impl Exchange {
    /// Connects to a server on this machine and sends a GET request, by TLS where `trust` is given.
    pub(crate) fn begin<'a>(
        address: SocketAddr,
        page: impl Into<Page<'a>>,
        trust: Option<&TlsTrust>,
    ) -> io::Result<Self> {
        Self::begin_with(here(address, &address.to_string()), page, trust)
    }

    /// Connects to a server on this machine and greets it in HTTP/2, by TLS where `trust` is given.
    pub(crate) fn greet(address: SocketAddr, trust: Option<&TlsTrust>) -> io::Result<Self> {
        Self::greet_with(here(address, &address.to_string()), trust)
    }

    /// Connects and sends a GET request, by TLS where `trust` is given.
    pub(crate) fn begin_with<'a>(
        to: Addressed<'_>,
        page: impl Into<Page<'a>>,
        trust: Option<&TlsTrust>,
    ) -> io::Result<Self> {
        let request = page.into().request(to.authority);
        let stream = Stream::open(to, request.as_bytes(), trust, &[])?;
        Ok(Self { stream, received: Vec::new(), greets: false })
    }

    /// Connects and greets the server in HTTP/2, by TLS where `trust` is given.
    pub(crate) fn greet_with(to: Addressed<'_>, trust: Option<&TlsTrust>) -> io::Result<Self> {
        let stream = Stream::open(to, GREETING, trust, &[b"h2"])?;
        Ok(Self { stream, received: Vec::new(), greets: true })
    }

    /// Waits for at most this long, and returns the answer when it is complete.
    pub(crate) fn wait(&mut self, at_most: Duration) -> io::Result<Option<HttpReply>> {
        let mut buffer = [0; 1 << 14];
        match self.read(&mut buffer, at_most) {
            Ok(0) => self.reply(true)?.map(Some).ok_or_else(|| io::ErrorKind::UnexpectedEof.into()),
            Ok(_) if self.received.len() > LARGEST => Err(io::ErrorKind::FileTooLarge.into()),
            Ok(count) => {
                self.received.extend_from_slice(&buffer[..count]);
                self.reply(false)
            }
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// The answer so far, if it is complete; `closed` says that nothing follows.
    fn reply(&self, closed: bool) -> io::Result<Option<HttpReply>> {
        if !self.greets {
            return Ok(parse(&self.received, closed));
        }
        match is_greeting(&self.received) {
            None => Ok(None),
            Some(true) => Ok(Some(HttpReply { status: 200, body: Vec::new() })),
            Some(false) => Err(io::Error::new(io::ErrorKind::InvalidData, "it does not speak HTTP/2")),
        }
    }

    fn read(&mut self, buffer: &mut [u8], at_most: Duration) -> io::Result<usize> {
        match &mut self.stream {
            Stream::Plain(socket) => {
                socket.set_read_timeout(Some(at_most))?;
                socket.read(buffer)
            }
            Stream::Secure(stream) => {
                stream.sock.set_read_timeout(Some(at_most))?;
                stream.read(buffer)
            }
        }
    }

    /// The TLS version and cipher suite that were negotiated: `TLSv1.3 TLS_AES_256_GCM_SHA384`.
    pub(crate) fn encryption(&self) -> Option<String> {
        let Stream::Secure(stream) = &self.stream else {
            return None;
        };
        let version = format!("{:?}", stream.conn.protocol_version()?).replace('_', ".");
        let suite = format!("{:?}", stream.conn.negotiated_cipher_suite()?.suite());
        Some(format!("{version} {}", suite.replace("TLS13_", "TLS_")))
    }
}

/// Gets a page beside the load, and waits for it at most this long.
///
/// # Errors
///
/// What the system says, or [`io::ErrorKind::TimedOut`].
pub fn get(
    to: Addressed<'_>,
    path: &str,
    tls: Option<ClientConfig>,
    at_most: Duration,
) -> io::Result<(u16, Vec<u8>)> {
    let trust = tls.map(TlsTrust::from);
    let mut exchange = Exchange::begin_with(to, path, trust.as_ref())?;
    let asked = Instant::now();
    while asked.elapsed() < at_most {
        if let Some(reply) = exchange.wait(at_most)? {
            return Ok((reply.status, reply.body));
        }
    }
    Err(io::ErrorKind::TimedOut.into())
}

/// Whether a server that sends these bytes first speaks HTTP/2, which begins with its settings; `None` while they are too few.
fn is_greeting(bytes: &[u8]) -> Option<bool> {
    let &[_, _, _, kind, _, a, b, c, d] = bytes.first_chunk::<9>()?;
    Some(kind == SETTINGS && [a, b, c, d] == [0; 4])
}

/// The answer in these bytes, if it is complete; without a Content-Length it ends with the connection.
fn parse(bytes: &[u8], closed: bool) -> Option<HttpReply> {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
    let head = std::str::from_utf8(&bytes[..end]).ok()?;
    let mut lines = head.split("\r\n");
    let status = lines.next()?.strip_prefix("HTTP/1.")?.get(2..5)?.parse().ok()?;
    let headers: Vec<(&str, &str)> = lines.filter_map(|line| line.split_once(':')).collect();
    let header = |asked: &str| {
        let mut headers = headers.iter();
        let (_, value) = headers.find(|(name, _)| name.eq_ignore_ascii_case(asked))?;
        Some(value.trim())
    };
    let body = &bytes[end + 4..];
    let is_chunked = header("transfer-encoding").is_some_and(|value| value.eq_ignore_ascii_case("chunked"));
    let body = match header("content-length") {
        _ if is_chunked => unchunked(body)?,
        Some(length) => body.get(..length.parse().ok()?)?.to_vec(),
        None if closed => body.to_vec(),
        None => return None,
    };
    Some(HttpReply { status, body })
}

/// Joins the chunks of a body; `None` if the last one has not come yet. Each begins with its length in hexadecimal digits.
fn unchunked(mut bytes: &[u8]) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let end = bytes.windows(2).position(|window| window == b"\r\n")?;
        let line = std::str::from_utf8(&bytes[..end]).ok()?;
        let length = line.split(';').next()?.trim();
        let length = usize::from_str_radix(length, 16).ok()?;
        let chunk = bytes.get(end + 2..)?;
        if length == 0 {
            return Some(body);
        }
        body.extend_from_slice(chunk.get(..length)?);
        bytes = chunk.get(length + 2..)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_has_the_headers_that_its_answer_needs() {
        let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let request = |headers: &[(String, String)]| Page { path: "/a", headers }.request("h:1");
        assert_eq!(request(&[]), "GET /a HTTP/1.1\r\nHost: h:1\r\nConnection: close\r\n\r\n");
        assert_eq!(
            request(&[
                header("host", "shop"),
                header("Authorization", "Basic eDp5"),
                header("connection", "x")
            ]),
            "GET /a HTTP/1.1\r\nConnection: close\r\nhost: shop\r\nAuthorization: Basic eDp5\r\n\r\n"
        );
    }

    #[test]
    fn an_answer_is_whole_at_its_length_or_at_the_end() {
        let reply = |status, body: &[u8]| Some(HttpReply { status, body: body.to_vec() });
        let whole = b"HTTP/1.1 200 \r\nContent-Length: 5\r\n\r\nhello";
        assert_eq!(parse(whole, false), reply(200, b"hello"));
        for cut in 0..whole.len() {
            assert_eq!(parse(&whole[..cut], true), None, "cut at {cut}");
        }
        let chunked =
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\n\r\n";
        assert_eq!(parse(chunked, false), reply(200, b"hello"));
        for cut in 0..chunked.len() - b"\r\n".len() {
            assert_eq!(parse(&chunked[..cut], true), None, "cut at {cut}");
        }
        let unbounded = b"HTTP/1.0 404 Not Found\r\n\r\ngone";
        assert_eq!(parse(unbounded, false), None);
        assert_eq!(parse(unbounded, true), reply(404, b"gone"));
        assert_eq!(parse(b"220 smtp ready\r\n\r\n", true), None);
    }

    #[test]
    fn a_server_of_http2_begins_with_its_settings() {
        let settings = b"\0\0\x06\x04\0\0\0\0\0\0\x03\0\0\0\x64";
        assert_eq!((is_greeting(settings), is_greeting(&settings[..8])), (Some(true), None));
        assert_eq!(is_greeting(b"HTTP/1.1 400 Bad Request\r\n"), Some(false));
        assert_eq!(is_greeting(b"\0\0\x08\x07\0\0\0\0\0"), Some(false), "a GOAWAY");
    }
}
