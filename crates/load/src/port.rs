//! [`Port`]: the only module that touches sockets, and the only one of this crate with `unsafe` code (receiving with the
//! kernel's timestamp, for which the safe wrappers have no call).
//!
//! Sockets are non-blocking and registered once, edge-triggered, for both directions: no further call to epoll is needed
//! in a connection's life. The rule that comes with it: after an event, receive until a read comes back short.
#![allow(unsafe_code)]

use model::plan::Target;
use model::units::Nanos;
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::fd::{AsRawFd, OwnedFd};
use rustix::io::Errno;
use rustix::net::{AddressFamily, SendFlags, SocketAddrUnix, SocketFlags, SocketType, sockopt};
use rustix::time::Timespec;
use std::mem::MaybeUninit;

/// Bytes taken per read. One buffer serves all connections of a shard, so an idle connection has none.
const BUFFER: usize = 64 * 1024;
/// Events taken per wait; more only makes later connections of a turn wait longer.
const EVENTS: usize = 256;

/// Which connection an event is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) slot: u32,
    /// Tells a new connection in a slot from the closed one before it, of which an event may still be queued.
    pub(crate) generation: u32,
}

/// What happened to a connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Event {
    pub(crate) token: Token,
    /// There is something to read: bytes, the end, or an error.
    pub(crate) readable: bool,
    pub(crate) writable: bool,
    /// The other side will send no more, or the connection is broken: read to the end.
    pub(crate) ended: bool,
}

/// One successful read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Received {
    /// Zero at the end of the stream.
    pub(crate) length: usize,
    /// Less than was asked for: nothing is left to read now.
    pub(crate) short: bool,
    /// When the last of these bytes arrived, on the wall clock.
    pub(crate) at: Option<Nanos>,
}

/// What the buffers of a TCP socket have done since it was opened.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Buffers {
    /// Time in which the send buffer was empty after it had been full, and not yet filled again.
    pub(crate) send_full: Nanos,
    /// Segments dropped on their way into the receive queue; wraps.
    pub(crate) drops: u32,
}

/// A shard's sockets.
#[derive(Debug)]
pub(crate) struct Port {
    epoll: OwnedFd,
    events: Vec<Event>,
    buffer: Box<[u8]>,
    kernel_times: bool,
    /// Never connected; asks for timestamps as long as the port lives. Without it the kernel would patch its own code each
    /// time the first of our connections opens and the last one closes.
    _timestamps: Option<OwnedFd>,
    /// Requests go out in one write each, with an answer in between, so that Nagle's algorithm never holds one back: then
    /// a connection is spared the call that turns it off.
    single_writes: bool,
    /// The machine paces by default (BBR), which a loopback has no use for.
    paces: bool,
}

impl Port {
    pub(crate) fn new(kernel_times: bool, single_writes: bool) -> Result<Self, Errno> {
        let socket = || {
            rustix::net::socket_with(
                AddressFamily::INET,
                SocketType::STREAM,
                SocketFlags::CLOEXEC,
                None,
            )
        };
        let timestamps = kernel_times.then(socket).transpose()?;
        timestamps.as_ref().map_or(Ok(()), ask_for_timestamps)?;
        Ok(Self {
            epoll: epoll::create(CreateFlags::CLOEXEC)?,
            events: Vec::with_capacity(EVENTS),
            buffer: vec![0; BUFFER].into_boxed_slice(),
            kernel_times,
            _timestamps: timestamps,
            single_writes,
            paces: sockopt::tcp_congestion(socket()?).is_ok_and(|name| name == "bbr"),
        })
    }

