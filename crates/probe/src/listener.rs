//! Accept queues of listening sockets: how many connections wait in them, and how many can.
//!
//! The kernel is asked by netlink (sock_diag(7)). `ss -lnt` shows the same numbers as Recv-Q and Send-Q. /proc/net/tcp has
//! the first of them only.

use crate::Error;
use model::telemetry::AcceptQueue;
use rustix::io::Errno;
use rustix::net::netlink::{SOCK_DIAG, SocketAddrNetlink};
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, recv, sendto, socket_with};
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};
use std::fs::{self, File};
use std::os::fd::{AsFd, OwnedFd};
use std::thread;

/// `SOCK_DIAG_BY_FAMILY` of linux/sock_diag.h: the type of a request and of its response.
const BY_FAMILY: u16 = 20;
/// `NLMSG_ERROR` of linux/netlink.h: the type of a message that refuses the request.
const ERROR: u16 = 2;
/// `NLMSG_DONE` of linux/netlink.h: the type of the last message of a response.
const DONE: u16 = 3;
/// `NLM_F_REQUEST | NLM_F_DUMP`: a request for all sockets of a kind.
const DUMP: u16 = 0x301;
/// `IPPROTO_TCP`.
const TCP: u8 = 6;
/// The bit of the state LISTEN (10) in a set of states.
const LISTEN: u32 = 1 << 10;
/// Length of a netlink header in bytes.
const HEADER: usize = 16;
/// Length of the request behind the header in bytes (`struct inet_diag_req_v2`).
const REQUEST: usize = 56;
/// Offset of the local port in `struct inet_diag_msg`.
const PORT: usize = 4;
/// Offset of `idiag_rqueue`, for a listener the number of waiting connections.
const WAITING: usize = 56;
/// Offset of `idiag_wqueue`, for a listener the limit of waiting connections.
const LIMIT: usize = 60;

/// Size of the receive buffer. The kernel fills at most 32 KiB of a datagram (`NLMSG_GOODSIZE`).
const LARGEST: usize = 1 << 16;

/// A netlink socket for requests about the listening sockets of one network namespace.
#[derive(Debug)]
pub struct Listeners {
    netlink: OwnedFd,
    buffer: Vec<u8>,
}

/// A listening TCP socket.
#[derive(Clone, Copy, Debug)]
struct ListeningSocket {
    port: u16,
    queue: AcceptQueue,
}

impl Listeners {
    /// For the network namespace of the calling thread.
    ///
    /// # Errors
    /// [`Error::SockDiag`] when the kernel does not have sock_diag or forbids it.
    pub fn open() -> Result<Self, Error> {
        Ok(Self {
            netlink: open_netlink().map_err(sock_diag_error)?,
            buffer: vec![0; LARGEST],
        })
    }

    /// For the network namespace of process `pid`.
    ///
    /// # Errors
    /// [`Error::SockDiag`] as for [`Listeners::open`], or because entering another namespace needs root;
    /// [`Error::Proc`] when the process has ended.
    pub fn around(pid: u32) -> Result<Self, Error> {
        let namespace = format!("/proc/{pid}/ns/net");
        let is_ours = fs::read_link(&namespace).ok() == fs::read_link("/proc/thread-self/ns/net").ok();
        if is_ours {
            return Self::open();
        }
        let path = namespace.clone();
        let file = File::open(namespace).map_err(|source| Error::Proc { path, source })?;
        // A socket belongs to the namespace in which it is made. A thread of its own enters the namespace, so that the
        // calling thread need not return from it.
        let opened = thread::spawn(move || {
            move_into_link_name_space(file.as_fd(), Some(LinkNameSpaceType::Network))?;
            open_netlink()
        });
        let opened = opened.join().unwrap_or(Err(Errno::AGAIN));
        Ok(Self {
            netlink: opened.map_err(sock_diag_error)?,
            buffer: vec![0; LARGEST],
        })
    }

    /// The accept queue of the TCP listener on `port`, added up if several sockets share the port. `None` when nobody
    /// listens there.
    ///
    /// # Errors
    /// [`Error::SockDiag`] when the kernel refuses the request.
    pub fn accept_queue(&mut self, port: u16) -> Result<Option<AcceptQueue>, Error> {
        let mut total = None;
        for family in [AddressFamily::INET, AddressFamily::INET6] {
            self.for_each_listener(family, &mut |listener| {
                if listener.port == port {
                    let sum = total.get_or_insert_with(AcceptQueue::default);
                    sum.waiting += listener.queue.waiting;
                    sum.limit += listener.queue.limit;
                }
            })?;
        }
        Ok(total)
    }

    /// Asks for all listening TCP sockets of a family.
    fn for_each_listener(
        &mut self,
        family: AddressFamily,
        each: &mut dyn FnMut(ListeningSocket),
    ) -> Result<(), Error> {
        let kernel = SocketAddrNetlink::new(0, 0);
        let family = u8::try_from(family.as_raw()).unwrap_or_default();
        sendto(&self.netlink, &request(family), SendFlags::empty(), &kernel).map_err(sock_diag_error)?;
        loop {
            let (length, _) =
                recv(&self.netlink, &mut self.buffer[..], RecvFlags::empty()).map_err(sock_diag_error)?;
            if !read_messages(&self.buffer[..length], each).map_err(sock_diag_error)? {
                return Ok(());
            }
        }
    }
}

