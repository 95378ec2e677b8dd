//! The connections of WebSocket of a shard: how they are opened, how messages are sent and awaited, and how they end.
//!
//! A request on such a connection is an *exchange*: it sends a message, awaits one, or both. It is concluded when all bytes of a read are
//! handled, so that a message which came together with its answer is never taken for the answer to the next request.

use super::Shard;
use super::exchange::{InputBuffer, ReadTimes, record_events, why_wrong};
use super::streams::send_some;
use crate::Fault;
use crate::clock;
use crate::conn::{Channel, Conn, ConnState, ConnectionFailure};
use crate::port::{READS, SocketEvent};
use crate::tls::Decrypted;
use crate::users::{first_failure, masked_text};
use crate::web_socket::{WebSocket, WebSocketEvent};
use model::units::Nanos;
use rustix::io::Errno;
use traffic::plan::{Plan, Request, Reuse};
use traffic::scenario::{FirstFailure, StepFailure};
use traffic::web_socket::{Awaited, WebSocketFlaw, WebSocketStep};

/// The status of a connection of HTTP that has become one of WebSocket. All answers on it have it.
const SWITCHED: u16 = 101;

/// Why a connection cannot be read any further.
#[derive(Clone, Copy, Debug)]
enum ChannelEnd {
    /// It broke, or ended without a close frame.
    Lost(Fault),
    /// The server has closed it.
    Closed(ReadTimes),
    /// The server broke the protocol, or does not speak it.
    Flawed(WebSocketFlaw),
}

impl From<WebSocketFlaw> for ChannelEnd {
    fn from(flaw: WebSocketFlaw) -> Self {
        Self::Flawed(flaw)
    }
}

impl ChannelEnd {
    /// The fault under which it is counted where a message was awaited.
    const fn fault(self) -> Fault {
        match self {
            Self::Lost(fault) => fault,
            Self::Closed(_) => Fault::WebSocketClosed,
            Self::Flawed(flaw) if flaw.is_of_opening() => Fault::NotWebSocket,
            Self::Flawed(_) => Fault::Malformed,
        }
    }
}

/// What is kept of the end of a connection on which these bytes were asked.
fn why_ended(codec: &WebSocket, end: ChannelEnd, asked: &[u8]) -> FirstFailure {
    let said = if end.fault() == Fault::NotWebSocket { codec.opening_head() } else { &[] };
    let why = match end {
        ChannelEnd::Flawed(flaw) => StepFailure::WebSocket(flaw),
        ChannelEnd::Lost(_) | ChannelEnd::Closed(_) => {
            let reason = Some(masked_text(codec.close_reason())).filter(|text| !text.is_empty());
            StepFailure::WebSocketClosed { code: codec.close_code(), reason }
        }
    };
    first_failure(why, asked, said)
}

impl Channel {
    /// What a slot of a plan has for a connection of WebSocket; `number` differs for all slots of a load.
    pub(super) fn of(plan: &Plan, number: usize) -> Box<Self> {
        // The content is looked at only where not any message will do.
        let keeps = plan.sessions.is_some() || plan.requests.iter().any(looks_at_messages);
        let seed = plan.seed ^ (number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Box::new(Self::new(WebSocket::new(seed, keeps)))
    }
}

fn looks_at_messages(request: &Request) -> bool {
    match &request.web_socket {
        Some(WebSocketStep::Message { awaits: Awaited::Echo, .. }) => true,
        Some(WebSocketStep::Message { awaits: Awaited::Containing(text), .. }) => !text.is_empty(),
        _ => false,
    }
}

/// Whether the message that has come is the one that the request of a slot awaits.
fn is_awaited(content: &[u8], wanted: &[u8], sent: &[u8], request: &Request) -> bool {
    match &request.web_socket {
        Some(WebSocketStep::Message { awaits: Awaited::Echo, .. }) => content == sent,
        Some(WebSocketStep::Message { awaits: Awaited::Containing(_), .. }) => {
            wanted.is_empty() || memchr::memmem::find(content, wanted).is_some()
        }
        _ => false,
    }
}

/// Whether an exchange awaits a message, and none has completed it.
fn is_waiting(conn: &Conn, request: &Request) -> bool {
    let awaits =
        matches!(&request.web_socket, Some(step @ WebSocketStep::Message { .. }) if !step.awaits_nothing());
    awaits && conn.state == ConnState::Busy && conn.channel.as_ref().is_some_and(|one| one.complete.is_none())
}

impl Shard {
    fn request_of(&self, slot: usize) -> &Request {
        &self.plan.requests[self.conns[slot].picked.request]
    }

