//! What serves requests inside the server: its pool of threads, a limit of tasks on virtual threads.

use super::evidence::Evidence;
use super::remedy::{release, room_for, server_kind};
use super::{Candidate, change};
use model::arm::Threads;
use model::finding::{
    Ceiling, Finding, PoolFull, Quantity, Remedy, ServerSetting, SettingName, Slots, TasksFull,
};
use model::kind::Kind;
use model::outcome::{Change, Limit};

/// So many requests in flight, as a multiple of what can run at once, are a queue; less is the scatter of a full pool.
const QUEUE: f64 = 1.1;

/// Of the threads so many are all, where the server tells how many are busy: some change between two requests.
const TAKEN: f64 = 0.9;

/// All worker threads are taken while the CPU is not.
///
/// By Little's law a pool of T threads that hold a request for S seconds answers T / S a second. More requests in flight
/// than threads, and CPU to spare: then requests wait for a thread, and S is what T and the throughput make of it. On a full
/// CPU more threads would only share it, so that is no limit of threads.
pub(super) fn pool(evidence: &Evidence<'_>) -> Option<Candidate> {
    if evidence.effective.virtual_threads.is_some() {
        return None;
    }
    let threads = evidence.effective.max_threads? as f64;
    let waiting = queue(evidence, threads)?;
    let busy = evidence
        .inspection
        .and_then(|inspection| inspection.most(|pool| pool.busy));
    if busy.is_some_and(|busy| (busy as f64) < TAKEN * threads) {
        return None;
    }
    let ceiling = ceiling(evidence, threads, waiting);
    let finding = Finding::ThreadPoolLimit(PoolFull {
        slots_are: Slots::Threads,
        ceiling,
    });
    let wanted = room_for(evidence.in_flight);
    let remedy = raise_threads(evidence, Some(wanted));
    Some(candidate(evidence, finding, ceiling, remedy).changing("threads", wanted))
}

/// A limit of requests that virtual threads serve at once: where nobody set it, it is easily taken for their speed.
pub(super) fn concurrency(evidence: &Evidence<'_>) -> Option<Candidate> {
    let Limit::At(tasks) = evidence.effective.virtual_threads? else {
        return None;
    };
    let waiting = queue(evidence, tasks as f64)?;
    let server = server_kind(evidence.arm, evidence.effective);
    let set = server
        .facts()
        .virtual_tasks
        .and_then(|property| evidence.arm.settings.properties.get(property));
    // Set and not heeded is no choice.
    let chosen = set.is_some_and(|set| *set == tasks.to_string());
    let ceiling = ceiling(evidence, tasks as f64, waiting);
    let finding = match chosen {
        true => Finding::ThreadPoolLimit(PoolFull {
            slots_are: Slots::Tasks,
            ceiling,
        }),
        false => Finding::ConcurrencyLimitDefault(TasksFull { ceiling }),
    };
    let (remedy, change) = more_tasks(evidence);
    Some(Candidate {
        change,
        ..candidate(evidence, finding, ceiling, remedy)
    })
}

/// Requests that wait for one of `slots`; `None` where there are none, or where the CPU is what they wait for.
fn queue(evidence: &Evidence<'_>, slots: f64) -> Option<f64> {
    let held = evidence.connections().unwrap_or(f64::INFINITY);
    let inside = evidence.in_flight.min(held);
    let full = inside >= QUEUE * slots && !evidence.cpu_full() && evidence.counts.ok > 0;
    full.then_some(inside - slots)
}

fn ceiling(evidence: &Evidence<'_>, slots: f64, waiting: f64) -> Ceiling {
    let rate = evidence.counts.requests as f64 / evidence.seconds;
    Ceiling {
        rate,
        slots,
        each: slots / rate,
        in_flight: evidence.in_flight,
        waiting,
        busy: evidence.busy(),
    }
}

fn candidate(evidence: &Evidence<'_>, finding: Finding, ceiling: Ceiling, remedy: Remedy) -> Candidate {
    let weight = ceiling.waiting / evidence.users().unwrap_or(evidence.in_flight).max(1.0);
    Candidate::new(weight, finding, remedy)
        .with(Quantity::SlotsMost, ceiling.slots)
        .with(Quantity::RequestsInFlight, ceiling.in_flight)
        .with(Quantity::RequestRate, ceiling.rate)
        .with(Quantity::SlotTime, ceiling.each)
        .with(Quantity::CpusInUse, ceiling.busy)
}

/// Releases of Spring Boot from which on its Jetty takes the property.
const BOOT_TAKES_IT: [u32; 3] = [4, 0, 3];
/// One of them, where an older one has to be left.
const BOOT: &str = "4.0.8";

/// The limit of worker threads is to be raised, to so many where that is known.
fn raise_threads(evidence: &Evidence<'_>, to: Option<u64>) -> Remedy {
    Remedy::RaiseLimit {
        setting: ServerSetting {
            server: server_kind(evidence.arm, evidence.effective),
            name: SettingName::Threads,
        },
        to,
    }
}

/// What lets virtual threads serve more requests at once, in words and as keys of the arm.
fn more_tasks(evidence: &Evidence<'_>) -> (Remedy, Vec<Change>) {
    let arm = evidence.arm;
    let server = server_kind(arm, evidence.effective);
    let Some(property) = server.facts().virtual_tasks else {
        let remedy = match arm.settings.threads {
            Some(Threads::Virtual) => Remedy::RaiseTasks,
            _ => raise_threads(evidence, None),
        };
        return (remedy, Vec::new());
    };
    let wanted = room_for(evidence.in_flight);
    let ignores = server == Kind::SpringBootJetty && release(&arm.version) < BOOT_TAKES_IT.to_vec();
    let remedy = Remedy::SetProperty {
        property: property.to_owned(),
        to: wanted,
        ignored_by: ignores.then(|| arm.version.clone()),
    };
    let mut changes = vec![change(&format!("properties.{property}"), wanted)];
    changes.extend(ignores.then(|| change("server", format!("{}:{BOOT}", arm.server))));
    (remedy, changes)
}
