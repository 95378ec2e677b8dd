//! [`Conn`]: one connection slot of a shard.

use crate::http1::Http1;
use crate::http2::Http2;
use crate::port::{BufferStatistics, Token};
use crate::request_picker::PickedRequest;
use crate::tls::TlsConnection;
use crate::tunnel::Dialogue;
use crate::web_socket::WebSocket;
use model::units::Nanos;
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use std::collections::VecDeque;
use std::net::SocketAddr;
use std::ops::Range;
use traffic::plan::Plan;

/// What a slot is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConnState {
    /// It has no socket.
    Missing,
    /// It waits before it tries to connect again.
    Resting,
    /// Its TCP connect is under way.
    Connecting,
    /// TCP is connected to a proxy, which is asked for the server.
    Tunnelling,
    /// TCP is connected; the TLS handshake is under way.
    Handshaking,
    /// HTTP/2: it is connected, and the server has not told its settings yet.
    Greeting,
    /// HTTP/2: it carries the streams of other slots.
    Carrying,
    /// WebSocket: it is connected, and the answer to the opening handshake is awaited.
    Upgrading,
    /// It is connected and nothing is in flight.
    Idle,
    /// HTTP/2: its request waits until the server allows another stream.
    Queued,
    /// One or more requests are in flight.
    Busy,
}

/// Why the connection of a slot has failed, as far as the system says it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ConnectionFailure {
    /// It did not come about.
    NotMade(Errno),
    /// It did not come about within the plan's `connect_timeout`.
    TooSlow,
    /// It broke.
    Broken(Errno),
}

/// What a slot has that is an HTTP/2 connection.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) http2: Http2,
    /// The slots of its lanes.
    pub(crate) lanes: Range<usize>,
    /// The number of the connection.
    pub(crate) number: usize,
    /// Lanes whose requests wait for a stream, because the server allows no further one.
    pub(crate) waiting: VecDeque<usize>,
    /// Lanes whose requests were written since bytes were sent last.
    pub(crate) batch: Vec<usize>,
    /// Lanes whose requests have a body that has not left as a whole.
    pub(crate) unsent: usize,
    /// It is in the list of connections that have something to send.
    pub(crate) is_dirty: bool,
}

/// The most messages that are kept for a user of a session who has not asked for them yet, and the most bytes of them.
const MOST_UNREAD: usize = 64;
const MOST_UNREAD_BYTES: usize = 256 * 1024;

/// What a slot has that is a connection of WebSocket.
#[derive(Debug)]
pub(crate) struct Channel {
    pub(crate) codec: WebSocket,
    /// The text that the awaited message has; empty where any will do.
    pub(crate) wanted: Vec<u8>,
    /// When the exchange was complete: the awaited message has arrived, or what was sent needs no answer.
    pub(crate) complete: Option<Nanos>,
    /// Messages that came since the request was sent and were not the awaited one.
    pub(crate) others: u64,
    /// Sessions: messages that nobody has asked for yet, the oldest first.
    unread: VecDeque<Vec<u8>>,
    unread_bytes: usize,
}

impl Channel {
    pub(crate) fn new(codec: WebSocket) -> Self {
        Self {
            codec,
            wanted: Vec::new(),
            complete: None,
            others: 0,
            unread: VecDeque::new(),
            unread_bytes: 0,
        }
    }

    /// Keeps the message that has come, for a user who asks for it later. The oldest ones are forgotten when there are too many.
    pub(crate) fn keep_unread(&mut self) {
        let content = self.codec.content();
        self.unread_bytes += content.len();
        self.unread.push_back(content.to_vec());
        while self.unread.len() > MOST_UNREAD || self.unread_bytes > MOST_UNREAD_BYTES {
            self.take_unread();
        }
    }

    /// The oldest message that nobody has asked for.
    pub(crate) fn take_unread(&mut self) -> Option<Vec<u8>> {
        let oldest = self.unread.pop_front()?;
        self.unread_bytes -= oldest.len();
        Some(oldest)
    }

    /// Forgets the messages that nobody has asked for.
    pub(crate) fn forget_unread(&mut self) {
        self.unread.clear();
        self.unread_bytes = 0;
    }

    /// Forgets everything about a connection that has ended.
    fn reset(&mut self) {
        self.codec.reset();
        self.forget_unread();
        (self.complete, self.others) = (None, 0);
    }
}

