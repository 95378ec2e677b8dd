//! [`Server`]: a running system under test.

use crate::error::{Error, FileAct, Remnant};
use crate::files::certificate::{Certificate, TlsTrust};
use crate::files::cgroup::Enforced;
use crate::files::gclog;
use crate::files::jvmlog;
use crate::files::log;
use crate::files::process;
use crate::files::random::Random;
use crate::files::work::WorkFolder;
use crate::programs::Program;
use crate::programs::spec::{ServerSpec, ServerSurroundings};
use crate::programs::system::{GC_LOG, StartContext};
use crate::server::attach::{self, Attached, Located, ProcessAt};
use crate::server::port;
use crate::server::ready::{Readiness, Wait};
use crate::server::remote::{Host, RemoteServer};
use crate::server::service::ServiceView;
use crate::server::started::Started;
use crate::server::surroundings::LiveSurroundings;
use crate::tools::container::{ContainerStart, LiveContainer};
use crate::tools::guard::Guard;
use crate::tools::network::{Entered, Network};
use crate::tools::parent;
use crate::tools::tool::ProcessGroup;
use ask::origin::Origin;
use model::patience::Patience;
use model::units::Nanos;
use rustls::ClientConfig;
use std::collections::BTreeMap;
use std::fs::File;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The time that a server has to end by itself; a graceful shutdown waits up to 30 s for running requests.
const GRACE: Duration = Duration::from_secs(35);
/// The time that a server in a container has to end by itself: as long as `docker stop` waits. The first process of a
/// container ignores SIGTERM unless it handles it.
const CONTAINER_GRACE: Duration = Duration::from_secs(10);
/// The time that the kernel has to close the sockets of an ended process.
const CLOSING: Duration = Duration::from_secs(2);
/// The number of further starts on another port, when another process has taken the port in the meantime.
const RETRIES: u32 = 3;
/// The time by which the log may be behind the first answer.
const LOG_DELAY: Duration = Duration::from_secs(2);
/// The time between two looks at the log.
const POLL: Duration = Duration::from_millis(20);

/// A running server that has given a right answer. Dropping it kills it and removes its work folder. It does not end with the thread
/// that started it; see [`crate::tools::parent`].
#[derive(Debug)]
pub struct Server {
    // Fields are dropped in this order: the process must end before its surroundings and its work folder are removed.
    process: Process,
    surroundings: LiveSurroundings,
    enforced: Option<Enforced>,
    spec: ServerSpec,
    address: SocketAddr,
    readiness: Readiness,
    /// The certificate that it presents, in PEM.
    certificate: Option<String>,
    log: PathBuf,
    work: WorkFolder,
}

/// The process of a server.
#[derive(Debug)]
enum Process {
    /// We started it, and we end it with all that it started.
    Ours(Started),
    /// It ran already.
    Attached(Attached),
    /// It ran already, and its process cannot be seen.
    Unseen,
    /// It is on another host, whose prony ends it.
    Remote(Arc<RemoteServer>),
}

impl Process {
    fn id(&self) -> u32 {
        match self {
            Self::Ours(started) => started.pid(),
            Self::Attached(attached) => attached.pid,
            Self::Unseen => 0,
            Self::Remote(remote) => remote.ready().pid,
        }
    }
}

impl Server {
    /// Starts a server in a work folder and waits until it gives the right answer. For a server that runs already see
    /// [`Server::attach`].
    pub fn start(
        spec: &ServerSpec,
        work: WorkFolder,
        guard: &Guard,
        stop: &AtomicBool,
    ) -> Result<Self, Error> {
        let surroundings = LiveSurroundings::prepare(&spec.surroundings, &work, guard, stop)?;
        if let Some(port) = spec.port {
            surroundings.at_server(|| port::must_be_free(port))?;
            let launched = launch(spec, &work, port, &surroundings, stop)?;
            return Self::new(spec, work, surroundings, launched);
        }
        let mut random = Random::new(work.port_seed());
        let mut retries = RETRIES;
        loop {
            let port = surroundings.at_server(|| port::choose(&mut random))?;
            match launch(spec, &work, port, &surroundings, stop) {
                Ok(launched) => return Self::new(spec, work, surroundings, launched),
                Err(Error::PortTaken { .. }) if retries > 0 => retries -= 1,
                Err(error) => return Err(error),
            }
        }
    }

