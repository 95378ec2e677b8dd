//! The WebSocket codec of a client (RFC 6455): one connection as a value without sockets and without a clock. It takes the bytes of a server as
//! they are received and gives [`WebSocketEvent`]s; what is to be sent, answers to pings among it, is appended to a buffer. Extensions are not
//! offered, so no message is compressed. Its memory is bounded, whatever a server sends.

mod frame;
mod opening;
mod utf8;

use frame::{BINARY, CLOSE, CONTINUATION, ControlPayload, FrameHead, PING, PONG, TEXT};
use opening::OpeningHandshake;
use traffic::web_socket::{MessageForm, WebSocketFlaw};
use utf8::Utf8Check;

/// The longest message, in bytes.
pub const MAX_MESSAGE: u64 = 16 << 20;
/// The headers by which a client asks for WebSocket. They are the last ones of a request, and the value of the last one is drawn for each
/// connection.
pub(crate) const OPENING_HEADERS: &str =
    "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ";
/// The code of a connection that has done what it was for.
const NORMAL: u16 = 1000;

/// One connection.
#[derive(Debug)]
pub struct WebSocket {
    stage: Stage,
    opening: OpeningHandshake,
    head: FrameHead,
    /// The frame whose payload is being received.
    frame: Option<Frame>,
    /// The message that has begun and not ended.
    message: Option<Message>,
    utf8: Utf8Check,
    control: ControlPayload,
    /// What has come of the present message, or the last one, if it is kept.
    content: Vec<u8>,
    keeps_content: bool,
    /// What the server said when it closed the connection.
    closed: Option<u16>,
    masks: MaskKeys,
    /// The bytes that wait to be sent, from `sent` on.
    out: Vec<u8>,
    sent: usize,
    /// A ping that is answered when the answer to the one before it has left.
    owed_pong: Option<ControlPayload>,
}

/// How far a connection is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Nothing was said.
    Silent,
    /// The answer to the handshake is awaited.
    Opening,
    Open,
    /// The client has sent a close frame, and the server has not.
    Closing,
    /// The server has sent a close frame. What comes behind it means nothing.
    Closed,
}

/// A frame whose payload is being received.
#[derive(Clone, Copy, Debug)]
struct Frame {
    opcode: u8,
    is_last: bool,
    /// Bytes that are missing.
    left: u64,
}

/// A message that has begun.
#[derive(Clone, Copy, Debug)]
struct Message {
    is_text: bool,
    length: u64,
}

/// What the bytes of a server mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WebSocketEvent {
    /// All input was used, and nothing else is to be told.
    More,
    /// The opening handshake is complete.
    Opened,
    /// A message of this length has come; see [`WebSocket::content`].
    Message { length: u64 },
    /// The server has closed the connection; see [`WebSocket::close_code`] and [`WebSocket::close_reason`].
    Closed,
}

/// Draws the keys by which payloads are masked, each of them once. They are there to keep proxies from taking what a page sends for something
/// else (RFC 6455, section 10.3); here the user chooses all bytes, so they need not be secret, and a seed gives the same ones again.
#[derive(Clone, Copy, Debug)]
struct MaskKeys(u64);

impl MaskKeys {
    /// The next 64 bits (SplitMix64, Steele, Lea, Flood, OOPSLA 2014).
    const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    const fn key(&mut self) -> [u8; 4] {
        ((self.next() >> 32) as u32).to_be_bytes()
    }
}

impl WebSocket {
    /// A connection over which nothing was said. Messages are kept until the next one comes, if that is asked for.
    pub fn new(seed: u64, keeps_content: bool) -> Self {
        Self {
            stage: Stage::Silent,
            opening: OpeningHandshake::default(),
            head: FrameHead::default(),
            frame: None,
            message: None,
            utf8: Utf8Check::default(),
            control: ControlPayload::default(),
            content: Vec::new(),
            keeps_content,
            closed: None,
            masks: MaskKeys(seed),
            out: Vec::new(),
            sent: 0,
            owed_pong: None,
        }
    }

