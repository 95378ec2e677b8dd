//! Scenarios in an experiment: every arm is sent the same sessions of steps.

use super::{Experiment, jmx};
use crate::available::Available;
use crate::diagnostic::Diagnostic;
use crate::node::{Node, Table, Value};
use crate::scenario_file::read;
use crate::slip::{Advice, Hint, ScenarioSlip};
use std::path::PathBuf;
use traffic::scenario::{Program, Resources};

/// Keys of `[load]` that are for single requests.
const OF_REQUESTS: [&str; 2] = ["find", "think"];

/// Returns the files that the scenarios of a file name: tables of data, bodies, and parts of bodies.
pub(super) fn files(root: &Node) -> Vec<PathBuf> {
    let Some(scenarios) = root.get("scenario") else {
        return Vec::new();
    };
    let mut files = Vec::new();
    let sources = root.get("data").map_or(&[][..], Node::items);
    files.extend(sources.iter().filter_map(|source| source.get("file")).filter_map(path));
    scenarios.items().iter().for_each(|scenario| files_of_steps(scenario, &mut files));
    files
}

/// Collects the files that the steps of a scenario or of a group name.
fn files_of_steps(of: &Node, files: &mut Vec<PathBuf>) {
    for step in of.get("step").map_or(&[][..], Node::items) {
        files.extend(step.get("body_file").and_then(path));
        if let Some(Value::Table(parts)) = step.get("multipart").map(|parts| &parts.value) {
            files.extend(parts.iter().filter_map(|(_, part)| part.get("file")).filter_map(path));
        }
        files_of_steps(step, files);
    }
}

fn path(node: &Node) -> Option<PathBuf> {
    node.text().ok().map(PathBuf::from)
}

/// Reads `vars`, `data` and `scenario`; `None` where the file has no scenarios.
pub(super) fn read_sessions(
    table: &mut Table<'_>,
    known: &Available,
    problems: &mut Vec<Diagnostic>,
) -> Option<Box<Program>> {
    if let Some(program) = jmx::read_plan(table, known, problems) {
        return Some(program);
    }
    let resources = Resources {
        read: &|path| known.files.get(path).cloned().unwrap_or_else(|| (Resources::NONE.read)(path)),
        environment: &|name| known.environment.get(name).cloned(),
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
