//! What a client sends on a connection: preface, requests and the end of streams.

use super::frame::{self, END_HEADERS, END_STREAM, kind, setting};
use super::hpack::MAX_LIST;
use super::{DEFAULT_WINDOW, ErrorCode, Http2, MOST_WAITING, ProtocolFlaw, Reading, Stream, WINDOW};

/// A request that a stream is opened with.
#[derive(Clone, Copy, Debug)]
pub struct Opening<'a> {
    /// The request as HTTP/1 writes it; only its head is read.
    pub request: &'a [u8],
    /// The number of the request among those of the plan, if it is sent with the same bytes each time.
    pub fixed: Option<usize>,
    /// Whether a body follows.
    pub body: bool,
    /// Whether the answer has no body, because only its head was asked for.
    pub head_only: bool,
}

impl Http2 {
    pub(super) fn write_preface(&mut self) {
        let settings = [
            (setting::ENABLE_PUSH, 0),
            (setting::INITIAL_WINDOW_SIZE, WINDOW as u32),
            (setting::MAX_HEADER_LIST_SIZE, MAX_LIST as u32),
        ];
        frame::push_preface(&mut self.out, &settings, (WINDOW - DEFAULT_WINDOW) as u32);
    }

    /// Opens a stream in a free lane and writes the head of its request. [`Http2::may_open`] was asked before.
    pub fn open(&mut self, lane: usize, opening: &Opening<'_>) {
        let id = self.next_stream;
        self.next_stream += 2;
        // The numbers are used up after 2^30 requests; another connection begins anew.
        self.gone |= self.next_stream > i32::MAX as u32;
        self.streams[lane] = Stream {
            id,
            send_window: self.server.initial_window,
            receive_window: WINDOW,
            no_body: opening.head_only,
            complete: !opening.body,
            ..Stream::default()
        };
        self.open += 1;
        let state = self.encoder.generation();
        if let Some(fixed) = opening.fixed
            && let (made_in, block) = &self.blocks[fixed]
            && state.is_some()
            && *made_in == state
        {
            return push_block(&mut self.out, block, id, opening.body, self.server.max_payload);
        }
        self.written_block.clear();
        self.encoder.write(opening.request, self.scheme, &mut self.written_block);
        push_block(&mut self.out, &self.written_block, id, opening.body, self.server.max_payload);
        if let Some(fixed) = opening.fixed {
            let (made_in, block) = &mut self.blocks[fixed];
            // A block that has put fields into the table is not the block that comes next.
            *made_in = state.filter(|_| self.encoder.generation() == state);
            block.clear();
            block.extend_from_slice(&self.written_block);
        }
    }

    /// Writes as much of `body`, the rest of a request's body, as the windows allow and as should wait to be sent. Returns the number of
    /// bytes written; the stream is complete on this side when that is all.
    pub fn send_body(&mut self, lane: usize, body: &[u8]) -> usize {
        let mut written = 0;
        let stream = &mut self.streams[lane];
        while written < body.len() && self.out.len() - self.sent < MOST_WAITING {
            let window = self.send_window.min(stream.send_window).max(0) as usize;
            let length = (body.len() - written).min(window).min(self.server.max_payload);
            if length == 0 {
                break;
            }
            let is_last = written + length == body.len();
            frame::push_head(
                &mut self.out,
                length,
                kind::DATA,
                if is_last { END_STREAM } else { 0 },
                stream.id,
            );
            self.out.extend_from_slice(&body[written..written + length]);
            self.send_window -= length as i64;
            stream.send_window -= length as i64;
            stream.complete = is_last;
            written += length;
            self.idle_frames = 0;
        }
        written
    }

    /// True when a body waits because the server's windows are used up.
    pub fn is_throttled(&self, lane: usize) -> bool {
        let stream = &self.streams[lane];
        stream.id != 0 && !stream.complete && self.send_window.min(stream.send_window) <= 0
    }

    /// True when the window of the connection is used up, for which the bodies of all streams wait.
    pub const fn is_connection_throttled(&self) -> bool {
        self.send_window <= 0
    }

    /// Ends a stream whose answer nobody waits for any more.
    pub fn cancel(&mut self, lane: usize) {
        // Frames that come for it after this are no flood.
        self.idle_frames = 0;
        self.reset(lane, ErrorCode::Cancel);
    }

    /// Ends a stream if it is open, and tells the server why.
    pub(super) fn reset(&mut self, lane: usize, why: ErrorCode) {
        let id = self.streams[lane].id;
        if id == 0 {
            return;
        }
        if let Reading::Data(data) = &mut self.reading
            && data.lane == Some(lane)
        {
            data.lane = None; // the rest of the frame is not of the stream that is opened next in this lane
        }
        frame::push_reset(&mut self.out, id, why);
        self.cancelled[self.cancelled_next] = id;
        self.cancelled_next = (self.cancelled_next + 1) % self.cancelled.len();
        self.free(lane);
    }

    /// Tells the server that the connection is closed, and why.
    pub fn say_goodbye(&mut self, flaw: Option<ProtocolFlaw>) {
        frame::push_goaway(&mut self.out, flaw.map_or(ErrorCode::None, ProtocolFlaw::code));
    }

    /// The bytes that wait to be sent.
    pub fn waiting(&self) -> &[u8] {
        &self.out[self.sent..]
    }

    /// Notes that so many of the waiting bytes were handed over to be sent, the others following.
    pub fn mark_sent(&mut self, count: usize) {
        self.unsent_stream = self.next_stream;
        self.sent += count;
        if self.sent == self.out.len() {
            self.out.clear();
            self.sent = 0;
        } else if self.sent > MOST_WAITING {
            self.out.drain(..self.sent);
            self.sent = 0;
        }
    }
}

/// Appends a header block, in as many frames as it takes.
fn push_block(out: &mut Vec<u8>, block: &[u8], stream: u32, body: bool, most: usize) {
    let mut pieces = block.chunks(most).peekable();
    let mut kind_of_frame = kind::HEADERS;
    let end_stream = if body { 0 } else { END_STREAM };
    while let Some(piece) = pieces.next() {
        let mut flags = if pieces.peek().is_none() { END_HEADERS } else { 0 };
        if kind_of_frame == kind::HEADERS {
            flags |= end_stream;
        }
        frame::push_head(out, piece.len(), kind_of_frame, flags, stream);
        out.extend_from_slice(piece);
        kind_of_frame = kind::CONTINUATION;
    }
}
