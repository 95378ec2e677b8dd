//! Ports: chooses a free one at random, finds the process that holds one, and checks whether a listener is ours.

use crate::error::{Error, PortHolder};
use crate::files::process;
use crate::files::random::Random;
use std::fs;
use std::net::{IpAddr, Ipv4Addr, TcpListener};
use std::ops::Range;

/// The number of random ports that are tried before giving up.
const ATTEMPTS: u32 = 100;
/// The lowest port that is chosen: those below are well known.
const LOWEST: u16 = 10_240;

/// A port on 127.0.0.1 that is free now. It is below the range from which the kernel takes ports for outgoing connections,
/// where a connection of the generator could take it before the server does.
pub(crate) fn choose(random: &mut Random) -> Result<u16, Error> {
    let range = server_range();
    let width = u64::from(range.end - range.start);
    let mut tries = (0..ATTEMPTS).map(|_| range.start + random.below(width) as u16);
    tries.find(|port| is_free(*port)).ok_or(Error::NoPort)
}

/// Fails with the name of the process that holds the port.
pub(crate) fn must_be_free(port: u16) -> Result<(), Error> {
    if is_free(port) {
        return Ok(());
    }
    Err(Error::PortTaken { port, holder: holder(port) })
}

/// Tries by binding to it, which also fails if somebody listens on all addresses.
fn is_free(port: u16) -> bool {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok()
}

fn server_range() -> Range<u16> {
    let text = fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range").unwrap_or_default();
    let low = text.split_whitespace().next().and_then(|low| low.parse().ok()).unwrap_or(32_768);
    if low < LOWEST + 1_000 {
        return LOWEST..u16::MAX; // A wide range of outgoing ports leaves no room below it.
    }
    LOWEST..low
}

/// The process that listens on a port. Only root can see the processes of other users.
pub(crate) fn holder(port: u16) -> Option<PortHolder> {
    let pid = owner(port)?;
    let name = process::name(pid);
    Some(PortHolder { name, pid })
}

/// The id of the process that listens on a port.
pub(crate) fn owner(port: u16) -> Option<u32> {
    let sockets = listeners(port);
    process::pids().into_iter().find(|pid| holds(*pid, &sockets))
}

/// Whether one of these processes listens on the port.
pub(crate) fn is_held_by(port: u16, pids: &[u32]) -> bool {
    let sockets = listeners(port);
    pids.iter().any(|pid| holds(*pid, &sockets))
}

/// Whether anybody listens on a port in the network namespace of a process.
pub(crate) fn is_listened_on_in(pid: u32, port: u16) -> bool {
    let table = |name| fs::read_to_string(format!("/proc/{pid}/net/{name}")).unwrap_or_default();
    ["tcp", "tcp6"].into_iter().any(|name| !parse_table(&table(name), port).is_empty())
}

/// Whether the port is listened on, and at loopback addresses only.
pub(crate) fn is_only_on_loopback(port: u16) -> bool {
    let found = sockets(port);
    !found.is_empty() && found.iter().all(|socket| socket.is_on_loopback)
}

/// Whether anybody listens on the port.
pub(crate) fn is_listening(port: u16) -> bool {
    !listeners(port).is_empty()
}

fn holds(pid: u32, sockets: &[u64]) -> bool {
    let Ok(entries) = fs::read_dir(format!("/proc/{pid}/fd")) else {
        return false;
    };
    let socket =
        |link: std::path::PathBuf| link.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.parse().ok();
    let links = entries.flatten().filter_map(|entry| fs::read_link(entry.path()).ok());
    links.filter_map(socket).any(|inode: u64| sockets.contains(&inode))
}

/// The inodes of the sockets that listen on a port.
fn listeners(port: u16) -> Vec<u64> {
    sockets(port).into_iter().map(|socket| socket.inode).collect()
}

/// A socket that listens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Listening {
    inode: u64,
    is_on_loopback: bool,
}

/// The sockets that listen on a port. Java's are in tcp6 even when bound to 127.0.0.1. `/proc/net` would show the namespace of
/// our main thread, and not the one that this thread has entered.
fn sockets(port: u16) -> Vec<Listening> {
    let table = |name| fs::read_to_string(format!("/proc/thread-self/net/{name}")).unwrap_or_default();
    ["tcp", "tcp6"].into_iter().flat_map(|name| parse_table(&table(name), port)).collect()
}

/// Parses lines of `sl local_address rem_address st tx:rx tr:when retrnsmt uid timeout inode …`; state 0A is listening.
fn parse_table(table: &str, port: u16) -> Vec<Listening> {
    let suffix = format!(":{port:04X}");
    let parse = |line: &str| {
        let fields: Vec<&str> = line.split_ascii_whitespace().collect();
        let address = fields.get(1)?.strip_suffix(&suffix)?;
        let listening =
            Listening { inode: fields.get(9)?.parse().ok()?, is_on_loopback: is_loopback(address) };
        (*fields.get(3)? == "0A").then_some(listening)
    };
    table.lines().skip(1).filter_map(parse).collect()
}

/// Whether an address as the kernel prints it, in words of 32 bits of the machine's byte order, is a loopback address.
fn is_loopback(address: &str) -> bool {
    let word = |at: usize| u32::from_str_radix(address.get(at..at + 8)?, 16).ok();
    let words = (0..address.len()).step_by(8).map_while(word);
    let bytes: Vec<u8> = words.flat_map(u32::to_ne_bytes).collect();
    let v6 = || <[u8; 16]>::try_from(bytes.as_slice()).map(IpAddr::from);
    let address = <[u8; 4]>::try_from(bytes.as_slice()).map(IpAddr::from).or_else(|_| v6());
    address.is_ok_and(|address| address.to_canonical().is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_table_is_parsed() {
        let table = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n\
            0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4242 1 x 100 0\n\
            1: 0100007F:1F90 0100007F:9C40 01 00000000:00000000 00:00000000 00000000     0        0 4243 1 x 20 4\n";
        let found = Listening { inode: 4242, is_on_loopback: true };
        assert_eq!(parse_table(table, 8080), [found]);
        assert!(parse_table(table, 8081).is_empty());
    }

    #[test]
    #[cfg(target_endian = "little")]
    fn a_loopback_address_is_one_in_every_form() {
        let own = ["0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000"];
        let outer =
            ["00000000", "0200000A", "00000000000000000000000000000000", "0000000000000000FFFF00000200000A"];
        assert!(own.iter().all(|address| is_loopback(address)));
        assert!(!outer.iter().any(|address| is_loopback(address)));
    }

    #[test]
    fn a_taken_port_names_its_holder() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let port = listener.local_addr().expect("bound").port();
        let error = must_be_free(port).expect_err("taken").to_string();
        assert!(error.contains(&format!("(process {})", std::process::id())), "{error}");
        assert!(is_held_by(port, &[std::process::id()]));
        assert!(!is_held_by(port, &[1]));
        assert!(is_listening(port));
        drop(listener);
        // A child that another test is starting holds a copy of the socket between its fork and its exec.
        let began = std::time::Instant::now();
        while is_listening(port) {
            assert!(began.elapsed().as_secs() < 10, "still listening");
        }
    }

    #[test]
    fn the_same_seed_chooses_the_same_port() {
        let choose = |seed| choose(&mut Random::new(seed)).expect("a port");
        assert_ne!(choose(1), choose(2));
        assert!((LOWEST..).contains(&choose(3)));
    }
}