    /// Begins to connect; an event tells when it is done.
    pub(crate) fn connect(&self, target: &Target, token: Token) -> Result<OwnedFd, Errno> {
        let family = match target {
            Target::Tcp(address) if address.is_ipv4() => AddressFamily::INET,
            Target::Tcp(_) => AddressFamily::INET6,
            Target::Unix(_) => AddressFamily::UNIX,
        };
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        let socket = rustix::net::socket_with(family, SocketType::STREAM, flags, None)?;
        let begun = match target {
            Target::Tcp(address) => {
                if !self.single_writes {
                    sockopt::set_tcp_nodelay(&socket, true)?;
                }
                if self.paces && address.ip().is_loopback() {
                    // Pacing costs 3 % of a request's CPU. Reno is always there and always allowed.
                    sockopt::set_tcp_congestion(&socket, "reno").ok();
                }
                if self.kernel_times {
                    ask_for_timestamps(&socket)?;
                }
                rustix::net::connect(&socket, address)
            }
            Target::Unix(path) => rustix::net::connect(&socket, &SocketAddrUnix::new(path)?),
        };
        match begun {
            Ok(()) | Err(Errno::INPROGRESS) => {}
            Err(errno) => return Err(errno),
        }
        let flags = EventFlags::IN | EventFlags::OUT | EventFlags::RDHUP | EventFlags::ET;
        let data = u64::from(token.generation) << 32 | u64::from(token.slot);
        epoll::add(&self.epoll, &socket, EventData::new_u64(data), flags)?;
        Ok(socket)
    }

    /// Whether a connect that an event was about succeeded.
    pub(crate) fn connected(socket: &OwnedFd) -> Result<(), Errno> {
        sockopt::socket_error(socket)?
    }

    /// What the buffers of that socket have done; zeros where the kernel does not tell.
    pub(crate) fn buffers(socket: &OwnedFd) -> Buffers {
        // The last eight of these bytes of `struct tcp_info` are `tcpi_sndbuf_limited`, microseconds; since Linux 4.10.
        let info: [u8; 192] = option(socket, libc::IPPROTO_TCP, libc::TCP_INFO);
        let [.., a, b, c, d, e, f, g, h] = info;
        // The last of nine words is SK_MEMINFO_DROPS.
        let memory: [u8; 36] = option(socket, libc::SOL_SOCKET, libc::SO_MEMINFO);
        let [.., i, j, k, l] = memory;
        Buffers {
            send_full: Nanos(u64::from_ne_bytes([a, b, c, d, e, f, g, h]).saturating_mul(1000)),
            drops: u32::from_ne_bytes([i, j, k, l]),
        }
    }

    /// Sends what the socket takes; zero when it takes nothing now.
    pub(crate) fn send(socket: &OwnedFd, bytes: &[u8]) -> Result<usize, Errno> {
        loop {
            match rustix::net::send(socket, bytes, SendFlags::NOSIGNAL) {
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Ok(0),
                sent => return sent,
            }
        }
    }

    /// Reads into the shared buffer; [`Errno::AGAIN`] when there is nothing.
    pub(crate) fn receive(&mut self, socket: &OwnedFd) -> Result<Received, Errno> {
        loop {
            let received = if self.kernel_times {
                receive_with_timestamp(socket, &mut self.buffer)
            } else {
                rustix::net::recv(socket, &mut self.buffer[..], rustix::net::RecvFlags::empty())
                    .map(|(length, _)| (length, None))
            };
            match received {
                Err(Errno::INTR) => {}
                Err(errno) => return Err(errno),
                Ok((length, at)) => {
                    return Ok(Received {
                        length,
                        short: length < BUFFER,
                        at,
                    });
                }
            }
        }
    }

    /// The first bytes of the shared buffer, as the last [`Port::receive`] left them.
    pub(crate) fn received(&self, length: usize) -> &[u8] {
        &self.buffer[..length]
    }

