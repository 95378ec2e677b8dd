//! A listening socket: how many connections wait in its accept queue, and how many may. Asked of the kernel by netlink
//! (sock_diag(7)), which is what `ss -lnt` shows as Recv-Q and Send-Q; /proc/net/tcp has the first of the two only.

use crate::Error;
use model::telemetry::AcceptQueue;
use rustix::io::Errno;
use rustix::net::netlink::{SOCK_DIAG, SocketAddrNetlink};
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, recv, sendto, socket_with};
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};
use std::fs::{self, File};
use std::os::fd::{AsFd, OwnedFd};
use std::thread;

/// `SOCK_DIAG_BY_FAMILY` of linux/sock_diag.h: the type of question and answer.
const BY_FAMILY: u16 = 20;
/// `NLMSG_ERROR` and `NLMSG_DONE` of linux/netlink.h.
const ERROR: u16 = 2;
const DONE: u16 = 3;
/// `NLM_F_REQUEST | NLM_F_DUMP`: a question about all sockets of a kind.
const DUMP: u16 = 0x301;
/// `IPPROTO_TCP`.
const TCP: u8 = 6;
/// Bit of the state LISTEN (10) in a set of states.
const LISTEN: u32 = 1 << 10;
/// Length of a netlink header, and of the question behind it (`struct inet_diag_req_v2`).
const HEADER: usize = 16;
const QUESTION: usize = 56;
/// Where `struct inet_diag_msg` has the local port, `idiag_rqueue` and `idiag_wqueue`.
const PORT: usize = 4;
const WAITING: usize = 56;
const LIMIT: usize = 60;

/// Larger than any datagram of an answer: the kernel fills at most 32 KiB (`NLMSG_GOODSIZE`).
const LARGEST: usize = 1 << 16;

/// Asks about listeners; one socket for all questions.
#[derive(Debug)]
pub struct Listeners {
    netlink: OwnedFd,
    buffer: Vec<u8>,
}

impl Listeners {
    /// Of the network namespace that this thread is in.
    ///
    /// # Errors
    /// The kernel has no sock_diag, or forbids it.
    pub fn open() -> Result<Self, Error> {
        Ok(Self {
            netlink: netlink().map_err(failed)?,
            buffer: vec![0; LARGEST],
        })
    }

    /// Of the network namespace that process `pid` is in.
    ///
    /// # Errors
    /// The same; or it is another than ours, and only root may look into it.
    pub fn around(pid: u32) -> Result<Self, Error> {
        let theirs = format!("/proc/{pid}/ns/net");
        let same = fs::read_link(&theirs).ok() == fs::read_link("/proc/thread-self/ns/net").ok();
        if same {
            return Self::open();
        }
        let path = theirs.clone();
        let file = File::open(theirs).map_err(|source| Error::Proc { path, source })?;
        // A socket stays in the namespace that it was made in; the thread that goes there ends at once.
        let made = thread::spawn(move || {
            move_into_link_name_space(file.as_fd(), Some(LinkNameSpaceType::Network))?;
            netlink()
        });
        let made = made.join().unwrap_or(Err(Errno::AGAIN));
        Ok(Self {
            netlink: made.map_err(failed)?,
            buffer: vec![0; LARGEST],
        })
    }

    /// The accept queue of the TCP listener on `port`: summed, where several sockets share the port. `None` when nobody
    /// listens there.
    ///
    /// # Errors
    /// The kernel refuses the question.
    pub fn accept_queue(&mut self, port: u16) -> Result<Option<AcceptQueue>, Error> {
        let mut found = None;
        for family in [AddressFamily::INET, AddressFamily::INET6] {
            self.ask(family, &mut |listener| {
                if listener.0 == port {
                    let sum = found.get_or_insert_with(AcceptQueue::default);
                    sum.waiting += listener.1.waiting;
                    sum.limit += listener.1.limit;
                }
            })?;
        }
        Ok(found)
    }

