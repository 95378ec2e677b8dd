//! [`Stations`]: the hosts on which agents are started, each with a prony.

use crate::failure::{Code, Failure};
use ask::load_machines::AgentHost;
use model::patience::Patience;
use say::Language;
use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use sut::remote::Shell;
use sut::{Engine, Guard};

/// The sub-command of an agent that gets its order on its standard input.
const AGENT: &str = "__agent";
/// The folder for the files of an agent in a container.
const IN_CONTAINER: &str = "/tmp";

/// The hosts on which agents are started.
pub(super) struct Stations(pub(super) Vec<Station>);

/// A host that is ready to start agents.
#[derive(Clone)]
pub(super) enum Station {
    /// This machine.
    Local,
    /// A container on this machine, with the program to run in it.
    Container(Arc<Engine>, PathBuf),
    /// Another machine.
    Ssh(Shell, String),
}

impl Stations {
    /// Puts prony on each host that does not have it.
    pub(super) fn prepare(hosts: &[AgentHost], quiet: bool, lang: Language) -> Result<Self, Failure> {
        let mut ready: Vec<(&AgentHost, Station)> = Vec::new();
        for host in hosts {
            let known = ready.iter().find(|(other, _)| *other == host);
            let station = match known {
                Some((_, station)) => station.clone(),
                None => Station::prepare(host, quiet, lang)?,
            };
            ready.push((host, station));
        }
        Ok(Self(ready.into_iter().map(|(_, station)| station).collect()))
    }

    /// Checks that a target at the loopback of this machine is loaded by agents of this machine only.
    pub(super) fn check_reach(&self, target: SocketAddr) -> Result<(), Failure> {
        let elsewhere = |station: &Station| match station {
            Station::Ssh(_, name) => Some(name.clone()),
            Station::Local | Station::Container(..) => None,
        };
        match self.0.iter().find_map(elsewhere) {
            Some(agent) if target.ip().is_loopback() => {
                Err(Failure::usage(fleet::Error::OnlyLoopback { agent, target: target.to_string() }))
            }
            _ => Ok(()),
        }
    }

    /// The address of this machine at which all hosts reach it.
    pub(super) fn our_address(&self) -> Result<IpAddr, Failure> {
        let mut seen = BTreeSet::new();
        for station in &self.0 {
            if let Station::Ssh(shell, _) = station {
                seen.insert(shell.our_address().map_err(start)?);
            }
        }
        let mut seen = seen.into_iter();
        match (seen.next(), seen.next()) {
            (None, _) => Ok(Ipv4Addr::LOCALHOST.into()),
            (Some(Some(address)), None) => Ok(address),
            (first, second) => {
                let addresses = first.into_iter().chain(second).chain(seen).flatten();
                let seen: Vec<String> = addresses.map(|address| address.to_string()).collect();
                let seen = seen.join(", ");
                Err(Failure::usage(fleet::Error::NoCommonAddress { seen }))
            }
        }
    }
}

impl Station {
    fn prepare(host: &AgentHost, quiet: bool, lang: Language) -> Result<Self, Failure> {
        match host {
            AgentHost::Local => Ok(Self::Local),
            AgentHost::Podman => {
                let engine = Engine::find(&Guard::this_program()).map_err(start)?;
                let program = std::env::current_exe();
                let program = program?;
                Ok(Self::Container(Arc::new(engine), program))
            }
            AgentHost::Ssh(url) => {
                let shell = Shell::with_prony(url, &mut |step| {
                    if !quiet {
                        eprintln!("{}", say::text(&step, lang));
                    }
                });
                let name = url.destination.rsplit('@').next().unwrap_or_default();
                Ok(Self::Ssh(shell.map_err(start)?, name.replace('.', "-")))
            }
        }
    }

    /// The agent of this number, for a run with this cache and work folder. A host's name is in the id of its agent, which reports show.
    pub(super) fn agent(
        &self,
        number: usize,
        cache: &Path,
        work: &Path,
        patience: Patience,
    ) -> fleet::AgentPlace {
        let id = match self {
            Self::Ssh(_, name) => format!("agent-{number}-{name:.40}"),
            Self::Local | Self::Container(..) => format!("agent-{number}"),
        };
        let command: Command = match self {
            Self::Local => {
                let mut command = Guard::this_program().command("/proc/self/exe");
                command.arg(AGENT).arg(cache);
                command
            }
            Self::Container(engine, program) => engine.attended(program, work, &[AGENT, IN_CONTAINER]),
            Self::Ssh(shell, _) => shell.prony_command(AGENT, patience),
        };
        fleet::AgentPlace { id, command }
    }
}

fn start(error: sut::Error) -> Failure {
    Failure::new(Code::Start, error)
}