    /// Begins the opening handshake by a request that ends before the value of its key.
    pub fn begin(&mut self, request: &[u8]) {
        self.reset();
        self.stage = Stage::Opening;
        let nonce = (u128::from(self.masks.next()) << 64) | u128::from(self.masks.next());
        self.opening.begin(request, nonce, &mut self.out);
    }

    /// Forgets everything about the connection, which has ended.
    pub fn reset(&mut self) {
        self.stage = Stage::Silent;
        self.head = FrameHead::default();
        (self.frame, self.message, self.closed, self.owed_pong) = (None, None, None, None);
        self.content.clear();
        self.out.clear();
        self.sent = 0;
    }

    /// Whether messages can be sent.
    pub fn is_open(&self) -> bool {
        self.stage == Stage::Open
    }

    /// Whether nothing was said on the connection.
    pub fn is_silent(&self) -> bool {
        self.stage == Stage::Silent
    }

    /// The head of the answer to the opening handshake.
    pub fn opening_head(&self) -> &[u8] {
        self.opening.head()
    }

    /// The message that came last, if messages are kept.
    pub fn content(&self) -> &[u8] {
        &self.content
    }

    /// The code with which the server has closed the connection, if it told one.
    pub const fn close_code(&self) -> Option<u16> {
        self.closed
    }

    /// What the server said when it closed the connection.
    pub fn close_reason(&self) -> &[u8] {
        self.control.bytes().get(2..).unwrap_or_default()
    }

    /// Writes a message.
    pub fn send(&mut self, form: MessageForm, content: &[u8]) {
        let opcode = match form {
            MessageForm::Text => TEXT,
            MessageForm::Binary => BINARY,
        };
        self.write(opcode, content);
    }

    /// Writes a close frame, unless one was written.
    pub fn close(&mut self, flaw: Option<WebSocketFlaw>) {
        if self.is_open() {
            let code = flaw.map_or(NORMAL, WebSocketFlaw::close_code);
            self.write(CLOSE, &code.to_be_bytes());
            self.stage = Stage::Closing;
        }
    }

    fn write(&mut self, opcode: u8, payload: &[u8]) {
        let key = self.masks.key();
        frame::write(opcode, payload, key, &mut self.out);
    }

    /// The bytes that wait to be sent.
    pub fn waiting(&self) -> &[u8] {
        &self.out[self.sent..]
    }

    /// Notes that so many of them were sent.
    pub fn mark_sent(&mut self, count: usize) {
        self.sent += count;
        if self.sent == self.out.len() {
            self.out.clear();
            self.sent = 0;
            if let Some(pong) = self.owed_pong.take() {
                self.write(PONG, pong.bytes());
            }
        }
    }

    /// Takes bytes of the server, up to the next event. Returns how many were taken, and what they mean.
    ///
    /// # Errors
    ///
    /// What is wrong with them. The connection cannot be used any further then.
    pub fn advance(&mut self, input: &[u8]) -> Result<(usize, WebSocketEvent), WebSocketFlaw> {
        if self.stage == Stage::Opening {
            let (used, is_complete) = self.opening.take(input)?;
            if !is_complete {
                return Ok((used, WebSocketEvent::More));
            }
            self.stage = Stage::Open;
            return Ok((used, WebSocketEvent::Opened));
        }
        let mut used = 0;
        while !matches!(self.stage, Stage::Silent | Stage::Closed) {
            let rest = &input[used..];
            let (taken, event) = match self.frame {
                None if rest.is_empty() => break,
                None => (self.take_head(rest)?, None),
                Some(frame) if rest.is_empty() && frame.left > 0 => break,
                Some(frame) => self.take_payload(frame, rest)?,
            };
            used += taken;
            if let Some(event) = event {
                return Ok((used, event));
            }
        }
        Ok((input.len(), WebSocketEvent::More))
    }

