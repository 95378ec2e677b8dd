//! Causes in CPU time: a quota, other programs, compilers, and a server that uses all of it.

use super::evidence::ArmEvidence;
use super::{Candidate, CauseRule};
use crate::profile::{CpuParts, cpu_uses};
use model::units::{Count, Cpus, Seconds, Share};
use record::finding::{
    Compiling, CpuFull, CpuShares, CpuUse, CpuWork, Finding, InMethod, JvmBeyondQuota, Neighbour, Quantity,
    QuotaUsed, Rank, Remedy,
};

/// Smallest share of its quota that the server uses when the quota limits it: in periods in which it had to wait, it uses a little
/// less than all of it.
const OF_QUOTA: f64 = 0.85;
/// Largest share of the machine that the hypervisor may take, as in `validity`.
const NEIGHBOUR: f64 = 0.10;
/// Smallest CPU use of a server that fills the CPU, as a share of what its services use.
const OF_SERVICES: f64 = 0.25;
/// Largest share of the machine that other programs on it may take. On quiet machines the kernel's own work, which is not
/// accounted for, was seen to take up to 6 %.
const STRANGERS: f64 = 0.15;
/// Smallest share of the server's CPU in its compilers. With a third, a request costs half as much again as it will later. In the
/// first seconds of a JVM the share is about half; once it is warm, a few per cent.
const COMPILING: f64 = 1.0 / 3.0;
/// Smallest stolen share of the CPU time in use that can have made the generator late.
const WANTED: f64 = 0.05;
/// Largest share of the CPUs that the generator may use for the server's throughput to be all that the server can do.
const GENERATOR: f64 = 0.10;
/// Smallest share of the server's CPU for work that a request does not need, from which on a full CPU is a fault.
const WASTED: f64 = 0.15;
/// Smallest share of the server's CPU for any work or method, from which on it is advised to do less of it.
const BURNT: f64 = 0.4;
/// Smallest effect of a neighbour on users that is told: requests that wait for something else do not miss the CPU that it takes.
const FELT: f64 = 0.02;
/// Smallest share of the starts that a neighbour made void.
const SPOILT: f64 = 0.25;

/// The CPU quota is used up: the kernel makes the server wait until the next period of a tenth of a second.
impl CauseRule for QuotaUsed {
    fn check(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
        let quota = evidence.quota()?;
        let share = throttled_share(evidence);
        if evidence.cpu < OF_QUOTA * quota || share == Some(0.0) {
            return None;
        }
        let wanted = (2.0 * quota).min(evidence.cpus);
        let jvm = jvm_beyond(evidence, quota);
        let finding = Finding::CpuQuotaThrottled(QuotaUsed {
            used: Cpus(evidence.cpu),
            quota: Cpus(quota),
            waited: share.map(Share),
            cpus: Cpus(evidence.cpus),
            jvm,
        });
        let remedy = match jvm {
            Some(_) => Remedy::TellProcessors { count: quota.ceil() as u64, to: Cpus(wanted) },
            None => Remedy::RaiseCpuQuota { to: Cpus(wanted) },
        };
        Some(
            Candidate::new(evidence.cpu / quota, finding, remedy)
                .with(Quantity::CpuQuota, quota)
                .with(Quantity::CpusUsed, evidence.cpu)
                .with_if_known(Quantity::PeriodsThrottled, share)
                .changing("cpus", wanted),
        )
    }
}

/// The JVM's own threads, where it takes the CPUs of its quota for more than they are: the threads that collect or compile at a time use up a
/// period's quota in a part of it, and then all threads wait for the next period.
fn jvm_beyond(evidence: &ArmEvidence<'_>, quota: f64) -> Option<JvmBeyondQuota> {
    let threads = evidence.effective.jvm_threads?;
    let own = evidence.group_share("GC").zip(evidence.group_share("JIT"));
    (threads.processors as f64 > quota.ceil()).then(|| JvmBeyondQuota {
        processors: Count(threads.processors as f64),
        collecting: Count(threads.collecting as f64),
        compiling: Count(threads.compiling as f64),
        own: own.map(|(gc, jit)| Share(gc + jit)),
    })
}

/// Share of the quota's periods in which the server had to wait: of the periods while requests were counted, or else of all
/// periods since the server's start.
fn throttled_share(evidence: &ArmEvidence<'_>) -> Option<f64> {
    let share = |throttled: f64, all: f64| throttled / all.max(1.0);
    let counted = evidence.passed.as_ref().and_then(|passed| passed.limits);
    let counted = counted.filter(|limits| limits.periods > 0);
    let fact = |name: &str| evidence.facts.get(name).copied();
    counted
        .map(|limits| share(limits.throttled_periods as f64, limits.periods as f64))
        .or_else(|| Some(share(fact("cgroup.nr_throttled")?, fact("cgroup.nr_periods")?)))
}

