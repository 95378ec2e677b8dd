//! [`Dialogue`]: what is said to a proxy until it has opened a connection to the server, as a value without I/O; [`open_tunnel`] says it
//! on a blocking socket, for requests beside the load.

use crate::Fault;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{IpAddr, TcpStream};
use traffic::plan::{Credentials, ProxyProtocol, Tunnel};

/// The longest head of an answer to CONNECT, bytes.
const LONGEST_HEAD: usize = 16 * 1024;
/// What ends the head of an answer.
const END: &[u8] = b"\r\n\r\n";
/// The longest name, user or password that SOCKS can send, bytes.
const LONGEST: usize = 255;

/// What is awaited from a proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Awaited {
    /// The head of the answer to CONNECT.
    Head,
    /// SOCKS: the choice of how to authenticate.
    Method,
    /// SOCKS: whether user and password are right.
    Authentication,
    /// SOCKS: the first five bytes of the answer, which tell how many follow.
    Answer,
    /// SOCKS: the rest of the answer, so many bytes.
    Rest(usize),
}

/// A conversation with a proxy. It reads no byte more than the proxy sends, because what follows is the server's.
#[derive(Debug)]
pub(crate) struct Dialogue {
    tunnel: Tunnel,
    awaited: Awaited,
    to_send: Vec<u8>,
    received: Vec<u8>,
}

impl Dialogue {
    pub(crate) fn new(tunnel: &Tunnel) -> Self {
        let (awaited, to_send) = match tunnel.protocol {
            ProxyProtocol::Http => (Awaited::Head, connect_request(tunnel)),
            ProxyProtocol::Socks5 => match tunnel.credentials {
                Some(_) => (Awaited::Method, vec![5, 2, 0, 2]),
                None => (Awaited::Method, vec![5, 1, 0]),
            },
        };
        Self { tunnel: tunnel.clone(), awaited, to_send, received: Vec::new() }
    }

    /// What has to be sent now.
    pub(crate) fn unsent(&self) -> &[u8] {
        &self.to_send
    }

    /// Notes that so many bytes of [`Dialogue::unsent`] were sent.
    pub(crate) fn sent(&mut self, count: usize) {
        self.to_send.drain(..count);
    }

    /// The most bytes that may be read now, at least 1.
    pub(crate) fn wants(&self) -> usize {
        match self.awaited {
            Awaited::Head => {
                let ends_with = |count: &usize| self.received.ends_with(&END[..*count]);
                END.len() - (1..END.len()).rev().find(ends_with).unwrap_or(0)
            }
            Awaited::Method | Awaited::Authentication => 2 - self.received.len(),
            Awaited::Answer => 5 - self.received.len(),
            Awaited::Rest(count) => count - self.received.len(),
        }
    }

    /// Takes bytes that were read, at most [`Dialogue::wants`]. Returns whether the tunnel is open.
    pub(crate) fn receive(&mut self, bytes: &[u8]) -> Result<bool, Fault> {
        self.received.extend_from_slice(bytes);
        match self.awaited {
            Awaited::Head if self.received.ends_with(END) => answer_to_connect(&self.received).map(|()| true),
            Awaited::Head if self.received.len() > LONGEST_HEAD => Err(Fault::Proxy),
            Awaited::Head => Ok(false),
            _ if self.wants() > 0 => Ok(false),
            Awaited::Rest(_) => Ok(true),
            _ => self.next().map(|()| false),
        }
    }

    /// Goes on in SOCKS after a part that has come as a whole.
    fn next(&mut self) -> Result<(), Fault> {
        let part = self.received.as_slice();
        (self.awaited, self.to_send) = match (self.awaited, part, &self.tunnel.credentials) {
            (Awaited::Method, [5, 0], _) => (Awaited::Answer, socks_request(&self.tunnel)?),
            (Awaited::Method, [5, 2], Some(who)) => (Awaited::Authentication, authentication(who)?),
            (Awaited::Authentication, [_, 0], _) => (Awaited::Answer, socks_request(&self.tunnel)?),
            // Behind the address at which the proxy has connected, there are two bytes of port.
            (Awaited::Answer, [5, 0, _, 1, _], _) => (Awaited::Rest(4 - 1 + 2), Vec::new()),
            (Awaited::Answer, [5, 0, _, 4, _], _) => (Awaited::Rest(16 - 1 + 2), Vec::new()),
            (Awaited::Answer, [5, 0, _, 3, length], _) => {
                (Awaited::Rest(usize::from(*length) + 2), Vec::new())
            }
            _ => return Err(Fault::Proxy),
        };
        self.received.clear();
        Ok(())
    }

