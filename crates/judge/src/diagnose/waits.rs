//! What requests wait for inside the server while neither CPU nor threads are short: a lock, a carrier, another service, the
//! disk. The flight recorder tells, in the look into the server after the first start.

use super::Candidate;
use super::evidence::Evidence;
use super::remedy::server_kind;
use model::arm::AccessLog;
use model::finding::{BackendWait, DiskWait, Finding, LockWait, Pinning, Quantity, Remedy};
use model::inspection::{JfrFacts, Waits};

/// Of the requests in flight so many have to be waiting for the same thing, on average, before it is what they wait for.
const MOST: f64 = 0.5;
/// Of the carriers, as many as CPUs, so many have to be held.
const CARRIERS: f64 = 0.5;
/// Bytes written per request that are a line at least.
const LINE: f64 = 20.0;
/// What waits for a lock waits for what its holder does meanwhile: of the time so much, for every other request at least.
const HOLDER: f64 = 0.5;

/// Locks that threads park for, of `java.util.concurrent.locks`; their inner classes are what JFR names.
const LOCKS: [&str; 3] = ["ReentrantLock$", "ReentrantReadWriteLock$", "StampedLock"];

/// Threads wait for one lock.
pub(super) fn lock(evidence: &Evidence<'_>) -> Option<Candidate> {
    let (lock, waits, share) = waiting(evidence, locks)?;
    let finding = Finding::LockContention(LockWait {
        lock,
        share,
        each: each(waits),
        busy: evidence.busy(),
    });
    Some(candidate(finding, waits, share, Remedy::HoldLockShorter))
}

/// Waits for locks: those of `synchronized`, and those that threads park for.
fn locks(jfr: &JfrFacts) -> impl Iterator<Item = (&String, &Waits)> {
    let parked = jfr.parked.iter().filter(|(class, _)| is_lock(class));
    jfr.monitors.iter().chain(parked)
}

/// Whether who parks for an object of this class waits for a lock that another holds: not for an answer, a permit, or work.
fn is_lock(class: &str) -> bool {
    let name = class
        .strip_prefix("java.util.concurrent.locks.")
        .unwrap_or_default();
    LOCKS.iter().any(|lock| name.starts_with(lock))
}

/// Virtual threads wait without letting go of their carriers, of which there are as many as CPUs, or as its quota makes.
pub(super) fn pinning(evidence: &Evidence<'_>) -> Option<Candidate> {
    evidence.idle_requests()?;
    let inspection = evidence.inspection?;
    let (wait, waits) = longest(&inspection.jfr.as_ref()?.pinned)?;
    let held = waits.seconds / inspection.seconds.max(1e-9);
    let carriers = evidence.quota().map_or(evidence.cpus, f64::ceil);
    if held < CARRIERS * carriers {
        return None;
    }
    let finding = Finding::VirtualThreadPinning(Pinning {
        wait: wait.clone(),
        held,
        carriers,
        busy: evidence.busy(),
    });
    Some(
        Candidate::new(1.0, finding, Remedy::UseNewerJdk)
            .with(Quantity::CarriersHeld, held)
            .with(Quantity::WaitsSeen, waits.count as f64)
            .with(Quantity::RequestsInFlight, evidence.in_flight)
            .changing("jdk", 25),
    )
}

/// What the server asks is slow: requests wait for an answer on a socket.
pub(super) fn backend(evidence: &Evidence<'_>) -> Option<Candidate> {
    let (backend, waits, share) = waiting(evidence, |jfr| &jfr.sockets).or_else(|| asked(evidence))?;
    let finding = Finding::BackendSlow(BackendWait {
        backend,
        share,
        each: each(waits),
        busy: evidence.busy(),
    });
    Some(candidate(finding, waits, share, Remedy::RelieveBackend))
}

/// A service beside the server that prony asked itself, and that took about as long as the requests did each time.
fn asked(evidence: &Evidence<'_>) -> Option<(String, Waits, f64)> {
    evidence.idle_requests()?;
    let mean = evidence.mean?;
    let services = evidence.passed.as_ref()?.services.iter();
    let timed = services.filter_map(|(name, service)| Some((name, service.answered_in?.as_secs_f64())));
    let (name, took) = timed.max_by(|one, other| one.1.total_cmp(&other.1))?;
    let share = took / mean;
    let waits = Waits {
        count: 1,
        seconds: took,
    };
    (share >= MOST).then(|| (name.clone(), waits, share.min(1.0)))
}

/// Requests wait until something is written.
pub(super) fn disk(evidence: &Evidence<'_>) -> Option<Candidate> {
    let written = evidence.passed.as_ref()?.disk.written as f64 / evidence.counts.requests.max(1) as f64;
    if written < LINE {
        return None;
    }
    let (file, waits, share) = waiting(evidence, |jfr| &jfr.files).or_else(|| one_by_one(evidence))?;
    let finding = Finding::DiskLogging(DiskWait {
        file,
        share,
        each: each(waits),
        written,
    });
    let of_disk =
        |remedy| candidate(finding, waits, share, remedy).with(Quantity::DiskWrittenPerRequest, written);
    if evidence.arm.settings.access_log == Some(AccessLog::Unbuffered) {
        return Some(of_disk(Remedy::BufferAccessLog).changing("access_log", true));
    }
    let server = server_kind(evidence.arm, evidence.effective);
    Some(of_disk(Remedy::WriteLater { server }))
}

/// Writes to a file under a lock: one request writes, and the others wait for the lock, which is not what is slow.
fn one_by_one(evidence: &Evidence<'_>) -> Option<(String, Waits, f64)> {
    evidence.idle_requests()?;
    let inspection = evidence.inspection?;
    let jfr = inspection.jfr.as_ref()?;
    let (what, waits) = longest(&jfr.files)?;
    let (_, locked) = longest(locks(jfr))?;
    let always = waits.seconds >= HOLDER * inspection.seconds;
    let each = waits.count as f64 >= HOLDER * inspection.ok as f64;
    let share = (waits.seconds + locked.seconds) / inspection.in_flight.max(1e-9);
    (always && each && share >= MOST).then(|| (what.clone(), *waits, share.min(1.0)))
}

/// What most requests wait for, of one kind: what, how long, and the share of the requests in flight that do.
fn waiting<'a, Of: IntoIterator<Item = (&'a String, &'a Waits)>>(
    evidence: &Evidence<'a>,
    of: impl Fn(&'a JfrFacts) -> Of,
) -> Option<(String, Waits, f64)> {
    evidence.idle_requests()?;
    let inspection = evidence.inspection?;
    let (what, waits) = longest(of(inspection.jfr.as_ref()?))?;
    let share = waits.seconds / inspection.in_flight.max(1e-9);
    (share >= MOST).then(|| (what.clone(), *waits, share.min(1.0)))
}

fn longest<'a>(waits: impl IntoIterator<Item = (&'a String, &'a Waits)>) -> Option<(&'a String, &'a Waits)> {
    waits
        .into_iter()
        .max_by(|one, other| one.1.seconds.total_cmp(&other.1.seconds))
}

fn candidate(finding: Finding, waits: Waits, share: f64, remedy: Remedy) -> Candidate {
    Candidate::new(share, finding, remedy)
        .with(Quantity::RequestsWaiting, share)
        .with(Quantity::WaitsSeen, waits.count as f64)
        .with(Quantity::WaitTime, each(waits))
}

/// Seconds that each wait took, mean.
fn each(waits: Waits) -> f64 {
    waits.seconds / waits.count.max(1) as f64
}
