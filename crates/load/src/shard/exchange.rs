//! The requests and responses of a shard: how requests are claimed and sent, and how responses are received and recorded.

use super::{Shard, SliceStage};
use crate::Fault;
use crate::clock;
use crate::conn::{Conn, ConnState, ConnectionFailure};
use crate::http1::{CodecProgress, FinishedResponse};
use crate::port::{Port, READS, SocketEvent};
use crate::recorder::{Recorder, Sample};
use crate::request_picker::render;
use crate::users::first_failure;
use model::units::Nanos;
use rustix::io::Errno;
use std::collections::VecDeque;
use traffic::plan::{Request, Reuse};
use traffic::scenario::StepFailure;

/// The buffer from which the codec reads.
#[derive(Clone, Copy, Debug)]
pub(super) enum InputBuffer {
    /// The port's buffer, with the bytes as they were received.
    Received,
    /// The shard's buffer, with decrypted bytes.
    Decrypted,
}

/// When the bytes of one read arrived at this machine and when the loop read them.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReadTimes {
    pub(super) arrived: Nanos,
    pub(super) seen: Nanos,
}

/// The response to the last of the requests in flight, or the last response before the server closes the connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct LastResponse {
    pub(super) response: FinishedResponse,
    /// True when more bytes follow. Then the announced length was wrong, or the server sends what nobody requested.
    pub(super) surplus: bool,
    /// True when the response goes on, and the rest of it is not read.
    pub(super) left: bool,
}

impl LastResponse {
    /// A response that the server has ended.
    const fn ended(response: FinishedResponse, surplus: bool) -> Self {
        Self { response, surplus, left: false }
    }

    /// The response to the request in flight, which goes on, and whose rest is not read.
    pub(super) fn left(conn: &Conn) -> Self {
        Self { response: conn.codec.reply().leave(), surplus: false, left: true }
    }
}

/// What was wrong with a complete answer to a request that has this fault.
pub(super) fn why_wrong(fault: Fault, response: &FinishedResponse, request: &Request) -> StepFailure {
    match fault {
        Fault::WrongEvents => {
            let asked = request.streaming.and_then(|streaming| streaming.most_events().or(streaming.events));
            StepFailure::Events { events: response.events.into(), asked }
        }
        Fault::WrongStatus | Fault::WrongStatusAndBody => StepFailure::Status(response.status),
        _ => StepFailure::Body(response.body),
    }
}

/// Records the events of an answer that streams which the bytes of a read have completed.
pub(super) fn record_events(conn: &mut Conn, request: &Request, arrived: Nanos, recorder: &mut Recorder) {
    let arrived = arrived.max(conn.sent);
    if let Some(events) = conn.codec.reply_mut().tell_events(request, conn.sent, arrived) {
        recorder.record_events(&events);
    }
}

impl Shard {
    /// Handles an event, unless it is about a connection that was closed since.
    pub(super) fn handle(&mut self, event: SocketEvent) {
        let slot = event.token.slot as usize;
        let conn = &self.conns[slot];
        if conn.generation != event.token.generation || conn.socket.is_none() {
            return;
        }
        match conn.state {
            ConnState::Connecting => self.finish_connect(slot, event),
            _ => self.handle_connected(slot, event),
        }
    }

    /// Handles an event on a connection whose TCP connect has succeeded.
    pub(super) fn handle_connected(&mut self, slot: usize, event: SocketEvent) {
        let conn = &self.conns[slot];
        match conn.state {
            ConnState::Upgrading | ConnState::Idle | ConnState::Busy if conn.channel.is_some() => {
                self.handle_channel(slot, event);
            }
            ConnState::Tunnelling => self.continue_tunnel(slot),
            ConnState::Handshaking => self.continue_handshake(slot),
            ConnState::Greeting | ConnState::Carrying => self.handle_link(slot, event),
            ConnState::Idle if event.readable && conn.tls.is_some() => self.read_idle_tls(slot),
            ConnState::Idle if event.readable => self.drop_idle_connection(slot),
            ConnState::Busy => {
                if event.writable && conn.has_unsent_bytes() {
                    self.write(slot);
                }
                if event.readable && self.conns[slot].state == ConnState::Busy {
                    self.receive(slot, event.ended);
                }
            }
            _ => {}
        }
    }

