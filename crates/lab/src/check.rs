//! What can be known of a run before anything is fetched, built or started: what would keep it from beginning, and its time.

use crate::bench::{check_memory, check_surroundings, release};
use crate::containers::Containers;
use crate::deployment::{configuration_changes, configured};
use crate::error::{Error, at};
use crate::isolation::MachineTopology;
use crate::jdks;
use crate::setup;
use ask::arm::{Arm, agent_file};
use ask::experiment::Experiment;
use ask::kind::Kind;
use judge::{inspections, planning, round_time};
use model::units::{Bytes, Nanos, Seconds};
use probe::host;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use sut::{ConfigurationError, ConnectorAttributes, Engine, Pins, Program, Site};

/// How long a run takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlannedTime {
    /// At most; `None` with neither a most number of starts nor a budget. The first start is finished even if it takes longer.
    pub at_most: Option<Nanos>,
    /// On a quiet machine.
    pub typically: Nanos,
}

/// How long a run of an experiment should take, by a guess of how long a start takes.
pub fn planned_time(experiment: &Experiment) -> PlannedTime {
    let design = &experiment.design;
    let round = round_time::guess_time(experiment);
    let profiled = match design.profiled_starts {
        0 => Seconds::ZERO,
        starts => f64::from(starts) * inspections::profile_time(experiment, &[]),
    };
    let afterwards = inspections::time(experiment, &[]) + profiled;
    let by_cap = design.starts.map(|starts| f64::from(starts) * round + afterwards);
    let by_budget = design.budget.map(Seconds::from);
    let at_most = [by_cap, by_budget].into_iter().flatten().reduce(Seconds::min);
    PlannedTime {
        at_most: at_most.map(|time| Nanos::from(time.max(round + afterwards))),
        typically: planning::typical_duration(experiment, round_time::round_time(experiment, &[]))
            + Nanos::from(afterwards),
    }
}

/// Everything that would keep a run of the experiment from beginning on this machine, as far as it shows without a download, a build
/// or a start. Of arms that `is_known` does not accept, by index, only what is independent of the version of their server and of
/// their WAR or jar is checked. Paths of the experiment are absolute.
pub fn obstacles(experiment: &Experiment, site: &Site, is_known: impl Fn(usize) -> bool) -> Vec<Error> {
    let mut found = Vec::new();
    let mut check = |result: Result<(), Error>| {
        if let Err(error) = result
            && !found.iter().any(|known: &Error| known.to_string() == error.to_string())
        {
            found.push(error);
        }
    };
    if let Some(memory) = host::memory() {
        check(check_memory(experiment, Bytes(memory)));
    }
    check(MachineTopology::read().isolation(experiment).map(drop));
    let mut engine = None;
    for (index, arm) in experiment.arms.iter().enumerate() {
        let alone = Experiment { arms: vec![arm.clone()], ..experiment.clone() };
        check(check_arm(&alone, &mut engine, site, is_known(index)));
    }
    // Which JDK each arm gets is not known yet; arms that ask for another one differ.
    let jdks = experiment.arms.iter().map(|arm| format!("{:?}", arm.jdk));
    check(setup::check(experiment, &jdks.collect::<Vec<_>>()));
    found
}

/// Checks the only arm of an experiment. `engine` is the engine of containers that was found for another arm.
fn check_arm(
    alone: &Experiment,
    engine: &mut Option<Arc<Engine>>,
    site: &Site,
    is_version_known: bool,
) -> Result<(), Error> {
    let stop = AtomicBool::new(false);
    let containers = Containers::prepare_with(engine, alone, site, &stop)?;
    check_surroundings(alone, site, &containers)?;
    for arm in &alone.arms {
        check_options(arm, is_version_known, site, &stop).map_err(at(arm))?;
    }
    Ok(())
}

/// Checks the files and settings that an arm names, and if its version is known the JDK and the settings of its server.
fn check_options(
    arm: &Arm,
    is_version_known: bool,
    site: &Site,
    stop: &AtomicBool,
) -> Result<(), sut::Error> {
    let mut agents = arm.jvm_options.iter().filter_map(|option| agent_file(option));
    // On another host the file is there, or not.
    if let Some(path) = agents.find(|file| arm.host.is_none() && !file.is_file()) {
        return Err(ConfigurationError::NoAgent { path: path.to_owned() }.into());
    }
    configuration_changes(arm)?;
    if !is_version_known {
        return Ok(());
    }
    let release = release(arm, &Pins::default())?;
    jdks::check(arm, release.as_ref(), site, stop)?;
    let home = release.and_then(|release| sut::fetch::cached(&release, site)).map(|tree| tree.home);
    match home.filter(|_| Kind::named(&arm.server) == Some(Kind::Tomcat)) {
        Some(home) => check_attributes(arm, &home),
        None => Ok(()),
    }
}

/// Fails if the Connector of a Tomcat that was fetched before has no such attribute.
fn check_attributes(arm: &Arm, home: &Path) -> Result<(), sut::Error> {
    let names: Vec<String> = match configured(arm) {
        Some(Program::Tomcat(tomcat)) => tomcat.own_attributes()?,
        _ => arm.settings.attributes.keys().cloned().collect(),
    };
    if names.is_empty() {
        return Ok(());
    }
    let known = ConnectorAttributes::of(home)?;
    match names.into_iter().find(|name| !known.has(name)) {
        None => Ok(()),
        Some(attribute) => {
            let (server, nearest) = (format!("{}:{}", arm.server, arm.version), known.nearest(&attribute));
            Err(ConfigurationError::NoAttribute { server, attribute, nearest }.into())
        }
    }
}
