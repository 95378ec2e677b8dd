//! Runs an experiment: prepares its servers, measures round after round, judges, and stores everything on the way.

use crate::against::StoredBaseline;
use crate::builds;
use crate::failure::{Code, Failure};
use crate::kept_rate;
use crate::learnt_priors;
use crate::load_machines;
use crate::lock_file::LockFile;
use crate::progress::RunProgress;
use crate::repeat::Meant;
use crate::run_context::RunContext;
use crate::run_id;
use crate::stored_run::{begun, host_facts};
use ask::experiment::Experiment;
use lab::event::{Event, Observer};
use lab::{Bench, Course};
use record::outcome::Report;
use record::rounds::{RoundRecord, RunRecord};
use std::sync::atomic::Ordering;
use traffic::load_note::LoadNote;

/// An experiment to be run.
pub(crate) struct Execution<'a> {
    pub(crate) experiment: &'a Experiment,
    /// What is stored as the origin of the run: the text of the experiment file, or the command line.
    pub(crate) source: &'a str,
    pub(crate) seed: u64,
    /// The stored run that the baseline comes from, with `--against`.
    pub(crate) against: Option<&'a StoredBaseline>,
    /// The run whose diagnosis the experiment tests, with `--prove`. Such a trial stops after a few starts, and is
    /// repeated by the command that repeats the diagnosed run.
    pub(crate) trial_of: Option<&'a RunRecord>,
    /// Whether the fixed rate of the newest stored run of the same question is used again.
    pub(crate) keeps_rate: bool,
}

/// A run that ended.
pub(crate) struct Executed {
    pub(crate) report: Report,
    /// What the report was computed from, together with `rounds`.
    pub(crate) record: RunRecord,
    /// All rounds, also those that do not count.
    pub(crate) rounds: Vec<RoundRecord>,
    /// Why the run could not be stored, if it could not. Its report is shown all the same.
    pub(crate) stored: Result<(), store::Error>,
}

impl Execution<'_> {
    /// Prepares, runs and stores the experiment.
    pub(crate) fn execute(&self, context: &RunContext) -> Result<Executed, Failure> {
        let run = run_id::new()?;
        let (experiment, left_out) = lab::runnable(self.experiment).map_err(lab_failure)?;
        let mut experiment = judge::with_planned_starts(experiment);
        builds::restore(&mut experiment, context)?;
        if self.keeps_rate {
            experiment.design.kept_rate = kept_rate::of_newest_run(&experiment, &context.store);
        }
        experiment.design.learnt_priors = learnt_priors::of_stored_runs(&context.store);
        let experiment = &experiment;
        let mut progress = context.progress(&run, experiment);
        let program = experiment.workload.sessions.iter();
        for note in program.flat_map(|program| LoadNote::of_program(program)) {
            progress.event(Event::Note(&note.into()));
        }
        let bench = prepare(experiment, context, &mut progress)?;
        if let Some(lock) = &context.lock {
            lock.write_with(bench.pins())?;
        }
        if let Some(against) = self.against {
            against.check(&bench.facts())?;
        }
        let facts = host_facts().into_iter().chain(bench.facts());
        let mut record = RunRecord {
            repeat: self.repeat(&run, experiment, context),
            left_out,
            ..begun(&run, experiment.clone(), self.seed, facts.collect())
        };
        progress.store_error = context.store_begin(&record, self.source)?;
        let course =
            Course { max_rounds: self.trial_of.map(|_| judge::prove::STARTS), ..Course::new(experiment) };
        run_rounds(&mut record, self.source, course, &bench, progress, context)
    }

    /// Returns the command line that repeats the run.
    fn repeat(&self, run: &str, experiment: &Experiment, context: &RunContext) -> String {
        if let Some(record) = self.trial_of {
            return record.repeat.clone();
        }
        let against = self.against.map(StoredBaseline::run_and_arm);
        let meant = Meant { against: against.as_deref(), arms: &experiment.arms };
        let mut repeat = context.typed.command_of_run(run, meant);
        if !repeat.contains("--seed") && experiment.design.seed.is_none() {
            repeat.push_str(&format!(" --seed {}", self.seed));
        }
        repeat
    }
}

/// Fetches, builds and configures the servers of an experiment.
pub(crate) fn prepare(
    experiment: &Experiment,
    context: &RunContext,
    progress: &mut RunProgress<'_>,
) -> Result<Bench, Failure> {
    let site = sut::Site::new(context.home.cache.clone());
    let pins = context.lock.as_ref().map(LockFile::pins).unwrap_or_default();
    let bench = Bench::prepare(experiment, &pins, site, &context.stop, &mut |step| {
        progress.event(Event::Preparing { step: &step });
    });
    let bench = bench.map_err(|error| {
        if context.stop.load(Ordering::Relaxed) {
            Failure::reported(Code::Interrupted)
        } else {
            lab_failure(error)
        }
    })?;
    load_machines::let_them_load(bench.with_patience(context.patience), experiment, context)
}

/// Measures the rounds that `course` has left, judges all rounds of the run, and stores the result.
pub(crate) fn run_rounds(
    record: &mut RunRecord,
    source: &str,
    course: Course,
    bench: &Bench,
    mut progress: RunProgress<'_>,
    context: &RunContext,
) -> Result<Executed, Failure> {
    let rounds = lab::run(record, course, bench, &context.stop, &mut progress).map_err(lab_failure)?;
    let store_error = progress.store_error.take();
    drop(progress);
    let class = model::machine::class(&record.fingerprint);
    // A history that fails now must not cost the results.
    let calibrations = context.store.calibrations(&class).unwrap_or_default();
    record.calibration = judge::calibration::for_reports(&calibrations, record.experiment.design.alpha);
    let report = judge::report(record, &rounds);
    let stored_again = match store_error {
        None => Ok(()),
        Some(error) => context.store.store_again(record, source, &rounds).map_err(|_| error),
    };
    let stored = stored_again.and_then(|()| context.store.finish(record, &report));
    Ok(Executed { report, record: record.clone(), rounds, stored })
}

/// Turns an error of a run into a failure with its exit code and, where a server failed, the end of that server's log.
fn lab_failure(error: lab::Error) -> Failure {
    let code = match &error {
        error if error.is_of_arm() => Code::Start,
        error if error.is_usage() => Code::Usage,
        _ => Code::Internal,
    };
    let details = error.log().to_vec();
    Failure::new(code, error).details(details)
}
