//! Reads the running servers: [`Meter`] reads what verdicts depend on at the edges of each slice, and [`Sampler`] reads
//! telemetry that explains them during the load. Both do so on other hosts, too.

use crate::Error;
use crate::bench::Bench;
use crate::clock::wall_clock;
use crate::elsewhere::{self, MeterReading, Question};
use crate::merge::merged;
use crate::metrics::MetricsWatch;
use ask::experiment::Experiment;
use model::units::Nanos;
use probe::jvm::PerfData;
use probe::process::CpuClock;
use probe::{SampledServer, SampledService, Sampler};
use record::telemetry::{Mark, Reading};
use std::sync::Arc;
use std::time::Duration;
use sut::remote::{Asked, RemoteServer};

/// The time between two readings within a slice: a little less than the second that the documentation promises.
pub(crate) const PERIOD: Duration = Duration::from_millis(900);

/// The meters and the sampler of all arms of a round.
#[derive(Default)]
pub(crate) struct Meters {
    each: Vec<Meter>,
    /// `None` before the servers run, and where its thread could not be started: no verdict depends on it.
    sampler: Option<Sampler>,
    /// The arms on other hosts whose telemetry is read there.
    elsewhere: Vec<(usize, Arc<RemoteServer>)>,
    /// The arms that nobody can see, and that tell figures of themselves.
    telling: Vec<(usize, MetricsWatch)>,
}

impl Meters {
    /// Meters for the running servers of an experiment's arms. From now on telemetry is read of the arms that are loaded.
    pub(crate) fn of(servers: &[sut::Server], experiment: &Experiment, bench: &Bench) -> Result<Self, Error> {
        let watched = || servers.iter().zip(&experiment.arms);
        let targets = watched().map(|(server, arm)| {
            let is_read = arm.telemetry.is_on() && server.remote().is_none() && server.is_seen();
            is_read.then(|| target(server))
        });
        let elsewhere = watched().enumerate().filter_map(|(index, (server, arm))| {
            let remote = server.remote().filter(|_| arm.telemetry.is_on())?;
            drop(elsewhere::tell(remote, Question::Sample));
            Some((index, Arc::clone(remote)))
        });
        Ok(Self {
            each: servers.iter().map(Meter::of).collect::<Result<_, _>>()?,
            sampler: Sampler::start(targets.collect(), PERIOD).ok(),
            elsewhere: elsewhere.collect(),
            telling: watched()
                .enumerate()
                .filter(|(_, (server, arm))| arm.telemetry.is_on() && !server.is_seen())
                .filter_map(|(index, _)| Some((index, MetricsWatch::start(bench.metrics(index)?, PERIOD)?)))
                .collect(),
        })
    }

    /// Meters of single processes, without telemetry.
    #[cfg(test)]
    pub(crate) fn of_processes(pids: [u32; 2]) -> Result<Self, Error> {
        let meter = |pid| Ok(Meter::Here(Box::new(LocalMeter::of(pid, Vec::new())?)));
        Ok(Self {
            each: pids.into_iter().map(meter).collect::<Result<_, Error>>()?,
            sampler: None,
            elsewhere: Vec::new(),
            telling: Vec::new(),
        })
    }

    /// Looks up the processes of the servers again.
    pub(crate) fn renew(&mut self, servers: &[sut::Server]) -> Result<(), Error> {
        self.each = servers.iter().map(Meter::of).collect::<Result<_, _>>()?;
        Ok(())
    }

    /// The meters, by arm.
    pub(crate) fn each(&self) -> &[Meter] {
        &self.each
    }

    /// Tells the samplers a moment of a slice on these arms, which are loaded at once. All of them note the same time for it.
    pub(crate) fn mark(&self, arms: &[usize], mark: Mark) {
        let at_ns = wall_clock();
        if let Some(sampler) = &self.sampler {
            sampler.mark(arms, mark, at_ns);
        }
        for (_, remote) in self.elsewhere.iter().filter(|(arm, _)| arms.contains(arm)) {
            drop(elsewhere::tell(remote, Question::Mark { mark, at_ns }));
        }
        for (_, watch) in self.telling.iter().filter(|(arm, _)| arms.contains(arm)) {
            watch.mark(mark, at_ns);
        }
    }

    /// The readings of telemetry so far, of the arms on this machine.
    pub(crate) fn so_far(&self) -> Vec<Reading> {
        self.sampler.as_ref().map(Sampler::so_far).unwrap_or_default()
    }

