//! [`HeaderEncoder`]: writes the header blocks of requests.
//!
//! Blocks are written as browsers and curl do it, so that a server reads as much as from its real clients: fields that come again are put
//! into the dynamic table by the first request of a connection and are one byte in the others, and what is written out is Huffman-coded
//! where that is shorter. Paths, lengths, cookies and credentials are not put into the table. No field is ever evicted: what finds no room
//! is written out.

use super::fields::{FieldTable, STATIC, TABLE};
use super::huffman;

/// Writes the header blocks of one connection.
#[derive(Debug, Default)]
pub(super) struct HeaderEncoder {
    table: FieldTable,
    /// The server was told nothing yet of the present size of the table.
    resized: bool,
}

/// How a field that is written out enters the table.
#[derive(Clone, Copy, PartialEq)]
enum Indexing {
    /// It is put into the table.
    Kept,
    /// It is not.
    NotKept,
    /// Nobody on the way may put it into one (RFC 7541 section 7.1.3).
    Never,
}

impl HeaderEncoder {
    /// Heeds how large the server lets the table be.
    pub(super) fn limit(&mut self, most: usize) {
        let most = most.min(TABLE);
        if most != self.table.limit() {
            self.resized = self.table.resize(most).is_ok();
        }
    }

    /// Changes when the same head makes another block than before.
    pub(super) const fn generation(&self) -> Option<u64> {
        if self.resized { None } else { Some(self.table.generation()) }
    }

    /// Appends the block of a request that is given as HTTP/1 writes it. Only the head of `request` is read.
    pub(super) fn write(&mut self, request: &[u8], scheme: &'static str, block: &mut Vec<u8>) {
        if std::mem::take(&mut self.resized) {
            integer(self.table.limit(), 5, 0x20, block);
        }
        let mut lines = Lines(request);
        let mut words = lines.next().unwrap_or_default().split(|&byte| byte == b' ');
        let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        self.field(b":method", method, block);
        self.field(b":scheme", scheme.as_bytes(), block);
        let fields = || Lines(lines.0).filter_map(split_field);
        if let Some((_, host)) = fields().find(|(name, _)| name.eq_ignore_ascii_case(b"host")) {
            self.field(b":authority", host, block);
        }
        self.field(b":path", path, block);
        for (name, value) in fields().filter(|(name, value)| is_sent(name, value)) {
            self.field(name, value, block);
        }
    }

    fn field(&mut self, name: &[u8], value: &[u8], block: &mut Vec<u8>) {
        let mut known_name = None;
        let first_letter = name.first().map(u8::to_ascii_lowercase);
        for (place, (known, known_value)) in STATIC.iter().enumerate() {
            if known.as_bytes().first().copied() == first_letter
                && known.as_bytes().eq_ignore_ascii_case(name)
            {
                if known_value.as_bytes() == value {
                    return integer(place + 1, 7, 0x80, block);
                }
                known_name.get_or_insert(place + 1);
            }
        }
        if let Some(number) = self.table.find(name, value) {
            return integer(number, 7, 0x80, block);
        }
        let mut indexing = indexing(name);
        if indexing == Indexing::Kept && !self.table.has_room(name, value) {
            indexing = Indexing::NotKept;
        }
        let (prefix, pattern) = match indexing {
            Indexing::Kept => (6, 0x40),
            Indexing::NotKept => (4, 0),
            Indexing::Never => (4, 0x10),
        };
        integer(known_name.unwrap_or(0), prefix, pattern, block);
        if known_name.is_none() {
            self.name(name, block);
        }
        text(value, block);
        if indexing == Indexing::Kept {
            self.table.insert(name, value);
        }
    }

    /// Writes a name, which has no capital letters in HTTP/2.
    fn name(&self, name: &[u8], block: &mut Vec<u8>) {
        let mut small = [0; 64];
        match small.get_mut(..name.len()) {
            Some(small) => {
                small.copy_from_slice(name);
                small.make_ascii_lowercase();
                text(small, block);
            }
            None => text(&name.to_ascii_lowercase(), block),
        }
    }
}

/// Which fields are not put into the table: those that differ from request to request or from user to user, and secrets. It is what nghttp2,
/// the library of curl, does, and cookies beside: users who share a connection have different ones.
fn indexing(name: &[u8]) -> Indexing {
    const CHANGING: [&[u8]; 7] =
        [b":path", b"age", b"content-length", b"etag", b"if-modified-since", b"if-none-match", b"location"];
    const SECRET: [&[u8]; 3] = [b"authorization", b"proxy-authorization", b"cookie"];
    let is_one_of = |names: &[&[u8]]| names.iter().any(|one| one.eq_ignore_ascii_case(name));
    match () {
        () if is_one_of(&SECRET) => Indexing::Never,
        () if is_one_of(&CHANGING) => Indexing::NotKept,
        () => Indexing::Kept,
    }
}

/// Whether a field of HTTP/1 is one of HTTP/2, too (RFC 9113 section 8.2.2).
fn is_sent(name: &[u8], value: &[u8]) -> bool {
    const OF_CONNECTION: [&[u8]; 7] = [
        b"host",
        b"connection",
        b"proxy-connection",
        b"keep-alive",
        b"transfer-encoding",
        b"upgrade",
        b"http2-settings",
    ];
    let is_one = OF_CONNECTION.iter().any(|one| one.eq_ignore_ascii_case(name));
    !is_one && (!name.eq_ignore_ascii_case(b"te") || value.eq_ignore_ascii_case(b"trailers"))
}

/// The lines of a head, up to the empty one.
#[derive(Clone, Copy)]
struct Lines<'a>(&'a [u8]);

impl<'a> Iterator for Lines<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let end = memchr::memchr(b'\n', self.0)?;
        let line = &self.0[..end];
        self.0 = &self.0[end + 1..];
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        (!line.is_empty()).then_some(line)
    }
}

fn split_field(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let colon = memchr::memchr(b':', line)?;
    Some((&line[..colon], line[colon + 1..].trim_ascii()))
}

/// Appends an integer; `pattern` are the bits before the `prefix` bits of the first byte.
fn integer(number: usize, prefix: u32, pattern: u8, block: &mut Vec<u8>) {
    let mask = (1_usize << prefix) - 1;
    if number < mask {
        return block.push(pattern | number as u8);
    }
    block.push(pattern | mask as u8);
    let mut rest = number - mask;
    while rest >= 0x80 {
        block.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    block.push(rest as u8);
}

/// Appends a text, Huffman-coded where that is shorter.
fn text(text: &[u8], block: &mut Vec<u8>) {
    let coded = huffman::encoded_length(text);
    if coded < text.len() {
        integer(coded, 7, 0x80, block);
        return huffman::encode(text, block);
    }
    integer(text.len(), 7, 0, block);
    block.extend_from_slice(text);
}