    /// What a proxy answered that refuses, for a message.
    fn refusal(&self) -> String {
        match self.tunnel.protocol {
            ProxyProtocol::Http => {
                String::from_utf8_lossy(&self.received).lines().next().unwrap_or_default().to_owned()
            }
            ProxyProtocol::Socks5 => format!("SOCKS {:?}", self.received),
        }
    }
}

fn connect_request(tunnel: &Tunnel) -> Vec<u8> {
    let Tunnel { host, port, credentials, .. } = tunnel;
    let to = if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") };
    let mut request = format!("CONNECT {to} HTTP/1.1\r\nHost: {to}\r\n");
    if let Some(Credentials { user, password }) = credentials {
        let word = STANDARD.encode(format!("{user}:{password}"));
        request.push_str(&format!("Proxy-Authorization: Basic {word}\r\n"));
    }
    request.push_str("\r\n");
    request.into_bytes()
}

/// Whether an answer says that the tunnel is open: any status of success (RFC 9110, section 9.3.6).
fn answer_to_connect(head: &[u8]) -> Result<(), Fault> {
    let is_success = head.starts_with(b"HTTP/1.") && head.get(8..10) == Some(b" 2");
    if is_success { Ok(()) } else { Err(Fault::Proxy) }
}

fn socks_request(tunnel: &Tunnel) -> Result<Vec<u8>, Fault> {
    let mut request = vec![5, 1, 0];
    match tunnel.host.parse() {
        Ok(IpAddr::V4(address)) => {
            request.push(1);
            request.extend(address.octets());
        }
        Ok(IpAddr::V6(address)) => {
            request.push(4);
            request.extend(address.octets());
        }
        Err(_) => {
            request.push(3);
            request.extend(with_length(&tunnel.host)?);
        }
    }
    request.extend(tunnel.port.to_be_bytes());
    Ok(request)
}

/// User and password (RFC 1929).
fn authentication(who: &Credentials) -> Result<Vec<u8>, Fault> {
    Ok([vec![1], with_length(&who.user)?, with_length(&who.password)?].concat())
}

fn with_length(text: &str) -> Result<Vec<u8>, Fault> {
    let length = u8::try_from(text.len()).map_err(|_| Fault::Proxy)?;
    Ok([&[length], text.as_bytes()].concat())
}

