//! A server that runs already: found by its port, loaded where it stands, left as it was.

use crate::error::Error;
use crate::files::certificate::Trust;
use crate::files::process;
use crate::programs::spec::ServerSpec;
use crate::server::http::{Exchange, Reply};
use crate::server::port;
use crate::server::ready::{Ready, describe};
use model::origin::Origin;
use model::units::Nanos;
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
/// `trust` says which certificates are accepted where it encrypts.
pub(crate) fn ready(
    spec: &ServerSpec,
    origin: Origin,
    trust: &Trust,
    stop: &AtomicBool,
) -> Result<Ready, Error> {
    let (first, encryption) = ask(spec, origin, trust, stop)?;
    let expected = spec.ready.body.as_ref();
    if first.status != 200 || expected.is_some_and(|body| *body != first.body) {
        return Err(wrong(spec, origin, describe(&first)));
    }
    let (again, _) = ask(spec, origin, trust, stop)?;
    Ok(Ready {
        startup: Nanos(0),
        encryption,
        body: (again.body == first.body).then_some(first.body),
    })
}

/// The answer, and how it was encrypted.
fn ask(
    spec: &ServerSpec,
    origin: Origin,
    trust: &Trust,
    stop: &AtomicBool,
) -> Result<(Reply, Option<String>), Error> {
    let failed = |error: std::io::Error| wrong(spec, origin, format!("no answer: {error}"));
    let secure = origin.tls.then_some(trust);
    let mut exchange = Exchange::begin(origin.address, &spec.ready.path, secure).map_err(failed)?;
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
