//! The diagnosis where no cause fits: it lists what was ruled out and where most requests are, and makes no cause up.

use super::evidence::{ArmEvidence, MORE_USERS};
use super::{Candidate, CauseRule};
use crate::profile::dearest_methods;
use model::units::{Count, Rate, Share};
use record::finding::{BusyService, Finding, NotFound, Quantity, Remedy, RuledOut, Shown};

/// Throughput has stopped growing if it grows by less than this factor while users grow by [`MORE_USERS`].
const NO_MORE: f64 = 1.05;

/// Throughput has stopped growing with the users, or an objective is missed. It is asked only where no other cause was found.
impl CauseRule for NotFound {
    fn check(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
        let shown = shown(evidence)?;
        let places = evidence.stacks().map(|(profile, _)| profile.largest_places());
        let frames = evidence.inspection.map(dearest_methods);
        let service = busiest_service(evidence);
        let remedy = match evidence.cpu_full() {
            true if service.is_some() => Remedy::RelieveBackend,
            true => Remedy::SeparateCpus,
            false if places.is_some() => Remedy::LookAtPlaces,
            false => Remedy::DumpThreads,
        };
        let finding = Finding::LimitNotFound(NotFound {
            shown,
            ruled_out: ruled_out(evidence),
            service,
            places: places.unwrap_or_default(),
            frames: frames.unwrap_or_default(),
        });
        let before = match shown {
            Shown::ByUsers { fewer_rate, .. } => Some(fewer_rate),
            Shown::ByObjective { .. } => None,
        };
        Some(
            Candidate::new(0.0, finding, remedy)
                .with_if_known(Quantity::ThroughputOfFewerUsers, before)
                .with(Quantity::Throughput, evidence.throughput())
                .with(Quantity::CpusInUse, evidence.busy()),
        )
    }
}

/// The service of the arm that uses most CPU, if the CPU is full and the server uses less.
fn busiest_service(evidence: &ArmEvidence<'_>) -> Option<BusyService> {
    let busiest = evidence.services_cpu().max_by(|one, other| one.1.total_cmp(&other.1));
    let (name, cpus) = busiest.filter(|(_, cpus)| evidence.cpu_full() && *cpus > evidence.cpu)?;
    Some(BusyService { name: name.to_owned(), share: Share(cpus / evidence.cpus) })
}

/// What does not limit the arm. A full CPU is not ruled out: if the server fills it, another cause is named instead of this.
fn ruled_out(evidence: &ArmEvidence<'_>) -> RuledOut {
    RuledOut {
        busy: Share(evidence.busy()),
        server: evidence.cpu_full().then(|| Share(evidence.cpu / evidence.cpus)),
        generator: Share(evidence.cpu_generator),
        collector: evidence.gc.map(Share),
        opened: evidence.counts.connects,
        wrong: evidence.wrong(),
    }
}

/// What shows that there is a limit; `None` where nothing does.
fn shown(evidence: &ArmEvidence<'_>) -> Option<Shown> {
    if let (Some(objective), Some(rate)) = (evidence.missed, evidence.level.rate) {
        return Some(Shown::ByObjective { rate, objective });
    }
    let (below, users) = (evidence.below?, evidence.users()?);
    let (fewer_users, fewer_rate) = (below.users, below.throughput);
    let rate = evidence.throughput();
    if users / fewer_users < MORE_USERS || rate > NO_MORE * fewer_rate {
        return None;
    }
    Some(Shown::ByUsers {
        users: Count(users),
        rate: Rate(rate),
        fewer_users: Count(fewer_users),
        fewer_rate: Rate(fewer_rate),
    })
}
