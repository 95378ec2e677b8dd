//! [`Sampler`]: a thread that takes readings of the host and of the servers that are being loaded.
//!
//! Everything is read from outside: files under /proc, the file of performance data that the JVM has mapped, and netlink.
//! No call enters a server. The thread uses a few milliseconds of CPU per second, and only while there is load.

use crate::host::{CpuTicks, run_queue};
use crate::jvm::PerfData;
use crate::limits;
use crate::listener::Listeners;
use crate::threads::ThreadGroups;
use crate::{Error, disk, net, process, tcp};
use model::units::Nanos;
use record::telemetry::{AcceptQueue, HostReading, Mark, Reading, ServerReading, ServiceReading};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// The time between two observations of the accept queue. A queue can fill and empty within a second, so it has to be
/// observed more often than everything else.
const QUEUE_PERIOD: Duration = Duration::from_millis(100);

/// A server that is read.
#[derive(Debug)]
pub struct SampledServer {
    pub pid: u32,
    /// The port on which it listens.
    pub port: u16,
    /// The control groups that limit it.
    pub limits: limits::Folders,
    /// The services that it uses.
    pub services: Vec<SampledService>,
}

/// A service, such as a database, that is read.
pub struct SampledService {
    /// Its name in reports.
    pub name: String,
    pub pid: u32,
    /// Asks the service for its counters by name; `None` when it does not answer.
    pub ask: Box<dyn Fn() -> Option<BTreeMap<String, f64>> + Send>,
}

impl fmt::Debug for SampledService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.name, self.pid)
    }
}

/// A thread that takes readings when it is told to, and periodically while a server is loaded.
#[derive(Debug)]
pub struct Sampler {
    tell: Sender<Moment>,
    thread: JoinHandle<()>,
    /// What the thread has read, in order.
    readings: Arc<Mutex<Vec<Reading>>>,
}

impl Sampler {
    /// Starts the thread. `servers` are indexed by arm; `None` is an arm that is not read. The first reading
    /// is taken when [`mark`](Self::mark) reports that arms are loaded. From then on one is taken every
    /// `period`, until it reports that the load has ended.
    ///
    /// # Errors
    /// [`Error::Thread`] when no thread could be started.
    pub fn start(targets: Vec<Option<SampledServer>>, period: Duration) -> Result<Self, Error> {
        let (tell, marks) = mpsc::channel();
        let readings = Arc::default();
        let written = Arc::clone(&readings);
        let thread = thread::Builder::new()
            .name("telemetry".to_owned())
            .spawn(move || {
                let targets = targets.into_iter().map(|target| target.map(WatchedServer::new));
                SamplerThread { targets: targets.collect(), readings: written }.run(&marks, period);
            })
            .map_err(|source| Error::Thread { source })?;
        Ok(Self { tell, thread, readings })
    }

    /// Reports a moment of a slice on these arms, which are loaded at once, with its time in nanoseconds
    /// since the epoch: the generator's clock, which may be on another machine. The thread takes one reading
    /// of all of them; this function returns at once.
    pub fn mark(&self, arms: &[usize], mark: Mark, at_ns: u64) {
        // If the thread has ended, `finish` returns what it has read.
        let _ = self.tell.send(Moment { arms: arms.to_vec(), mark, at_ns, told: Instant::now() });
    }

    /// The readings that were taken so far, in order.
    pub fn so_far(&self) -> Vec<Reading> {
        locked(&self.readings).clone()
    }

    /// Ends the thread and returns all readings in the order in which they were taken.
    pub fn finish(self) -> Vec<Reading> {
        drop(self.tell);
        // What a thread has read that did not end well is not wrong.
        drop(self.thread.join());
        std::mem::take(&mut *locked(&self.readings))
    }
}

fn locked(readings: &Mutex<Vec<Reading>>) -> MutexGuard<'_, Vec<Reading>> {
    readings.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A moment of a slice on some arms.
struct Moment {
    arms: Vec<usize>,
    mark: Mark,
    /// Its time, in nanoseconds since the epoch.
    at_ns: u64,
    /// When we learned of it.
    told: Instant,
}

