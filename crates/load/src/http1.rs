//! The HTTP/1 codec of a client: response bytes in, events out; no sockets, no clock, bounded memory.
//!
//! Framing follows RFC 9112 section 6.3. A body is checked and discarded as it streams; the only thing ever kept is a
//! response head that was split between two reads, at most [`MAX_HEAD`] bytes of it.

mod head;

use crate::Fault;
use head::Head;
pub use head::{FirstAnswer, Memo};
use model::plan::Request;

/// Longest response head, and longest trailer section, in bytes.
pub const MAX_HEAD: usize = 64 * 1024;
/// Most 1xx responses before a final one.
const MAX_INTERIM: u8 = 32;
/// Longest chunk extension, in bytes.
const MAX_EXTENSION: u32 = 4096;
/// Headers parsed without taking memory; a head with more takes the slow path.
const FEW_HEADERS: usize = 64;
/// The shortest header line is `a:` and a line break.
const MOST_HEADERS: usize = MAX_HEAD / 4;

/// The state of one connection's response.
#[derive(Debug, Default)]
pub struct Http1 {
    state: State,
    answer: Answer,
    /// Body bytes seen so far.
    body_length: u64,
    interim: u8,
    /// A head that came in pieces so far.
    partial: Vec<u8>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum State {
    #[default]
    Head,
    /// So many bytes of body are missing.
    Length(u64),
    Chunked(Chunk),
    /// The body ends with the connection.
    UntilClose,
}

/// Where a chunked body stands.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Chunk {
    /// Within the size, with its digits so far.
    Size {
        size: u64,
        digits: u8,
    },
    /// Behind the size, within spaces or an extension; skipped to its line feed.
    Extension {
        size: u64,
        skipped: u32,
    },
    /// A carriage return came behind the size or the extension.
    SizeEnd {
        size: u64,
    },
    /// So many bytes of the chunk are missing.
    Data(u64),
    /// Behind the data: a carriage return, then a line feed.
    DataCr,
    DataLf,
    /// In the trailer section, at the start of a line or not.
    Trailer {
        seen: u32,
        line_start: bool,
    },
    /// A carriage return at the start of a trailer line.
    End,
}

/// A finished response.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Its status code.
    pub status: u16,
    /// Whether the connection can carry another request.
    pub keep_alive: bool,
    /// Length of its body in bytes, without framing.
    pub body: u64,
    /// A status or body other than expected.
    pub wrong: Option<Fault>,
}

/// What an [`Http1::advance`] came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// All input is used and the response goes on.
    More,
    /// The response is complete; so many bytes of the input belong to it.
    Done(usize, Answer),
}

impl Http1 {
    /// Takes the next bytes of the response to `request`. `memo` only saves time: any will do.
    pub fn advance(&mut self, input: &[u8], request: &Request, memo: &mut Memo) -> Result<Progress, Fault> {
        if let Some(done) = self.at_once(input, request, memo) {
            return Ok(done);
        }
        let mut used = 0;
        while used < input.len() {
            let rest = &input[used..];
            let (taken, done) = match self.state {
                State::Head => self.head(rest, request, memo)?,
                State::Length(missing) => {
                    let taken =
                        usize::try_from(missing).map_or(rest.len(), |missing| missing.min(rest.len()));
                    self.body(&rest[..taken], request);
                    self.state = State::Length(missing - taken as u64);
                    (taken, missing == taken as u64)
                }
                State::Chunked(chunk) => self.chunked(chunk, rest, request)?,
                State::UntilClose => {
                    self.body(rest, request);
                    (rest.len(), false)
                }
            };
            used += taken;
            if done {
                return Ok(Progress::Done(used, self.finish(request, memo)));
            }
        }
        Ok(Progress::More)
    }

