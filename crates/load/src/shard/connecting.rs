//! The connections of a shard: how they are opened, fail, and are lost while idle.

use super::{Shard, SliceStage};
use crate::Fault;
use crate::clock;
use crate::conn::{Conn, ConnState, ConnectionFailure};
use crate::port::{Port, SocketEvent};
use crate::recorder::Sample;
use crate::tunnel::Dialogue;
use crate::users::{first_failure, first_failure_of_stream};
use model::units::Nanos;
use rustix::io::Errno;
use std::net::IpAddr;
use traffic::plan::Target;
use traffic::scenario::StepFailure;

/// The most connects begun in one turn of the loop. Each takes about 20 us, and responses wait meanwhile.
const CONNECTS_PER_TURN: usize = 64;
/// How long a slot rests after a failed connect. A refusal comes so quickly that trying again at once would only burn
/// CPU.
pub(super) const REST: Nanos = Nanos::from_millis(100);

/// Why a connection to this server has failed, if it has; it may take `most` to come about.
pub(super) fn connection_failure(
    conn: &Conn,
    target: &Target,
    most: Nanos,
) -> Option<impl Fn() -> StepFailure> {
    let (failure, address) = (conn.failure?, conn.address);
    Some(move || {
        let address = match (address, target) {
            (Some(address), _) | (None, &Target::Tcp(address)) => address.to_string(),
            (None, Target::Unix(path)) => path.display().to_string(),
        };
        match failure {
            ConnectionFailure::NotMade(errno) => {
                StepFailure::NotConnected { address, why: errno.to_string() }
            }
            ConnectionFailure::TooSlow => StepFailure::ConnectTooSlow { address, most },
            ConnectionFailure::Broken(errno) => {
                StepFailure::ConnectionLost { address, why: errno.to_string() }
            }
        }
    })
}

impl Shard {
    /// True when a request may still come that a new connection could send.
    pub(super) fn may_connect(&self) -> bool {
        self.stage != SliceStage::Draining || self.open.as_ref().is_some_and(|open| open.next_due().is_some())
    }

    /// Begins to connect slots that have no connection, as many as one turn and the plan's connect rate allow.
    pub(super) fn connect_missing(&mut self, now: Nanos) {
        if !self.may_connect() {
            return;
        }
        for _ in 0..CONNECTS_PER_TURN {
            if self.next_connect > now {
                break;
            }
            let Some(slot) = self.missing.pop() else { break };
            if self.conns[slot].state != ConnState::Missing {
                continue; // its user asked for it twice
            }
            if self.conns[slot].link.is_some() {
                if !self.prepare_link(slot, now) {
                    continue;
                }
            } else if !self.conns[slot].pending && !self.shares_connections() {
                let user = self.user_of(slot);
                if !self.may_claim(user) {
                    self.retire_user(user);
                    continue;
                }
                if self.slot_of(user) != slot {
                    continue;
                }
                self.claim(slot, now);
            }
            if self.lacks_channel(slot) {
                self.connect_failed(slot, Fault::WebSocketClosed, now);
                continue;
            }
            if let Some(rate) = self.plan.connect_rate {
                let gap = Nanos::from_secs_f64(self.plan.shards as f64 / rate.0);
                // Connects that were not begun in time are not caught up on: that would be the burst which the rate is to
                // prevent.
                self.next_connect = now.since(gap).max(self.next_connect) + gap;
            }
            self.begin_connect(slot);
        }
    }

    /// Begins to connect a slot.
    fn begin_connect(&mut self, slot: usize) {
        let begun = clock::now();
        let source = self.next_source();
        let (address, socket) = {
            let target = self.next_target(slot);
            (target.address(), self.port.connect(&target, source, self.conns[slot].token(slot)))
        };
        self.connects_begun += 1;
        let conn = &mut self.conns[slot];
        (conn.address, conn.failure) = (address, None);
        match socket {
            Ok(socket) => {
                (conn.socket, conn.since) = (Some(socket), begun);
                self.set_state(slot, ConnState::Connecting);
            }
            Err(errno) => self.connection_not_made(slot, errno, begun),
        }
    }

