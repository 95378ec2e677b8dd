//! Flags that choose machines and CPUs.

use super::LoadMachinesArgs;
use ask::arm::Arm;
use ask::experiment::Experiment;
use ask::host::ArmHost;
use clap::Args;
use model::cpus::{self, MachineCpus};
use say::Say;

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
    /// The address of a host that arms of the file name, as arm64=ssh://USER@BOX; may be repeated. Arms on a host without an address are
    /// left out
    #[arg(long = "host", value_name = "NAME=URL", value_parser = parse_host)]
    pub(crate) hosts: Vec<ArmHost>,
    /// A host outside this machine that may be loaded, because an arm is a URL there: a name or an address; may be repeated.
    #[arg(long, value_name = "HOST")]
    pub(crate) allow: Vec<String>,
    /// Other machines that make the load.
    #[command(flatten)]
    pub(crate) load: LoadMachinesArgs,
}

/// Servers on other machines that nobody has allowed prony to load.
#[derive(Debug, Say)]
#[say(
    error,
    en = "nobody has allowed a load outside this machine, on {hosts:commas}",
    zh = "{hosts:commas} 不在本机上，且未被允许施加负载",
    hint(
        en = "if it is yours to load: --allow HOST, or `allow = [\"HOST\"]` in [load] of the file",
        zh = "如果您有权对其施压：--allow HOST，或在文件的 [load] 中写 `allow = [\"HOST\"]`"
    )
)]
pub(crate) struct NotAllowed {
    pub(crate) hosts: Vec<String>,
}

/// A host of `--host` that no arm names.
#[derive(Debug, Say)]
#[say(
    error,
    en = "no arm of this run names the host `{name}`",
    zh = "本次运行没有对象使用主机 `{name}`",
    hint(
        en = "an arm names it by `host = \"{name}\"`; check the name that follows --host",
        zh = "对象用 `host = \"{name}\"` 指定主机；请检查 --host 之后的名称"
    )
)]
pub(crate) struct UnusedHost {
    pub(crate) name: String,
}

impl MachineArgs {
    /// Checks that every server on another machine that prony did not start may be loaded, by this command line or by the file.
    ///
    /// # Errors
    ///
    /// The hosts that nobody has allowed.
    pub(crate) fn check_allowed(&self, experiment: &Experiment) -> Result<(), NotAllowed> {
        let allowed = |host: &String| experiment.load.allow.iter().chain(&self.allow).any(|one| one == host);
        let mut hosts: Vec<String> = experiment
            .arms
            .iter()
            .filter_map(Arm::loaded_elsewhere)
            // Whoever allows a name allows the address that stands for it in this arm.
            .filter(|(named, reached)| !allowed(named) && !allowed(reached))
            .map(|(_, reached)| reached)
            .collect();
        hosts.sort();
        hosts.dedup();
        if hosts.is_empty() { Ok(()) } else { Err(NotAllowed { hosts }) }
    }

    /// Gives the arms the addresses of the hosts that they name.
    ///
    /// # Errors
    ///
    /// The first host that no arm names.
    pub(crate) fn locate_arms(&self, arms: &mut [Arm]) -> Result<(), UnusedHost> {
        let mut unused = None;
        for host in &self.hosts {
            let named = arms.iter_mut().filter_map(|arm| arm.host.as_mut());
            let named = named.filter(|named| named.name == host.name);
            let located = named.map(|named| named.url.clone_from(&host.url)).count();
            unused = unused.or(host.name.as_deref().filter(|_| located == 0));
        }
        unused.map_or(Ok(()), |name| Err(UnusedHost { name: name.to_owned() }))
    }

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

/// Parses `arm64=ssh://box`.
fn parse_host(text: &str) -> Result<ArmHost, String> {
    let host = ArmHost::parse(text).filter(|host| host.name.is_some() && host.url.is_some());
    host.ok_or_else(|| "expected the name of a host and its address, such as arm64=ssh://user@box".to_owned())
}

/// Parses a list as the kernel writes it, `0-2,5`.
pub(crate) fn parse_cpus(text: &str) -> Result<Vec<usize>, String> {
    cpus::parse(text).ok_or_else(|| "expected numbers of CPUs, such as 0-2,5".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use lab::Bench;

    #[test]
    fn a_host_elsewhere_is_loaded_only_where_somebody_allows_it() {
        let text = "arms = [{ server = \"url\", url = \"https://green.example.com\" }, \
                    { server = \"url\", url = \"https://blue.example.com\" }]\n\
                    [load]\nallow = [\"green.example.com\"]\n";
        let experiment = Experiment::parse(text, "x", &Bench::known()).expect("an experiment");
        let refused = |allow: &[&str]| {
            let allow = allow.iter().map(|host| (*host).to_owned()).collect();
            let arguments = MachineArgs { allow, ..MachineArgs::default() };
            arguments.check_allowed(&experiment).err().map(|refused| refused.hosts)
        };
        assert_eq!(refused(&[]), Some(vec!["blue.example.com".to_owned()]));
        assert_eq!(refused(&["example.com"]), Some(vec!["blue.example.com".to_owned()]));
        assert_eq!(refused(&["blue.example.com"]), None);
    }
}
