//! One connection of the scripted server: requests in, scripted bytes out.

use crate::reply::{Ending, Reply};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, recv, send, sockopt};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Bytes written per visit; an endless reply to a quick reader would else keep the only thread.
const BYTES_PER_VISIT: usize = 256 * 1024;

/// What the server has to do next for a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Wait for an event.
    Event,
    /// Come back at that time.
    At(Instant),
    /// The reply is complete.
    Answered,
    /// Forget the connection.
    Gone,
}

#[derive(Debug)]
pub(crate) struct Connection {
    socket: OwnedFd,
    incoming: Vec<u8>,
    pub(crate) answered: u64,
    current: Option<Current>,
}

/// A reply on its way.
#[derive(Debug)]
struct Current {
    reply: Arc<Reply>,
    asked: Instant,
    began: Option<Instant>,
    piece: usize,
    written: usize,
    not_before: Instant,
}

impl Connection {
    pub(crate) fn new(socket: OwnedFd) -> Self {
        Self {
            socket,
            incoming: Vec::new(),
            answered: 0,
            current: None,
        }
    }

    pub(crate) const fn is_answering(&self) -> bool {
        self.current.is_some()
    }

    /// Reads all there is; false when the client has gone.
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

    /// Takes one whole request from what was read.
    pub(crate) fn take_request(&mut self) -> Option<Vec<u8>> {
        let head = self
            .incoming
            .windows(4)
            .position(|window| window == b"\r\n\r\n")?;
        let length = head + 4 + body_length(&self.incoming[..head]);
        if self.incoming.len() < length {
            return None;
        }
        Some(self.incoming.drain(..length).collect())
    }

    /// Begins the reply to a request that was read by `now`.
    pub(crate) fn begin(&mut self, reply: Arc<Reply>, now: Instant) {
        let not_before = now + reply.delay + reply.pieces.first().map_or(Duration::ZERO, |piece| piece.pause);
        self.current = Some(Current {
            reply,
            asked: now,
            began: None,
            piece: 0,
            written: 0,
            not_before,
        });
    }

    /// Writes what is due of the reply.
    pub(crate) fn write(&mut self) -> Next {
        let Some(current) = &mut self.current else {
            return Next::Event;
        };
        let mut budget = BYTES_PER_VISIT;
        loop {
            let now = Instant::now();
            let Some(piece) = current.reply.pieces.get(current.piece) else {
                return Next::Answered;
            };
            if now < current.not_before {
                return Next::At(current.not_before);
            }
            current.began.get_or_insert(now);
            let rest = &piece.bytes[current.written..];
            if !rest.is_empty() {
                match send(&self.socket, rest, SendFlags::NOSIGNAL) {
                    Ok(sent) => current.written += sent,
                    Err(Errno::INTR) => continue,
                    Err(Errno::AGAIN) => return Next::Event,
                    Err(_) => return Next::Gone,
                }
                budget = budget.saturating_sub(rest.len());
            }
            current.advance(now);
            if budget == 0 {
                return Next::At(now);
            }
        }
    }

    /// How long the present reply was held back.
    pub(crate) fn held(&self) -> Option<Duration> {
        let current = self.current.as_ref()?;
        Some(current.began? - current.asked)
    }

    pub(crate) fn finish_reply(&mut self) {
        self.current = None;
        self.answered += 1;
    }

    /// What the present reply does to the connection.
    pub(crate) fn ending(&self) -> Ending {
        self.current
            .as_ref()
            .map_or(Ending::KeepOpen, |current| current.reply.ending)
    }

    /// Sees to it that the close which follows is one of that kind.
    pub(crate) fn shut_down(&self, ending: Ending) {
        if ending == Ending::Reset {
            // A linger of zero makes the close a reset.
            sockopt::set_socket_linger(&self.socket, Some(Duration::ZERO)).ok();
        } else {
            rustix::net::shutdown(&self.socket, rustix::net::Shutdown::Write).ok();
        }
    }
}

impl Current {
    /// Moves on to the next piece when this one is written.
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

/// The `Content-Length` of a request head, or zero.
fn body_length(head: &[u8]) -> usize {
    let text = String::from_utf8_lossy(head);
    let mut headers = text.lines().filter_map(|line| line.split_once(':'));
    headers
        .find(|(name, _)| name.eq_ignore_ascii_case("content-length"))
        .and_then(|(_, value)| value.trim().parse().ok())
        .unwrap_or(0)
}
