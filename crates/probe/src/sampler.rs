//! [`Sampler`]: a thread that reads host and servers while they are loaded.
//!
//! Everything is read from outside: files under /proc and one netlink question; no call enters a server.

use crate::host::{CpuTicks, run_queue};
use crate::listener::Listeners;
use crate::{Error, net, process, tcp, threads};
use model::telemetry::{AcceptQueue, HostReading, Reading, ServerReading};
use model::units::Nanos;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Between two looks at the accept queues: a queue fills and empties within a second.
const GLANCE: Duration = Duration::from_millis(100);

/// One server to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// Its process.
    pub pid: u32,
    /// Where it listens.
    pub port: u16,
}

/// A thread that takes readings until it is told to stop.
#[derive(Debug)]
pub struct Sampler {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Vec<Reading>>,
}

impl Sampler {
    /// Reads these servers and their host every `period` from now on.
    ///
    /// # Errors
    /// No thread could be started.
    pub fn start(targets: Vec<Target>, period: Duration) -> Result<Self, Error> {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let thread = thread::Builder::new()
            .name("telemetry".to_owned())
            .spawn(move || sample(&targets, period, &stopped))
            .map_err(|source| Error::Thread { source })?;
        Ok(Self { stop, thread })
    }

    /// Takes a last reading and gives all of them, in order.
    pub fn finish(self) -> Vec<Reading> {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.thread().unpark();
        self.thread.join().unwrap_or_default()
    }
}

fn sample(targets: &[Target], period: Duration, stop: &AtomicBool) -> Vec<Reading> {
    // Without sock_diag the rest is still worth having.
    let listeners = Listeners::open().ok();
    let mut readings = Vec::new();
    let mut fullest = vec![None; targets.len()];
    let mut due = Instant::now();
    loop {
        let ending = stop.load(Ordering::Relaxed);
        for (target, fullest) in targets.iter().zip(&mut fullest) {
            glance(listeners.as_ref(), *target, fullest);
        }
        if ending || Instant::now() >= due {
            readings.push(reading(targets, &mut fullest));
            due += period;
        }
        if ending {
            return readings;
        }
        thread::park_timeout(GLANCE.min(period));
    }
}

/// Keeps the fullest queue of a listener.
fn glance(listeners: Option<&Listeners>, target: Target, fullest: &mut Option<AcceptQueue>) {
    let seen = listeners.and_then(|listeners| listeners.accept_queue(target.port).ok().flatten());
    let fuller = |seen: &AcceptQueue| fullest.is_none_or(|fullest| seen.waiting > fullest.waiting);
    if let Some(seen) = seen.filter(fuller) {
        *fullest = Some(seen);
    }
}

fn reading(targets: &[Target], fullest: &mut [Option<AcceptQueue>]) -> Reading {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let ticks = CpuTicks::now();
    let host = HostReading {
        ticks: ticks.total,
        idle_ticks: ticks.idle,
        steal_ticks: ticks.steal,
        run_queue: run_queue(),
        softnet: net::softnet(),
    };
    let servers = targets.iter().zip(fullest);
    Reading {
        at_ns: now.map_or(0, |since| Nanos::from(since).0),
        host,
        servers: servers
            .map(|(target, queue)| server(target.pid, queue.take()).ok())
            .collect(),
    }
}

fn server(pid: u32, queue: Option<AcceptQueue>) -> Result<ServerReading, Error> {
    Ok(ServerReading {
        holdings: process::holdings(pid)?,
        groups: threads::by_group(pid)?,
        queue,
        tcp: tcp::totals(pid)?,
        interfaces: net::interfaces(pid)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{TcpListener, TcpStream};

    #[test]
    fn a_queue_that_fills_between_two_readings_is_seen() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("bound");
        let address = listener.local_addr().expect("an address");
        let target = Target {
            pid: std::process::id(),
            port: address.port(),
        };
        let before = tcp::totals(target.pid).expect("our own");
        let sampler = Sampler::start(vec![target], Duration::from_secs(3600)).expect("a thread");
        let waiting = [(); 3].map(|()| TcpStream::connect(address).expect("connected"));
        thread::sleep(4 * GLANCE);
        let accepted = [(); 3].map(|()| listener.accept().expect("accepted"));
        let readings = sampler.finish();
        drop((waiting, accepted));
        assert!(readings.is_sorted_by_key(|reading| (reading.at_ns, reading.host.ticks)));
        let servers: Vec<_> = readings
            .iter()
            .filter_map(|reading| reading.servers[0].as_ref())
            .collect();
        let fullest = servers
            .iter()
            .filter_map(|server| Some(server.queue?.waiting))
            .max();
        assert_eq!(fullest, Some(3));
        let last = servers.last().expect("we are alive");
        assert!(last.tcp.since(&before).accepted >= 3);
        assert!(last.groups.values().any(|group| group.threads > 0));
        assert!(last.interfaces.contains_key("lo"));
    }

    #[test]
    fn a_server_that_is_gone_leaves_the_rest() {
        let mut child = std::process::Command::new("true").spawn().expect("true");
        child.wait().expect("ended");
        let gone = Target {
            pid: child.id(),
            port: 1,
        };
        let sampler = Sampler::start(vec![gone], GLANCE).expect("a thread");
        let readings = sampler.finish();
        let last = readings.last().expect("a last one");
        assert_eq!(last.servers, [None]);
        assert!(last.host.ticks > 0);
    }
}
