//! Causes for which requests wait inside the server while there are enough CPUs and threads: a lock, a carrier thread, another
//! service. They are read from the stacks of the server's threads, from its connections, or, where neither was seen, from
//! the JDK Flight Recorder alone.

use super::evidence::ArmEvidence;
use super::{Candidate, CauseRule};
use crate::profile::{Charged, Kind, Profile, lock_owner};
use model::units::{Count, Seconds, Share};
use record::finding::{BackendWait, Doing, Finding, LockWait, Pinning, Quantity, Remedy};
use record::inspection::{Inspection, JfrFacts, Waits};

/// Smallest mean share of the requests in flight that wait for the same thing, where only long waits were recorded.
const MOST: f64 = 0.5;
/// Smallest share of the carrier threads that are held; there are as many carriers as CPUs.
const CARRIERS: f64 = 0.5;
/// Smallest share of the time of users who think that is spent with a service before it counts as slow: it always takes its time,
/// and they do not ask for more.
const SLOW: f64 = 0.5;
/// Smallest share of the requests in flight that queue for their turn to ask a service, for that queue to be named before the
/// service.
const QUEUED: f64 = 1.0 / 3.0;

/// The least time by which anything is divided.
const SHORTEST: Seconds = Seconds(1e-9);

/// Beginnings of the names of classes in `java.util.concurrent.locks` for which threads park; JFR reports inner classes.
const LOCKS: [&str; 3] = ["ReentrantLock$", "ReentrantReadWriteLock$", "StampedLock"];

/// Threads wait for one lock.
impl CauseRule for LockWait {
    fn check(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
        evidence.waits_matter().then_some(())?;
        let seen = evidence.stacks().map(|(profile, _)| profile);
        match seen.filter(|profile| profile.requests(Kind::Lock) > 0.0) {
            Some(profile) => seen_lock(evidence, profile),
            None => recorded_lock(evidence),
        }
    }
}

/// Threads were seen to wait for locks, whose holders do not wait for something that is a cause of its own.
fn seen_lock(evidence: &ArmEvidence<'_>, profile: &Profile<'_>) -> Option<Candidate> {
    let place = profile.largest(Kind::Lock)?;
    // There may be several locks, and together they explain more than each.
    let share = profile.share(Kind::Lock);
    let each = profile.seconds(place.requests);
    let owner = evidence.inspection.and_then(|seen| lock_owner(seen, place));
    let (holder, thread) = owner.unwrap_or((place.holders.clone(), None));
    let remedy = match place.spot.waits_for().is_some_and(is_for_readers_too) {
        true => Remedy::HoldWriteLockShorter,
        false => Remedy::HoldLockShorter,
    };
    let finding = Finding::LockContention(LockWait {
        lock: place.spot.what.clone().unwrap_or_default(),
        share: Share(share),
        each,
        busy: Share(evidence.busy()),
        method: place.spot.method_at(),
        caller: place.spot.caller_at(),
        holder,
        thread,
    });
    Some(
        Candidate::new(evidence.effect_of_turns(share), finding, remedy)
            .with(Quantity::RequestsWaiting, share)
            .with(Quantity::WaitTime, each)
            .with(Quantity::CpusInUse, evidence.busy()),
    )
}

/// Whether readers share a lock of this class.
fn is_for_readers_too(class: &str) -> bool {
    ["ReentrantReadWriteLock", "StampedLock"].iter().any(|lock| class.contains(lock))
}

/// Long waits for locks were recorded.
fn recorded_lock(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
    let (lock, waits, share) = recorded(evidence, lock_waits)?;
    let finding = Finding::LockContention(LockWait {
        lock,
        share: Share(share),
        each: mean_wait(waits),
        busy: Share(evidence.busy()),
        method: None,
        caller: None,
        holder: None,
        thread: None,
    });
    Some(candidate(evidence.effect_of(share), finding, waits, share, Remedy::HoldLockShorter))
}

/// All waits for locks: `synchronized`, and locks for which threads park.
pub(super) fn lock_waits(jfr: &JfrFacts) -> impl Iterator<Item = (&String, &Waits)> {
    let parked = jfr.parked.iter().filter(|(class, _)| is_lock(class));
    jfr.monitors.iter().chain(parked)
}

/// Whether a thread that parks for an object of this class waits for a lock that another thread holds, and not for an answer, a
/// permit, or work.
fn is_lock(class: &str) -> bool {
    let name = class.strip_prefix("java.util.concurrent.locks.").unwrap_or_default();
    LOCKS.iter().any(|lock| name.starts_with(lock))
}

/// Virtual threads wait without releasing their carriers; there are as many as CPUs, or as the server's quota allows.
impl CauseRule for Pinning {
    fn check(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
        evidence.waits_matter().then_some(())?;
        let inspection = evidence.inspection?;
        let (wait, waits) = longest_of_all(&inspection.jfr.as_ref()?.pinned)?;
        let held = waits.seconds / inspection.seconds.max(SHORTEST);
        let carriers = evidence.quota().map_or(evidence.cpus, f64::ceil);
        if held < CARRIERS * carriers {
            return None;
        }
        let finding = Finding::VirtualThreadPinning(Pinning {
            wait: wait.clone(),
            held: Count(held),
            carriers: Count(carriers),
            busy: Share(evidence.busy()),
        });
        // All requests wait for the few carriers, except while a carrier that is left runs them.
        Some(
            Candidate::new(evidence.effect_of(held / carriers), finding, Remedy::UseNewerJdk)
                .with(Quantity::CarriersHeld, held)
                .with(Quantity::WaitsSeen, waits.count as f64)
                .with(Quantity::RequestsInFlight, evidence.in_flight)
                .changing("jdk", 25),
        )
    }
}

