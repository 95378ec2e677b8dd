//! A server on another host. The user's own ssh puts prony and the files there, and carries the requests to that prony.
//!
//! Everything that is sent is in a folder named by its hash, so a second run sends nothing and another version of prony is not in
//! the way. When the connection ends, for whatever reason, the prony there ends, and with it the server. No time of the other host
//! is ever compared with one of this host.

mod link;
mod order;
mod piece;
mod serve;
mod shell;
mod ship;
mod speed;
mod wire;

pub use link::Asked;
pub use serve::{Attendant, Attended, serve};
pub use shell::Shell;
pub use ship::Host;

use crate::error::{Error, HostTrouble};
use link::Link;
use model::patience::Patience;
use order::StartOrder;
use serde_json::Value;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::{Duration, Instant};
use wire::{Condition, Ready, Reply, Request};

/// A server that runs on another host.
#[derive(Debug)]
pub struct RemoteServer {
    link: Arc<Link>,
    ready: Ready,
}

impl RemoteServer {
    /// Starts a server there and waits until it gives the right answer; one that runs already is only looked for. The host has been
    /// there before, so it is waited for.
    pub(crate) fn start(
        host: &Host,
        seed: u64,
        patience: Patience,
        stop: &AtomicBool,
    ) -> Result<Self, Error> {
        let link = Arc::new(reopened(host, patience, stop)?);
        let (spec, process, profiler) = (host.spec.clone(), host.process.clone(), host.profiler.clone());
        let order = StartOrder { spec, process, profiler, seed, patience };
        let beating = Arc::downgrade(&link);
        thread::spawn(move || beat(&beating, patience.beat()));
        match link.ask(&Request::Start(Box::new(order)), stop)? {
            Reply::Ready(ready) => Ok(Self { link, ready: *ready }),
            _ => Err(host.shell.error(HostTrouble::Strange)),
        }
    }

    /// Which host it runs on, as the arm names it.
    pub fn host(&self) -> &str {
        self.link.host()
    }

    /// Asks the attendant there, without waiting for the answer.
    pub fn ask(&self, question: Value) -> Asked {
        self.link.tell(&Request::Ask(question))
    }

    /// Whether its process lives. An error when the link is cut.
    pub(super) fn is_alive(&self) -> bool {
        self.condition().is_some_and(|condition| condition.is_alive)
    }

    /// The last lines of its log; none when the link is cut.
    pub(super) fn log_tail(&self) -> Vec<String> {
        self.condition().unwrap_or_default().log
    }

    /// The error for a server that the kernel killed because of its limit of memory; the link's error if the link is
    /// cut.
    pub(super) fn overrun(&self) -> Option<Error> {
        match self.condition() {
            Some(condition) => condition.overrun.map(|failure| self.link.failed(failure)),
            None => Some(self.link.error(HostTrouble::Cut)),
        }
    }

    fn condition(&self) -> Option<Condition> {
        match self.link.ask(&Request::Condition, &AtomicBool::new(false)) {
            Ok(Reply::Condition(condition)) => Some(condition),
            _ => None,
        }
    }

    pub(super) const fn ready(&self) -> &Ready {
        &self.ready
    }

    pub(super) fn stop(&self) -> Result<(), Error> {
        self.link.ask(&Request::Stop, &AtomicBool::new(false)).map(drop)
    }
}

/// A connection to a host that was there before, which is waited for.
fn reopened(host: &Host, patience: Patience, stop: &AtomicBool) -> Result<Link, Error> {
    let began = Instant::now();
    loop {
        let error = match Link::open(host) {
            Ok(link) => return Ok(link),
            Err(error) if began.elapsed() > patience.host_return() => return Err(error),
            Err(error) => error,
        };
        let waiting = Instant::now();
        while waiting.elapsed() < patience.host_retry() {
            if stop.load(Ordering::Relaxed) {
                return Err(error);
            }
            thread::sleep(Duration::from_millis(50));
        }
    }
}

/// Shows the other host that we live, as long as the link is in use.
fn beat(link: &Weak<Link>, every: Duration) {
    loop {
        thread::sleep(every);
        let Some(link) = link.upgrade() else { return };
        drop(link.tell(&Request::Ping));
    }
}
