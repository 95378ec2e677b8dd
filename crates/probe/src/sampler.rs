//! [`Sampler`]: a thread that reads the host and the server that is loaded.
//!
//! Everything is read from outside, in files under /proc, in the JVM's own mapped file and by netlink; no call enters a
//! server. It costs a few milliseconds a second beside the load, and only while there is load.

use crate::host::{CpuTicks, run_queue};
use crate::jvm::PerfData;
use crate::limits;
use crate::listener::Listeners;
use crate::threads::Threads;
use crate::{Error, disk, net, process, tcp};
use model::telemetry::{AcceptQueue, HostReading, Mark, Reading, ServerReading, ServiceReading};
use model::units::Nanos;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Between two looks at the accept queue: a queue fills and empties within a second.
const GLANCE: Duration = Duration::from_millis(100);

/// One server to read.
#[derive(Debug)]
pub struct Target {
    /// Its process.
    pub pid: u32,
    /// Where it listens.
    pub port: u16,
    /// Where the kernel counts what its limits did.
    pub limits: limits::Folders,
    /// What runs beside it.
    pub services: Vec<ServiceTarget>,
}

/// A service to read.
pub struct ServiceTarget {
    /// What reports call it.
    pub name: String,
    /// Its process.
    pub pid: u32,
    /// Asks it for its counters.
    pub ask: Box<dyn Fn() -> Option<BTreeMap<String, f64>> + Send>,
}

impl fmt::Debug for ServiceTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.name, self.pid)
    }
}

/// A thread that reads when it is told to, and every so often while a server is loaded.
#[derive(Debug)]
pub struct Sampler {
    tell: Sender<(usize, Mark)>,
    thread: JoinHandle<Vec<Reading>>,
}

impl Sampler {
    /// Reads these servers, by arm, and their host; `None` is a server that is not to be read. Nothing is read before
    /// [`mark`](Self::mark) says that one is loaded, and from then on every `period` until it says that this has ended.
    ///
    /// # Errors
    /// No thread could be started.
    pub fn start(targets: Vec<Option<Target>>, period: Duration) -> Result<Self, Error> {
        let (tell, told) = mpsc::channel();
        let thread = thread::Builder::new()
            .name("telemetry".to_owned())
            .spawn(move || {
                let targets = targets.into_iter().map(|target| target.map(Watched::new));
                Watch {
                    targets: targets.collect(),
                    readings: Vec::new(),
                }
                .run(&told, period)
            })
            .map_err(|source| Error::Thread { source })?;
        Ok(Self { tell, thread })
    }

    /// A moment of a slice on this arm: it is read by the thread, so this returns at once.
    pub fn mark(&self, arm: usize, mark: Mark) {
        // A thread that has ended has readings that `finish` tells of.
        let _ = self.tell.send((arm, mark));
    }

    /// All readings, in order.
    pub fn finish(self) -> Vec<Reading> {
        drop(self.tell);
        self.thread.join().unwrap_or_default()
    }
}

/// What the thread works with.
struct Watch {
    targets: Vec<Option<Watched>>,
    readings: Vec<Reading>,
}

impl Watch {
    fn run(mut self, told: &Receiver<(usize, Mark)>, period: Duration) -> Vec<Reading> {
        // The arm that is loaded, and when it is to be read next.
        let mut loaded: Option<(usize, Instant)> = None;
        loop {
            let next = match loaded {
                Some(_) => told.recv_timeout(GLANCE),
                None => told.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match (next, loaded) {
                (Ok((arm, mark)), _) => {
                    self.read(arm, mark);
                    loaded = (mark != Mark::Ends).then(|| (arm, Instant::now() + period));
                }
                (Err(RecvTimeoutError::Timeout), Some((arm, due))) if Instant::now() >= due => {
                    self.read(arm, Mark::Within);
                    loaded = Some((arm, Instant::now() + period));
                }
                (Err(RecvTimeoutError::Timeout), Some((arm, _))) => {
                    if let Some(Some(target)) = self.targets.get_mut(arm) {
                        target.glance();
                    }
                }
                (Err(_), _) => return self.readings,
            }
        }
    }

    /// A server that is not to be read has no readings of the host either: this is how the cost of reading is measured.
    fn read(&mut self, arm: usize, mark: Mark) {
        let arms = self.targets.len();
        let Some(Some(target)) = self.targets.get_mut(arm) else {
            return;
        };
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let host = host();
        let mut servers = vec![None; arms];
        servers[arm] = target.read().ok();
        self.readings.push(Reading {
            at_ns: now.map_or(0, |since| Nanos::from(since).0),
            mark,
            host,
            servers,
        });
    }
}

fn host() -> HostReading {
    let ticks = CpuTicks::now();
    HostReading {
        ticks: ticks.total,
        idle_ticks: ticks.idle,
        interrupt_ticks: ticks.interrupts,
        steal_ticks: ticks.steal,
        run_queue: run_queue(),
        softnet: net::softnet(),
        disks: disk::disks(),
    }
}

/// A server, and what is kept between two readings of it.
struct Watched {
    target: Target,
    threads: Threads,
    jvm: Option<PerfData>,
    /// Without sock_diag the rest is still worth having.
    listeners: Option<Listeners>,
    /// The accept queue at its fullest since the last reading.
    fullest: Option<AcceptQueue>,
}

impl Watched {
    fn new(target: Target) -> Self {
        Self {
            threads: Threads::of(target.pid),
            jvm: PerfData::of(target.pid).ok().flatten(),
            listeners: Listeners::around(target.pid).ok(),
            fullest: None,
            target,
        }
    }

