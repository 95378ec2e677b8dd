//! The requests of lanes: how streams are opened, sent together, answered and ended.

use super::Shard;
use super::exchange::{ReadTimes, record_events, why_wrong};
use super::links::head_length;
use crate::Fault;
use crate::clock;
use crate::conn::{Conn, ConnState};
use crate::grpc::{WrongGrpc, fault_at_deadline};
use crate::http1::FinishedResponse;
use crate::http2::{ErrorCode, Opening};
use crate::port::Port;
use crate::tls::TlsConnection;
use crate::users::first_failure_of_stream;
use model::units::Nanos;
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use traffic::plan::Request;

impl Shard {
    /// Writes the pending request of a lane on a new stream. If there is no connection, it waits for one; if the server allows no further
    /// stream now, it waits for the end of another one.
    pub(super) fn open_stream(&mut self, lane: usize, now: Nanos) {
        if !self.is_linked(lane) {
            self.unlink(lane);
            return self.ask_connection(lane);
        }
        let slot = self.link_of(lane);
        let link = self.link(slot);
        if !link.http2.may_open() {
            link.waiting.push_back(lane);
            self.conns[lane].since = now;
            self.recorder.record_stream_wait();
            return self.set_state(lane, ConnState::Queued);
        }
        self.prepare_bytes(lane);
        let [conn, carrier] = self.conns.get_disjoint_mut([lane, slot]).expect("a lane is no connection");
        let link = carrier.link.as_mut().expect("the slot is a connection of HTTP/2");
        // What is due when the answer before it comes is due when it can be sent, together with the others of this turn.
        conn.at_once = conn.due == now;
        (conn.pending, conn.received, conn.sent, conn.via) = (false, 0, now, slot);
        conn.throttled = None;
        conn.codec.reply_mut().forget_events();
        let request = &self.plan.requests[conn.picked.request];
        let is_fixed = conn.rendered.is_empty();
        let bytes = if is_fixed { &request.bytes } else { &conn.rendered };
        let known = self.links.as_ref().map(|links| links.heads[conn.picked.request]);
        let head = known.filter(|_| is_fixed).unwrap_or_else(|| head_length(bytes));
        (conn.written, conn.length) = (head, bytes.len());
        let opening = Opening {
            request: &bytes[..head],
            fixed: is_fixed.then_some(conn.picked.request),
            body: head < bytes.len(),
            head_only: bytes.starts_with(b"HEAD "),
        };
        link.http2.open(lane - link.lanes.start, &opening);
        link.batch.push(lane);
        link.unsent += usize::from(conn.has_unsent_bytes());
        self.step_sent(lane);
        self.set_state(lane, ConnState::Busy);
        self.send_rest(lane);
        self.mark_dirty(slot);
    }

    pub(super) fn mark_dirty(&mut self, slot: usize) {
        let link = self.link(slot);
        if !std::mem::replace(&mut link.is_dirty, true)
            && let Some(links) = &mut self.links
        {
            links.dirty.push(slot);
        }
    }

    /// Writes as much of the body of a lane's request as the server's windows allow.
    fn send_rest(&mut self, lane: usize) {
        if !self.conns[lane].has_unsent_bytes() {
            return;
        }
        let via = self.conns[lane].via;
        let [conn, carrier] = self.conns.get_disjoint_mut([lane, via]).expect("a lane is no connection");
        let link = carrier.link.as_mut().expect("the slot is a connection of HTTP/2");
        let number = lane - link.lanes.start;
        let rest = &conn.bytes(&self.plan)[conn.written..conn.length];
        conn.written += link.http2.send_body(number, rest);
        link.unsent -= usize::from(!conn.has_unsent_bytes());
        if link.http2.is_throttled(number) && conn.throttled.is_none() {
            conn.throttled = Some(clock::now());
            self.recorder.record_window_wait(link.http2.is_connection_throttled());
        }
        if let Some(begin) = conn.throttled.filter(|_| !conn.has_unsent_bytes()) {
            self.recorder.record_window_waited(clock::now().since(begin));
        }
    }

