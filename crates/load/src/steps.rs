//! The steps of sessions, counted on their own: [`StepSlice`] is what one slice counted of a step.

use crate::cells::HistogramCells;
use crate::slice::SparseHistogram;
use crate::{Fault, Faults};
use model::units::{Nanos, Seconds};
use traffic::scenario::FirstFailure;

/// A step or a transaction that has ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StepEnd {
    /// Its index among the steps of the program.
    pub(crate) step: usize,
    /// From when it was due until its last answer arrived, redirects included.
    pub(crate) took: Nanos,
    /// What went wrong; `None` if nothing did.
    pub(crate) fault: Option<Fault>,
}

/// What one slice counted of a step or a transaction.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepSlice {
    /// How often it ended between the edges.
    pub ended: u64,
    /// How often it ended rightly.
    pub ok: u64,
    pub faults: Faults,
    /// The times of the right ones, nanoseconds: from when one was due until its last answer arrived.
    pub times: SparseHistogram,
    /// The sum of these times.
    pub time_sum: Seconds,
    pub first_failure: Option<FirstFailure>,
}

impl StepSlice {
    /// Adds what another shard, machine or slice counted.
    pub fn merge(&mut self, other: Self) {
        self.ended += other.ended;
        self.ok += other.ok;
        self.faults.merge(&other.faults);
        self.times.add(&other.times);
        self.time_sum += other.time_sum;
        self.first_failure = self.first_failure.take().or(other.first_failure);
    }
}

/// Records the ends of a step.
#[derive(Debug, Default)]
pub(crate) struct StepRecorder {
    ended: u64,
    ok: u64,
    faults: Faults,
    times: HistogramCells,
    time_sum: u128,
    pub(crate) first_failure: Option<FirstFailure>,
}

impl StepRecorder {
    pub(crate) fn record(&mut self, end: &StepEnd) {
        self.ended += 1;
        match end.fault {
            Some(fault) => self.faults.add(fault),
            None => {
                self.ok += 1;
                self.times.record(end.took.0);
                self.time_sum += u128::from(end.took.0);
            }
        }
    }

    /// Returns what was recorded, and begins anew.
    pub(crate) fn take(&mut self) -> StepSlice {
        if self.ended == 0 && self.first_failure.is_none() {
            return StepSlice::default();
        }
        let times = self.times.to_sparse();
        self.times.clear();
        StepSlice {
            ended: std::mem::take(&mut self.ended),
            ok: std::mem::take(&mut self.ok),
            faults: std::mem::take(&mut self.faults),
            times,
            time_sum: Seconds(std::mem::take(&mut self.time_sum) as f64 / 1e9),
            first_failure: self.first_failure.take(),
        }
    }
}
