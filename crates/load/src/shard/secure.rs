//! TLS connections of a shard: the handshake, decrypted answers, and what a server sends while nothing is asked.

use super::Shard;
use crate::Fault;
use crate::clock::Clock;
use crate::conn::Phase;
use crate::http1::Progress;
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

    /// Decrypts what was read and gives it to the codec. The number is that of decrypted bytes; true beside an answer
    /// says that there were bytes behind it.
    pub(super) fn advance_secure(
        &mut self,
        slot: usize,
        length: usize,
    ) -> (u64, Result<(Progress, bool), Fault>) {
        let conn = &mut self.conns[slot];
        let mut total = 0;
        let Some(tls) = &mut conn.tls else {
            return (total, Err(Fault::Tls));
        };
        let request = &self.plan.requests[conn.request];
        let mut wire = self.port.received(length);
        let mut answer = None;
        loop {
            // At the end of the stream the empty read has to be told, too.
            if let Err(fault) = tls.take(&mut wire) {
                return (total, Err(fault));
            }
            loop {
                match tls.read(&mut self.plain) {
                    Plain::Nothing => break,
                    Plain::Bytes(count) if answer.is_none() => {
                        total += count as u64;
                        match conn.codec.advance(&self.plain[..count], request, &mut self.memo) {
                            Ok(Progress::Done(used, done)) => answer = Some((done, used < count)),
                            Ok(Progress::More) => {}
                            Err(fault) => return (total, Err(fault)),
                        }
                    }
                    Plain::Bytes(_) => answer = answer.map(|(done, _)| (done, true)),
                    Plain::Closed | Plain::CutOff if answer.is_some() => {
                        answer = answer.map(|(done, surplus)| {
                            (
                                crate::http1::Answer {
                                    keep_alive: false,
                                    ..done
                                },
                                surplus,
                            )
                        });
                        break;
                    }
                    Plain::Closed => {
                        let end = conn
                            .codec
                            .end(request)
                            .map(|done| (Progress::Done(0, done), false));
                        return (total, end);
                    }
                    Plain::CutOff => return (total, Err(Fault::ClosedEarly)),
                }
            }
            if wire.is_empty() {
                break;
            }
        }
        let progress = answer.map_or((Progress::More, false), |(done, surplus)| {
            (Progress::Done(0, done), surplus)
        });
        (total, Ok(progress))
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