    /// A right answer with a known head that came in one piece, as nearly all do: nothing has to be kept. Whatever is
    /// unusual is left to the state machine, which comes to the same result.
    fn at_once(&self, input: &[u8], request: &Request, memo: &Memo) -> Option<Progress> {
        let begins = self.state == State::Head && self.partial.is_empty() && self.interim == 0;
        let head = memo.recall(input).filter(|_| begins && !request.head)?;
        let length = head.content_length.filter(|_| head.chunked.is_none())?;
        let end = head.length.checked_add(usize::try_from(length).ok()?)?;
        let body = input.get(head.length..end)?;
        let expected = request.body.as_ref().is_none_or(|expected| expected == body)
            && memo
                .first
                .body
                .is_some_and(|first| first == length || !request.same_length);
        let answer = Answer {
            status: head.status,
            keep_alive: head.keep_alive,
            body: length,
            wrong: None,
        };
        let usual = matches!(head.status, 200..=203 | 205..=299) && request.status.contains(&head.status);
        (usual && expected).then_some(Progress::Done(end, answer))
    }

    /// The server closed the connection: the end of a body without length, or of a response that never was complete.
    pub fn end(&mut self, request: &Request, memo: &mut Memo) -> Result<Answer, Fault> {
        if self.state == State::UntilClose {
            return Ok(self.finish(request, memo));
        }
        // A head that came in pieces is parsed at its end; this one will have none.
        let malformed = !self.partial.is_empty() && Head::parse(&self.partial).is_err();
        self.reset();
        Err(if malformed {
            Fault::Malformed
        } else {
            Fault::ClosedEarly
        })
    }

    /// Forgets a response that will not be completed.
    pub fn reset(&mut self) {
        self.state = State::Head;
        self.answer = Answer::default();
        (self.body_length, self.interim) = (0, 0);
        self.partial.clear();
    }

    fn finish(&mut self, request: &Request, memo: &mut Memo) -> Answer {
        let mut answer = self.answer;
        answer.body = self.body_length;
        let expected = request.body.as_ref().filter(|_| !request.head);
        if answer.wrong.is_none() && expected.is_some_and(|body| body.len() as u64 != self.body_length) {
            answer.wrong = Some(Fault::WrongBody);
        }
        let first = memo.first.body.get_or_insert(self.body_length);
        if request.same_length && *first != self.body_length {
            answer.wrong = Some(match answer.wrong {
                Some(Fault::WrongStatus) => Fault::WrongStatusAndBody,
                _ => Fault::WrongBody,
            });
        }
        self.reset();
        answer
    }

    /// Compares a piece of body with what is expected there.
    fn body(&mut self, bytes: &[u8], request: &Request) {
        if let (Some(expected), None) = (&request.body, self.answer.wrong) {
            let at = usize::try_from(self.body_length).unwrap_or(usize::MAX);
            let end = at.saturating_add(bytes.len());
            if expected.get(at..end) != Some(bytes) {
                self.answer.wrong = Some(Fault::WrongBody);
            }
        }
        self.body_length += bytes.len() as u64;
    }

    /// Bytes of `input` that belong to the head, and whether the response ends with it.
    fn head(&mut self, input: &[u8], request: &Request, memo: &mut Memo) -> Result<(usize, bool), Fault> {
        if !self.partial.is_empty() {
            return self.split_head(input, request, memo);
        }
        match memo.parse(input)? {
            Some(head) if head.length > MAX_HEAD => Err(Fault::Malformed),
            Some(head) => Ok((head.length, self.begin_body(&head, request)?)),
            None if input.len() > MAX_HEAD => Err(Fault::Malformed),
            None => {
                self.partial.extend_from_slice(input);
                Ok((input.len(), false))
            }
        }
    }

