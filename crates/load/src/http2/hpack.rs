//! [`HeaderDecoder`]: reads header blocks (RFC 7541); [`Head`]: what the fields of an answer mean.

use super::ProtocolFlaw;
use super::fields::FieldTable;
use super::huffman;

/// The longest head of an answer and the longest trailers, in bytes, by the count of RFC 9113 section 10.5.1. It is announced to the server.
pub(super) const MAX_LIST: usize = 64 * 1024;

/// Reads the header blocks of one connection in the order in which they come.
#[derive(Debug, Default)]
pub(super) struct HeaderDecoder {
    table: FieldTable,
    name: Vec<u8>,
    value: Vec<u8>,
    /// The last block that did not change the table, with the state of the table that it refers to.
    last: Option<u64>,
    last_block: Vec<u8>,
}

/// What the fields of a header block say.
#[derive(Clone, Debug, Default)]
pub(super) struct Head {
    /// The status; 0 in trailers.
    pub(super) status: u16,
    /// The `Content-Length`, if there is one.
    pub(super) content_length: Option<u64>,
    /// The fields break a rule of RFC 9113 section 8.
    pub(super) malformed: bool,
    /// The head as HTTP/1 would write it, with the version 2.
    pub(super) text: Vec<u8>,
    /// The size of the list so far.
    size: usize,
    /// A field was read that is no pseudo-header.
    regular: bool,
}

impl Head {
    fn clear(&mut self) {
        self.text.clear();
        *self = Self { text: std::mem::take(&mut self.text), ..Self::default() };
    }

    /// Takes the next field.
    fn take(&mut self, name: &[u8], value: &[u8]) -> Result<(), ProtocolFlaw> {
        self.size += name.len() + value.len() + 32;
        if self.size > MAX_LIST {
            return Err(ProtocolFlaw::EndlessHead);
        }
        if value.iter().any(|byte| matches!(byte, b'\r' | b'\n' | 0)) {
            self.malformed = true;
            return Ok(());
        }
        if name.first() == Some(&b':') {
            return self.take_pseudo(name, value);
        }
        self.regular = true;
        let is_wrong =
            |byte: &u8| byte.is_ascii_uppercase() || *byte <= b' ' || *byte >= 0x7f || *byte == b':';
        self.malformed |= name.is_empty() || name.iter().any(is_wrong);
        match name {
            b"content-length" => self.take_length(value),
            // RFC 9113 section 8.2.2.
            b"connection" | b"proxy-connection" | b"keep-alive" | b"transfer-encoding" | b"upgrade" => {
                self.malformed = true;
            }
            _ => {}
        }
        for part in [name, b": ", value, b"\r\n"] {
            self.text.extend_from_slice(part);
        }
        Ok(())
    }

    /// Takes a pseudo-header: answers have the status only, once, and before all other fields.
    fn take_pseudo(&mut self, name: &[u8], value: &[u8]) -> Result<(), ProtocolFlaw> {
        let status = match value {
            digits if digits.len() == 3 && digits.iter().all(u8::is_ascii_digit) => {
                digits.iter().fold(0, |number, digit| 10 * number + u16::from(digit - b'0'))
            }
            _ => 0,
        };
        self.malformed |= name != b":status" || status < 100 || self.status != 0 || self.regular;
        self.status = status;
        for part in [&b"HTTP/2 "[..], value, b"\r\n"] {
            self.text.extend_from_slice(part);
        }
        Ok(())
    }

    /// Reads a `Content-Length`. Several lengths are accepted if they are equal.
    fn take_length(&mut self, value: &[u8]) {
        let length = std::str::from_utf8(value).ok().filter(|text| !text.starts_with('+'));
        match length.and_then(|text| text.parse().ok()) {
            Some(length) if self.content_length.is_none_or(|earlier| earlier == length) => {
                self.content_length = Some(length);
            }
            _ => self.malformed = true,
        }
    }
}

