//! Causes for which requests wait inside the server while there are enough CPUs and threads: a lock, a carrier thread. They are
//! read from the stacks of the server's threads, or, where these were not seen, from the JDK Flight Recorder alone.

use super::backends::partner;
use super::evidence::ArmEvidence;
use super::stops::StopsSeen;
use super::{Candidate, CauseRule, NAMED};
use crate::profile::{Charged, Kind, Profile, builder_of, lock_owner};
use model::units::{Count, Seconds, Share};
use record::finding::{Doing, Finding, InMethod, LockWait, Partner, Pinning, Quantity, Remedy, RequestPlace};
use record::inspection::{Inspection, JfrFacts, Waits};

/// Smallest mean share of the requests in flight that wait for the same thing, where only long waits were recorded.
pub(super) const MOST: f64 = 0.5;
/// Smallest share of the carrier threads that are held; there are as many carriers as CPUs.
const CARRIERS: f64 = 0.5;

/// The shortest wait for a lock that is held by more than a request, on a full CPU too: threads that wait for a CPU get one sooner.
const LONG_HELD: Seconds = Seconds(0.05);
/// How many times as long as a request usually takes such a wait is.
const MANY_TIMES: f64 = 20.0;

/// The least time by which anything is divided.
const SHORTEST: Seconds = Seconds(1e-9);

/// Beginnings of the names of classes in `java.util.concurrent.locks` for which threads park; JFR reports inner classes.
const LOCKS: [&str; 3] = ["ReentrantLock$", "ReentrantReadWriteLock$", "StampedLock"];

