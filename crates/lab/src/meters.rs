//! What is read of the running servers: at the edges of each slice what verdicts hang on ([`Meter`]), and beside the load
//! what explains them ([`Sampler`]).

use model::experiment::Experiment;
use model::telemetry::{JvmTotals, Mark, Reading};
use model::units::Nanos;
use probe::jvm::PerfData;
use probe::process::CpuClock;
use probe::{SampledServer, SampledService, Sampler};
use std::cell::Cell;
use std::time::Duration;

/// Between two readings within a slice, a little less than the second that is promised.
const PERIOD: Duration = Duration::from_millis(900);

/// What is read of all arms of a round.
#[derive(Default)]
pub(crate) struct Meters {
    each: Vec<Meter>,
    /// `None` before the servers run, and where no thread could be started: no verdict hangs on it.
    sampler: Option<Sampler>,
}

impl Meters {
    /// Of the running servers of an experiment's arms. From now on telemetry is read of every arm that is loaded.
    pub(crate) fn of(servers: &[sut::Server], experiment: &Experiment) -> Result<Self, probe::Error> {
        let watched = servers.iter().zip(&experiment.arms);
        let targets = watched.map(|(server, arm)| arm.telemetry.is_on().then(|| target(server)));
        Ok(Self {
            each: servers.iter().map(Meter::of).collect::<Result<_, _>>()?,
            sampler: Sampler::start(targets.collect(), PERIOD).ok(),
        })
    }

    /// Looks again at which processes the servers consist of.
    pub(crate) fn renew(&mut self, servers: &[sut::Server]) -> Result<(), probe::Error> {
        self.each = servers.iter().map(Meter::of).collect::<Result<_, _>>()?;
        Ok(())
    }

    /// By arm.
    pub(crate) fn each(&self) -> &[Meter] {
        &self.each
    }

    /// A moment of a slice on this arm.
    pub(crate) fn mark(&self, arm: usize, mark: Mark) {
        if let Some(sampler) = &self.sampler {
            sampler.mark(arm, mark);
        }
    }

    /// Ends the telemetry and gives what was read.
    pub(crate) fn finish(&mut self) -> Vec<Reading> {
        self.sampler.take().map(Sampler::finish).unwrap_or_default()
    }
}

/// What telemetry is read of.
fn target(server: &sut::Server) -> SampledServer {
    let service = |service: sut::Beside| SampledService {
        name: service.name.clone(),
        pid: service.pid,
        ask: Box::new(move || service.counters()),
    };
    let (cpu, memory) = server.enforced().map(sut::Enforced::folders).unwrap_or_default();
    SampledServer {
        pid: server.pid(),
        port: server.addr().port(),
        limits: probe::limits::Folders { cpu, memory },
        services: server.beside().into_iter().map(service).collect(),
    }
}

/// What is read of an arm's processes at the edges of a slice.
pub(crate) struct Meter {
    leader: CpuClock,
    /// Clocks of the processes that it had started when this was made, and what each said last.
    others: Vec<(CpuClock, Cell<Nanos>)>,
    /// `None` for a JVM without performance data; no verdict hangs on it.
    jvm: Option<PerfData>,
}

impl Meter {
    /// Of a running server, with the processes that it has started so far.
    pub(crate) fn of(server: &sut::Server) -> Result<Self, probe::Error> {
        let leader = server.pid();
        let others = server.processes().into_iter().filter(|pid| *pid != leader);
        Ok(Self {
            leader: CpuClock::of(leader)?,
            others: others
                .filter_map(|pid| Some((CpuClock::of(pid).ok()?, Cell::default())))
                .collect(),
            jvm: PerfData::of(leader).ok().flatten(),
        })
    }

    /// CPU of all of them. One that has ended stays at what it used: its parent goes on.
    pub(crate) fn cpu(&self) -> Result<Nanos, probe::Error> {
        let mut sum = self.leader.now()?;
        for (clock, last) in &self.others {
            last.set(clock.now().unwrap_or(last.get()));
            sum = sum + last.get();
        }
        Ok(sum)
    }

    /// What its JVM has counted.
    pub(crate) fn jvm(&self) -> Option<JvmTotals> {
        self.jvm.as_ref()?.now().ok()
    }
}
