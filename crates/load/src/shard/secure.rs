//! TLS connections of a shard: the handshake, decrypted answers, and what a server sends while nothing is asked.

use super::Shard;
use super::exchange::{Last, Source};
use crate::Fault;
use crate::clock::Clock;
use crate::conn::Phase;
use crate::tls::Plain;
use model::units::Nanos;
use rustix::io::Errno;

impl Shard {
    /// TCP is connected: the handshake begins.
    pub(super) fn begin_handshake(&mut self, slot: usize, now: Nanos) {
        let conn = &mut self.conns[slot];
        let (Some(config), Some(socket)) = (&self.tls, &conn.socket) else {
            return;
        };
        conn.since = now;
        let begun = config.begin().and_then(|mut tls| {
            tls.flush(socket).map_err(|_| Fault::Tls)?;
            Ok(tls)
        });
        match begun {
            Ok(tls) => {
                conn.tls = Some(tls);
                self.set_phase(slot, Phase::Handshaking);
            }
            Err(fault) => self.connect_failed(slot, fault, now),
        }
    }

    /// An event on a slot in its handshake.
    pub(super) fn go_on_handshake(&mut self, slot: usize) {
        match self.exchange_handshake(slot) {
            Ok(None) => {}
            Ok(Some(resumed)) => {
                let now = Clock::now();
                self.recorder
                    .record_handshake(now.since(self.conns[slot].since), resumed);
                self.connection_ready(slot, now);
            }
            Err(fault) => self.connect_failed(slot, fault, Clock::now()),
        }
    }

    fn exchange_handshake(&mut self, slot: usize) -> Result<Option<bool>, Fault> {
        loop {
            let conn = &mut self.conns[slot];
            let (Some(tls), Some(socket)) = (&mut conn.tls, &conn.socket) else {
                return Ok(None);
            };
            tls.flush(socket).map_err(|_| Fault::Tls)?;
            let received = match self.port.receive(socket) {
                Ok(received) if received.length > 0 => received,
                Err(Errno::AGAIN) => return Ok(None),
                Ok(_) | Err(_) => return Err(Fault::Tls),
            };
            let mut wire = self.port.received(received.length);
            while !wire.is_empty() {
                tls.take(&mut wire)?;
            }
            tls.flush(socket).map_err(|_| Fault::Tls)?;
            if let Some(resumed) = tls.handshake() {
                return Ok(Some(resumed));
            }
            if received.short {
                return Ok(None);
            }
        }
    }

    /// Decrypts what was read and feeds it to the codec. Behind the last answer only tickets and the end may come.
    pub(super) fn feed_secure(
        &mut self,
        slot: usize,
        length: usize,
        at: (Nanos, Nanos),
    ) -> Result<Option<Last>, Fault> {
        let mut taken = 0;
        let mut last: Option<Last> = None;
        loop {
            // At the end of the stream the empty read has to be told, too.
            let mut wire = &self.port.received(length)[taken..];
            let tls = self.conns[slot].tls.as_mut().ok_or(Fault::Tls)?;
            tls.take(&mut wire)?;
            taken = length - wire.len();
            loop {
                let tls = self.conns[slot].tls.as_mut().ok_or(Fault::Tls)?;
                match (tls.read(&mut self.plain), &mut last) {
                    (Plain::Nothing, _) => break,
                    (Plain::Bytes(count), None) => last = self.feed(slot, Source::Plain, count, at)?,
                    (Plain::Bytes(_), Some(last)) => last.surplus = true,
                    (Plain::Closed | Plain::CutOff, Some(last)) => {
                        last.answer.keep_alive = false;
                        break;
                    }
                    (Plain::Closed, None) => return self.end_of_stream(slot),
                    (Plain::CutOff, None) => return Err(Fault::ClosedEarly),
                }
            }
            if taken == length {
                return Ok(last);
            }
        }
    }

    /// Something came while nothing was asked: tickets are welcome, anything else ends the connection.
    pub(super) fn absorb_idle(&mut self, slot: usize) {
        loop {
            let conn = &mut self.conns[slot];
            let (Some(tls), Some(socket)) = (&mut conn.tls, &conn.socket) else {
                return self.lose_idle(slot);
            };
            let received = match self.port.receive(socket) {
                Ok(received) if received.length > 0 => received,
                Err(Errno::AGAIN) => return,
                Ok(_) | Err(_) => return self.lose_idle(slot),
            };
            let mut wire = self.port.received(received.length);
            while !wire.is_empty() {
                if tls.take(&mut wire).is_err() || tls.read(&mut self.plain) != Plain::Nothing {
                    return self.lose_idle(slot);
                }
            }
            if received.short {
                return;
            }
        }
    }
}