    /// Attaches to a server that runs already, and asks it for the right answer. `tls` decides which certificates are
    /// accepted; the caller supplies it, so that the load and the readiness check verify certificates by the same code.
    pub fn attach(
        spec: &ServerSpec,
        located: Located<'_>,
        work: WorkFolder,
        guard: &Guard,
        tls: ClientConfig,
        stop: &AtomicBool,
    ) -> Result<Self, Error> {
        let surroundings = LiveSurroundings::prepare(&spec.surroundings, &work, guard, stop)?;
        let process = match located.process {
            Some(at) => Process::Attached(Attached::find(located.origin, at, guard)?),
            None => Process::Unseen,
        };
        Ok(Self {
            enforced: None,
            process,
            surroundings,
            spec: spec.clone(),
            address: located.address,
            readiness: attach::ready(spec, located, &tls.into(), stop)?,
            certificate: None,
            log: log_in(&work),
            work,
        })
    }

    /// Looks at a server that runs already, for a prony on another machine, which asks it for the right answer itself.
    pub(crate) fn watch(
        spec: &ServerSpec,
        origin: &Origin,
        at: &ProcessAt,
        work: WorkFolder,
        guard: &Guard,
        stop: &AtomicBool,
    ) -> Result<Self, Error> {
        Ok(Self {
            process: Process::Attached(Attached::find(origin, at, guard)?),
            surroundings: LiveSurroundings::prepare(&ServerSurroundings::default(), &work, guard, stop)?,
            enforced: None,
            spec: spec.clone(),
            address: SocketAddr::from((spec.listen, origin.port)),
            readiness: Readiness { startup: Nanos(0), encryption: None, body: None },
            certificate: None,
            log: log_in(&work),
            work,
        })
    }

    /// Lets the prony on the server's host read the process of a server that already runs.
    pub fn seen_from(mut self, host: &Host, patience: Patience, stop: &AtomicBool) -> Result<Self, Error> {
        let remote = RemoteServer::start(host, self.work.seed(), patience, stop)?;
        self.process = Process::Remote(Arc::new(remote));
        Ok(self)
    }

    /// Starts a server on another host and waits until it gives the right answer there.
    pub fn start_at(
        host: &Host,
        spec: &ServerSpec,
        work: WorkFolder,
        guard: &Guard,
        patience: Patience,
        stop: &AtomicBool,
    ) -> Result<Self, Error> {
        let surroundings = LiveSurroundings::prepare(&ServerSurroundings::default(), &work, guard, stop)?;
        let remote = RemoteServer::start(host, work.seed(), patience, stop)?;
        let ready = remote.ready();
        Ok(Self {
            enforced: None,
            surroundings,
            spec: spec.clone(),
            address: ready.address,
            readiness: Readiness {
                startup: ready.startup,
                encryption: ready.encryption.clone(),
                body: ready.body.clone(),
            },
            certificate: ready.certificate.clone(),
            log: log_in(&work),
            work,
            process: Process::Remote(Arc::new(remote)),
        })
    }

    fn new(
        spec: &ServerSpec,
        work: WorkFolder,
        surroundings: LiveSurroundings,
        launched: Launched,
    ) -> Result<Self, Error> {
        let log = log_in(&work);
        let started = launched.started;
        let enforced = match started.container() {
            Some(container) => Some(container.enforced(spec.surroundings.limits, started.pid())?),
            None => surroundings.enforced(started.pid())?,
        };
        Ok(Self {
            enforced,
            process: Process::Ours(started),
            surroundings,
            spec: spec.clone(),
            address: launched.address,
            readiness: launched.readiness,
            certificate: launched.certificate.map(|certificate| certificate.pem),
            log,
            work,
        })
    }