    fn channel(&mut self, slot: usize) -> &mut Channel {
        self.conns[slot].channel.as_mut().expect("the slot is a connection of WebSocket")
    }

    /// Whether the pending request of a slot needs a connection of WebSocket that is open, and there is none.
    pub(super) fn lacks_channel(&self, slot: usize) -> bool {
        let conn = &self.conns[slot];
        let is_closed = |channel: &Channel| !channel.codec.is_open();
        let opens = || self.request_of(slot).web_socket == Some(WebSocketStep::Connect);
        self.plan.opening.is_none()
            && conn.pending
            && conn.channel.as_deref().is_some_and(is_closed)
            && !opens()
    }

    /// Begins the opening handshake on a connection whose requests are messages.
    pub(super) fn begin_opening(&mut self, slot: usize, now: Nanos) {
        let conn = &mut self.conns[slot];
        let (Some(channel), Some(request)) = (&mut conn.channel, &self.plan.opening) else { return };
        channel.codec.begin(request);
        conn.since = now;
        self.set_state(slot, ConnState::Upgrading);
        if self.push_frames(slot).is_err() {
            self.receive_messages(slot, true);
        }
    }

    /// Whether the pending request of a slot can be sent now. Otherwise a new connection is asked for, or the request has failed.
    pub(super) fn may_exchange(&mut self, slot: usize, now: Nanos) -> bool {
        let opens = self.request_of(slot).web_socket == Some(WebSocketStep::Connect);
        let codec = &self.channel(slot).codec;
        let (is_open, is_silent) = (codec.is_open(), codec.is_silent());
        match opens {
            true if !is_silent => self.reconnect(slot),
            false if !is_open => self.connect_failed(slot, Fault::WebSocketClosed, now),
            _ => return true,
        }
        false
    }

    /// Writes what the request of a slot sends, and looks whether it is complete by that.
    pub(super) fn write_exchange(&mut self, slot: usize) {
        let conn = &mut self.conns[slot];
        let request = &self.plan.requests[conn.picked.request];
        let (Some(channel), Some(step)) = (&mut conn.channel, &request.web_socket) else { return };
        (channel.complete, channel.others, conn.length) = (None, 0, 0);
        conn.codec.reply_mut().begin(SWITCHED, true, request);
        let content = if conn.rendered.is_empty() { &request.bytes } else { &conn.rendered };
        match step {
            WebSocketStep::Connect => channel.codec.begin(content),
            WebSocketStep::Close => channel.codec.close(None),
            WebSocketStep::Message { sends, awaits } => {
                if let Some(form) = sends {
                    channel.forget_unread();
                    channel.codec.send(*form, content);
                }
                // What a step of a session awaits was rendered with its message.
                if let (Awaited::Containing(text), None) = (awaits, &self.play) {
                    channel.wanted.clear();
                    channel.wanted.extend_from_slice(text);
                }
            }
        }
        if self.push_frames(slot).is_err() {
            // The server may have said something before it closed the connection, so the outcome is found out by reading.
            return self.receive_messages(slot, true);
        }
        self.look_at_unread(slot);
        self.complete_if_sent(slot);
    }

    /// Looks for the awaited message among those that have come before.
    fn look_at_unread(&mut self, slot: usize) {
        let conn = &mut self.conns[slot];
        let request = &self.plan.requests[conn.picked.request];
        if !is_waiting(conn, request) {
            return;
        }
        let Some(channel) = &mut conn.channel else { return };
        while let Some(message) = channel.take_unread() {
            if is_awaited(&message, &channel.wanted, &conn.rendered, request) {
                conn.codec.reply_mut().take_message(&message, message.len() as u64);
                return self.complete_now(slot);
            }
            channel.others += 1;
        }
    }

    /// Completes an exchange that awaits nothing, once everything of it has left.
    fn complete_if_sent(&mut self, slot: usize) {
        let conn = &self.conns[slot];
        let awaits_nothing =
            self.request_of(slot).web_socket.as_ref().is_some_and(WebSocketStep::awaits_nothing);
        let is_new = conn.channel.as_ref().is_some_and(|channel| channel.complete.is_none());
        if conn.state == ConnState::Busy && awaits_nothing && is_new && !conn.has_unsent_bytes() {
            self.complete_now(slot);
        }
    }

