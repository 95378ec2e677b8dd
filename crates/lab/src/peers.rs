//! [`PeerWatch`]: looks at the connections of a server in the kernel, and asks its databases what they run, again and again, wherever
//! the server is.

use crate::elsewhere::{self, Question};
use crate::statements::StatementWatch;
use probe::peers::Peers;
use record::inspection::PeersSeen;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use sut::Server;
use sut::remote::RemoteServer;

/// The mean time between two looks at the connections.
const PERIOD: Duration = Duration::from_millis(50);
/// The golden section. Multiples of it modulo 1 are spread evenly and never close to each other, so that looks do not meet the same
/// phase of something periodic.
const GOLDEN: f64 = 0.618_034;

/// A watch over the connections of a server.
pub(crate) enum PeerWatch {
    /// By threads of this process, until the sender is dropped.
    Here(Sender<()>, JoinHandle<PeersSeen>, Option<StatementWatch>),
    /// On another host.
    There(Arc<RemoteServer>),
}

impl PeerWatch {
    /// Begins to look; `None` where the kernel does not show the connections.
    pub(crate) fn begin(server: &Server) -> Option<Self> {
        if let Some(remote) = server.remote() {
            drop(elsewhere::tell(remote, Question::WatchPeers));
            return Some(Self::There(Arc::clone(remote)));
        }
        if !server.is_seen() {
            return None;
        }
        let statements = StatementWatch::begin(server);
        let peers = Peers::of(&server.processes(), server.addr().port()).ok()?;
        Some(Self::over(peers, Some(statements)))
    }

    fn over(peers: Peers, statements: Option<StatementWatch>) -> Self {
        let (end, ends) = channel();
        Self::Here(end, thread::spawn(move || watch(peers, &ends)), statements)
    }

    /// Ends it, and returns what was seen.
    pub(crate) fn end(self) -> PeersSeen {
        match self {
            Self::Here(end, watching, statements) => {
                drop(end);
                let databases = statements.map(StatementWatch::end).unwrap_or_default();
                PeersSeen { databases, ..watching.join().unwrap_or_default() }
            }
            Self::There(remote) => elsewhere::ask(&remote, Question::EndPeers).unwrap_or_default(),
        }
    }
}

/// The times between one look and the next.
pub(crate) fn pauses() -> impl Iterator<Item = Duration> {
    let phases = std::iter::successors(Some(GOLDEN), |phase| Some((phase + GOLDEN) % 1.0));
    phases.map(|phase| PERIOD.mul_f64(0.5 + phase))
}

/// Looks at the connections until the other end of the channel is dropped.
fn watch(mut peers: Peers, ends: &Receiver<()>) -> PeersSeen {
    let mut pauses = pauses();
    while peers.look().is_ok() {
        let pause = pauses.next().unwrap_or(PERIOD);
        if ends.recv_timeout(pause) != Err(RecvTimeoutError::Timeout) {
            break;
        }
    }
    peers.seen()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::net::{TcpListener, TcpStream};

    #[test]
    fn connections_are_looked_at_until_the_watch_ends() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("bound");
        let peer = listener.local_addr().expect("an address");
        let mut client = TcpStream::connect(peer).expect("connected");
        client.write_all(b"a question").expect("sent");
        let watch = PeerWatch::over(Peers::of(&[std::process::id()], 0).expect("sock_diag"), None);
        thread::sleep(4 * PERIOD);
        let seen = watch.end().by_address[&peer.to_string()];
        assert!(seen.looks >= 2, "{seen:?}");
        assert_eq!(seen.connections, u64::from(seen.looks), "{seen:?}");
    }
}
