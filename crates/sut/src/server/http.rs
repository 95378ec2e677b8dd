//! A client for single requests of the readiness check. Each has a connection of its own. It speaks HTTP/1.1, because some servers
//! refuse HTTP/1.0.

use crate::files::certificate::TlsTrust;
use rustls::{ClientConfig, ClientConnection, StreamOwned};
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

/// The largest answer in bytes that is accepted: more than any answer of a readiness check.
const LARGEST: usize = 16 << 20;

/// The time that a proxy has to connect to a server.
const TUNNEL: Duration = Duration::from_secs(5);

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

impl Exchange {
    /// Connects to a server on this machine and sends a GET request, by TLS where `trust` is given.
    pub(crate) fn begin(address: SocketAddr, path: &str, trust: Option<&TlsTrust>) -> io::Result<Self> {
        let authority = &address.to_string();
        let to = Addressed { address, host: "127.0.0.1", authority, open_tunnel: &|_| Ok(()) };
        Self::begin_with(to, path, trust)
    }

    /// Connects and sends a GET request, by TLS where `trust` is given.
    pub(crate) fn begin_with(to: Addressed<'_>, path: &str, trust: Option<&TlsTrust>) -> io::Result<Self> {
        let Addressed { address, host, authority, open_tunnel } = to;
        let mut socket = TcpStream::connect_timeout(&address, Duration::from_secs(1))?;
        socket.set_write_timeout(Some(Duration::from_secs(1)))?;
        socket.set_read_timeout(Some(TUNNEL))?;
        open_tunnel(&socket)?;
        let request = format!("GET {path} HTTP/1.1\r\nHost: {authority}\r\nConnection: close\r\n\r\n");
        let stream = match trust {
            None => {
                socket.write_all(request.as_bytes())?;
                Stream::Plain(socket)
            }
            Some(trust) => {
                let mut connection = trust.connection_to(host)?;
                // rustls keeps the request until the handshake is done, which continues while we wait for the answer.
                connection.writer().write_all(request.as_bytes())?;
                Stream::Secure(Box::new(StreamOwned::new(connection, socket)))
            }
        };
        let received = Vec::new();
        Ok(Self { stream, received })
    }

    /// Waits for at most this long, and returns the answer when it is complete.
    pub(crate) fn wait(&mut self, at_most: Duration) -> io::Result<Option<HttpReply>> {
        let mut buffer = [0; 1 << 14];
        match self.read(&mut buffer, at_most) {
            Ok(0) => parse(&self.received, true).map(Some).ok_or_else(|| io::ErrorKind::UnexpectedEof.into()),
            Ok(_) if self.received.len() > LARGEST => Err(io::ErrorKind::FileTooLarge.into()),
            Ok(count) => {
                self.received.extend_from_slice(&buffer[..count]);
                Ok(parse(&self.received, false))
            }
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {
                Ok(None)
            }
            Err(error) => Err(error),
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
}
