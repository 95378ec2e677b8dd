//! Where nothing fits: what was ruled out is said, and no cause is made up.

use super::Finding;
use super::evidence::{Evidence, MORE_USERS};
use super::remedy::Remedy;
use super::words::{count, percent, three};
use model::cause::Cause;

/// With more users by [`MORE_USERS`] throughput grows by less than this factor: it has stopped growing.
const NO_MORE: f64 = 1.05;

/// Throughput has stopped growing with the users, and no cause was found.
pub(super) fn limit(evidence: &Evidence<'_>, found: &[Finding]) -> Option<Finding> {
    let ((users, before), now) = (evidence.below?, evidence.users()?);
    let (rate, ratio) = (evidence.throughput(), now / users);
    if !found.is_empty() || ratio < MORE_USERS || rate > NO_MORE * before {
        return None;
    }
    let says = format!(
        "limit not found: {} users get {}/s where {} got {}/s",
        count(now),
        three(rate),
        count(users),
        three(before)
    );
    let ruled_out = format!(
        "ruled out: CPU ({} in use), generator ({} of a core), collector ({}), connections ({} opened), errors ({})",
        percent(evidence.busy()),
        percent(evidence.cpu_generator),
        evidence.gc.map_or("no JVM".to_owned(), percent),
        evidence.counts.connects,
        evidence.wrong()
    );
    Some(
        Finding::new(Cause::LimitNotFound, 0.0, format!("{says}; {ruled_out}"))
            .with("throughput", rate)
            .with("throughput of fewer users", before)
            .with("share of the CPUs in use", evidence.busy())
            .cure(Remedy::advice(
                "a thread dump under this load shows what its threads wait for (`jcmd PID Thread.print`)",
            )),
    )
}
