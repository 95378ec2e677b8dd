//! [`Port`]: the sockets of a shard.
//!
//! No other module touches sockets, and no module outside of this one has `unsafe` code in this crate; it is needed to receive
//! with the kernel's timestamp, and in [`policy`] to set the scheduling policy, for which the safe wrappers have no call.
//!
//! Sockets are non-blocking and registered with epoll once, edge-triggered, for reading and writing. So a connection needs
//! no further call to epoll. In return, after an event one has to receive until a read returns less than was asked for, or ask for another event.
#![allow(unsafe_code)]

pub(crate) mod policy;

use model::units::Nanos;
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::fd::{AsRawFd, OwnedFd};
use rustix::io::Errno;
use rustix::net::{AddressFamily, SendFlags, SocketAddrUnix, SocketFlags, SocketType, sockopt};
use rustix::time::Timespec;
use std::mem::MaybeUninit;
use std::net::{IpAddr, SocketAddr};
use traffic::plan::Target;

/// The most bytes of one read. All connections of a shard share one buffer of this size.
const BUFFER: usize = 64 * 1024;
/// The most reads of a connection in a turn of the loop, which are 1 MiB. A server that sends faster than the loop reads would otherwise keep it from
/// all other connections, from what is due, and from sending that no more is wanted.
pub(crate) const READS: usize = 16;
/// The most events of one wait. With more, the connections handled last would wait longer for no gain.
const EVENTS: usize = 256;

/// Names one connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    /// The slot of the connection.
    pub(crate) slot: u32,
    /// The number of the connection within its slot. Events of an earlier connection may still be queued; they are
    /// recognised by this number.
    pub(crate) generation: u32,
}

impl From<Token> for EventData {
    fn from(token: Token) -> Self {
        Self::new_u64(u64::from(token.generation) << 32 | u64::from(token.slot))
    }
}

/// What is told of a socket: each change of what it can do.
const INTEREST: EventFlags =
    EventFlags::IN.union(EventFlags::OUT).union(EventFlags::RDHUP).union(EventFlags::ET);

/// What happened to a connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SocketEvent {
    pub(crate) token: Token,
    /// There is something to read: bytes, the end of the stream, or an error.
    pub(crate) readable: bool,
    /// The socket takes bytes to be sent, or an error is to be reported.
    pub(crate) writable: bool,
    /// The other side will send no more, or the connection is broken. The stream should be read to its end.
    pub(crate) ended: bool,
}

/// The result of a successful read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Received {
    /// Number of bytes; 0 at the end of the stream.
    pub(crate) length: usize,
    /// True when fewer bytes were read than was asked for, so that nothing is left to read now.
    pub(crate) short: bool,
    /// When the last of these bytes arrived, on the wall clock; `None` without kernel timestamps.
    pub(crate) at: Option<Nanos>,
}

/// Statistics of the kernel about the buffers of a TCP socket, counted since it was opened.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BufferStatistics {
    /// Time in which the sender had to wait because the send buffer had been full and was not refilled yet
    /// (`tcpi_sndbuf_limited`).
    pub(crate) send_full: Nanos,
    /// Segments dropped before they reached the receive queue (`SK_MEMINFO_DROPS`). The number wraps around.
    pub(crate) drops: u32,
}

/// The epoll instance of a shard, and the buffer into which its sockets are read.
#[derive(Debug)]
pub(crate) struct Port {
    epoll: OwnedFd,
    /// The events of the last wait.
    events: Vec<SocketEvent>,
    /// The bytes of the last read.
    buffer: Box<[u8]>,
    /// Whether the kernel is asked when bytes arrived.
    kernel_times: bool,
    /// A socket that is never connected and has timestamps switched on. While there is one, the kernel keeps its code for
    /// timestamps active. Without it, the kernel would patch its own code whenever the first connection opens and the
    /// last one closes.
    _timestamps: Option<OwnedFd>,
    /// Every request is one write and has its response before the next one, so that Nagle's algorithm never delays any.
    /// Then the system call that turns it off is spared.
    single_writes: bool,
    /// The machine's default congestion control (BBR) paces packets, which is of no use on a loopback interface.
    paces: bool,
}

