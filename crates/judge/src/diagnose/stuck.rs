//! Causes for which threads never go on.

use super::evidence::ArmEvidence;
use super::{Candidate, CauseRule};
use crate::profile::{in_application, requests_at_locks};
use model::units::{Count, Share};
use record::finding::{DeadlockSeen, DeadlockedThread, Finding, OwnTasksAwaited, Quantity, Remedy};
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

/// The threads of a pool wait for tasks that the same pool has yet to run, and requests queue for its threads.
impl CauseRule for OwnTasksAwaited {
    fn check(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
        let profile = evidence.inside.as_ref().filter(|_| evidence.waits_matter_or_silent())?;
        let own = profile.own_tasks.as_ref()?;
        let queue = profile.largest_of(|place| profile.is_behind_own_tasks(place))?;
        let share = profile.part(queue.requests);
        let finding = Finding::ThreadStarvation(Self {
            names: own.names.clone(),
            threads: Count(own.threads),
            waiting: Count(own.waiting),
            at: own.at.clone(),
            share: Share(share),
            busy: Share(evidence.busy()),
        });
        Some(
            Candidate::new(evidence.effect_of(share), finding, Remedy::SeparateTasks)
                .with(Quantity::RequestsWaiting, share)
                .with(Quantity::ThreadsStuck, own.waiting)
                .with(Quantity::CpusInUse, evidence.busy()),
        )
    }
}

fn stuck(thread: &StuckThread) -> DeadlockedThread {
    DeadlockedThread {
        name: thread.name.clone(),
        lock: thread.waits_for.clone(),
        held_by: thread.held_by.clone(),
        at: in_application(&thread.frames, |method| thread.place_of(method)),
    }
}