    /// Notes that an exchange is complete for which nothing has to be received. It is concluded in this turn of the loop, and not here: the
    /// request behind it may be of the same kind, and so on.
    fn complete_now(&mut self, slot: usize) {
        let now = clock::now();
        let conn = &mut self.conns[slot];
        conn.first_byte = now;
        let token = conn.token(slot);
        self.channel(slot).complete = Some(now);
        self.ready.push_back(token);
    }

    /// Concludes the exchanges for which nothing had to be received. Those that become complete meanwhile come in the next turn.
    pub(super) fn conclude_ready(&mut self) {
        for _ in 0..self.ready.len() {
            let Some(token) = self.ready.pop_front() else { return };
            let slot = token.slot as usize;
            if self.conns[slot].generation == token.generation {
                self.conclude_if_complete(slot, clock::now());
            }
        }
    }

    /// Handles an event on a connection of WebSocket.
    pub(super) fn handle_channel(&mut self, slot: usize, event: SocketEvent) {
        if event.writable && self.conns[slot].has_unsent_bytes() {
            if self.push_frames(slot).is_err() {
                return self.receive_messages(slot, true);
            }
            self.complete_if_sent(slot);
        }
        if event.readable {
            self.receive_messages(slot, event.ended);
        }
    }

    /// Hands the waiting bytes of a connection to its socket, as many as it takes.
    fn push_frames(&mut self, slot: usize) -> Result<(), Errno> {
        let conn = &mut self.conns[slot];
        let (Some(channel), Some(socket)) = (&mut conn.channel, &conn.socket) else {
            return Ok(());
        };
        loop {
            match send_some(&mut conn.tls, socket, channel.codec.waiting())? {
                0 => return Ok(()),
                sent => channel.codec.mark_sent(sent),
            }
        }
    }

    /// Says goodbye on a connection that is open, as far as its socket takes it at once.
    pub(super) fn close_channel(&mut self, slot: usize) {
        if let Some(channel) = &mut self.conns[slot].channel
            && channel.codec.is_open()
        {
            channel.codec.close(None);
            self.push_frames(slot).ok();
        }
    }

    /// Reads and handles what has arrived. `ended` says that the stream will end and that no further event will tell; then it reads to the end.
    fn receive_messages(&mut self, slot: usize, ended: bool) {
        if let Err(end) = self.read_messages(slot, ended) {
            self.lose_channel(slot, end);
        }
    }

    fn read_messages(&mut self, slot: usize, ended: bool) -> Result<(), ChannelEnd> {
        let generation = self.conns[slot].generation;
        for _ in 0..READS {
            let conn = &self.conns[slot];
            let Some(socket) = conn.socket.as_ref().filter(|_| conn.generation == generation) else {
                return Ok(());
            };
            let received = match self.port.receive(socket) {
                Ok(received) => received,
                Err(Errno::AGAIN) => return Ok(()),
                Err(errno) => return Err(self.channel_broke(slot, errno)),
            };
            let seen = clock::now();
            let arrived = received.at.map_or(seen, |wall| self.clock.arrival(wall, conn.sent, seen));
            let times = ReadTimes { arrived, seen };
            let is_secure = conn.tls.is_some();
            match received.length {
                length if is_secure => self.decrypt_messages(slot, length, times)?,
                0 => return Err(ChannelEnd::Lost(Fault::ClosedEarly)),
                length => self.feed_channel(slot, InputBuffer::Received, length, times)?,
            }
            // Pings among it are answered before anything else is sent.
            self.push_frames(slot).map_err(|errno| self.channel_broke(slot, errno))?;
            self.conclude_if_complete(slot, seen);
            if received.short && !ended {
                return Ok(());
            }
        }
        self.read_on(slot);
        Ok(())
    }

    /// Notes why a connection broke.
    fn channel_broke(&mut self, slot: usize, errno: Errno) -> ChannelEnd {
        self.conns[slot].failure = Some(ConnectionFailure::Broken(errno));
        ChannelEnd::Lost(Fault::Reset)
    }

