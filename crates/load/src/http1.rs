//! The HTTP/1 codec of a client. It takes the bytes of responses as they are received and tells when a response is
//! complete and whether it is the expected one. It has no sockets and no clock, and its memory is bounded.
//!
//! Framing follows RFC 9112 section 6.3. Bodies are checked and discarded as they arrive. Bytes are kept only
//! for a response head that was split between two reads, at most [`MAX_HEAD`] bytes.

mod head;

use crate::Fault;
pub use crate::reply::FinishedResponse;
use crate::reply::Reply;
use head::Head;
pub use head::{FirstAnswer, Memo};
use traffic::plan::Request;

/// The longest response head, and the longest trailer section, in bytes.
pub const MAX_HEAD: usize = 64 * 1024;
/// The most 1xx responses before a final one.
const MAX_INTERIM: u8 = 32;
/// The longest chunk extension, in bytes.
const MAX_EXTENSION: u32 = 4096;
/// The most headers that are parsed without an allocation.
const FEW_HEADERS: usize = 64;
/// The most headers that fit into [`MAX_HEAD`]: the shortest header line is `a:` and a line break.
const MOST_HEADERS: usize = MAX_HEAD / 4;

/// The codec of one connection: the state of the response that is being received.
#[derive(Debug, Default)]
pub struct Http1 {
    state: ParseState,
    /// The response so far, from its head on.
    reply: Reply,
    /// Number of 1xx responses so far.
    interim: u8,
    /// The bytes so far of a head that was split between reads.
    partial: Vec<u8>,
}

/// The part of a response that is expected next.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum ParseState {
    /// The head.
    #[default]
    Head,
    /// This number of body bytes.
    Length(u64),
    /// A part of a chunked body.
    Chunked(ChunkState),
    /// Body bytes until the connection is closed.
    UntilClose,
}

/// The part of a chunked body that is expected next (RFC 9112 section 7.1).
#[derive(Clone, Copy, Debug, PartialEq)]
enum ChunkState {
    /// Digits of the chunk size; the size and the number of digits so far.
    Size { size: u64, digits: u8 },
    /// The rest of the line behind the size: spaces or an extension, which are skipped.
    Extension { size: u64, skipped: u32 },
    /// The line feed after the carriage return that ends the line with the size.
    SizeEnd { size: u64 },
    /// This number of data bytes of the chunk.
    Data(u64),
    /// The line break behind the data.
    DataCr,
    /// The line feed of this line break, after its carriage return.
    DataLf,
    /// A byte of the trailer section; its number of bytes so far, and whether a line begins here.
    Trailer { seen: u32, line_start: bool },
    /// The line feed of the empty line that ends the body, after its carriage return.
    End,
}

/// The result of [`Http1::advance`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodecProgress {
    /// All input was used, and the response is not complete.
    More,
    /// The response is complete; this number of bytes of the input belongs to it.
    Done(usize, FinishedResponse),
}

impl Http1 {
    /// A codec that keeps each answer until the next one.
    pub(crate) fn keeping() -> Self {
        Self { reply: Reply::keeping(), ..Self::default() }
    }

    /// The answer that is being received, or that was received last.
    pub(crate) const fn reply(&self) -> &Reply {
        &self.reply
    }

    /// The answer that is being received on a stream of another connection, whose codec has the framing.
    pub(crate) const fn reply_mut(&mut self) -> &mut Reply {
        &mut self.reply
    }

    /// Takes the next bytes of the response to `request`. `memo` speeds up parsing and holds the first response; see
    /// [`Memo`].
    ///
    /// # Errors
    ///
    /// [`Fault::Malformed`] when the bytes are not HTTP or exceed a limit. The connection cannot be used any further then.
    pub fn advance(
        &mut self,
        input: &[u8],
        request: &Request,
        memo: &mut Memo,
    ) -> Result<CodecProgress, Fault> {
        if let Some((end, response)) = self.match_usual_response(input, request, memo) {
            self.reply.keep_whole(&input[..end], response.body as usize);
            return Ok(CodecProgress::Done(end, response));
        }
        self.advance_by_parts(input, request, memo)
    }