impl Moment {
    /// The time now, in nanoseconds since the epoch, on the clock on which the moment was.
    fn now(&self) -> u64 {
        self.at_ns + Nanos::from(self.told.elapsed()).0
    }
}

/// The state of the thread.
struct SamplerThread {
    targets: Vec<Option<WatchedServer>>,
    readings: Arc<Mutex<Vec<Reading>>>,
}

impl SamplerThread {
    /// Takes readings until the sampler is finished.
    fn run(mut self, marks: &Receiver<Moment>, period: Duration) {
        // The arms that are loaded, and when their next periodic reading is due.
        let mut loaded: Option<(Moment, Instant)> = None;
        loop {
            let next = match loaded {
                Some(_) => marks.recv_timeout(QUEUE_PERIOD),
                None => marks.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match (next, &mut loaded) {
                (Ok(moment), _) => {
                    self.read(&moment, moment.mark);
                    loaded = (moment.mark != Mark::Ends).then(|| (moment, Instant::now() + period));
                }
                (Err(RecvTimeoutError::Timeout), Some((moment, due))) if Instant::now() >= *due => {
                    self.read(moment, Mark::Within);
                    *due = Instant::now() + period;
                }
                (Err(RecvTimeoutError::Timeout), Some((moment, _))) => self.observe_queues(&moment.arms),
                (Err(_), _) => return,
            }
        }
    }

    /// Observes the accept queues of these arms.
    fn observe_queues(&mut self, arms: &[usize]) {
        for &arm in arms {
            if let Some(Some(target)) = self.targets.get_mut(arm) {
                target.observe_queue();
            }
        }
    }

    /// Takes a reading of these arms, unless none of them is read. Then the host is not read either, so that
    /// the cost of telemetry can be measured by comparing arms with and without it.
    fn read(&mut self, moment: &Moment, mark: Mark) {
        let arms = &moment.arms;
        let is_watched = |arm: &usize| matches!(self.targets.get(*arm), Some(Some(_)));
        if !arms.iter().any(is_watched) {
            return;
        }
        let (at_ns, host) = (moment.now(), host());
        let mut servers = vec![None; self.targets.len()];
        for &arm in arms {
            if let Some(Some(target)) = self.targets.get_mut(arm) {
                servers[arm] = target.read().ok();
            }
        }
        locked(&self.readings).push(Reading { at_ns, mark, host, servers });
    }
}

/// A reading of the host.
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

/// A server, and what is kept of it between two readings.
struct WatchedServer {
    target: SampledServer,
    threads: ThreadGroups,
    /// `None` when the process is not a JVM with performance data.
    jvm: Option<PerfData>,
    /// `None` when the kernel does not tell of listening sockets; the other readings are taken nevertheless.
    listeners: Option<Listeners>,
    /// The state of the accept queue when most connections waited in it since the last reading.
    fullest: Option<AcceptQueue>,
}

impl WatchedServer {
    /// Opens what can be opened once for all readings.
    fn new(target: SampledServer) -> Self {
        Self {
            threads: ThreadGroups::of(target.pid),
            jvm: PerfData::of(target.pid).ok().flatten(),
            listeners: Listeners::around(target.pid).ok(),
            fullest: None,
            target,
        }
    }

    /// Reads the accept queue and keeps it if it is fuller than before.
    fn observe_queue(&mut self) {
        let port = self.target.port;
        let listeners = self.listeners.as_mut();
        let queue = listeners.and_then(|listeners| listeners.accept_queue(port).ok().flatten());
        let is_fuller =
            |queue: &AcceptQueue| self.fullest.is_none_or(|fullest| queue.waiting > fullest.waiting);
        if let Some(queue) = queue.filter(is_fuller) {
            self.fullest = Some(queue);
        }
    }

