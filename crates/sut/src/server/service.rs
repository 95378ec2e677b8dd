//! A side service of an arm. It is started before the server, asked for its counters, and ended after the server.

use crate::error::{Error, FileAct, LastSeen, Startable};
use crate::files::log;
use crate::files::process;
use crate::files::random::Random;
use crate::files::work::WorkFolder;
use crate::programs::spec::ServiceContainer;
use crate::server::http::Exchange;
use crate::server::port;
use crate::server::started::Started;
use crate::tools::container::{Container, ContainerFiles, ContainerStart, LiveContainer, Published};
use crate::tools::guard::Guard;
use crate::tools::parent;
use crate::tools::tool::{self, ProcessGroup, with_address};
use ask::limits::Limits;
use ask::service::{Ready, Service, Stats};
use rustix::process::geteuid;
use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The time that a service has to get ready.
const START_TIMEOUT: Duration = Duration::from_secs(60);
/// The time that it has to end by itself.
const GRACE: Duration = Duration::from_secs(10);
/// The time between two looks while it starts.
const POLL: Duration = Duration::from_millis(5);
/// The time that it has for an answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(2);
/// The number of further starts on another port, when another process has taken the port in the meantime.
const RETRIES: u32 = 3;
/// The number of bytes that are read when asking for counters: more than any answer has.
const LARGEST: u64 = 1 << 20;

/// A service that runs and is ready.
#[derive(Debug)]
pub(crate) struct RunningService {
    started: Started,
    service: Service,
    address: SocketAddr,
    /// Its counters when it became ready.
    before: BTreeMap<String, f64>,
}

/// A view of a running service, by which other threads can read its counters.
#[derive(Clone, Debug)]
pub struct ServiceView {
    /// Its name in experiment files and reports.
    pub name: String,
    /// Its process id.
    pub pid: u32,
    /// Where it listens.
    pub address: SocketAddr,
    stats: Option<Stats>,
    statements: Option<String>,
}

impl ServiceView {
    /// The URL at which it tells what it runs; `None` where it is no PostgreSQL.
    pub fn statements(&self) -> Option<String> {
        let is_postgres = || process::members(self.pid).iter().any(|pid| process::is_postgres(*pid));
        let usual = || is_postgres().then(|| "postgresql://postgres@{host}:{port}/postgres".to_owned());
        let url = self.statements.clone().or_else(usual)?;
        Some(with_address(&url, self.address))
    }

    /// The current counters and levels that its description names; `None` where it cannot be asked or does not answer.
    pub fn counters(&self) -> Option<BTreeMap<String, f64>> {
        let stats = self.stats.as_ref()?;
        let mut numbers = ask(self.address, stats).ok()?;
        numbers.retain(|name, _| stats.counters.contains(name) || stats.levels.contains(name));
        Some(numbers)
    }
}

/// Checks that the program of a service is installed. Its image, if it has one, is looked for by its engine.
pub(crate) fn check(service: &Service) -> Result<(), Error> {
    match &service.image {
        Some(_) => Ok(()),
        None => program(service).map(drop),
    }
}

/// The file of its program. A path is relative to the folder of the experiment file; a name is looked for on the PATH.
fn program(service: &Service) -> Result<PathBuf, Error> {
    let first = in_place_of_folder(&service.command[0], service);
    let program = match &service.folder {
        // Collecting the components drops the `.` of `./serve`.
        Some(folder) if first.contains('/') => folder.join(first).components().collect(),
        _ => PathBuf::from(first),
    };
    tool::find(&program).ok_or_else(|| Error::NoProgram {
        what: Startable::Service(service.name.clone()),
        program: program.display().to_string(),
        package: service.package.clone(),
    })
}

