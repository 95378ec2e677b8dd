//! The side of the other host: it starts, observes and stops one server as it is told to.

use super::order::{self, StartOrder};
use super::speed;
use super::wire::{Condition, Failure, Hello, Ready, Reply, Request, VERSION, receive, send};
use crate::error::{Error, FileAct};
use crate::files::work::{self, WorkFolder};
use crate::programs::Program;
use crate::server::running::Server;
use crate::tools::jdk;
use crate::tools::site::Site;
use model::patience::Patience;
use model::units::Nanos;
use serde_json::Value;
use std::env;
use std::fs;
use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The time after the longest silence that the server has to be stopped; then it is killed.
const LAST_MINUTE: Duration = Duration::from_secs(60);
/// The time between two looks at whether the other side is silent.
const LOOK: Duration = Duration::from_millis(500);

/// Answers questions about a running server that this crate does not understand: it reads clocks and counters.
pub trait Attendant {
    /// Answers a question. The error is a sentence.
    fn answer(&mut self, server: &Attended<'_>, question: Value) -> Result<Value, String>;
    /// Forgets everything about the server, which is stopped next.
    fn leave(&mut self);
}

/// The server that is attended, and what is needed to look into it.
#[derive(Debug)]
pub struct Attended<'a> {
    pub server: &'a Server,
    /// The cache and the tools.
    pub site: &'a Site,
    /// The profiler's library; `None` where none was sent.
    pub profiler: Option<&'a Path>,
    /// The flag that is raised when the link ends.
    pub stop: &'a AtomicBool,
}

/// The main function of prony on another host. It obeys the requests on its standard input until that ends or nothing comes
/// for too long; the server that it has started then ends with it.
///
/// # Errors
/// When the standard output is closed.
pub fn serve(folder: &Path, attendant: &mut dyn Attendant) -> io::Result<()> {
    let stop = Arc::new(AtomicBool::new(false));
    let heard = Arc::new(Heard::new());
    let requests = requests(&heard, &stop);
    let _ = work::clean(folder);
    let mut host = Served { site: Site::new(folder), attendant, stop, running: None, profiler: None };
    let mut output = io::stdout();
    send(&mut output, 0, Reply::Hello(hello()))?;
    while let Ok((number, request)) = requests.recv_timeout(heard.longest_silence().into()) {
        send(&mut output, number, host.answer(request))?;
    }
    host.attendant.leave();
    Ok(())
}

/// When something came last, and how long nothing may come.
struct Heard {
    began: Instant,
    /// Since [`began`](Self::began), in nanoseconds.
    last: AtomicU64,
    /// In nanoseconds: the silence that the order to start a server allows, and the usual one before that order.
    longest_silence: AtomicU64,
}

impl Heard {
    fn new() -> Self {
        let usual = Nanos::from(Patience::default().host_silence());
        Self { began: Instant::now(), last: AtomicU64::new(0), longest_silence: AtomicU64::new(usual.0) }
    }

    fn note(&self, request: &Request) {
        let now = Nanos::from(self.began.elapsed());
        self.last.store(now.0, Ordering::Relaxed);
        if let Request::Start(order) = request {
            let longest = Nanos::from(order.patience.host_silence());
            self.longest_silence.store(longest.0, Ordering::Relaxed);
        }
    }

    fn silence(&self) -> Nanos {
        let last = Nanos(self.last.load(Ordering::Relaxed));
        Nanos::from(self.began.elapsed()).since(last)
    }

    fn longest_silence(&self) -> Nanos {
        Nanos(self.longest_silence.load(Ordering::Relaxed))
    }
}

/// The requests as they arrive. When they end, or nothing comes for too long, what still lasts is given up.
fn requests(heard: &Arc<Heard>, stop: &Arc<AtomicBool>) -> Receiver<(u64, Request)> {
    let (tell, requests) = mpsc::channel();
    let (hearing, ending) = (Arc::clone(heard), Arc::clone(stop));
    thread::spawn(move || {
        let mut input = io::stdin().lock();
        while let Ok(request) = receive(&mut input) {
            hearing.note(&request.body);
            if tell.send((request.number, request.body)).is_err() {
                break;
            }
        }
        ending.store(true, Ordering::Relaxed);
    });
    let (heard, stop) = (Arc::clone(heard), Arc::clone(stop));
    thread::spawn(move || {
        loop {
            thread::sleep(LOOK);
            let (silent, longest) = (heard.silence(), heard.longest_silence());
            if silent > longest + LAST_MINUTE.into() {
                process::exit(1); // The guard ends the server.
            }
            if silent > longest {
                stop.store(true, Ordering::Relaxed);
            }
        }
    });
    requests
}

