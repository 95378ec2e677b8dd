//! Lets the machines that an experiment names make its load.

mod stations;

use crate::failure::{Code, Failure};
use crate::home::Home;
use crate::run_context::RunContext;
use crate::run_id;
use crate::say::StatusLine;
use crate::say::complaint::LoadComplaint;
use fleet::{Creds, Crew, CrewSpec, Placed, Places};
use lab::Bench;
use load::{Announced, FleetStatus, Generator, LoadSession};
use model::experiment::Experiment;
use model::load_machines::{AgentHost, AgentPlace, OnLoss};
use model::note::LoadNote;
use model::patience::Patience;
use model::plan::{Plan, Target};
use report::Lang;
use stations::Stations;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use sut::{Guard, WorkFolder};

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
        return Err(Failure::usage(LoadComplaint::FleetBehindLink));
    }
    let (bench, server, creds, placed) = match &machines.place {
        AgentPlace::Nats(server) => {
            let creds = machines.creds.as_deref().map(Creds::read).transpose();
            let bench = match machines.listen {
                Some(address) => listening_on(bench, address, context),
                None => bench,
            };
            (bench, server.clone(), creds.map_err(usage)?, None)
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
            eprintln!("{}", ::say::text(&event, lang));
        }
    });
    let crew = Crew::gather(spec, &context.stop, on_event).map_err(usage)?;
    crew.check_reach(&bench.targets()).map_err(usage)?;
    Ok(bench.loaded_by(Arc::new(LoadingCrew { crew, _placed: placed })))
}

/// Lets the servers listen where agents reach them, and says so, because others on that network reach them, too.
fn listening_on(bench: Bench, at: IpAddr, context: &RunContext) -> Bench {
    if !at.is_loopback() && !context.quiet {
        StatusLine::ServersListen { at }.tell(context.lang());
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
        lang: Lang,
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
        let folder = WorkFolder::create(cache, run_id::seed()?).map_err(internal)?;
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
        Ok(Self { agents: agents.map_err(usage)?, _folder: folder })
    }
}

/// A crew, and the agents of which it consists if they were started for it. These end after the crew was dismissed.
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

fn internal(error: sut::Error) -> Failure {
    Failure::new(Code::Internal, error)
}

fn usage(error: fleet::Error) -> Failure {
    Failure::new(Code::Usage, error)
}