    /// Whether it ran already, so that prony neither changes nor ends it.
    pub const fn ran_already(&self) -> bool {
        matches!(self.spec.program, Program::Running(_))
    }

    /// Whether its process can be seen, here or by the prony on its host.
    pub const fn is_seen(&self) -> bool {
        !matches!(self.process, Process::Unseen)
    }

    /// Host and port as its requests name them.
    pub fn authority(&self) -> String {
        match &self.spec.program {
            Program::Running(origin) => origin.authority(),
            _ => self.address.to_string(),
        }
    }

    /// Its process id, which is also the id of its process group if we started it; 0 where it cannot be seen.
    pub fn pid(&self) -> u32 {
        self.process.id()
    }

    /// The ids of its process and of the processes that it started and that still live; a JVM has one. None on another host. Of a
    /// server that ran already they are known by their parents, because its group may contain strangers.
    pub fn processes(&self) -> Vec<u32> {
        match &self.process {
            Process::Ours(started) => started.members(),
            Process::Attached(attached) => process::with_descendants(attached.pid),
            Process::Unseen | Process::Remote(_) => Vec::new(),
        }
    }

    /// The id of the process with its JVM; `None` if it has none. A command of the user may start a JVM itself, or by a
    /// script. Of several JVMs, such as a build tool's and the application's, the one that listens counts.
    pub fn jvm(&self) -> Option<u32> {
        if self.remote().is_some() {
            return None;
        }
        if self.spec.program.is_java() {
            return Some(self.pid());
        }
        let users =
            matches!(self.spec.program, Program::Command(_) | Program::Image(_) | Program::Running(_));
        if !users {
            return None;
        }
        let jvms: Vec<u32> = self.processes().into_iter().filter(|pid| process::is_jvm(*pid)).collect();
        if let [] | [_] = jvms.as_slice() {
            return jvms.first().copied();
        }
        let listens =
            |pid: &u32| self.surroundings.at_server(|| Ok(port::is_held_by(self.address.port(), &[*pid])));
        jvms.into_iter().find(|pid| listens(pid).unwrap_or(false))
    }

    /// The server on another host, if it is there.
    pub const fn remote(&self) -> Option<&Arc<RemoteServer>> {
        match &self.process {
            Process::Remote(remote) => Some(remote),
            _ => None,
        }
    }

    /// Whether we started it on this machine.
    pub const fn is_ours(&self) -> bool {
        matches!(self.process, Process::Ours(_))
    }

    /// The address on which it listens.
    pub const fn addr(&self) -> SocketAddr {
        self.address
    }

    /// The time from its start (including the shell) to its first right body; 0 for a server that ran already.
    pub const fn startup(&self) -> Nanos {
        self.readiness.startup
    }

    /// The TLS version and cipher suite of its first answer: `TLSv1.3 TLS_AES_256_GCM_SHA384`; `None` for plain HTTP.
    pub fn encryption(&self) -> Option<&str> {
        self.readiness.encryption.as_deref()
    }

    /// The right body for the load; `None` where it changes with every request.
    pub fn body(&self) -> Option<&[u8]> {
        self.readiness.body.as_deref()
    }

    /// The certificate that it presents, in PEM; `None` for plain HTTP and for a server that ran already.
    pub fn certificate(&self) -> Option<&str> {
        self.certificate.as_deref()
    }

    /// The specification that it was started by.
    pub const fn spec(&self) -> &ServerSpec {
        &self.spec
    }

    /// Its log so far.
    pub fn log(&self) -> String {
        log::text(&self.log)
    }

