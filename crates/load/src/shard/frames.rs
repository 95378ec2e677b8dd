//! What comes on the HTTP/2 connections of a shard.

use super::Shard;
use super::exchange::{InputBuffer, ReadTimes, record_events};
use crate::Fault;
use crate::clock;
use crate::conn::{Conn, ConnState, ConnectionFailure};
use crate::http2::{ProtocolFlaw, StreamEvent};
use crate::port::{READS, SocketEvent};
use crate::recorder::Recorder;
use crate::tls::Decrypted;
use crate::users::first_failure_of_stream;
use model::units::Nanos;
use rustix::io::Errno;
use traffic::plan::Request;
use traffic::scenario::StepFailure;

/// Why a connection cannot be read any further.
#[derive(Clone, Copy, Debug)]
enum LinkEnd {
    /// It broke, or the server closed it.
    Lost(Fault),
    /// The server broke a rule of HTTP/2.
    Flawed(ProtocolFlaw),
}

impl From<ProtocolFlaw> for LinkEnd {
    fn from(flaw: ProtocolFlaw) -> Self {
        Self::Flawed(flaw)
    }
}

impl Shard {
    /// Begins to speak HTTP/2 on a connection whose TCP connect, and TLS handshake, have succeeded. Requests are sent when the server has told
    /// its settings: only then it is known how many streams it allows, and that it speaks HTTP/2 at all.
    pub(super) fn begin_link(&mut self, slot: usize, now: Nanos) {
        let is_spoken = self.conns[slot].tls.as_ref().is_none_or(crate::tls::TlsConnection::speaks_http2);
        if !is_spoken {
            return self.link_failed(slot, Fault::NotHttp2, now);
        }
        self.conns[slot].since = now;
        self.set_state(slot, ConnState::Greeting);
        let link = self.link(slot);
        link.http2.begin();
        (link.unsent, link.is_dirty) = (0, false);
        link.waiting.clear();
        link.batch.clear();
        if self.flush_link(slot).is_err() {
            return self.link_failed(slot, Fault::Reset, now);
        }
        // With TLS, something may have come together with the end of the handshake.
        self.receive_link(slot, false);
    }

    /// Handles an event on a connection that speaks HTTP/2.
    pub(super) fn handle_link(&mut self, slot: usize, event: SocketEvent) {
        if event.readable {
            self.receive_link(slot, event.ended);
        } else if self.flush_link(slot).is_err() {
            self.receive_link(slot, true);
        }
    }

    /// Reads and handles what has arrived on a connection, and sends what follows from it. `ended` says that the stream will end and that no
    /// further event will tell; then it reads to the end.
    pub(super) fn receive_link(&mut self, slot: usize, mut ended: bool) {
        loop {
            match self.read_link(slot, ended) {
                Ok(()) => {}
                Err(end) => return self.end_link(slot, end),
            }
            if self.conns[slot].state == ConnState::Carrying {
                self.close_link_if_done(slot);
            }
            if self.conns[slot].socket.is_none() || self.flush_link(slot).is_ok() {
                return;
            }
            if std::mem::replace(&mut ended, true) {
                return self.end_link(slot, LinkEnd::Lost(Fault::Reset));
            }
        }
    }

    /// Ends a connection that cannot be read any further.
    fn end_link(&mut self, slot: usize, end: LinkEnd) {
        let (fault, flaw) = match end {
            LinkEnd::Lost(fault) => (fault, None),
            LinkEnd::Flawed(flaw) => (Fault::Malformed, Some(flaw)),
        };
        if let Some(flaw) = flaw {
            // Which of the requests in flight the server broke off is not known; the first lane has one of them.
            let lane = self.link(slot).lanes.start;
            let sent = self.conns[lane].bytes(&self.plan);
            let why = || format!("HTTP/2: {}", say::text(&flaw, say::Language::En));
            self.recorder
                .keep_wrong(|| first_failure_of_stream(StepFailure::NotHttp, sent, why().as_bytes()));
        }
        match self.conns[slot].state {
            ConnState::Carrying => self.lose_link(slot, fault, flaw),
            // A server that closes the connection at the begin does not speak HTTP/2.
            _ => {
                let fault = if fault == Fault::ClosedEarly { Fault::NotHttp2 } else { fault };
                self.link_failed(slot, fault, clock::now());
            }
        }
    }

