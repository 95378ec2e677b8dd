//! The steps of sessions: what was counted of each over slices.

use record::outcome::{StepResult, StepTimes};
use record::rounds::SliceRecord;
use traffic::scenario::{Program, ProgramStep, StepRecord};

/// The steps of a program over these slices, in their order.
pub(crate) fn over_slices(program: &Program, slices: &[&SliceRecord]) -> Vec<StepResult> {
    let mut sums = vec![StepRecord::default(); program.steps.len()];
    for slice in slices {
        for (sum, step) in sums.iter_mut().zip(&slice.steps) {
            sum.add(step);
        }
    }
    step_results(program, &sums)
}

/// The results of steps, from their sums.
pub fn step_results(program: &Program, records: &[StepRecord]) -> Vec<StepResult> {
    let steps = program.steps.iter().zip(records);
    steps.map(|(step, record)| step_result(step, record)).collect()
}

fn step_result(step: &ProgramStep, record: &StepRecord) -> StepResult {
    let times = || StepTimes {
        mean: record.time_sum / record.ok as f64,
        p50: record.time_at(0.5),
        p90: record.time_at(0.9),
        p95: record.time_at(0.95),
        p99: record.time_at(0.99),
        max: record.time_at(1.0),
    };
    StepResult {
        name: step.name.clone(),
        group: step.group.clone(),
        transaction: step.transaction,
        ended: record.ended,
        ok: record.ok,
        faults: record.faults.clone(),
        times: (record.ok > 0).then(times),
        first_failure: record.first_failure.clone(),
    }
}