    /// Goes on with the bodies of a connection that have not left.
    pub(super) fn send_bodies(&mut self, slot: usize) {
        if self.link(slot).unsent == 0 {
            return;
        }
        for lane in self.link(slot).lanes.clone() {
            if self.conns[lane].state == ConnState::Busy && self.conns[lane].via == slot {
                self.send_rest(lane);
            }
        }
    }

    /// Records when the requests were sent that were written since bytes were sent last: now, all of them together.
    pub(super) fn stamp_batch(&mut self, slot: usize) {
        let batch = std::mem::take(&mut self.link(slot).batch);
        if !batch.is_empty() {
            let now = clock::now();
            let is_open = self.open.is_some();
            for &lane in &batch {
                let conn = &mut self.conns[lane];
                conn.sent = now;
                if conn.at_once {
                    conn.due = now;
                }
                if !conn.resent {
                    conn.send_delay = now.since(conn.due.max(conn.since));
                    if is_open || conn.due < now {
                        self.recorder.record_send_delay(conn.send_delay);
                    }
                }
            }
            self.recorder.requests_sent(batch.len() as u64, now);
        }
        let link = self.link(slot);
        link.batch = batch;
        link.batch.clear();
    }

    /// Sends what the connections have to send.
    pub(super) fn flush_links(&mut self) {
        while let Some(slot) = self.links.as_mut().and_then(|links| links.dirty.pop()) {
            self.link(slot).is_dirty = false;
            if self.conns[slot].socket.is_some() && self.flush_link(slot).is_err() {
                // The server may have answered before it closed the connection, so the outcome is found out by reading.
                self.receive_link(slot, true);
            }
            if self.conns[slot].state == ConnState::Carrying {
                self.close_link_if_done(slot);
            }
        }
    }

    /// Sends what waits to be sent on a connection, as much as the socket takes. An event tells when it takes more.
    pub(super) fn flush_link(&mut self, slot: usize) -> Result<(), Errno> {
        self.stamp_batch(slot);
        loop {
            self.push_bytes(slot)?;
            let link = self.link(slot);
            if !link.http2.waiting().is_empty() || link.unsent == 0 {
                return Ok(());
            }
            self.send_bodies(slot);
            if self.link(slot).http2.waiting().is_empty() {
                return Ok(());
            }
        }
    }

    /// Hands the waiting bytes of a connection to its socket.
    pub(super) fn push_bytes(&mut self, slot: usize) -> Result<(), Errno> {
        let conn = &mut self.conns[slot];
        let (Some(link), Some(socket)) = (&mut conn.link, &conn.socket) else {
            return Ok(());
        };
        loop {
            match send_some(&mut conn.tls, socket, link.http2.waiting())? {
                0 => return Ok(()),
                sent => link.http2.mark_sent(sent),
            }
        }
    }

    /// Records the complete answer to the request of a lane, and lets the lane go on.
    pub(super) fn finish_answer(&mut self, lane: usize, times: ReadTimes) {
        let conn = &mut self.conns[lane];
        let request = &self.plan.requests[conn.picked.request];
        let mut response = conn.codec.reply_mut().finish(request, &mut self.memo.first);
        if request.grpc.is_some() {
            response.wrong = conn.codec.reply().judge_grpc(response.wrong, request);
        }
        if request.streaming.is_some() {
            record_events(conn, request, times.arrived, &mut self.recorder);
        }
        self.conclude_answer(lane, response, times);
    }

    /// Whether the rest of the answer to the request of a lane is not read: it has as many events as are asked for, or a message that cannot
    /// be read.
    pub(super) fn is_read_enough(&self, lane: usize) -> bool {
        let conn = &self.conns[lane];
        let request = &self.plan.requests[conn.picked.request];
        let reply = conn.codec.reply();
        reply.has_all_events(request) || reply.has_broken_message(request)
    }

