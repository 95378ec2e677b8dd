//! Frames (RFC 9113 sections 4 and 6): their heads, and how those of a client are written.

use super::{ErrorCode, ProtocolFlaw};

/// Length of the head of a frame in bytes.
pub(super) const FRAME_HEAD: usize = 9;
/// The longest payload that the server may send: the default of HTTP/2.
pub(super) const MAX_PAYLOAD: usize = 16 * 1024;
/// What a client sends first (section 3.4).
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

pub(super) const END_STREAM: u8 = 0x1;
pub(super) const ACK: u8 = 0x1;
pub(super) const END_HEADERS: u8 = 0x4;
pub(super) const PADDED: u8 = 0x8;
pub(super) const PRIORITY: u8 = 0x20;

/// The types of frames, by their numbers.
pub(super) mod kind {
    pub(in super::super) const DATA: u8 = 0;
    pub(in super::super) const HEADERS: u8 = 1;
    pub(in super::super) const PRIORITY: u8 = 2;
    pub(in super::super) const RST_STREAM: u8 = 3;
    pub(in super::super) const SETTINGS: u8 = 4;
    pub(in super::super) const PUSH_PROMISE: u8 = 5;
    pub(in super::super) const PING: u8 = 6;
    pub(in super::super) const GOAWAY: u8 = 7;
    pub(in super::super) const WINDOW_UPDATE: u8 = 8;
    pub(in super::super) const CONTINUATION: u8 = 9;
}

/// The settings that have a number.
pub(super) mod setting {
    pub(in super::super) const HEADER_TABLE_SIZE: u16 = 1;
    pub(in super::super) const ENABLE_PUSH: u16 = 2;
    pub(in super::super) const MAX_CONCURRENT_STREAMS: u16 = 3;
    pub(in super::super) const INITIAL_WINDOW_SIZE: u16 = 4;
    pub(in super::super) const MAX_FRAME_SIZE: u16 = 5;
    pub(in super::super) const MAX_HEADER_LIST_SIZE: u16 = 6;
}

/// The head of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FrameHead {
    /// Length of the payload.
    pub(super) length: usize,
    pub(super) kind: u8,
    pub(super) flags: u8,
    pub(super) stream: u32,
}

impl FrameHead {
    /// The head with which `input` begins; `None` when it is not complete.
    pub(super) fn parse(input: &[u8]) -> Result<Option<Self>, ProtocolFlaw> {
        let &[a, b, c, kind, flags, d, e, f, g, ..] = input else {
            return Ok(None);
        };
        let length = u32::from_be_bytes([0, a, b, c]) as usize;
        if length > MAX_PAYLOAD {
            return Err(ProtocolFlaw::FrameSize);
        }
        Ok(Some(Self { length, kind, flags, stream: number([d, e, f, g]) }))
    }

    pub(super) const fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}

/// A number of 31 bits; the highest bit is reserved and ignored.
pub(super) const fn number(bytes: [u8; 4]) -> u32 {
    u32::from_be_bytes(bytes) & 0x7fff_ffff
}

/// Appends the head of a frame.
pub(super) fn push_head(out: &mut Vec<u8>, length: usize, kind: u8, flags: u8, stream: u32) {
    out.extend_from_slice(&(length as u32).to_be_bytes()[1..]);
    out.extend_from_slice(&[kind, flags]);
    out.extend_from_slice(&stream.to_be_bytes());
}

/// Appends what a client begins a connection with: its settings, and a window for the connection that is larger by `window`.
pub(super) fn push_preface(out: &mut Vec<u8>, settings: &[(u16, u32)], window: u32) {
    out.extend_from_slice(PREFACE);
    push_head(out, 6 * settings.len(), kind::SETTINGS, 0, 0);
    for (name, value) in settings {
        out.extend_from_slice(&name.to_be_bytes());
        out.extend_from_slice(&value.to_be_bytes());
    }
    push_window(out, 0, window);
}

pub(super) fn push_window(out: &mut Vec<u8>, stream: u32, by: u32) {
    push_head(out, 4, kind::WINDOW_UPDATE, 0, stream);
    out.extend_from_slice(&by.to_be_bytes());
}

pub(super) fn push_reset(out: &mut Vec<u8>, stream: u32, code: ErrorCode) {
    push_head(out, 4, kind::RST_STREAM, 0, stream);
    out.extend_from_slice(&u32::from(code as u8).to_be_bytes());
}

/// Appends a GOAWAY, by which a client says that it closes the connection. The server has opened no streams.
pub(super) fn push_goaway(out: &mut Vec<u8>, code: ErrorCode) {
    push_head(out, 8, kind::GOAWAY, 0, 0);
    out.extend_from_slice(&[0; 4]);
    out.extend_from_slice(&u32::from(code as u8).to_be_bytes());
}

/// The part of a payload that is no padding.
pub(super) fn without_padding(head: &FrameHead, payload: &[u8]) -> Result<usize, ProtocolFlaw> {
    let padding =
        if head.has(PADDED) { usize::from(*payload.first().ok_or(ProtocolFlaw::FrameSize)?) } else { 0 };
    payload
        .len()
        .checked_sub(padding + usize::from(head.has(PADDED)))
        .map(|_| payload.len() - padding)
        .ok_or(ProtocolFlaw::Padding)
}
