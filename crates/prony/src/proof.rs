//! `--prove`: after the verdict, prony tries the changes that diagnoses suggest, each in a run of its own, and the settings of the
//! application that the file names.

use crate::execution::{Executed, Execution};
use crate::failure::Failure;
use crate::message;
use crate::run_context::RunContext;
use crate::run_id;
use ask::experiment::Explain;
use ask::question::Question;
use judge::prove::Trial;
use record::outcome::Report;
use record::rounds::{Proof, RunRecord};
use say::Say;
use std::sync::atomic::Ordering;

/// A line about a change that is tried.
#[derive(Debug, Say)]
pub(crate) enum ProofLine<'a> {
    /// A change that a diagnosis suggests is tried.
    #[say(en = "to prove {cause} of {arm}: {question}", zh = "正在验证 {arm} 的诊断 {cause}：{question}")]
    Proving {
        /// The id of the diagnosis.
        cause: &'a str,
        /// The arm that it is about.
        arm: &'a str,
        /// What the trial asks.
        question: &'a Question,
    },
    /// Such a change could not be tried; why follows.
    #[say(en = "could not be tried:", zh = "未能尝试：")]
    NotTried,
}

/// Tries what the report of a run suggests, if the run asks for it, and stores the run again with the results. What a trial has
/// shown decides what is tried next. A change that cannot be tried is reported on stderr, and the run keeps its own results.
pub(crate) fn try_suggestions(mut run: Executed, context: &RunContext) -> Result<Executed, Failure> {
    if run.record.experiment.explain != Explain::Prove {
        return Ok(run);
    }
    let mut given_up: Vec<Proof> = Vec::new();
    while let Some(trial) = judge::prove::next_trial(&run.record, &run.report, &given_up) {
        if context.stop.load(Ordering::Relaxed) {
            break;
        }
        match make(&trial, &run.record, context) {
            Ok(tried) => {
                run.record.proofs.extend(trial.results(&tried));
                run.report = judge::report(&run.record, &run.rounds);
            }
            Err(failure) => {
                message::tell(&ProofLine::NotTried, context.lang());
                failure.report(context.lang());
                given_up.extend(trial.proofs);
            }
        }
    }
    run.stored = run.stored.and_then(|()| context.store.finish(&run.record, &run.report));
    Ok(run)
}

/// Makes a trial of a run and returns the trial's own report.
fn make(trial: &Trial, of: &RunRecord, context: &RunContext) -> Result<Report, Failure> {
    let proof = &trial.proofs[0];
    if !context.quiet {
        let line = ProofLine::Proving {
            cause: proof.cause.id(),
            arm: &proof.arm,
            question: &trial.experiment.question,
        };
        message::tell(&line, context.lang());
    }
    let source = format!("to prove {} of {} in run {}", proof.cause, proof.arm, of.run);
    let execution = Execution {
        experiment: &trial.experiment,
        source: &source,
        seed: run_id::seed()?,
        against: None,
        trial_of: Some(of),
        keeps_rate: false,
    };
    execution.execute(context).map(|tried| tried.report)
}