impl HeaderDecoder {
    /// Reads a whole block into `head`. A block with the same bytes as the last one has the same meaning unless the table has changed,
    /// and comparing is many times cheaper than decoding; then `head` stays as it is.
    ///
    /// # Errors
    ///
    /// A [`ProtocolFlaw`] after which no further block can be understood.
    pub(super) fn read(&mut self, block: &[u8], head: &mut Head) -> Result<(), ProtocolFlaw> {
        if self.last == Some(self.table.generation()) && block == self.last_block {
            return Ok(());
        }
        head.clear();
        self.last = None;
        let before = self.table.generation();
        self.read_fields(block, head)?;
        head.text.extend_from_slice(b"\r\n");
        if self.table.generation() == before {
            self.last = Some(before);
            self.last_block.clear();
            self.last_block.extend_from_slice(block);
        }
        Ok(())
    }

    fn read_fields(&mut self, block: &[u8], head: &mut Head) -> Result<(), ProtocolFlaw> {
        let mut rest = block;
        let mut at_begin = true;
        while let Some(&first) = rest.first() {
            match first {
                0x80.. => {
                    let number = integer(&mut rest, 7)?;
                    let (name, value) = self.table.get(number)?;
                    head.take(name, value)?;
                }
                0x40.. => {
                    self.read_literal(&mut rest, 6)?;
                    head.take(&self.name, &self.value)?;
                    self.table.insert(&self.name, &self.value);
                }
                0x20.. => {
                    // RFC 7541 section 4.2: only at the begin of a block.
                    if !at_begin {
                        return Err(ProtocolFlaw::TableSize);
                    }
                    let limit = integer(&mut rest, 5)?;
                    self.table.resize(limit)?;
                    continue;
                }
                _ => {
                    self.read_literal(&mut rest, 4)?;
                    head.take(&self.name, &self.value)?;
                }
            }
            at_begin = false;
        }
        Ok(())
    }

    /// Reads a field whose value, and perhaps whose name, is written out.
    fn read_literal(&mut self, rest: &mut &[u8], prefix: u32) -> Result<(), ProtocolFlaw> {
        let number = integer(rest, prefix)?;
        self.name.clear();
        self.value.clear();
        if number == 0 {
            text(rest, &mut self.name)?;
        } else {
            self.name.extend_from_slice(self.table.get(number)?.0);
        }
        text(rest, &mut self.value)
    }
}

/// Takes an integer from the front of `rest`, whose first byte has `prefix` bits of it (RFC 7541 section 5.1).
fn integer(rest: &mut &[u8], prefix: u32) -> Result<usize, ProtocolFlaw> {
    let (&first, mut tail) = rest.split_first().ok_or(ProtocolFlaw::CutBlock)?;
    let mask = (1_u8 << prefix) - 1;
    let mut number = usize::from(first & mask);
    if number == usize::from(mask) {
        let mut shift = 0;
        loop {
            let (&byte, behind) = tail.split_first().ok_or(ProtocolFlaw::CutBlock)?;
            tail = behind;
            // Nothing that a block of at most 64 KiB means needs more than 21 bits.
            if shift > 14 {
                return Err(ProtocolFlaw::Integer);
            }
            number += usize::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 {
                break;
            }
        }
    }
    *rest = tail;
    Ok(number)
}

/// Takes a text from the front of `rest` (RFC 7541 section 5.2).
fn text(rest: &mut &[u8], into: &mut Vec<u8>) -> Result<(), ProtocolFlaw> {
    let is_huffman = rest.first().is_some_and(|first| first & 0x80 != 0);
    let length = integer(rest, 7)?;
    let (text, behind) = rest.split_at_checked(length).ok_or(ProtocolFlaw::CutBlock)?;
    *rest = behind;
    if is_huffman {
        return huffman::decode(text, into);
    }
    into.extend_from_slice(text);
    Ok(())
}