/// The hypervisor, or other programs on this machine, took CPU time.
impl CauseRule for Neighbour {
    fn check(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
        let spoilt = evidence.voids.iter().filter(|why| why.is_noisy_neighbour());
        let spoilt = spoilt.count() as f64 / evidence.starts.max(1) as f64;
        let strangers = strangers_share(evidence);
        // Only CPU time that somebody wants can be stolen: on a mostly idle machine little is stolen, and all of it matters.
        let wanted = evidence.steal / evidence.known_busy().max(1e-9);
        let late = evidence.starved() && wanted > WANTED;
        let effect = effect_of_taken(evidence, evidence.steal + strangers);
        let takes = (evidence.steal > NEIGHBOUR || strangers > STRANGERS) && effect >= FELT;
        if !takes && spoilt <= SPOILT && !late {
            return None;
        }
        let neighbour = match evidence.steal > NEIGHBOUR {
            _ if strangers > STRANGERS => Neighbour::Programs { share: Share(strangers) },
            true => Neighbour::Hypervisor { share: Share(evidence.steal) },
            false if spoilt > SPOILT => Neighbour::SpoiltStarts { share: Share(spoilt) },
            false => Neighbour::LateGenerator { share: Share(wanted) },
        };
        let finding = Finding::NoisyNeighbour(neighbour);
        let candidate = Candidate::new(effect, finding, Remedy::MeasureWhenQuiet)
            .with(Quantity::CpuOfOthers, strangers)
            .with(Quantity::CpuStolen, evidence.steal)
            .with(Quantity::CpuInUseStolen, wanted)
            .with(Quantity::StartsSpoilt, spoilt);
        Some(Candidate { spoils: true, ..candidate })
    }
}

/// The effect of others that take this share of the machine. On a full CPU it is the part that they have of all CPU
/// time in use; otherwise it is less, because requests that wait for something else do not miss the CPU.
fn effect_of_taken(evidence: &ArmEvidence<'_>, taken: f64) -> f64 {
    let on_cpu = match evidence.is_short_of_cpu() {
        true => 1.0,
        false => (evidence.cpu / evidence.in_flight.max(1e-9)).min(1.0),
    };
    on_cpu * taken / evidence.busy().max(1e-9)
}

/// Share of the machine that neither servers, services, generator, hypervisor nor interrupts used. Interrupts handle the packets of
/// our own load, and their time is counted for no process.
fn strangers_share(evidence: &ArmEvidence<'_>) -> f64 {
    let Some(passed) = evidence.passed.as_ref().filter(|passed| passed.ticks > 0) else {
        return 0.0;
    };
    let services = evidence.services_cpu().map(|(_, cpus)| cpus).sum::<f64>() / evidence.cpus;
    // The clocks of processes and of the machine are not read at the same moment, so on a quiet machine the result may be negative.
    (1.0 - passed.idle() - evidence.known_busy() - services - passed.interrupts()).max(0.0)
}

/// The JVM is still compiling, so the server is not yet as fast as it will be. While CPUs are idle that delays nobody.
impl CauseRule for Compiling {
    fn check(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
        let share = evidence.group_share("JIT")?;
        if share < COMPILING || !evidence.is_short_of_cpu() {
            return None;
        }
        let finding = Finding::JitWarmingUp(Compiling { share: Share(share) });
        Some(
            Candidate::new(share, finding, Remedy::WarmUpLonger)
                .with(Quantity::CompilerCpu, share)
                .with(Quantity::ServerCpus, evidence.cpu),
        )
    }
}

