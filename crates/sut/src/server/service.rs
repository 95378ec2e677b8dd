//! A side service while it runs: started before its arm, asked for its counters, ended after it.

use crate::error::Error;
use crate::files::log;
use crate::files::process;
use crate::files::random::Random;
use crate::files::work::WorkFolder;
use crate::server::http::Exchange;
use crate::server::port;
use crate::tools::guard::Guard;
use crate::tools::tool::{self, Group, with_address};
use model::service::{Ready, Service, Stats};
use rustix::process::geteuid;
use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long a service may take to get ready.
const PATIENCE: Duration = Duration::from_secs(60);
/// What it has to end by itself.
const GRACE: Duration = Duration::from_secs(10);
/// Between two looks while it starts.
const LOOK: Duration = Duration::from_millis(5);
/// What it has to answer a question.
const ANSWER: Duration = Duration::from_secs(2);
/// Starts on another port when somebody else was faster.
const RETRIES: u32 = 3;
/// More than any answer to a question about counters.
const LARGEST: u64 = 1 << 20;

/// A service that is ready.
#[derive(Debug)]
pub(crate) struct Running {
    group: Group,
    service: Service,
    address: SocketAddr,
    /// Its counters when it was ready.
    before: BTreeMap<String, f64>,
}

/// A running service as others may look at it while it runs.
#[derive(Clone, Debug)]
pub struct Beside {
    /// What files and reports call it.
    pub name: String,
    /// Its process.
    pub pid: u32,
    address: SocketAddr,
    stats: Option<Stats>,
}

impl Beside {
    /// The counters and levels that are worth keeping, now; `None` where it cannot be asked, or does not answer.
    pub fn counters(&self) -> Option<BTreeMap<String, f64>> {
        let stats = self.stats.as_ref()?;
        let mut numbers = ask(self.address, stats).ok()?;
        numbers.retain(|name, _| stats.counters.contains(name) || stats.levels.contains(name));
        Some(numbers)
    }
}

/// Whether the program of a service is there.
pub(crate) fn check(service: &Service) -> Result<(), Error> {
    program(service).map(drop)
}

fn program(service: &Service) -> Result<PathBuf, Error> {
    let program = Path::new(&service.command[0]);
    tool::find(program).ok_or_else(|| Error::NoProgram {
        what: format!("the service {}", service.name),
        program: program.display().to_string(),
        package: service.package.clone(),
    })
}

impl Running {
    /// Starts it on a free port and waits until it is ready.
    pub(crate) fn start(
        service: &Service,
        work: &WorkFolder,
        guard: &Guard,
        stop: &AtomicBool,
    ) -> Result<Self, Error> {
        let program = program(service)?;
        let mut random = Random::new(work.seed() ^ u64::from(service.name.len() as u32 + 1));
        let mut retries = RETRIES;
        loop {
            let port = port::choose(&mut random)?;
            let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
            match launch(service, &program, address, (work, guard), stop) {
                Ok(group) => return Self::counted(service, address, group),
                // It has ended because somebody else has its port by now.
                Err(Error::Exited { .. }) if retries > 0 && port::is_listening(port) => retries -= 1,
                Err(error) => return Err(error),
            }
        }
    }

    fn counted(service: &Service, address: SocketAddr, group: Group) -> Result<Self, Error> {
        let mut running = Self {
            group,
            service: service.clone(),
            address,
            before: BTreeMap::new(),
        };
        running.before = running.stats();
        Ok(running)
    }

    /// The variable of the environment in which the application finds it.
    pub(crate) fn variable(&self) -> (String, String) {
        (self.service.variable(), self.address.to_string())
    }

    /// What others may look at.
    pub(crate) fn beside(&self) -> Beside {
        Beside {
            name: self.service.name.clone(),
            pid: self.group.id(),
            address: self.address,
            stats: self.service.stats.clone(),
        }
    }

    /// What it counted since it was ready, and its levels now.
    pub(crate) fn facts(&self) -> BTreeMap<String, f64> {
        let Some(stats) = &self.service.stats else {
            return BTreeMap::new();
        };
        let now = self.stats();
        let grown = stats.counters.iter().filter_map(|name| {
            let before = self.before.get(name)?;
            Some((name, now.get(name)? - before))
        });
        let levels = stats
            .levels
            .iter()
            .filter_map(|name| Some((name, *now.get(name)?)));
        grown
            .chain(levels)
            .map(|(name, value)| (format!("{}.{name}", self.service.name), value))
            .collect()
    }

