//! [`Peers`]: the connections that a server has opened itself, to databases, caches and other services, and on how many of
//! them it waits for an answer.
//!
//! The kernel knows this of every program, whatever its threads do: also of clients that wait without a
//! thread, as `java.net.http`, WebFlux and Lettuce do.

use crate::answers::Answers;
use crate::netlink::{Asked, Sockets, port_at, u32_at};
use crate::{Error, process, tcp};
use model::units::{Bytes, Count};
use record::inspection::{IoCalls, PeerSeen, PeersSeen};
use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// Established connections with their `struct tcp_info` (`INET_DIAG_INFO` is 2), and listeners.
const CONNECTIONS_AND_LISTENERS: Asked = Asked { states: 1 << 1 | 1 << LISTEN, extensions: 1 << 1 };
/// The state of a listener, `TCP_LISTEN`.
const LISTEN: u8 = 10;
/// The type of the attribute that holds `struct tcp_info`.
const INFO: u16 = 2;
/// Length of `struct inet_diag_msg`, behind which attributes begin.
const MESSAGE: usize = 72;
/// Offsets in `struct inet_diag_msg`: its family and state, the two ports, the other address, bytes that were received and not
/// yet read (of a listener: connections that it has yet to accept), and the number of the socket.
const FAMILY: usize = 0;
const STATE: usize = 1;
const LOCAL_PORT: usize = 4;
const PORT: usize = 6;
const ADDRESS: usize = 24;
const UNREAD: usize = 56;
const INODE: usize = 68;
/// Offsets in `struct tcp_info` (linux/tcp.h): segments that are not yet acknowledged, milliseconds since data was sent, data was
/// received and an acknowledgement was received last, bytes that were acknowledged and received, and segments with data that were
/// received and sent.
const UNACKNOWLEDGED: usize = 24;
const LAST_SENT: usize = 44;
const LAST_RECEIVED: usize = 52;
const LAST_ACKNOWLEDGED: usize = 56;
const BYTES_ACKED: usize = 120;
const BYTES_RECEIVED: usize = 128;
const DATA_SEGMENTS_IN: usize = 152;
const DATA_SEGMENTS: usize = 156;
/// The value of `AF_INET`.
const IPV4: u8 = 2;

/// A connection at one look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Connection {
    peer: SocketAddr,
    local_port: u16,
    inode: u32,
    /// Whether the program sent last, and has received nothing since.
    is_awaiting: bool,
    /// Bytes sent and received since it was opened.
    bytes: [u64; 2],
    /// Segments with data sent and received since it was opened.
    segments: [u64; 2],
}

/// The connections of a server, looked at again and again.
#[derive(Debug)]
pub struct Peers {
    sockets: Sockets,
    pids: Vec<u32>,
    /// The port on which the server itself answers requests: connections to it are not its own.
    port: u16,
    /// The sockets of the server, and sockets known to belong to others, such as the generator.
    ours: HashSet<u32>,
    strange: HashSet<u32>,
    /// The first and the last look at each connection.
    counted: HashMap<u32, [Connection; 2]>,
    seen: BTreeMap<SocketAddr, PeerSeen>,
    /// Connections that were opened in the network namespace, up to the first look and up to the last.
    opened: Option<[u64; 2]>,
    /// Calls of the server that read or wrote, up to the first look and up to the last.
    calls: Option<[IoCalls; 2]>,
    /// Connections that the server had yet to accept, summed over looks.
    queued: u64,
    looks: u32,
    /// The answers that pass; `None` where the kernel does not show them.
    answers: Option<Answers>,
}

impl Peers {
    /// Those of the processes of a server, which listens on `port`. The first of `pids` is its leader.
    ///
    /// # Errors
    /// [`Error::SockDiag`] when the kernel does not have sock_diag or forbids it; [`Error::Proc`] when the leader has ended.
    pub fn of(pids: &[u32], port: u16) -> Result<Self, Error> {
        Ok(Self {
            sockets: Sockets::around(pids.first().copied().unwrap_or_default())?,
            pids: pids.to_vec(),
            port,
            ours: HashSet::new(),
            strange: HashSet::new(),
            counted: HashMap::new(),
            seen: BTreeMap::new(),
            opened: None,
            calls: None,
            queued: 0,
            looks: 0,
            answers: pids.first().and_then(|pid| Answers::around(*pid, port).ok()),
        })
    }