/// An argument of a service as it is passed on: the name of a file beside the experiment file becomes its whole path, because the
/// service runs in another folder. A folder of that name stays as it is: the service may want to make one of its own.
fn argument(word: &str, service: &Service) -> String {
    let word = in_place_of_folder(word, service);
    let beside = service.folder.as_ref().map(|folder| folder.join(&word));
    match beside.filter(|path| path.is_file()) {
        Some(path) => path.display().to_string(),
        None => word,
    }
}

/// A word of a command with the folder of the experiment file in place of `{folder}`.
fn in_place_of_folder(word: &str, service: &Service) -> String {
    let folder = service.folder.as_deref().unwrap_or(Path::new("."));
    word.replace("{folder}", &folder.display().to_string())
}

impl RunningService {
    /// Starts it on a free port and waits until it is ready. `container` runs its image, if it has one.
    pub(crate) fn start(
        service: &Service,
        container: Option<&ServiceContainer>,
        cpus: &[usize],
        work: &WorkFolder,
        guard: &Guard,
        stop: &AtomicBool,
    ) -> Result<Self, Error> {
        let mut random = Random::new(work.port_seed() ^ u64::from(service.name.len() as u32 + 1));
        let mut retries = RETRIES;
        loop {
            let port = port::choose(&mut random)?;
            let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
            let launch = Launch { service, container, cpus, address, work, guard, stop };
            match launch.run() {
                Ok(started) => return Self::with_counters(service, address, started),
                // It has ended because another process has taken its port in the meantime.
                Err(Error::Exited { .. }) if retries > 0 && port::is_listening(port) => retries -= 1,
                Err(error) => return Err(error),
            }
        }
    }

    fn with_counters(service: &Service, address: SocketAddr, started: Started) -> Result<Self, Error> {
        let mut running = Self { started, service: service.clone(), address, before: BTreeMap::new() };
        running.before = running.stats();
        Ok(running)
    }

    /// The environment variable that tells the application its address.
    pub(crate) fn variable(&self) -> (String, String) {
        (self.service.variable(), self.address.to_string())
    }

    /// A view of it for other threads.
    pub(crate) fn view(&self) -> ServiceView {
        ServiceView {
            name: self.service.name.clone(),
            pid: self.started.pid(),
            address: self.address,
            stats: self.service.stats.clone(),
            statements: self.service.statements.clone(),
        }
    }

    /// The growth of its counters since it became ready, and its current levels.
    pub(crate) fn facts(&self) -> BTreeMap<String, f64> {
        let Some(stats) = &self.service.stats else {
            return BTreeMap::new();
        };
        let now = self.stats();
        let grown = stats.counters.iter().filter_map(|name| {
            let before = self.before.get(name)?;
            Some((name, now.get(name)? - before))
        });
        let levels = stats.levels.iter().filter_map(|name| Some((name, *now.get(name)?)));
        grown.chain(levels).map(|(name, value)| (format!("{}.{name}", self.service.name), value)).collect()
    }

    /// All its numbers; empty where it cannot be asked or does not answer.
    fn stats(&self) -> BTreeMap<String, f64> {
        let asked = self.service.stats.as_ref().map(|stats| ask(self.address, stats));
        asked.and_then(Result::ok).unwrap_or_default()
    }

    /// Asks it to end, and kills it if it does not.
    pub(crate) fn stop(mut self) {
        self.started.end(GRACE);
    }
}

/// One attempt to start a service.
struct Launch<'a> {
    service: &'a Service,
    /// What runs its image.
    container: Option<&'a ServiceContainer>,
    cpus: &'a [usize],
    address: SocketAddr,
    work: &'a WorkFolder,
    guard: &'a Guard,
    stop: &'a AtomicBool,
}

