//! Which CPUs the generator and the servers of a run use.

use crate::error::Error;
use ask::arm::Arm;
use ask::experiment::Experiment;
use model::cpus::Cpu;
use model::isolation::{CpuRefusal, Isolation, IsolationRequest, NotSeparated, asked_isolation, isolate};
use model::units::Cpus;

/// The CPUs of this machine.
#[derive(Debug)]
pub(crate) struct MachineTopology {
    /// Those that prony may use.
    pub(crate) usable: Vec<Cpu>,
    /// How many there are.
    pub(crate) online: usize,
    /// Fewer usable ones are not divided.
    pub(crate) least: usize,
}

impl MachineTopology {
    /// Reads the topology of this machine.
    pub(crate) fn read() -> Self {
        Self {
            usable: probe::topology::usable_cpus(),
            online: probe::topology::online(),
            least: model::cpus::LEAST,
        }
    }

    /// The CPUs of both sides: as the file asks for them, or else as many as each of them needs, unless something speaks against it.
    pub(crate) fn isolation(&self, experiment: &Experiment) -> Result<Isolation, Error> {
        let loops = experiment.load.shards;
        if !experiment.machine.is_empty() {
            if let Some(arm) = experiment.arms.iter().find(|arm| ran_already(arm)) {
                let arm = arm.name.clone();
                return Err(CpuRefusal::RanAlready { arm }.into());
            }
            return Ok(asked_isolation(&experiment.machine, &self.usable, loops)?);
        }
        let limits = experiment.arms.iter();
        let limits = limits.filter_map(|arm| arm.surroundings.limits.cpus);
        let request = IsolationRequest {
            loops,
            shared: experiment.load.shared_cpus,
            obstacle: obstacle(experiment),
            limit: limits.fold(Cpus(0.0), Cpus::max),
        };
        Ok(isolate(request, &self.usable, self.online, self.least))
    }
}

/// Why CPUs cannot be divided, whatever the machine.
fn obstacle(experiment: &Experiment) -> Option<NotSeparated> {
    if experiment.link.is_some() {
        return Some(NotSeparated::Link);
    }
    let any = experiment.arms.iter().any(ran_already);
    any.then_some(NotSeparated::RanAlready)
}

/// Whether the server of an arm is not started by prony.
const fn ran_already(arm: &Arm) -> bool {
    arm.origin.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use judge::testing::experiment;
    use model::cpus::MachineCpus;

    fn machine(cpus: usize) -> MachineTopology {
        let cpu = |number| Cpu { number, core: number, ..Cpu::default() };
        MachineTopology { usable: (0..cpus).map(cpu).collect(), online: cpus, least: model::cpus::LEAST }
    }

    /// How the CPUs of a machine with so many are divided after a change of the experiment.
    fn divided(cpus: usize, change: fn(&mut Experiment)) -> Option<String> {
        let mut experiment = experiment();
        change(&mut experiment);
        let isolation = machine(cpus).isolation(&experiment).expect("no refusal");
        isolation.split.map(|split| split.to_string())
    }

    #[test]
    fn the_generator_has_cpus_of_its_own_unless_something_speaks_against_it() {
        assert_eq!(divided(4, |_| ()).as_deref(), Some("0-2; generator 3"));
        let two_loops = divided(4, |e| e.load.shards = 2);
        assert_eq!(two_loops.as_deref(), Some("0-1; generator 3,2"));
        let limited = divided(4, |e| e.arms[1].surroundings.limits.cpus = Some(Cpus(3.0)));
        assert_eq!(limited.as_deref(), Some("0-2; generator 3"));
        assert_eq!(divided(4, |e| e.arms[1].surroundings.limits.cpus = Some(Cpus(3.5))), None);
        assert_eq!(divided(4, |e| e.load.shared_cpus = true), None);
        assert_eq!(divided(4, |e| e.link = Some(ask::link::Link::default())), None);
        assert_eq!(divided(4, |e| e.load.shards = 3), None);
        assert_eq!(divided(2, |_| ()), None);
    }

    #[test]
    fn the_file_decides_also_on_small_machines_and_behind_links() {
        let asked = |experiment: &mut Experiment| {
            experiment.link = Some(ask::link::Link::default());
            experiment.machine = MachineCpus { generator: vec![0], servers: vec![1] };
        };
        assert_eq!(divided(2, asked).as_deref(), Some("1; generator 0"));
        let mut experiment = experiment();
        asked(&mut experiment);
        let refused = machine(1).isolation(&experiment).expect_err("only CPU 0 is there");
        assert!(refused.is_usage() && refused.hint().is_some(), "{refused}");
    }
}
