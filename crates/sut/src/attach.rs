//! A server that runs already: found by its port, loaded where it stands, left as it was.

use crate::certificate::Trust;
use crate::error::Error;
use crate::http::{Exchange, Reply};
use crate::log::Trouble;
use crate::port;
use crate::process;
use crate::program::{Start, System};
use crate::ready::{Ready, describe};
use crate::spec::ServerSpec;
use model::origin::Origin;
use model::outcome::Effective;
use model::units::Nanos;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What it has for an answer: it has been up before we came.
const PATIENCE: Duration = Duration::from_secs(10);
/// Between two looks at the flag.
const LOOK: Duration = Duration::from_millis(20);

/// A process that prony did not start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Attached {
    pub(crate) pid: u32,
    /// With the process id an identity that is not reused.
    start: u64,
}

impl Attached {
    /// The process that listens at `origin`.
    pub(crate) fn find(origin: Origin) -> Result<Self, Error> {
        let found = port::owner(origin.address.port()).and_then(|pid| {
            let start = process::see(pid)?.start;
            Some(Self { pid, start })
        });
        found.ok_or(Error::NobodyThere { origin })
    }

    pub(crate) fn is_alive(self) -> bool {
        process::see(self.pid).is_some_and(|seen| seen.start == self.start && !seen.zombie)
    }
}

/// Asks it twice for what is loaded. What it answers is right; a page that is another each time is right whatever it says.
pub(crate) fn ready(spec: &ServerSpec, origin: Origin, stop: &AtomicBool) -> Result<Ready, Error> {
    let (first, encryption) = ask(spec, origin, stop)?;
    let expected = spec.ready.body.as_ref();
    if first.status != 200 || expected.is_some_and(|body| *body != first.body) {
        return Err(wrong(spec, origin, describe(&first)));
    }
    let (again, _) = ask(spec, origin, stop)?;
    Ok(Ready {
        startup: Nanos(0),
        encryption,
        body: (again.body == first.body).then_some(first.body),
    })
}

/// The answer, and how it was encrypted. Its certificate is taken as it is: it is on this machine, and nobody gave us another.
fn ask(spec: &ServerSpec, origin: Origin, stop: &AtomicBool) -> Result<(Reply, Option<String>), Error> {
    let failed = |error: std::io::Error| wrong(spec, origin, format!("no answer: {error}"));
    let secure = origin.tls.then(Trust::anyone).transpose().map_err(failed)?;
    let mut exchange = Exchange::begin(origin.address, &spec.ready.path, secure.as_ref()).map_err(failed)?;
    let asked = Instant::now();
    while asked.elapsed() < PATIENCE {
        if let Some(reply) = exchange.wait(LOOK).map_err(failed)? {
            return Ok((reply, exchange.encryption()));
        }
        if stop.load(Ordering::Relaxed) {
            return Err(Error::Interrupted);
        }
    }
    let late = format!("no answer within {} s", PATIENCE.as_secs());
    Err(wrong(spec, origin, late))
}

fn wrong(spec: &ServerSpec, origin: Origin, answer: String) -> Error {
    Error::NotAsAsked {
        origin,
        path: spec.ready.path.clone(),
        answer,
    }
}

impl System for Origin {
    /// It is not ours to start.
    fn prepare(&self, _start: &Start<'_>) -> Result<Command, Error> {
        Err(Error::NobodyThere { origin: *self })
    }

    fn judge(&self, _line: &str) -> Option<Trouble> {
        None
    }

    fn is_up(&self, _line: &str) -> bool {
        true
    }

    /// Nothing: to ask its JVM would be to change a process that is not ours.
    fn said(&self, _log: &str) -> Effective {
        Effective::default()
    }
}
