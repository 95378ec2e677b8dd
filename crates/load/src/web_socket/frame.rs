//! Frames (RFC 6455, section 5): their heads, and how one is written.

use super::Frame;
use traffic::web_socket::WebSocketFlaw;

pub(super) const CONTINUATION: u8 = 0;
pub(super) const TEXT: u8 = 1;
pub(super) const BINARY: u8 = 2;
/// Opcodes from this one on are of control frames.
pub(super) const CLOSE: u8 = 8;
pub(super) const PING: u8 = 9;
pub(super) const PONG: u8 = 10;
/// The longest payload of a control frame.
pub(super) const MOST_OF_CONTROL: usize = 125;

/// The bit of a frame that ends its message.
const FIN: u8 = 0x80;
const RESERVED: u8 = 0x70;
/// The bit of the length that says that the payload is masked.
const MASKED: u8 = 0x80;
/// Lengths that say that the length follows, in 2 or 8 bytes.
const SHORT: u8 = 126;
const LONG: u8 = 127;
/// The longest head of a frame that is not masked.
const LONGEST_HEAD: usize = 10;

/// The head of a frame that is being received.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FrameHead {
    bytes: [u8; LONGEST_HEAD],
    known: usize,
}

impl FrameHead {
    /// Takes bytes of a head. Returns how many were taken, and the frame if its head is complete.
    pub(super) fn take(&mut self, input: &[u8]) -> Result<(usize, Option<Frame>), WebSocketFlaw> {
        let mut used = 0;
        while used < input.len() {
            self.bytes[self.known] = input[used];
            (self.known, used) = (self.known + 1, used + 1);
            if self.known == 1 {
                check_first(self.bytes[0])?;
            }
            if self.known >= 2 && self.known == self.length()? {
                self.known = 0;
                return Ok((used, Some(self.frame())));
            }
        }
        Ok((used, None))
    }

    /// The length of a head of which at least two bytes are known.
    fn length(&self) -> Result<usize, WebSocketFlaw> {
        let [first, second, ..] = self.bytes;
        if second & MASKED != 0 {
            return Err(WebSocketFlaw::Masked);
        }
        if first & 0x0f >= CLOSE && usize::from(second) > MOST_OF_CONTROL {
            return Err(WebSocketFlaw::ControlFrame);
        }
        Ok(match second {
            SHORT => 4,
            LONG => LONGEST_HEAD,
            _ => 2,
        })
    }

    /// The frame of a complete head.
    fn frame(&self) -> Frame {
        let [first, second, a, b, c, d, e, f, g, h] = self.bytes;
        let left = match second {
            SHORT => u64::from(u16::from_be_bytes([a, b])),
            LONG => u64::from_be_bytes([a, b, c, d, e, f, g, h]),
            length => u64::from(length),
        };
        Frame { opcode: first & 0x0f, is_last: first & FIN != 0, left }
    }
}

/// Refuses what no first byte of a frame may be.
const fn check_first(first: u8) -> Result<(), WebSocketFlaw> {
    if first & RESERVED != 0 {
        return Err(WebSocketFlaw::ReservedBit);
    }
    match first & 0x0f {
        CONTINUATION | TEXT | BINARY => Ok(()),
        CLOSE | PING | PONG if first & FIN != 0 => Ok(()),
        CLOSE | PING | PONG => Err(WebSocketFlaw::ControlFrame),
        opcode => Err(WebSocketFlaw::Opcode(opcode)),
    }
}

/// Appends a frame that is a whole message, or a control frame, masked by this key.
pub(super) fn write(opcode: u8, payload: &[u8], key: [u8; 4], out: &mut Vec<u8>) {
    out.push(FIN | opcode);
    match payload.len() {
        length @ 0..=125 => out.push(MASKED | length as u8),
        length @ 126..=0xffff => {
            out.push(MASKED | SHORT);
            out.extend_from_slice(&(length as u16).to_be_bytes());
        }
        length => {
            out.push(MASKED | LONG);
            out.extend_from_slice(&(length as u64).to_be_bytes());
        }
    }
    out.extend_from_slice(&key);
    out.extend(payload.iter().zip(key.iter().cycle()).map(|(byte, key)| byte ^ key));
}

/// The code of a close frame with this payload; `None` for one without.
pub(super) fn close_code(payload: &[u8]) -> Result<Option<u16>, WebSocketFlaw> {
    let (code, reason) = match payload {
        [] => return Ok(None),
        [_] => return Err(WebSocketFlaw::CloseCode),
        [high, low, reason @ ..] => (u16::from_be_bytes([*high, *low]), reason),
    };
    // RFC 6455, section 7.4, and the codes that are registered since.
    if !matches!(code, 1000..=1003 | 1007..=1014 | 3000..=4999) {
        return Err(WebSocketFlaw::CloseCode);
    }
    match std::str::from_utf8(reason) {
        Ok(_) => Ok(Some(code)),
        Err(_) => Err(WebSocketFlaw::NotUtf8),
    }
}

/// The payload of a control frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct ControlPayload {
    bytes: [u8; MOST_OF_CONTROL],
    length: usize,
}

impl Default for ControlPayload {
    fn default() -> Self {
        Self { bytes: [0; MOST_OF_CONTROL], length: 0 }
    }
}

impl ControlPayload {
    pub(super) const fn clear(&mut self) {
        self.length = 0;
    }

    /// Adds bytes. The head of the frame has promised that they fit.
    pub(super) fn add(&mut self, bytes: &[u8]) {
        let room = bytes.len().min(MOST_OF_CONTROL - self.length);
        self.bytes[self.length..self.length + room].copy_from_slice(&bytes[..room]);
        self.length += room;
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}
