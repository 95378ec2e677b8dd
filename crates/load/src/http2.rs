//! The HTTP/2 codec of a client (RFC 9113): one connection with its streams, as a value without sockets and without a clock. It takes the
//! bytes of a server as they are received and gives [`StreamEvent`]s; what is to be sent is appended to a buffer. Its memory is bounded, whatever a
//! server sends.
//!
//! A stream is addressed by its *lane*, an index that its caller chooses, and that another stream may have after it.

mod encoder;
mod fields;
mod flaw;
mod frame;
mod hpack;
mod huffman;
mod receiving;
mod sending;

use encoder::HeaderEncoder;
pub use flaw::{ErrorCode, ProtocolFlaw};
use frame::MAX_PAYLOAD;
use hpack::{Head, HeaderDecoder};
pub use sending::Opening;

/// The window of each stream and of the connection, in bytes. Bodies are discarded as they arrive, so that a server never has to wait for a
/// client of this speed; h2load has the same windows.
const WINDOW: i64 = (1 << 30) - 1;
/// The window before anything is said about it.
const DEFAULT_WINDOW: i64 = 65_535;
/// The largest window that a peer may open, in bytes (RFC 9113, section 6.9.1).
const LARGEST_WINDOW: i64 = i32::MAX as i64;
/// The most frames in a row that no answer needs: settings, pings, windows, priorities, and frames without content. Bytes of a body that come
/// for a stream that was cancelled are not counted: they were on their way.
const MOST_IDLE_FRAMES: u32 = 1000;
/// The most frames of one header block.
const MOST_CONTINUATIONS: u32 = 64;
/// The most 1xx responses before a final one.
const MAX_INTERIM: u8 = 32;
/// While more bytes than this wait to be sent, no further bytes of bodies are added.
const MOST_WAITING: usize = 256 * 1024;
/// The number of cancelled streams that are remembered for each lane. What still comes for them is ignored.
const CANCELLED: usize = 4;

/// One connection.
#[derive(Debug)]
pub struct Http2 {
    scheme: &'static str,
    reading: Reading,
    /// The bytes so far of a frame that was split between reads; at most one frame.
    partial: Vec<u8>,
    /// The header block so far that is not complete, and whose it is.
    block: Vec<u8>,
    block_of: Option<UnfinishedBlock>,
    decoder: HeaderDecoder,
    head: Head,
    /// The lane of the head that was read last; none where its stream is not open.
    head_lane: Option<usize>,
    encoder: HeaderEncoder,
    /// The last block of each request of the plan, and the state of the encoder that it was made in.
    blocks: Vec<(Option<u64>, Vec<u8>)>,
    /// The block that is being written.
    written_block: Vec<u8>,
    streams: Vec<Stream>,
    /// Number of streams that are open.
    open: usize,
    /// Where the search for a stream begins: behind the one that was found last, because most servers answer in order.
    next_lane: usize,
    next_stream: u32,
    /// Streams with this number or a higher one have not been sent yet, so that nothing can come for them.
    unsent_stream: u32,
    /// Streams that were cancelled last.
    cancelled: Vec<u32>,
    cancelled_next: usize,
    server: ServerSettings,
    /// The server's settings have come.
    greeted: bool,
    /// No further streams may be opened.
    gone: bool,
    /// How many bytes may still be sent on the connection.
    send_window: i64,
    /// How many bytes the server may still send on the connection.
    receive_window: i64,
    idle_frames: u32,
    /// The bytes that wait to be sent, from `sent` on.
    out: Vec<u8>,
    sent: usize,
}

/// What is read next.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Reading {
    /// The head of a frame, or the rest of it.
    Frame,
    /// The payload of a DATA frame; it is handed on as it comes.
    Data(DataFrame),
}

/// The rest of a DATA frame.
#[derive(Clone, Copy, Debug, PartialEq)]
struct DataFrame {
    /// `None` for a stream that was cancelled.
    lane: Option<usize>,
    /// Bytes that are missing, with padding.
    left: usize,
    /// The length of the padding; `None` before it was read.
    padding: Option<usize>,
    /// Bytes of the frame that no event has told of yet.
    untold: usize,
    end: bool,
}

/// Whose header block is not complete.
#[derive(Clone, Copy, Debug)]
struct UnfinishedBlock {
    stream: u32,
    end: bool,
    frames: u32,
    /// Length of its frames so far.
    size: usize,
}

#[derive(Clone, Copy, Debug, Default)]
struct Stream {
    /// 0 when no stream is open in the lane.
    id: u32,
    /// How many bytes may still be sent on it.
    send_window: i64,
    /// How many bytes the server may still send on it.
    receive_window: i64,
    /// The final head has come.
    answered: bool,
    interim: u8,
    /// The answer has no body, whatever its head announces.
    no_body: bool,
    /// The body that its head announces.
    length: Option<u64>,
    /// Bytes of the body so far.
    body: u64,
    /// The request was sent to its end.
    complete: bool,
}

/// What the server said of itself.
#[derive(Clone, Copy, Debug)]
struct ServerSettings {
    max_streams: u32,
    initial_window: i64,
    max_payload: usize,
}

impl Default for ServerSettings {
    fn default() -> Self {
        Self { max_streams: u32::MAX, initial_window: DEFAULT_WINDOW, max_payload: MAX_PAYLOAD }
    }
}