/// A service that the server asks is slow: requests wait for its answer.
impl CauseRule for BackendWait {
    fn check(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
        evidence.answers_matter().then_some(())?;
        let candidate = match &evidence.inside {
            Some(profile) => awaited_backend(evidence, profile),
            None => recorded_backend(evidence),
        }?;
        let asks_all_the_time = evidence.presses() || evidence.missed.is_some();
        (asks_all_the_time || candidate.explains >= SLOW).then_some(candidate)
    }
}

/// Requests were seen to wait for answers, with a thread or without.
fn awaited_backend(evidence: &ArmEvidence<'_>, profile: &Profile<'_>) -> Option<Candidate> {
    let place = profile.largest(Kind::Answer)?;
    let share = profile.share(Kind::Answer);
    let each = profile.seconds(profile.requests(Kind::Answer));
    let awaited = &profile.awaited;
    let named = awaited.address.clone().or(place.spot.what.clone());
    let finding = Finding::BackendSlow(BackendWait {
        backend: named.or(place.spot.method_at())?,
        share: Share(share),
        each,
        busy: Share(evidence.busy()),
        addresses: awaited.addresses.max(1),
        method: place.spot.method_at(),
    });
    let candidate = Candidate::new(evidence.effect_of(share), finding, Remedy::RelieveBackend)
        .with(Quantity::RequestsWaiting, share)
        .with(Quantity::WaitTime, each)
        .with(Quantity::AnswersAwaited, awaited.answers)
        .with(Quantity::PeerConnections, awaited.connections);
    let queues_to_ask = profile.places.iter().any(|place| is_queue_to_ask(profile, place));
    Some(Candidate { is_second: queues_to_ask, ..candidate })
}

/// Whether many requests wait here for their turn, and the requests in turn wait for an answer: the service
/// may be as slow as it is, but too few may ask it.
fn is_queue_to_ask(profile: &Profile<'_>, place: &Charged<'_>) -> bool {
    let asks = place.holders.as_ref().is_some_and(|holders| holders.doing == Doing::Answer);
    asks && profile.part(place.requests) >= QUEUED
}

/// Long waits for answers were recorded, or a side service of the arm took about as long to answer prony as requests took.
fn recorded_backend(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
    let recorded = recorded(evidence, |jfr| &jfr.sockets);
    let (backend, waits, share) = recorded.or_else(|| slow_service(evidence))?;
    let sockets = evidence.inspection.and_then(|inspection| Some(&inspection.jfr.as_ref()?.sockets));
    let finding = Finding::BackendSlow(BackendWait {
        backend,
        share: Share(share),
        each: mean_wait(waits),
        busy: Share(evidence.busy()),
        addresses: sockets.map_or(1, |sockets| sockets.len().max(1) as u64),
        method: None,
    });
    Some(candidate(evidence.effect_of(share), finding, waits, share, Remedy::RelieveBackend))
}

/// A side service of the arm that took about as long to answer prony as requests took.
fn slow_service(evidence: &ArmEvidence<'_>) -> Option<(String, Waits, f64)> {
    let mean = evidence.mean?;
    let services = evidence.passed.as_ref()?.services.iter();
    let timed = services.filter_map(|(name, service)| Some((name, service.answered_in?.as_secs_f64())));
    let (name, took) = timed.max_by(|one, other| one.1.total_cmp(&other.1))?;
    let share = took / mean;
    let waits = Waits { count: 1, seconds: Seconds(took) };
    (share >= MOST).then(|| (name.clone(), waits, share.min(1.0)))
}

/// The waits of one kind that were recorded: what most of them are for, how long they took, and the share of the requests in
/// flight that all of them are. `None` where that share is small: short waits are not recorded, and others are of no request.
fn recorded<'a, Kinds: IntoIterator<Item = (&'a String, &'a Waits)>>(
    evidence: &ArmEvidence<'a>,
    waits_of: impl Fn(&'a JfrFacts) -> Kinds,
) -> Option<(String, Waits, f64)> {
    let inspection = evidence.inspection?;
    let jfr = inspection.jfr.as_ref()?;
    let (what, waits) = longest_of_all(waits_of(jfr))?;
    let waited = waits_of(jfr).into_iter().map(|(_, waits)| waits.seconds).sum();
    let share = part_of_requests(waited, inspection);
    (share >= MOST).then(|| (what.clone(), *waits, share))
}

/// Waits as a share of the time of all requests in flight, at most 1.
pub(super) fn part_of_requests(waited: Seconds, inspection: &Inspection) -> f64 {
    (waited / inspection.in_flight.max(SHORTEST)).min(1.0)
}

/// The waits that took the longest in all.
pub(super) fn longest_of_all<'a>(
    waits: impl IntoIterator<Item = (&'a String, &'a Waits)>,
) -> Option<(&'a String, &'a Waits)> {
    waits.into_iter().max_by(|one, other| one.1.seconds.total_cmp(&other.1.seconds))
}

fn candidate(explains: f64, finding: Finding, waits: Waits, share: f64, remedy: Remedy) -> Candidate {
    Candidate::new(explains, finding, remedy)
        .with(Quantity::RequestsWaiting, share)
        .with(Quantity::WaitsSeen, waits.count as f64)
        .with(Quantity::WaitTime, mean_wait(waits))
}

/// Mean duration of a wait.
pub(super) fn mean_wait(waits: Waits) -> Seconds {
    waits.seconds / waits.count.max(1) as f64
}
