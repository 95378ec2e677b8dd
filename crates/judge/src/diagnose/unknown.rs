//! Where nothing fits: what was ruled out is said, and no cause is made up.

use super::Candidate;
use super::evidence::{Evidence, MORE_USERS};
use model::finding::{Finding, NotFound, Quantity, Remedy, RuledOut, Shown};

/// With more users by [`MORE_USERS`] throughput grows by less than this factor: it has stopped growing.
const NO_MORE: f64 = 1.05;

/// Throughput has stopped growing with the users, or an objective is missed, and no cause was found.
pub(super) fn limit(evidence: &Evidence<'_>, others: &[Candidate]) -> Option<Candidate> {
    let shown = shown(evidence).filter(|_| others.is_empty())?;
    let finding = Finding::LimitNotFound(NotFound {
        shown,
        ruled_out: ruled_out(evidence),
    });
    let remedy = match evidence.cpu_full() {
        true => Remedy::SeparateCpus,
        false => Remedy::DumpThreads,
    };
    let before = match shown {
        Shown::ByUsers { fewer_rate, .. } => Some(fewer_rate),
        Shown::ByObjective { .. } => None,
    };
    Some(
        Candidate::new(0.0, finding, remedy)
            .with_known(Quantity::ThroughputOfFewerUsers, before)
            .with(Quantity::Throughput, evidence.throughput())
            .with(Quantity::CpusInUse, evidence.busy()),
    )
}

/// What it is not. A full CPU is not among that: where the server is what fills it, that is named instead of this.
fn ruled_out(evidence: &Evidence<'_>) -> RuledOut {
    RuledOut {
        busy: evidence.busy(),
        server: evidence.cpu_full().then(|| evidence.cpu / evidence.cpus),
        generator: evidence.cpu_generator,
        collector: evidence.gc,
        opened: evidence.counts.connects,
        wrong: evidence.wrong(),
    }
}

/// What shows that there is a limit; `None` where nothing does.
fn shown(evidence: &Evidence<'_>) -> Option<Shown> {
    if let (Some(objective), Some(rate)) = (evidence.missed, evidence.level.rate) {
        return Some(Shown::ByObjective { rate, objective });
    }
    let ((fewer_users, fewer_rate), users) = (evidence.below?, evidence.users()?);
    let rate = evidence.throughput();
    if users / fewer_users < MORE_USERS || rate > NO_MORE * fewer_rate {
        return None;
    }
    Some(Shown::ByUsers {
        users,
        rate,
        fewer_users,
        fewer_rate,
    })
}
