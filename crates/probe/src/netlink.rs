//! [`Sockets`]: the TCP sockets of a network namespace, as the kernel lists them by netlink (sock_diag(7)).

use crate::Error;
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
/// Length of a netlink header in bytes.
const HEADER: usize = 16;
/// Length of the request behind the header in bytes (`struct inet_diag_req_v2`).
const REQUEST: usize = 56;
/// Size of the receive buffer. The kernel fills at most 32 KiB of a datagram (`NLMSG_GOODSIZE`).
const LARGEST: usize = 1 << 16;

/// Which sockets are asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked {
    /// The set of TCP states: bit n for state n.
    pub(crate) states: u32,
    /// The set of attributes that are wanted besides `struct inet_diag_msg`: bit n - 1 for `INET_DIAG_` n.
    pub(crate) extensions: u8,
}

/// A netlink socket for requests about the sockets of one network namespace.
#[derive(Debug)]
pub(crate) struct Sockets {
    netlink: OwnedFd,
    buffer: Vec<u8>,
}

impl Sockets {
    /// For the network namespace of the calling thread.
    ///
    /// # Errors
    /// [`Error::SockDiag`] when the kernel does not have sock_diag or forbids it.
    pub(crate) fn open() -> Result<Self, Error> {
        Ok(Self { netlink: open_netlink().map_err(sock_diag_error)?, buffer: vec![0; LARGEST] })
    }

    /// For the network namespace of process `pid`.
    ///
    /// # Errors
    /// [`Error::SockDiag`] as for [`Sockets::open`], or because entering another namespace needs root;
    /// [`Error::Proc`] when the process has ended.
    pub(crate) fn around(pid: u32) -> Result<Self, Error> {
        Ok(Self { netlink: open_around(pid, open_netlink)?, buffer: vec![0; LARGEST] })
    }

    /// Gives `each` every TCP socket that is asked for, of IPv4 and IPv6: the bytes of its `struct inet_diag_msg` and of the
    /// attributes behind it. `each` returns `None` for bytes that are too short.
    ///
    /// # Errors
    /// [`Error::SockDiag`] when the kernel refuses the request, or a message is malformed.
    pub(crate) fn for_each(
        &mut self,
        asked: Asked,
        each: &mut dyn FnMut(&[u8]) -> Option<()>,
    ) -> Result<(), Error> {
        for family in [AddressFamily::INET, AddressFamily::INET6] {
            self.for_each_of(family, asked, each).map_err(sock_diag_error)?;
        }
        Ok(())
    }

    fn for_each_of(
        &mut self,
        family: AddressFamily,
        asked: Asked,
        each: &mut dyn FnMut(&[u8]) -> Option<()>,
    ) -> Result<(), Errno> {
        let kernel = SocketAddrNetlink::new(0, 0);
        let family = u8::try_from(family.as_raw()).unwrap_or_default();
        sendto(&self.netlink, &request(family, asked), SendFlags::empty(), &kernel)?;
        loop {
            let (length, _) = recv(&self.netlink, &mut self.buffer[..], RecvFlags::empty())?;
            if !read_messages(&self.buffer[..length], each)? {
                return Ok(());
            }
        }
    }
}

/// Opens a socket in the network namespace of process `pid`.
///
/// # Errors
/// [`Error::SockDiag`] when it cannot be opened, or because entering another namespace needs root; [`Error::Proc`] when the process has
/// ended.
pub(crate) fn open_around(
    pid: u32,
    open: impl FnOnce() -> Result<OwnedFd, Errno> + Send + 'static,
) -> Result<OwnedFd, Error> {
    let namespace = format!("/proc/{pid}/ns/net");
    let is_ours = fs::read_link(&namespace).ok() == fs::read_link("/proc/thread-self/ns/net").ok();
    if is_ours {
        return open().map_err(sock_diag_error);
    }
    let path = namespace.clone();
    let file = File::open(namespace).map_err(|source| Error::Proc { path, source })?;
    // A socket belongs to the namespace in which it is made. A thread of its own enters the namespace, so that the
    // calling thread need not return from it.
    let opened = thread::spawn(move || {
        move_into_link_name_space(file.as_fd(), Some(LinkNameSpaceType::Network))?;
        open()
    });
    opened.join().unwrap_or(Err(Errno::AGAIN)).map_err(sock_diag_error)
}

/// Opens a netlink socket for sock_diag in the namespace of the calling thread.
fn open_netlink() -> Result<OwnedFd, Errno> {
    socket_with(AddressFamily::NETLINK, SocketType::DGRAM, SocketFlags::CLOEXEC, Some(SOCK_DIAG))
}

fn sock_diag_error(errno: Errno) -> Error {
    Error::SockDiag { source: errno }
}

/// The bytes of a request for the TCP sockets of a family.
fn request(family: u8, asked: Asked) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEADER + REQUEST);
    bytes.extend(((HEADER + REQUEST) as u32).to_ne_bytes());
    bytes.extend(BY_FAMILY.to_ne_bytes());
    bytes.extend(DUMP.to_ne_bytes());
    bytes.extend([0; 8]); // sequence number and port, which one request at a time does not need
    bytes.extend([family, TCP, asked.extensions, 0]);
    bytes.extend(asked.states.to_ne_bytes());
    bytes.resize(HEADER + REQUEST, 0); // any address and any port
    bytes
}

/// Reads the messages of one datagram. Returns whether more datagrams follow; an error when the kernel refuses the request
/// or a message is malformed.
fn read_messages(mut bytes: &[u8], each: &mut dyn FnMut(&[u8]) -> Option<()>) -> Result<bool, Errno> {
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
            BY_FAMILY => each(body).ok_or(Errno::BADMSG)?,
            _ => {}
        }
        // Messages begin at multiples of four.
        bytes = bytes.get(length.next_multiple_of(4)..).unwrap_or_default();
    }
    Ok(true)
}

/// The number in native byte order at this offset; `None` beyond the end.
pub(crate) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// The port at this offset, in network byte order; `None` beyond the end.
pub(crate) fn port_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(*bytes.get(at..)?.first_chunk()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_malformed_or_refusing_message_is_an_error() {
        let mut none = |_: &[u8]| panic!("these messages contain no socket");
        let asked = Asked { states: 1, extensions: 0 };
        let mut truncated = request(2, asked);
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
