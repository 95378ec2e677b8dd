//! Connections of a shard: opened, failed, lost while idle.

use super::{Shard, Stage};
use crate::Fault;
use crate::clock::Clock;
use crate::conn::Phase;
use crate::port::{Event, Port};
use crate::recorder::Sample;
use model::units::Nanos;

/// Connects begun in one turn: each takes some 20 us, and answers wait meanwhile.
const CONNECTS_PER_TURN: usize = 64;
/// How long a slot rests after a connect that failed; a refusal is so quick that trying at once would only burn CPU.
const REST: Nanos = Nanos::from_millis(100);

impl Shard {
    /// Whether a new connection would be of use.
    pub(super) fn may_connect(&self) -> bool {
        self.stage != Stage::Draining || self.open.as_ref().is_some_and(|open| open.next_due().is_some())
    }

    /// Begins to connect slots that have no connection.
    pub(super) fn connect_missing(&mut self, now: Nanos) {
        if !self.may_connect() {
            return;
        }
        for _ in 0..CONNECTS_PER_TURN {
            if self.next_connect > now {
                break;
            }
            let Some(slot) = self.missing.pop() else { break };
            if !self.conns[slot].pending && !self.shared() {
                if !self.may_claim(slot) {
                    self.retire(slot);
                    continue;
                }
                self.claim(slot, now);
            }
            if let Some(rate) = self.plan.connect_rate {
                let gap = Nanos::from_secs_f64(self.plan.shards as f64 / rate.0);
                // What was not begun in time is not made up for: that would be the burst that the rate forbids.
                self.next_connect = now.since(gap).max(self.next_connect) + gap;
            }
            let begun = Clock::now();
            match self.port.connect(&self.plan.target, self.conns[slot].token(slot)) {
                Ok(socket) => {
                    self.conns[slot].socket = Some(socket);
                    self.conns[slot].since = begun;
                    self.set_phase(slot, Phase::Connecting);
                }
                Err(errno) => self.connect_failed(slot, Fault::connecting(errno), begun),
            }
        }
    }

    /// An event on a slot that is connecting.
    pub(super) fn finish_connect(&mut self, slot: usize, event: Event) {
        let Some(socket) = self.conns[slot].socket.as_ref().filter(|_| event.writable) else {
            return;
        };
        // A connect that failed always says so in the event; to ask after each that did not would be one more system call.
        let connected = if event.ended {
            Port::connected(socket)
        } else {
            Ok(())
        };
        let now = Clock::now();
        if let Err(errno) = connected {
            return self.connect_failed(slot, Fault::connecting(errno), now);
        }
        self.recorder.record_connect(now.since(self.conns[slot].since));
        if self.tls.is_some() {
            self.begin_handshake(slot, now);
        } else {
            self.connection_ready(slot, now);
        }
        if event.ended {
            // The server has closed already; no further event will tell.
            self.handle_connected(slot, event);
        }
    }

    /// The connection can carry a request.
    pub(super) fn connection_ready(&mut self, slot: usize, now: Nanos) {
        self.conns[slot].since = now;
        self.set_phase(slot, Phase::Idle);
        self.next_request(slot, now);
    }

    pub(super) fn connect_timed_out(&mut self, slot: usize, now: Nanos) {
        self.connect_failed(slot, Fault::ConnectTimeout, now);
    }

    /// Whoever wanted this connection gets the fault. In an open model that is the request that waits longest.
    pub(super) fn connect_failed(&mut self, slot: usize, fault: Fault, now: Nanos) {
        self.close(slot);
        let conn = &mut self.conns[slot];
        let wanted = if conn.pending {
            conn.pending = false;
            Some(conn.due)
        } else {
            self.next_due().filter(|&due| due <= now).inspect(|&due| {
                self.claim(slot, due);
                self.conns[slot].pending = false;
            })
        };
        if let Some(due) = wanted {
            let sample = Sample {
                due,
                sent: now,
                first_byte: now,
                arrived: now,
                seen: now,
                bytes: 0,
                body: 0,
                fault: Some(fault),
            };
            for _ in 0..self.conns[slot].asked() {
                self.recorder.record(&sample);
            }
            self.conns[slot].behind.clear();
        }
        if self.crowd.pool.is_some() && wanted.is_some() {
            self.requeue(self.conns[slot].user, now);
        }
        self.conns[slot].since = now + REST;
        self.set_phase(slot, Phase::Resting);
    }

    /// The server closed an idle connection, or spoke out of turn; either way the connection is of no use.
    pub(super) fn lose_idle(&mut self, slot: usize) {
        self.recorder.record_close();
        if self.shared() || !self.crowd.users[slot].away {
            self.reconnect(slot);
        } else {
            self.close(slot); // its user thinks: it connects when it goes on
        }
    }

    /// Closes the connection and asks for a new one.
    pub(super) fn reconnect(&mut self, slot: usize) {
        self.close(slot);
        self.missing.push(slot);
    }
}
