//! CPU: what there is of it, who else takes it, what the server does with it.

use super::Finding;
use super::evidence::Evidence;
use super::remedy::Remedy;
use super::words::{percent, three};
use model::cause::Cause;

/// Of its quota the server has to use so much before that is its limit: periods in which it had to wait end a little
/// below it.
const OF_QUOTA: f64 = 0.85;
/// Share of the machine that others may take: the gate of validity.
const NEIGHBOUR: f64 = 0.10;
/// Share of the starts that a neighbour has to have spoilt.
const SPOILT: f64 = 0.25;

/// The quota of CPU time is used up: the kernel makes the server wait until the next tenth of a second.
pub(super) fn quota(evidence: &Evidence<'_>) -> Option<Finding> {
    let quota = evidence.quota()?;
    let fact = |name: &str| evidence.facts.get(name).copied();
    let throttled = fact("cgroup.nr_throttled");
    if evidence.cpu < OF_QUOTA * quota || throttled == Some(0.0) {
        return None;
    }
    let share = throttled
        .zip(fact("cgroup.nr_periods"))
        .map(|(of, all)| of / all.max(1.0));
    let waited = share.map_or(String::new(), |share| {
        format!(" and had to wait in {} of all periods", percent(share))
    });
    let says = format!(
        "the server used {} of the {} CPUs of its quota{waited}; the machine has {}",
        three(evidence.cpu),
        three(quota),
        evidence.cpus
    );
    let wanted = (2.0 * quota).min(evidence.cpus);
    let says_more = format!(
        "allow it more CPU (`cpus = {wanted}`): in a container `--cpus` or the quota of its control group"
    );
    let mut finding = Finding::new(Cause::CpuQuotaThrottled, evidence.cpu / quota, says)
        .with("CPUs that it may use", quota)
        .with("CPUs that it used", evidence.cpu);
    if let Some(share) = share {
        finding = finding.with("share of periods in which it had to wait", share);
    }
    Some(finding.cure(Remedy::set(says_more, "cpus", wanted)))
}

/// The hypervisor gave the CPU to somebody else.
pub(super) fn neighbour(evidence: &Evidence<'_>) -> Option<Finding> {
    let spoilt = evidence
        .voids
        .iter()
        .filter(|why| why.starts_with("noisy-neighbour"));
    let spoilt = spoilt.count() as f64 / evidence.starts.max(1) as f64;
    if evidence.steal <= NEIGHBOUR && spoilt <= SPOILT {
        return None;
    }
    let says = match evidence.steal > NEIGHBOUR {
        true => format!(
            "the hypervisor took {} of the CPU time for somebody else",
            percent(evidence.steal)
        ),
        false => format!("the hypervisor spoilt {} of the starts", percent(spoilt)),
    };
    Some(
        Finding::new(Cause::NoisyNeighbour, evidence.steal.max(spoilt), says)
            .with("share of CPU time stolen", evidence.steal)
            .with("share of starts spoilt", spoilt)
            .cure(Remedy::advice(
                "measure when the host is quiet, on a dedicated machine, or for longer: the arms meet the same noise in turn",
            )),
    )
}

/// The CPU is full, most of it of the server. A load that asks as fast as it is answered always ends here where nothing else
/// limits: then it is what was to be measured, and only said.
pub(super) fn saturated(evidence: &Evidence<'_>) -> Option<Finding> {
    let others = evidence.cpu_generator + evidence.cpu_others;
    let limited = evidence
        .quota()
        .is_some_and(|quota| evidence.cpu >= OF_QUOTA * quota);
    if !evidence.cpu_full() || limited || evidence.cpu <= others {
        return None;
    }
    let says = format!(
        "the CPU is full: the server uses {} of {} CPUs, the generator {}",
        three(evidence.cpu),
        evidence.cpus,
        three(evidence.cpu_generator)
    );
    let each = evidence.cpu / (evidence.counts.requests as f64 / evidence.seconds);
    let mut finding = Finding::new(Cause::ServerCpuSaturated, evidence.cpu / evidence.cpus, says)
        .with("CPUs that the server used", evidence.cpu)
        .with("CPUs that the generator used", evidence.cpu_generator)
        .with("share of the CPUs in use", evidence.busy())
        .with("CPU seconds per request", each)
        .cure(Remedy::advice(match evidence.presses() {
            true => "nothing is wrong: this is what it can do; less CPU per request or more CPUs raise it",
            false => "it cannot hold this rate: less CPU per request or more CPUs raise it",
        }));
    finding.expected = evidence.presses();
    Some(finding)
}