    /// Sends requests that are due on the connections that are free.
    pub(super) fn send_due(&mut self) {
        while let Some(&token) = self.free.front() {
            let slot = token.slot as usize;
            let conn = &self.conns[slot];
            if conn.generation != token.generation || conn.state != ConnState::Idle {
                self.free.pop_front();
                continue;
            }
            let now = clock::now();
            let Some(due) = self.next_due().filter(|&due| due <= now) else {
                break;
            };
            self.free.pop_front();
            self.claim(slot, due);
            self.send(slot, now);
        }
    }

    /// Lets a connection that is ready send the request that waits for it or the next one that is due. If there is none, the
    /// connection becomes free.
    pub(super) fn next_request(&mut self, slot: usize, now: Nanos) {
        if self.conns[slot].pending {
            return self.send(slot, now);
        }
        if self.is_lane(slot) && self.shares_connections() && !self.is_linked(slot) {
            self.unlink(slot);
            return self.ask_connection(slot);
        }
        if !self.shares_connections() {
            if self.may_claim(self.user_of(slot)) {
                self.claim(slot, now);
                self.send(slot, now);
            }
            return;
        }
        match self.next_due().filter(|&due| due <= now) {
            Some(due) => {
                self.claim(slot, due);
                self.send(slot, now);
            }
            None => self.free.push_back(self.conns[slot].token(slot)),
        }
    }

    /// Where connections are shared: the due time of the request that is sent next, which may lie in the future. `None` when
    /// there is none.
    pub(super) fn next_due(&self) -> Option<Nanos> {
        match (&self.open, &self.users.pool) {
            (Some(open), _) => open.next_due(),
            (None, Some(waiting)) if self.stage != SliceStage::Draining && self.requests_left != Some(0) => {
                waiting.front().map(|waiting| waiting.since)
            }
            _ => None,
        }
    }

    /// Fixes which request the slot sends next, when it was due, and which requests are pipelined behind it.
    pub(super) fn claim(&mut self, slot: usize, due: Nanos) {
        if self.play.is_some() {
            return self.claim_step(slot, due);
        }
        let conn = &mut self.conns[slot];
        let position = match &mut self.open {
            Some(open) => {
                open.take();
                &mut open.position
            }
            None => {
                let waiting = self.users.pool.as_mut().and_then(VecDeque::pop_front);
                conn.user = waiting.map_or(slot, |waiting| waiting.user);
                &mut self.users.list[conn.user].position
            }
        };
        conn.picked = self.picker.next(position);
        self.requests_left = self.requests_left.map(|left| left - 1);
        self.conns[slot].timeout = self.reading_time(slot);
        let conn = &mut self.conns[slot];
        conn.due = due;
        conn.pending = true;
        conn.resent = false;
        while self.conns[slot].request_count() < self.plan.pipeline && self.may_claim(slot) {
            let behind = self.picker.next(&mut self.users.list[slot].position);
            self.conns[slot].behind.push_back(behind);
            self.requests_left = self.requests_left.map(|left| left - 1);
        }
    }

    /// How long the answer to the request of a slot is read, if it streams and is left after a time, or is awaited by the deadline of its call.
    pub(super) fn reading_time(&self, slot: usize) -> Option<Nanos> {
        let request = &self.plan.requests[self.conns[slot].picked.request];
        let longest = request.streaming.and_then(|streaming| streaming.longest());
        longest.or_else(|| request.grpc?.deadline)
    }

    /// Sends the pending requests of a slot.
    pub(super) fn send_now(&mut self, slot: usize) {
        self.send(slot, clock::now());
    }

    /// Sends the pending requests of a slot; `now` is a time that was just read.
    fn send(&mut self, slot: usize, now: Nanos) {
        if self.is_lane(slot) {
            return self.open_stream(slot, now);
        }
        let is_web_socket = self.conns[slot].channel.is_some();
        if is_web_socket && !self.may_exchange(slot, now) {
            return;
        }
        self.prepare_bytes(slot);
        let conn = &mut self.conns[slot];
        conn.pending = false;
        conn.written = 0;
        conn.received = 0;
        conn.sent = now;
        conn.codec.reply_mut().forget_events();
        if !conn.resent {
            conn.send_delay = now.since(conn.due.max(conn.since));
            if self.open.is_some() || conn.due < now {
                self.recorder.record_send_delay(conn.send_delay);
            }
        }
        let count = conn.request_count();
        self.recorder.requests_sent(count as u64, now);
        self.step_sent(slot);
        self.set_state(slot, ConnState::Busy);
        match is_web_socket {
            true => self.write_exchange(slot),
            false => self.write(slot),
        }
    }

