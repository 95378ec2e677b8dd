//! `prony history`: lists the stored runs, newest first, each with its verdict on the headline measure. For one experiment it also
//! shows how the measures drift from run to run, and with `--gate` it fails when the newest run shows a change for the worse.

use super::team::open;
use crate::args;
use crate::failure::{Code, Failure};
use crate::home::Home;
use crate::language;
use crate::output::print;
use crate::say::StatusLine;
use crate::stored_run::find;
use model::history::{Gate, History, Past, State};
use model::outcome::Report;
use report::history as printed;
use store::{Store, StoredRun, TeamAccess};

/// The most runs in which a drift is looked for: more than two years of nightly runs.
pub(super) const MOST_FOR_DRIFT: u32 = 1000;

pub(crate) fn run(args: &args::HistoryArgs) -> Result<(), Failure> {
    let experiment = args.experiment.as_deref();
    let limit = if experiment.is_some() {
        MOST_FOR_DRIFT
    } else {
        args.limit
    };
    let store = match &args.store {
        Some(url) => open(url, TeamAccess::Read)?.listing(experiment, limit)?,
        None => Store::open(&Home::find()?.data)?,
    };
    let mut entries = store.runs(experiment, limit)?;
    if let Some(since) = &args.since {
        let first = find(&store, since)?.run;
        entries.retain(|entry| entry.run >= first);
    }
    let mut history = History {
        runs: entries.iter().take(args.limit as usize).map(past).collect(),
        ..History::default()
    };
    let mut passed = Ok(());
    if experiment.is_some() {
        let found = judge::sequence(&finished_reports(entries));
        (history.left_out, history.drift) = (found.left_out, found.drift);
        if args.gate {
            passed = pass(&found.gate);
            history.gate = Some(found.gate);
        }
    }
    show(&history, args)?;
    passed
}

fn show(history: &History, args: &args::HistoryArgs) -> Result<(), Failure> {
    if args.json {
        return print(&printed::json(history));
    }
    let lang = language::chosen(&args.language);
    if history.runs.is_empty() {
        let experiment = args.experiment.as_deref();
        StatusLine::NoRuns { experiment }.tell(lang);
        return Ok(());
    }
    print(&printed::text(history, lang))
}

/// Returns the exit code of a nightly job. A series that is too short for a change fails no job.
pub(super) fn pass(gate: &Gate) -> Result<(), Failure> {
    match gate {
        gate if !gate.worse.is_empty() => Err(Failure::reported(Code::Regression)),
        Gate {
            newest: Some(_),
            series: 0,
            ..
        } => Err(Failure::reported(Code::Invalid)),
        _ => Ok(()),
    }
}

fn past(entry: &StoredRun) -> Past {
    let (run, experiment) = (&entry.run, &entry.experiment);
    match &entry.report {
        Ok(Some(report)) => printed::past(run, experiment, report),
        Ok(None) => printed::without_report(run, experiment, State::NotFinished),
        Err(_) => printed::without_report(run, experiment, State::Unreadable),
    }
}

/// Returns the reports of the runs that ended, oldest first.
pub(super) fn finished_reports(entries: Vec<StoredRun>) -> Vec<Report> {
    entries
        .into_iter()
        .rev()
        .filter_map(|entry| entry.report.ok().flatten())
        .collect()
}
