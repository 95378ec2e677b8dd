//! [`Script`]: what the server does; [`Reply`]: what it answers, and when.

use std::time::Duration;

/// What a server does on all its connections.
#[derive(Clone, Debug)]
pub struct Script {
    /// The replies; all connections together take them in turn.
    pub(crate) replies: Vec<Reply>,
    /// A stall of the whole server.
    pub(crate) stall: Option<Stall>,
    /// The number of replies after which each connection is closed; `None` for no limit.
    pub(crate) close_after: Option<u64>,
    /// Whether that close is announced by `Connection: close`.
    pub(crate) announce_close: bool,
    /// Whether requests are recorded.
    pub(crate) record: bool,
}

/// A time in which the whole server does nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stall {
    /// When it begins, counted from the first request.
    pub(crate) at: Duration,
    /// How long it lasts.
    pub(crate) length: Duration,
}

impl Script {
    /// A script that gives the same reply to every request.
    pub fn new(reply: Reply) -> Self {
        Self::in_turn(vec![reply])
    }

    /// A script that gives one reply after the other, and begins again after the last. All connections share the sequence.
    /// Panics when there is no reply.
    pub fn in_turn(replies: Vec<Reply>) -> Self {
        assert!(!replies.is_empty(), "a script needs a reply");
        Self { replies, stall: None, close_after: None, announce_close: false, record: false }
    }

    /// Stalls the whole server once: at `at` after the first request it does nothing for `length`, as if it were stopped by
    /// SIGSTOP.
    pub fn stall(mut self, at: Duration, length: Duration) -> Self {
        self.stall = Some(Stall { at, length });
        self
    }

    /// Records every request for [`ScriptedServer::log`](crate::ScriptedServer::log).
    pub fn record(mut self) -> Self {
        self.record = true;
        self
    }

    /// Closes each connection after this number of replies; the last reply announces it by `Connection: close`.
    pub fn close_after(mut self, replies: u64) -> Self {
        self.close_after = Some(replies);
        self.announce_close = true;
        self
    }

    /// Closes each connection after this number of replies without announcing it.
    pub fn close_silently_after(mut self, replies: u64) -> Self {
        self.close_after = Some(replies);
        self.announce_close = false;
        self
    }
}

/// The bytes of one reply, and when they are written.
#[derive(Clone, Debug)]
pub struct Reply {
    /// The time from the last byte of the request to the first piece.
    pub delay: Duration,
    /// The pieces in which the bytes are written.
    pub pieces: Vec<Piece>,
    /// Whether the last piece is repeated for ever.
    pub endless: bool,
    /// What happens to the connection afterwards.
    pub ending: Ending,
}

/// Bytes that are written together.
#[derive(Clone, Debug)]
pub struct Piece {
    /// The pause before this piece.
    pub pause: Duration,
    pub bytes: Vec<u8>,
}

/// What happens to a connection after a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It stays open for the next request.
    KeepOpen,
    /// It is closed.
    Close,
    /// It is reset.
    Reset,
}

impl Reply {
    /// A reply of these bytes, which need not be HTTP.
    pub fn raw(bytes: impl Into<Vec<u8>>) -> Self {
        let piece = Piece { pause: Duration::ZERO, bytes: bytes.into() };
        Self { delay: Duration::ZERO, pieces: vec![piece], endless: false, ending: Ending::KeepOpen }
    }

    /// A reply with status 200 and a `Content-Length`.
    pub fn ok(body: impl AsRef<[u8]>) -> Self {
        Self::status(200, body)
    }

    /// A reply with this status and a `Content-Length`.
    pub fn status(status: u16, body: impl AsRef<[u8]>) -> Self {
        let body = body.as_ref();
        let mut bytes =
            format!("HTTP/1.1 {status} Scripted\r\nContent-Length: {}\r\n\r\n", body.len()).into_bytes();
        bytes.extend_from_slice(body);
        Self::raw(bytes)
    }

    /// A reply with status 200 and a chunked body.
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

    /// A reply with status 200 and without a length: the body ends when the connection is closed.
    pub fn until_close(body: impl AsRef<[u8]>) -> Self {
        Self::raw([b"HTTP/1.1 200 OK\r\n\r\n", body.as_ref()].concat()).ending(Ending::Close)
    }

    /// A reply that is not HTTP.
    pub fn garbage() -> Self {
        Self::raw(*b"\x16\x03\x01 not HTTP \r\n\r\n")
    }

    /// A reply whose headers do not end.
    pub fn endless_headers() -> Self {
        Self::raw("HTTP/1.1 200 OK\r\n").then("X-Filler: 0123456789abcdef\r\n".repeat(32)).endless()
    }

    /// A reply whose body does not end.
    pub fn endless_body() -> Self {
        Self::raw("HTTP/1.1 200 OK\r\n\r\n").then(vec![b'x'; 4096]).endless()
    }

    /// Interim responses (status 100) that do not end.
    pub fn endless_interim() -> Self {
        Self::raw("HTTP/1.1 100 Continue\r\n\r\n").endless()
    }

    /// No reply at all: the request is read, and the connection stays open.
    pub fn nothing() -> Self {
        Self::raw("")
    }

    /// No reply: the connection is reset.
    pub fn reset() -> Self {
        Self::raw("").ending(Ending::Reset)
    }

    /// Sets the delay before the first byte.
    pub fn after(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// Adds a piece that is written by itself.
    pub fn then(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.pieces.push(Piece { pause: Duration::ZERO, bytes: bytes.into() });
        self
    }

    /// Repeats the last piece for ever.
    pub fn endless(mut self) -> Self {
        self.endless = true;
        self
    }

    /// Sets what happens to the connection after the reply.
    pub fn ending(mut self, ending: Ending) -> Self {
        self.ending = ending;
        self
    }

    /// The same bytes in two pieces, the first `at` bytes and the rest, with a pause in between.
    pub fn split_at(self, at: usize, pause: Duration) -> Self {
        let bytes = self.bytes();
        let (head, tail) = bytes.split_at(at.min(bytes.len()));
        let piece = |pause, bytes: &[u8]| Piece { pause, bytes: bytes.to_vec() };
        Self { pieces: vec![piece(Duration::ZERO, head), piece(pause, tail)], ..self }
    }

    /// The same bytes written one by one, each after a pause.
    pub fn drip(self, pause: Duration) -> Self {
        let pieces = self.bytes().iter().map(|&byte| Piece { pause, bytes: vec![byte] }).collect();
        Self { pieces, ..self }
    }

    /// All bytes of the reply.
    pub fn bytes(&self) -> Vec<u8> {
        self.pieces.iter().flat_map(|piece| piece.bytes.iter().copied()).collect()
    }

    /// The same reply with `Connection: close` as its first header, after which the connection is closed.
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