/// One connection slot. In a closed model without a pool it belongs to one user, and a user who plays sessions has one for each server.
/// Otherwise it takes whatever request is due next.
#[derive(Debug)]
pub(crate) struct Conn {
    /// The number of the server to which it connects, see [`traffic::plan::Plan::targets`].
    pub(crate) server: usize,
    /// The socket; it exists in all states but [`ConnState::Missing`] and [`ConnState::Resting`].
    pub(crate) socket: Option<OwnedFd>,
    /// Where its connection goes, or went that was the last one; `None` for a unix socket.
    pub(crate) address: Option<SocketAddr>,
    /// Why its connection has failed, or the last one.
    pub(crate) failure: Option<ConnectionFailure>,
    /// The conversation with a proxy, in [`ConnState::Tunnelling`].
    pub(crate) tunnel: Option<Box<Dialogue>>,
    pub(crate) tls: Option<TlsConnection>,
    pub(crate) state: ConnState,
    /// Counts the connections of this slot, see [`Token`].
    pub(crate) generation: u32,
    pub(crate) codec: Http1,
    /// What a connection of HTTP/2 has beside; such a slot sends no requests itself.
    pub(crate) link: Option<Box<Link>>,
    /// What a connection of WebSocket has beside.
    pub(crate) channel: Option<Box<Channel>>,
    /// HTTP/2: the slot of the connection on which the request in flight was sent.
    pub(crate) via: usize,
    /// HTTP/2: the request was due when the answer before it had come. It is sent, and due, together with others.
    pub(crate) at_once: bool,
    /// HTTP/2: when the body of the request had to wait for a window of the server first.
    pub(crate) throttled: Option<Nanos>,
    /// A request is claimed and waits for this connection.
    pub(crate) pending: bool,
    /// The requests were sent before, on a connection that turned out to be closed.
    pub(crate) resent: bool,
    /// The request that is pending, or the first one in flight.
    pub(crate) picked: PickedRequest,
    /// The requests that are pipelined behind it; responses come in this order.
    pub(crate) behind: VecDeque<PickedRequest>,
    /// Closed model: the user whose requests these are. Where connections are not shared, it is always the same one.
    pub(crate) user: usize,
    /// The bytes of what is in flight, where numbers are inserted or several requests are sent at once. Empty when the bytes
    /// of the plan's request are sent as they are.
    pub(crate) rendered: Vec<u8>,
    /// Number of bytes of what is in flight.
    pub(crate) length: usize,
    /// Number of these bytes that were handed to the socket, or to TLS.
    pub(crate) written: usize,
    /// Bytes of the present response so far, head included.
    pub(crate) received: u64,
    /// Responses completed on this connection.
    pub(crate) answered: u64,
    /// After this time the request is given up, if its step says so.
    pub(crate) timeout: Option<Nanos>,
    /// When the request was due.
    pub(crate) due: Nanos,
    /// When the request was sent.
    pub(crate) sent: Nanos,
    /// How much earlier the generator could have sent it: from when it was due and this connection was free.
    pub(crate) send_delay: Nanos,
    /// When the first byte of the response arrived.
    pub(crate) first_byte: Nanos,
    /// The statistics of the socket's buffers at the end of the last slice.
    pub(crate) buffers: BufferStatistics,
    /// When the present state began (not set for [`ConnState::Busy`]). For [`ConnState::Resting`], when it ends.
    pub(crate) since: Nanos,
}

impl Conn {
    /// A slot without a connection. Memory is reserved for `pipeline` requests at once and for `rendered` bytes of them.
    /// With `keeps_answers`, each answer is kept until the next one.
    pub(crate) fn new(pipeline: usize, rendered: usize, keeps_answers: bool) -> Self {
        Self {
            server: 0,
            socket: None,
            address: None,
            failure: None,
            tunnel: None,
            tls: None,
            state: ConnState::Missing,
            generation: 0,
            codec: if keeps_answers { Http1::keeping() } else { Http1::default() },
            link: None,
            channel: None,
            via: usize::MAX,
            at_once: false,
            throttled: None,
            pending: false,
            resent: false,
            picked: PickedRequest::default(),
            behind: VecDeque::with_capacity(pipeline - 1),
            user: 0,
            rendered: Vec::with_capacity(rendered),
            length: 0,
            written: 0,
            received: 0,
            answered: 0,
            timeout: None,
            due: Nanos(0),
            sent: Nanos(0),
            send_delay: Nanos(0),
            first_byte: Nanos(0),
            buffers: BufferStatistics::default(),
            since: Nanos(0),
        }
    }

    /// The bytes of what is in flight, as HTTP/1 writes them.
    pub(crate) fn bytes<'a>(&'a self, plan: &'a Plan) -> &'a [u8] {
        match self.rendered.is_empty() {
            true => &plan.requests[self.picked.request].bytes,
            false => &self.rendered,
        }
    }

    /// Names the present connection of this slot.
    pub(crate) const fn token(&self, slot: usize) -> Token {
        Token { slot: slot as u32, generation: self.generation }
    }

    /// The number of requests in flight or pending, if there are any.
    pub(crate) fn request_count(&self) -> usize {
        1 + self.behind.len()
    }

    /// Moves on to the next of the pipelined requests, because the first one has ended. Returns false when there is none.
    pub(crate) fn advance_pipeline(&mut self) -> bool {
        let Some(picked) = self.behind.pop_front() else {
            return false;
        };
        (self.picked, self.received) = (picked, 0);
        true
    }

    /// True when a part of the requests has not left yet.
    pub(crate) fn has_unsent_bytes(&self) -> bool {
        self.written < self.length
            || self.tls.as_ref().is_some_and(|tls| !tls.is_flushed())
            || self.channel.as_ref().is_some_and(|channel| !channel.codec.waiting().is_empty())
    }

    /// Announces the end of an idle TLS connection to the server; does nothing in other states.
    pub(crate) fn send_close_notify(&mut self) {
        if let (Some(tls), Some(socket), ConnState::Idle | ConnState::Carrying) =
            (&mut self.tls, &self.socket, self.state)
        {
            tls.send_close_notify(socket);
        }
    }

    /// Closes the socket if there is one. Events about it that are still queued are recognised by their generation.
    pub(crate) fn close(&mut self) {
        self.tunnel = None;
        self.tls = None;
        self.socket = None;
        self.state = ConnState::Missing;
        self.generation = self.generation.wrapping_add(1);
        self.codec.reset();
        if let Some(channel) = &mut self.channel {
            channel.reset();
        }
        self.buffers = BufferStatistics::default();
        self.answered = 0;
    }
}
