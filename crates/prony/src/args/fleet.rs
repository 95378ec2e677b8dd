//! The flags of an experiment that agents load.

use ask::load_machines::{AgentPlace, LoadMachines};
use clap::{Args, ValueEnum};
use say::Say;
use std::path::PathBuf;

/// Other machines that make the load of an experiment; these flags override the `[fleet]` of its file.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct LoadMachinesArgs {
    /// Let agents make the load, which they share: the NATS server where they wait, such as nats://10.0.0.1:4222, or the hosts on which
    /// prony starts them, such as ssh://a,ssh://me@b; `local` and `podman` are this machine.
    #[arg(long = "fleet", value_name = "WHERE", value_parser = AgentPlace::parse)]
    pub(crate) place: Option<AgentPlace>,
    /// The number of agents; users and rate are divided among them.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=3000))]
    pub(crate) agents: Option<u32>,
    /// The user and password for the NATS server: a TOML file of mode 0600.
    #[arg(long = "creds", value_name = "FILE")]
    pub(crate) creds: Option<PathBuf>,
    /// What the result is when an agent was lost.
    #[arg(long, value_name = "HOW")]
    pub(crate) on_loss: Option<OnLoss>,
}

/// Why flags of a fleet are of no use.
#[derive(Debug, Say)]
#[say(error)]
pub(crate) enum FleetComplaint {
    /// Flags of a fleet without one.
    #[say(
        en = "these are flags of a fleet, and there is none",
        zh = "给出了压测机的参数，却没有压测机",
        hint(
            en = "add --fleet nats://HOST:4222, or --fleet local for agents on this machine",
            zh = "请加上 --fleet nats://HOST:4222，或 --fleet local（在本机启动压测机）"
        )
    )]
    NoFleet,
    /// `--resume` or `--creds` with agents that prony starts.
    #[say(
        en = "--resume and --creds are for agents that wait at a NATS server; those that prony starts end \
              with it",
        zh = "--resume 和 --creds 只用于在 NATS 服务器等候的压测机；prony 启动的压测机会随它一起结束",
        hint(
            en = "leave the flag out, or name the server: --fleet nats://HOST:4222",
            zh = "请去掉该参数，或指定服务器：--fleet nats://HOST:4222"
        )
    )]
    PlacedAgentsEnd,
}

impl LoadMachinesArgs {
    /// Writes the flags over the machines of a file.
    ///
    /// # Errors
    ///
    /// When there are flags of a fleet, and neither they nor the file say where it is; when there are credentials for agents that prony
    /// starts.
    pub(crate) fn override_machines(
        &self,
        machines: &mut Option<LoadMachines>,
    ) -> Result<(), FleetComplaint> {
        if let Some(place) = &self.place {
            // Where this machine is reached does not depend on who the agents are.
            let listen = machines.as_ref().and_then(|machines| machines.listen);
            *machines = Some(LoadMachines { listen, ..LoadMachines::new(place.clone(), None) });
        }
        let is_asked = self.agents.is_some() || self.creds.is_some() || self.on_loss.is_some();
        let Some(machines) = machines else {
            return if is_asked { Err(FleetComplaint::NoFleet) } else { Ok(()) };
        };
        if self.creds.is_some() && matches!(machines.place, AgentPlace::Hosts(_)) {
            return Err(FleetComplaint::PlacedAgentsEnd);
        }
        if let Some(agents) = self.agents {
            *machines = LoadMachines {
                creds: machines.creds.clone(),
                listen: machines.listen,
                on_loss: machines.on_loss,
                ..LoadMachines::new(machines.place.clone(), Some(agents as usize))
            };
        }
        machines.creds = self.creds.clone().or_else(|| machines.creds.take());
        machines.on_loss = match self.on_loss {
            None => machines.on_loss,
            Some(OnLoss::Invalid) => ask::load_machines::OnLoss::Invalid,
            Some(OnLoss::Continue) => ask::load_machines::OnLoss::Continue,
        };
        Ok(())
    }
}

/// What becomes of a result when an agent was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnLoss {
    /// It is invalid, because it is not of the load that was asked for.
    Invalid,
    /// It is taken as the result of a smaller load, and the report says so.
    Continue,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_keep_the_address_at_which_this_machine_is_reached() {
        let waiting = AgentPlace::parse("nats://10.0.0.1:4222").unwrap();
        let listen = "10.0.0.1".parse().ok();
        let mut machines = Some(LoadMachines { listen, ..LoadMachines::new(waiting, None) });
        let flags = LoadMachinesArgs {
            place: AgentPlace::parse("ssh://a,ssh://b").ok(),
            agents: Some(4),
            ..LoadMachinesArgs::default()
        };
        flags.override_machines(&mut machines).unwrap();
        let machines = machines.unwrap();
        assert_eq!((machines.listen, machines.agents), (listen, 4));
        assert_eq!(Some(machines.place), flags.place);
    }
}