    /// Looks at all connections once.
    ///
    /// # Errors
    /// [`Error::SockDiag`] when the kernel refuses the request.
    pub fn look(&mut self) -> Result<(), Error> {
        let mut all = Vec::new();
        let mut queued = 0;
        // What it accepts at other ports, as for its management, is not its own either.
        let mut listening = HashSet::from([self.port]);
        self.sockets.for_each(CONNECTIONS_AND_LISTENERS, &mut |socket| {
            if socket.get(STATE) == Some(&LISTEN) {
                let port = port_at(socket, LOCAL_PORT)?;
                queued += if port == self.port { u64::from(u32_at(socket, UNREAD)?) } else { 0 };
                listening.insert(port);
            } else {
                all.push(parse(socket)?);
            }
            Some(())
        })?;
        all.retain(|connection| !listening.contains(&connection.local_port));
        // Whose a socket is, only its process tells, and asking takes long where there are many.
        let is_known = |inode: &u32| self.ours.contains(inode) || self.strange.contains(inode);
        if !all.iter().all(|connection| is_known(&connection.inode)) {
            self.ours = self.pids.iter().flat_map(|pid| inodes(*pid)).collect();
            let inodes = all.iter().map(|connection| connection.inode);
            self.strange = inodes.filter(|inode| !self.ours.contains(inode)).collect();
        }
        all.retain(|connection| self.ours.contains(&connection.inode));
        self.count(&all);
        self.answers.iter_mut().for_each(Answers::look);
        self.queued += queued;
        if let Some(opened) = self.pids.first().and_then(|pid| tcp::opened(*pid)) {
            self.opened.get_or_insert([opened; 2])[1] = opened;
        }
        if let Some(calls) = calls_of(&self.pids) {
            self.calls.get_or_insert([calls; 2])[1] = calls;
        }
        Ok(())
    }

    fn count(&mut self, connections: &[Connection]) {
        self.looks += 1;
        let mut now: BTreeMap<SocketAddr, [u64; 2]> = BTreeMap::new();
        for connection in connections {
            let [open, awaiting] = now.entry(connection.peer).or_default();
            *open += 1;
            *awaiting += u64::from(connection.is_awaiting);
            let is_known = self.counted.contains_key(&connection.inode);
            let begin = match self.looks {
                1 => *connection,
                _ => Connection { bytes: [0; 2], segments: [0; 2], ..*connection },
            };
            self.counted.entry(connection.inode).or_insert([begin, *connection])[1] = *connection;
            self.seen.entry(connection.peer).or_default().fresh += u64::from(self.looks > 1 && !is_known);
        }
        for (peer, [open, awaiting]) in now {
            let seen = self.seen.entry(peer).or_default();
            seen.connections += open;
            seen.awaiting += awaiting;
            let free = open - awaiting;
            seen.fewest_free = match open.cmp(&seen.most) {
                std::cmp::Ordering::Greater => free,
                std::cmp::Ordering::Equal => seen.fewest_free.min(free),
                std::cmp::Ordering::Less => seen.fewest_free,
            };
            seen.most = seen.most.max(open);
        }
    }

    /// What was seen.
    pub fn seen(mut self) -> PeersSeen {
        for [first, last] in self.counted.values() {
            let seen = self.seen.entry(last.peer).or_default();
            let segments = |way: usize| last.segments[way].saturating_sub(first.segments[way]);
            seen.sent += segments(0);
            seen.received += segments(1);
            for (sum, way) in seen.bytes.iter_mut().zip(0..) {
                *sum += last.bytes[way].saturating_sub(first.bytes[way]);
            }
        }
        let looks = self.looks;
        let answered = self.answers.map(|answers| answers.of(self.seen.keys())).unwrap_or_default();
        let named = |(peer, seen): (SocketAddr, PeerSeen)| (peer.to_string(), PeerSeen { looks, ..seen });
        PeersSeen {
            by_address: self.seen.into_iter().map(named).collect(),
            opened: self.opened.map(|[first, last]| last.saturating_sub(first)),
            calls: self.calls.map(|[first, last]| calls_between(first, last)),
            queued: Count(self.queued as f64 / f64::from(looks.max(1))),
            answered,
            ..PeersSeen::default()
        }
    }
}

/// The calls of these processes that have read or written; `None` where the kernel does not count them.
fn calls_of(pids: &[u32]) -> Option<IoCalls> {
    let all = pids.iter().filter_map(|pid| process::io_calls(*pid));
    all.reduce(|one, other| IoCalls {
        reads: one.reads + other.reads,
        read: Bytes(one.read.0 + other.read.0),
        writes: one.writes + other.writes,
        written: Bytes(one.written.0 + other.written.0),
    })
}

/// The calls from one moment to a later one. A process that has ended meanwhile takes its calls with it.
const fn calls_between(first: IoCalls, last: IoCalls) -> IoCalls {
    IoCalls {
        reads: last.reads.saturating_sub(first.reads),
        read: Bytes(last.read.0.saturating_sub(first.read.0)),
        writes: last.writes.saturating_sub(first.writes),
        written: Bytes(last.written.0.saturating_sub(first.written.0)),
    }
}