    /// The last lines of its log.
    pub fn log_tail(&self) -> Vec<String> {
        if let Process::Remote(remote) = &self.process {
            return remote.log_tail();
        }
        log::tail(&self.log)
    }

    /// Its limits, as read from its control groups; `None` where nothing is limited.
    pub const fn enforced(&self) -> Option<&Enforced> {
        self.enforced.as_ref()
    }

    /// Counters since its start: what the kernel did to enforce its limits, the counters of its services, garbage
    /// collections, and what its log says of memory and compilers.
    pub fn facts(&self) -> BTreeMap<String, f64> {
        let mut facts = self.surroundings.facts();
        facts.extend(self.enforced.iter().flat_map(Enforced::facts));
        if let Ok(folder) = self.work.folder(GC_LOG) {
            facts.extend(gclog::facts(&folder));
        }
        facts.extend(jvmlog::facts(&self.log));
        facts
    }

    /// Views of its side services.
    pub fn services(&self) -> Vec<ServiceView> {
        self.surroundings.services()
    }

    /// The error for a server that the kernel killed because of its limit of memory; `None` if it did not.
    pub fn overrun(&self) -> Option<Error> {
        if let Process::Remote(remote) = &self.process {
            return remote.overrun();
        }
        let started = match &self.process {
            Process::Ours(started) => started.container(),
            Process::Attached(_) | Process::Unseen | Process::Remote(_) => None,
        };
        overrun(&self.spec, started, &self.log)
            .or_else(|| self.surroundings.overrun(&self.spec.server, &self.log))
    }

    /// Whether its process still lives.
    pub fn is_alive(&mut self) -> bool {
        match &mut self.process {
            Process::Ours(started) => started.is_alive(),
            Process::Attached(attached) => attached.is_alive(),
            // Whether it answers is all that anybody can see.
            Process::Unseen => true,
            Process::Remote(remote) => remote.is_alive(),
        }
    }

    /// Moves this thread into the server's network namespace, if it is behind a link; else `None`.
    pub fn enter(&self) -> Result<Option<Entered>, Error> {
        let network = self.spec.surroundings.network.as_deref();
        network.map(Network::enter_servers).transpose()
    }

    /// Its work folder.
    pub(crate) const fn work(&self) -> &WorkFolder {
        &self.work
    }

    /// Stops the server: asks it to end, kills it if it does not, and checks that neither its port nor a process is
    /// left. A server that ran already continues.
    pub fn stop(mut self) -> Result<(), Error> {
        if let Process::Remote(remote) = &self.process {
            return remote.stop();
        }
        let Process::Ours(started) = &mut self.process else {
            return Ok(());
        };
        started.end(if started.container().is_some() { CONTAINER_GRACE } else { GRACE });
        let began = Instant::now();
        loop {
            match self.remnant() {
                None => {
                    self.surroundings.stop();
                    return Ok(());
                }
                Some(_) if began.elapsed() < CLOSING => sleep(Duration::from_millis(5)),
                Some(what) => {
                    return Err(Error::Leftover { server: self.spec.server.clone(), what });
                }
            }
        }
    }

    fn remnant(&self) -> Option<Remnant> {
        let members = self.processes();
        if !members.is_empty() {
            return Some(Remnant::Processes(members));
        }
        let port = self.address.port();
        let listening = self.surroundings.at_server(|| Ok(port::is_listening(port)));
        listening.unwrap_or(false).then_some(Remnant::Listener(port))
    }
}

/// A server that has just become ready.
struct Launched {
    started: Started,
    address: SocketAddr,
    readiness: Readiness,
    certificate: Option<Certificate>,
}