    /// Ends the telemetry and returns its readings.
    pub(crate) fn finish(&mut self) -> Vec<Reading> {
        let here = self.sampler.take().map(Sampler::finish).unwrap_or_default();
        let arms = self.each.len();
        let elsewhere = self.elsewhere.drain(..).map(|(arm, remote)| {
            // No verdict depends on telemetry.
            let readings: Vec<Reading> = elsewhere::ask(&remote, Question::EndSampling).unwrap_or_default();
            (arm, readings)
        });
        let telling = self.telling.drain(..).map(|(arm, watch)| (arm, watch.finish()));
        elsewhere.chain(telling).fold(here, |all, (arm, there)| merged(all, there, arm, arms))
    }
}

/// The processes, port, control groups and services of a server, for the sampler.
pub(crate) fn target(server: &sut::Server) -> SampledServer {
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
pub(crate) enum Meter {
    /// On this machine.
    Here(Box<LocalMeter>),
    /// On another host, which is asked over the network.
    There(Arc<RemoteServer>),
    /// Where nobody can look.
    Nowhere,
}

/// Reads processes of this machine.
pub(crate) struct LocalMeter {
    /// The id of the process that was started first.
    pid: u32,
    leader: CpuClock,
    /// The processes that the leader had started when this was made.
    others: Vec<(u32, CpuClock)>,
    /// `None` for a JVM without performance data; no verdict depends on it.
    jvm: Option<PerfData>,
}

/// A reading that has been asked for. It shows the moment of the question, on another host half of a round trip later.
pub(crate) enum PendingReading {
    /// It is there.
    Read(MeterReading),
    /// The answer is still to come.
    Asked(Asked),
}

impl PendingReading {
    /// The reading, when it is there.
    pub(crate) fn wait(self) -> Result<MeterReading, Error> {
        match self {
            Self::Read(reading) => Ok(reading),
            Self::Asked(asked) => elsewhere::answer(asked),
        }
    }
}

impl Meter {
    /// A meter of a running server, with the processes that it has started so far.
    pub(crate) fn of(server: &sut::Server) -> Result<Self, Error> {
        if let Some(remote) = server.remote() {
            elsewhere::ask::<()>(remote, Question::Renew)?;
            return Ok(Self::There(Arc::clone(remote)));
        }
        if !server.is_seen() {
            return Ok(Self::Nowhere);
        }
        let meter = LocalMeter::of(server.pid(), server.processes())?;
        let jvm = server.jvm().and_then(|jvm| PerfData::of(jvm).ok().flatten());
        Ok(Self::Here(Box::new(LocalMeter { jvm, ..meter })))
    }

    /// Begins to read, without waiting for another host. The counters of the JVM of this machine are read only if they are wanted.
    pub(crate) fn begin(&self, with_jvm: bool) -> Result<PendingReading, Error> {
        Ok(match self {
            Self::Here(meter) => PendingReading::Read(meter.read(with_jvm)?),
            Self::There(remote) => PendingReading::Asked(elsewhere::tell(remote, Question::Meter)),
            Self::Nowhere => PendingReading::Read(MeterReading::default()),
        })
    }

    /// Reads the processes and the JVM.
    pub(crate) fn read(&self, with_jvm: bool) -> Result<MeterReading, Error> {
        self.begin(with_jvm)?.wait()
    }
}

impl LocalMeter {
    fn of(pid: u32, processes: Vec<u32>) -> Result<Self, probe::Error> {
        let others = processes.into_iter().filter(|other| *other != pid);
        Ok(Self {
            pid,
            leader: CpuClock::of(pid)?,
            others: others.filter_map(|pid| Some((pid, CpuClock::of(pid).ok()?))).collect(),
            jvm: None,
        })
    }

    /// The CPU time of all processes. Those that have ended count with the times that their parents have taken over, in ticks of
    /// 10 ms: of a server that starts a process for each request, these are most of its CPU.
    fn read(&self, with_jvm: bool) -> Result<MeterReading, probe::Error> {
        let leader = self.leader.now()? + reaped(self.pid);
        let others = self.others.iter().filter_map(|(pid, clock)| {
            let own = clock.now().ok()?;
            Some(own + reaped(*pid))
        });
        Ok(MeterReading {
            cpu: others.fold(leader, |sum, cpu| sum + cpu),
            jvm: self.jvm.as_ref().filter(|_| with_jvm).and_then(|jvm| jvm.now().ok()),
            steal_ticks: None,
        })
    }
}

/// The CPU time of the children of a process that have ended; 0 where there are none.
fn reaped(pid: u32) -> Nanos {
    probe::process::reaped_cpu_time(pid).unwrap_or_default()
}
