//! The schedule of an open slice.

use crate::schedule::DueTimes;
use crate::workload::Place;
use model::plan::{Arrivals, Plan};
use model::units::Nanos;

/// The queue of requests that are due and not sent is the gap between two readers of the same due times, so it takes no
/// memory however long it gets.
#[derive(Debug)]
pub(super) struct Open {
    pub(super) start: Nanos,
    /// Reads ahead, to the present: counts what is due.
    ahead: DueTimes,
    /// Reads behind: the next request to be sent.
    behind: DueTimes,
    pub(super) offered: u64,
    pub(super) taken: u64,
    pub(super) offered_at_begin: u64,
    /// Requests due at this time or later are not of this slice.
    pub(super) end: Nanos,
    /// Most requests of the slice.
    limit: u64,
    /// So many outstanding requests end the slice.
    pub(super) cap: u64,
    /// Where the plan's order stands.
    pub(super) place: Place,
}

impl Open {
    /// `None` for a closed model.
    pub(super) fn new(plan: &Plan, start: Nanos, shard: usize, slice: u64) -> Option<Self> {
        let of = (shard, plan.shards);
        let (times, highest, connections) = match &plan.arrivals {
            Arrivals::Closed { .. } => return None,
            &Arrivals::Open {
                rate,
                poisson,
                connections,
            } => (
                DueTimes::new(rate, poisson, of, plan.seed, slice),
                rate.0,
                connections,
            ),
            Arrivals::Stages {
                stages,
                poisson,
                connections,
            } => {
                let highest = stages
                    .iter()
                    .map(|stage| stage.from.0.max(stage.to.0))
                    .fold(0.0, f64::max);
                let times = DueTimes::staged(stages, *poisson, of, plan.seed, slice);
                (times, highest, *connections)
            }
        };
        let queue = highest * plan.response_timeout.as_secs_f64();
        Some(Self {
            start,
            ahead: times.clone(),
            behind: times,
            offered: 0,
            taken: 0,
            offered_at_begin: 0,
            end: Nanos(u64::MAX),
            limit: u64::MAX,
            cap: (queue.max(connections as f64) / plan.shards as f64) as u64,
            place: Place::default(),
        })
    }

    pub(super) fn limited(self, limit: Option<u64>) -> Self {
        Self {
            limit: limit.unwrap_or(u64::MAX),
            ..self
        }
    }

    /// Counts what is due by now.
    pub(super) fn look_ahead(&mut self, now: Nanos) {
        self.offered += self.ahead.take_due(now.since(self.start));
        self.offered = self.offered.min(self.limit);
    }

    /// The due time of the next request to be sent, if the slice still has one.
    pub(super) fn next_due(&self) -> Option<Nanos> {
        let due = self.start + self.behind.peek();
        (due < self.end && self.taken < self.limit).then_some(due)
    }

    pub(super) fn take(&mut self) {
        self.behind.next();
        self.taken += 1;
    }
}