/// The accept queue of the listener on this port in the namespace of the calling thread; `None` when nobody listens there
/// or the kernel does not tell.
pub fn accept_queue(port: u16) -> Option<AcceptQueue> {
    Listeners::open().ok()?.accept_queue(port).ok().flatten()
}

/// Opens a netlink socket for sock_diag in the namespace of the calling thread.
fn open_netlink() -> Result<OwnedFd, Errno> {
    socket_with(
        AddressFamily::NETLINK,
        SocketType::DGRAM,
        SocketFlags::CLOEXEC,
        Some(SOCK_DIAG),
    )
}

fn sock_diag_error(errno: Errno) -> Error {
    Error::SockDiag { source: errno }
}

/// The bytes of a request for all listening TCP sockets of a family.
fn request(family: u8) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEADER + REQUEST);
    bytes.extend(((HEADER + REQUEST) as u32).to_ne_bytes());
    bytes.extend(BY_FAMILY.to_ne_bytes());
    bytes.extend(DUMP.to_ne_bytes());
    bytes.extend([0; 8]); // sequence number and port, which one request at a time does not need
    bytes.extend([family, TCP, 0, 0]);
    bytes.extend(LISTEN.to_ne_bytes());
    bytes.resize(HEADER + REQUEST, 0); // any address and any port
    bytes
}

/// Reads the messages of one datagram. Returns whether more datagrams follow; an error when the kernel refuses the request
/// or a message is malformed.
fn read_messages(mut bytes: &[u8], each: &mut dyn FnMut(ListeningSocket)) -> Result<bool, Errno> {
    while let Some(header) = bytes.first_chunk::<HEADER>() {
        let length = u32_at(header, 0).unwrap_or_default() as usize;
        let kind = u16::from_ne_bytes([header[4], header[5]]);
        let Some(body) = bytes.get(HEADER..length) else {
            return Err(Errno::BADMSG);
        };
        match kind {
            DONE => return Ok(false),
            ERROR => {
                let code = u32_at(body, 0).unwrap_or_default().cast_signed();
                return Err(Errno::from_raw_os_error(-code));
            }
            BY_FAMILY => each(parse_listener(body).ok_or(Errno::BADMSG)?),
            _ => {}
        }
        // Messages begin at multiples of four.
        bytes = bytes.get(length.next_multiple_of(4)..).unwrap_or_default();
    }
    Ok(true)
}

/// Reads a `struct inet_diag_msg`; `None` when it is too short.
fn parse_listener(body: &[u8]) -> Option<ListeningSocket> {
    let port = u16::from_be_bytes(*body.get(PORT..)?.first_chunk()?);
    let queue = AcceptQueue {
        waiting: u32_at(body, WAITING)?,
        limit: u32_at(body, LIMIT)?,
    };
    Some(ListeningSocket { port, queue })
}

/// The number in native byte order at this offset; `None` beyond the end.
fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(*bytes.get(at..)?.first_chunk()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::net::{bind, connect, getsockname, listen, socket};
    use std::net::{SocketAddr, SocketAddrV4, TcpListener};

    /// A listener whose accept queue has this limit, and its port.
    fn listener_of(limit: i32) -> (OwnedFd, u16) {
        let fd = socket(AddressFamily::INET, SocketType::STREAM, None).expect("a socket");
        bind(&fd, &SocketAddrV4::new([127, 0, 0, 1].into(), 0)).expect("bound");
        listen(&fd, limit).expect("listening");
        let address: SocketAddr = getsockname(&fd).expect("a name").try_into().expect("an address");
        (fd, address.port())
    }

    #[test]
    fn connections_that_wait_in_the_accept_queue_are_counted() {
        let mut listeners = Listeners::open().expect("sock_diag");
        let (_fd, port) = listener_of(7);
        let queue = |waiting| Some(AcceptQueue { waiting, limit: 7 });
        assert_eq!(listeners.accept_queue(port).expect("asked"), queue(0));
        let dial = || {
            let fd = socket(AddressFamily::INET, SocketType::STREAM, None).expect("a socket");
            connect(&fd, &SocketAddrV4::new([127, 0, 0, 1].into(), port)).expect("connected");
            fd
        };
        let _waiting = [dial(), dial(), dial()];
        assert_eq!(listeners.accept_queue(port).expect("asked"), queue(3));
    }

    #[test]
    fn a_listener_on_ipv6_is_found_and_a_closed_port_is_not() {
        let mut listeners = Listeners::open().expect("sock_diag");
        if let Ok(six) = TcpListener::bind("[::1]:0") {
            let port = six.local_addr().expect("an address").port();
            let queue = listeners.accept_queue(port).expect("asked").expect("listening");
            assert!(queue.limit >= 100, "{queue:?}");
        }
        let (fd, port) = listener_of(1);
        drop(fd);
        assert_eq!(listeners.accept_queue(port).expect("asked"), None);
    }

    #[test]
    fn a_malformed_or_refusing_message_is_an_error() {
        let mut none = |_| panic!("these messages contain no listener");
        let mut truncated = request(2);
        truncated.truncate(40);
        assert_eq!(read_messages(&truncated, &mut none), Err(Errno::BADMSG));
        let mut refused = vec![0; 20];
        refused[0] = 20;
        refused[4] = 2;
        refused[16..].copy_from_slice(&(-1i32).to_ne_bytes());
        assert_eq!(read_messages(&refused, &mut none), Err(Errno::PERM));
        assert_eq!(read_messages(&[], &mut none), Ok(true));
    }
}
