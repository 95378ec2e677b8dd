//! The side of the other host: it starts, observes and stops one server as it is told to.

use super::order::{self, StartOrder};
use super::wire::{Condition, Failure, Hello, Ready, Reply, Request, VERSION, receive, send};
use super::{SILENCE, speed};
use crate::error::{Error, FileAct};
use crate::files::work::{self, WorkFolder};
use crate::server::running::Server;
use crate::tools::jdk;
use crate::tools::site::Site;
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

/// The time after [`SILENCE`] that the server has to be stopped; then it is killed.
const LAST_MINUTE: Duration = Duration::from_secs(60);

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
    /// The server.
    pub server: &'a Server,
    /// The cache and the tools.
    pub site: &'a Site,
    /// The profiler's library; `None` where none was sent.
    pub profiler: Option<&'a Path>,
    /// The flag that is raised when the link ends.
    pub stop: &'a AtomicBool,
}

/// The main function of prony on another host. It obeys the requests on its standard input until that ends or nothing comes
/// for [`SILENCE`]; the server that it has started then ends with it.
///
/// # Errors
/// When the standard output is closed.
pub fn serve(folder: &Path, attendant: &mut dyn Attendant) -> io::Result<()> {
    let stop = Arc::new(AtomicBool::new(false));
    let requests = requests(&stop);
    let _ = work::clean(folder);
    let mut host = Served {
        site: Site::new(folder),
        attendant,
        stop,
        running: None,
        profiler: None,
    };
    let mut output = io::stdout();
    send(&mut output, 0, Reply::Hello(hello()))?;
    while let Ok((number, request)) = requests.recv_timeout(SILENCE) {
        send(&mut output, number, host.answer(request))?;
    }
    host.attendant.leave();
    Ok(())
}

/// The requests as they arrive. When they end, or nothing comes for too long, what still lasts is given up.
fn requests(stop: &Arc<AtomicBool>) -> Receiver<(u64, Request)> {
    let (tell, requests) = mpsc::channel();
    let began = Instant::now();
    let heard = Arc::new(AtomicU64::new(0));
    let (hearing, ending) = (Arc::clone(&heard), Arc::clone(stop));
    thread::spawn(move || {
        let mut input = io::stdin().lock();
        while let Ok(request) = receive(&mut input) {
            hearing.store(Nanos::from(began.elapsed()).0, Ordering::Relaxed);
            if tell.send((request.number, request.body)).is_err() {
                break;
            }
        }
        ending.store(true, Ordering::Relaxed);
    });
    let stop = Arc::clone(stop);
    thread::spawn(move || {
        loop {
            thread::sleep(Duration::from_millis(500));
            let silent = Nanos::from(began.elapsed()).since(Nanos(heard.load(Ordering::Relaxed)));
            if silent > Nanos::from(SILENCE + LAST_MINUTE) {
                process::exit(1); // The guard ends the server.
            }
            if silent > Nanos::from(SILENCE) {
                stop.store(true, Ordering::Relaxed);
            }
        }
    });
    requests
}

fn hello() -> Hello {
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(": "));
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
            profiler,
            seed,
        } = order;
        self.profiler = profiler.map(|place| order::unpacked(&place, &self.site.cache));
        let work = WorkFolder::create(&self.site.cache, seed)?;
        order::unpack(&mut spec, &self.site.cache)?;
        spec.listen = reached_at();
        let server = Server::start(&spec, work, &self.site.guard, &self.stop)?;
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
        let attended = Attended {
            server,
            site: &self.site,
            profiler: self.profiler.as_deref(),
            stop: &self.stop,
        };
        match self.attendant.answer(&attended, question) {
            Ok(answer) => Reply::Answer(answer),
            Err(message) => Reply::Failed(Failure {
                message,
                hint: None,
                log: Vec::new(),
            }),
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
    Failure {
        message: error.to_string(),
        hint: error.hint(),
        log: error.log().to_vec(),
    }
}

fn done() -> Reply {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    Reply::Done(now.map_or(0, |since| Nanos::from(since).0))
}

fn gone() -> Reply {
    Reply::Failed(Failure {
        message: "its server has ended".to_owned(),
        hint: None,
        log: Vec::new(),
    })
}

/// The address of this host at which ssh has arrived, so that the load arrives by the same way.
fn reached_at() -> IpAddr {
    let connection = env::var("SSH_CONNECTION").unwrap_or_default();
    let server = connection
        .split(' ')
        .nth(2)
        .and_then(|address| address.parse().ok());
    server.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST))
}
