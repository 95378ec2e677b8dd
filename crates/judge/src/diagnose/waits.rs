//! Causes for which requests wait inside the server while there are enough CPUs and threads: a lock, a carrier thread, another
//! service, the disk. They are read from the JDK Flight Recorder in the inspection of the server after the first start.

use super::Candidate;
use super::evidence::ArmEvidence;
use super::remedy::server_kind;
use model::arm::AccessLog;
use model::finding::{BackendWait, DiskWait, Finding, LockWait, Pinning, Quantity, Remedy};
use model::inspection::{JfrFacts, Waits};

/// Smallest mean share of the requests in flight that wait for the same thing.
const MOST: f64 = 0.5;
/// Smallest share of the carrier threads that are held; there are as many carriers as CPUs.
const CARRIERS: f64 = 0.5;
/// Bytes written per request from which on the server writes at least a line for each.
const LINE: f64 = 20.0;
/// Smallest share of the time in which the holder of a lock writes to a file, and of the requests for which it does, before those
/// who wait for the lock are taken to wait for the file.
const HOLDER: f64 = 0.5;

/// Beginnings of the names of classes in `java.util.concurrent.locks` for which threads park; JFR reports inner classes.
const LOCKS: [&str; 3] = ["ReentrantLock$", "ReentrantReadWriteLock$", "StampedLock"];

/// Threads wait for one lock.
pub(super) fn lock(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
    let (lock, waits, share) = longest_wait(evidence, lock_waits)?;
    let finding = Finding::LockContention(LockWait {
        lock,
        share,
        each: mean_wait(waits),
        busy: evidence.busy(),
    });
    Some(candidate(finding, waits, share, Remedy::HoldLockShorter))
}

/// All waits for locks: for those of `synchronized`, and for those for which threads park.
fn lock_waits(jfr: &JfrFacts) -> impl Iterator<Item = (&String, &Waits)> {
    let parked = jfr.parked.iter().filter(|(class, _)| is_lock(class));
    jfr.monitors.iter().chain(parked)
}

/// Whether a thread that parks for an object of this class waits for a lock that another thread holds, and not for an answer, a
/// permit, or work.
fn is_lock(class: &str) -> bool {
    let name = class
        .strip_prefix("java.util.concurrent.locks.")
        .unwrap_or_default();
    LOCKS.iter().any(|lock| name.starts_with(lock))
}

/// Virtual threads wait without releasing their carriers, of which there are as many as CPUs, or as the server's quota allows.
pub(super) fn pinning(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
    evidence.waiting_requests()?;
    let inspection = evidence.inspection?;
    let (wait, waits) = longest_in_all(&inspection.jfr.as_ref()?.pinned)?;
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

/// A service that the server asks is slow: requests wait on a socket for its answer.
pub(super) fn backend(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
    let (backend, waits, share) =
        longest_wait(evidence, |jfr| &jfr.sockets).or_else(|| slow_service(evidence))?;
    let finding = Finding::BackendSlow(BackendWait {
        backend,
        share,
        each: mean_wait(waits),
        busy: evidence.busy(),
    });
    Some(candidate(finding, waits, share, Remedy::RelieveBackend))
}

/// A side service of the arm that took about as long to answer prony as requests took.
fn slow_service(evidence: &ArmEvidence<'_>) -> Option<(String, Waits, f64)> {
    evidence.waiting_requests()?;
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

/// Requests wait until something is written to a file.
pub(super) fn disk(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
    let written = evidence.passed.as_ref()?.disk.written as f64 / evidence.counts.requests.max(1) as f64;
    if written < LINE {
        return None;
    }
    let (file, waits, share) =
        longest_wait(evidence, |jfr| &jfr.files).or_else(|| writes_under_lock(evidence))?;
    let finding = Finding::DiskLogging(DiskWait {
        file,
        share,
        each: mean_wait(waits),
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

/// The waits for a file that is written under a lock: one request writes while the others wait for the lock, but the file is what
/// is slow.
fn writes_under_lock(evidence: &ArmEvidence<'_>) -> Option<(String, Waits, f64)> {
    evidence.waiting_requests()?;
    let inspection = evidence.inspection?;
    let jfr = inspection.jfr.as_ref()?;
    let (what, waits) = longest_in_all(&jfr.files)?;
    let (_, locked) = longest_in_all(lock_waits(jfr))?;
    let always = waits.seconds >= HOLDER * inspection.seconds;
    let each = waits.count as f64 >= HOLDER * inspection.ok as f64;
    let share = (waits.seconds + locked.seconds) / inspection.in_flight.max(1e-9);
    (always && each && share >= MOST).then(|| (what.clone(), *waits, share.min(1.0)))
}

/// The waits of one kind that took longest in all: what for, how long, and the share of the requests in flight that wait so.
/// `None` where that share is too small.
fn longest_wait<'a, Kind: IntoIterator<Item = (&'a String, &'a Waits)>>(
    evidence: &ArmEvidence<'a>,
    waits_of: impl Fn(&'a JfrFacts) -> Kind,
) -> Option<(String, Waits, f64)> {
    evidence.waiting_requests()?;
    let inspection = evidence.inspection?;
    let (what, waits) = longest_in_all(waits_of(inspection.jfr.as_ref()?))?;
    let share = waits.seconds / inspection.in_flight.max(1e-9);
    (share >= MOST).then(|| (what.clone(), *waits, share.min(1.0)))
}

/// The waits that took the most seconds in all.
fn longest_in_all<'a>(
    waits: impl IntoIterator<Item = (&'a String, &'a Waits)>,
) -> Option<(&'a String, &'a Waits)> {
    waits
        .into_iter()
        .max_by(|one, other| one.1.seconds.total_cmp(&other.1.seconds))
}

fn candidate(finding: Finding, waits: Waits, share: f64, remedy: Remedy) -> Candidate {
    Candidate::new(share, finding, remedy)
        .with(Quantity::RequestsWaiting, share)
        .with(Quantity::WaitsSeen, waits.count as f64)
        .with(Quantity::WaitTime, mean_wait(waits))
}

/// Mean duration of a wait, in seconds.
fn mean_wait(waits: Waits) -> f64 {
    waits.seconds / waits.count.max(1) as f64
}