/// The sockets that a process has open; empty when it has ended.
fn inodes(pid: u32) -> Vec<u32> {
    let Ok(descriptors) = fs::read_dir(format!("/proc/{pid}/fd")) else {
        return Vec::new();
    };
    let targets = descriptors.filter_map(|descriptor| fs::read_link(descriptor.ok()?.path()).ok());
    let inode = |target: std::path::PathBuf| {
        let number = target.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?;
        number.parse().ok()
    };
    targets.filter_map(inode).collect()
}

/// Reads a `struct inet_diag_msg` with its attributes; `None` when it is too short.
fn parse(socket: &[u8]) -> Option<Connection> {
    let info = attribute(socket.get(MESSAGE..)?, INFO).unwrap_or_default();
    let unread = u32_at(socket, UNREAD)?;
    Some(Connection {
        peer: SocketAddr::new(address(socket)?, port_at(socket, PORT)?),
        local_port: port_at(socket, LOCAL_PORT)?,
        inode: u32_at(socket, INODE)?,
        is_awaiting: unread == 0 && sent_last(info),
        bytes: [BYTES_ACKED, BYTES_RECEIVED].map(|at| u64_at(info, at).unwrap_or(0)),
        segments: [DATA_SEGMENTS, DATA_SEGMENTS_IN].map(|at| u64::from(u32_at(info, at).unwrap_or(0))),
    })
}

/// Whether the program sent last, by its `struct tcp_info`. The kernel tells times by its clock ticks of up to 10 ms. Where it sent in
/// the tick in which it had received, what it sent is not acknowledged yet, or that came later than what it had received, because an
/// answer acknowledges its question itself; or it has sent one segment more than it has received, as with small questions and
/// answers. A question that is acknowledged at once and follows a long answer in the same tick is missed.
fn sent_last(info: &[u8]) -> bool {
    let number = |at: usize| u32_at(info, at).unwrap_or(0);
    let received = number(LAST_RECEIVED);
    match number(LAST_SENT).cmp(&received) {
        Ordering::Less => true,
        Ordering::Equal => {
            let one_more = number(DATA_SEGMENTS) == number(DATA_SEGMENTS_IN) + 1;
            number(UNACKNOWLEDGED) > 0 || number(LAST_ACKNOWLEDGED) < received || one_more
        }
        Ordering::Greater => false,
    }
}

/// The address of the other side. One of IPv4 that a socket of IPv6 holds is shown as what it is.
fn address(socket: &[u8]) -> Option<IpAddr> {
    let bytes = socket.get(ADDRESS..)?;
    Some(match socket.get(FAMILY).copied()? {
        IPV4 => Ipv4Addr::from(*bytes.first_chunk::<4>()?).into(),
        _ => IpAddr::from(Ipv6Addr::from(*bytes.first_chunk::<16>()?)).to_canonical(),
    })
}

/// The content of the attribute of this type; `None` when there is none.
fn attribute(mut bytes: &[u8], wanted: u16) -> Option<&[u8]> {
    while bytes.len() >= 4 {
        let length = usize::from(u16::from_ne_bytes([bytes[0], bytes[1]]));
        let kind = u16::from_ne_bytes([bytes[2], bytes[3]]);
        let content = bytes.get(4..length)?;
        if kind == wanted {
            return Some(content);
        }
        bytes = bytes.get(length.next_multiple_of(4)..).unwrap_or_default();
    }
    None
}