    /// Takes a reading; an error when the process has ended.
    fn read(&mut self) -> Result<ServerReading, Error> {
        self.observe_queue();
        let pid = self.target.pid;
        // What changes fastest is read first, and what may take longest to read is read last.
        Ok(ServerReading {
            queue: self.fullest.take(),
            tcp: tcp::totals(pid)?,
            groups: self.threads.by_group()?,
            times: process::times(pid),
            holdings: process::holdings(pid)?,
            interfaces: net::interfaces(pid)?,
            jvm: self.jvm.as_ref().and_then(|jvm| jvm.now().ok()),
            pools: BTreeMap::new(),
            disk: process::disk(pid),
            limits: self.target.limits.totals(),
            services: self.target.services.iter().filter_map(read_service).collect(),
        })
    }
}

/// The name and a reading of a service; `None` when its process has ended.
fn read_service(target: &SampledService) -> Option<(String, ServiceReading)> {
    let cpu = process::family_cpu_time(target.pid)?;
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
    use record::counted::Counted;
    use std::net::{TcpListener, TcpStream};

    fn target(pid: u32, port: u16) -> SampledServer {
        SampledServer { pid, port, limits: limits::Folders::default(), services: Vec::new() }
    }

    #[test]
    fn an_accept_queue_that_fills_between_two_readings_is_noticed() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("bound");
        let address = listener.local_addr().expect("an address");
        let this_process = std::process::id();
        let before = tcp::totals(this_process).expect("our own");
        let mut watched = target(this_process, address.port());
        watched.services.push(SampledService {
            name: "database".to_owned(),
            pid: this_process,
            ask: Box::new(|| Some([("hits".to_owned(), 7.0)].into())),
        });
        let sampler = Sampler::start(vec![None, Some(watched)], Duration::from_secs(3600)).expect("a thread");
        sampler.mark(&[0], Mark::Loads, 7);
        sampler.mark(&[1], Mark::Begins, 7);
        let waiting = [(); 3].map(|()| TcpStream::connect(address).expect("connected"));
        thread::sleep(4 * QUEUE_PERIOD);
        let accepted = [(); 3].map(|()| listener.accept().expect("accepted"));
        sampler.mark(&[1], Mark::Ends, 7_000_000_000);
        let readings = sampler.finish();
        drop((waiting, accepted));
        let marks: Vec<Mark> = readings.iter().map(|reading| reading.mark).collect();
        assert_eq!(marks, [Mark::Begins, Mark::Ends], "an arm that is not sampled has no readings");
        assert!(readings[0].at_ns < readings[1].at_ns);
        assert_eq!(readings[1].servers[0], None);
        let last = readings[1].servers[1].as_ref().expect("we are alive");
        assert_eq!(last.queue.map(|queue| queue.waiting), Some(3));
        assert!(last.tcp.since(before).accepted >= 3);
        assert!(last.groups.values().any(|group| group.threads > 0));
        assert!(last.interfaces.contains_key("lo"));
        assert_eq!((last.jvm, last.limits), (None, None));
        let service = &last.services["database"];
        assert_eq!(service.counters["hits"], 7.0);
        assert!(service.cpu > Nanos(0) && service.answered_in.is_some());
    }

    #[test]
    fn a_server_is_read_periodically_only_while_it_is_loaded() {
        let sampler =
            Sampler::start(vec![Some(target(std::process::id(), 1))], QUEUE_PERIOD).expect("a thread");
        thread::sleep(3 * QUEUE_PERIOD);
        sampler.mark(&[0], Mark::Loads, 7);
        thread::sleep(6 * QUEUE_PERIOD);
        sampler.mark(&[0], Mark::Ends, 7);
        thread::sleep(3 * QUEUE_PERIOD);
        let marks: Vec<Mark> = sampler.finish().iter().map(|reading| reading.mark).collect();
        assert_eq!((marks[0], marks[marks.len() - 1]), (Mark::Loads, Mark::Ends));
        let between = &marks[1..marks.len() - 1];
        assert!(!between.is_empty() && between.iter().all(|mark| *mark == Mark::Within), "{marks:?}");
    }

    #[test]
    fn a_server_that_has_ended_has_no_reading_but_the_host_has() {
        let mut child = std::process::Command::new("true").spawn().expect("true");
        child.wait().expect("ended");
        let gone = target(child.id(), 1);
        let sampler = Sampler::start(vec![Some(gone)], QUEUE_PERIOD).expect("a thread");
        sampler.mark(&[0], Mark::Ends, 7);
        let readings = sampler.finish();
        assert_eq!(readings[0].servers, [None]);
        assert!(readings[0].host.ticks > 0);
    }
}
