//! Causes that the JVM itself tells in the log of its server.

use super::evidence::ArmEvidence;
use super::keeper::keeper;
use super::memory::collecting_efforts;
use super::{Candidate, CauseRule, NAMED};
use model::units::{Bytes, Count, Share};
use record::finding::{
    CODE_CACHE_BYTES, CODE_CACHE_FULL, CodeCache, Finding, Lacked, Leak, MemoryUsedUp, Quantity, Remedy,
};

/// Smallest share of the starts whose logs say so.
const STARTS: f64 = 0.5;

/// The log has errors for lack of memory. What such an error meets has no answer, and often it meets a thread of the server itself. A load at
/// which all answers are right and the collector has little to do came before. Where the look shows what requests leave behind, that is told
/// first: it is why.
impl CauseRule for MemoryUsedUp {
    fn check(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
        let errors = |lacked: Lacked| evidence.facts.get(lacked.fact()).copied().unwrap_or(0.0);
        let lacked = Lacked::ALL.into_iter().max_by(|one, other| errors(*one).total_cmp(&errors(*other)))?;
        let count: f64 = Lacked::ALL.into_iter().map(errors).sum();
        let silent = evidence.is_silent();
        let shows = silent || evidence.wrong() > 0 || collecting_efforts(evidence) >= NAMED;
        if count < STARTS || !shows {
            return None;
        }
        let heap = evidence.heap_size();
        let keeper = keeper(evidence).filter(|_| lacked == Lacked::Heap);
        let remedy = match &keeper {
            Some(keeper) => Remedy::BoundKeeper { kind: keeper.kind, to: None },
            None => Remedy::MendLeak { what: lacked.leaked() },
        };
        let finding = Finding::OutOfMemory(Self {
            lacked,
            count: Count(count),
            heap: Some(heap).filter(|heap| lacked == Lacked::Heap && heap.0 > 0),
            silent,
            keeper,
        });
        let failed = if silent { 1.0 } else { evidence.per_request(evidence.wrong()) };
        let candidate = Candidate::new(failed.max(NAMED), finding, remedy)
            .with(Quantity::MemoryErrors, count)
            .with(Quantity::FailureShare, failed);
        let is_second = Leak::check(evidence).is_some();
        Some(Candidate { spoils: true, is_second, ..candidate })
    }
}

/// The log says that the compilers are off because there is no room for what they make.
impl CauseRule for CodeCache {
    fn check(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
        let times = evidence.facts.get(CODE_CACHE_FULL).copied().filter(|times| *times >= STARTS)?;
        let size = evidence.facts.get(CODE_CACHE_BYTES).map(|bytes| Bytes(bytes.round() as u64));
        let busy = Share(evidence.busy());
        let finding = Finding::CodeCacheFull(Self { size, busy });
        // On a full CPU nobody knows how much of it the same code would take if it were compiled, but many times less.
        let of_cpu = evidence.cpu / (evidence.busy() * evidence.cpus).max(evidence.cpu).max(1e-9);
        let explains = if evidence.cpu_full() { of_cpu } else { NAMED };
        let candidate = Candidate::new(explains, finding, Remedy::EnlargeCodeCache)
            .with(Quantity::CompilersOff, times)
            .with_if_known(Quantity::CodeCacheSize, size)
            .with(Quantity::CpusInUse, evidence.busy());
        Some(Candidate { spoils: true, ..candidate })
    }
}
