//! A server that runs already: prony finds it by its port, loads it, and leaves it as it was.

use crate::error::{ContainerError, Error, LastSeen};
use crate::files::certificate::TlsTrust;
use crate::files::process;
use crate::programs::spec::ServerSpec;
use crate::server::http::{Addressed, Exchange, HttpReply};
use crate::server::port;
use crate::server::ready::{Readiness, describe};
use crate::tools::container;
use crate::tools::guard::Guard;
use ask::origin::Origin;
use model::units::Nanos;
use serde::{Deserialize, Serialize};
use std::io::ErrorKind;
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The time that it has for an answer; it is running already, so this is short.
const TIMEOUT: Duration = Duration::from_secs(10);
/// The time between two looks at the stop flag.
const POLL: Duration = Duration::from_millis(20);

/// How the process of a server that runs already is known on its machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProcessAt {
    /// It listens at this port.
    Port(u16),
    /// By its id.
    Pid(u32),
    /// It is the main process of the container with this name or id.
    Container(String),
}

/// A server that runs already, with the address at which it was found.
#[derive(Clone, Copy)]
pub struct Located<'a> {
    pub origin: &'a Origin,
    /// Where to connect to: the server, or a proxy.
    pub address: SocketAddr,
    /// The name that its certificate must have.
    pub server_name: &'a str,
    /// Its process on this machine; `None` where it cannot be seen.
    pub process: Option<&'a ProcessAt>,
    /// Has a proxy connect a socket to the server, where `address` is one.
    pub open_tunnel: &'a dyn Fn(&TcpStream) -> std::io::Result<()>,
}

/// A process that prony did not start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Attached {
    pub(crate) pid: u32,
    /// The start time; with the process id it identifies the process, because ids are reused.
    start: u64,
}

impl Attached {
    /// The process of the server at `origin`.
    pub(crate) fn find(origin: &Origin, at: &ProcessAt, guard: &Guard) -> Result<Self, Error> {
        let (known, missing) = match at {
            ProcessAt::Port(port) => (port::owner(*port), Error::NobodyThere { origin: origin.clone() }),
            ProcessAt::Pid(pid) => (Some(*pid), Error::NoProcess { pid: *pid }),
            ProcessAt::Container(name) => {
                let missing = ContainerError::NotRunning { name: name.clone() };
                (container::main_process(guard, name), missing.into())
            }
        };
        let seen = known.and_then(|pid| {
            let start = process::see(pid)?.start;
            Some(Self { pid, start })
        });
        seen.ok_or(missing)
    }

    pub(crate) fn is_alive(self) -> bool {
        process::see(self.pid).is_some_and(|seen| seen.start == self.start && !seen.zombie)
    }
}

/// Sends the request twice. Its answer is taken as right; a body that changes between the two is not compared later. A server that is only
/// greeted has no answer that could be compared.
/// `trust` decides which certificates are accepted if it speaks TLS.
pub(crate) fn ready(
    spec: &ServerSpec,
    located: Located<'_>,
    trust: &TlsTrust,
    stop: &AtomicBool,
) -> Result<Readiness, Error> {
    let (first, encryption) = ask(spec, located, trust, stop)?;
    let expected = spec.ready.body.as_ref();
    if first.status != 200 || expected.is_some_and(|body| *body != first.body) {
        return Err(wrong(spec, located.origin, describe(&first)));
    }
    if spec.ready.greets {
        return Ok(Readiness { startup: Nanos(0), encryption, body: None });
    }
    let (again, _) = ask(spec, located, trust, stop)?;
    Ok(Readiness { startup: Nanos(0), encryption, body: (again.body == first.body).then_some(first.body) })
}

/// The answer, and the TLS version and cipher suite.
fn ask(
    spec: &ServerSpec,
    located: Located<'_>,
    trust: &TlsTrust,
    stop: &AtomicBool,
) -> Result<(HttpReply, Option<String>), Error> {
    let failed =
        |error: std::io::Error| wrong(spec, located.origin, LastSeen::Unreachable(error.to_string()));
    let secure = located.origin.tls.then_some(trust);
    let to = Addressed {
        address: located.address,
        host: located.server_name,
        authority: &located.origin.authority(),
        open_tunnel: located.open_tunnel,
    };
    let asked = Instant::now();
    // A link that loses the first segment of a connect loses a second, and no more: another one is begun.
    let is_passing = |error: &std::io::Error| {
        error.kind() == ErrorKind::TimedOut && asked.elapsed() < TIMEOUT && !stop.load(Ordering::Relaxed)
    };
    let mut exchange = loop {
        let begun = match spec.ready.greets {
            true => Exchange::greet_with(to, secure),
            false => Exchange::begin_with(to, &spec.ready, secure),
        };
        match begun {
            Err(error) if is_passing(&error) => {}
            begun => break begun.map_err(failed)?,
        }
    };
    while asked.elapsed() < TIMEOUT {
        if let Some(reply) = exchange.wait(POLL).map_err(failed)? {
            return Ok((reply, exchange.encryption()));
        }
        if stop.load(Ordering::Relaxed) {
            return Err(Error::Interrupted);
        }
    }
    Err(wrong(spec, located.origin, LastSeen::Late(TIMEOUT.as_secs())))
}

fn wrong(spec: &ServerSpec, origin: &Origin, answer: LastSeen) -> Error {
    Error::NotAsAsked { origin: origin.clone(), path: spec.ready.path.clone(), answer }
}
