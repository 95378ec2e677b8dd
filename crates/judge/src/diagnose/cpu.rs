//! CPU: what there is of it, who else takes it, what the server does with it.

use super::Candidate;
use super::evidence::Evidence;
use model::finding::{Compiling, CpuFull, CpuShares, Finding, Neighbour, Quantity, QuotaUsed, Remedy};

/// Of its quota the server has to use so much before that is its limit: periods in which it had to wait end a little
/// below it.
const OF_QUOTA: f64 = 0.85;
/// Share of the machine that others may take: the gate of validity.
const NEIGHBOUR: f64 = 0.10;
/// The same of other programs here. What is not accounted for on a quiet machine, the kernel's own work, was seen to be up
/// to 6 %.
const STRANGERS: f64 = 0.15;
/// Share of the server's CPU in its compilers: a third makes a request cost half as much again as it will. In the first seconds
/// of a JVM it is about half; of one that is warm, a few hundredths.
const COMPILING: f64 = 1.0 / 3.0;
/// CPUs that compilers use at least: where next to nothing is asked of a server they go on for minutes, and delay nobody.
const COMPILERS: f64 = 0.1;
/// Share of the CPU time in use that has to be stolen before it is what made the generator late.
const WANTED: f64 = 0.05;
/// Share of the starts that a neighbour has to have spoilt.
const SPOILT: f64 = 0.25;

/// The quota of CPU time is used up: the kernel makes the server wait until the next tenth of a second.
pub(super) fn quota(evidence: &Evidence<'_>) -> Option<Candidate> {
    let quota = evidence.quota()?;
    let share = throttled(evidence);
    if evidence.cpu < OF_QUOTA * quota || share == Some(0.0) {
        return None;
    }
    let wanted = (2.0 * quota).min(evidence.cpus);
    let finding = Finding::CpuQuotaThrottled(QuotaUsed {
        used: evidence.cpu,
        quota,
        waited: share,
        cpus: evidence.cpus,
    });
    Some(
        Candidate::new(
            evidence.cpu / quota,
            finding,
            Remedy::RaiseCpuQuota { to: wanted },
        )
        .with(Quantity::CpuQuota, quota)
        .with(Quantity::CpusUsed, evidence.cpu)
        .with_known(Quantity::PeriodsThrottled, share)
        .changing("cpus", wanted),
    )
}

/// Share of the periods in which the server had to wait: of those while it was counted, or of all since its start.
fn throttled(evidence: &Evidence<'_>) -> Option<f64> {
    let share = |of: f64, all: f64| of / all.max(1.0);
    let counted = evidence.passed.as_ref().and_then(|passed| passed.limits);
    let counted = counted.filter(|limits| limits.periods > 0);
    let fact = |name: &str| evidence.facts.get(name).copied();
    counted
        .map(|limits| share(limits.throttled_periods as f64, limits.periods as f64))
        .or_else(|| Some(share(fact("cgroup.nr_throttled")?, fact("cgroup.nr_periods")?)))
}

/// The hypervisor gave the CPU to somebody else.
pub(super) fn neighbour(evidence: &Evidence<'_>) -> Option<Candidate> {
    let spoilt = evidence.voids.iter().filter(|why| why.is_noisy_neighbour());
    let spoilt = spoilt.count() as f64 / evidence.starts.max(1) as f64;
    let strangers = strangers(evidence);
    // Only who wants a CPU can be robbed of it: of a machine that is mostly idle little can be stolen, and all of it matters.
    let wanted = evidence.steal / evidence.known().max(1e-9);
    let late = evidence.starved() && wanted > WANTED;
    if evidence.steal <= NEIGHBOUR && spoilt <= SPOILT && strangers <= STRANGERS && !late {
        return None;
    }
    let neighbour = match evidence.steal > NEIGHBOUR {
        _ if strangers > STRANGERS => Neighbour::Programs { share: strangers },
        true => Neighbour::Hypervisor {
            share: evidence.steal,
        },
        false if spoilt > SPOILT => Neighbour::SpoiltStarts { share: spoilt },
        false => Neighbour::LateGenerator { share: wanted },
    };
    let finding = Finding::NoisyNeighbour(neighbour);
    Some(
        Candidate::new(evidence.steal.max(strangers), finding, Remedy::MeasureWhenQuiet)
            .with(Quantity::CpuOfOthers, strangers)
            .with(Quantity::CpuStolen, evidence.steal)
            .with(Quantity::CpuInUseStolen, wanted)
            .with(Quantity::StartsSpoilt, spoilt),
    )
}

