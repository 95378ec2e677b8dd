//! Where nothing fits: what was ruled out is said, and no cause is made up.

use super::Finding;
use super::evidence::{Evidence, MORE_USERS};
use super::remedy::Remedy;
use super::words::{count, percent, three};
use model::cause::Cause;

/// With more users by [`MORE_USERS`] throughput grows by less than this factor: it has stopped growing.
const NO_MORE: f64 = 1.05;

/// Throughput has stopped growing with the users, or an objective is missed, and no cause was found.
pub(super) fn limit(evidence: &Evidence<'_>, found: &[Finding]) -> Option<Finding> {
    let (says, before) = met(evidence).filter(|_| found.is_empty())?;
    let ruled_out = ruled_out(evidence);
    Some(
        before
            .into_iter()
            .fold(
                Finding::new(Cause::LimitNotFound, 0.0, format!("{says}; {ruled_out}")),
                |finding, before| finding.with("throughput of fewer users", before),
            )
            .with("throughput", evidence.throughput())
            .with("share of the CPUs in use", evidence.busy())
            .cure(Remedy::advice(match evidence.cpu_full() {
                true => "the load and what else runs here take more CPU than the server: give them CPUs of their own, or run fewer arms at once",
                false => "a thread dump under this load shows what its threads wait for (`jcmd PID Thread.print`)",
            })),
    )
}

/// What it is not. A full CPU is not among that: where the server is what fills it, that is named instead of this.
fn ruled_out(evidence: &Evidence<'_>) -> String {
    let (busy, generator) = (percent(evidence.busy()), percent(evidence.cpu_generator));
    let collector = evidence.gc.map_or("no JVM".to_owned(), percent);
    let (opened, wrong) = (evidence.counts.connects, evidence.wrong());
    if evidence.cpu_full() {
        let own = percent(evidence.cpu / evidence.cpus);
        return format!(
            "the CPU is {busy} in use, and the server uses {own} of the machine; ruled out: generator ({generator} of a core), \
             collector ({collector}), connections ({opened} opened), errors ({wrong})"
        );
    }
    format!(
        "ruled out: CPU ({busy} in use), generator ({generator} of a core), collector ({collector}), connections ({opened} \
         opened), errors ({wrong})"
    )
}

/// What shows that there is a limit, and the throughput of fewer users where that is what shows it.
fn met(evidence: &Evidence<'_>) -> Option<(String, Option<f64>)> {
    if let (Some(objective), Some(rate)) = (evidence.missed, evidence.level.rate) {
        let says = format!(
            "limit not found: at {}/s {} is missed",
            three(rate),
            objective.text()
        );
        return Some((says, None));
    }
    let ((users, before), now) = (evidence.below?, evidence.users()?);
    let rate = evidence.throughput();
    if now / users < MORE_USERS || rate > NO_MORE * before {
        return None;
    }
    let says = format!(
        "limit not found: {} users get {}/s where {} got {}/s",
        count(now),
        three(rate),
        count(users),
        three(before)
    );
    Some((says, Some(before)))
}