/// The CPU is full, and the server uses most of what its services leave of it, and not next to nothing beside them. A load that asks as fast as it is answered always ends here where nothing else
/// limits; it is then the expected result, and nothing is wrong.
impl CauseRule for CpuFull {
    fn check(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
        let not_ours = (strangers_share(evidence) + evidence.steal) * evidence.cpus;
        let others = evidence.cpu_beside() + not_ours;
        let limited = evidence.quota().is_some_and(|quota| evidence.cpu >= OF_QUOTA * quota);
        let services: f64 = evidence.services_cpu().map(|(_, cpus)| cpus).sum();
        if !evidence.cpu_full() || limited || evidence.cpu <= others.max(OF_SERVICES * services) {
            return None;
        }
        let shares = cpu_shares(evidence);
        let cpus = evidence.server_cpus.unwrap_or(evidence.cpus);
        // A server that answers nothing can fill the CPU, too.
        let per_request = evidence.cpu / (evidence.counts.requests.max(1) as f64 / evidence.seconds);
        let uses = uses(evidence, shares, Seconds(per_request));
        let dearest = uses.iter().find(|one| is_wasted(one)).or(uses.iter().find(|one| one.share.0 >= BURNT));
        let (dearest, wastes) = (dearest.cloned(), dearest.is_some_and(is_wasted));
        let expected = evidence.presses() && !wastes;
        let finding = Finding::ServerCpuSaturated(CpuFull {
            used: Cpus(evidence.cpu),
            cpus: Cpus(cpus),
            shares,
            per_request: Seconds(per_request),
            generator: Cpus(evidence.cpu_generator),
            uses,
        });
        // The JVM's own work explains its part of the CPU in use.
        let own = shares.map_or(0.0, |shares| shares.jit.0 + shares.gc.0);
        let used = (evidence.busy() * evidence.cpus).max(evidence.cpu);
        let explains = match &dearest {
            Some(one) if wastes && evidence.presses() => one.share.0,
            _ => (1.0 - own) * evidence.cpu / used,
        };
        let rank = if expected { Rank::Last } else { Rank::Explains };
        let remedy = remedy(evidence, dearest);
        let candidate = Candidate::new(explains, finding, remedy)
            .with(Quantity::ServerCpus, evidence.cpu)
            .with(Quantity::GeneratorCpus, evidence.cpu_generator)
            .with(Quantity::CpusInUse, evidence.busy())
            .with(Quantity::CpuPerRequest, per_request)
            .with_if_known(Quantity::ApplicationCpu, shares.map(|shares| shares.application))
            .with_if_known(Quantity::KernelCpu, shares.map(|shares| shares.kernel))
            .with_if_known(Quantity::CompilerCpu, shares.map(|shares| shares.jit))
            .with_if_known(Quantity::CollectorCpu, shares.map(|shares| shares.gc));
        Some(Candidate { rank, expected, ..candidate })
    }
}

/// What the CPU time is used for, as far as threads were seen at it. Events of a stream have to leave one by one.
fn uses(evidence: &ArmEvidence<'_>, shares: Option<CpuShares>, per_request: Seconds) -> Vec<CpuUse> {
    let parts = CpuParts {
        java: shares.map_or(Share(1.0), |shares| shares.application),
        kernel: shares.map_or(Share(0.0), |shares| shares.kernel),
    };
    let mut uses = evidence.inspection.map(|seen| cpu_uses(seen, parts, per_request)).unwrap_or_default();
    uses.retain(|one| !evidence.answers_stream || one.work != Some(CpuWork::SocketWrites));
    uses
}

/// Whether much of the CPU goes to work that a request does not need.
fn is_wasted(one: &CpuUse) -> bool {
    one.share.0 >= WASTED && one.is_waste()
}

/// What to do about a full CPU. `dearest` is the use that takes most of it, where one stands out.
fn remedy(evidence: &ArmEvidence<'_>, dearest: Option<CpuUse>) -> Remedy {
    let shared = evidence.server_cpus.is_none() && evidence.cpu_generator > GENERATOR * evidence.cpus;
    match dearest {
        Some(CpuUse { work, at: InMethod { method, .. }, share, .. }) => {
            // Without it the CPU lasts for as many more requests as it is of what they cost on the same CPUs.
            let beside = if evidence.server_cpus.is_none() { evidence.cpu_beside() } else { 0.0 };
            let all = evidence.cpu + beside;
            let times = all / (all - share.0.min(0.99) * evidence.cpu);
            Remedy::SpareWork { work, method, times }
        }
        None if !evidence.presses() => Remedy::SpareCpu,
        None if shared => Remedy::AcceptSharedCpu,
        None => Remedy::AcceptFullCpu,
    }
}

/// What the server uses its CPU time for, as shares of it; `None` without telemetry.
fn cpu_shares(evidence: &ArmEvidence<'_>) -> Option<CpuShares> {
    let (kernel, jit, gc) =
        (evidence.kernel_share()?, evidence.group_share("JIT")?, evidence.group_share("GC")?);
    // Compilers and collectors hardly use the kernel, so its time was spent for requests.
    let children = evidence.children_share();
    let application = (1.0 - kernel - jit - gc - children).max(0.0);
    Some(CpuShares {
        application: Share(application),
        children: Share(children),
        kernel: Share(kernel),
        jit: Share(jit),
        gc: Share(gc),
    })
}