    /// Cancels the stream of an answer that goes on, and whose rest is not read.
    pub(super) fn leave_answer(&mut self, lane: usize, times: ReadTimes) {
        let conn = &self.conns[lane];
        let request = &self.plan.requests[conn.picked.request];
        let reply = conn.codec.reply();
        let (mut response, via) = (reply.leave(), conn.via);
        if reply.has_broken_message(request) {
            response.wrong = reply.judge_grpc(response.wrong, request);
        }
        let link = self.link(via);
        let number = lane - link.lanes.start;
        link.http2.cancel(number);
        self.mark_dirty(via);
        self.recorder.record_left();
        self.conclude_answer(lane, response, times);
    }

    /// Records an answer that is complete or left, and lets its lane go on.
    fn conclude_answer(&mut self, lane: usize, mut response: FinishedResponse, times: ReadTimes) {
        let via = self.conns[lane].via;
        self.forget_body(lane);
        response.wrong = response.wrong.map(|fault| self.fault_of_call(lane, fault, times.arrived));
        if let Some(fault) = response.wrong.filter(|fault| *fault != Fault::ResponseTimeout) {
            let conn = &self.conns[lane];
            let request = &self.plan.requests[conn.picked.request];
            let link = self.conns[via].link.as_ref();
            let head = link.map_or(&[][..], |link| link.http2.head_text_of(lane - link.lanes.start));
            let why = || match wrong_grpc(conn, request, fault) {
                Some(wrong) => wrong.failure(head),
                None => why_wrong(fault, &response, request),
            };
            self.recorder.keep_wrong(|| first_failure_of_stream(why(), conn.bytes(&self.plan), head));
        }
        let fault = self.judge(lane, &response, times.arrived);
        self.record_end(lane, fault, response.body, times);
        self.conns[via].answered += 1;
        // The lane has been free since the answer arrived. That the loop saw it later is the generator's delay.
        self.conns[lane].since = times.arrived;
        self.set_state(lane, ConnState::Idle);
        self.serve_waiting(via, times.seen);
        self.go_on(lane, times.seen);
    }

    /// The fault of a request that has ended with this one, which may be the way in which a server gives a call up at its deadline.
    fn fault_of_call(&self, lane: usize, fault: Fault, now: Nanos) -> Fault {
        let conn = &self.conns[lane];
        let call = self.plan.requests[conn.picked.request].grpc;
        fault_at_deadline(fault, call.and_then(|call| call.deadline), now.since(conn.sent))
    }

    /// Opens the streams that waited until the server allowed more.
    pub(super) fn serve_waiting(&mut self, slot: usize, now: Nanos) {
        while self.link(slot).http2.may_open()
            && let Some(lane) = self.link(slot).waiting.pop_front()
        {
            if self.conns[lane].state == ConnState::Queued {
                self.conns[lane].since = now;
                self.set_state(lane, ConnState::Idle);
                self.open_stream(lane, now);
            }
        }
    }

    /// Lets the user of a lane, or of a connection of WebSocket, go on whose request has ended.
    pub(super) fn go_on(&mut self, lane: usize, now: Nanos) {
        let user = self.user_of(lane);
        if self.users.pool.is_some() {
            self.requeue_user(user, now);
        } else if self.open.is_none() && self.pause_user(user, now) {
            return;
        }
        if self.changes_server(lane, user, now) {
            return;
        }
        // Streams of other users are on the connection, too, so that no user gets a new one.
        self.wants_new_connection(user);
        self.next_request(lane, now);
    }

    /// Records a fault for the request of a lane and ends its stream. The connection stays as it is.
    pub(super) fn fail_stream(&mut self, lane: usize, fault: Fault, now: Nanos) {
        self.keep_connection_failure(lane);
        self.fail_step(lane, fault, now);
        self.record_end(lane, Some(fault), 0, ReadTimes { arrived: now, seen: now });
        self.end_stream(lane);
        self.go_on(lane, now);
    }

    /// Frees a lane whose request has ended, and cancels its stream if it is open.
    pub(super) fn end_stream(&mut self, lane: usize) {
        self.forget_body(lane);
        let via = match self.conns[lane].via {
            usize::MAX => self.link_of(lane),
            via => via,
        };
        let link = self.link(via);
        let number = lane - link.lanes.start;
        if link.http2.is_open(number) {
            link.http2.cancel(number);
            self.mark_dirty(via);
        }
        self.conns[lane].codec.reset();
        self.conns[lane].since = clock::now();
        match self.is_linked(lane) {
            true => self.set_state(lane, ConnState::Idle),
            false => self.unlink(lane),
        }
    }