impl Port {
    /// See the fields for the arguments.
    pub(crate) fn new(kernel_times: bool, single_writes: bool) -> Result<Self, Errno> {
        let socket =
            || rustix::net::socket_with(AddressFamily::INET, SocketType::STREAM, SocketFlags::CLOEXEC, None);
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

    /// Begins to connect a socket. An event with this token tells when the connect has succeeded or failed.
    pub(crate) fn connect(
        &self,
        target: &Target,
        source: Option<IpAddr>,
        token: Token,
    ) -> Result<OwnedFd, Errno> {
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
                    // Pacing costs 3 % of the CPU time of a request. Reno is in every kernel and allowed to every user.
                    sockopt::set_tcp_congestion(&socket, "reno").ok();
                }
                if self.kernel_times {
                    ask_for_timestamps(&socket)?;
                }
                if let Some(source) = source {
                    bind_to(&socket, source)?;
                }
                rustix::net::connect(&socket, address)
            }
            Target::Unix(path) => rustix::net::connect(&socket, &SocketAddrUnix::new(path)?),
        };
        match begun {
            Ok(()) | Err(Errno::INPROGRESS) => {}
            Err(errno) => return Err(errno),
        }
        epoll::add(&self.epoll, &socket, token.into(), INTEREST)?;
        Ok(socket)
    }

    /// Lets another event tell what there is to read on a socket, as if it had come just now.
    pub(crate) fn tell_again(&self, socket: &OwnedFd, token: Token) -> Result<(), Errno> {
        epoll::modify(&self.epoll, socket, token.into(), INTEREST)
    }

    /// The outcome of a connect, once an event has reported it.
    pub(crate) fn connect_result(socket: &OwnedFd) -> Result<(), Errno> {
        sockopt::socket_error(socket)?
    }

    /// Statistics of the buffers of a socket; 0 where the kernel does not provide them.
    pub(crate) fn buffer_statistics(socket: &OwnedFd) -> BufferStatistics {
        // The last eight of these bytes of `struct tcp_info` are `tcpi_sndbuf_limited` in microseconds (since Linux 4.10).
        let info: [u8; 192] = option(socket, libc::IPPROTO_TCP, libc::TCP_INFO);
        let [.., a, b, c, d, e, f, g, h] = info;
        // The last of nine words is SK_MEMINFO_DROPS.
        let memory: [u8; 36] = option(socket, libc::SOL_SOCKET, libc::SO_MEMINFO);
        let [.., i, j, k, l] = memory;
        BufferStatistics {
            send_full: Nanos(u64::from_ne_bytes([a, b, c, d, e, f, g, h]).saturating_mul(1000)),
            drops: u32::from_ne_bytes([i, j, k, l]),
        }
    }

    /// Sends as many bytes as the socket takes and returns their number; 0 when it takes none now.
    pub(crate) fn send(socket: &OwnedFd, bytes: &[u8]) -> Result<usize, Errno> {
        loop {
            match rustix::net::send(socket, bytes, SendFlags::NOSIGNAL) {
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Ok(0),
                sent => return sent,
            }
        }
    }

    /// Reads into the shared buffer. The error is [`Errno::AGAIN`] when there is nothing to read.
    pub(crate) fn receive(&mut self, socket: &OwnedFd) -> Result<Received, Errno> {
        self.receive_at_most(socket, BUFFER)
    }

    /// Reads as [`Port::receive`] does, but not more than so many bytes.
    pub(crate) fn receive_at_most(&mut self, socket: &OwnedFd, most: usize) -> Result<Received, Errno> {
        loop {
            let buffer = &mut self.buffer[..most.min(BUFFER)];
            let received = if self.kernel_times {
                receive_with_timestamp(socket, buffer)
            } else {
                rustix::net::recv(socket, buffer, rustix::net::RecvFlags::empty())
                    .map(|(length, _)| (length, None))
            };
            match received {
                Err(Errno::INTR) => {}
                Err(errno) => return Err(errno),
                Ok((length, at)) => {
                    return Ok(Received { length, short: length < most, at });
                }
            }
        }
    }

    /// The first `length` bytes of the shared buffer, which the last [`Port::receive`] filled.
    pub(crate) fn received_bytes(&self, length: usize) -> &[u8] {
        &self.buffer[..length]
    }

    /// Waits for events, at most `timeout`, and returns their number.
    pub(crate) fn wait(&mut self, timeout: Nanos) -> Result<usize, Errno> {
        let timeout = Timespec {
            tv_sec: (timeout.0 / 1_000_000_000).cast_signed(),
            tv_nsec: (timeout.0 % 1_000_000_000).cast_signed(),
        };
        let mut events = [const { MaybeUninit::uninit() }; EVENTS];
        self.events.clear();
        match epoll::wait(&self.epoll, &mut events, Some(&timeout)) {
            Ok((events, _)) => self.events.extend(events.iter().map(SocketEvent::from)),
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
        Ok(self.events.len())
    }

    /// The event number `index` of the last [`Port::wait`].
    pub(crate) fn event(&self, index: usize) -> SocketEvent {
        self.events[index]
    }
}

