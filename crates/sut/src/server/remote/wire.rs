//! The protocol between prony and the prony on another host: frames of a length (four bytes, the highest first) and JSON.

use super::order::StartOrder;
use crate::tools::jdk::Jdk;
use model::units::Nanos;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::io::{self, Read, Write};
use std::net::SocketAddr;

/// The version of the protocol. Both sides are the same program, so another version means that the file there is not ours.
pub(super) const VERSION: u32 = 3;
/// The longest frame in bytes; a longer one is no frame of ours.
const LONGEST: u32 = 256 << 20;

/// A request or a reply with the number by which they belong together.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Frame<T> {
    pub(super) number: u64,
    pub(super) body: T,
}

/// What prony asks the other host for.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Request {
    /// Start this server, or look at it where it runs already.
    Start(Box<StartOrder>),
    /// Answer a question about the running server, in the words of the caller of this crate.
    Ask(Value),
    /// Tell whether the server lives, and what its log says.
    Condition,
    /// Listen for one connection that measures the link.
    Listen,
    /// Answer at once.
    Ping,
    /// Stop the server.
    Stop,
}

/// The answer of the other host.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Reply {
    /// The first frame, which nobody has asked for.
    Hello(Hello),
    /// The server gives the right answer, or its process was found where it ran already.
    Ready(Box<Ready>),
    /// The answer to a question.
    Answer(Value),
    /// How the server is.
    Condition(Condition),
    /// Where it listens for the connection that measures the link.
    Listening(SocketAddr),
    /// Done, with the wall clock of the host in nanoseconds since the epoch.
    Done(u64),
    /// It did not work.
    Failed(Failure),
}

/// How the other host introduces itself.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Hello {
    /// Its [`VERSION`].
    pub(super) protocol: u32,
    /// The model of its processors.
    pub(super) processor: String,
    /// How many of them it has.
    pub(super) cpus: u32,
    /// The release of its kernel.
    pub(super) kernel: String,
    /// The JDKs that it has.
    pub(super) jdks: Vec<Jdk>,
}

/// A server that has given the right answer.
#[derive(Debug, Serialize, Deserialize)]
pub(in crate::server) struct Ready {
    pub(in crate::server) pid: u32,
    pub(in crate::server) address: SocketAddr,
    pub(in crate::server) startup: Nanos,
    /// The TLS version and cipher suite of its first answer.
    pub(in crate::server) encryption: Option<String>,
    pub(in crate::server) body: Option<Vec<u8>>,
    /// The certificate that it presents, in PEM.
    pub(in crate::server) certificate: Option<String>,
}

/// How a server on another host is.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Condition {
    /// Whether its process lives.
    pub(super) is_alive: bool,
    /// Whether the kernel killed it because of its limit of memory; what is said of that.
    pub(super) overrun: Option<Failure>,
    /// The end of its log.
    pub(super) log: Vec<String>,
}

/// Why something did not work there.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Failure {
    pub(super) message: String,
    pub(super) hint: Option<String>,
    pub(super) log: Vec<String>,
}

/// Writes a frame.
pub(super) fn send<T: Serialize>(to: &mut impl Write, number: u64, body: T) -> io::Result<()> {
    let json = serde_json::to_vec(&Frame { number, body })?;
    let length = u32::try_from(json.len()).map_err(io::Error::other)?;
    to.write_all(&length.to_be_bytes())?;
    to.write_all(&json)?;
    to.flush()
}

/// Reads a frame.
pub(super) fn receive<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<Frame<T>> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let length = u32::from_be_bytes(length);
    if length > LONGEST {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut json = Vec::new();
    let read = from.take(u64::from(length)).read_to_end(&mut json)?;
    if read < length as usize {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(serde_json::from_slice(&json)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_read_back_and_no_other_bytes() {
        let mut bytes = Vec::new();
        send(&mut bytes, 3, Reply::Done(7)).expect("sent");
        let read: Frame<Reply> = receive(&mut bytes.as_slice()).expect("a frame");
        assert!(matches!((read.number, read.body), (3, Reply::Done(7))));
        bytes.pop();
        assert!(receive::<Reply>(&mut bytes.as_slice()).is_err(), "a frame that is cut off");
        assert!(receive::<Reply>(&mut b"Welcome to this machine".as_slice()).is_err());
    }
}