    /// Keeps the fullest queue.
    fn glance(&mut self) {
        let port = self.target.port;
        let seen = self.listeners.as_mut();
        let seen = seen.and_then(|listeners| listeners.accept_queue(port).ok().flatten());
        let fuller = |seen: &AcceptQueue| self.fullest.is_none_or(|fullest| seen.waiting > fullest.waiting);
        if let Some(seen) = seen.filter(fuller) {
            self.fullest = Some(seen);
        }
    }

    fn read(&mut self) -> Result<ServerReading, Error> {
        self.glance();
        let pid = self.target.pid;
        // What a burst changes fastest comes first, what may take longest last.
        Ok(ServerReading {
            queue: self.fullest.take(),
            tcp: tcp::totals(pid)?,
            groups: self.threads.by_group()?,
            times: process::times(pid),
            holdings: process::holdings(pid)?,
            interfaces: net::interfaces(pid)?,
            jvm: self.jvm.as_ref().and_then(|jvm| jvm.now().ok()),
            disk: process::disk(pid),
            limits: self.target.limits.totals(),
            services: self.target.services.iter().filter_map(service).collect(),
        })
    }
}

fn service(target: &ServiceTarget) -> Option<(String, ServiceReading)> {
    let cpu = process::family(target.pid)?;
    let asked = Instant::now();
    let counters = (target.ask)();
    let reading = ServiceReading {
        cpu,
        answered_in: counters.is_some().then(|| asked.elapsed().into()),
        counters: counters.unwrap_or_default(),
    };
    Some((target.name.clone(), reading))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::counted::Counted;
    use std::net::{TcpListener, TcpStream};

    fn target(pid: u32, port: u16) -> Target {
        Target {
            pid,
            port,
            limits: limits::Folders::default(),
            services: Vec::new(),
        }
    }

    #[test]
    fn a_queue_that_fills_between_two_readings_is_seen() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("bound");
        let address = listener.local_addr().expect("an address");
        let us = std::process::id();
        let before = tcp::totals(us).expect("our own");
        let mut watched = target(us, address.port());
        watched.services.push(ServiceTarget {
            name: "beside".to_owned(),
            pid: us,
            ask: Box::new(|| Some([("hits".to_owned(), 7.0)].into())),
        });
        let sampler = Sampler::start(vec![None, Some(watched)], Duration::from_secs(3600)).expect("a thread");
        sampler.mark(0, Mark::Loads);
        sampler.mark(1, Mark::Begins);
        let waiting = [(); 3].map(|()| TcpStream::connect(address).expect("connected"));
        thread::sleep(4 * GLANCE);
        let accepted = [(); 3].map(|()| listener.accept().expect("accepted"));
        sampler.mark(1, Mark::Ends);
        let readings = sampler.finish();
        drop((waiting, accepted));
        let marks: Vec<Mark> = readings.iter().map(|reading| reading.mark).collect();
        assert_eq!(
            marks,
            [Mark::Begins, Mark::Ends],
            "nothing of an arm that is not watched"
        );
        assert!(readings[0].at_ns < readings[1].at_ns);
        assert_eq!(readings[1].servers[0], None);
        let last = readings[1].servers[1].as_ref().expect("we are alive");
        assert_eq!(last.queue.map(|queue| queue.waiting), Some(3));
        assert!(last.tcp.since(before).accepted >= 3);
        assert!(last.groups.values().any(|group| group.threads > 0));
        assert!(last.interfaces.contains_key("lo"));
        assert_eq!((last.jvm, last.limits), (None, None));
        let beside = &last.services["beside"];
        assert_eq!(beside.counters["hits"], 7.0);
        assert!(beside.cpu > Nanos(0) && beside.answered_in.is_some());
    }

    #[test]
    fn while_one_is_loaded_it_is_read_again_and_again_and_then_no_more() {
        let sampler = Sampler::start(vec![Some(target(std::process::id(), 1))], GLANCE).expect("a thread");
        thread::sleep(3 * GLANCE);
        sampler.mark(0, Mark::Loads);
        thread::sleep(6 * GLANCE);
        sampler.mark(0, Mark::Ends);
        thread::sleep(3 * GLANCE);
        let marks: Vec<Mark> = sampler.finish().iter().map(|reading| reading.mark).collect();
        assert_eq!((marks[0], marks[marks.len() - 1]), (Mark::Loads, Mark::Ends));
        let between = &marks[1..marks.len() - 1];
        assert!(
            !between.is_empty() && between.iter().all(|mark| *mark == Mark::Within),
            "{marks:?}"
        );
    }

    #[test]
    fn a_server_that_is_gone_leaves_the_rest() {
        let mut child = std::process::Command::new("true").spawn().expect("true");
        child.wait().expect("ended");
        let gone = target(child.id(), 1);
        let sampler = Sampler::start(vec![Some(gone)], GLANCE).expect("a thread");
        sampler.mark(0, Mark::Ends);
        let readings = sampler.finish();
        assert_eq!(readings[0].servers, [None]);
        assert!(readings[0].host.ticks > 0);
    }
}
