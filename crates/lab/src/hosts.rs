//! Puts the servers of arms on the hosts that they name.

use ask::arm::Arm;
use record::step::Step;
use std::path::Path;
use sut::remote::Host;
use sut::{ProcessAt, ServerSpec};

/// Puts the server of an arm on its host, with the library of the profiler where one is needed; `None` for an arm of
/// this machine. JDK, number of CPUs and CPUs of the server are then the host's. `process` names a server that already runs on the host.
/// `known` are the hosts of earlier arms.
pub(crate) fn place<'a>(
    arm: &Arm,
    spec: &mut ServerSpec,
    process: Option<&ProcessAt>,
    profiler: Option<&Path>,
    mut known: impl Iterator<Item = &'a Host>,
    on_step: &mut dyn FnMut(Step),
) -> Result<Option<Host>, sut::Error> {
    let Some(url) = arm.host.as_ref().and_then(|host| host.url.as_ref()) else {
        return Ok(None);
    };
    spec.surroundings.cpus.clear();
    let known = known.find(|host| host.facts.url == url.to_string());
    Host::prepare(url, spec, process.cloned(), profiler, known, on_step).map(Some)
}
