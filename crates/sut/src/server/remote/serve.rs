//! The side of the other host: it starts, observes and stops one server as it is told to.

use super::wire::{Failure, Hello, Ready, RemoteFacts, Reply, Request, StartOrder, VERSION, receive, send};
use super::{APPLICATION, SILENCE};
use crate::error::Error;
use crate::files::work::{self, WorkFolder};
use crate::programs::Program;
use crate::programs::jvm::JvmOptions;
use crate::programs::spec::{Expected, ServerSpec};
use crate::programs::tomcat::Tomcat;
use crate::server::effective::effective;
use crate::server::running::Server;
use crate::tools::jdk;
use crate::tools::site::Site;
use model::units::{Bytes, Nanos};
use std::env;
use std::fs;
use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How the other host reads its processes; `sut` itself reads no clocks of processes.
pub struct RemoteReader {
    /// Prepares to read the CPU time of a server.
    pub cpu: fn(&Server) -> Option<CpuReader>,
    /// The peak of the memory of a process.
    pub peak_memory: fn(u32) -> Option<Bytes>,
}

/// Reads the CPU time of a server.
pub type CpuReader = Box<dyn Fn() -> Option<Nanos>>;

/// The main function of prony on another host. It obeys the requests on its standard input until that ends or nothing comes
/// for [`SILENCE`]; the server that it has started then ends with it.
///
/// # Errors
/// When the standard output is closed.
pub fn serve(folder: &Path, reader: &RemoteReader) -> io::Result<()> {
    let stop = Arc::new(AtomicBool::new(false));
    let requests = requests(Arc::clone(&stop));
    let _ = work::clean(folder);
    let mut host = Served {
        site: Site::new(folder),
        reader,
        stop,
        running: None,
    };
    let mut output = io::stdout();
    send(&mut output, &Reply::Hello(hello()))?;
    while let Ok(request) = requests.recv_timeout(SILENCE) {
        send(&mut output, &host.answer(request))?;
    }
    Ok(())
}

/// The requests as they arrive. When they end, a start that still lasts is given up.
fn requests(stop: Arc<AtomicBool>) -> Receiver<Request> {
    let (tell, requests) = mpsc::channel();
    thread::spawn(move || {
        let mut input = io::stdin().lock();
        while let Ok(request) = receive(&mut input) {
            if tell.send(request).is_err() {
                break;
            }
        }
        stop.store(true, Ordering::Relaxed);
    });
    requests
}

fn hello() -> Hello {
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let cpus = thread::available_parallelism().map_or(1, usize::from);
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let model = model.map_or(env::consts::ARCH, |(_, name)| name);
    let mut javas: Vec<u32> = jdk::jdks().iter().map(|jdk| jdk.major).collect();
    javas.dedup();
    Hello {
        protocol: VERSION,
        machine: format!("{}, {cpus} x {model}, Linux {}", env::consts::ARCH, kernel.trim()),
        javas,
    }
}

/// The state of the other host.
struct Served<'a> {
    site: Site,
    reader: &'a RemoteReader,
    stop: Arc<AtomicBool>,
    running: Option<(Server, CpuReader)>,
}

impl Served<'_> {
    fn answer(&mut self, request: Request) -> Reply {
        let answered = match request {
            Request::Ping => Ok(done()),
            Request::Start(order) => self.start(*order),
            Request::Stop => match self.running.take() {
                Some((server, _)) => server.stop().map(|()| done()),
                None => Ok(done()),
            },
            Request::Cpu => {
                let cpu = self.running.as_ref().and_then(|(_, cpu)| cpu());
                return cpu.map_or_else(gone, Reply::Cpu);
            }
            Request::Facts => Ok(self.facts()),
        };
        answered.unwrap_or_else(|error| {
            Reply::Failed(Failure {
                message: error.to_string(),
                log: error.log().to_vec(),
            })
        })
    }

    fn start(&mut self, order: StartOrder) -> Result<Reply, Error> {
        let work = WorkFolder::create(&self.site.cache, order.seed)?;
        let spec = spec(order, &self.site.cache)?;
        let server = Server::start(&spec, work, &self.site.guard, &self.stop)?;
        let Some(cpu) = (self.reader.cpu)(&server) else {
            return Ok(gone());
        };
        let ready = Ready {
            pid: server.pid(),
            address: server.addr(),
            startup: server.startup(),
            body: server.body().map(<[u8]>::to_vec),
            jdk: spec.jdk.version.clone(),
        };
        self.running = Some((server, cpu));
        Ok(Reply::Ready(ready))
    }

    fn facts(&self) -> Reply {
        let Some((server, _)) = &self.running else {
            return gone();
        };
        Reply::Facts(Box::new(RemoteFacts {
            effective: effective(server, &self.site, &self.stop).unwrap_or_default(),
            counters: server.facts(),
            peak_memory: (self.reader.peak_memory)(server.pid()).map_or(0, |peak| peak.0),
            log: server.log(),
        }))
    }
}

fn done() -> Reply {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    Reply::Done(now.map_or(0, |since| Nanos::from(since).0))
}

fn gone() -> Reply {
    Reply::Failed(Failure {
        message: "its server has ended".to_owned(),
        log: Vec::new(),
    })
}

fn spec(order: StartOrder, folder: &Path) -> Result<ServerSpec, Error> {
    let program = Program::Tomcat(Tomcat {
        home: folder.join(order.home),
        war: folder.join(order.war).join(APPLICATION),
        migrates: order.migrates,
        label: order.label,
    });
    let jdks = jdk::jdks();
    let jdk = jdk::newest_of(&jdks, order.java)?.clone();
    let ready = Expected {
        path: order.path,
        body: order.body,
        any_answer: false,
    };
    let mut spec = ServerSpec::new(order.server, program, jdk, ready);
    spec.settings = order.settings;
    spec.surroundings.environment = order.environment;
    spec.jvm = JvmOptions {
        heap: order.heap,
        gc: None,
        processors: order.processors,
        extra: order.options,
    };
    spec.timeout = Duration::from_secs(order.timeout_s);
    spec.listen = reached_at();
    Ok(spec)
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
