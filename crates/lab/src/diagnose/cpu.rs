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
pub(super) fn quota(evidence: &Evidence<'_>) -> Option<Finding> {
    let quota = evidence.quota()?;
    let share = throttled(evidence);
    if evidence.cpu < OF_QUOTA * quota || share == Some(0.0) {
        return None;
    }
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
pub(super) fn neighbour(evidence: &Evidence<'_>) -> Option<Finding> {
    let spoilt = evidence
        .voids
        .iter()
        .filter(|why| why.starts_with("noisy-neighbour"));
    let spoilt = spoilt.count() as f64 / evidence.starts.max(1) as f64;
    let strangers = strangers(evidence);
    // Only who wants a CPU can be robbed of it: of a machine that is mostly idle little can be stolen, and all of it matters.
    let wanted = evidence.steal / evidence.known().max(1e-9);
    let late = evidence.starved() && wanted > WANTED;
    if evidence.steal <= NEIGHBOUR && spoilt <= SPOILT && strangers <= STRANGERS && !late {
        return None;
    }
    let says = match evidence.steal > NEIGHBOUR {
        _ if strangers > STRANGERS => format!(
            "programs that are no part of this run took {} of the CPU time",
            percent(strangers)
        ),
        true => format!(
            "the hypervisor took {} of the CPU time for somebody else",
            percent(evidence.steal)
        ),
        false if spoilt > SPOILT => format!("the hypervisor spoilt {} of the starts", percent(spoilt)),
        false => format!(
            "the hypervisor took {} of the CPU time that was wanted here, and the generator was late for it",
            percent(wanted)
        ),
    };
    Some(
        Finding::new(Cause::NoisyNeighbour, evidence.steal.max(strangers), says)
            .with("share of CPU time of other programs", strangers)
            .with("share of CPU time stolen", evidence.steal)
            .with("share of the CPU time in use that was stolen", wanted)
            .with("share of starts spoilt", spoilt)
            .cure(Remedy::advice(
                "measure when the host is quiet, on a dedicated machine, or for longer: the arms meet the same noise in turn",
            )),
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
pub(super) fn compiling(evidence: &Evidence<'_>) -> Option<Finding> {
    let share = evidence.group("JIT")?;
    if share < COMPILING || share * evidence.cpu < COMPILERS {
        return None;
    }
    let says = format!(
        "compilers use {} of the server's CPU: the JVM is still warming up",
        percent(share)
    );
    Some(
        Finding::new(Cause::JitWarmingUp, share, says)
            .with("share of the server's CPU in its compilers", share)
            .with("CPUs that the server used", evidence.cpu)
            .cure(Remedy::advice("a longer `warmup` and `warmup_cap`")),
    )
}

/// The CPU is full, most of it of the server. A load that asks as fast as it is answered always ends here where nothing else
/// limits: then it is what was to be measured, and only said.
pub(super) fn saturated(evidence: &Evidence<'_>) -> Option<Finding> {
    let not_ours = (strangers(evidence) + evidence.steal) * evidence.cpus;
    let others = evidence.cpu_generator + evidence.cpu_others + not_ours;
    let limited = evidence
        .quota()
        .is_some_and(|quota| evidence.cpu >= OF_QUOTA * quota);
    if !evidence.cpu_full() || limited || evidence.cpu <= others {
        return None;
    }
    let spent = Spent::of(evidence);
    let each = evidence.cpu / (evidence.counts.requests as f64 / evidence.seconds);
    let says = format!(
        "the CPU is full: the server uses {} of {} CPUs{} at {} µs a request, the generator {}",
        three(evidence.cpu),
        evidence.cpus,
        spent.as_ref().map_or(String::new(), Spent::says),
        three(each * 1e6),
        three(evidence.cpu_generator)
    );
    let mut finding = Finding::new(Cause::ServerCpuSaturated, evidence.cpu / evidence.cpus, says)
        .with("CPUs that the server used", evidence.cpu)
        .with("CPUs that the generator used", evidence.cpu_generator)
        .with("share of the CPUs in use", evidence.busy())
        .with("CPU seconds per request", each)
        .cure(Remedy::advice(match evidence.presses() {
            true => "nothing is wrong: this is what it can do; less CPU per request or more CPUs raise it",
            false => "it cannot hold this rate: less CPU per request or more CPUs raise it",
        }));
    for (what, share) in spent.iter().flat_map(Spent::shares) {
        finding = finding.with(what, share);
    }
    finding.expected = evidence.presses();
    Some(finding)
}

/// What the server's CPU goes to, as shares of it.
struct Spent {
    application: f64,
    kernel: f64,
    jit: f64,
    gc: f64,
}

impl Spent {
    /// `None` where nobody looked.
    fn of(evidence: &Evidence<'_>) -> Option<Self> {
        let (kernel, jit, gc) = (evidence.kernel()?, evidence.group("JIT")?, evidence.group("GC")?);
        // Compilers and collectors hardly need the kernel: what it did was for requests.
        let application = (1.0 - kernel - jit - gc).max(0.0);
        Some(Self {
            application,
            kernel,
            jit,
            gc,
        })
    }

    /// ` (62 % application, 34 % kernel, 3 % JIT, 1 % GC)`.
    fn says(&self) -> String {
        format!(
            " ({} application, {} kernel, {} JIT, {} GC)",
            percent(self.application),
            percent(self.kernel),
            percent(self.jit),
            percent(self.gc)
        )
    }

    fn shares(&self) -> [(&'static str, f64); 4] {
        [
            ("share of the server's CPU in the application", self.application),
            ("share of the server's CPU in the kernel", self.kernel),
            ("share of the server's CPU in its compilers", self.jit),
            ("share of the server's CPU in its collector", self.gc),
        ]
    }
}