    /// Makes the bytes of the pending requests of a slot, where they are not those of the plan as they are.
    pub(super) fn prepare_bytes(&mut self, slot: usize) {
        let conn = &mut self.conns[slot];
        let request = &self.plan.requests[conn.picked.request];
        if self.play.is_some() {
            conn.length = conn.rendered.len();
        } else {
            conn.length = request.bytes.len();
            conn.rendered.clear();
        }
        if !request.inserts.is_empty() || !conn.behind.is_empty() {
            render(request, conn.picked.iteration, &mut conn.rendered);
            for picked in &conn.behind {
                render(&self.plan.requests[picked.request], picked.iteration, &mut conn.rendered);
            }
            conn.length = conn.rendered.len();
        }
    }

    /// Writes as much of the requests as the socket takes. An event tells when it takes more.
    fn write(&mut self, slot: usize) {
        let conn = &mut self.conns[slot];
        let Some(socket) = &conn.socket else { return };
        let bytes = if conn.rendered.is_empty() {
            &self.plan.requests[conn.picked.request].bytes
        } else {
            &conn.rendered
        };
        let sent = match &mut conn.tls {
            None => Port::send(socket, &bytes[conn.written..]),
            Some(tls) => tls.send(socket, &bytes[conn.written..]),
        };
        match sent {
            Ok(sent) => conn.written += sent,
            // The server may have responded before it closed the connection, so the outcome is found out by reading.
            Err(_) => self.receive(slot, true),
        }
    }

    /// Reads and handles what has arrived, in this turn of the loop and if need be in the next ones. `ended` says that the stream will end and
    /// that no further event will tell; then it reads to the end.
    fn receive(&mut self, slot: usize, ended: bool) {
        for _ in 0..READS {
            let conn = &mut self.conns[slot];
            let Some(socket) = &conn.socket else { return };
            let received = match self.port.receive(socket) {
                Ok(received) => received,
                Err(Errno::AGAIN) => return,
                Err(errno) => {
                    self.conns[slot].failure = Some(ConnectionFailure::Broken(errno));
                    return self.handle_lost_connection(slot, Fault::Reset);
                }
            };
            let seen = clock::now();
            let arrived = received.at.map_or(seen, |wall| self.clock.arrival(wall, conn.sent, seen));
            let times = ReadTimes { arrived, seen };
            let is_secure = conn.tls.is_some();
            let progress = match received.length {
                length if is_secure => self.feed_secure(slot, length, times),
                0 => self.end_of_stream(slot),
                length => self.feed(slot, InputBuffer::Received, length, times),
            };
            match progress {
                Ok(None) if received.short && !ended => return,
                Ok(None) => {}
                Ok(Some(last)) => return self.handle_last_response(slot, last, ended, times),
                Err(Fault::ClosedEarly) => return self.handle_lost_connection(slot, Fault::ClosedEarly),
                Err(fault) => return self.fail_requests(slot, fault, seen),
            }
        }
        self.read_on(slot);
    }

    /// Lets the next turn of the loop go on with reading a connection.
    pub(super) fn read_on(&mut self, slot: usize) {
        let conn = &self.conns[slot];
        if let Some(socket) = &conn.socket {
            self.port
                .tell_again(socket, conn.token(slot))
                .expect("the socket was registered when it was made");
        }
    }

    /// Tells the codec that the server closed the stream. That ends a body without length; any other response is incomplete.
    pub(super) fn end_of_stream(&mut self, slot: usize) -> Result<Option<LastResponse>, Fault> {
        let conn = &mut self.conns[slot];
        let request = &self.plan.requests[conn.picked.request];
        let response = conn.codec.end(request, &mut self.memo)?;
        record_events(conn, request, clock::now(), &mut self.recorder);
        Ok(Some(LastResponse::ended(response, false)))
    }

