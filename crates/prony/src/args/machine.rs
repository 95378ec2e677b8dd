//! Flags that choose CPUs, and the machines that make the load.

use super::LoadMachinesArgs;
use clap::Args;
use model::cpus::{self, MachineCpus};

/// Flags that override the `[machine]` of an experiment file.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct MachineArgs {
    /// CPUs of the generator, such as 0-1, whose event loops take one each [default: with four CPUs or more, the last cores]
    #[arg(long, value_name = "LIST", value_parser = parse_cpus)]
    // With the whole path, because clap takes a bare Vec for a flag that may be repeated.
    pub(crate) generator_cpus: Option<std::vec::Vec<usize>>,
    /// CPUs of the servers, such as 2-3; their JVMs see no others [default: those that the generator leaves]
    #[arg(long, value_name = "LIST", value_parser = parse_cpus)]
    pub(crate) server_cpus: Option<std::vec::Vec<usize>>,
    /// Other machines that make the load.
    #[command(flatten)]
    pub(crate) load: LoadMachinesArgs,
}

impl MachineArgs {
    /// Writes the flags over the CPUs of a file. Whoever gives CPUs to a side does not want to share them.
    pub(crate) fn override_cpus(&self, machine: &mut MachineCpus, shared_cpus: &mut bool) {
        if let Some(cpus) = &self.generator_cpus {
            machine.generator.clone_from(cpus);
        }
        if let Some(cpus) = &self.server_cpus {
            machine.servers.clone_from(cpus);
        }
        *shared_cpus &= self.generator_cpus.is_none() && self.server_cpus.is_none();
    }
}

/// Parses a list as the kernel writes it, `0-2,5`.
pub(super) fn parse_cpus(text: &str) -> Result<Vec<usize>, String> {
    cpus::parse(text).ok_or_else(|| "expected numbers of CPUs, such as 0-2,5".to_owned())
}
