//! Causes in what serves requests inside the server: its pool of threads, or a limit of tasks on virtual threads.

use super::evidence::ArmEvidence;
use super::remedy::{release, server_kind};
use super::sizing::{Suggested, suggested};
use super::{Candidate, CauseRule, change};
use crate::profile::{Charged, Profile};
use ask::arm::Threads;
use ask::change::Change;
use ask::kind::Kind;
use model::units::{Count, Rate, Seconds, Share};
use record::finding::{
    Bounded, Ceiling, Doing, Finding, PoolFull, Quantity, Remedy, ServerSetting, SettingName, Slots,
    TasksFull, ThreadsKept,
};
use record::outcome::Limit;

/// Fewest requests in flight, as a multiple of what can run at once, that count as a queue; fewer are the usual variation of a
/// full pool.
const QUEUE: f64 = 1.1;

/// Share of the threads from which on all of them count as busy, where the server reports how many are: some are always between
/// two requests.
const TAKEN: f64 = 0.9;

/// All worker threads are busy while the CPU is not.
///
/// By Little's law a pool of T threads that hold a request for S seconds each answers T / S requests a second. If more requests
/// are in flight than there are threads while CPU is left, requests wait for a thread, and S follows from T and the throughput.
/// On a full CPU more threads would only share it, so the pool is not the limit there. Nor is it where most of the threads queue
/// for something else: see `profile`.
impl CauseRule for PoolFull {
    fn check(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
        if evidence.effective.virtual_threads.is_some() {
            return None;
        }
        if evidence.stacks().is_some() {
            return seen_pool(evidence);
        }
        let threads = evidence.effective.max_threads? as f64;
        let waiting = waiting_for_slots(evidence, threads)?;
        let busy = evidence.inspection.and_then(|inspection| inspection.most(|pool| pool.busy));
        let told = || evidence.told.as_ref()?.workers.map(|pool| pool.busy);
        if busy.map(|busy| busy as f64).or_else(told).is_some_and(|busy| busy < TAKEN * threads) {
            return None;
        }
        let ceiling = ceiling(evidence, threads, waiting);
        let finding = Finding::ThreadPoolLimit(PoolFull {
            slots_are: Slots::Threads,
            ceiling,
            holders: None,
            kept: None,
        });
        Some(with_more_threads(evidence, finding, ceiling, 0))
    }
}

/// The pool of threads is used up, by what its threads were seen to do. This also finds a server that does not tell how many
/// threads it has.
fn seen_pool(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
    let (profile, queue) = seen_queue(evidence)?;
    let known = evidence.effective.max_threads.map(|threads| threads as f64);
    let known = known.filter(|_| !profile.on_event_loops);
    let kept = profile.kept.round();
    let threads = known.map(|threads| (threads - kept).max(1.0)).or(queue.spot.slots)?;
    let ceiling = ceiling(evidence, threads, profile.part(queue.requests) * evidence.in_flight);
    let slots_are = match profile.on_event_loops {
        true => Slots::EventLoops,
        false => Slots::Threads,
    };
    let own = ThreadsKept { kept: Count(kept), all: Count(known.unwrap_or(threads + kept)) };
    let finding = Finding::ThreadPoolLimit(PoolFull {
        slots_are,
        ceiling,
        holders: queue.holders.clone(),
        kept: (kept > 0.0).then_some(own),
    });
    let names = queue.spot.what.clone().unwrap_or_default();
    Some(match (slots_are, known) {
        (Slots::EventLoops, _) => candidate(evidence, finding, ceiling, Remedy::WaitElsewhere),
        (_, Some(_)) => with_more_threads(evidence, finding, ceiling, kept as u64),
        (_, None) => {
            let more = suggested(evidence, ceiling).map(|more| more.beside(kept as u64));
            let remedy = Remedy::EnlargePool {
                pool: Bounded::Threads { names },
                to: more.map(|more| more.to),
                sizing: more.map(|more| more.sizing),
            };
            candidate(evidence, finding, ceiling, remedy)
        }
    })
}

/// The requests that were seen to wait for a thread of the server, or a task, with the profile that shows it.
fn seen_queue<'e, 'a>(evidence: &'e ArmEvidence<'a>) -> Option<(&'e Profile<'a>, &'e Charged<'a>)> {
    let (profile, _) = evidence.stacks().filter(|_| evidence.waits_matter())?;
    let is_queue =
        |place: &Charged<'_>| place.spot.doing == Doing::ServerThread && !profile.is_behind_own_tasks(place);
    let queue = profile.largest_of(is_queue)?;
    Some((profile, queue))
}

