//! How many connections may wait at a listening socket: asked of the kernel, for servers of every kind.
//!
//! `/proc/net/tcp` does not say it. The kernel's socket diagnostics do (sock_diag(7)): a request for one socket over
//! netlink, whose answer has in `idiag_wqueue` what `ss -lnt` prints as Send-Q. It is what the server asked for, cut to
//! `net.core.somaxconn`.

use rustix::net::netlink::{SOCK_DIAG, SocketAddrNetlink};
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketType, recv, sendto, socket};

/// Dump of the sockets of one family (`linux/sock_diag.h`).
const SOCK_DIAG_BY_FAMILY: u16 = 20;
/// A request, and all that match (`linux/netlink.h`).
const REQUEST_DUMP: u16 = 0x001 | 0x300;
/// The last message of an answer.
const DONE: u16 = 3;
const ERROR: u16 = 2;
const TCP: u8 = 6;
/// Only listening sockets: the bit of state 10.
const LISTEN: u32 = 1 << 10;
/// A message's header: length, type, flags, number, sender.
const HEADER: usize = 16;
/// `struct inet_diag_req_v2`.
const QUESTION: usize = 56;
/// Where `struct inet_diag_msg` has the socket's own port, in network order.
const PORT: usize = 4;
/// Where it has `idiag_wqueue`: after four bytes, the addresses (48) and a timer.
const QUEUE: usize = 4 + 48 + 8;

/// Connections that may wait at the listener on this port; `None` where nobody listens or the kernel does not say.
pub(crate) fn of(port: u16) -> Option<u32> {
    // Java listens on a socket for both families even when bound to 127.0.0.1.
    [AddressFamily::INET6, AddressFamily::INET]
        .into_iter()
        .find_map(|family| ask(family, port))
}

fn ask(family: AddressFamily, port: u16) -> Option<u32> {
    let socket = socket(AddressFamily::NETLINK, SocketType::DGRAM, Some(SOCK_DIAG)).ok()?;
    let kernel = SocketAddrNetlink::new(0, 0);
    sendto(&socket, &question(family), SendFlags::empty(), &kernel).ok()?;
    let mut buffer = vec![0; 1 << 16];
    loop {
        let (count, _) = recv(&socket, &mut buffer[..], RecvFlags::empty()).ok()?;
        match read(buffer.get(..count)?, port) {
            Found::Queue(length) => return Some(length),
            Found::End => return None,
            Found::More => {}
        }
    }
}

fn question(family: AddressFamily) -> [u8; HEADER + QUESTION] {
    let mut question = [0; HEADER + QUESTION];
    question[0..4].copy_from_slice(&((HEADER + QUESTION) as u32).to_ne_bytes());
    question[4..6].copy_from_slice(&SOCK_DIAG_BY_FAMILY.to_ne_bytes());
    question[6..8].copy_from_slice(&REQUEST_DUMP.to_ne_bytes());
    question[HEADER] = family.as_raw() as u8;
    question[HEADER + 1] = TCP;
    question[HEADER + 4..HEADER + 8].copy_from_slice(&LISTEN.to_ne_bytes());
    question
}

/// What a datagram of messages says of a port.
#[derive(Debug, PartialEq, Eq)]
enum Found {
    Queue(u32),
    More,
    End,
}

fn read(mut datagram: &[u8], port: u16) -> Found {
    while let Some(header) = datagram.get(..HEADER) {
        let length = u32::from_ne_bytes([header[0], header[1], header[2], header[3]]) as usize;
        let kind = u16::from_ne_bytes([header[4], header[5]]);
        let Some(message) = datagram.get(HEADER..length) else {
            return Found::End;
        };
        if matches!(kind, DONE | ERROR) {
            return Found::End;
        }
        if message.get(PORT..PORT + 2) == Some(&port.to_be_bytes()) {
            let queue = message
                .get(QUEUE..QUEUE + 4)
                .and_then(|bytes| bytes.try_into().ok());
            return queue.map_or(Found::End, |bytes| Found::Queue(u32::from_ne_bytes(bytes)));
        }
        datagram = datagram.get(length.next_multiple_of(4)..).unwrap_or_default();
    }
    Found::More
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::net::{bind, listen};
    use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};

    #[test]
    fn the_kernel_says_how_long_a_queue_is() {
        for address in [
            SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            (Ipv6Addr::UNSPECIFIED, 0).into(),
        ] {
            let family = if address.is_ipv4() {
                AddressFamily::INET
            } else {
                AddressFamily::INET6
            };
            let Ok(socket) = socket(family, SocketType::STREAM, None) else {
                continue; // No IPv6 here.
            };
            bind(&socket, &address).expect("a port");
            listen(&socket, 7).expect("listens");
            let listener = TcpListener::from(socket);
            let port = listener.local_addr().expect("bound").port();
            assert_eq!(of(port), Some(7), "{address}");
            // Connections of the same port are no listeners.
            let connected = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).expect("connected");
            assert_eq!(of(port), Some(7), "{address}");
            drop(connected);
        }
    }

    #[test]
    fn a_cut_answer_ends() {
        assert_eq!(read(&[], 80), Found::More);
        assert_eq!(read(&[0; HEADER], 80), Found::End);
        assert_eq!(read(&[255; 20], 80), Found::End);
    }
}
