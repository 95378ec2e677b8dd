//! Requests and responses of a shard: claimed, sent, received, recorded.

use super::{Shard, Stage};
use crate::Fault;
use crate::clock::Clock;
use crate::conn::Phase;
use crate::http1::{Answer, Progress};
use crate::port::{Event, Port};
use crate::recorder::Sample;
use crate::workload::render;
use model::plan::Reuse;
use model::units::Nanos;
use rustix::io::Errno;
use std::collections::VecDeque;

/// Where the bytes for the codec stand.
#[derive(Clone, Copy, Debug)]
pub(super) enum Source {
    /// In the port's buffer, as received.
    Wire,
    /// In the shard's, decrypted.
    Plain,
}

/// The last answer that was awaited, or the last one before the server closes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Last {
    pub(super) answer: Answer,
    /// There were bytes behind it: its length was wrong, or somebody answers what nobody asked.
    pub(super) surplus: bool,
}

impl Shard {
    /// An event of the port.
    pub(super) fn handle(&mut self, event: Event) {
        let slot = event.token.slot as usize;
        let conn = &self.conns[slot];
        if conn.generation != event.token.generation || conn.socket.is_none() {
            return;
        }
        match conn.phase {
            Phase::Connecting => self.finish_connect(slot, event),
            _ => self.handle_connected(slot, event),
        }
    }

    pub(super) fn handle_connected(&mut self, slot: usize, event: Event) {
        let conn = &self.conns[slot];
        match conn.phase {
            Phase::Handshaking => self.go_on_handshake(slot),
            Phase::Idle if event.readable && conn.tls.is_some() => self.absorb_idle(slot),
            Phase::Idle if event.readable => self.lose_idle(slot),
            Phase::Busy => {
                if event.writable && conn.unsent() {
                    self.write(slot);
                }
                if event.readable && self.conns[slot].phase == Phase::Busy {
                    self.receive(slot, event.ended);
                }
            }
            _ => {}
        }
    }

    /// Sends what is due, as long as a connection is free.
    pub(super) fn send_due(&mut self) {
        while let Some(&(slot, generation)) = self.free.front() {
            let conn = &self.conns[slot];
            if conn.generation != generation || conn.phase != Phase::Idle {
                self.free.pop_front();
                continue;
            }
            let now = Clock::now();
            let Some(due) = self.next_due().filter(|&due| due <= now) else {
                break;
            };
            self.free.pop_front();
            self.claim(slot, due);
            self.start(slot, now);
        }
    }

    /// A connection is ready: it sends the request that waits for it, or the next one, or becomes idle.
    pub(super) fn next_request(&mut self, slot: usize, now: Nanos) {
        if self.conns[slot].pending {
            return self.start(slot, now);
        }
        if !self.shared() {
            if self.may_claim(slot) {
                self.claim(slot, now);
                self.start(slot, now);
            }
            return;
        }
        match self.next_due().filter(|&due| due <= now) {
            Some(due) => {
                self.claim(slot, due);
                self.start(slot, now);
            }
            None => self.free.push_back((slot, self.conns[slot].generation)),
        }
    }

    /// Where slots belong to nobody: since when the request that is sent next has been, or will be, due.
    pub(super) fn next_due(&self) -> Option<Nanos> {
        match (&self.open, &self.crowd.pool) {
            (Some(open), _) => open.next_due(),
            (None, Some(waiting)) if self.stage != Stage::Draining && self.left != Some(0) => {
                waiting.front().map(|&(due, _)| due)
            }
            _ => None,
        }
    }

    /// Fixes which request the slot sends next and when it was due, and which ones are pipelined behind it.
    pub(super) fn claim(&mut self, slot: usize, due: Nanos) {
        let conn = &mut self.conns[slot];
        let place = match &mut self.open {
            Some(open) => {
                open.take();
                &mut open.place
            }
            None => {
                let waiting = self.crowd.pool.as_mut().and_then(VecDeque::pop_front);
                conn.user = waiting.map_or(slot, |(_, user)| user);
                &mut self.crowd.users[conn.user].place
            }
        };
        (conn.request, conn.counter) = self.workload.next(place);
        self.left = self.left.map(|left| left - 1);
        conn.due = due;
        conn.pending = true;
        conn.resent = false;
        while self.conns[slot].asked() < self.plan.pipeline && self.may_claim(slot) {
            let behind = self.workload.next(&mut self.crowd.users[slot].place);
            self.conns[slot].behind.push_back(behind);
            self.left = self.left.map(|left| left - 1);
        }
    }

