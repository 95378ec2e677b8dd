//! What was counted of the steps of sessions, as it is stored.

use load::StepSlice;
use traffic::scenario::StepRecord;

/// The records of what a slice counted of each step.
pub fn step_records(slices: &[StepSlice]) -> Vec<StepRecord> {
    let record = |slice: &StepSlice| StepRecord {
        ended: slice.ended,
        ok: slice.ok,
        faults: slice.faults.iter().map(|(fault, count)| (fault.id().to_owned(), count)).collect(),
        times: slice.times.cells().to_vec(),
        time_sum: slice.time_sum,
        first_failure: slice.first_failure.clone(),
    };
    slices.iter().map(record).collect()
}