impl From<&epoll::Event> for SocketEvent {
    fn from(event: &epoll::Event) -> Self {
        let data = event.data.u64();
        let flags = event.flags;
        let ended = flags.intersects(EventFlags::RDHUP | EventFlags::HUP | EventFlags::ERR);
        Self {
            token: Token { slot: data as u32, generation: (data >> 32) as u32 },
            readable: ended || flags.contains(EventFlags::IN),
            writable: ended || flags.contains(EventFlags::OUT),
            ended,
        }
    }
}

/// Asks the kernel to record when segments arrive. It uses the wall clock and offers no other clock for this.
fn ask_for_timestamps(socket: &OwnedFd) -> Result<(), Errno> {
    set_flag(socket, libc::SOL_SOCKET, libc::SO_TIMESTAMPNS)
}

/// Lets a socket connect from this address. Its port is chosen when it connects, by where it connects to, so that each address has all its
/// ports for each server.
fn bind_to(socket: &OwnedFd, source: IpAddr) -> Result<(), Errno> {
    set_flag(socket, libc::IPPROTO_IP, libc::IP_BIND_ADDRESS_NO_PORT)?;
    rustix::net::bind(socket, &SocketAddr::new(source, 0))
}

/// Switches a socket option on.
fn set_flag(socket: &OwnedFd, level: libc::c_int, name: libc::c_int) -> Result<(), Errno> {
    let on: libc::c_int = 1;
    // SAFETY: the option value is a live `c_int` and its length is given.
    let result = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            level,
            name,
            (&raw const on).cast(),
            size_of::<libc::c_int>() as libc::socklen_t,
        )
    };
    if result == 0 { Ok(()) } else { Err(last_errno()) }
}

/// The value of a socket option; bytes that the kernel does not fill are 0.
fn option<const N: usize>(socket: &OwnedFd, level: libc::c_int, name: libc::c_int) -> [u8; N] {
    let mut value = [0; N];
    let mut length = N as libc::socklen_t;
    // SAFETY: `value` is live and writable, and `length` is its length; what the kernel writes are plain bytes.
    unsafe { libc::getsockopt(socket.as_raw_fd(), level, name, value.as_mut_ptr().cast(), &raw mut length) };
    value
}

/// A buffer for one control message with a timestamp. It is made of `u64`s because the header must be aligned like one.
type Control = [MaybeUninit<u64>; 8];

/// Reads with `recvmsg`; returns the number of bytes, and when the last of them arrived on the wall clock.
fn receive_with_timestamp(socket: &OwnedFd, buffer: &mut [u8]) -> Result<(usize, Option<Nanos>), Errno> {
    let mut control: Control = [const { MaybeUninit::uninit() }; 8];
    let mut piece = libc::iovec { iov_base: buffer.as_mut_ptr().cast(), iov_len: buffer.len() };
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

/// The receive timestamp in the first control message; `None` when that is something else.
fn timestamp(message: &libc::msghdr) -> Option<Nanos> {
    // SAFETY: the kernel filled `msg_control` with whole messages up to `msg_controllen`; the macro checks the length.
    let header = unsafe { libc::CMSG_FIRSTHDR(message).as_ref() }?;
    if header.cmsg_level != libc::SOL_SOCKET || header.cmsg_type != libc::SCM_TIMESTAMPNS {
        return None;
    }
    // SAFETY: a message of this type holds a `timespec`, which the kernel does not promise to align.
    let time: libc::timespec = unsafe { libc::CMSG_DATA(header).cast::<libc::timespec>().read_unaligned() };
    Some(Nanos(time.tv_sec.cast_unsigned() * 1_000_000_000 + time.tv_nsec.cast_unsigned()))
}

/// The error of the system call that failed last on this thread.
fn last_errno() -> Errno {
    Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::IO)
}
