//! One connection of the scripted server: it reads requests and writes the bytes of the scripted replies.

use crate::reply::{Ending, Reply};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, recv, send, sockopt};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The most bytes written in one call of [`Connection::write`]. Without a limit, an endless reply to a quick reader would
/// occupy the only thread.
const BYTES_PER_WRITE: usize = 256 * 1024;

/// What the server has to do next for a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NextStep {
    /// It waits for an event.
    AwaitEvent,
    /// It writes again at this time.
    WriteAt(Instant),
    /// The reply is complete.
    FinishReply,
    /// The connection is broken and is forgotten.
    Forget,
}

/// A connection and the reply that is being written on it.
#[derive(Debug)]
pub(crate) struct Connection {
    socket: OwnedFd,
    /// Bytes that were received and do not form a whole request yet.
    incoming: Vec<u8>,
    /// Number of replies completed.
    pub(crate) answered: u64,
    /// The reply in progress, if there is one.
    current: Option<ReplyInProgress>,
}

/// A reply that is being written.
#[derive(Debug)]
struct ReplyInProgress {
    reply: Arc<Reply>,
    /// When the request had been read.
    requested: Instant,
    /// When the first byte was written; `None` before.
    began: Option<Instant>,
    /// The index of the piece that is written next.
    piece: usize,
    /// Bytes of this piece that were written.
    written: usize,
    /// This piece is not written before this time.
    not_before: Instant,
}

impl Connection {
    /// A connection on which nothing was received yet.
    pub(crate) fn new(socket: OwnedFd) -> Self {
        Self { socket, incoming: Vec::new(), answered: 0, current: None }
    }

    /// True while a reply is in progress.
    pub(crate) const fn is_answering(&self) -> bool {
        self.current.is_some()
    }

    /// Reads all bytes that have arrived. Returns false when the client has closed the connection.
    pub(crate) fn read(&mut self) -> bool {
        let mut buffer = [0; 16 * 1024];
        loop {
            match recv(&self.socket, &mut buffer[..], RecvFlags::empty()) {
                Ok((0, _)) => return false,
                Ok((length, _)) => self.incoming.extend_from_slice(&buffer[..length]),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return true,
                Err(_) => return false,
            }
        }
    }

    /// Takes the first whole request from what was read; `None` when there is none.
    pub(crate) fn take_request(&mut self) -> Option<Vec<u8>> {
        let head = self.incoming.windows(4).position(|window| window == b"\r\n\r\n")?;
        let length = head + 4 + body_length(&self.incoming[..head]);
        if self.incoming.len() < length {
            return None;
        }
        Some(self.incoming.drain(..length).collect())
    }

    /// Begins the reply to a request that had been read at `now`.
    pub(crate) fn begin(&mut self, reply: Arc<Reply>, now: Instant) {
        let not_before = now + reply.delay + reply.pieces.first().map_or(Duration::ZERO, |piece| piece.pause);
        self.current =
            Some(ReplyInProgress { reply, requested: now, began: None, piece: 0, written: 0, not_before });
    }

    /// Writes the pieces of the reply whose time has come.
    pub(crate) fn write(&mut self) -> NextStep {
        let Some(current) = &mut self.current else {
            return NextStep::AwaitEvent;
        };
        let mut budget = BYTES_PER_WRITE;
        loop {
            let now = Instant::now();
            let Some(piece) = current.reply.pieces.get(current.piece) else {
                return NextStep::FinishReply;
            };
            if now < current.not_before {
                return NextStep::WriteAt(current.not_before);
            }
            current.began.get_or_insert(now);
            let rest = &piece.bytes[current.written..];
            if !rest.is_empty() {
                match send(&self.socket, rest, SendFlags::NOSIGNAL) {
                    Ok(sent) => current.written += sent,
                    Err(Errno::INTR) => continue,
                    Err(Errno::AGAIN) => return NextStep::AwaitEvent,
                    Err(_) => return NextStep::Forget,
                }
                budget = budget.saturating_sub(rest.len());
            }
            current.advance(now);
            if budget == 0 {
                return NextStep::WriteAt(now);
            }
        }
    }

    /// The delay of the reply in progress: from the end of the request to the first byte written. `None` when nothing was
    /// written.
    pub(crate) fn delay(&self) -> Option<Duration> {
        let current = self.current.as_ref()?;
        Some(current.began? - current.requested)
    }

    /// Ends the reply in progress, so that the next request can be answered.
    pub(crate) fn finish_reply(&mut self) {
        self.current = None;
        self.answered += 1;
    }

    /// What the reply in progress does with the connection.
    pub(crate) fn ending(&self) -> Ending {
        self.current.as_ref().map_or(Ending::KeepOpen, |current| current.reply.ending)
    }

    /// Prepares the socket so that dropping it closes or resets the connection.
    pub(crate) fn prepare_close(&self, ending: Ending) {
        if ending == Ending::Reset {
            // With a linger time of 0, closing the socket resets the connection.
            sockopt::set_socket_linger(&self.socket, Some(Duration::ZERO)).ok();
        } else {
            rustix::net::shutdown(&self.socket, rustix::net::Shutdown::Write).ok();
        }
    }
}

impl ReplyInProgress {
    /// Moves on to the next piece when the present one has been written.
    fn advance(&mut self, now: Instant) {
        if self.written < self.reply.pieces[self.piece].bytes.len() {
            return;
        }
        self.written = 0;
        if !(self.reply.endless && self.piece + 1 == self.reply.pieces.len()) {
            self.piece += 1;
        }
        if let Some(next) = self.reply.pieces.get(self.piece) {
            self.not_before = now + next.pause;
        }
    }
}

/// The `Content-Length` in the head of a request, or 0.
fn body_length(head: &[u8]) -> usize {
    let text = String::from_utf8_lossy(head);
    let mut headers = text.lines().filter_map(|line| line.split_once(':'));
    headers
        .find(|(name, _)| name.eq_ignore_ascii_case("content-length"))
        .and_then(|(_, value)| value.trim().parse().ok())
        .unwrap_or(0)
}