    fn ask(&mut self, family: AddressFamily, each: &mut dyn FnMut((u16, AcceptQueue))) -> Result<(), Error> {
        let kernel = SocketAddrNetlink::new(0, 0);
        let family = u8::try_from(family.as_raw()).unwrap_or_default();
        sendto(&self.netlink, &question(family), SendFlags::empty(), &kernel).map_err(failed)?;
        loop {
            let (length, _) =
                recv(&self.netlink, &mut self.buffer[..], RecvFlags::empty()).map_err(failed)?;
            if !messages(&self.buffer[..length], each).map_err(failed)? {
                return Ok(());
            }
        }
    }
}

/// The accept queue of the listener on this port, in our own namespace; `None` where nobody listens or the kernel does not
/// say.
pub fn accept_queue(port: u16) -> Option<AcceptQueue> {
    Listeners::open().ok()?.accept_queue(port).ok().flatten()
}

fn netlink() -> Result<OwnedFd, Errno> {
    let kind = (AddressFamily::NETLINK, SocketType::DGRAM);
    socket_with(kind.0, kind.1, SocketFlags::CLOEXEC, Some(SOCK_DIAG))
}

fn failed(errno: Errno) -> Error {
    Error::SockDiag { source: errno }
}

/// All listening TCP sockets of a family.
fn question(family: u8) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEADER + QUESTION);
    bytes.extend(((HEADER + QUESTION) as u32).to_ne_bytes());
    bytes.extend(BY_FAMILY.to_ne_bytes());
    bytes.extend(DUMP.to_ne_bytes());
    bytes.extend([0; 8]); // Sequence and port: one question at a time needs neither.
    bytes.extend([family, TCP, 0, 0]);
    bytes.extend(LISTEN.to_ne_bytes());
    bytes.resize(HEADER + QUESTION, 0); // Any address and port.
    bytes
}

/// Reads the messages of one datagram; says whether more datagrams follow.
fn messages(mut bytes: &[u8], each: &mut dyn FnMut((u16, AcceptQueue))) -> Result<bool, Errno> {
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
            BY_FAMILY => each(listener(body).ok_or(Errno::BADMSG)?),
            _ => {}
        }
        // Messages begin at multiples of four.
        bytes = bytes.get(length.next_multiple_of(4)..).unwrap_or_default();
    }
    Ok(true)
}

fn listener(body: &[u8]) -> Option<(u16, AcceptQueue)> {
    let port = u16::from_be_bytes(*body.get(PORT..)?.first_chunk()?);
    let queue = AcceptQueue {
        waiting: u32_at(body, WAITING)?,
        limit: u32_at(body, LIMIT)?,
    };
    Some((port, queue))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(*bytes.get(at..)?.first_chunk()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::net::{bind, connect, getsockname, listen, socket};
    use std::net::{SocketAddr, SocketAddrV4, TcpListener};

    /// A listener with room for `limit`, and its port.
    fn listener_of(limit: i32) -> (OwnedFd, u16) {
        let fd = socket(AddressFamily::INET, SocketType::STREAM, None).expect("a socket");
        bind(&fd, &SocketAddrV4::new([127, 0, 0, 1].into(), 0)).expect("bound");
        listen(&fd, limit).expect("listening");
        let address: SocketAddr = getsockname(&fd).expect("a name").try_into().expect("an address");
        (fd, address.port())
    }

    #[test]
    fn the_queue_of_a_listener_is_seen_filling() {
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
    fn a_listener_of_the_other_family_is_found_and_a_closed_port_is_not() {
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
    fn a_broken_answer_is_an_error_and_not_a_reading() {
        let mut none = |_| panic!("no listener is in it");
        let mut cut = question(2);
        cut.truncate(40);
        assert_eq!(messages(&cut, &mut none), Err(Errno::BADMSG));
        let mut refused = vec![0; 20];
        refused[0] = 20;
        refused[4] = 2;
        refused[16..].copy_from_slice(&(-1i32).to_ne_bytes());
        assert_eq!(messages(&refused, &mut none), Err(Errno::PERM));
        assert_eq!(messages(&[], &mut none), Ok(true));
    }
}