impl Launch<'_> {
    /// Starts the process and waits until it is ready. After an error nothing of it is left.
    fn run(&self) -> Result<Started, Error> {
        let folder = self.work.folder(&format!("service-{}", self.service.name))?;
        let path = folder.join("log");
        let log = File::create(&path).map_err(|error| Error::io(FileAct::Write, &path, error))?;
        let errors = log.try_clone().map_err(|error| Error::io(FileAct::Write, &path, error))?;
        let (mut command, container) = match self.container {
            Some(container) => {
                let (command, live) = self.in_container(container)?;
                (command, Some(live))
            }
            None => (self.command()?, None),
        };
        command.current_dir(&folder).stdout(log).stderr(errors);
        let group = ProcessGroup::new(parent::spawn(command)?);
        self.work.record(group.id())?;
        let mut started = Started::new(group, container);
        self.wait_until_ready(&mut started, &path)?;
        Ok(started)
    }

    fn command(&self) -> Result<Command, Error> {
        let user = self.service.user.as_ref().filter(|_| geteuid().is_root());
        let user: Vec<OsString> = user.map(|user| format!("--user={user}").into()).into_iter().collect();
        let mut command = self.guard.with_prefix(&user).command(program(self.service)?);
        command.env_clear();
        for variable in ["PATH", "HOME"] {
            command.envs(env::var_os(variable).map(|value| (variable, value)));
        }
        command.env("LC_ALL", "C.UTF-8");
        command.args(
            self.service.command[1..]
                .iter()
                .map(|word| with_address(&argument(word, self.service), self.address)),
        );
        Ok(command)
    }

    /// The command of the engine that runs the image, and its container.
    fn in_container(&self, of: &ServiceContainer) -> Result<(Command, LiveContainer), Error> {
        let image = self.service.image.clone().unwrap_or_default();
        let mut prepared = self.guard.command(&of.image.id);
        prepared.env_clear();
        prepared.args(self.service.command.iter().map(|word| with_address(word, self.address)));
        let variables = image.environment.iter();
        prepared.envs(variables.map(|(name, value)| (name, with_address(value, self.address))));
        let container = Container {
            engine: Arc::clone(&of.engine),
            files: ContainerFiles::Volumes(image.volumes),
            published: of.port.map(|inside| Published { here: self.address.port(), inside }),
        };
        let start = ContainerStart {
            limits: Limits::default(),
            open_files: None,
            cpus: self.cpus,
            user: self.service.user.as_deref(),
            work: self.work,
            guard: self.guard,
        };
        container.prepare(&prepared, &start)
    }

    /// Whether the service itself listens. Another process may answer on this port, and an engine may accept connections before its
    /// container does.
    fn listens(&self, started: &Started) -> bool {
        let members = started.members();
        match self.container.and_then(|container| container.port) {
            None => port::is_held_by(self.address.port(), &members),
            Some(inside) => members.first().is_some_and(|pid| port::is_listened_on_in(*pid, inside)),
        }
    }

    /// What was seen of it, unless it answers as its description says.
    fn lacks(&self, started: &Started, log: &Path) -> Result<Option<LastSeen>, Error> {
        match (&self.service.ready, started.container()) {
            (Ready::Exec(words), Some(container)) => container.fails(words, self.work, self.stop),
            _ => Ok((!is_ready(self.service, self.address, log)).then_some(LastSeen::Asked(self.address))),
        }
    }

    fn wait_until_ready(&self, started: &mut Started, log: &Path) -> Result<(), Error> {
        let began = Instant::now();
        let server = || Startable::Service(self.service.name.clone());
        let mut last = LastSeen::Asked(self.address);
        loop {
            // Only the service writes its log, and it may listen elsewhere.
            let is_sure = matches!(self.service.ready, Ready::Line(_)) || self.listens(started);
            if is_sure {
                match self.lacks(started, log)? {
                    None => return Ok(()),
                    Some(seen) => last = seen,
                }
            }
            if self.stop.load(Ordering::Relaxed) {
                return Err(Error::Interrupted);
            }
            if let Some(status) = started.ended()? {
                return Err(Error::Exited {
                    server: server(),
                    status: status.to_string(),
                    log: log::tail(log),
                });
            }
            if began.elapsed() > START_TIMEOUT {
                return Err(Error::NotReady {
                    server: server(),
                    seconds: START_TIMEOUT.as_secs(),
                    last,
                    log: log::tail(log),
                });
            }
            sleep(POLL);
        }
    }
}

