//! [`Outbox`]: the messages of an agent on their way to the coordinator.

use crate::error::Error;
use crate::frame::decode;
use crate::link::Link;
use crate::message::{Stored, deltas_of};
use crate::spool::Spool;
use async_nats::RequestErrorKind;
use model::patience::Patience;
use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// Between two attempts to send a delta.
const AGAIN: Duration = Duration::from_millis(100);

/// How a load of an agent ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// The coordinator has everything.
    Finished,
    /// The coordinator was lost.
    CoordinatorLost,
}

/// The deltas that are made, and the unacknowledged ones.
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    spool: RefCell<Spool>,
    /// Whether the last delta is in the spool.
    closed: Cell<bool>,
    /// Whether the coordinator was lost before.
    orphaned: Cell<bool>,
    /// Tells that something was added.
    added: Notify,
}

impl Outbox {
    /// Adds a delta with its number, greater than all before.
    pub(crate) fn push(&self, seq: u64, bytes: Vec<u8>) {
        self.spool.borrow_mut().push(seq, bytes);
        self.added.notify_one();
    }

    /// Nothing is added any more.
    pub(crate) fn close(&self) {
        self.closed.set(true);
        self.added.notify_one();
    }

    /// Whether nothing is added any more.
    pub(crate) const fn is_closed(&self) -> bool {
        self.closed.get()
    }

    /// Whether the coordinator was lost before everything was added.
    pub(crate) const fn is_orphaned(&self) -> bool {
        self.orphaned.get()
    }

    /// Whether everything that was added is acknowledged.
    pub(crate) fn is_empty(&self) -> bool {
        self.spool.borrow().oldest().is_none()
    }

    /// Sends the deltas in order until the last one is acknowledged, or the coordinator is lost.
    pub(crate) async fn send_all(
        &self,
        link: &Link,
        agent: &str,
        run: &str,
        patience: Patience,
    ) -> Result<Ended, Error> {
        let (mut heard, mut nobody): (Instant, Option<Instant>) = (Instant::now(), None);
        loop {
            let oldest = self.spool.borrow().oldest().cloned();
            let Some((seq, bytes)) = oldest else {
                if self.closed.get() {
                    return Ok(Ended::Finished);
                }
                self.added.notified().await;
                continue;
            };
            let sent = link.client.request(deltas_of(agent), bytes.into());
            match tokio::time::timeout(patience.acknowledgement(), sent).await {
                Ok(Ok(reply)) => {
                    if let Ok((stored, _)) = decode::<Stored>(run, &reply.payload) {
                        (heard, nobody) = (Instant::now(), None);
                        self.spool.borrow_mut().acknowledge(stored.seq);
                        if stored.seq == seq {
                            continue;
                        }
                    }
                }
                Ok(Err(error)) if error.kind() == RequestErrorKind::NoResponders => {
                    nobody = nobody.or_else(|| Some(Instant::now()));
                }
                Ok(Err(_)) | Err(_) => nobody = None,
            }
            link.check()?;
            let is_alone = nobody.is_some_and(|since| since.elapsed() >= patience.nobody());
            if is_alone || heard.elapsed() >= patience.cut_off() {
                self.orphaned.set(!self.closed.get());
                return Ok(Ended::CoordinatorLost);
            }
            tokio::time::sleep(AGAIN).await;
        }
    }
}
