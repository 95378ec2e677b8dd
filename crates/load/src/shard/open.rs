//! [`OpenSchedule`]: the requests of one slice of an open model.

use crate::request_picker::OrderPosition;
use crate::schedule::{DueTimes, ShardNumber};
use model::units::Nanos;
use traffic::plan::{Arrivals, Plan};

/// The schedule of one slice: which requests are due, and which of them were taken to be sent.
///
/// The queue of requests that are due and not yet sent lies between two readers of the same due times. It takes no memory,
/// however long it gets.
#[derive(Debug)]
pub(super) struct OpenSchedule {
    /// When the slice began.
    start: Nanos,
    /// The reader that counts due requests; it is ahead of the other one.
    to_count: DueTimes,
    /// The reader whose next due time belongs to the next request to be sent.
    to_send: DueTimes,
    /// Requests that were due up to the last [`OpenSchedule::count_due`].
    pub(super) offered: u64,
    /// Requests that were taken to be sent.
    pub(super) taken: u64,
    /// The value of `offered` at the begin of the counted window.
    pub(super) offered_at_begin: u64,
    /// Requests that are due at this time or later do not belong to the slice.
    pub(super) end: Nanos,
    /// The most requests of the slice.
    limit: u64,
    /// The slice is ended as overloaded when more requests than this are outstanding.
    pub(super) max_outstanding: u64,
    /// The position in the plan's order of requests.
    pub(super) position: OrderPosition,
}

impl OpenSchedule {
    /// The schedule of slice number `slice`; `None` for a closed model.
    pub(super) fn new(plan: &Plan, start: Nanos, shard: usize, slice: u64) -> Option<Self> {
        let shard = ShardNumber { index: shard, count: plan.shards };
        let (times, highest, connections) = match &plan.arrivals {
            Arrivals::Closed { .. } => return None,
            &Arrivals::Open { rate, poisson, connections } => {
                (DueTimes::new(rate, poisson, shard, plan.seed, slice), rate.0, connections)
            }
            Arrivals::Stages { stages, poisson, connections } => {
                let highest = stages.iter().map(|stage| stage.from.0.max(stage.to.0)).fold(0.0, f64::max);
                let times = DueTimes::staged(stages, *poisson, shard, plan.seed, slice);
                (times, highest, *connections)
            }
        };
        // As many as become due while a request may wait for its response: with more, the last ones would time out.
        let queue = highest * plan.response_timeout.as_secs_f64();
        Some(Self {
            start,
            to_count: times.clone(),
            to_send: times,
            offered: 0,
            taken: 0,
            offered_at_begin: 0,
            end: Nanos(u64::MAX),
            limit: u64::MAX,
            max_outstanding: (queue.max(connections as f64) / plan.shards as f64) as u64,
            position: OrderPosition::default(),
        })
    }

    /// Limits the number of requests.
    pub(super) fn with_limit(self, limit: Option<u64>) -> Self {
        Self { limit: limit.unwrap_or(u64::MAX), ..self }
    }

    /// Counts the requests that are due by now.
    pub(super) fn count_due(&mut self, now: Nanos) {
        self.offered += self.to_count.take_due(now.since(self.start));
        self.offered = self.offered.min(self.limit);
    }

    /// The due time of the next request to be sent; `None` when the slice has no further one.
    pub(super) fn next_due(&self) -> Option<Nanos> {
        let due = self.start + self.to_send.peek();
        (due < self.end && self.taken < self.limit).then_some(due)
    }

    /// Takes the next request, to be sent or given up.
    pub(super) fn take(&mut self) {
        self.to_send.next();
        self.taken += 1;
    }
}