    /// [`Http1::advance`] for a response that is not the usual one, or not there as a whole. A function of its own, so that the
    /// usual response does not pay for its registers.
    #[inline(never)]
    fn advance_by_parts(
        &mut self,
        input: &[u8],
        request: &Request,
        memo: &mut Memo,
    ) -> Result<CodecProgress, Fault> {
        let mut used = 0;
        while used < input.len() {
            let rest = &input[used..];
            let (taken, done) = match self.state {
                ParseState::Head => self.take_head(rest, request, memo)?,
                ParseState::Length(missing) => {
                    let taken =
                        usize::try_from(missing).map_or(rest.len(), |missing| missing.min(rest.len()));
                    self.reply.take_body(&rest[..taken], request);
                    self.state = ParseState::Length(missing - taken as u64);
                    (taken, missing == taken as u64)
                }
                ParseState::Chunked(chunk) => self.take_chunked(chunk, rest, request)?,
                ParseState::UntilClose => {
                    self.reply.take_body(rest, request);
                    (rest.len(), false)
                }
            };
            used += taken;
            if done {
                return Ok(CodecProgress::Done(used, self.finish(request, memo)));
            }
        }
        Ok(CodecProgress::More)
    }

    /// A fast path for nearly all responses: an expected one that lies in the input as a whole and whose head equals the one
    /// before. Returns `None` for any other, which is left to the state machine; the results of both are the same.
    fn match_usual_response(
        &self,
        input: &[u8],
        request: &Request,
        memo: &Memo,
    ) -> Option<(usize, FinishedResponse)> {
        let at_start = self.state == ParseState::Head && self.partial.is_empty() && self.interim == 0;
        let is_plain = !request.head && request.streaming.is_none();
        let head = memo.recall(input).filter(|_| at_start && is_plain)?;
        let length = head.content_length.filter(|_| head.chunked.is_none())?;
        let end = head.length.checked_add(usize::try_from(length).ok()?)?;
        let body = input.get(head.length..end)?;
        let is_expected = request.body.as_ref().is_none_or(|expected| expected == body)
            && memo.first.body.is_some_and(|first| first == length || !request.same_length);
        let response = FinishedResponse {
            status: head.status,
            keep_alive: head.keep_alive,
            body: length,
            ..FinishedResponse::default()
        };
        let is_usual = matches!(head.status, 200..=203 | 205..=299) && request.status.contains(&head.status);
        (is_usual && is_expected).then_some((end, response))
    }

    /// Tells the codec that the server closed the connection. That completes a body without length.
    ///
    /// # Errors
    ///
    /// [`Fault::ClosedEarly`] when the response is incomplete, or [`Fault::Malformed`] when its head so far is not HTTP.
    pub fn end(&mut self, request: &Request, memo: &mut Memo) -> Result<FinishedResponse, Fault> {
        if self.state == ParseState::UntilClose {
            return Ok(self.finish(request, memo));
        }
        // A split head is parsed only when its end has arrived, which will not happen now.
        let malformed = !self.partial.is_empty() && Head::parse(&self.partial).is_err();
        self.reset();
        Err(if malformed { Fault::Malformed } else { Fault::ClosedEarly })
    }

    /// Forgets a response that will not become complete.
    pub fn reset(&mut self) {
        self.state = ParseState::Head;
        self.reply.reset();
        self.interim = 0;
        self.partial.clear();
    }

    /// Ends a complete response: checks its length, and prepares for the next one.
    fn finish(&mut self, request: &Request, memo: &mut Memo) -> FinishedResponse {
        let response = self.reply.finish(request, &mut memo.first);
        self.reset();
        response
    }

    /// Takes bytes of the head. Returns how many bytes of `input` belong to it, and whether the response ends with it.
    fn take_head(
        &mut self,
        input: &[u8],
        request: &Request,
        memo: &mut Memo,
    ) -> Result<(usize, bool), Fault> {
        if !self.partial.is_empty() {
            return self.take_split_head(input, request, memo);
        }
        match memo.parse(input)? {
            Some(head) if head.length > MAX_HEAD => Err(Fault::Malformed),
            Some(head) => {
                self.reply.keep_head(&input[..head.length]);
                Ok((head.length, self.begin_body(&head, request)?))
            }
            None if input.len() > MAX_HEAD => Err(Fault::Malformed),
            None => {
                self.partial.extend_from_slice(input);
                Ok((input.len(), false))
            }
        }
    }

    /// Like [`Http1::take_head`], for a head that is split between reads. The head is parsed only when its
    /// end has arrived, so that a server that sends it byte by byte does not cause a parse per byte.
    fn take_split_head(
        &mut self,
        input: &[u8],
        request: &Request,
        memo: &mut Memo,
    ) -> Result<(usize, bool), Fault> {
        let before = self.partial.len();
        let room = (MAX_HEAD - before).min(input.len());
        self.partial.extend_from_slice(&input[..room]);
        let mut from = before.saturating_sub(2);
        while let Some(end) = find_head_end(&self.partial, from) {
            if let Some(head) = Head::parse(&self.partial[..end])? {
                memo.first.see_head(&self.partial[..head.length], head.status);
                self.reply.keep_head(&self.partial[..head.length]);
                let done = self.begin_body(&head, request)?;
                self.partial.clear();
                return Ok((head.length - before, done));
            }
            from = end; // empty lines before the status line
        }
        if self.partial.len() >= MAX_HEAD { Err(Fault::Malformed) } else { Ok((input.len(), false)) }
    }

