//! [`LoadMachines`]: the machines that make the load together, in the place of this one.

use crate::diagnostic::Diagnostic;
use crate::host::HostUrl;
use crate::node::{Node, Table};
use crate::slip::{Advice, FleetSlip, TableName};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;

/// The most agents of a fleet.
pub const MOST_AGENTS: u64 = 3000;

/// The machines that make the load together: agents, which divide it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoadMachines {
    /// Where the agents are.
    pub place: AgentPlace,
    /// How many agents make the load.
    pub agents: usize,
    /// The file with the user and password of the coordinator at the NATS server; `None` where the server lets everybody in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub creds: Option<PathBuf>,
    /// The address of this machine at which agents reach the servers, and the NATS server that prony starts. `None` means the one by
    /// which the hosts see this machine, and for agents that wait at a NATS server the loopback.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listen: Option<IpAddr>,
    /// What becomes of the result when an agent is lost.
    pub on_loss: OnLoss,
}

/// Where agents are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AgentPlace {
    /// Somebody has started them, and they wait at this NATS server.
    Nats(String),
    /// prony starts them on these hosts for the run, together with a NATS server of its own.
    Hosts(Vec<AgentHost>),
}

/// A host on which prony starts an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AgentHost {
    /// This machine.
    Local,
    /// This machine, in a container of podman or docker with the network of the machine.
    Podman,
    /// A machine that the user's own ssh reaches.
    Ssh(HostUrl),
}

/// What becomes of a result when an agent was lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnLoss {
    /// It is invalid, because it is not the load that was asked for.
    #[default]
    Invalid,
    /// It counts as the result of a smaller load, and the report says so.
    Continue,
}

impl OnLoss {
    /// All variants.
    pub const ALL: [Self; 2] = [Self::Invalid, Self::Continue];

    /// The name in files.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Invalid => "invalid",
            Self::Continue => "continue",
        }
    }
}

impl AgentPlace {
    /// Reads `nats://HOST:PORT`, or hosts with commas between them, as the command line has them.
    ///
    /// # Errors
    ///
    /// What is wrong with the text.
    pub fn parse(text: &str) -> Result<Self, FleetSlip> {
        if text.contains("://") && !text.contains(',') && !text.starts_with("ssh://") {
            return Self::nats(text);
        }
        let hosts = text.split(',').map(|host| AgentHost::parse(host.trim()));
        Ok(Self::Hosts(hosts.collect::<Result<_, _>>()?))
    }

    fn nats(text: &str) -> Result<Self, FleetSlip> {
        let is_server = |text: &str| !text.is_empty() && !text.contains(char::is_whitespace);
        let schemes = ["nats://", "tls://"];
        let host = schemes.iter().find_map(|scheme| text.strip_prefix(scheme));
        match host.filter(|host| is_server(host)) {
            Some(_) => Ok(Self::Nats(text.to_owned())),
            None => Err(FleetSlip::NotAServer(text.to_owned())),
        }
    }

    /// The least number of agents: one on each host.
    fn least_agents(&self) -> usize {
        match self {
            Self::Nats(_) => 1,
            Self::Hosts(hosts) => hosts.len(),
        }
    }
}

impl fmt::Display for AgentPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nats(server) => f.write_str(server),
            Self::Hosts(hosts) => {
                let hosts: Vec<String> = hosts.iter().map(AgentHost::to_string).collect();
                f.write_str(&hosts.join(","))
            }
        }
    }
}

impl AgentHost {
    fn parse(text: &str) -> Result<Self, FleetSlip> {
        match text {
            "local" => Ok(Self::Local),
            "podman" => Ok(Self::Podman),
            _ => HostUrl::parse(text).map(Self::Ssh).ok_or_else(|| FleetSlip::NotAHost(text.to_owned())),
        }
    }
}

impl fmt::Display for AgentHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Local => f.write_str("local"),
            Self::Podman => f.write_str("podman"),
            Self::Ssh(host) => host.fmt(f),
        }
    }
}

