//! Causes in memory: the collector of the JVM, the memory limit of a control group.

use super::evidence::ArmEvidence;
use super::keeper::keeper;
use super::remedy::room_for;
use super::stops::StopsSeen;
use super::waits::part_of_requests;
use super::{Candidate, CauseRule};
use crate::profile::{Kind, garbage};
use model::units::{Bytes, Count, Rate, Seconds, Share};
use record::finding::{
    AskedFor, Collections, Finding, HeapFull, InMethod, Leaked, MemoryShort, OneThread, Quantity, Remedy,
    Stalls,
};
use record::inspection::{Inspection, JfrFacts};

/// Bytes of a MiB, the unit of suggested sizes.
const MEBIBYTE: u64 = 1 << 20;

/// Smallest share of the server's CPU that its collector takes on a full CPU for it to be pressed. G1 itself aims
/// at pauses of 1 / (1 + GCTimeRatio) = 1 / 13 of the time; what it does while the server runs comes on top.
const COLLECTING: f64 = 0.25;
/// Smallest share of the heap that is in use after a collection for it to be nearly full.
const LIVE: f64 = 0.85;
/// The collectors that work while the server runs and let threads wait when they are too late.
const CONCURRENT: [&str; 2] = ["Z", "Shenandoah"];

/// Fewest bytes read from disk per request that matter: a page of 4 KiB for every tenth request, whose reading takes longer than
/// all the rest of it.
const READ_AGAIN: f64 = 409.6;

/// The collector stops the server for a good part of the time, or takes much of a full CPU.
impl CauseRule for Collections {
    fn check(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
        let (paused, collections) = (evidence.gc?, evidence.collections?);
        let heap = evidence.heap_size();
        let logged = |name: &str| evidence.facts.get(name).copied();
        let longest = logged("gc.longest_pause_ms").map(|millis| Seconds(millis / 1e3));
        let cpu = collecting_share(evidence).filter(|share| *share > paused);
        let asked = evidence.inspection.and_then(|seen| asked_for(seen, paused));
        let metaspace = for_metaspace(evidence).filter(|_| asked.is_none());
        let finding = Finding::GcPressure(Collections {
            share: Share(paused),
            per_second: Rate(collections),
            heap,
            longest,
            cpu: cpu.map(Share),
            stops: StopsSeen::by(evidence, paused).filter(|_| asked.is_none()),
            asked: asked.clone(),
            metaspace: metaspace.map(Share),
            one_thread: one_thread(evidence),
            keeper: keeper(evidence).filter(|_| asked.is_none() && metaspace.is_none()),
            garbage: evidence.inspection.and_then(garbage),
        });
        let explains = match breaks_objective(evidence, paused / collections) {
            true => 1.0,
            false => cpu.unwrap_or(paused),
        };
        let candidate = match asked.map(|asked| asked.for_direct_memory) {
            Some(true) => Candidate::new(explains, finding, Remedy::ReuseDirectBuffers),
            Some(false) => Candidate::new(explains, finding, Remedy::StopAskingForCollections),
            None if metaspace.is_some() => {
                Candidate::new(explains, finding, Remedy::MendLeak { what: Leaked::Classes })
            }
            None => with_more_heap(explains, finding, evidence),
        };
        Some(
            candidate
                .with_if_known(Quantity::PausesForClasses, metaspace.map(Share))
                .with(Quantity::CollectionTime, paused)
                .with(Quantity::CollectionRate, collections)
                .with_if_known(Quantity::CollectorCpu, cpu)
                .with(Quantity::HeapSize, heap)
                .with_if_known(Quantity::LongestPause, longest)
                .with_if_known(Quantity::FullCollections, logged("gc.full_collections")),
        )
    }
}

/// Fewest pauses of a start for the metaspace that are no start of a JVM, which has some while it grows.
const FOR_METASPACE: f64 = 12.0;
/// Smallest share of all pauses that these are.
const MOST_PAUSES: f64 = 0.5;

/// The share of all pauses of a start that come because there is no room for more classes, where they are most.
fn for_metaspace(evidence: &ArmEvidence<'_>) -> Option<f64> {
    let logged = |name: &str| evidence.facts.get(name).copied();
    let (some, all) = (logged("gc.for_metaspace")?, logged("gc.pauses")?);
    let share = some / all.max(1.0);
    (some >= FOR_METASPACE && share >= MOST_PAUSES).then_some(share)
}

/// Smallest part of all time in collections that those take which the application asks for.
const ASKED: f64 = 0.5;