/// Share of the machine that neither servers, services, generator, hypervisor nor interrupts used: these are the packets of
/// our own load, of which no process has the time.
fn strangers(evidence: &Evidence<'_>) -> f64 {
    let Some(passed) = evidence.passed.as_ref().filter(|passed| passed.ticks > 0) else {
        return 0.0;
    };
    let services: f64 = passed
        .services
        .values()
        .map(|service| service.cpu.as_secs_f64())
        .sum();
    let services = services / passed.seconds.max(1e-9) / evidence.cpus;
    // The clocks of processes and of the machine are not read at one moment: of a quiet one too much may be accounted for.
    (1.0 - passed.idle() - evidence.known() - services - passed.interrupts()).max(0.0)
}

/// The JVM still compiles: what is measured is not yet what it will be.
pub(super) fn compiling(evidence: &Evidence<'_>) -> Option<Candidate> {
    let share = evidence.group("JIT")?;
    if share < COMPILING || share * evidence.cpu < COMPILERS {
        return None;
    }
    let finding = Finding::JitWarmingUp(Compiling { share });
    Some(
        Candidate::new(share, finding, Remedy::WarmUpLonger)
            .with(Quantity::CompilerCpu, share)
            .with(Quantity::ServerCpus, evidence.cpu),
    )
}

/// The CPU is full, most of it of the server. A load that asks as fast as it is answered always ends here where nothing else
/// limits: then it is what was to be measured, and only said.
pub(super) fn saturated(evidence: &Evidence<'_>) -> Option<Candidate> {
    let not_ours = (strangers(evidence) + evidence.steal) * evidence.cpus;
    let others = evidence.cpu_generator + evidence.cpu_others + not_ours;
    let limited = evidence
        .quota()
        .is_some_and(|quota| evidence.cpu >= OF_QUOTA * quota);
    if !evidence.cpu_full() || limited || evidence.cpu <= others {
        return None;
    }
    let shares = shares(evidence);
    // A server that answers nothing at all can fill the CPU, too.
    let per_request = evidence.cpu / (evidence.counts.requests.max(1) as f64 / evidence.seconds);
    let finding = Finding::ServerCpuSaturated(CpuFull {
        used: evidence.cpu,
        cpus: evidence.cpus,
        shares,
        per_request,
        generator: evidence.cpu_generator,
    });
    let expected = evidence.presses();
    let remedy = match expected {
        true => Remedy::AcceptFullCpu,
        false => Remedy::SpareCpu,
    };
    let candidate = Candidate::new(evidence.cpu / evidence.cpus, finding, remedy)
        .with(Quantity::ServerCpus, evidence.cpu)
        .with(Quantity::GeneratorCpus, evidence.cpu_generator)
        .with(Quantity::CpusInUse, evidence.busy())
        .with(Quantity::CpuPerRequest, per_request)
        .with_known(Quantity::ApplicationCpu, shares.map(|shares| shares.application))
        .with_known(Quantity::KernelCpu, shares.map(|shares| shares.kernel))
        .with_known(Quantity::CompilerCpu, shares.map(|shares| shares.jit))
        .with_known(Quantity::CollectorCpu, shares.map(|shares| shares.gc));
    Some(Candidate {
        expected,
        ..candidate
    })
}

/// What the server's CPU goes to, as shares of it; `None` where nobody looked.
fn shares(evidence: &Evidence<'_>) -> Option<CpuShares> {
    let (kernel, jit, gc) = (evidence.kernel()?, evidence.group("JIT")?, evidence.group("GC")?);
    // Compilers and collectors hardly need the kernel: what it did was for requests.
    let application = (1.0 - kernel - jit - gc).max(0.0);
    Some(CpuShares {
        application,
        kernel,
        jit,
        gc,
    })
}