    /// Takes bytes of the head of a frame.
    fn take_head(&mut self, input: &[u8]) -> Result<usize, WebSocketFlaw> {
        let (used, frame) = self.head.take(input)?;
        let Some(frame) = frame else { return Ok(used) };
        if frame.opcode >= CLOSE {
            self.control.clear();
        } else {
            self.begin_data(frame)?;
        }
        self.frame = Some(frame);
        Ok(used)
    }

    /// Begins a fragment, or a message that has one only.
    fn begin_data(&mut self, frame: Frame) -> Result<(), WebSocketFlaw> {
        let message = match (frame.opcode, self.message) {
            (CONTINUATION, Some(message)) => message,
            (CONTINUATION, None) => return Err(WebSocketFlaw::NothingToContinue),
            (_, Some(_)) => return Err(WebSocketFlaw::Interrupted),
            (opcode, None) => {
                self.content.clear();
                self.utf8 = Utf8Check::default();
                Message { is_text: opcode == TEXT, length: 0 }
            }
        };
        if frame.left > MAX_MESSAGE - message.length {
            return Err(WebSocketFlaw::TooLong(MAX_MESSAGE));
        }
        self.message = Some(message);
        Ok(())
    }

    /// Takes bytes of the payload of a frame, with which it may end.
    fn take_payload(
        &mut self,
        frame: Frame,
        input: &[u8],
    ) -> Result<(usize, Option<WebSocketEvent>), WebSocketFlaw> {
        let taken = usize::try_from(frame.left).map_or(input.len(), |left| left.min(input.len()));
        let (bytes, left) = (&input[..taken], frame.left - taken as u64);
        if frame.opcode >= CLOSE {
            self.control.add(bytes);
        } else {
            self.take_content(bytes)?;
        }
        self.frame = (left > 0).then_some(Frame { left, ..frame });
        let event = match frame.opcode {
            _ if left > 0 => None,
            CLOSE => Some(self.take_close()?),
            PING => {
                self.answer_ping();
                None
            }
            PONG => None,
            _ if frame.is_last => Some(self.end_message()?),
            _ => None,
        };
        Ok((taken, event))
    }

    fn take_content(&mut self, bytes: &[u8]) -> Result<(), WebSocketFlaw> {
        let Some(message) = &mut self.message else { return Ok(()) };
        message.length += bytes.len() as u64;
        if message.is_text && !self.utf8.take(bytes) {
            return Err(WebSocketFlaw::NotUtf8);
        }
        if self.keeps_content {
            self.content.extend_from_slice(bytes);
        }
        Ok(())
    }

    fn end_message(&mut self) -> Result<WebSocketEvent, WebSocketFlaw> {
        let message = self.message.take().unwrap_or(Message { is_text: false, length: 0 });
        if message.is_text && !self.utf8.is_complete() {
            return Err(WebSocketFlaw::NotUtf8);
        }
        Ok(WebSocketEvent::Message { length: message.length })
    }

    /// Answers a ping. While bytes wait to be sent, only the last one is (RFC 6455, section 5.5.3), so that a server that sends pings and does
    /// not read takes no memory.
    fn answer_ping(&mut self) {
        if self.waiting().is_empty() {
            let pong = self.control;
            self.write(PONG, pong.bytes());
        } else {
            self.owed_pong = Some(self.control);
        }
    }

    /// Takes a close frame, and answers it unless it is an answer itself.
    fn take_close(&mut self) -> Result<WebSocketEvent, WebSocketFlaw> {
        self.closed = frame::close_code(self.control.bytes())?;
        if self.is_open() {
            let payload = self.control;
            let code = payload.bytes().get(..2).unwrap_or_default();
            self.write(CLOSE, code);
        }
        self.stage = Stage::Closed;
        Ok(WebSocketEvent::Closed)
    }
}

#[cfg(test)]
#[path = "web_socket_tests.rs"]
mod tests;