    /// Waits for events, at most so long; returns how many there are.
    pub(crate) fn wait(&mut self, timeout: Nanos) -> Result<usize, Errno> {
        let timeout = Timespec {
            tv_sec: (timeout.0 / 1_000_000_000).cast_signed(),
            tv_nsec: (timeout.0 % 1_000_000_000).cast_signed(),
        };
        let mut events = [const { MaybeUninit::uninit() }; EVENTS];
        self.events.clear();
        match epoll::wait(&self.epoll, &mut events, Some(&timeout)) {
            Ok((events, _)) => self.events.extend(events.iter().map(Event::from)),
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
        Ok(self.events.len())
    }

    /// One of the events of the last [`Port::wait`].
    pub(crate) fn event(&self, index: usize) -> Event {
        self.events[index]
    }
}

impl From<&epoll::Event> for Event {
    fn from(event: &epoll::Event) -> Self {
        let data = event.data.u64();
        let flags = event.flags;
        let ended = flags.intersects(EventFlags::RDHUP | EventFlags::HUP | EventFlags::ERR);
        Self {
            token: Token {
                slot: data as u32,
                generation: (data >> 32) as u32,
            },
            readable: ended || flags.contains(EventFlags::IN),
            writable: ended || flags.contains(EventFlags::OUT),
            ended,
        }
    }
}

/// Has the kernel note when each segment came in, on the wall clock; it offers no other clock for this.
fn ask_for_timestamps(socket: &OwnedFd) -> Result<(), Errno> {
    let on: libc::c_int = 1;
    // SAFETY: the option value is a live `c_int` and its length is given.
    let result = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_TIMESTAMPNS,
            (&raw const on).cast(),
            size_of::<libc::c_int>() as libc::socklen_t,
        )
    };
    if result == 0 { Ok(()) } else { Err(last_errno()) }
}

/// An option of a socket; what the kernel does not fill stays zero.
fn option<const N: usize>(socket: &OwnedFd, level: libc::c_int, name: libc::c_int) -> [u8; N] {
    let mut value = [0; N];
    let mut length = N as libc::socklen_t;
    // SAFETY: `value` is live and writable, and `length` is its length; what the kernel writes are plain bytes.
    unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            level,
            name,
            value.as_mut_ptr().cast(),
            &raw mut length,
        )
    };
    value
}

/// Room for one timestamp message; `u64`s because its header must be aligned like one.
type Control = [MaybeUninit<u64>; 8];

/// `recvmsg` with room for the timestamp: bytes read, and when the last of them arrived.
fn receive_with_timestamp(socket: &OwnedFd, buffer: &mut [u8]) -> Result<(usize, Option<Nanos>), Errno> {
    let mut control: Control = [const { MaybeUninit::uninit() }; 8];
    let mut piece = libc::iovec {
        iov_base: buffer.as_mut_ptr().cast(),
        iov_len: buffer.len(),
    };
    // SAFETY: all zeroes is a valid `msghdr`: null pointers with zero lengths.
    let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
    message.msg_iov = &raw mut piece;
    message.msg_iovlen = 1;
    message.msg_control = control.as_mut_ptr().cast();
    message.msg_controllen = size_of::<Control>();
    // SAFETY: `message` points to `buffer` and `control`, both live, writable and of the lengths given.
    let length = unsafe { libc::recvmsg(socket.as_raw_fd(), &raw mut message, 0) };
    let length = usize::try_from(length).map_err(|_| last_errno())?;
    Ok((length, timestamp(&message)))
}

/// The receive timestamp among the control messages.
fn timestamp(message: &libc::msghdr) -> Option<Nanos> {
    // SAFETY: the kernel filled `msg_control` with whole messages up to `msg_controllen`; the macro checks the length.
    let header = unsafe { libc::CMSG_FIRSTHDR(message).as_ref() }?;
    if header.cmsg_level != libc::SOL_SOCKET || header.cmsg_type != libc::SCM_TIMESTAMPNS {
        return None;
    }
    // SAFETY: a message of this type holds a `timespec`, which the kernel does not promise to align.
    let time: libc::timespec = unsafe { libc::CMSG_DATA(header).cast::<libc::timespec>().read_unaligned() };
    Some(Nanos(
        time.tv_sec.cast_unsigned() * 1_000_000_000 + time.tv_nsec.cast_unsigned(),
    ))
}

fn last_errno() -> Errno {
    Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::IO)
}