/// Has a proxy open a tunnel on a socket that is connected to it.
///
/// # Errors
///
/// What the system says, or [`ErrorKind::PermissionDenied`] with the first line of the proxy's answer where it refuses.
pub fn open_tunnel(mut proxy: &TcpStream, tunnel: &Tunnel) -> io::Result<()> {
    let mut dialogue = Dialogue::new(tunnel);
    loop {
        proxy.write_all(dialogue.unsent())?;
        dialogue.sent(dialogue.unsent().len());
        let mut buffer = [0; LONGEST + 2];
        let count = dialogue.wants().min(buffer.len());
        let read = proxy.read(&mut buffer[..count])?;
        if read == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        match dialogue.receive(&buffer[..read]) {
            Ok(true) => return Ok(()),
            Ok(false) => {}
            Err(_) => {
                let said = format!("proxy: {}", dialogue.refusal());
                return Err(io::Error::new(ErrorKind::PermissionDenied, said));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tunnel(protocol: ProxyProtocol, host: &str, credentials: Option<(&str, &str)>) -> Tunnel {
        let credentials = credentials
            .map(|(user, password)| Credentials { user: user.to_owned(), password: password.to_owned() });
        Tunnel { protocol, host: host.to_owned(), port: 443, credentials }
    }

    /// Plays the answers of a proxy, as few bytes at a time as `step`. Returns what was sent and how it ended.
    fn play(tunnel: &Tunnel, mut answers: &[u8], step: usize) -> (Vec<u8>, Result<bool, Fault>, usize) {
        let mut dialogue = Dialogue::new(tunnel);
        let mut sent = Vec::new();
        loop {
            sent.extend_from_slice(dialogue.unsent());
            dialogue.sent(dialogue.unsent().len());
            let count = dialogue.wants().min(step).min(answers.len());
            if count == 0 {
                return (sent, Ok(false), answers.len());
            }
            let (now, later) = answers.split_at(count);
            answers = later;
            match dialogue.receive(now) {
                Ok(false) => {}
                end => return (sent, end, answers.len()),
            }
        }
    }

    #[test]
    fn connect_is_open_after_its_head_and_leaves_the_bytes_of_the_server() {
        let plain = tunnel(ProxyProtocol::Http, "shop.example", None);
        let answer = b"HTTP/1.1 200 Connection established\r\nVia: x\r\n\r\nSERVER";
        for step in [1, 3, 100] {
            let (sent, end, left) = play(&plain, answer, step);
            assert_eq!(sent, b"CONNECT shop.example:443 HTTP/1.1\r\nHost: shop.example:443\r\n\r\n");
            assert_eq!((end, left), (Ok(true), 6));
        }
        let known = tunnel(ProxyProtocol::Http, "::1", Some(("me", "secret")));
        let sent = play(&known, b"", 1).0;
        assert!(sent.starts_with(b"CONNECT [::1]:443 "), "{}", String::from_utf8_lossy(&sent));
        assert!(sent.ends_with(b"Proxy-Authorization: Basic bWU6c2VjcmV0\r\n\r\n"));
        for refused in ["HTTP/1.1 407 Who?\r\n\r\n", "HTTP/1.1 403 No\r\n\r\n", "SSH-2.0-OpenSSH\r\n\r\n"] {
            assert_eq!(play(&plain, refused.as_bytes(), 100).1, Err(Fault::Proxy), "{refused}");
        }
        assert_eq!(play(&plain, &[b'x'; LONGEST_HEAD + 2], 100).1, Err(Fault::Proxy));
    }

    #[test]
    fn socks_names_the_server_and_who_asks() {
        let named = tunnel(ProxyProtocol::Socks5, "shop.example", Some(("me", "secret")));
        let answers = [&[5, 2, 1, 0, 5, 0, 0, 1, 10, 0, 0, 5, 0, 80][..], b"SERVER"].concat();
        for step in [1, 2, 100] {
            let (sent, end, left) = play(&named, &answers, step);
            let name = [&[5, 1, 0, 3, 12][..], b"shop.example", &[1, 187]].concat();
            let all = [&[5, 2, 0, 2, 1, 2][..], b"me", &[6], b"secret", &name].concat();
            assert_eq!((sent, end, left), (all, Ok(true), 6));
        }
        let address = tunnel(ProxyProtocol::Socks5, "10.0.0.5", None);
        let answers = [&[5, 0, 5, 0, 0, 3, 2][..], b"ab", &[0, 80]].concat();
        let (sent, end, left) = play(&address, &answers, 100);
        assert_eq!((sent, end, left), (vec![5, 1, 0, 5, 1, 0, 1, 10, 0, 0, 5, 1, 187], Ok(true), 0));
        for refused in [&[5, 255][..], &[5, 2], &[4, 0], &[5, 0, 5, 5, 0, 1, 0]] {
            assert_eq!(play(&address, refused, 100).1, Err(Fault::Proxy), "{refused:?}");
        }
        assert_eq!(play(&named, &[5, 2, 1, 1], 100).1, Err(Fault::Proxy), "a wrong password");
        let long = tunnel(ProxyProtocol::Socks5, &"x".repeat(256), None);
        assert_eq!(play(&long, &[5, 0], 100).1, Err(Fault::Proxy));
    }
}