    /// Gives the first `length` bytes of a buffer to the codec. Records the responses with further ones expected behind them,
    /// and returns the last one when it is complete.
    pub(super) fn feed(
        &mut self,
        slot: usize,
        buffer: InputBuffer,
        length: usize,
        times: ReadTimes,
    ) -> Result<Option<LastResponse>, Fault> {
        let mut from = 0;
        loop {
            let conn = &mut self.conns[slot];
            let bytes = match buffer {
                InputBuffer::Received => self.port.received_bytes(length),
                InputBuffer::Decrypted => &self.decrypted[..length],
            };
            if conn.received == 0 {
                conn.first_byte = times.arrived;
            }
            let request = &self.plan.requests[conn.picked.request];
            let rest = &bytes[from..];
            let progress = conn.codec.advance(rest, request, &mut self.memo);
            if request.streaming.is_some() {
                record_events(conn, request, times.arrived, &mut self.recorder);
            }
            let sent = conn.bytes(&self.plan);
            let (used, response) = match progress {
                Ok(CodecProgress::Done(used, response)) => (used, response),
                Ok(CodecProgress::More) => {
                    conn.received += rest.len() as u64;
                    let is_enough = conn.codec.reply().has_all_events(request);
                    return Ok(is_enough.then(|| LastResponse::left(conn)));
                }
                Err(fault) => {
                    self.recorder.keep_wrong(|| first_failure(StepFailure::NotHttp, sent, rest));
                    return Err(fault);
                }
            };
            if let Some(fault) = response.wrong {
                let why = || why_wrong(fault, &response, request);
                self.recorder.keep_wrong(|| first_failure(why(), sent, &rest[..used]));
            }
            let surplus = &rest[used..];
            let is_last = conn.behind.is_empty() || !response.keep_alive;
            if is_last && !surplus.is_empty() {
                let why = StepFailure::Surplus(response.body);
                self.recorder.keep_wrong(|| first_failure(why, sent, surplus));
            }
            conn.received += used as u64;
            from += used;
            if is_last {
                return Ok(Some(LastResponse::ended(response, !surplus.is_empty())));
            }
            self.record_response(slot, response, times);
            if from == length {
                return Ok(None);
            }
        }
    }

    /// Records a complete response behind which others are expected.
    fn record_response(&mut self, slot: usize, response: FinishedResponse, times: ReadTimes) {
        self.record_end(slot, response.wrong, response.body, times);
        let conn = &mut self.conns[slot];
        conn.answered += 1;
        conn.advance_pipeline();
    }

    /// Records the last response, and decides what the connection does next.
    fn handle_last_response(&mut self, slot: usize, last: LastResponse, ended: bool, times: ReadTimes) {
        let LastResponse { mut response, surplus, left } = last;
        response.keep_alive &= !self.asked_to_close(self.conns[slot].user);
        let fault = if surplus {
            self.fail_step(slot, Fault::Malformed, times.seen);
            Some(Fault::Malformed)
        } else {
            self.judge(slot, &response, times.arrived)
        };
        self.record_end(slot, fault, response.body, times);
        if left {
            self.recorder.record_left();
        }
        let conn = &mut self.conns[slot];
        conn.answered += 1;
        // The connection has been free since the response arrived. That the loop saw it later is the generator's delay.
        conn.since = times.arrived;
        let has_unsent_bytes = conn.has_unsent_bytes();
        let (user, never_reuse) = (conn.user, self.plan.reuse == Reuse::Never);
        if conn.advance_pipeline() {
            return self.resend(slot, times.seen);
        }
        self.set_state(slot, ConnState::Idle);
        if surplus || has_unsent_bytes || ended || never_reuse || !response.keep_alive {
            if !left && (ended || !response.keep_alive) {
                self.recorder.record_close();
            }
            return self.reconnect_user(slot, times.seen);
        }
        if self.users.pool.is_some() {
            self.requeue_user(user, times.seen);
        } else if self.open.is_none() && self.pause_user(user, times.seen) {
            return;
        }
        if self.changes_server(slot, user, times.seen) {
            return;
        }
        if self.wants_new_connection(user) {
            self.reconnect(slot);
            return self.claim(slot, times.seen);
        }
        self.next_request(slot, times.seen);
    }

    /// Judges a complete answer. Returns the fault of a wrong one.
    pub(super) fn judge(
        &mut self,
        slot: usize,
        response: &FinishedResponse,
        arrived: Nanos,
    ) -> Option<Fault> {
        match self.play {
            None => response.wrong,
            Some(_) => self.judge_step(slot, response, arrived),
        }
    }