/// Threads wait for one lock.
impl CauseRule for LockWait {
    fn check(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
        if !evidence.waits_matter_or_silent() {
            return long_held_lock(evidence);
        }
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
    if place.spot.is_at_connection() {
        return None;
    }
    // There may be several locks, and together they explain more than each.
    let share = profile.share(Kind::Lock);
    let each = recorded_wait(evidence, place, share).unwrap_or_else(|| profile.seconds(place.requests));
    let owner = evidence.inspection.and_then(|seen| lock_owner(seen, place));
    let (holder, thread) = owner.unwrap_or((place.holders.clone(), None));
    let explains = evidence.effect_of_turns(share);
    let stops = StopsSeen::by(evidence, explains);
    let asks = asks_under_lock(holder.as_ref());
    let remedy = match place.spot.waits_for().is_some_and(is_for_readers_too) {
        _ if asks => Remedy::AskOutsideLock,
        true => Remedy::HoldWriteLockShorter,
        false if thread.is_some() => Remedy::PrepareOutsideLock,
        false => Remedy::HoldLockShorter,
    };
    let lock = LockWait {
        lock: place.spot.what.clone().unwrap_or_default(),
        share: Share(share),
        each,
        busy: Share(evidence.busy()),
        at: place.spot.in_method(),
        asked: asked_program(profile).filter(|_| asks),
        holder,
        thread,
        stops,
    };
    Some(with_lock(explains, lock, remedy))
}

/// Whether the holder of a lock waits for the answer of another program most of the time.
fn asks_under_lock(holder: Option<&RequestPlace>) -> bool {
    holder.is_some_and(|holder| {
        holder.share.0 >= MOST && matches!(holder.doing, Doing::Answer | Doing::Connect | Doing::LookUp)
    })
}

/// The program that answers are awaited from.
fn asked_program(profile: &Profile<'_>) -> Option<Partner> {
    partner(profile, profile.awaited.most_awaited()?)
}

/// How long a wait for the lock of a place takes, where the waits that were recorded one by one are most of all: few requests may wait for
/// long, and most not at all. `share` is the share of the requests in flight that wait.
fn recorded_wait(evidence: &ArmEvidence<'_>, place: &Charged<'_>, share: f64) -> Option<Seconds> {
    let (inspection, class) = (evidence.inspection?, place.spot.waits_for()?);
    let of_class = lock_waits(inspection.jfr.as_ref()?).filter(|(lock, _)| lock.starts_with(class));
    let (_, waits) = longest_of_all(of_class)?;
    let are_most = part_of_requests(waits.seconds, inspection) >= MOST * share;
    (are_most && waits.count > 0).then(|| mean_wait(*waits))
}

fn with_lock(explains: f64, lock: LockWait, remedy: Remedy) -> Candidate {
    let LockWait { share, each, busy, .. } = lock;
    Candidate::new(explains, Finding::LockContention(lock), remedy)
        .with(Quantity::RequestsWaiting, share)
        .with(Quantity::WaitTime, each)
        .with(Quantity::CpusInUse, busy)
}

/// On a full CPU, locks are held for longer than they need to be, because their holders wait for a CPU. But where requests wait for one many
/// times as long as a request usually takes, its holder does more than a request: a refresh, a rebuild. Waits of a millisecond or more
/// were recorded one by one.
fn long_held_lock(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
    let (profile, inspection) = evidence.stacks().filter(|_| evidence.counts.ok > 0)?;
    let (class, waits) = longest_of_all(lock_waits(inspection.jfr.as_ref()?))?;
    let (each, share) = (mean_wait(*waits), part_of_requests(waits.seconds, inspection));
    if each < LONG_HELD.max(Seconds(MANY_TIMES * evidence.median?)) || share < NAMED {
        return None;
    }
    let is_it =
        |place: &Charged<'_>| place.spot.waits_for().is_none_or(|waits_for| class.starts_with(waits_for));
    let place = profile.largest_of(|place| place.spot.kind == Kind::Lock && is_it(place));
    let (holder, thread) = place.and_then(|place| lock_owner(inspection, place)).unwrap_or((None, None));
    let holder = holder.or_else(|| place.and_then(|place| builder_of(inspection, place)));
    let asks = asks_under_lock(holder.as_ref());
    let remedy = match is_for_readers_too(class) {
        _ if asks => Remedy::AskOutsideLock,
        true => Remedy::HoldWriteLockShorter,
        false => Remedy::PrepareOutsideLock,
    };
    let explains = evidence.effect_of(share);
    let lock = LockWait {
        lock: place.and_then(|place| place.spot.what.clone()).unwrap_or_else(|| class.clone()),
        share: Share(share),
        each,
        busy: Share(evidence.busy()),
        at: place.map(|place| place.spot.in_method()).unwrap_or_default(),
        asked: asked_program(profile).filter(|_| asks),
        holder,
        thread,
        stops: StopsSeen::by(evidence, explains),
    };
    Some(with_lock(explains, lock, remedy))
}

/// Whether the holder of a lock does more than a request: others wait for it for long, or it is no request.
pub(super) fn is_held_for_long(lock: &LockWait) -> bool {
    lock.each >= LONG_HELD || lock.thread.is_some() || lock.stops.is_some()
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
        at: InMethod::default(),
        holder: None,
        asked: None,
        thread: None,
        stops: None,
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

/// The waits of one kind that were recorded: what most of them are for, how long they took, and the share of the requests in
/// flight that all of them are. `None` where that share is small: short waits are not recorded, and others are of no request.
pub(super) fn recorded<'a, Kinds: IntoIterator<Item = (&'a String, &'a Waits)>>(
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

pub(super) fn candidate(
    explains: f64,
    finding: Finding,
    waits: Waits,
    share: f64,
    remedy: Remedy,
) -> Candidate {
    Candidate::new(explains, finding, remedy)
        .with(Quantity::RequestsWaiting, share)
        .with(Quantity::WaitsSeen, waits.count as f64)
        .with(Quantity::WaitTime, mean_wait(waits))
}

/// Mean duration of a wait.
pub(super) fn mean_wait(waits: Waits) -> Seconds {
    waits.seconds / waits.count.max(1) as f64
}
