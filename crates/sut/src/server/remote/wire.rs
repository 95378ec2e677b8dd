//! The protocol between prony and the prony on another host: frames of a length (four bytes, the highest first) and JSON.

use model::arm::settings::Settings;
use model::outcome::Effective;
use model::units::{Bytes, Nanos};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{self, Read, Write};

/// The version of the protocol.
pub(super) const VERSION: u32 = 1;
/// The longest frame in bytes; a longer one is no frame of ours.
const LONGEST: u32 = 64 << 20;

/// What prony asks the other host for.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Request {
    /// Start this server.
    Start(Box<StartOrder>),
    /// Read the CPU time of the server.
    Cpu,
    /// Tell what is known about the server.
    Facts,
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
    /// The server gives the right answer.
    Ready(Ready),
    /// The CPU time of all its processes.
    Cpu(Nanos),
    /// What is known about the server.
    Facts(Box<RemoteFacts>),
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
    /// What the report says about the host.
    pub(super) machine: String,
    /// The releases of the JDKs that it has.
    pub(super) javas: Vec<u32>,
}

/// A server to start.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct StartOrder {
    pub(super) server: String,
    /// The name of the folder of the distribution, in the folder of the host.
    pub(super) home: String,
    /// The name of the folder with the application.
    pub(super) war: String,
    pub(super) migrates: bool,
    pub(super) label: Option<String>,
    pub(super) settings: Settings,
    pub(super) environment: BTreeMap<String, String>,
    pub(super) heap: Bytes,
    pub(super) processors: Option<u32>,
    /// The other options of the JVM.
    pub(super) options: Vec<String>,
    pub(super) java: u32,
    pub(super) path: String,
    pub(super) body: Option<Vec<u8>>,
    pub(super) timeout_s: u64,
    pub(super) seed: u64,
}

/// A server that has given the right answer.
#[derive(Debug, Serialize, Deserialize)]
pub(in crate::server) struct Ready {
    pub(in crate::server) pid: u32,
    pub(in crate::server) address: std::net::SocketAddr,
    pub(in crate::server) startup: Nanos,
    pub(in crate::server) body: Option<Vec<u8>>,
    pub(in crate::server) jdk: String,
}

/// What the other host knows about a server.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct RemoteFacts {
    /// The settings in effect.
    pub effective: Effective,
    /// Its counters since its start.
    pub counters: BTreeMap<String, f64>,
    /// The peak of its memory.
    pub peak_memory: u64,
    /// Its log so far.
    pub log: String,
}

/// Why something did not work there.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Failure {
    pub(super) message: String,
    pub(super) log: Vec<String>,
}

/// Writes a frame.
pub(super) fn send<T: Serialize>(to: &mut impl Write, value: &T) -> io::Result<()> {
    let json = serde_json::to_vec(value)?;
    let length = u32::try_from(json.len()).map_err(io::Error::other)?;
    to.write_all(&length.to_be_bytes())?;
    to.write_all(&json)?;
    to.flush()
}

/// Reads a frame.
pub(super) fn receive<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<T> {
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
        send(&mut bytes, &Reply::Done(7)).expect("sent");
        let read: Reply = receive(&mut bytes.as_slice()).expect("a frame");
        assert!(matches!(read, Reply::Done(7)), "{read:?}");
        bytes.pop();
        assert!(
            receive::<Reply>(&mut bytes.as_slice()).is_err(),
            "a frame that is cut off"
        );
        assert!(receive::<Reply>(&mut b"Welcome to this machine".as_slice()).is_err());
    }
}
