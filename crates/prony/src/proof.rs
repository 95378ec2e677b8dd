//! `--prove`: after the verdict the changes that diagnoses suggest are tried, each in a run of its own.

use crate::experiment::{self, Place};
use crate::failure::Failure;
use crate::run_id;
use crate::say::Line;
use model::outcome::Report;
use model::record::{RoundRecord, RunRecord};
use std::sync::atomic::Ordering;

/// Tries what `report` suggests and notes the results in `record`; returns the report with them. A change that cannot be
/// tried is said, and costs the run nothing.
pub(crate) fn of(
    record: &mut RunRecord,
    rounds: &[RoundRecord],
    report: Report,
    place: &Place,
) -> Result<Report, Failure> {
    let trials = judge::prove::trials(record, &report);
    for trial in trials {
        if place.stop.load(Ordering::Relaxed) {
            break;
        }
        let mut proof = trial.proof;
        if !place.quiet {
            let proving = Line::Proving {
                cause: proof.cause.id(),
                arm: &proof.arm,
                question: &trial.experiment.question,
            };
            proving.tell(place.lang());
        }
        let source = format!("to prove {} of {} in run {}", proof.cause, proof.arm, record.run);
        match experiment::execute_until(
            &trial.experiment,
            &source,
            run_id::seed()?,
            (None, Some(record)),
            place,
        ) {
            Ok(tried) => {
                proof.run.clone_from(&tried.report.run);
                proof.per_start = judge::prove::per_start(&tried.report);
                record.proofs.push(proof);
            }
            Err(failure) => {
                Line::NotTried.tell(place.lang());
                failure.report(place.lang());
            }
        }
    }
    Ok(judge::report(record, rounds))
}
