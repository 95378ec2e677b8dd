//! Accept queues of listening sockets: how many connections wait in them, and how many can.
//!
//! The kernel is asked by netlink. `ss -lnt` shows the same numbers as Recv-Q and Send-Q. /proc/net/tcp has the first of
//! them only.

use crate::Error;
use crate::netlink::{Asked, Sockets, port_at, u32_at};
use record::telemetry::AcceptQueue;

/// The listening sockets.
const LISTENING: Asked = Asked { states: 1 << 10, extensions: 0 };
/// Offset of the local port in `struct inet_diag_msg`.
const PORT: usize = 4;
/// Offset of `idiag_rqueue`, for a listener the number of waiting connections.
const WAITING: usize = 56;
/// Offset of `idiag_wqueue`, for a listener the limit of waiting connections.
const LIMIT: usize = 60;

/// Asks about the listening sockets of one network namespace.
#[derive(Debug)]
pub struct Listeners(Sockets);

impl Listeners {
    /// For the network namespace of process `pid`.
    ///
    /// # Errors
    /// [`Error::SockDiag`] when the kernel does not have sock_diag or forbids it, or because entering another namespace
    /// needs root; [`Error::Proc`] when the process has ended.
    pub fn around(pid: u32) -> Result<Self, Error> {
        Sockets::around(pid).map(Self)
    }

    /// The accept queue of the TCP listener on `port`, added up if several sockets share the port. `None` when nobody
    /// listens there.
    ///
    /// # Errors
    /// [`Error::SockDiag`] when the kernel refuses the request.
    pub fn accept_queue(&mut self, port: u16) -> Result<Option<AcceptQueue>, Error> {
        let mut total = None;
        self.0.for_each(LISTENING, &mut |socket| {
            let [waiting, limit] = [u32_at(socket, WAITING)?, u32_at(socket, LIMIT)?];
            if port_at(socket, PORT)? == port {
                let sum = total.get_or_insert_with(AcceptQueue::default);
                sum.waiting += waiting;
                sum.limit += limit;
            }
            Some(())
        })?;
        Ok(total)
    }
}

/// The accept queue of the listener on this port in the namespace of the calling thread; `None` when nobody listens there
/// or the kernel does not tell.
pub fn accept_queue(port: u16) -> Option<AcceptQueue> {
    Listeners(Sockets::open().ok()?).accept_queue(port).ok().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::net::{AddressFamily, SocketType, bind, connect, getsockname, listen, socket};
    use std::net::{SocketAddr, SocketAddrV4, TcpListener};
    use std::os::fd::OwnedFd;

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
        let mut listeners = Listeners(Sockets::open().expect("sock_diag"));
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
        let mut listeners = Listeners(Sockets::open().expect("sock_diag"));
        if let Ok(six) = TcpListener::bind("[::1]:0") {
            let port = six.local_addr().expect("an address").port();
            let queue = listeners.accept_queue(port).expect("asked").expect("listening");
            assert!(queue.limit >= 100, "{queue:?}");
        }
        let (fd, port) = listener_of(1);
        drop(fd);
        assert_eq!(listeners.accept_queue(port).expect("asked"), None);
    }
}