    /// The address from which the next connection is made, if the plan names some.
    fn next_source(&self) -> Option<IpAddr> {
        let sources = &self.plan.sources;
        sources.get(self.connects_begun % sources.len().max(1)).copied()
    }

    /// Handles an event on a slot that is connecting.
    pub(super) fn finish_connect(&mut self, slot: usize, event: SocketEvent) {
        let Some(socket) = self.conns[slot].socket.as_ref().filter(|_| event.writable) else {
            return;
        };
        // The event of a failed connect always has `ended` set, so successful connects are spared a system call.
        let connected = if event.ended { Port::connect_result(socket) } else { Ok(()) };
        let now = clock::now();
        if let Err(errno) = connected {
            return self.connection_not_made(slot, errno, now);
        }
        match &self.servers[self.conns[slot].server].tunnel {
            Some(tunnel) => {
                self.conns[slot].tunnel = Some(Box::new(Dialogue::new(tunnel)));
                self.set_state(slot, ConnState::Tunnelling);
                self.continue_tunnel(slot);
            }
            None => self.finish_path(slot, now),
        }
        if event.ended {
            // The server has already closed the connection, and there will be no further event.
            self.handle_connected(slot, event);
        }
    }

    /// Goes on with a connection that has reached the server, by itself or by a proxy.
    fn finish_path(&mut self, slot: usize, now: Nanos) {
        self.recorder.record_connect(now.since(self.conns[slot].since));
        if self.servers[self.conns[slot].server].tls.is_some() {
            self.begin_handshake(slot, now);
        } else {
            self.use_connection(slot, now);
        }
    }

    /// Goes on with the conversation with a proxy.
    pub(super) fn continue_tunnel(&mut self, slot: usize) {
        match self.advance_tunnel(slot) {
            Ok(false) => {}
            Ok(true) => {
                self.conns[slot].tunnel = None;
                self.finish_path(slot, clock::now());
            }
            Err(fault) => self.connect_failed(slot, fault, clock::now()),
        }
    }

    /// Says and hears what it can. Returns whether the tunnel is open.
    fn advance_tunnel(&mut self, slot: usize) -> Result<bool, Fault> {
        let conn = &mut self.conns[slot];
        let (Some(dialogue), Some(socket)) = (&mut conn.tunnel, &conn.socket) else {
            return Ok(false);
        };
        loop {
            while !dialogue.unsent().is_empty() {
                match Port::send(socket, dialogue.unsent()).map_err(|_| Fault::Proxy)? {
                    0 => return Ok(false),
                    count => dialogue.sent(count),
                }
            }
            let received = match self.port.receive_at_most(socket, dialogue.wants()) {
                Ok(received) if received.length > 0 => received,
                Err(Errno::AGAIN) => return Ok(false),
                Ok(_) => return Err(Fault::Proxy),
                Err(errno) => {
                    conn.failure = Some(ConnectionFailure::Broken(errno));
                    return Err(Fault::Proxy);
                }
            };
            if dialogue.receive(self.port.received_bytes(received.length))? {
                return Ok(true);
            }
        }
    }

    /// Sends the first request on a connection that has just become ready.
    pub(super) fn use_connection(&mut self, slot: usize, now: Nanos) {
        if self.conns[slot].link.is_some() {
            return self.begin_link(slot, now);
        }
        if self.plan.opening.is_some() {
            return self.begin_opening(slot, now);
        }
        self.conns[slot].since = now;
        self.set_state(slot, ConnState::Idle);
        self.wants_new_connection(self.user_of(slot)); // it has one now
        self.next_request(slot, now);
    }

    pub(super) fn connect_timed_out(&mut self, slot: usize, now: Nanos) {
        self.conns[slot].failure = Some(ConnectionFailure::TooSlow);
        self.connect_failed(slot, Fault::ConnectTimeout, now);
    }