    /// Everything that it counts; nothing where it does not say.
    fn stats(&self) -> BTreeMap<String, f64> {
        let asked = self.service.stats.as_ref().map(|stats| ask(self.address, stats));
        asked.and_then(Result::ok).unwrap_or_default()
    }

    /// Asks it to end, and kills it when it does not.
    pub(crate) fn stop(mut self) {
        self.group.end(GRACE);
    }
}

/// Starts the process and waits for it. Whatever goes wrong, the group is killed on the way out.
fn launch(
    service: &Service,
    program: &Path,
    address: SocketAddr,
    (work, guard): (&WorkFolder, &Guard),
    stop: &AtomicBool,
) -> Result<Group, Error> {
    let folder = work.folder(&format!("service-{}", service.name))?;
    let path = folder.join("log");
    let log = File::create(&path).map_err(|error| Error::io("write", &path, error))?;
    let errors = log
        .try_clone()
        .map_err(|error| Error::io("write", &path, error))?;
    let mut command = command(service, program, address, guard);
    command.current_dir(&folder).stdout(log).stderr(errors);
    let child = command
        .spawn()
        .map_err(|error| Error::io("start", program, error))?;
    let mut group = Group::new(child);
    work.record(group.id())?;
    until_ready(service, address, &mut group, &path, stop)?;
    Ok(group)
}

fn command(service: &Service, program: &Path, address: SocketAddr, guard: &Guard) -> Command {
    let user = service.user.as_ref().filter(|_| geteuid().is_root());
    let user: Vec<OsString> = user
        .map(|user| format!("--user={user}").into())
        .into_iter()
        .collect();
    let mut command = guard.first(&user).command(program);
    command.env_clear();
    for variable in ["PATH", "HOME"] {
        command.envs(env::var_os(variable).map(|value| (variable, value)));
    }
    command.env("LC_ALL", "C.UTF-8");
    command.args(
        service.command[1..]
            .iter()
            .map(|word| with_address(word, address)),
    );
    command
}

fn until_ready(
    service: &Service,
    address: SocketAddr,
    group: &mut Group,
    log: &Path,
    stop: &AtomicBool,
) -> Result<(), Error> {
    let began = Instant::now();
    let server = || format!("the service {}", service.name);
    loop {
        // A stranger may answer on this port: it has to be the service's own.
        if is_ready(service, address, log) && port::is_held_by(address.port(), &process::members(group.id()))
        {
            return Ok(());
        }
        if stop.load(Ordering::Relaxed) {
            return Err(Error::Interrupted);
        }
        if let Some(status) = group.ended()? {
            return Err(Error::Exited {
                server: server(),
                status: status.to_string(),
                log: log::tail(log),
            });
        }
        if began.elapsed() > PATIENCE {
            return Err(Error::NotReady {
                server: server(),
                seconds: PATIENCE.as_secs(),
                last: format!("asked at {address}"),
                log: log::tail(log),
            });
        }
        sleep(LOOK);
    }
}

fn is_ready(service: &Service, address: SocketAddr, log: &Path) -> bool {
    match &service.ready {
        Ready::Tcp => TcpStream::connect_timeout(&address, ANSWER).is_ok(),
        Ready::Http(path) => {
            let answered =
                Exchange::begin(address, path, None).and_then(|mut exchange| exchange.wait(ANSWER));
            answered.is_ok_and(|reply| reply.is_some_and(|reply| reply.status == 200))
        }
        Ready::Line(text) => log::text(log).lines().any(|line| line.contains(text)),
        Ready::Answer { send, begins } => {
            let mut answer = vec![0; begins.len()];
            connected(address, send)
                .and_then(|mut stream| stream.read_exact(&mut answer))
                .is_ok_and(|()| answer == begins.as_bytes())
        }
    }
}

/// A connection on which this was sent.
fn connected(address: SocketAddr, send: &str) -> io::Result<TcpStream> {
    let mut stream = TcpStream::connect_timeout(&address, ANSWER)?;
    stream.set_read_timeout(Some(ANSWER))?;
    stream.set_write_timeout(Some(ANSWER))?;
    stream.write_all(send.as_bytes())?;
    Ok(stream)
}

/// The numbers that a service tells of itself.
fn ask(address: SocketAddr, stats: &Stats) -> io::Result<BTreeMap<String, f64>> {
    let stream = connected(address, &stats.send)?;
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
