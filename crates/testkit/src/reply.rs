//! What the server does: a [`Script`] of [`Reply`]s.

use std::time::Duration;

/// What a server does, for all its connections.
#[derive(Clone, Debug)]
pub struct Script {
    /// Taken in turn, by all connections together.
    pub(crate) replies: Vec<Reply>,
    pub(crate) stall: Option<Stall>,
    pub(crate) close_after: Option<u64>,
    pub(crate) announce_close: bool,
    pub(crate) record: bool,
}

/// The whole server does nothing for a while.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stall {
    /// Since the first request.
    pub(crate) at: Duration,
    pub(crate) length: Duration,
}

impl Script {
    /// The same reply to every request.
    pub fn new(reply: Reply) -> Self {
        Self::in_turn(vec![reply])
    }

    /// One reply after the other, over and over, whatever the connection.
    pub fn in_turn(replies: Vec<Reply>) -> Self {
        assert!(!replies.is_empty(), "a script has a reply");
        Self {
            replies,
            stall: None,
            close_after: None,
            announce_close: false,
            record: false,
        }
    }

    /// Once, so long after the first request, the server does nothing for `length`: as if it were sent SIGSTOP.
    pub fn stall(mut self, at: Duration, length: Duration) -> Self {
        self.stall = Some(Stall { at, length });
        self
    }

    /// Keeps every request for [`Server::log`](crate::Server::log).
    pub fn record(mut self) -> Self {
        self.record = true;
        self
    }

    /// Closes each connection after so many replies, with `Connection: close` in the last one.
    pub fn close_after(mut self, replies: u64) -> Self {
        self.close_after = Some(replies);
        self.announce_close = true;
        self
    }

    /// Closes each connection after so many replies, without a word.
    pub fn close_silently_after(mut self, replies: u64) -> Self {
        self.close_after = Some(replies);
        self.announce_close = false;
        self
    }
}

/// The bytes of one answer, and when they come.
#[derive(Clone, Debug)]
pub struct Reply {
    /// From the request's last byte to the first piece.
    pub delay: Duration,
    /// Written one by one.
    pub pieces: Vec<Piece>,
    /// The last piece is repeated for ever.
    pub endless: bool,
    /// What becomes of the connection.
    pub ending: Ending,
}

/// Bytes in one write.
#[derive(Clone, Debug)]
pub struct Piece {
    /// From the piece before.
    pub pause: Duration,
    /// What is written.
    pub bytes: Vec<u8>,
}

/// What becomes of a connection after a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It takes the next request.
    KeepOpen,
    /// It is closed.
    Close,
    /// It is reset.
    Reset,
}

impl Reply {
    /// These bytes, whatever they are.
    pub fn raw(bytes: impl Into<Vec<u8>>) -> Self {
        let piece = Piece {
            pause: Duration::ZERO,
            bytes: bytes.into(),
        };
        Self {
            delay: Duration::ZERO,
            pieces: vec![piece],
            endless: false,
            ending: Ending::KeepOpen,
        }
    }

    /// `200 OK` with a length.
    pub fn ok(body: impl AsRef<[u8]>) -> Self {
        Self::status(200, body)
    }

    /// That status with a length.
    pub fn status(status: u16, body: impl AsRef<[u8]>) -> Self {
        let body = body.as_ref();
        let mut bytes = format!(
            "HTTP/1.1 {status} Scripted\r\nContent-Length: {}\r\n\r\n",
            body.len()
        )
        .into_bytes();
        bytes.extend_from_slice(body);
        Self::raw(bytes)
    }

    /// `200 OK` in chunks.
    pub fn chunked(chunks: &[&[u8]]) -> Self {
        let mut bytes = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
        for chunk in chunks {
            bytes.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
            bytes.extend_from_slice(chunk);
            bytes.extend_from_slice(b"\r\n");
        }
        bytes.extend_from_slice(b"0\r\n\r\n");
        Self::raw(bytes)
    }

    /// `200 OK` without a length: the body ends with the connection.
    pub fn until_close(body: impl AsRef<[u8]>) -> Self {
        Self::raw([b"HTTP/1.1 200 OK\r\n\r\n", body.as_ref()].concat()).ending(Ending::Close)
    }

    /// No HTTP at all.
    pub fn garbage() -> Self {
        Self::raw(*b"\x16\x03\x01 not HTTP \r\n\r\n")
    }

    /// Headers without end.
    pub fn endless_headers() -> Self {
        Self::raw("HTTP/1.1 200 OK\r\n")
            .then("X-Filler: 0123456789abcdef\r\n".repeat(32))
            .endless()
    }

    /// A body without end.
    pub fn endless_body() -> Self {
        Self::raw("HTTP/1.1 200 OK\r\n\r\n")
            .then(vec![b'x'; 4096])
            .endless()
    }

    /// Interim responses without end.
    pub fn endless_interim() -> Self {
        Self::raw("HTTP/1.1 100 Continue\r\n\r\n").endless()
    }

    /// The request is read and never answered.
    pub fn nothing() -> Self {
        Self::raw("")
    }

    /// The connection is reset instead of an answer.
    pub fn reset() -> Self {
        Self::raw("").ending(Ending::Reset)
    }

    /// Waits before it begins to answer.
    pub fn after(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// One more piece, written by itself.
    pub fn then(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.pieces.push(Piece {
            pause: Duration::ZERO,
            bytes: bytes.into(),
        });
        self
    }

    /// The last piece over and over.
    pub fn endless(mut self) -> Self {
        self.endless = true;
        self
    }

    /// What becomes of the connection.
    pub fn ending(mut self, ending: Ending) -> Self {
        self.ending = ending;
        self
    }

    /// Written in two pieces, so many bytes and the rest, with a pause in between.
    pub fn split_at(self, at: usize, pause: Duration) -> Self {
        let bytes = self.bytes();
        let (head, tail) = bytes.split_at(at.min(bytes.len()));
        let piece = |pause, bytes: &[u8]| Piece {
            pause,
            bytes: bytes.to_vec(),
        };
        Self {
            pieces: vec![piece(Duration::ZERO, head), piece(pause, tail)],
            ..self
        }
    }

    /// Written byte by byte.
    pub fn drip(self, pause: Duration) -> Self {
        let pieces = self
            .bytes()
            .iter()
            .map(|&byte| Piece {
                pause,
                bytes: vec![byte],
            })
            .collect();
        Self { pieces, ..self }
    }

    /// All bytes of the reply.
    pub fn bytes(&self) -> Vec<u8> {
        self.pieces
            .iter()
            .flat_map(|piece| piece.bytes.iter().copied())
            .collect()
    }

    /// The reply with `Connection: close` as its first header, ending so.
    pub(crate) fn announcing_close(mut self) -> Self {
        for piece in &mut self.pieces {
            if let Some(end) = piece.bytes.windows(2).position(|pair| pair == b"\r\n") {
                piece.bytes.splice(end + 2..end + 2, *b"Connection: close\r\n");
                break;
            }
        }
        self.ending(Ending::Close)
    }
}