    /// Handles a connection that broke before the response was complete.
    ///
    /// A server may close an idle connection just before a request is sent on it. An idempotent request is then sent again
    /// on a new connection, once, as browsers do (RFC 9112 section 9.3.1). Any other is recorded with the fault.
    fn handle_lost_connection(&mut self, slot: usize, fault: Fault) {
        let now = clock::now();
        let may_connect = self.may_connect();
        let conn = &mut self.conns[slot];
        let mut requests =
            std::iter::once(conn.picked.request).chain(conn.behind.iter().map(|picked| picked.request));
        let was_stale = conn.answered > 0
            && conn.received == 0
            && !conn.resent
            && requests.all(|request| self.idempotent[request]);
        if was_stale && may_connect {
            self.resend(slot, now);
        } else {
            self.fail_requests(slot, fault, now);
        }
    }

    /// Sends the requests in flight again on a new connection, because the server closed this one before it handled them.
    fn resend(&mut self, slot: usize, now: Nanos) {
        let conn = &mut self.conns[slot];
        conn.resent = true;
        conn.pending = true;
        for _ in 0..conn.request_count() {
            self.recorder.request_ended(conn.sent, now);
            self.recorder.record_resent();
        }
        self.recorder.record_close();
        self.reconnect(slot);
    }

    /// Records a fault for all requests in flight on this connection, and closes it.
    pub(super) fn fail_requests(&mut self, slot: usize, fault: Fault, seen: Nanos) {
        if self.is_lane(slot) {
            return self.fail_stream(slot, fault, seen);
        }
        let times = ReadTimes { arrived: seen, seen };
        self.keep_connection_failure(slot);
        self.fail_step(slot, fault, seen);
        self.record_end(slot, Some(fault), 0, times);
        while self.conns[slot].advance_pipeline() {
            self.record_end(slot, Some(fault), 0, times);
        }
        self.reconnect_user(slot, seen);
    }

    /// Stops waiting for the requests in flight without recording them, because the slice is aborted.
    pub(super) fn abandon_requests(&mut self, slot: usize, now: Nanos) {
        let conn = &mut self.conns[slot];
        for _ in 0..conn.request_count() {
            self.recorder.request_ended(conn.sent, now);
        }
        conn.behind.clear();
    }

    /// Ends a request whose answer is not complete in time. An answer that streams may have been read for long enough.
    pub(super) fn response_timed_out(&mut self, slot: usize, now: Nanos) {
        let conn = &self.conns[slot];
        let request = &self.plan.requests[conn.picked.request];
        if conn.channel.is_some() {
            return self.exchange_timed_out(slot, now);
        }
        if !conn.codec.reply().may_leave(request) {
            return self.fail_requests(slot, Fault::ResponseTimeout, now);
        }
        let times = ReadTimes { arrived: now, seen: now };
        if self.is_lane(slot) {
            return self.leave_answer(slot, times);
        }
        self.handle_last_response(slot, LastResponse::left(&self.conns[slot]), false, times);
    }

    /// Closes the connection and asks for a new one. The user whose response ended continues: without a pool, its next request
    /// is due now and waits for the new connection.
    pub(super) fn reconnect_user(&mut self, slot: usize, now: Nanos) {
        let user = self.conns[slot].user;
        if self.shares_connections() {
            self.reconnect(slot);
            if self.open.is_none() {
                self.requeue_user(user, now);
            }
        } else if self.pause_user(user, now) {
            self.close(slot);
        } else if self.slot_of(user) != slot {
            self.close(slot);
            self.send_step(user, now);
        } else {
            self.reconnect(slot);
            self.claim(slot, now);
        }
    }

    /// Records that the first of the requests in flight has ended.
    pub(super) fn record_end(&mut self, slot: usize, fault: Option<Fault>, body: u64, times: ReadTimes) {
        let conn = &self.conns[slot];
        let sample = Sample {
            due: conn.due,
            sent: conn.sent,
            send_delay: conn.send_delay,
            first_byte: conn.first_byte,
            arrived: times.arrived,
            seen: times.seen,
            bytes: conn.received,
            body,
            fault,
        };
        self.recorder.record(&sample);
        self.recorder.request_ended(conn.sent, times.seen);
    }
}