    /// Decrypts the `length` bytes that were received, and handles what they are.
    fn decrypt_messages(&mut self, slot: usize, length: usize, times: ReadTimes) -> Result<(), ChannelEnd> {
        let mut used = 0;
        loop {
            // The empty read at the end of the stream is passed on as well: TLS has to know that the stream was cut off.
            let mut ciphertext = &self.port.received_bytes(length)[used..];
            let tls = self.conns[slot].tls.as_mut().ok_or(ChannelEnd::Lost(Fault::Tls))?;
            tls.receive(&mut ciphertext).map_err(ChannelEnd::Lost)?;
            used = length - ciphertext.len();
            while let Some(tls) = &mut self.conns[slot].tls {
                match tls.read(&mut self.decrypted) {
                    Decrypted::Nothing => break,
                    Decrypted::Bytes(count) => {
                        self.feed_channel(slot, InputBuffer::Decrypted, count, times)?;
                    }
                    Decrypted::Closed | Decrypted::CutOff => {
                        return Err(ChannelEnd::Lost(Fault::ClosedEarly));
                    }
                }
            }
            if used == length {
                return Ok(());
            }
        }
    }

    /// Gives the first `length` bytes of a buffer to the codec, and handles what they say.
    fn feed_channel(
        &mut self,
        slot: usize,
        buffer: InputBuffer,
        length: usize,
        times: ReadTimes,
    ) -> Result<(), ChannelEnd> {
        let mut from = 0;
        loop {
            let bytes = match buffer {
                InputBuffer::Received => self.port.received_bytes(length),
                InputBuffer::Decrypted => &self.decrypted[..length],
            };
            let conn = &mut self.conns[slot];
            let Some(channel) = &mut conn.channel else { return Ok(()) };
            if conn.received == 0 {
                conn.first_byte = times.arrived;
            }
            let (used, event) = channel.codec.advance(&bytes[from..])?;
            conn.received += used as u64;
            from += used;
            match event {
                WebSocketEvent::More => return Ok(()),
                WebSocketEvent::Opened => {
                    conn.codec.reply_mut().keep_head(channel.codec.opening_head());
                    channel.complete = Some(times.arrived);
                }
                WebSocketEvent::Message { length } => self.take_message(slot, length, times.arrived),
                WebSocketEvent::Closed => return Err(ChannelEnd::Closed(times)),
            }
        }
    }

    /// Takes a message that has come: the awaited one, another one, or one that nobody has asked for.
    fn take_message(&mut self, slot: usize, length: u64, arrived: Nanos) {
        let conn = &mut self.conns[slot];
        let request = &self.plan.requests[conn.picked.request];
        let waits = is_waiting(conn, request);
        let Some(channel) = &mut conn.channel else { return };
        if !waits {
            // Where requests are messages, those that nobody awaits are passed over.
            if self.play.is_some() {
                channel.keep_unread();
            }
            return;
        }
        let sent = if conn.rendered.is_empty() { &request.bytes } else { &conn.rendered };
        let content = channel.codec.content();
        if !is_awaited(content, &channel.wanted, sent, request) {
            channel.others += 1;
            return;
        }
        conn.codec.reply_mut().take_message(content, length);
        if request.streaming.is_some() {
            record_events(conn, request, arrived, &mut self.recorder);
        }
        let is_enough = conn.codec.reply().has_all_messages(request);
        if let Some(channel) = conn.channel.as_mut().filter(|_| is_enough) {
            channel.complete = Some(arrived);
        }
    }

    /// Goes on with a connection whose opening handshake or whose exchange is complete.
    fn conclude_if_complete(&mut self, slot: usize, seen: Nanos) {
        let conn = &mut self.conns[slot];
        let Some(arrived) = conn.channel.as_mut().and_then(|channel| channel.complete.take()) else { return };
        match conn.state {
            ConnState::Upgrading => {
                conn.since = arrived;
                self.set_state(slot, ConnState::Idle);
                self.wants_new_connection(self.user_of(slot)); // it has one now
                self.next_request(slot, seen);
            }
            ConnState::Busy => {
                let arrived = arrived.max(conn.sent);
                self.conclude_exchange(slot, ReadTimes { arrived, seen }, true);
            }
            _ => {}
        }
    }

