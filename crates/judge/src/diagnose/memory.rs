//! Causes in memory: the collector of the JVM, the memory limit of a control group.

use super::Candidate;
use super::evidence::ArmEvidence;
use super::remedy::room_for;
use model::finding::{Collections, Finding, MemoryShort, Quantity, Remedy};
use model::units::Bytes;

/// Bytes of a MiB, the unit of suggested sizes.
const MEBIBYTE: u64 = 1 << 20;

/// Smallest share of the time in collections. G1 itself aims at 1 / (1 + GCTimeRatio) = 1 / 13, which is 7.7 %: with more, the
/// heap is too small by its own standard.
const PAUSED: f64 = 0.08;

/// Fewest bytes read from disk per request that matter: a page of 4 KiB for every tenth request, whose reading takes longer than
/// all the rest of it.
const READ_AGAIN: f64 = 409.6;

/// The collector stops the server for a good part of the time.
pub(super) fn collector(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
    let (paused, collections) = (evidence.gc?, evidence.collections?);
    if paused < PAUSED && !breaks_objective(evidence, paused / collections) {
        return None;
    }
    let heap = Bytes(evidence.effective.heap.unwrap_or(evidence.arm.heap.0));
    let logged = |name: &str| evidence.facts.get(name).copied();
    let longest = logged("gc.longest_pause_ms").map(|millis| millis / 1e3);
    let wanted = room_for(2.0 * heap.0 as f64 / MEBIBYTE as f64);
    let remedy = Remedy::EnlargeHeap {
        to: Bytes(wanted * MEBIBYTE),
    };
    let finding = Finding::GcPressure(Collections {
        share: paused,
        per_second: collections,
        heap,
        longest,
    });
    Some(
        Candidate::new(paused, finding, remedy)
            .with(Quantity::CollectionTime, paused)
            .with(Quantity::CollectionRate, collections)
            .with(Quantity::HeapSize, heap.0 as f64)
            .with_if_known(Quantity::LongestPause, longest)
            .with_if_known(Quantity::FullCollections, logged("gc.full_collections"))
            .changing("heap", format!("{wanted}M")),
    )
}

/// Whether pauses of this mean length, in seconds, alone make more requests late than the missed objective allows. Requests
/// arrive at random within a pause, and all of them wait too long except those that arrive so late in it that the rest of the
/// pause is shorter than the limit.
fn breaks_objective(evidence: &ArmEvidence<'_>, pause: f64) -> bool {
    evidence.missed.is_some_and(|objective| {
        let too_long = 1.0 - objective.limit.as_secs_f64() / pause;
        evidence.gc.unwrap_or(0.0) * too_long > objective.allowed()
    })
}

/// The kernel has to take memory back to keep the server within its limit, and the server reads the lost pages from disk again.
/// Hitting the limit alone is no cause: files that a server reads and writes stay in the page cache until there is no room.
pub(super) fn limit(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
    let limit = evidence.effective.memory_limit?;
    let whole = evidence.facts.get("cgroup.memory_limit_hits").copied();
    let limits = evidence.passed.as_ref().and_then(|passed| passed.limits);
    // Hits while requests were counted are preferred: those of a server's start, which reads its files, do not matter.
    let hits = limits.map(|limits| limits.memory_hits as f64).or(whole)?;
    let kills = evidence.facts.get("cgroup.oom_kills").copied().unwrap_or(0.0);
    let read = evidence.passed.as_ref().map_or(0, |passed| passed.disk.read);
    let read = evidence.per_request(read);
    if (hits < 1.0 || read < READ_AGAIN) && kills < 1.0 {
        return None;
    }
    let wanted = room_for(1.4 * limit as f64 / MEBIBYTE as f64);
    let remedy = Remedy::RaiseMemoryLimit {
        to: Bytes(wanted * MEBIBYTE),
    };
    let finding = Finding::MemoryLimit(MemoryShort {
        limit: Bytes(limit),
        hits,
        read,
        kills,
    });
    Some(
        Candidate::new(1.0, finding, remedy)
            .with(Quantity::MemoryLimit, limit as f64)
            .with(Quantity::MemoryLimitHits, hits)
            .with(Quantity::DiskReadPerRequest, read)
            .with(Quantity::ProcessesKilled, kills)
            .changing("memory", format!("{wanted}M")),
    )
}
