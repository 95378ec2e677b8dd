//! [`Server`]: a running system under test.

use crate::error::Error;
use crate::files::certificate::Certificate;
use crate::files::cgroup::Enforced;
use crate::files::gclog;
use crate::files::log;
use crate::files::process;
use crate::files::random::Random;
use crate::files::work::WorkFolder;
use crate::programs::spec::ServerSpec;
use crate::programs::system::{GC_LOG, Start};
use crate::server::around::Around;
use crate::server::attach::{self, Attached};
use crate::server::port;
use crate::server::ready::{Ready, Wait};
use crate::server::service::Beside;
use crate::tools::guard::Guard;
use crate::tools::network::{Entered, Network};
use crate::tools::tool::Group;
use model::origin::Origin;
use model::units::Nanos;
use rustls::ClientConfig;
use std::collections::BTreeMap;
use std::fs::File;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// What a server has to end by itself; a graceful shutdown waits up to 30 s for running requests.
const GRACE: Duration = Duration::from_secs(35);
/// What the kernel has to close the sockets of an ended process.
const CLOSING: Duration = Duration::from_secs(2);
/// Starts on another port when somebody else was faster.
const RETRIES: u32 = 3;

/// A running server that has answered rightly. Dropped, it is killed and its work folder removed.
///
/// It must be started from a thread that lives as long as it does; see [`crate::tools::guard`].
#[derive(Debug)]
pub struct Server {
    // Before `around` and `work`: fields are dropped in this order, and neither must go while its server runs.
    process: Process,
    around: Around,
    enforced: Option<Enforced>,
    spec: ServerSpec,
    address: SocketAddr,
    readiness: Ready,
    certificate: Option<Certificate>,
    log: PathBuf,
    work: WorkFolder,
}

/// The process of a server.
#[derive(Debug)]
enum Process {
    /// Started by us, with all that it started; ended by us.
    Ours(Group),
    /// Found.
    Attached(Attached),
}

impl Process {
    fn id(&self) -> u32 {
        match self {
            Self::Ours(group) => group.id(),
            Self::Attached(found) => found.pid,
        }
    }
}

impl Server {
    /// Starts a server in a work folder and waits until it answers rightly. One that runs already is not started, see
    /// [`Server::attach`].
    pub fn start(
        spec: &ServerSpec,
        work: WorkFolder,
        guard: &Guard,
        stop: &AtomicBool,
    ) -> Result<Self, Error> {
        let around = Around::prepare(&spec.surroundings, &work, guard, stop)?;
        if let Some(port) = spec.port {
            around.there(|| port::must_be_free(port))?;
            let launched = launch(spec, &work, port, &around, stop)?;
            return Self::running(spec, work, port, around, launched);
        }
        let mut random = Random::new(work.seed());
        let mut retries = RETRIES;
        loop {
            let port = around.there(|| port::choose(&mut random))?;
            match launch(spec, &work, port, &around, stop) {
                Ok(launched) => return Self::running(spec, work, port, around, launched),
                Err(Error::PortTaken { .. }) if retries > 0 => retries -= 1,
                Err(error) => return Err(error),
            }
        }
    }

    /// Finds a server that runs already, and asks it for the right answer. `tls` says which certificates are accepted where
    /// it encrypts; the caller brings it, so that load and readiness verify the same by the same code.
    pub fn attach(
        spec: &ServerSpec,
        origin: Origin,
        work: WorkFolder,
        guard: &Guard,
        tls: ClientConfig,
        stop: &AtomicBool,
    ) -> Result<Self, Error> {
        let around = Around::prepare(&spec.surroundings, &work, guard, stop)?;
        let found = Attached::find(origin)?;
        Ok(Self {
            enforced: None,
            process: Process::Attached(found),
            around,
            spec: spec.clone(),
            address: origin.address,
            readiness: attach::ready(spec, origin, &tls.into(), stop)?,
            certificate: None,
            log: log_in(&work),
            work,
        })
    }

    fn running(
        spec: &ServerSpec,
        work: WorkFolder,
        port: u16,
        around: Around,
        launched: Launched,
    ) -> Result<Self, Error> {
        let log = log_in(&work);
        Ok(Self {
            enforced: around.enforced(launched.group.id())?,
            process: Process::Ours(launched.group),
            around,
            spec: spec.clone(),
            address: address(port),
            readiness: launched.readiness,
            certificate: launched.certificate,
            log,
            work,
        })
    }

    /// Its process id; also the id of its process group where we started it.
    pub fn pid(&self) -> u32 {
        self.process.id()
    }

    /// Its process and all that this has started and that still live: one for a JVM. Of one that runs already only the
    /// process that listens: whose group it is in nobody knows.
    pub fn processes(&self) -> Vec<u32> {
        match &self.process {
            Process::Ours(group) => process::members(group.id()),
            Process::Attached(found) => vec![found.pid],
        }
    }

    /// Whether we started it.
    pub const fn is_ours(&self) -> bool {
        matches!(self.process, Process::Ours(_))
    }

    /// Where it listens.
    pub const fn addr(&self) -> SocketAddr {
        self.address
    }

    /// From its start (shell and all) to its first right body; 0 for one that ran already.
    pub const fn startup(&self) -> Nanos {
        self.readiness.startup
    }

    /// How its first answer was encrypted, as `TLSv1.3 TLS_AES_256_GCM_SHA384`; `None` for plain HTTP.
    pub fn encryption(&self) -> Option<&str> {
        self.readiness.encryption.as_deref()
    }