    /// Records an exchange that is complete, and lets the connection go on, unless it has ended.
    fn conclude_exchange(&mut self, slot: usize, times: ReadTimes, is_open: bool) {
        let conn = &mut self.conns[slot];
        let request = &self.plan.requests[conn.picked.request];
        let response = conn.codec.reply_mut().finish(request, &mut self.memo.first);
        if let Some(fault) = response.wrong {
            let content = conn.channel.as_ref().map_or(&[][..], |channel| channel.codec.content());
            let why = || why_wrong(fault, &response, request);
            self.recorder.keep_wrong(|| first_failure(why(), conn.bytes(&self.plan), content));
        }
        let fault = self.judge(slot, &response, times.arrived);
        self.record_end(slot, fault, response.body, times);
        let conn = &mut self.conns[slot];
        conn.answered += 1;
        // The connection has been free since the message arrived. That the loop saw it later is the generator's delay.
        conn.since = times.arrived;
        self.set_state(slot, ConnState::Idle);
        if !is_open || self.plan.reuse == Reuse::Never {
            return self.reconnect_user(slot, times.seen);
        }
        self.go_on(slot, times.seen);
    }

    /// Ends an exchange that was not complete in time. One that is to last for a time has done so.
    pub(super) fn exchange_timed_out(&mut self, slot: usize, now: Nanos) {
        let conn = &self.conns[slot];
        if conn.codec.reply().may_leave(self.request_of(slot)) {
            return self.conclude_exchange(slot, ReadTimes { arrived: now, seen: now }, true);
        }
        if let Some(channel) = conn.channel.as_ref().filter(|channel| channel.others > 0) {
            let why = StepFailure::OtherMessages(channel.others);
            let content = channel.codec.content();
            self.recorder.keep_wrong(|| first_failure(why, conn.bytes(&self.plan), content));
        }
        self.fail_requests(slot, Fault::ResponseTimeout, now);
    }

    /// Handles a connection that cannot be read any further.
    fn lose_channel(&mut self, slot: usize, end: ChannelEnd) {
        if let ChannelEnd::Flawed(flaw) = end {
            self.channel(slot).codec.close(Some(flaw));
        }
        self.push_frames(slot).ok();
        let seen = clock::now();
        let state = self.conns[slot].state;
        if let Some(times) = self.answered_at(slot, end, seen).filter(|_| state == ConnState::Busy) {
            return self.conclude_exchange(slot, times, false);
        }
        let conn = &self.conns[slot];
        // An idle connection may be closed, and one that breaks is told by its fault.
        let is_told = match end {
            ChannelEnd::Lost(_) => false,
            ChannelEnd::Closed(_) => state != ConnState::Idle,
            ChannelEnd::Flawed(_) => true,
        };
        if let Some(channel) = conn.channel.as_ref().filter(|_| is_told) {
            let asked = match (&self.plan.opening, conn.state) {
                (Some(opening), ConnState::Upgrading) => opening.as_slice(),
                _ => conn.bytes(&self.plan),
            };
            self.recorder.keep_wrong(|| why_ended(&channel.codec, end, asked));
        }
        match state {
            ConnState::Upgrading => self.connect_failed(slot, end.fault(), seen),
            ConnState::Busy => self.fail_requests(slot, end.fault(), seen),
            ConnState::Idle => self.drop_idle_connection(slot),
            _ => {}
        }
    }

    /// When the exchange was complete that was under way when its connection ended; `None` where it was not. A step that opens a connection is
    /// answered by a refusal, too: its status is looked at as that of any other step.
    fn answered_at(&mut self, slot: usize, end: ChannelEnd, seen: Nanos) -> Option<ReadTimes> {
        let conn = &mut self.conns[slot];
        let request = &self.plan.requests[conn.picked.request];
        let channel = conn.channel.as_mut()?;
        if let Some(arrived) = channel.complete.take() {
            return Some(ReadTimes { arrived: arrived.max(conn.sent), seen });
        }
        match end {
            ChannelEnd::Closed(times) if request.web_socket == Some(WebSocketStep::Close) => Some(times),
            ChannelEnd::Flawed(WebSocketFlaw::Refused(status)) if self.play.is_some() => {
                let reply = conn.codec.reply_mut();
                reply.begin(status, false, request);
                reply.keep_head(channel.codec.opening_head());
                Some(ReadTimes { arrived: seen, seen })
            }
            _ => None,
        }
    }
}
