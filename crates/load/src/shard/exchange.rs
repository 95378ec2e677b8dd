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

    /// Fixes which request the slot sends next and when it was due.
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
        if !request.inserts.is_empty() {
            render(request, conn.counter, &mut conn.rendered);
            conn.length = conn.rendered.len();
        }
        if (self.open.is_some() || conn.due < now) && !conn.resent {
            self.recorder
                .record_send_delay(now.since(conn.due.max(conn.since)));
        }
        self.recorder.request_sent(now);
        self.set_phase(slot, Phase::Busy);
        self.write(slot);
    }

    /// Sends as much of the request as the socket takes; an event tells when it takes more.
    fn write(&mut self, slot: usize) {
        let conn = &mut self.conns[slot];
        let Some(socket) = &conn.socket else { return };
        let request = &self.plan.requests[conn.request];
        let bytes = if request.inserts.is_empty() {
            &request.bytes
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
            let (decoded, progress) = match conn.tls {
                None => (received.length as u64, self.advance_plain(slot, received.length)),
                Some(_) => self.advance_secure(slot, received.length),
            };
            let seen = Clock::now();
            let conn = &mut self.conns[slot];
            let arrived = received
                .at
                .map_or(seen, |wall| self.clock.arrived(wall, conn.sent, seen));
            if conn.received == 0 {
                conn.first_byte = arrived;
            }
            conn.received += decoded;
            match progress {
                Ok((Progress::More, _)) if received.short && !ended => return,
                Ok((Progress::More, _)) => {}
                Ok((Progress::Done(_, answer), surplus)) => {
                    return self.complete(slot, answer, surplus, ended, (arrived, seen));
                }
                Err(Fault::ClosedEarly) => return self.lost(slot, Fault::ClosedEarly),
                Err(fault) => return self.fail(slot, fault, seen),
            }
        }
    }

    /// Gives what was read to the codec. True says that there were bytes behind the response: its length was wrong, or
    /// somebody answers what nobody asked.
    fn advance_plain(&mut self, slot: usize, length: usize) -> Result<(Progress, bool), Fault> {
        let conn = &mut self.conns[slot];
        let request = &self.plan.requests[conn.request];
        if length == 0 {
            return conn
                .codec
                .end(request)
                .map(|answer| (Progress::Done(0, answer), false));
        }
        let progress = conn
            .codec
            .advance(self.port.received(length), request, &mut self.memo)?;
        Ok((
            progress,
            matches!(progress, Progress::Done(used, _) if used < length),
        ))
    }

    /// A response is complete.
    fn complete(
        &mut self,
        slot: usize,
        answer: Answer,
        surplus: bool,
        ended: bool,
        (arrived, seen): (Nanos, Nanos),
    ) {
        let fault = if surplus {
            Some(Fault::Malformed)
        } else {
            answer.wrong
        };
        self.record_end(slot, fault, arrived, seen);
        let conn = &mut self.conns[slot];
        conn.answered += 1;
        conn.since = seen;
        let unsent = conn.unsent();
        let (user, never) = (conn.user, self.plan.reuse == Reuse::Never);
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
        let stale = conn.answered > 0 && conn.received == 0 && !conn.resent && self.repeatable[conn.request];
        if stale && may_connect {
            conn.resent = true;
            conn.pending = true;
            self.recorder.request_ended(conn.sent, now);
            self.recorder.record_resent();
            self.recorder.record_close();
            self.reconnect(slot);
        } else {
            self.fail(slot, fault, now);
        }
    }

    /// The request in flight failed, and the connection with it.
    fn fail(&mut self, slot: usize, fault: Fault, seen: Nanos) {
        self.record_end(slot, Some(fault), seen, seen);
        self.reconnect_user(slot, seen);
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

    fn record_end(&mut self, slot: usize, fault: Option<Fault>, arrived: Nanos, seen: Nanos) {
        let conn = &self.conns[slot];
        let sample = Sample {
            due: conn.due,
            sent: conn.sent,
            first_byte: conn.first_byte,
            arrived,
            seen,
            bytes: conn.received,
            fault,
        };
        self.recorder.record(&sample);
        self.recorder.request_ended(conn.sent, seen);
    }
}
