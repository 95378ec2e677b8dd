//! Causes for which threads never go on.

use super::evidence::ArmEvidence;
use super::{Candidate, CauseRule};
use crate::profile::{application_methods, requests_at_locks};
use model::units::{Count, Share};
use record::finding::{DeadlockSeen, DeadlockedThread, Finding, Quantity, Remedy};
use record::inspection::StuckThread;

/// The JVM has found threads that wait for each other's locks. They never give an answer, whatever else limits.
impl CauseRule for DeadlockSeen {
    fn check(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
        let inspection = evidence.inspection.filter(|seen| !seen.deadlock.is_empty())?;
        let share = Share((requests_at_locks(inspection) / inspection.mean_in_flight().0.max(1e-9)).min(1.0));
        let threads: Vec<DeadlockedThread> = inspection.deadlock.iter().map(stuck).collect();
        let count = Count(threads.len() as f64);
        let finding = Finding::Deadlock(DeadlockSeen { threads, share });
        let candidate = Candidate::new(share.0, finding, Remedy::OrderLocks)
            .with(Quantity::RequestsWaiting, share)
            .with(Quantity::ThreadsStuck, count);
        Some(Candidate { spoils: true, ..candidate })
    }
}

fn stuck(thread: &StuckThread) -> DeadlockedThread {
    let [method, caller] = application_methods(&thread.frames);
    DeadlockedThread {
        name: thread.name.clone(),
        lock: thread.waits_for.clone(),
        held_by: thread.held_by.clone(),
        method: method.and_then(|method| thread.place_of(method)),
        caller: caller.and_then(|caller| thread.place_of(caller)),
    }
}