/// The limit of requests that virtual threads serve at once is reached. A default limit that nobody set is easily mistaken for the
/// speed of virtual threads.
impl CauseRule for TasksFull {
    fn check(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
        let Limit::At(tasks) = evidence.effective.virtual_threads? else {
            return None;
        };
        let waiting = match evidence.stacks() {
            Some((profile, _)) => profile.part(seen_queue(evidence)?.1.requests) * evidence.in_flight,
            None => waiting_for_slots(evidence, tasks as f64)?,
        };
        let server = server_kind(evidence.arm, evidence.effective);
        let set =
            server.facts().virtual_tasks.and_then(|property| evidence.arm.settings.properties.get(property));
        // A setting that the server ignores did not choose the limit.
        let chosen = set.is_some_and(|set| *set == tasks.to_string());
        let ceiling = ceiling(evidence, tasks as f64, waiting);
        let finding = match chosen {
            true => Finding::ThreadPoolLimit(PoolFull {
                slots_are: Slots::Tasks,
                ceiling,
                holders: None,
                kept: None,
            }),
            false => Finding::ConcurrencyLimitDefault(TasksFull { ceiling }),
        };
        let (remedy, change) = more_tasks(evidence, ceiling);
        Some(Candidate { change, ..candidate(evidence, finding, ceiling, remedy) })
    }
}

/// Number of requests that wait for one of these slots; `None` where none do, or where they wait for the CPU.
fn waiting_for_slots(evidence: &ArmEvidence<'_>, slots: f64) -> Option<f64> {
    let limit = evidence.connection_limit().filter(|_| evidence.streams().is_none());
    let held = limit.unwrap_or(f64::INFINITY);
    let inside = evidence.in_flight.min(held);
    let full = inside >= QUEUE * slots && !evidence.is_short_of_cpu() && evidence.counts.ok > 0;
    full.then_some(inside - slots)
}

fn ceiling(evidence: &ArmEvidence<'_>, slots: f64, waiting: f64) -> Ceiling {
    let rate = evidence.request_rate();
    Ceiling {
        rate: Rate(rate),
        slots: Count(slots),
        each: Seconds(slots / rate),
        in_flight: Count(evidence.in_flight),
        waiting: Count(waiting),
        busy: Share(evidence.busy()),
    }
}

fn candidate(evidence: &ArmEvidence<'_>, finding: Finding, ceiling: Ceiling, remedy: Remedy) -> Candidate {
    let explains = evidence.effect_of(ceiling.waiting.0 / ceiling.in_flight.0.max(1e-9));
    Candidate::new(explains, finding, remedy)
        .with(Quantity::SlotsMost, ceiling.slots)
        .with(Quantity::RequestsInFlight, ceiling.in_flight)
        .with(Quantity::RequestRate, ceiling.rate)
        .with(Quantity::SlotTime, ceiling.each)
        .with(Quantity::CpusInUse, ceiling.busy)
}

/// First release of Spring Boot whose Jetty uses the property.
const BOOT_WITH_PROPERTY: [u32; 3] = [4, 0, 3];
/// The release that is suggested instead of an older one.
const BOOT: &str = "4.0.8";

/// The finding that all worker threads are taken, with the change to more of them where their number is known. `kept` more serve no request.
fn with_more_threads(evidence: &ArmEvidence<'_>, finding: Finding, ceiling: Ceiling, kept: u64) -> Candidate {
    let more = suggested(evidence, ceiling).map(|more| more.beside(kept));
    let candidate = candidate(evidence, finding, ceiling, raise_threads(evidence, more));
    match more {
        Some(more) => candidate.changing("threads", more.to),
        None => candidate,
    }
}

/// The remedy to raise the limit of worker threads, to a number where it is known.
fn raise_threads(evidence: &ArmEvidence<'_>, more: Option<Suggested>) -> Remedy {
    Remedy::RaiseLimit {
        setting: ServerSetting {
            server: server_kind(evidence.arm, evidence.effective),
            name: SettingName::Threads,
        },
        to: more.map(|more| more.to),
        sizing: more.map(|more| more.sizing),
    }
}

/// The remedy that lets virtual threads serve more requests at once, and its changes of the arm's keys.
fn more_tasks(evidence: &ArmEvidence<'_>, ceiling: Ceiling) -> (Remedy, Vec<Change>) {
    let arm = evidence.arm;
    let server = server_kind(arm, evidence.effective);
    let more = suggested(evidence, ceiling);
    let (Some(property), Some(Suggested { to: wanted, sizing })) = (server.facts().virtual_tasks, more)
    else {
        let remedy = match arm.settings.threads {
            Some(Threads::Virtual) => Remedy::RaiseTasks,
            _ => raise_threads(evidence, None),
        };
        return (remedy, Vec::new());
    };
    let ignores = server == Kind::SpringBootJetty && release(&arm.version) < BOOT_WITH_PROPERTY.to_vec();
    let remedy = Remedy::SetProperty {
        property: property.to_owned(),
        to: wanted,
        ignored_by: ignores.then(|| arm.version.clone()),
        sizing: Some(sizing),
    };
    let mut changes = vec![change(&format!("properties.{property}"), wanted)];
    changes.extend(ignores.then(|| change("server", format!("{}:{BOOT}", arm.server))));
    (remedy, changes)
}