/// Starts the process and waits until it is ready. After an error nothing of its process group is left.
fn launch(
    spec: &ServerSpec,
    work: &WorkFolder,
    port: u16,
    surroundings: &LiveSurroundings,
    stop: &AtomicBool,
) -> Result<Launched, Error> {
    let tls = spec.settings.tls;
    let certificate = tls.map(|_| Certificate::make(work, spec.listen)).transpose()?;
    let address = SocketAddr::from((spec.listen, port));
    let start = StartContext {
        settings: &spec.settings,
        jdk: &spec.jdk,
        jvm: &spec.jvm,
        tcnative: spec.tcnative.as_ref(),
        work,
        port,
        listen: spec.listen,
        guard: &surroundings.guard,
        certificate: certificate.as_ref(),
    };
    let system = spec.program.system();
    let of_user = match system.encrypts_itself()? {
        true => Some(TlsTrust::anyone().map_err(|error| Error::io(FileAct::Trust, work.path(), error))?),
        false => None,
    };
    let mut command = system.prepare(&start)?;
    command.envs(surroundings.environment());
    let (mut command, container) = contained(spec, command, work, &surroundings.guard)?;
    let path = log_in(work);
    write_output_to(&path, &mut command)?;
    let began = Instant::now();
    let child = surroundings.at_server(|| parent::spawn(command))?;
    let group = ProcessGroup::new(child);
    work.record(group.id())?;
    let mut started = Started::new(group, container);
    let wait = Wait {
        spec,
        address,
        trust: certificate.as_ref().map(|certificate| &certificate.trust).or(of_user.as_ref()),
        started: &mut started,
        log: &path,
        began,
        stop,
    };
    let readiness = wait.until_ready().map_err(|error| {
        // If the kernel killed it because of its limit, that explains more than its end.
        overrun(spec, started.container(), &path)
            .or_else(|| surroundings.overrun(&spec.server, &path))
            .unwrap_or(error)
    })?;
    check_log(spec, &path)?;
    Ok(Launched { started, address, readiness, certificate })
}

/// Makes a command write its output and its errors to a new file.
fn write_output_to(log: &Path, command: &mut Command) -> Result<(), Error> {
    let output = create(log)?;
    let errors = output.try_clone().map_err(|error| Error::io(FileAct::Write, log, error))?;
    command.stdout(output).stderr(errors);
    Ok(())
}

/// The command that runs a prepared command in the container of its arm, and that container; the command itself where there is none.
fn contained(
    spec: &ServerSpec,
    command: Command,
    work: &WorkFolder,
    guard: &Guard,
) -> Result<(Command, Option<LiveContainer>), Error> {
    let surroundings = &spec.surroundings;
    let Some(container) = &surroundings.container else {
        return Ok((command, None));
    };
    let start = ContainerStart {
        user: None,
        limits: surroundings.limits,
        open_files: surroundings.open_files,
        cpus: &surroundings.cpus,
        work,
        guard,
    };
    let (command, live) = container.prepare(&command, &start)?;
    Ok((command, Some(live)))
}

/// The error for a container that the kernel killed because of its limit of memory; `None` if it did not.
fn overrun(spec: &ServerSpec, container: Option<&LiveContainer>, log: &Path) -> Option<Error> {
    let limit = spec.surroundings.limits.memory?;
    container?.is_overrun().then(|| Error::Overrun {
        server: spec.server.clone(),
        limit,
        log: log::tail(log),
    })
}

/// Fails if the log shows that the server runs otherwise than its settings ask for. The log may be a moment behind its first answer.
fn check_log(spec: &ServerSpec, log: &Path) -> Result<(), Error> {
    let began = Instant::now();
    loop {
        let checked = spec.program.system().check(&spec.server, &spec.settings, &log::text(log));
        if checked.is_ok() || began.elapsed() > LOG_DELAY {
            return checked;
        }
        sleep(POLL);
    }
}

fn log_in(work: &WorkFolder) -> PathBuf {
    work.path().join("server.log")
}

fn create(path: &Path) -> Result<File, Error> {
    File::create(path).map_err(|error| Error::io(FileAct::Write, path, error))
}