/// The collections that the application has asked for most, where they are most of all; `paused` is the share of the time that all take.
fn asked_for(seen: &Inspection, paused: f64) -> Option<AskedFor> {
    let all = &seen.jfr.as_ref()?.asked;
    let most = all.iter().max_by(|one, other| one.waits.seconds.total_cmp(&other.waits.seconds))?;
    let waits = most.waits;
    let is_most = waits.seconds.0 >= ASKED * paused * seen.seconds.0 && waits.count > 0;
    is_most.then(|| AskedFor {
        at: InMethod::alone(most.method.clone()),
        thread: most.thread.clone(),
        for_direct_memory: most.for_direct_memory,
        every: seen.seconds / waits.count as f64,
        each: waits.seconds / waits.count as f64,
    })
}

/// Threads of requests wait until there is memory again. The JVM stops nobody for that, so no pause shows it.
impl CauseRule for Stalls {
    fn check(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
        let collector = evidence.effective.gc.clone();
        let share = stalled_share(evidence)?;
        let inspection = evidence.inspection?;
        let recorded = inspection.jfr.as_ref().map(|jfr| &jfr.stalls);
        let count: u64 = recorded.map_or(0, |stalls| stalls.values().map(|waits| waits.count).sum());
        let waited = recorded.map_or(Seconds::ZERO, JfrFacts::total);
        let each = (count > 0).then(|| waited / count as f64);
        let live = inspection.heap.map(|heap| heap.live);
        let heap = evidence.heap_size();
        let garbage = garbage(inspection);
        let finding =
            Finding::AllocationStall(Stalls { share: Share(share), each, collector, heap, live, garbage });
        Some(
            with_more_heap(evidence.effect_of(share), finding, evidence)
                .with(Quantity::RequestsWaiting, share)
                .with_if_known(Quantity::WaitTime, each)
                .with(Quantity::HeapSize, heap)
                .with_if_known(Quantity::HeapLive, live),
        )
    }
}

/// The share of the requests in flight that stand still for lack of memory: as the flight recorder saw it, or else the
/// requests that are runnable for the JVM but neither run nor wait for a CPU while a concurrent collector works hard.
fn stalled_share(evidence: &ArmEvidence<'_>) -> Option<f64> {
    let inspection = evidence.inspection?;
    let recorded = inspection.jfr.as_ref().map(|jfr| JfrFacts::total(&jfr.stalls));
    if let Some(waited) = recorded.filter(|waited| *waited > Seconds::ZERO) {
        return Some(part_of_requests(waited, inspection));
    }
    let (profile, _) = evidence.stacks()?;
    let is_concurrent = CONCURRENT.iter().any(|name| evidence.effective.gc.as_deref() == Some(*name));
    let works = evidence.group_share("GC").is_some_and(|share| share >= COLLECTING);
    if !is_concurrent || !works {
        return None;
    }
    let runnable = profile.requests(Kind::Runs);
    let still = runnable - evidence.cpu - evidence.waiting_for_cpu();
    Some(profile.part(still.max(0.0)))
}

/// What is in use fills the heap nearly, so that the collector works without end and frees little.
impl CauseRule for HeapFull {
    fn check(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
        let told = || evidence.told.as_ref()?.heap;
        let seen = evidence.inspection.and_then(|inspection| inspection.heap).or_else(told)?;
        if (seen.live.0 as f64) < LIVE * seen.most.0 as f64 {
            return None;
        }
        let collecting = collecting_efforts(evidence);
        let finding = Finding::HeapNearlyFull(HeapFull {
            live: seen.live,
            heap: seen.most,
            collecting: Share(collecting),
            per_second: evidence.collections.map(Rate),
            keeper: keeper(evidence),
        });
        Some(
            with_more_heap(collecting, finding, evidence)
                .with(Quantity::HeapLive, seen.live)
                .with(Quantity::HeapSize, seen.most)
                .with(Quantity::CollectionTime, collecting)
                .with_if_known(Quantity::CollectionRate, evidence.collections),
        )
    }
}

/// What collections cost: a share of the time, or of the server's CPU time.
pub(super) fn collecting_efforts(evidence: &ArmEvidence<'_>) -> f64 {
    let efforts = [evidence.gc, collecting_share(evidence), stalled_share(evidence)];
    efforts.into_iter().flatten().fold(0.0, f64::max)
}

/// Share of the server's CPU that its collector takes; `None` where it is small, or the CPU is not full, so that nobody misses it.
fn collecting_share(evidence: &ArmEvidence<'_>) -> Option<f64> {
    let share = evidence.group_share("GC").filter(|_| evidence.is_short_of_cpu())?;
    (share >= COLLECTING).then_some(share)
}