    /// The body of every right answer to what readiness asked; `None` where it is another each time.
    pub fn body(&self) -> Option<&[u8]> {
        self.readiness.body.as_deref()
    }

    /// What it shows in a handshake; `None` for plain HTTP.
    pub const fn certificate(&self) -> Option<&Certificate> {
        self.certificate.as_ref()
    }

    /// What was started.
    pub const fn spec(&self) -> &ServerSpec {
        &self.spec
    }

    /// Its log so far.
    pub fn log(&self) -> String {
        log::text(&self.log)
    }

    /// The last lines of its log.
    pub fn log_tail(&self) -> Vec<String> {
        log::tail(&self.log)
    }

    /// The limits that it is within, read off its own control groups; `None` where there are none.
    pub const fn enforced(&self) -> Option<&Enforced> {
        self.enforced.as_ref()
    }

    /// What the kernel did to keep its limits, what its services counted, and its collections, since its start.
    pub fn facts(&self) -> BTreeMap<String, f64> {
        let mut facts = self.around.facts();
        facts.extend(self.enforced.iter().flat_map(Enforced::facts));
        if let Ok(folder) = self.work.folder(GC_LOG) {
            facts.extend(gclog::facts(&folder));
        }
        facts
    }

    /// The services beside it.
    pub fn beside(&self) -> Vec<Beside> {
        self.around.beside()
    }

    /// Why it has ended, when it was killed for want of memory within its limit.
    pub fn overrun(&self) -> Option<Error> {
        self.around.overrun(&self.spec.server, &self.log)
    }

    /// Whether its process still lives.
    pub fn is_alive(&mut self) -> bool {
        match &mut self.process {
            Process::Ours(group) => matches!(group.ended(), Ok(None)),
            Process::Attached(found) => found.is_alive(),
        }
    }

    /// Takes this thread to where the server is, when it is behind a link; `None` where it is not.
    pub fn enter(&self) -> Result<Option<Entered>, Error> {
        let network = self.spec.surroundings.network.as_deref();
        network.map(Network::enter_servers).transpose()
    }

    /// Its work folder.
    pub(crate) const fn work(&self) -> &WorkFolder {
        &self.work
    }

    /// Stops it: asked first, killed when it does not end, and looked after: neither port nor process may be left. One that
    /// ran before goes on.
    pub fn stop(mut self) -> Result<(), Error> {
        let Process::Ours(group) = &mut self.process else {
            return Ok(());
        };
        group.end(GRACE);
        let began = Instant::now();
        loop {
            let left = self.leftover();
            match left {
                None => {
                    self.around.stop();
                    return Ok(());
                }
                Some(_) if began.elapsed() < CLOSING => sleep(Duration::from_millis(5)),
                Some(what) => {
                    return Err(Error::Leftover {
                        server: self.spec.server.clone(),
                        what,
                    });
                }
            }
        }
    }

    fn leftover(&self) -> Option<String> {
        let members = self.processes();
        if !members.is_empty() {
            return Some(format!("the processes {members:?}"));
        }
        let port = self.address.port();
        let listening = self.around.there(|| Ok(port::is_listening(port)));
        listening
            .unwrap_or(false)
            .then(|| format!("a listener on port {port}"))
    }
}

/// A server that has just got ready.
struct Launched {
    group: Group,
    readiness: Ready,
    certificate: Option<Certificate>,
}

/// Starts the process and waits for it. Whatever goes wrong, the group is killed on the way out.
fn launch(
    spec: &ServerSpec,
    work: &WorkFolder,
    port: u16,
    around: &Around,
    stop: &AtomicBool,
) -> Result<Launched, Error> {
    let certificate = spec.settings.tls.map(|_| Certificate::make(work)).transpose()?;
    let start = Start {
        settings: &spec.settings,
        jdk: &spec.jdk,
        jvm: &spec.jvm,
        tcnative: spec.tcnative.as_ref(),
        work,
        port,
        guard: &around.guard,
        certificate: certificate.as_ref(),
    };
    let mut command = spec.program.system().prepare(&start)?;
    command.envs(around.environment());
    let path = log_in(work);
    let log = create(&path)?;
    let errors = log
        .try_clone()
        .map_err(|error| Error::io("write", &path, error))?;
    command.stdout(log).stderr(errors);
    let began = Instant::now();
    let child = around.there(|| {
        command
            .spawn()
            .map_err(|error| Error::io("start", command.get_program(), error))
    })?;
    let mut group = Group::new(child);
    work.record(group.id())?;
    let wait = Wait {
        spec,
        address: address(port),
        certificate: certificate.as_ref(),
        group: &mut group,
        log: &path,
        began,
        stop,
    };
    let readiness = wait.until_ready().map_err(|error| {
        // Killed within its limit it is gone like any other; the limit is the better explanation.
        around.overrun(&spec.server, &path).unwrap_or(error)
    })?;
    spec.program
        .system()
        .prove(&spec.server, &spec.settings, &log::text(&path))?;
    Ok(Launched {
        group,
        readiness,
        certificate,
    })
}

const fn address(port: u16) -> SocketAddr {
    SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), port)
}

fn log_in(work: &WorkFolder) -> PathBuf {
    work.path().join("server.log")
}

fn create(path: &Path) -> Result<File, Error> {
    File::create(path).map_err(|error| Error::io("write", path, error))
}