/// What [`Http2::advance`] tells. A stream has ended, and its lane is free, after an event with `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamEvent {
    /// All input was used, and there is nothing to tell.
    More,
    /// The server told its settings, the first ones or others.
    Settings,
    /// The head of an answer; [`Http2::head_text`] has its fields.
    Head {
        lane: usize,
        status: u16,
        /// Bytes of its frames.
        size: usize,
        end: bool,
    },
    /// Bytes of a body: `length` bytes of the input from `from` on.
    Data {
        lane: usize,
        from: usize,
        length: usize,
        /// Bytes of the frame, with its head and padding, as far as they were not told of before.
        size: usize,
        end: bool,
    },
    /// The answer ended with trailers.
    Trailers {
        lane: usize,
        /// Bytes of their frames.
        size: usize,
    },
    /// The answer broke a rule, and its stream was cancelled.
    Malformed { lane: usize },
    /// The server cancelled a stream.
    Reset { lane: usize, code: ErrorCode },
    /// The server ends the connection. It has not begun to handle streams after the last one that it names, see [`Http2::is_behind`].
    GoAway { last: u32, code: ErrorCode },
    /// More may be sent, on a stream or on the connection.
    Window,
}

impl Http2 {
    /// A connection of at most so many streams at a time, on which so many requests of a plan are sent, with heads of at most `longest` bytes.
    /// The memory is taken now.
    pub fn new(scheme: &'static str, lanes: usize, requests: usize, longest: usize) -> Self {
        Self {
            scheme,
            reading: Reading::Frame,
            partial: Vec::with_capacity(256),
            block: Vec::new(),
            block_of: None,
            decoder: HeaderDecoder::default(),
            head: Head::default(),
            head_lane: None,
            encoder: HeaderEncoder::default(),
            blocks: (0..requests).map(|_| (None, Vec::with_capacity(longest))).collect(),
            written_block: Vec::with_capacity(longest),
            streams: vec![Stream::default(); lanes],
            open: 0,
            next_lane: 0,
            next_stream: 1,
            unsent_stream: 1,
            cancelled: vec![0; CANCELLED * lanes],
            cancelled_next: 0,
            server: ServerSettings::default(),
            greeted: false,
            gone: false,
            send_window: DEFAULT_WINDOW,
            receive_window: WINDOW,
            idle_frames: 0,
            out: Vec::with_capacity(4096),
            sent: 0,
        }
    }

    /// Forgets the connection, and begins another one: its first bytes wait to be sent.
    pub fn begin(&mut self) {
        self.reading = Reading::Frame;
        self.partial.clear();
        self.block.clear();
        (self.block_of, self.head_lane) = (None, None);
        (self.decoder, self.encoder) = (HeaderDecoder::default(), HeaderEncoder::default());
        self.blocks.iter_mut().for_each(|(made_in, _)| *made_in = None);
        self.streams.fill(Stream::default());
        self.cancelled.fill(0);
        (self.open, self.next_lane, self.next_stream, self.unsent_stream) = (0, 0, 1, 1);
        self.server = ServerSettings::default();
        (self.greeted, self.gone) = (false, false);
        (self.send_window, self.receive_window) = (DEFAULT_WINDOW, WINDOW);
        self.idle_frames = 0;
        self.out.clear();
        self.sent = 0;
        self.write_preface();
    }

    /// True once the server has told its settings.
    pub const fn is_greeted(&self) -> bool {
        self.greeted
    }

    /// True when no further streams can be opened on this connection, now or later.
    pub const fn is_gone(&self) -> bool {
        self.gone
    }

    /// True when the server lets another stream be opened now.
    pub const fn may_open(&self) -> bool {
        self.greeted && !self.gone && self.open < self.server.max_streams as usize
    }

    /// The most streams that the server allows at once; `None` where it has named no limit.
    pub fn stream_limit(&self) -> Option<u32> {
        Some(self.server.max_streams).filter(|most| *most != u32::MAX)
    }

    /// Number of streams that are open.
    pub const fn open_streams(&self) -> usize {
        self.open
    }

    /// True when a stream is open in this lane.
    pub fn is_open(&self, lane: usize) -> bool {
        self.streams[lane].id != 0
    }

    /// True when the stream in this lane was opened after the stream with the number `last`.
    pub fn is_behind(&self, lane: usize, last: u32) -> bool {
        self.streams[lane].id > last
    }

    /// True when the bytes that were read so far end with a frame.
    pub fn is_between_frames(&self) -> bool {
        self.reading == Reading::Frame && self.partial.is_empty()
    }

    /// The head that was read last, as HTTP/1 would write it.
    pub fn head_text(&self) -> &[u8] {
        &self.head.text
    }

    /// The head or the trailers of the answer in this lane, if no other stream had any since; empty otherwise.
    pub fn head_text_of(&self, lane: usize) -> &[u8] {
        if self.head_lane == Some(lane) { self.head_text() } else { &[] }
    }

    /// The lane of an open stream.
    fn lane_of(&mut self, stream: u32) -> Option<usize> {
        let is_it = |lane: &Stream| lane.id == stream;
        let (before, behind) = self.streams.split_at(self.next_lane);
        let found = match behind.iter().position(is_it) {
            Some(place) => Some(self.next_lane + place),
            None => before.iter().position(is_it),
        };
        if let Some(lane) = found {
            self.next_lane = lane;
        }
        found
    }

    /// Ends the stream in a lane.
    fn free(&mut self, lane: usize) {
        if self.streams[lane].id != 0 {
            self.streams[lane] = Stream::default();
            self.open -= 1;
        }
    }
}

#[cfg(test)]
#[path = "http2_tests.rs"]
mod tests;
