//! Scenarios in an experiment: every arm is sent the same sessions of steps.

use super::{Experiment, jmx};
use crate::available::Available;
use crate::diagnostic::Diagnostic;
use crate::node::{Node, Table};
use crate::scenario::{Program, Resources};
use crate::scenario_file::read;
use crate::slip::{Advice, Hint, ScenarioSlip};

/// Keys of `[load]` that are for single requests.
const OF_REQUESTS: [&str; 2] = ["find", "think"];

/// Reads `vars`, `data` and `scenario`; `None` where the file has no scenarios.
pub(super) fn read_sessions(
    table: &mut Table<'_>,
    known: &Available,
    problems: &mut Vec<Diagnostic>,
) -> Option<Box<Program>> {
    if let Some(program) = jmx::read_plan(table, known, problems) {
        return Some(program);
    }
    let folder = known.folder.clone();
    let resources = Resources {
        read: &|path| match known.read_file {
            Some(read) => read(&folder.join(path)).map_err(|error| error.to_string()),
            None => (Resources::NONE.read)(path),
        },
        environment: &|name| known.environment.and_then(|value_of| value_of(name)),
    };
    let program = read(table, &resources, problems)?;
    if let Some(server) = program.servers.first()
        && let Some(scenarios) = table.get("scenario")
    {
        let slip = ScenarioSlip::OtherServer(server.clone());
        problems.push(scenarios.refuse(slip).hint(Advice::PathForm));
    }
    if let Some(requests) = table.get("request") {
        problems.push(requests.refuse(ScenarioSlip::RequestsToo).hint(Advice::LeaveOneOut));
    }
    Some(Box::new(program))
}

/// Refuses what scenarios have no use for: their users think as their steps say, and a search is one for a rate or a number of single
/// requests.
pub(super) fn adapt(experiment: &Experiment, root: &Node, problems: &mut Vec<Diagnostic>) {
    if experiment.workload.sessions.is_none() {
        return;
    }
    for of_profile in [Some(root), root.get("quick")].into_iter().flatten() {
        for key in OF_REQUESTS {
            let value = of_profile.get("load").and_then(|table| table.get(key));
            if let Some(value) = value {
                let slip = ScenarioSlip::OfRequests(key);
                problems.push(value.refuse(slip).hint(Hint::LeaveOut(key)));
            }
        }
    }
}