    /// Handles that the system has not made a connection.
    fn connection_not_made(&mut self, slot: usize, errno: Errno, now: Nanos) {
        self.conns[slot].failure = Some(ConnectionFailure::NotMade(errno));
        self.connect_failed(slot, Fault::from_connect_error(errno), now);
    }

    /// Records the fault for the request that waits for this connection. Where connections are shared, that is the request
    /// that has been due longest. The slot then rests.
    pub(super) fn connect_failed(&mut self, slot: usize, fault: Fault, now: Nanos) {
        if self.conns[slot].link.is_some() {
            return self.link_failed(slot, fault, now);
        }
        self.close(slot);
        let has_failed = self.fail_waiting(slot, fault, now);
        self.conns[slot].since = now + REST;
        self.set_state(slot, ConnState::Resting);
        if self.play.is_some() && has_failed {
            let user = self.user_of(slot);
            // The slot asks for the next request of its user when it has rested, unless that goes to another server.
            if !self.play_on(user, now) {
                self.changes_server(slot, user, now);
            }
        }
    }

    /// Records a fault for the request that waits on a slot or, where connections are shared, that has been due longest. Its user goes on,
    /// if users share connections. Returns false when no request waits.
    pub(super) fn fail_waiting(&mut self, slot: usize, fault: Fault, now: Nanos) -> bool {
        let conn = &mut self.conns[slot];
        let failed_due = if conn.pending {
            conn.pending = false;
            Some(conn.due)
        } else {
            self.next_due().filter(|&due| due <= now).inspect(|&due| {
                self.claim(slot, due);
                self.conns[slot].pending = false;
            })
        };
        if let Some(due) = failed_due {
            self.keep_connection_failure(slot);
            self.fail_step(slot, fault, now);
            let sample = Sample {
                due,
                sent: now,
                send_delay: Nanos(0),
                first_byte: now,
                arrived: now,
                seen: now,
                bytes: 0,
                body: 0,
                fault: Some(fault),
            };
            for _ in 0..self.conns[slot].request_count() {
                self.recorder.record(&sample);
            }
            self.conns[slot].behind.clear();
        }
        if self.users.pool.is_some() && failed_due.is_some() {
            self.requeue_user(self.conns[slot].user, now);
        }
        failed_due.is_some()
    }

    /// The slot that has the connection of a request: with HTTP/2 it is another one.
    pub(super) fn carrier(&self, slot: usize) -> usize {
        let conn = &self.conns[slot];
        match self.is_lane(slot) {
            false => slot,
            true if conn.state == ConnState::Busy => conn.via,
            true => self.link_of(slot),
        }
    }

    /// Keeps why the connection of a request that has failed did so, if it did.
    pub(super) fn keep_connection_failure(&mut self, slot: usize) {
        let (conn, carrier) = (&self.conns[slot], &self.conns[self.carrier(slot)]);
        let target = &self.servers[carrier.server].target;
        let Some(why) = connection_failure(carrier, target, self.plan.connect_timeout) else { return };
        let request = match &self.plan.opening {
            Some(opening) if conn.state != ConnState::Busy => &opening[..],
            _ if self.play.is_some() => &conn.rendered[..],
            _ => &self.plan.requests[conn.picked.request].bytes[..],
        };
        let told = if self.is_lane(slot) { first_failure_of_stream } else { first_failure };
        self.recorder.keep_lost(|| told(why(), request, &[]));
    }

    /// Gives up an idle connection that the server closed, or on which it sent something without being asked.
    pub(super) fn drop_idle_connection(&mut self, slot: usize) {
        self.recorder.record_close();
        let user = self.user_of(slot);
        if self.shares_connections() || !self.users.list[user].away && self.slot_of(user) == slot {
            self.reconnect(slot);
        } else {
            self.close(slot); // the user thinks or waits for another server, and will connect when it needs this one
        }
    }

    /// Closes the connection of a slot and asks for a new one.
    pub(super) fn reconnect(&mut self, slot: usize) {
        self.close(slot);
        self.missing.push(slot);
    }
}