    fn read_link(&mut self, slot: usize, ended: bool) -> Result<(), LinkEnd> {
        if self.conns[slot].tls.is_some() {
            let seen = clock::now();
            self.read_decrypted(slot, ReadTimes { arrived: seen, seen })?;
        }
        for _ in 0..READS {
            let Some(socket) = &self.conns[slot].socket else { return Ok(()) };
            let received = match self.port.receive(socket) {
                Ok(received) => received,
                Err(Errno::AGAIN) => return Ok(()),
                Err(errno) => {
                    self.conns[slot].failure = Some(ConnectionFailure::Broken(errno));
                    return Err(LinkEnd::Lost(Fault::Reset));
                }
            };
            let seen = clock::now();
            let arrived = received.at.map_or(seen, |wall| self.clock.arrival(wall, Nanos(0), seen));
            let times = ReadTimes { arrived, seen };
            let is_secure = self.conns[slot].tls.is_some();
            match received.length {
                length if is_secure => self.decrypt(slot, length, times)?,
                0 => return Err(LinkEnd::Lost(Fault::ClosedEarly)),
                length => self.feed_link(slot, InputBuffer::Received, length, times)?,
            }
            if received.short && !ended {
                return Ok(());
            }
        }
        self.read_on(slot);
        Ok(())
    }

    /// Decrypts the `length` bytes that were received, and handles what they are.
    fn decrypt(&mut self, slot: usize, length: usize, times: ReadTimes) -> Result<(), LinkEnd> {
        let mut used = 0;
        loop {
            // The empty read at the end of the stream is passed on as well: TLS has to know that the stream was cut off.
            let mut ciphertext = &self.port.received_bytes(length)[used..];
            let tls = self.conns[slot].tls.as_mut().ok_or(LinkEnd::Lost(Fault::Tls))?;
            tls.receive(&mut ciphertext).map_err(LinkEnd::Lost)?;
            used = length - ciphertext.len();
            self.read_decrypted(slot, times)?;
            if used == length {
                return Ok(());
            }
        }
    }

    /// Handles what TLS has decrypted.
    fn read_decrypted(&mut self, slot: usize, times: ReadTimes) -> Result<(), LinkEnd> {
        while let Some(tls) = &mut self.conns[slot].tls {
            match tls.read(&mut self.decrypted) {
                Decrypted::Nothing => break,
                Decrypted::Bytes(count) => self.feed_link(slot, InputBuffer::Decrypted, count, times)?,
                Decrypted::Closed | Decrypted::CutOff => return Err(LinkEnd::Lost(Fault::ClosedEarly)),
            }
        }
        Ok(())
    }

    /// Gives the first `length` bytes of a buffer to the codec, and handles what they say.
    fn feed_link(
        &mut self,
        slot: usize,
        buffer: InputBuffer,
        length: usize,
        times: ReadTimes,
    ) -> Result<(), LinkEnd> {
        let mut from = 0;
        loop {
            let bytes = match buffer {
                InputBuffer::Received => self.port.received_bytes(length),
                InputBuffer::Decrypted => &self.decrypted[..length],
            };
            let link = self.conns[slot].link.as_mut().expect("the slot is a connection of HTTP/2");
            let first = link.lanes.start;
            let (used, event) = link.http2.advance(&bytes[from..])?;
            let is_whole = link.http2.is_between_frames();
            if let StreamEvent::Data { lane, from: begin, length, .. } = event {
                let conn = &mut self.conns[first + lane];
                let request = &self.plan.requests[conn.picked.request];
                let body = &bytes[from + begin..from + begin + length];
                take_body(conn, request, body, is_whole, times.arrived, &mut self.recorder);
            }
            from += used;
            match event {
                StreamEvent::More => return Ok(()),
                StreamEvent::Head { lane, status, size, end } => {
                    self.take_head(slot, first + lane, status, end, times);
                    self.take_piece(first + lane, size, end, times);
                }
                StreamEvent::Data { lane, size, end, .. } => {
                    self.take_piece(first + lane, size, end, times);
                    if !end && self.is_read_enough(first + lane) {
                        self.leave_answer(first + lane, times);
                    }
                }
                StreamEvent::Trailers { lane, size } => {
                    self.take_trailers(slot, first + lane);
                    self.take_piece(first + lane, size, true, times);
                }
                StreamEvent::Malformed { lane } => self.fail_malformed(slot, first + lane, times.seen),
                StreamEvent::Reset { lane, code } => self.handle_reset(slot, first + lane, code),
                StreamEvent::GoAway { last, code } => self.handle_goaway(slot, last, code),
                StreamEvent::Window => self.send_bodies(slot),
                StreamEvent::Settings if self.conns[slot].state == ConnState::Greeting => {
                    self.use_link(slot, times.seen);
                }
                StreamEvent::Settings => {
                    self.serve_waiting(slot, times.seen);
                    self.send_bodies(slot);
                }
            }
        }
    }