/// The percentage of the memory that is suggested for a heap; threads, code and buffers need the rest.
const OF_MEMORY: u64 = 70;
/// The collector that a JVM chooses on small machines.
const SMALL: &str = "Serial";

/// What made the JVM choose the collector for small machines; `None` where it has not.
fn one_thread(evidence: &ArmEvidence<'_>) -> Option<OneThread> {
    let chosen = evidence.effective.chosen.filter(|chosen| chosen.collector)?;
    let is_small = evidence.effective.gc.as_deref() == Some(SMALL);
    is_small.then_some(OneThread { processors: Count(chosen.processors as f64), memory: chosen.memory })
}

/// The remedy for a JVM that has taken a quarter of its memory by itself; `None` where its heap was set.
fn size_heap(evidence: &ArmEvidence<'_>) -> Option<Remedy> {
    let chosen = evidence.effective.chosen.filter(|chosen| chosen.heap)?;
    let heap = evidence.heap_size();
    let to = Bytes(chosen.memory.0 / 100 * OF_MEMORY);
    let collector = evidence.effective.gc.clone().filter(|name| chosen.collector && name == SMALL);
    let memory = chosen.memory;
    let parallel = collector.as_ref().map(|_| chosen.processors).filter(|processors| *processors >= 2);
    (to > heap).then_some(Remedy::SizeHeap { percent: OF_MEMORY, to, heap, memory, collector, parallel })
}

/// A cause that a larger heap remedies.
fn with_more_heap(explains: f64, finding: Finding, evidence: &ArmEvidence<'_>) -> Candidate {
    if let Some(remedy) = size_heap(evidence) {
        return Candidate::new(explains, finding, remedy);
    }
    let wanted = room_for(2.0 * evidence.heap_size().0 as f64 / MEBIBYTE as f64);
    let to = Bytes(wanted * MEBIBYTE);
    let remedy = match keeper(evidence) {
        Some(keeper) => Remedy::BoundKeeper { kind: keeper.kind, to: Some(to) },
        None => Remedy::EnlargeHeap { to },
    };
    Candidate::new(explains, finding, remedy).changing("heap", format!("{wanted}M"))
}

/// Whether pauses of this mean length, in seconds, alone make more requests late than the missed objective
/// allows. Requests arrive at random within a pause, and all of them wait too long unless the rest of the
/// pause is shorter than the limit.
fn breaks_objective(evidence: &ArmEvidence<'_>, pause: f64) -> bool {
    evidence.missed.is_some_and(|objective| {
        let too_long = 1.0 - objective.limit.as_secs_f64() / pause;
        evidence.gc.unwrap_or(0.0) * too_long > objective.allowed().0
    })
}

/// The kernel has to take memory back to keep the server within its limit, and the server reads the lost pages from disk again.
/// Hitting the limit alone is no cause: files that a server reads and writes stay in the page cache until there is no room.
impl CauseRule for MemoryShort {
    fn check(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
        let limit = evidence.effective.memory_limit?;
        let whole = evidence.facts.get("cgroup.memory_limit_hits").copied();
        let limits = evidence.passed.as_ref().and_then(|passed| passed.limits);
        // Hits while requests were counted are preferred: hits at a server's start, which reads its files, do not matter.
        let hits = limits.map(|limits| limits.memory_hits as f64).or(whole)?;
        let kills = evidence.facts.get("cgroup.oom_kills").copied().unwrap_or(0.0);
        let read = evidence.passed.as_ref().map_or(0, |passed| passed.disk.read);
        let read = evidence.per_request(read);
        if (hits < 1.0 || read < READ_AGAIN) && kills < 1.0 {
            return None;
        }
        let wanted = room_for(1.4 * limit.0 as f64 / MEBIBYTE as f64);
        let remedy = Remedy::RaiseMemoryLimit { to: Bytes(wanted * MEBIBYTE) };
        let finding = Finding::MemoryLimit(MemoryShort {
            limit,
            hits: Count(hits),
            read,
            kills: Count(kills),
            heap: evidence.effective.heap,
        });
        // A request that reads as much as the least that matters spends half of its time with that.
        let explains = match kills < 1.0 {
            true => read / (read + READ_AGAIN),
            false => 1.0,
        };
        Some(
            Candidate::new(explains, finding, remedy)
                .with(Quantity::MemoryLimit, limit)
                .with(Quantity::MemoryLimitHits, hits)
                .with(Quantity::DiskReadPerRequest, read)
                .with(Quantity::ProcessesKilled, kills)
                .changing("memory", format!("{wanted}M")),
        )
    }
}