fn is_ready(service: &Service, address: SocketAddr, log: &Path) -> bool {
    match &service.ready {
        Ready::Tcp => TcpStream::connect_timeout(&address, ANSWER_TIMEOUT).is_ok(),
        Ready::Http(path) => {
            let answered = Exchange::begin(address, path.as_str(), None)
                .and_then(|mut exchange| exchange.wait(ANSWER_TIMEOUT));
            answered.is_ok_and(|reply| reply.is_some_and(|reply| reply.status == 200))
        }
        // Without a container there is nothing to run it in; such a file is refused.
        Ready::Exec(_) => false,
        Ready::Line(text) => log::text(log).lines().any(|line| line.contains(text)),
        Ready::Answer { send, begins } => {
            let mut answer = vec![0; begins.len()];
            connect_and_send(address, send)
                .and_then(|mut stream| stream.read_exact(&mut answer))
                .is_ok_and(|()| answer == begins.as_bytes())
        }
    }
}

/// Connects and sends this text.
fn connect_and_send(address: SocketAddr, send: &str) -> io::Result<TcpStream> {
    let mut stream = TcpStream::connect_timeout(&address, ANSWER_TIMEOUT)?;
    stream.set_read_timeout(Some(ANSWER_TIMEOUT))?;
    stream.set_write_timeout(Some(ANSWER_TIMEOUT))?;
    stream.write_all(send.as_bytes())?;
    Ok(stream)
}

/// Asks a service for its numbers.
fn ask(address: SocketAddr, stats: &Stats) -> io::Result<BTreeMap<String, f64>> {
    let stream = connect_and_send(address, &stats.send)?;
    let mut numbers = BTreeMap::new();
    for line in BufReader::new(stream.take(LARGEST)).lines() {
        let line = line?;
        if line == stats.end {
            return Ok(numbers);
        }
        let mut words = line.split(' ').skip(1);
        if let (Some(name), Some(Ok(number))) = (words.next(), words.next().map(str::parse)) {
            numbers.insert(name.to_owned(), number);
        }
    }
    Err(io::ErrorKind::UnexpectedEof.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_beside_the_experiment_are_found_wherever_the_service_runs() {
        let folder = env::temp_dir().join(format!("prony-service-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("data")).expect("a folder");
        std::fs::write(folder.join("side.jar"), "").expect("a file");
        let side = Service {
            name: "side".to_owned(),
            command: ["java", "-jar", "side.jar"].map(str::to_owned).into(),
            image: None,
            folder: Some(folder.clone()),
            ready: Ready::Tcp,
            user: None,
            package: None,
            stats: None,
            statements: None,
        };
        let whole = |name: &str| folder.join(name).display().to_string();
        let words = ["side.jar", "other.jar", "data", "/etc/hostname", "-Dat={folder}/x"];
        let passed = words.map(|word| argument(word, &side));
        let nowhere = Service { folder: None, ..side.clone() };
        let as_it_is = argument("side.jar", &nowhere);
        let own = Service { command: vec!["./data/serve".to_owned()], ..side.clone() };
        let refused = program(&own).map_err(|error| error.to_string());
        std::fs::remove_dir_all(&folder).expect("cleaned up");
        let expected = [
            whole("side.jar"),
            "other.jar".to_owned(),
            "data".to_owned(),
            "/etc/hostname".to_owned(),
            format!("-Dat={}", whole("x")),
        ];
        assert_eq!(passed, expected);
        assert_eq!(as_it_is, "side.jar");
        let refused = refused.expect_err("there is no such program");
        assert!(refused.contains(&whole("data/serve")), "{refused}");
    }
}