fn hello() -> Hello {
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    Hello {
        protocol: VERSION,
        processor: model.map_or(env::consts::ARCH, |(_, name)| name).to_owned(),
        cpus: thread::available_parallelism().map_or(1, |count| count.get() as u32),
        kernel: format!("Linux {}", kernel.trim()),
        jdks: jdk::jdks(),
    }
}

/// The state of the other host.
struct Served<'a> {
    site: Site,
    attendant: &'a mut dyn Attendant,
    stop: Arc<AtomicBool>,
    running: Option<Server>,
    /// The profiler's library.
    profiler: Option<PathBuf>,
}

impl Served<'_> {
    fn answer(&mut self, request: Request) -> Reply {
        let answered = match request {
            Request::Ping => Ok(done()),
            Request::Start(order) => self.start(*order),
            Request::Stop => {
                self.attendant.leave();
                let stopped = self.running.take().map_or(Ok(()), Server::stop);
                stopped.map(|()| done())
            }
            Request::Listen => speed::listen(reached_at())
                .map(Reply::Listening)
                .map_err(|error| Error::io(FileAct::Start, "the measurement of the link", error)),
            Request::Condition => Ok(Reply::Condition(self.condition())),
            Request::Ask(question) => return self.ask(question),
        };
        answered.unwrap_or_else(|error| Reply::Failed(failure(&error)))
    }

    fn start(&mut self, order: StartOrder) -> Result<Reply, Error> {
        let StartOrder {
            mut spec,
            process,
            profiler,
            seed,
            patience: _, // It was noted when the order arrived.
        } = order;
        self.profiler = profiler.map(|place| order::unpacked(&place, &self.site.cache));
        let work = WorkFolder::create(&self.site.cache, seed)?;
        order::unpack(&mut spec, &self.site.cache)?;
        spec.listen = reached_at();
        let (guard, stop) = (&self.site.guard, &self.stop);
        let server = match (&spec.program, &process) {
            (Program::Running(origin), Some(at)) => Server::watch(&spec, origin, at, work, guard, stop)?,
            _ => Server::start(&spec, work, guard, stop)?,
        };
        let ready = Ready {
            pid: server.pid(),
            address: server.addr(),
            startup: server.startup(),
            encryption: server.encryption().map(str::to_owned),
            body: server.body().map(<[u8]>::to_vec),
            certificate: server.certificate().map(str::to_owned),
        };
        self.running = Some(server);
        Ok(Reply::Ready(Box::new(ready)))
    }

    fn ask(&mut self, question: Value) -> Reply {
        let Some(server) = &self.running else {
            return gone();
        };
        let attended =
            Attended { server, site: &self.site, profiler: self.profiler.as_deref(), stop: &self.stop };
        match self.attendant.answer(&attended, question) {
            Ok(answer) => Reply::Answer(answer),
            Err(message) => Reply::Failed(Failure { message, hint: None, log: Vec::new() }),
        }
    }

    fn condition(&mut self) -> Condition {
        let Some(server) = &mut self.running else {
            return Condition::default();
        };
        Condition {
            is_alive: server.is_alive(),
            overrun: server.overrun().as_ref().map(failure),
            log: server.log_tail(),
        }
    }
}

fn failure(error: &Error) -> Failure {
    Failure { message: error.to_string(), hint: error.hint(), log: error.log().to_vec() }
}

fn done() -> Reply {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    Reply::Done(now.map_or(0, |since| Nanos::from(since).0))
}

fn gone() -> Reply {
    Reply::Failed(Failure { message: "its server has ended".to_owned(), hint: None, log: Vec::new() })
}

/// The address of this host at which ssh has arrived, so that the load arrives by the same way.
fn reached_at() -> IpAddr {
    let connection = env::var("SSH_CONNECTION").unwrap_or_default();
    let server = connection.split(' ').nth(2).and_then(|address| address.parse().ok());
    server.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST))
}