impl LoadMachines {
    /// The machines at a place that divide the load among `agents` agents. `None` means one agent on each host.
    pub fn new(place: AgentPlace, agents: Option<usize>) -> Self {
        Self {
            agents: agents.unwrap_or(1).max(place.least_agents()),
            place,
            creds: None,
            listen: None,
            on_loss: OnLoss::Invalid,
        }
    }

    /// Reads `[fleet]`.
    pub(crate) fn read(of: &mut Table<'_>, problems: &mut Vec<Diagnostic>) -> Option<Self> {
        let node = of.get("fleet")?;
        let mut table = Table::open_or_tell(node, TableName::Key("[fleet]"), problems)?;
        let nats = table.read("nats", problems, |node| {
            AgentPlace::nats(node.text()?).map_err(|slip| node.refuse(slip).hint(Advice::FleetServer))
        });
        let hosts = table.read("hosts", problems, hosts);
        let agents = table.read("agents", problems, |node| node.integer(1..=MOST_AGENTS));
        let creds = table.read("creds", problems, |node| Ok(PathBuf::from(node.text()?)));
        let listen = table.read("listen", problems, listen);
        let on_loss = table.read("on_loss", problems, |node| node.one_of(&OnLoss::ALL, OnLoss::id));
        let has_both = table.get("nats").is_some() && table.get("hosts").is_some();
        let has_neither = table.get("nats").is_none() && table.get("hosts").is_none();
        table.finish(problems);
        if has_both {
            problems.push(node.refuse(FleetSlip::TwoPlaces).hint(Advice::LeaveOneOut));
        }
        if has_neither {
            problems.push(node.refuse(FleetSlip::NoPlace).hint(Advice::FleetPlaces));
        }
        if of.get("link").is_some() {
            problems.push(node.refuse(FleetSlip::BehindLink).hint(Advice::LeaveOneOut));
        }
        let machines = Self::new(nats.or(hosts)?, agents.map(|agents| agents as usize));
        Some(Self { creds, listen, on_loss: on_loss.unwrap_or_default(), ..machines })
    }
}

fn hosts(node: &Node) -> Result<AgentPlace, Diagnostic> {
    let nodes = node.list()?;
    if nodes.is_empty() {
        return Err(node.refuse(FleetSlip::NoPlace).hint(Advice::FleetPlaces));
    }
    let host = |node: &Node| {
        AgentHost::parse(node.text()?).map_err(|slip| node.refuse(slip).hint(Advice::FleetHosts))
    };
    let hosts = nodes.iter().map(host).collect::<Result<_, _>>()?;
    Ok(AgentPlace::Hosts(hosts))
}

/// An address of an interface; the load could not be sent to "all of them".
fn listen(node: &Node) -> Result<IpAddr, Diagnostic> {
    let text = node.text()?;
    let address = text.parse().ok().filter(|address: &IpAddr| !address.is_unspecified());
    address.ok_or_else(|| node.refuse(FleetSlip::NotAnAddress(text.to_owned())).hint(Advice::FleetListen))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_read_as_it_is_written() {
        for text in [
            "nats://10.0.0.1:4222",
            "tls://nats.example",
            "local",
            "local,local",
            "podman",
            "ssh://a",
            "ssh://a,ssh://me@b:2222,local",
        ] {
            assert_eq!(AgentPlace::parse(text).unwrap().to_string(), text);
        }
        for text in ["", "nats://", "http://a", "locally", "local,,local", "nats://a b", "ssh://-a"] {
            assert!(AgentPlace::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn every_host_has_an_agent() {
        let agents = |text: &str, agents| LoadMachines::new(AgentPlace::parse(text).unwrap(), agents).agents;
        assert_eq!(agents("local", None), 1);
        assert_eq!(agents("local", Some(3)), 3);
        assert_eq!(agents("local,local", Some(1)), 2);
        assert_eq!(agents("nats://a", None), 1);
    }
}
