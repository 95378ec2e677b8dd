//! Lets the machines that an experiment names make its load.

use crate::failure::{Code, Failure};
use crate::run_context::RunContext;
use crate::say::complaint::LoadComplaint;
use crate::{run_id, say};
use fleet::{Creds, Crew, CrewSpec, Placed};
use lab::Bench;
use load::{Announced, FleetStatus, Generator, LoadSession};
use model::experiment::Experiment;
use model::load_machines::{AgentHost, AgentPlace, LoadMachines, OnLoss};
use model::note::LoadNote;
use model::plan::Plan;
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
    let (quiet, lang) = (context.quiet, context.lang());
    let on_event = Box::new(move |event| {
        if !quiet {
            eprintln!("{}", say::fleet::crew_event(&event, lang));
        }
    });
    let (server, creds, placed) = match &machines.place {
        AgentPlace::Nats(server) => {
            let creds = machines.creds.as_deref().map(Creds::read).transpose();
            (server.clone(), creds.map_err(usage)?, None)
        }
        AgentPlace::Hosts(hosts) => {
            let placed = PlacedAgents::start(hosts, machines, &context.home.cache)?;
            let Placed { server, creds, .. } = &placed.agents;
            (server.clone(), Some(creds.clone()), Some(placed))
        }
    };
    let spec = CrewSpec {
        server,
        creds,
        agents: machines.agents,
        run: run_id::new()?,
        continues: machines.on_loss == OnLoss::Continue,
    };
    let crew = Crew::gather(spec, &context.stop, on_event).map_err(usage)?;
    Ok(bench.loaded_by(Arc::new(LoadingCrew {
        crew,
        _placed: placed,
    })))
}

/// Agents that were started for the run, with the folder of their secrets.
#[derive(Debug)]
struct PlacedAgents {
    agents: Placed,
    _folder: WorkFolder,
}

impl PlacedAgents {
    fn start(hosts: &[AgentHost], machines: &LoadMachines, cache: &Path) -> Result<Self, Failure> {
        debug_assert!(hosts.iter().all(|host| *host == AgentHost::Local));
        let folder = WorkFolder::create(cache, run_id::seed()?)?;
        let guard = Guard::this_program();
        let agents = Placed::start(
            machines.agents,
            folder.path(),
            Path::new("/proc/self/exe"),
            &|program| guard.command(program),
        );
        Ok(Self {
            agents: agents.map_err(usage)?,
            _folder: folder,
        })
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

fn usage(error: fleet::Error) -> Failure {
    Failure::new(Code::Usage, error)
}
