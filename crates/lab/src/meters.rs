//! Reads the running servers: [`Meter`] reads what verdicts depend on at the edges of each slice, and [`Sampler`] reads
//! telemetry that explains them during the load.

use model::experiment::Experiment;
use model::telemetry::{JvmTotals, Mark, Reading};
use model::units::Nanos;
use probe::jvm::PerfData;
use probe::process::CpuClock;
use probe::{SampledServer, SampledService, Sampler};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use sut::remote::{RemoteReader, RemoteServer};

/// The time between two readings within a slice: a little less than the second that the documentation promises.
const PERIOD: Duration = Duration::from_millis(900);

/// The meters and the sampler of all arms of a round.
#[derive(Default)]
pub(crate) struct Meters {
    each: Vec<Meter>,
    /// `None` before the servers run, and where its thread could not be started: no verdict depends on it.
    sampler: Option<Sampler>,
}

impl Meters {
    /// Meters for the running servers of an experiment's arms. From now on telemetry is read of the arms that are loaded.
    pub(crate) fn of(servers: &[sut::Server], experiment: &Experiment) -> Result<Self, probe::Error> {
        let watched = servers.iter().zip(&experiment.arms);
        let targets = watched.map(|(server, arm)| {
            (arm.telemetry.is_on() && server.remote().is_none()).then(|| target(server))
        });
        Ok(Self {
            each: servers.iter().map(Meter::of).collect::<Result<_, _>>()?,
            sampler: Sampler::start(targets.collect(), PERIOD).ok(),
        })
    }

    /// Meters of single processes, without telemetry.
    #[cfg(test)]
    pub(crate) fn of_processes(pids: [u32; 2]) -> Result<Self, probe::Error> {
        let meter = |pid| {
            Ok(Meter {
                clock: Clock::of(pid, Vec::new())?,
                jvm: None,
            })
        };
        Ok(Self {
            each: pids.into_iter().map(meter).collect::<Result<_, _>>()?,
            sampler: None,
        })
    }

    /// Looks up again of which processes the servers consist.
    pub(crate) fn renew(&mut self, servers: &[sut::Server]) -> Result<(), probe::Error> {
        self.each = servers.iter().map(Meter::of).collect::<Result<_, _>>()?;
        Ok(())
    }

    /// The meters, by arm.
    pub(crate) fn each(&self) -> &[Meter] {
        &self.each
    }

    /// Tells the sampler a moment of a slice on these arms, which are loaded at once.
    pub(crate) fn mark(&self, arms: &[usize], mark: Mark) {
        if let Some(sampler) = &self.sampler {
            sampler.mark(arms, mark);
        }
    }

    /// Ends the telemetry and returns its readings.
    pub(crate) fn finish(&mut self) -> Vec<Reading> {
        self.sampler.take().map(Sampler::finish).unwrap_or_default()
    }
}

/// The processes, port, control groups and services of a server, for the sampler.
fn target(server: &sut::Server) -> SampledServer {
    let service = |service: sut::ServiceView| SampledService {
        name: service.name.clone(),
        pid: service.pid,
        ask: Box::new(move || service.counters()),
    };
    let (cpu, memory) = server.enforced().map(sut::Enforced::folders).unwrap_or_default();
    SampledServer {
        pid: server.jvm().unwrap_or(server.pid()),
        port: server.addr().port(),
        limits: probe::limits::Folders { cpu, memory },
        services: server.services().into_iter().map(service).collect(),
    }
}

/// Reads the processes of an arm at the edges of a slice.
pub(crate) struct Meter {
    clock: Clock,
    /// `None` for a JVM without performance data; no verdict depends on it.
    jvm: Option<PerfData>,
}

/// Where the CPU time of a server is read.
enum Clock {
    /// On this machine.
    Here {
        /// The id of the process that was started first.
        pid: u32,
        leader: CpuClock,
        /// The processes that the leader had started when this was made.
        others: Vec<(u32, CpuClock)>,
    },
    /// On another host, which is asked over the network.
    There(Arc<RemoteServer>),
}

impl Clock {
    fn of(pid: u32, processes: Vec<u32>) -> Result<Self, probe::Error> {
        let others = processes.into_iter().filter(|other| *other != pid);
        Ok(Self::Here {
            pid,
            leader: CpuClock::of(pid)?,
            others: others
                .filter_map(|pid| Some((pid, CpuClock::of(pid).ok()?)))
                .collect(),
        })
    }
}

/// Runs the server of an arm for a prony on another machine, as that asks on our standard input.
///
/// # Errors
/// When our standard output is closed.
pub fn serve_host(folder: &Path) -> io::Result<()> {
    let reader = RemoteReader {
        cpu: |server| {
            let meter = Meter::of(server).ok()?;
            Some(Box::new(move || meter.cpu().ok()))
        },
        peak_memory: |pid| probe::process::peak_memory(pid).ok(),
    };
    sut::remote::serve(folder, &reader)
}

impl Meter {
    /// A meter of a running server, with the processes that it has started so far.
    pub(crate) fn of(server: &sut::Server) -> Result<Self, probe::Error> {
        let clock = match server.remote() {
            Some(remote) => Clock::There(Arc::clone(remote)),
            None => Clock::of(server.pid(), server.processes())?,
        };
        Ok(Self {
            clock,
            jvm: server.jvm().and_then(|jvm| PerfData::of(jvm).ok().flatten()),
        })
    }

    /// The CPU time of all processes. Those that have ended count with the times that their parents have taken over, in ticks of
    /// 10 ms: of a server that starts a process for each request, these are most of its CPU.
    pub(crate) fn cpu(&self) -> Result<Nanos, probe::Error> {
        let (pid, leader, others) = match &self.clock {
            Clock::There(remote) => {
                let host = || remote.host().to_owned();
                return remote
                    .cpu()
                    .ok_or_else(|| probe::Error::Elsewhere { host: host() });
            }
            Clock::Here { pid, leader, others } => (*pid, leader, others),
        };
        let leader = leader.now()? + reaped(pid);
        let others = others.iter().filter_map(|(pid, clock)| {
            let own = clock.now().ok()?;
            Some(own + reaped(*pid))
        });
        Ok(others.fold(leader, |sum, cpu| sum + cpu))
    }

    /// The counters of its JVM.
    pub(crate) fn jvm(&self) -> Option<JvmTotals> {
        self.jvm.as_ref()?.now().ok()
    }
}

/// The CPU time of the children of a process that have ended; 0 where there are none.
fn reaped(pid: u32) -> Nanos {
    probe::process::reaped_cpu_time(pid).unwrap_or_default()
}
