//! [`Conn`]: one connection slot of a shard.

use crate::http1::Http1;
use crate::port::{Buffers, Token};
use crate::tls::Tls;
use model::units::Nanos;
use rustix::fd::OwnedFd;
use std::collections::VecDeque;

/// What a slot is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// No socket.
    Missing,
    /// Waits before it tries to connect again.
    Resting,
    Connecting,
    /// TCP is connected, TLS not yet.
    Handshaking,
    /// Connected, nothing in flight.
    Idle,
    /// A request is in flight.
    Busy,
}

/// One connection slot. In a closed model it is one user; in an open model it takes whatever request is due next.
#[derive(Debug)]
pub(crate) struct Conn {
    pub(crate) socket: Option<OwnedFd>,
    pub(crate) tls: Option<Tls>,
    pub(crate) phase: Phase,
    pub(crate) generation: u32,
    pub(crate) codec: Http1,
    /// A request is claimed and waits for this connection.
    pub(crate) pending: bool,
    /// The request was sent before, on a connection that turned out to be closed.
    pub(crate) resent: bool,
    /// Which of the plan's requests is in flight or pending.
    pub(crate) request: usize,
    /// The number of its iteration.
    pub(crate) counter: u64,
    /// Requests pipelined behind it, each with the number of its iteration; answers come in this order.
    pub(crate) behind: VecDeque<(usize, u64)>,
    /// Closed model: whose request it is.
    pub(crate) user: usize,
    /// The bytes of what is in flight, when numbers had to be written into them or several requests go out at once.
    pub(crate) rendered: Vec<u8>,
    /// Length on the wire of what is in flight.
    pub(crate) length: usize,
    /// Bytes of it that the socket has taken.
    pub(crate) written: usize,
    /// Bytes of the response so far.
    pub(crate) received: u64,
    /// Responses completed on this connection.
    pub(crate) answered: u64,
    pub(crate) due: Nanos,
    pub(crate) sent: Nanos,
    pub(crate) first_byte: Nanos,
    /// What its socket's buffers had done when the last slice ended.
    pub(crate) buffers: Buffers,
    /// When the present phase began, except [`Phase::Busy`]; for [`Phase::Resting`] when it ends.
    pub(crate) since: Nanos,
}

impl Conn {
    /// With room for so many requests at once, of that length together.
    pub(crate) fn new(pipeline: usize, rendered: usize) -> Self {
        Self {
            socket: None,
            tls: None,
            phase: Phase::Missing,
            generation: 0,
            codec: Http1::default(),
            pending: false,
            resent: false,
            request: 0,
            counter: 0,
            behind: VecDeque::with_capacity(pipeline - 1),
            user: 0,
            rendered: Vec::with_capacity(rendered),
            length: 0,
            written: 0,
            received: 0,
            answered: 0,
            due: Nanos(0),
            sent: Nanos(0),
            first_byte: Nanos(0),
            buffers: Buffers::default(),
            since: Nanos(0),
        }
    }

    pub(crate) const fn token(&self, slot: usize) -> Token {
        Token {
            slot: slot as u32,
            generation: self.generation,
        }
    }

    /// Requests in flight, or pending.
    pub(crate) fn asked(&self) -> usize {
        1 + self.behind.len()
    }

    /// The answer to the first request in line is dealt with; false when no other waits behind it.
    pub(crate) fn next_in_line(&mut self) -> bool {
        let Some((request, counter)) = self.behind.pop_front() else {
            return false;
        };
        (self.request, self.counter, self.received) = (request, counter, 0);
        true
    }

    /// Whether some of the request has still to go out.
    pub(crate) fn unsent(&self) -> bool {
        self.written < self.length || self.tls.as_ref().is_some_and(|tls| !tls.flushed())
    }

    /// Before a connection is closed between two requests.
    pub(crate) fn say_goodbye(&mut self) {
        if let (Some(tls), Some(socket), Phase::Idle) = (&mut self.tls, &self.socket, self.phase) {
            tls.close(socket);
        }
    }

    /// Closes the socket, if there is one; what is still queued about it will be recognised as old.
    pub(crate) fn close(&mut self) {
        self.tls = None;
        self.socket = None;
        self.phase = Phase::Missing;
        self.generation = self.generation.wrapping_add(1);
        self.codec.reset();
        self.buffers = Buffers::default();
        self.answered = 0;
    }
}
