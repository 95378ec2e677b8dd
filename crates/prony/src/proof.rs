//! `--prove`: after the verdict, prony tries the changes that diagnoses suggest, each in a run of its own.

use crate::execution::{Executed, Execution};
use crate::failure::Failure;
use crate::run_context::RunContext;
use crate::run_id;
use crate::say::StatusLine;
use model::experiment::Explain;
use std::sync::atomic::Ordering;

/// Tries what the report of a run suggests, if the run asks for it, and stores the run again with the results. A change that
/// cannot be tried is reported on stderr, and the run keeps its own results.
pub(crate) fn try_suggestions(mut run: Executed, context: &RunContext) -> Result<Executed, Failure> {
    if run.record.experiment.explain != Explain::Prove {
        return Ok(run);
    }
    for trial in judge::prove::trials(&run.record, &run.report) {
        if context.stop.load(Ordering::Relaxed) {
            break;
        }
        let mut proof = trial.proof;
        if !context.quiet {
            let line = StatusLine::Proving {
                cause: proof.cause.id(),
                arm: &proof.arm,
                question: &trial.experiment.question,
            };
            line.tell(context.lang());
        }
        let source = format!(
            "to prove {} of {} in run {}",
            proof.cause, proof.arm, run.record.run
        );
        let execution = Execution {
            experiment: &trial.experiment,
            source: &source,
            seed: run_id::seed()?,
            against: None,
            trial_of: Some(&run.record),
            keeps_rate: false,
        };
        match execution.execute(context) {
            Ok(tried) => {
                proof.run.clone_from(&tried.report.run);
                proof.per_start = judge::prove::per_start(&tried.report);
                run.record.proofs.push(proof);
            }
            Err(failure) => {
                StatusLine::NotTried.tell(context.lang());
                failure.report(context.lang());
            }
        }
    }
    run.report = judge::report(&run.record, &run.rounds);
    run.stored = run
        .stored
        .and_then(|()| context.store.finish(&run.record, &run.report));
    Ok(run)
}
