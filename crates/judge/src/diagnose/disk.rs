//! Causes that make requests wait for a disk: a line of a log, or data that has to reach the disk.

use super::evidence::{ArmEvidence, FULL};
use super::remedy::server_kind;
use super::stops::StopsSeen;
use super::waits::{lock_waits, longest_of_all, mean_wait, part_of_requests};
use super::{Candidate, CauseRule};
use crate::profile::{Kind, Profile};
use ask::arm::AccessLog;
use model::units::{Seconds, Share};
use record::finding::{DiskWait, Finding, InMethod, Quantity, Remedy, SyncWait};
use record::inspection::{Inspection, JfrFacts, Waits};

/// Smallest mean share of the requests in flight that wait for the same file, where only long waits were recorded.
const MOST: f64 = 0.5;
/// Bytes written per request below which requests do not wait for a disk, whatever their log does.
const NOTHING: f64 = 1.0;
/// Bytes written per request from which on the server writes at least a line for each.
const LINE: f64 = 20.0;
/// Smallest share of the time in which the holder of a lock writes to a file, and of the requests for which
/// it does, from which on waits for the lock count as waits for the file.
const HOLDER: f64 = 0.5;

/// Requests wait until what they wrote is on the disk.
impl CauseRule for SyncWait {
    fn check(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
        let (profile, inspection) = evidence.stacks().filter(|_| evidence.counts.ok > 0)?;
        let place = profile.largest(Kind::Sync)?;
        let share = profile.part(place.requests);
        let behind = profile.part((place.requests - place.spot.requests).max(0.0));
        let each = profile.seconds(place.requests);
        let explains = effect_of_sync(evidence, share);
        let finding = Finding::DiskSync(SyncWait {
            file: slowest_file(inspection).map(|(file, _)| file.clone()),
            at: InMethod::alone(place.spot.method_at()),
            share: Share(share),
            behind: Share(behind),
            each,
            busy: Share(evidence.busy()),
            stops: StopsSeen::by(evidence, explains),
        });
        Some(
            Candidate::new(explains, finding, Remedy::SyncTogether)
                .with(Quantity::RequestsWaiting, share)
                .with(Quantity::RequestsBehind, behind)
                .with(Quantity::WaitTime, each)
                .with(Quantity::RequestRate, profile.rate)
                .with_if_known(Quantity::DiskWrittenPerRequest, written(evidence)),
        )
    }
}

/// What is missing because this share of the requests' time is spent in such waits. On a full CPU that is the CPU time of the kernel, which writes for
/// them: with a quick disk they wait for that. The kernel counts a CPU that waits for the disk as in use, so whether the CPU is full follows from
/// what programs used.
fn effect_of_sync(evidence: &ArmEvidence<'_>, share: f64) -> f64 {
    match evidence.known_busy() >= FULL {
        true => share * evidence.kernel_share().unwrap_or(0.0),
        false => evidence.effect_of(share),
    }
}

/// Requests wait until something is written to a file.
impl CauseRule for DiskWait {
    fn check(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
        evidence.waits_matter().then_some(())?;
        match evidence.stacks() {
            Some((profile, inspection)) => seen_logging(evidence, profile, inspection),
            None => recorded_logging(evidence),
        }
    }
}

/// Threads were seen to wait within a library that writes logs, or to write files with a line for each request.
fn seen_logging(
    evidence: &ArmEvidence<'_>,
    profile: &Profile<'_>,
    inspection: &Inspection,
) -> Option<Candidate> {
    let written = written(evidence).unwrap_or(0.0);
    let is_written = |kind| kind == Kind::Log || kind == Kind::Write && written >= LINE;
    let places = profile.places.iter().filter(|place| is_written(place.spot.kind));
    let requests: f64 = places.map(|place| place.requests).sum();
    let place = profile.largest_of(|place| is_written(place.spot.kind))?;
    let file = slowest_file(inspection).map(|(file, _)| file.clone());
    let named = || file.or(place.spot.what.clone()).or(place.spot.method_at());
    let share = profile.part(requests);
    let finding = Finding::DiskLogging(DiskWait {
        file: named().unwrap_or_default(),
        share: Share(share),
        each: profile.seconds(requests),
        written,
        at: InMethod::alone(place.spot.method_at()),
    });
    let candidate = Candidate::new(evidence.effect_of_turns(share), finding, Remedy::DumpThreads)
        .with(Quantity::RequestsWaiting, share)
        .with(Quantity::WaitTime, profile.seconds(requests));
    Some(with_remedy(candidate, evidence, written))
}

/// Long waits for files were recorded.
fn recorded_logging(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
    let written = written(evidence).filter(|written| *written >= LINE)?;
    let inspection = evidence.inspection?;
    let jfr = inspection.jfr.as_ref()?;
    let share_of = |waited: Seconds| part_of_requests(waited, inspection);
    let (file, waits) = slowest_file(inspection)?;
    let all = share_of(JfrFacts::total(&jfr.files));
    let share = match all >= MOST {
        true => all,
        false => share_of(waits.seconds + behind_lock(inspection, jfr, waits)?),
    };
    if share < MOST {
        return None;
    }
    let finding = Finding::DiskLogging(DiskWait {
        file: file.clone(),
        share: Share(share),
        each: mean_wait(*waits),
        written,
        at: InMethod::default(),
    });
    let candidate = Candidate::new(evidence.effect_of(share), finding, Remedy::DumpThreads)
        .with(Quantity::RequestsWaiting, share)
        .with(Quantity::WaitsSeen, waits.count as f64)
        .with(Quantity::WaitTime, mean_wait(*waits));
    Some(with_remedy(candidate, evidence, written))
}

/// How long requests waited for the lock under which a file is written: one request writes while the others wait,
/// but the file is what is slow.
fn behind_lock(inspection: &Inspection, jfr: &JfrFacts, waits: &Waits) -> Option<Seconds> {
    let (_, locked) = longest_of_all(lock_waits(jfr))?;
    let always = waits.seconds >= inspection.seconds * HOLDER;
    let each = waits.count as f64 >= HOLDER * inspection.ok as f64;
    (always && each).then_some(locked.seconds)
}

/// The file that was waited for longest.
fn slowest_file(inspection: &Inspection) -> Option<(&String, &Waits)> {
    longest_of_all(&inspection.jfr.as_ref()?.files)
}

/// Bytes that the server wrote per request; `None` without telemetry.
fn written(evidence: &ArmEvidence<'_>) -> Option<f64> {
    let written = evidence.passed.as_ref()?.disk.written;
    Some(evidence.per_request(written))
}

/// Adds how to write a log without waiting for it.
fn with_remedy(candidate: Candidate, evidence: &ArmEvidence<'_>, written: f64) -> Candidate {
    let candidate = candidate.with(Quantity::DiskWrittenPerRequest, written);
    if evidence.arm.settings.access_log == Some(AccessLog::Unbuffered) {
        let remedy = Remedy::BufferAccessLog;
        return Candidate { remedy, ..candidate }.changing("access_log", true);
    }
    let server = server_kind(evidence.arm, evidence.effective);
    let remedy = match written < NOTHING {
        true => Remedy::LogWithoutWaiting,
        false => Remedy::WriteLater { server },
    };
    Candidate { remedy, ..candidate }
}