    /// Does not send what is left of the body of a lane's request.
    fn forget_body(&mut self, lane: usize) {
        let conn = &mut self.conns[lane];
        if conn.has_unsent_bytes() {
            conn.written = conn.length;
            if let Some(begin) = conn.throttled {
                self.recorder.record_window_waited(clock::now().since(begin));
            }
            let via = conn.via;
            let link = self.link(via);
            link.unsent = link.unsent.saturating_sub(1);
        }
    }

    /// Sends the request of a lane again, because the server has not handled it.
    pub(super) fn send_again(&mut self, lane: usize, now: Nanos) {
        let sent = self.conns[lane].sent;
        self.recorder.request_ended(sent, now);
        self.recorder.record_resent();
        self.end_stream(lane);
        let conn = &mut self.conns[lane];
        (conn.resent, conn.pending) = (true, true);
        self.open_stream(lane, now);
    }

    /// Handles that the server cancelled a stream. One that it refused was not handled, and may be sent again once (RFC 9113 section 8.7).
    pub(super) fn handle_reset(&mut self, slot: usize, lane: usize, code: ErrorCode) {
        self.stamp_batch(slot);
        let now = clock::now();
        self.recorder.record_reset(code);
        if code == ErrorCode::Refused && !self.conns[lane].resent && self.may_connect() {
            self.send_again(lane, now);
        } else {
            let fault = if code == ErrorCode::Refused { Fault::StreamRefused } else { Fault::StreamReset };
            self.fail_stream(lane, self.fault_of_call(lane, fault, now), now);
        }
        self.serve_waiting(slot, now);
    }

    /// Handles that the server ends a connection. Streams behind the last one that it names were not handled, and are sent again on another
    /// connection, once.
    pub(super) fn handle_goaway(&mut self, slot: usize, last: u32, code: ErrorCode) {
        self.stamp_batch(slot);
        let now = clock::now();
        self.recorder.record_goaway(code);
        self.leave_link(slot);
        for lane in self.link(slot).lanes.clone() {
            let is_behind = {
                let link = self.link(slot);
                link.http2.is_behind(lane - link.lanes.start, last)
            };
            if !is_behind || self.conns[lane].state != ConnState::Busy || self.conns[lane].via != slot {
                continue;
            }
            if self.conns[lane].resent || !self.may_connect() {
                self.fail_stream(lane, Fault::StreamRefused, now);
            } else {
                self.send_again(lane, now);
            }
        }
    }

    /// Gives up a request that has waited too long for a stream.
    pub(super) fn wait_timed_out(&mut self, lane: usize, now: Nanos) {
        let slot = self.link_of(lane);
        self.link(slot).waiting.retain(|&waiting| waiting != lane);
        self.set_state(lane, ConnState::Idle);
        self.fail_waiting(lane, Fault::ResponseTimeout, now);
        if self.shares_connections() {
            return self.next_request(lane, now);
        }
        self.go_on(lane, now);
    }
}

/// Sends as many of these bytes as a socket takes, and what TLS has left of those before them. Returns how many it has taken.
pub(super) fn send_some(
    tls: &mut Option<TlsConnection>,
    socket: &OwnedFd,
    bytes: &[u8],
) -> Result<usize, Errno> {
    match tls {
        Some(tls) => {
            if !tls.is_flushed() {
                tls.flush(socket)?;
            }
            if bytes.is_empty() { Ok(0) } else { tls.send(socket, bytes) }
        }
        None if bytes.is_empty() => Ok(0),
        None => Port::send(socket, bytes),
    }
}

/// What was wrong with an answer of gRPC that has this fault; `None` where the fault is one of HTTP, or there are too few events.
fn wrong_grpc(conn: &Conn, request: &Request, fault: Fault) -> Option<WrongGrpc> {
    conn.codec.reply().wrong_grpc(request).filter(|wrong| wrong.fault() == fault)
}