/// The number in native byte order at this offset; `None` beyond the end.
fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_ne_bytes(*bytes.get(at..)?.first_chunk()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};
    use std::thread::sleep;
    use std::time::Duration;

    #[test]
    fn a_connection_awaits_an_answer_from_its_question_on() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("bound");
        let peer = listener.local_addr().expect("an address");
        let mut clients = [(); 3].map(|()| TcpStream::connect(peer).expect("connected"));
        let mut servers = [(); 3].map(|()| listener.accept().expect("accepted").0);
        // All three have had an answer. The kernel counts in milliseconds, and rounds to its clock ticks.
        for (client, server) in clients.iter_mut().zip(&mut servers) {
            client.write_all(b"ask").expect("sent");
            server.read_exact(&mut [0; 3]).expect("received");
            sleep(Duration::from_millis(20));
            server.write_all(b"answer").expect("sent");
            client.read_exact(&mut [0; 6]).expect("received");
        }
        sleep(Duration::from_millis(20));
        let mut peers = Peers::of(&[std::process::id()], 0).expect("sock_diag");
        peers.look().expect("a look");
        clients[0].write_all(b"ask").expect("sent");
        clients[1].write_all(b"ask").expect("sent");
        servers[1].write_all(b"early").expect("sent"); // It is there and was not read: the client is slow, not the peer.
        sleep(Duration::from_millis(20));
        peers.look().expect("a look");
        let seen = peers.seen().by_address[&peer.to_string()];
        assert_eq!((seen.looks, seen.connections, seen.awaiting), (2, 6, 1));
        assert_eq!((seen.most, seen.fewest_free), (3, 2));
        assert_eq!((seen.sent, seen.received, seen.fresh), (2, 1, 0));
        // A question counts once it is acknowledged, which may take 40 ms.
        assert!([3, 6].contains(&seen.bytes[0]) && seen.bytes[1] == 5, "{seen:?}");
    }

    #[test]
    fn a_question_right_behind_an_answer_is_awaited() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("bound");
        let peer = listener.local_addr().expect("an address");
        let mut client = TcpStream::connect(peer).expect("connected");
        let (mut server, _) = listener.accept().expect("accepted");
        let awaited = || {
            let mut peers = Peers::of(&[std::process::id()], 0).expect("sock_diag");
            peers.look().expect("a look");
            peers.seen().by_address[&peer.to_string()].awaiting
        };
        let ask = |client: &mut TcpStream, server: &mut TcpStream| {
            client.write_all(b"ask").expect("sent");
            server.read_exact(&mut [0; 3]).expect("received");
        };
        let answer = |client: &mut TcpStream, server: &mut TcpStream| {
            server.write_all(b"answer").expect("sent");
            client.read_exact(&mut [0; 6]).expect("received");
        };
        // The kernel acknowledges the first segments of a connection at once.
        for _ in 0..20 {
            ask(&mut client, &mut server);
            answer(&mut client, &mut server);
        }
        assert_eq!(awaited(), 0, "answered at once");
        for millis in 1..=5 {
            ask(&mut client, &mut server);
            sleep(Duration::from_millis(millis));
            assert_eq!(awaited(), 1, "{millis} ms");
            // From 40 ms on, the question is acknowledged without an answer.
            sleep(Duration::from_millis(60));
            assert_eq!(awaited(), 1, "{millis} ms");
            answer(&mut client, &mut server);
        }
        ask(&mut client, &mut server);
        answer(&mut client, &mut server);
        assert_eq!(awaited(), 0, "answered at once");
    }

    #[test]
    fn exchanges_are_counted_also_on_connections_that_were_opened_meanwhile() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("bound");
        let peer = listener.local_addr().expect("an address");
        let connect =
            || (TcpStream::connect(peer).expect("connected"), listener.accept().expect("accepted").0);
        let exchange = |(client, server): &mut (TcpStream, TcpStream), answer: &[u8]| {
            client.write_all(b"ask").expect("sent");
            server.read_exact(&mut [0; 3]).expect("received");
            server.write_all(answer).expect("sent");
            client.read_exact(&mut vec![0; answer.len()]).expect("received");
        };
        let mut old = connect();
        exchange(&mut old, b"before");
        let mut peers = Peers::of(&[std::process::id()], 0).expect("sock_diag");
        peers.look().expect("a look");
        for _ in 0..5 {
            exchange(&mut old, b"answer");
        }
        // A long answer is one all the same.
        exchange(&mut old, &[0; 100_000]);
        let mut new = connect();
        exchange(&mut new, b"answer");
        peers.look().expect("a look");
        let all = peers.seen();
        let seen = all.by_address[&peer.to_string()];
        assert_eq!((seen.exchanges(), seen.sent, seen.fresh), (Some(7), 7, 1), "{seen:?}");
        assert!(seen.received >= 7 && seen.bytes[1] == 36 + 100_000, "{seen:?}");
        assert!(all.opened >= Some(1), "{all:?}");
    }

    #[test]
    fn connections_that_the_server_accepted_are_not_its_own() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("bound");
        let peer = listener.local_addr().expect("an address");
        let client = TcpStream::connect(peer).expect("connected");
        let _server = listener.accept().expect("accepted");
        let accepted = client.local_addr().expect("an address").to_string();
        for port in [peer.port(), 0] {
            let mut peers = Peers::of(&[std::process::id()], port).expect("sock_diag");
            peers.look().expect("a look");
            let seen = peers.seen().by_address;
            // Both ends are of this process.
            assert!(seen.contains_key(&peer.to_string()), "{seen:?}");
            assert!(!seen.contains_key(&accepted), "{seen:?}");
        }
    }
}
