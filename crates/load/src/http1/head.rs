//! [`Head`]: the parts of a response head that decide the framing; [`Memo`]: the last head, which is recognised when it
//! comes again.

use super::{FEW_HEADERS, MOST_HEADERS};
use crate::Fault;
use httparse::Status;
use std::mem::MaybeUninit;

/// The longest head that is remembered, in bytes.
const MEMO: usize = 2048;

/// What the connections of a shard remember together: the head that was parsed last, and the first response.
///
/// A head with the same bytes as the last one has the same meaning, and comparing is many times cheaper than parsing. The
/// heads of a server are equal until their `Date` changes, once per second.
#[derive(Debug)]
pub struct Memo {
    /// The bytes of the last head; empty before there was one.
    bytes: Vec<u8>,
    head: Head,
    pub(crate) first: FirstAnswer,
}

/// What the first response said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FirstAnswer {
    /// The `Server` header up to its first space; empty when there was none.
    pub server: String,
    /// Length of the body of the first complete response, in bytes. A request may expect all bodies to be as long.
    pub body: Option<u64>,
    /// True when `server` was read from the first head.
    seen: bool,
}

impl FirstAnswer {
    /// Reads the `Server` header of the first head that is no interim response.
    pub(crate) fn see_head(&mut self, bytes: &[u8], status: u16) {
        if self.seen || status < 200 {
            return;
        }
        self.seen = true;
        let mut lines = bytes.split(|&byte| byte == b'\n');
        let value = lines.find_map(|line| {
            let (name, value) = line.split_at_checked(7)?;
            name.eq_ignore_ascii_case(b"server:").then(|| value.trim_ascii())
        });
        let word = value.and_then(|value| value.split(|&byte| byte <= b' ').next());
        self.server = String::from_utf8_lossy(word.unwrap_or_default()).into_owned();
    }
}

impl Default for Memo {
    fn default() -> Self {
        Self { bytes: Vec::with_capacity(MEMO), head: Head::default(), first: FirstAnswer::default() }
    }
}

impl Memo {
    /// The head with which `input` begins, if its bytes equal the head that was parsed last.
    pub(super) fn recall(&self, input: &[u8]) -> Option<&Head> {
        (!self.bytes.is_empty() && input.starts_with(&self.bytes)).then_some(&self.head)
    }

    /// The result of [`Head::parse`], without parsing if the head is known.
    pub(super) fn parse(&mut self, input: &[u8]) -> Result<Option<Head>, Fault> {
        if let Some(head) = self.recall(input) {
            return Ok(Some(*head));
        }
        let parsed = Head::parse(input)?;
        if let Some(head) = &parsed {
            self.first.see_head(&input[..head.length], head.status);
        }
        if let Some(head) = parsed
            && head.length <= MEMO
        {
            self.bytes.clear();
            self.bytes.extend_from_slice(&input[..head.length]);
            self.head = head;
        }
        Ok(parsed)
    }
}

/// The parts of a response head that decide the framing.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Head {
    /// Its length in bytes, including the empty line.
    pub(super) length: usize,
    /// The status code.
    pub(super) status: u16,
    /// True when the head allows another request on the connection.
    pub(super) keep_alive: bool,
    /// The `Content-Length`, if there is one.
    pub(super) content_length: Option<u64>,
    /// `Some(true)` when `chunked` is the last transfer coding, `Some(false)` when another one is, `None` without any.
    pub(super) chunked: Option<bool>,
}

impl Head {
    /// Parses the head with which `input` begins; `None` when it is not complete.
    pub(super) fn parse(input: &[u8]) -> Result<Option<Self>, Fault> {
        let mut few = [const { MaybeUninit::uninit() }; FEW_HEADERS];
        match Self::parse_with(input, &mut few) {
            Err(httparse::Error::TooManyHeaders) => {
                let mut many = vec![MaybeUninit::uninit(); MOST_HEADERS];
                Self::parse_with(input, &mut many).map_err(|_| Fault::Malformed)?
            }
            parsed => parsed.map_err(|_| Fault::Malformed)?,
        }
        .transpose()
    }

    /// [`Head::parse`] with space for a certain number of headers; a head with more gives `TooManyHeaders`.
    fn parse_with<'b>(
        input: &'b [u8],
        space: &mut [MaybeUninit<httparse::Header<'b>>],
    ) -> Result<Option<Result<Self, Fault>>, httparse::Error> {
        let mut response = httparse::Response::new(&mut []);
        let config = httparse::ParserConfig::default();
        match config.parse_response_with_uninit_headers(&mut response, input, space)? {
            Status::Partial => Ok(None),
            Status::Complete(length) => Ok(Some(Self::read(length, &response))),
        }
    }

    /// Reads what matters for framing from a parsed head.
    fn read(length: usize, response: &httparse::Response<'_, '_>) -> Result<Self, Fault> {
        let one_one = response.version == Some(1);
        let mut head = Self {
            length,
            status: response.code.unwrap_or_default(),
            keep_alive: one_one,
            content_length: None,
            chunked: None,
        };
        if head.status < 100 {
            return Err(Fault::Malformed);
        }
        for header in &*response.headers {
            // Names are compared by their lengths first, because most headers are none of the three.
            match header.name.len() {
                10 if header.name.eq_ignore_ascii_case("connection") => head.read_connection(header.value),
                14 if header.name.eq_ignore_ascii_case("content-length") => head.read_length(header.value)?,
                17 if header.name.eq_ignore_ascii_case("transfer-encoding") => {
                    let last = header.value.rsplit(|&byte| byte == b',').next().unwrap_or_default();
                    head.chunked = Some(last.trim_ascii().eq_ignore_ascii_case(b"chunked"));
                }
                _ => {}
            }
        }
        if head.chunked.is_some() && !one_one {
            head.keep_alive = false;
        }
        Ok(head)
    }

    /// Reads a `Connection` header; `close` outweighs `keep-alive`.
    fn read_connection(&mut self, value: &[u8]) {
        for option in value.split(|&byte| byte == b',') {
            let option = option.trim_ascii();
            if option.eq_ignore_ascii_case(b"close") {
                self.keep_alive = false;
                return;
            }
            self.keep_alive |= option.eq_ignore_ascii_case(b"keep-alive");
        }
    }

    /// Reads a `Content-Length` header. Several lengths are accepted if they are equal (RFC 9112 section 6.3).
    fn read_length(&mut self, value: &[u8]) -> Result<(), Fault> {
        for item in value.split(|&byte| byte == b',') {
            let length = parse_digits(item.trim_ascii()).ok_or(Fault::Malformed)?;
            if self.content_length.is_some_and(|earlier| earlier != length) {
                return Err(Fault::Malformed);
            }
            self.content_length = Some(length);
        }
        Ok(())
    }
}

/// The number that a text of decimal digits means; `None` for any other text, such as `+5`, `-1` or `0x5`, and for numbers
/// of more than 64 bits.
fn parse_digits(text: &[u8]) -> Option<u64> {
    if text.is_empty() {
        return None;
    }
    text.iter().try_fold(0_u64, |value, &byte| {
        let digit = char::from(byte).to_digit(10)?;
        value.checked_mul(10)?.checked_add(u64::from(digit))
    })
}