    /// Decides by the head how the body is framed. Returns true when the response has no body.
    fn begin_body(&mut self, head: &Head, request: &Request) -> Result<bool, Fault> {
        if matches!(head.status, 100 | 102..=199) {
            self.interim += 1;
            return if self.interim > MAX_INTERIM { Err(Fault::Malformed) } else { Ok(false) };
        }
        self.reply.begin(head.status, head.keep_alive && head.status != 101, request);
        if request.head || matches!(head.status, 101 | 204 | 304) {
            return Ok(true);
        }
        self.state = match (head.chunked, head.content_length) {
            (Some(true), length) => {
                // A length together with chunks is a smuggling attempt or a bug of the server, so the connection is closed.
                self.reply.close_unless(length.is_none());
                ParseState::Chunked(ChunkState::Size { size: 0, digits: 0 })
            }
            (None, Some(length)) => ParseState::Length(length),
            (Some(false), _) | (None, None) => {
                self.reply.close_unless(false);
                ParseState::UntilClose
            }
        };
        Ok(self.state == ParseState::Length(0))
    }

    /// Takes bytes of a chunked body. Returns how many were taken, and whether the body ends with them.
    fn take_chunked(
        &mut self,
        chunk: ChunkState,
        input: &[u8],
        request: &Request,
    ) -> Result<(usize, bool), Fault> {
        if let ChunkState::Data(missing) = chunk {
            let taken = usize::try_from(missing).map_or(input.len(), |missing| missing.min(input.len()));
            self.reply.take_body(&input[..taken], request);
            let left = missing - taken as u64;
            if left == 0 {
                self.reply.end_chunk(request);
            }
            self.state =
                ParseState::Chunked(if left == 0 { ChunkState::DataCr } else { ChunkState::Data(left) });
            return Ok((taken, false));
        }
        match chunk.step(input[0]).ok_or(Fault::Malformed)? {
            Some(next) => {
                self.state = ParseState::Chunked(next);
                Ok((1, false))
            }
            None => Ok((1, true)),
        }
    }
}

impl ChunkState {
    /// The state after one byte that is not data: `Some(None)` at the end of the body, `None` if the byte is wrong here.
    fn step(self, byte: u8) -> Option<Option<Self>> {
        let next = match (self, byte) {
            (Self::Size { digits: 1.., size }, b'\r') | (Self::Extension { size, .. }, b'\r') => {
                Self::SizeEnd { size }
            }
            (Self::Size { digits: 1.., size }, b'\n') | (Self::Extension { size, .. }, b'\n') => {
                Self::after_size(size)
            }
            (Self::Size { digits: 1.., size }, b';' | b' ' | b'\t') => Self::Extension { size, skipped: 0 },
            (Self::Size { digits: digits @ ..16, size }, _) => {
                let digit = char::from(byte).to_digit(16)?;
                Self::Size { size: (size << 4) | u64::from(digit), digits: digits + 1 }
            }
            (Self::Extension { size, skipped: skipped @ ..MAX_EXTENSION }, _) => {
                Self::Extension { size, skipped: skipped + 1 }
            }
            (Self::SizeEnd { size }, b'\n') => Self::after_size(size),
            (Self::DataCr, b'\r') => Self::DataLf,
            (Self::DataCr | Self::DataLf, b'\n') => Self::Size { size: 0, digits: 0 },
            (Self::Trailer { line_start: true, .. }, b'\r') => Self::End,
            (Self::Trailer { line_start: true, .. } | Self::End, b'\n') => return Some(None),
            (Self::Trailer { seen, .. }, _) if (seen as usize) < MAX_HEAD => {
                Self::Trailer { seen: seen + 1, line_start: byte == b'\n' }
            }
            _ => return None,
        };
        Some(Some(next))
    }

    /// The state after the line with the chunk size.
    const fn after_size(size: u64) -> Self {
        if size == 0 { Self::Trailer { seen: 0, line_start: true } } else { Self::Data(size) }
    }
}

/// The position behind the first empty line that follows a line end at `from` or later.
fn find_head_end(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    while let Some(feed) = bytes[at..].iter().position(|&byte| byte == b'\n') {
        at += feed + 1;
        match bytes[at..] {
            [b'\n', ..] => return Some(at + 1),
            [b'\r', b'\n', ..] => return Some(at + 2),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
#[path = "http1_tests.rs"]
mod tests;
