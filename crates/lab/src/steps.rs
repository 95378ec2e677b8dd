//! What was counted of the steps of sessions, for reports.

use load::StepSlice;
use model::outcome::{StepResult, StepTimes};
use model::scenario::Program;

/// The results of the steps of a program, in their order; empty where nothing was counted.
pub fn step_results(program: &Program, slices: &[StepSlice]) -> Vec<StepResult> {
    let steps = program.steps.iter().zip(slices);
    let result = |(step, slice): (&model::scenario::ProgramStep, &StepSlice)| StepResult {
        name: step.name.clone(),
        group: step.group.clone(),
        transaction: step.transaction,
        ended: slice.ended,
        ok: slice.ok,
        faults: slice
            .faults
            .iter()
            .map(|(fault, count)| (fault.id().to_owned(), count))
            .collect(),
        times: (slice.ok > 0).then(|| times(slice)),
        first_failure: slice.first_failure.clone(),
    };
    steps.map(result).collect()
}

fn times(slice: &StepSlice) -> StepTimes {
    let at = |quantile| slice.times.value_at_quantile(quantile) as f64 / 1e9;
    StepTimes {
        mean: slice.time_sum / slice.ok as f64,
        p50: at(0.5),
        p90: at(0.9),
        p95: at(0.95),
        p99: at(0.99),
        max: slice.times.max() as f64 / 1e9,
    }
}
