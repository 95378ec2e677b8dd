//! What a server keeps of requests that are over: what it holds after a load, without load, and did not hold before it. Caches that
//! were filled by the warm-up hold the same; one that is still being filled looks like a leak, so that a leak of the heap is named
//! only where the heap would soon be full.

use super::evidence::ArmEvidence;
use super::keeper::keeper;
use super::memory::collecting_efforts;
use super::{Candidate, CauseRule, NAMED};
use crate::profile::{is_own_class, newest_threads};
use model::units::{Bytes, Count, Seconds};
use record::finding::{Finding, Leak, Leaked, Quantity, Remedy};
use record::inspection::{Held, Inspection};

/// Fewest bytes that a request leaves which matter; the JVM itself keeps some bytes of code and statistics.
const BYTES: f64 = 64.0;
/// Fewest bytes that all requests leave together.
const ALL_BYTES: f64 = (6 << 20) as f64;
/// The time within which the heap would be full for that to be a leak.
const SOON: Seconds = Seconds(1800.0);
/// Fewest threads or descriptors that all requests leave together.
const FEWEST: f64 = 40.0;
/// Fewest classes. What looks into the server loads some itself.
const FEWEST_CLASSES: f64 = 400.0;
/// What a connection or a thread keeps in the heap, and outside of it, while it lasts: twice what Tomcat and Jetty of Spring Boot 4 kept for each
/// of 5000 connections. Pools of both may have grown under the load.
const OF_EACH: f64 = (192 << 10) as f64;
/// Threads, and descriptors, that the pools of a server may have more of after the load for each user.
const OF_USER: f64 = 2.0;
/// Fewest that a thousand requests leave. Pools that grow to their size leave some.
const PER_THOUSAND: f64 = 2.0;
/// How many classes are named.
const CLASSES: usize = 3;

/// Something grew while requests came and went.
impl CauseRule for Leak {
    fn check(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
        let seen = evidence.inspection?;
        let (before, after) = (seen.held_before?, seen.held_after?);
        let requests = seen.answers().0;
        if requests < 1.0 {
            return None;
        }
        let leak = counted(evidence, seen, &before, &after, requests)
            .or_else(|| direct(evidence, &before, &after, requests))
            .or_else(|| heap(evidence, seen, &before, &after, requests))?;
        let explains = collecting_efforts(evidence).max(NAMED);
        let remedy = match &leak {
            Leak::Heap { keeper: Some(keeper), .. } => Remedy::BoundKeeper { kind: keeper.kind, to: None },
            _ => Remedy::MendLeak { what: leak.what() },
        };
        let candidate = Candidate::new(explains, Finding::ResourceLeak(leak), remedy)
            .with(Quantity::Requests, Count(requests.round()))
            .with_if_known(Quantity::HeapLive, after.live);
        Some(Candidate { spoils: true, ..candidate })
    }
}

/// Threads, descriptors or classes.
fn counted(
    evidence: &ArmEvidence<'_>,
    seen: &Inspection,
    before: &Held,
    after: &Held,
    requests: f64,
) -> Option<Leak> {
    let usual = OF_USER * users(evidence);
    let files = before.open_files.zip(after.open_files).unwrap_or_default();
    let all = [
        (Leaked::Threads, before.threads, after.threads, usual + FEWEST),
        (Leaked::Files, files.0, files.1, usual + FEWEST),
        (Leaked::Classes, before.classes, after.classes, FEWEST_CLASSES),
    ];
    let (what, before, now, _) = all.into_iter().find(|(_, before, now, fewest)| {
        let more = *now as f64 - *before as f64;
        more >= fewest.max(PER_THOUSAND / 1e3 * requests)
    })?;
    Some(Leak::Counted {
        what,
        more: Count(now as f64 - before as f64),
        requests: requests.round() as u64,
        now: Count(now as f64),
        names: newest_threads(seen).filter(|_| what == Leaked::Threads),
    })
}

/// Users; each has a connection to the server.
fn users(evidence: &ArmEvidence<'_>) -> f64 {
    evidence.users().unwrap_or(evidence.in_flight)
}

/// Bytes that connections and threads which are new since then may keep.
fn of_pools(evidence: &ArmEvidence<'_>, before: &Held, after: &Held) -> f64 {
    OF_EACH * (users(evidence) + after.threads.saturating_sub(before.threads) as f64)
}

/// Buffers outside the heap.
fn direct(evidence: &ArmEvidence<'_>, before: &Held, after: &Held, requests: f64) -> Option<Leak> {
    let usual = of_pools(evidence, before, after);
    let (before, direct) = before.direct.zip(after.direct)?;
    let more = direct.0 as f64 - before.0 as f64;
    let leaks = more >= ALL_BYTES + usual && more >= BYTES * requests;
    leaks.then(|| Leak::Direct { each: Bytes((more / requests) as u64), direct })
}

/// Objects that no collection frees.
fn heap(
    evidence: &ArmEvidence<'_>,
    seen: &Inspection,
    before: &Held,
    after: &Held,
    requests: f64,
) -> Option<Leak> {
    let usual = of_pools(evidence, before, after);
    let (before, live) = before.live.zip(after.live)?;
    let more = live.0 as f64 - before.0 as f64;
    let heap = evidence.largest_heap(seen);
    let each = more / requests;
    let rate = evidence.throughput().max(1e-9);
    let full_in = Seconds((heap.0 as f64 - live.0 as f64).max(0.0) / (each.max(1e-9) * rate));
    let leaks = more >= ALL_BYTES + usual && each >= BYTES && full_in <= SOON;
    leaks.then(|| Leak::Heap {
        each: Bytes(each as u64),
        classes: suspects(seen),
        live,
        heap,
        full_in: Some(full_in),
        keeper: keeper(evidence),
    })
}

/// The classes that tell what is kept: classes of the application first, then the classes with most bytes.
fn suspects(seen: &Inspection) -> Vec<String> {
    let all: u64 = seen.grown.iter().map(|one| one.bytes.0).sum();
    let large = seen.grown.iter().filter(|one| 20 * one.bytes.0 >= all);
    let own = seen.grown.iter().filter(|one| is_own_class(&one.class) && 50 * one.bytes.0 >= all);
    let mut names: Vec<String> = Vec::new();
    for one in own.chain(large) {
        if !names.contains(&one.class) {
            names.push(one.class.clone());
        }
    }
    names.truncate(CLASSES);
    names
}