    /// Sends the pending request.
    pub(super) fn start_now(&mut self, slot: usize) {
        self.start(slot, Clock::now());
    }

    /// Sends the pending request; `now` is a time just read.
    fn start(&mut self, slot: usize, now: Nanos) {
        let conn = &mut self.conns[slot];
        conn.pending = false;
        conn.written = 0;
        conn.received = 0;
        conn.sent = now;
        let request = &self.plan.requests[conn.request];
        conn.length = request.bytes.len();
        conn.rendered.clear();
        if !request.inserts.is_empty() || !conn.behind.is_empty() {
            render(request, conn.counter, &mut conn.rendered);
            for &(request, counter) in &conn.behind {
                render(&self.plan.requests[request], counter, &mut conn.rendered);
            }
            conn.length = conn.rendered.len();
        }
        if (self.open.is_some() || conn.due < now) && !conn.resent {
            self.recorder
                .record_send_delay(now.since(conn.due.max(conn.since)));
        }
        let asked = conn.asked();
        self.recorder.requests_sent(asked as u64, now);
        self.set_phase(slot, Phase::Busy);
        self.write(slot);
    }

    /// Sends as much of the request as the socket takes; an event tells when it takes more.
    fn write(&mut self, slot: usize) {
        let conn = &mut self.conns[slot];
        let Some(socket) = &conn.socket else { return };
        let bytes = if conn.rendered.is_empty() {
            &self.plan.requests[conn.request].bytes
        } else {
            &conn.rendered
        };
        let sent = match &mut conn.tls {
            None => Port::send(socket, &bytes[conn.written..]),
            Some(tls) => tls.send(socket, &bytes[conn.written..]),
        };
        match sent {
            Ok(sent) => conn.written += sent,
            // The server may have answered before it closed: the rest is for the reader to find out.
            Err(_) => self.receive(slot, true),
        }
    }

    /// Reads what has come; `ended` says that the end of the stream is near and no event will announce it again.
    fn receive(&mut self, slot: usize, ended: bool) {
        loop {
            let conn = &mut self.conns[slot];
            let Some(socket) = &conn.socket else { return };
            let received = match self.port.receive(socket) {
                Ok(received) => received,
                Err(Errno::AGAIN) => return,
                Err(_) => return self.lost(slot, Fault::Reset),
            };
            let seen = Clock::now();
            let arrived = received
                .at
                .map_or(seen, |wall| self.clock.arrived(wall, conn.sent, seen));
            let secure = conn.tls.is_some();
            let progress = match received.length {
                length if secure => self.feed_secure(slot, length, (arrived, seen)),
                0 => self.end_of_stream(slot),
                length => self.feed(slot, Source::Wire, length, (arrived, seen)),
            };
            match progress {
                Ok(None) if received.short && !ended => return,
                Ok(None) => {}
                Ok(Some(answer)) => return self.complete(slot, answer, ended, (arrived, seen)),
                Err(Fault::ClosedEarly) => return self.lost(slot, Fault::ClosedEarly),
                Err(fault) => return self.fail(slot, fault, seen),
            }
        }
    }

    /// The stream is at its end: that of a body without length, or of an answer that never was complete.
    pub(super) fn end_of_stream(&mut self, slot: usize) -> Result<Option<Last>, Fault> {
        let conn = &mut self.conns[slot];
        let answer = conn
            .codec
            .end(&self.plan.requests[conn.request], &mut self.memo)?;
        Ok(Some(Last {
            answer,
            surplus: false,
        }))
    }

    /// Gives bytes to the codec, answer by answer. Answers with others still to come behind them are recorded here.
    pub(super) fn feed(
        &mut self,
        slot: usize,
        source: Source,
        length: usize,
        (arrived, seen): (Nanos, Nanos),
    ) -> Result<Option<Last>, Fault> {
        let mut from = 0;
        loop {
            let conn = &mut self.conns[slot];
            let bytes = match source {
                Source::Wire => self.port.received(length),
                Source::Plain => &self.plain[..length],
            };
            if conn.received == 0 {
                conn.first_byte = arrived;
            }
            let request = &self.plan.requests[conn.request];
            let Progress::Done(used, answer) = conn.codec.advance(&bytes[from..], request, &mut self.memo)?
            else {
                conn.received += (length - from) as u64;
                return Ok(None);
            };
            conn.received += used as u64;
            from += used;
            if conn.behind.is_empty() || !answer.keep_alive {
                let surplus = from < length;
                return Ok(Some(Last { answer, surplus }));
            }
            self.answered(slot, answer, (arrived, seen));
            if from == length {
                return Ok(None);
            }
        }
    }

