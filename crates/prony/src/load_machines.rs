//! Lets the machines that an experiment names make its load.

mod stations;

use crate::failure::Failure;
use crate::home::Home;
use crate::message;
use crate::run_context::RunContext;
use crate::run_id;
use ask::experiment::Experiment;
use ask::load_machines::{AgentHost, AgentPlace, OnLoss};
use ask::slip::FleetSlip;
use fleet::{Creds, Crew, CrewSpec, Placed, Places};
use lab::Bench;
use load::{Announced, FleetStatus, Generator, LoadSession};
use model::patience::Patience;
use say::{Language, Say};
use stations::Stations;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use sut::{Guard, WorkFolder};
use traffic::load_note::LoadNote;
use traffic::plan::{Plan, Target};

/// A fleet for servers behind a link that is in this machine.
#[derive(Debug, Say)]
#[say(
    error,
    en = "{slip}",
    zh = "{slip}",
    hint(en = "leave --fleet or [link] out", zh = "请去掉 --fleet 或 [link]"),
    slip = FleetSlip::BehindLink
)]
pub(crate) struct FleetBehindLink;

/// The servers of a run can be reached from other machines.
#[derive(Debug, Say)]
#[say(
    en = "servers listen on {at} until the run ends, because agents on other machines load them",
    zh = "运行期间服务器监听 {at}，因为其他机器上的压测机要访问它们"
)]
pub(crate) struct ServersListen {
    /// Where.
    pub(crate) at: IpAddr,
}

/// Gathers the agents of the experiment, and lets them make its load; without any, this machine makes it.
pub(crate) fn let_them_load(
    bench: Bench,
    experiment: &Experiment,
    context: &RunContext,
) -> Result<Bench, Failure> {
    let Some(machines) = &experiment.load.machines else {
        return Ok(bench);
    };
    if experiment.link.is_some() {
        return Err(Failure::usage(FleetBehindLink));
    }
    let (bench, server, creds, placed) = match &machines.place {
        AgentPlace::Nats(server) => {
            let creds = machines.creds.as_deref().map(Creds::read).transpose();
            let bench = match machines.listen {
                Some(address) => listening_on(bench, address, context),
                None => bench,
            };
            (bench, server.clone(), creds.map_err(Failure::usage)?, None)
        }
        AgentPlace::Hosts(hosts) => {
            let stations = Stations::prepare(hosts, context.quiet, context.lang())?;
            let at = machines.listen.map_or_else(|| stations.our_address(), Ok)?;
            let bench = listening_on(bench, at, context);
            let (cache, patience) = (&context.home.cache, context.patience);
            let placed =
                PlacedAgents::start(&stations, machines.agents, at, bench.targets(), cache, patience)?;
            let (server, creds) = placed.server();
            (bench, server, Some(creds), Some(placed))
        }
    };
    let spec = CrewSpec {
        server,
        creds,
        agents: machines.agents,
        run: run_id::new()?,
        continues: machines.on_loss == OnLoss::Continue,
        patience: context.patience,
    };
    let (quiet, lang) = (context.quiet, context.lang());
    let on_event = Box::new(move |event| {
        if !quiet {
            message::tell(&event, lang);
        }
    });
    let crew = Crew::gather(spec, &context.stop, on_event).map_err(Failure::usage)?;
    crew.check_reach(&bench.targets()).map_err(Failure::usage)?;
    Ok(bench.loaded_by(Arc::new(LoadingCrew { crew, _placed: placed })))
}

/// Lets the servers listen where agents reach them, and says so, because others on that network reach them, too.
fn listening_on(bench: Bench, at: IpAddr, context: &RunContext) -> Bench {
    if !at.is_loopback() && !context.quiet {
        message::tell(&ServersListen { at }, context.lang());
    }
    bench.listening_on(at)
}

/// Agents that were started for the run, with the folder of their secrets.
#[derive(Debug)]
pub(crate) struct PlacedAgents {
    agents: Placed,
    _folder: WorkFolder,
}

impl PlacedAgents {
    /// Starts so many agents that load the servers of a plan, on each host in turn.
    pub(crate) fn for_plan(
        hosts: &[AgentHost],
        agents: usize,
        plan: &Plan,
        patience: Patience,
        quiet: bool,
        lang: Language,
    ) -> Result<Self, Failure> {
        let stations = Stations::prepare(hosts, quiet, lang)?;
        // A Unix socket is a file of this machine; agents refuse it themselves.
        let address = |target: &Target| match target {
            Target::Tcp(address) => Some(*address),
            Target::Unix(_) => None,
        };
        let addresses: Vec<SocketAddr> = plan.targets().filter_map(address).collect();
        for address in &addresses {
            stations.check_reach(*address)?;
        }
        let allow = addresses.iter().map(ToString::to_string).collect();
        Self::start(&stations, agents, stations.our_address()?, allow, &Home::find()?.cache, patience)
    }

    /// The NATS server to which the agents connect, and who the coordinator is for it.
    pub(crate) fn server(&self) -> (String, Creds) {
        (self.agents.server.clone(), self.agents.creds.clone())
    }

    /// Starts so many agents, on each host in turn.
    fn start(
        stations: &Stations,
        agents: usize,
        at: IpAddr,
        allow: Vec<String>,
        cache: &Path,
        patience: Patience,
    ) -> Result<Self, Failure> {
        let folder = WorkFolder::create(cache, run_id::seed()?)?;
        let of_number = stations.0.iter().cycle().zip(1..=agents);
        let agents = Placed::start(Places {
            folder: folder.path(),
            server: Guard::this_program().command("nats-server"),
            at,
            allow,
            patience,
            agents: of_number
                .map(|(station, number)| station.agent(number, cache, folder.path(), patience))
                .collect(),
        });
        Ok(Self { agents: agents.map_err(Failure::usage)?, _folder: folder })
    }
}

/// A crew, and its agents if they were started for it. The agents end after the crew was dismissed.
#[derive(Debug)]
struct LoadingCrew {
    crew: Crew,
    _placed: Option<PlacedAgents>,
}

impl Generator for LoadingCrew {
    fn open(&self, plan: Plan) -> Result<Box<dyn LoadSession>, load::Error> {
        self.crew.open(plan)
    }

    fn announce(&self, slices: &[Announced]) -> Result<(), load::Error> {
        self.crew.announce(slices)
    }

    fn fleet_status(&self) -> Option<FleetStatus> {
        self.crew.fleet_status()
    }

    fn is_whole(&self) -> bool {
        self.crew.is_whole()
    }

    fn notes(&self) -> Vec<LoadNote> {
        self.crew.notes()
    }
}
