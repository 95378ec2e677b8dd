//! Scenarios in an experiment: every arm is sent the same sessions of steps.

use super::Experiment;
use crate::available::Available;
use crate::diagnostic::Diagnostic;
use crate::node::{Node, Table};
use crate::scenario::{Program, Resources, read};
use crate::slip::{Advice, Hint, ScenarioSlip};

/// Keys that need a rate of single requests, by their tables.
const OF_REQUESTS: [(&str, &str); 7] = [
    ("load", "find"),
    ("load", "think"),
    ("design", "latency_pairs"),
    ("design", "latency_rate"),
    ("design", "latency_slice"),
    ("design", "curve"),
    ("design", "pace"),
];

/// Reads `vars`, `data` and `scenario`; `None` where the file has no scenarios.
pub(super) fn read_sessions(
    table: &mut Table<'_>,
    known: &Available,
    problems: &mut Vec<Diagnostic>,
) -> Option<Box<Program>> {
    let folder = known.folder.clone();
    let resources = Resources {
        read: &|path| match known.read_file {
            Some(read) => read(&folder.join(path)).map_err(|error| error.to_string()),
            None => (Resources::NONE.read)(path),
        },
        environment: &|name| known.environment.and_then(|value_of| value_of(name)),
    };
    let program = read(table, &resources, problems)?;
    if let Some(requests) = table.get("request") {
        problems.push(
            requests
                .refuse(ScenarioSlip::RequestsToo)
                .hint(Advice::LeaveOneOut),
        );
    }
    Some(Box::new(program))
}

/// Compares scenarios in the closed loop only, because a rate of requests is none of sessions.
pub(super) fn adapt(experiment: &mut Experiment, root: &Node, problems: &mut Vec<Diagnostic>) {
    if experiment.workload.sessions.is_none() {
        return;
    }
    for of_profile in [Some(root), root.get("quick")].into_iter().flatten() {
        for (table, key) in OF_REQUESTS {
            let value = of_profile.get(table).and_then(|table| table.get(key));
            let is_off = |value: &&Node| key == "latency_pairs" && value.integer(0..=0).is_ok();
            if let Some(value) = value.filter(|value| !is_off(value)) {
                let slip = ScenarioSlip::OfRequests(key);
                problems.push(value.refuse(slip).hint(Hint::LeaveOut(key)));
            }
        }
    }
    experiment.design.latency_pairs = 0;
    experiment.design.tune_latency = false;
    let headline = experiment.design.headline.one();
    if let Some((why, hint)) = headline.and_then(|measure| experiment.design.why_not_measured(measure)) {
        let place = root.get("design").unwrap_or(root).entry("headline");
        problems.push(place.refuse(why).hint(hint));
    }
}