    /// An answer with others behind it is complete: the next one's turn.
    fn answered(&mut self, slot: usize, answer: Answer, at: (Nanos, Nanos)) {
        self.record_end(slot, answer.wrong, answer.body, at);
        let conn = &mut self.conns[slot];
        conn.answered += 1;
        conn.next_in_line();
    }

    /// The last response in line is complete, or the last one that this connection gives.
    fn complete(
        &mut self,
        slot: usize,
        Last { answer, surplus }: Last,
        ended: bool,
        (arrived, seen): (Nanos, Nanos),
    ) {
        let fault = if surplus {
            Some(Fault::Malformed)
        } else {
            answer.wrong
        };
        self.record_end(slot, fault, answer.body, (arrived, seen));
        let conn = &mut self.conns[slot];
        conn.answered += 1;
        conn.since = arrived; // free from then on: that we came late is our delay, not the server's
        let unsent = conn.unsent();
        let (user, never) = (conn.user, self.plan.reuse == Reuse::Never);
        if conn.next_in_line() {
            return self.send_again(slot, seen);
        }
        self.set_phase(slot, Phase::Idle);
        if surplus || unsent || ended || never || !answer.keep_alive {
            if ended || !answer.keep_alive {
                self.recorder.record_close();
            }
            return self.reconnect_user(slot, seen);
        }
        if self.crowd.pool.is_some() {
            self.requeue(user, seen);
        } else if self.open.is_none() && self.pause(user, seen) {
            return;
        }
        self.next_request(slot, seen);
    }

    /// The connection broke before the response was complete. An idle connection may always have been closed by the
    /// server just before we sent: then the request is sent again, once, as every browser does (RFC 9112 section 9.3.1).
    fn lost(&mut self, slot: usize, fault: Fault) {
        let now = Clock::now();
        let may_connect = self.may_connect();
        let conn = &mut self.conns[slot];
        let mut requests =
            std::iter::once(conn.request).chain(conn.behind.iter().map(|&(request, _)| request));
        let stale = conn.answered > 0
            && conn.received == 0
            && !conn.resent
            && requests.all(|request| self.repeatable[request]);
        if stale && may_connect {
            self.send_again(slot, now);
        } else {
            self.fail(slot, fault, now);
        }
    }

    /// The server closed the connection before it took these requests in hand: they go out again on a new one.
    fn send_again(&mut self, slot: usize, now: Nanos) {
        let conn = &mut self.conns[slot];
        conn.resent = true;
        conn.pending = true;
        for _ in 0..conn.asked() {
            self.recorder.request_ended(conn.sent, now);
            self.recorder.record_resent();
        }
        self.recorder.record_close();
        self.reconnect(slot);
    }

    /// The request in flight failed, and the connection with it, and what was pipelined behind it.
    fn fail(&mut self, slot: usize, fault: Fault, seen: Nanos) {
        self.record_end(slot, Some(fault), 0, (seen, seen));
        while self.conns[slot].next_in_line() {
            self.record_end(slot, Some(fault), 0, (seen, seen));
        }
        self.reconnect_user(slot, seen);
    }

    /// What is in flight will not be waited for.
    pub(super) fn give_up(&mut self, slot: usize, now: Nanos) {
        let conn = &mut self.conns[slot];
        for _ in 0..conn.asked() {
            self.recorder.request_ended(conn.sent, now);
        }
        conn.behind.clear();
    }

    pub(super) fn response_timed_out(&mut self, slot: usize, now: Nanos) {
        self.fail(slot, Fault::ResponseTimeout, now);
    }

    /// A closed model's user wants the next request now, and waits for the connection from now on.
    fn reconnect_user(&mut self, slot: usize, now: Nanos) {
        let user = self.conns[slot].user;
        if self.shared() {
            self.reconnect(slot);
            if self.open.is_none() {
                self.requeue(user, now);
            }
        } else if self.pause(user, now) {
            self.close(slot);
        } else {
            self.reconnect(slot);
            self.claim(slot, now);
        }
    }

    fn record_end(&mut self, slot: usize, fault: Option<Fault>, body: u64, (arrived, seen): (Nanos, Nanos)) {
        let conn = &self.conns[slot];
        let sample = Sample {
            due: conn.due,
            sent: conn.sent,
            first_byte: conn.first_byte,
            arrived,
            seen,
            bytes: conn.received,
            body,
            fault,
        };
        self.recorder.record(&sample);
        self.recorder.request_ended(conn.sent, seen);
    }
}
