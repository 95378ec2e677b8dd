//! The TLS connections of a shard: handshakes, decrypted responses, and bytes that arrive on idle connections.

use super::Shard;
use super::exchange::{InputBuffer, LastResponse, ReadTimes};
use crate::Fault;
use crate::clock;
use crate::conn::{ConnState, ConnectionFailure};
use crate::tls::{Decrypted, TlsConnection};
use model::units::Nanos;
use rustix::io::Errno;
use traffic::scenario::{FirstFailure, StepFailure};

impl Shard {
    /// Begins the handshake on a connection whose TCP connect has succeeded.
    pub(super) fn begin_handshake(&mut self, slot: usize, now: Nanos) {
        let conn = &mut self.conns[slot];
        let (Some(config), Some(socket)) = (&self.servers[conn.server].tls, &conn.socket) else {
            return;
        };
        conn.since = now;
        let begun = config.new_connection().and_then(|mut tls| {
            tls.flush(socket).map_err(|_| Fault::Tls)?;
            Ok(tls)
        });
        match begun {
            Ok(tls) => {
                conn.tls = Some(tls);
                self.set_state(slot, ConnState::Handshaking);
            }
            Err(fault) => self.connect_failed(slot, fault, now),
        }
    }

    /// Keeps why TLS has failed on a connection that is closed, if it has.
    pub(super) fn keep_tls_failure(&mut self, slot: usize) {
        let conn = &self.conns[slot];
        let failure = conn.tls.as_ref().and_then(TlsConnection::failure);
        if let (Some(failure), Some(config)) = (failure, &self.servers[conn.server].tls) {
            self.recorder.keep_wrong(|| FirstFailure {
                why: StepFailure::Tls(failure.to_string()),
                request: config.server_name(),
                answer: String::new(),
            });
        }
    }

    /// Handles an event on a slot in its handshake.
    pub(super) fn continue_handshake(&mut self, slot: usize) {
        match self.advance_handshake(slot) {
            Ok(None) => {}
            Ok(Some(resumed)) => {
                let now = clock::now();
                self.recorder.record_handshake(now.since(self.conns[slot].since), resumed);
                self.use_connection(slot, now);
            }
            Err(fault) => self.connect_failed(slot, fault, clock::now()),
        }
    }

    /// Sends and receives what it can. Returns whether the session was resumed once the handshake is complete, and `None`
    /// before.
    fn advance_handshake(&mut self, slot: usize) -> Result<Option<bool>, Fault> {
        loop {
            let conn = &mut self.conns[slot];
            let (Some(tls), Some(socket)) = (&mut conn.tls, &conn.socket) else {
                return Ok(None);
            };
            tls.flush(socket).map_err(|_| Fault::Tls)?;
            let received = match self.port.receive(socket) {
                Ok(received) if received.length > 0 => received,
                Err(Errno::AGAIN) => return Ok(None),
                Ok(_) => return Err(Fault::Tls),
                Err(errno) => {
                    conn.failure = Some(ConnectionFailure::Broken(errno));
                    return Err(Fault::Tls);
                }
            };
            let mut ciphertext = self.port.received_bytes(received.length);
            while !ciphertext.is_empty() {
                tls.receive(&mut ciphertext)?;
            }
            tls.flush(socket).map_err(|_| Fault::Tls)?;
            if let Some(resumed) = tls.handshake_result() {
                return Ok(Some(resumed));
            }
            if received.short {
                return Ok(None);
            }
        }
    }

    /// Decrypts the `length` bytes that were received and gives them to the codec. Behind the last response, session tickets
    /// and the end of the stream are expected; anything else is surplus.
    pub(super) fn feed_secure(
        &mut self,
        slot: usize,
        length: usize,
        times: ReadTimes,
    ) -> Result<Option<LastResponse>, Fault> {
        let mut used = 0;
        let mut last: Option<LastResponse> = None;
        loop {
            // The empty read at the end of the stream is passed on as well: TLS has to know that the stream was cut off.
            let mut ciphertext = &self.port.received_bytes(length)[used..];
            let tls = self.conns[slot].tls.as_mut().ok_or(Fault::Tls)?;
            tls.receive(&mut ciphertext)?;
            used = length - ciphertext.len();
            loop {
                let tls = self.conns[slot].tls.as_mut().ok_or(Fault::Tls)?;
                match (tls.read(&mut self.decrypted), &mut last) {
                    (Decrypted::Nothing, _) => break,
                    (Decrypted::Bytes(count), None) => {
                        last = self.feed(slot, InputBuffer::Decrypted, count, times)?;
                        if last.is_some_and(|last| last.left) {
                            return Ok(last); // more of it was to be expected, and is not looked at
                        }
                    }
                    (Decrypted::Bytes(_), Some(last)) => last.surplus = true,
                    (Decrypted::Closed | Decrypted::CutOff, Some(last)) => {
                        last.response.keep_alive = false;
                        break;
                    }
                    (Decrypted::Closed, None) => return self.end_of_stream(slot),
                    (Decrypted::CutOff, None) => return Err(Fault::ClosedEarly),
                }
            }
            if used == length {
                return Ok(last);
            }
        }
    }

    /// Reads what arrived on an idle connection. Session tickets are accepted; anything else ends the connection.
    pub(super) fn read_idle_tls(&mut self, slot: usize) {
        loop {
            let conn = &mut self.conns[slot];
            let (Some(tls), Some(socket)) = (&mut conn.tls, &conn.socket) else {
                return self.drop_idle_connection(slot);
            };
            let received = match self.port.receive(socket) {
                Ok(received) if received.length > 0 => received,
                Err(Errno::AGAIN) => return,
                Ok(_) | Err(_) => return self.drop_idle_connection(slot),
            };
            let mut ciphertext = self.port.received_bytes(received.length);
            while !ciphertext.is_empty() {
                let refused = tls.receive(&mut ciphertext).is_err();
                if refused || tls.read(&mut self.decrypted) != Decrypted::Nothing {
                    return self.drop_idle_connection(slot);
                }
            }
            if received.short {
                return;
            }
        }
    }
}