    /// Fails a request whose answer is no HTTP, and keeps what was received.
    fn fail_malformed(&mut self, slot: usize, lane: usize, seen: Nanos) {
        let text = self.conns[slot].link.as_ref().map_or(&[][..], |link| link.http2.head_text());
        let sent = self.conns[lane].bytes(&self.plan);
        self.recorder.keep_wrong(|| first_failure_of_stream(StepFailure::NotHttp, sent, text));
        self.mark_dirty(slot);
        self.fail_stream(lane, Fault::Malformed, seen);
        self.serve_waiting(slot, seen);
    }

    /// Takes the head of an answer, with which the answer may end.
    fn take_head(&mut self, slot: usize, lane: usize, status: u16, end: bool, times: ReadTimes) {
        let [conn, carrier] = self.conns.get_disjoint_mut([lane, slot]).expect("a lane is no connection");
        let text = carrier.link.as_ref().map_or(&[][..], |link| link.http2.head_text());
        let request = &self.plan.requests[conn.picked.request];
        conn.first_byte = times.arrived.max(conn.sent);
        let reply = conn.codec.reply_mut();
        reply.begin(status, true, request);
        reply.keep_head(text);
        if request.grpc.is_some() {
            reply.begin_grpc(text, end);
        }
        self.memo.first.see_head(text, status);
    }

    /// Takes the trailers of an answer: the status of a call of gRPC is among them.
    fn take_trailers(&mut self, slot: usize, lane: usize) {
        let [conn, carrier] = self.conns.get_disjoint_mut([lane, slot]).expect("a lane is no connection");
        if self.plan.requests[conn.picked.request].grpc.is_some() {
            let text = carrier.link.as_ref().map_or(&[][..], |link| link.http2.head_text());
            conn.codec.reply_mut().take_grpc_trailers(text);
        }
    }

    /// Counts a piece of an answer, which may be its last one. It has arrived when the last segment of the read arrived that has its last byte:
    /// other answers may be in the same segment, and all of them have arrived with it.
    fn take_piece(&mut self, lane: usize, size: usize, end: bool, times: ReadTimes) {
        let conn = &mut self.conns[lane];
        conn.received += size as u64;
        if end {
            let arrived = times.arrived.max(conn.sent);
            self.finish_answer(lane, ReadTimes { arrived, ..times });
        }
    }
}

/// Takes a piece of the body of an answer, with which a DATA frame ends where `is_whole` says so.
fn take_body(
    conn: &mut Conn,
    request: &Request,
    body: &[u8],
    is_whole: bool,
    arrived: Nanos,
    recorder: &mut Recorder,
) {
    let reply = conn.codec.reply_mut();
    reply.take_body(body, request);
    if request.grpc.is_some() {
        reply.take_messages(body);
    }
    if request.streaming.is_some() {
        if is_whole {
            reply.end_chunk(request);
        }
        record_events(conn, request, arrived, recorder);
    }
}