    /// The head came in pieces: it is parsed once its end is there, so that one byte a second does not cost a parse each.
    fn split_head(
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
                memo.first.see_head(&self.partial[..head.length], &head);
                let done = self.begin_body(&head, request)?;
                self.partial.clear();
                return Ok((head.length - before, done));
            }
            from = end; // empty lines before the status line
        }
        if self.partial.len() >= MAX_HEAD {
            Err(Fault::Malformed)
        } else {
            Ok((input.len(), false))
        }
    }

    /// Decides how the body is framed; true when there is none.
    fn begin_body(&mut self, head: &Head, request: &Request) -> Result<bool, Fault> {
        if matches!(head.status, 100 | 102..=199) {
            self.interim += 1;
            return if self.interim > MAX_INTERIM {
                Err(Fault::Malformed)
            } else {
                Ok(false)
            };
        }
        let right = request.status.contains(&head.status);
        self.answer = Answer {
            status: head.status,
            keep_alive: head.keep_alive && head.status != 101,
            body: 0,
            wrong: (!right).then_some(Fault::WrongStatus),
        };
        if request.head || matches!(head.status, 101 | 204 | 304) {
            return Ok(true);
        }
        self.state = match (head.chunked, head.content_length) {
            (Some(true), length) => {
                // A length beside the chunks is a smuggling attempt or a bug; neither deserves the connection.
                self.answer.keep_alive &= length.is_none();
                State::Chunked(Chunk::Size { size: 0, digits: 0 })
            }
            (None, Some(length)) => State::Length(length),
            (Some(false), _) | (None, None) => {
                self.answer.keep_alive = false;
                State::UntilClose
            }
        };
        Ok(self.state == State::Length(0))
    }

    /// One step of a chunked body: bytes taken, and whether it was the last.
    fn chunked(&mut self, chunk: Chunk, input: &[u8], request: &Request) -> Result<(usize, bool), Fault> {
        if let Chunk::Data(missing) = chunk {
            let taken = usize::try_from(missing).map_or(input.len(), |missing| missing.min(input.len()));
            self.body(&input[..taken], request);
            let left = missing - taken as u64;
            self.state = State::Chunked(if left == 0 {
                Chunk::DataCr
            } else {
                Chunk::Data(left)
            });
            return Ok((taken, false));
        }
        match chunk.step(input[0]).ok_or(Fault::Malformed)? {
            Some(next) => {
                self.state = State::Chunked(next);
                Ok((1, false))
            }
            None => Ok((1, true)),
        }
    }
}

impl Chunk {
    /// The state behind one byte that is not data: `Some(None)` at the end of the body, `None` for a wrong byte.
    fn step(self, byte: u8) -> Option<Option<Self>> {
        let next = match (self, byte) {
            (Self::Size { digits: 1.., size }, b'\r') | (Self::Extension { size, .. }, b'\r') => {
                Self::SizeEnd { size }
            }
            (Self::Size { digits: 1.., size }, b'\n') | (Self::Extension { size, .. }, b'\n') => {
                Self::first(size)
            }
            (Self::Size { digits: 1.., size }, b';' | b' ' | b'\t') => Self::Extension { size, skipped: 0 },
            (
                Self::Size {
                    digits: digits @ ..16,
                    size,
                },
                _,
            ) => {
                let digit = char::from(byte).to_digit(16)?;
                Self::Size {
                    size: (size << 4) | u64::from(digit),
                    digits: digits + 1,
                }
            }
            (
                Self::Extension {
                    size,
                    skipped: skipped @ ..MAX_EXTENSION,
                },
                _,
            ) => Self::Extension {
                size,
                skipped: skipped + 1,
            },
            (Self::SizeEnd { size }, b'\n') => Self::first(size),
            (Self::DataCr, b'\r') => Self::DataLf,
            (Self::DataCr | Self::DataLf, b'\n') => Self::Size { size: 0, digits: 0 },
            (Self::Trailer { line_start: true, .. }, b'\r') => Self::End,
            (Self::Trailer { line_start: true, .. } | Self::End, b'\n') => return Some(None),
            (Self::Trailer { seen, .. }, _) if (seen as usize) < MAX_HEAD => Self::Trailer {
                seen: seen + 1,
                line_start: byte == b'\n',
            },
            _ => return None,
        };
        Some(Some(next))
    }

    /// What follows the line with the size.
    const fn first(size: u64) -> Self {
        if size == 0 {
            Self::Trailer {
                seen: 0,
                line_start: true,
            }
        } else {
            Self::Data(size)
        }
    }
}

/// The end of the first empty line that begins at `from` or later, behind another line's end.
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
