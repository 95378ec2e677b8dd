//! `prony history`: lists the stored runs, newest first, each with its verdict on the headline measure. For one experiment it also
//! shows how the measures drift from run to run.

use crate::args;
use crate::failure::Failure;
use crate::home::Home;
use crate::language;
use crate::output::print;
use crate::say::StatusLine;
use model::history::{History, Past, State};
use model::outcome::Report;
use report::history as printed;
use store::{Store, StoredRun};

/// The most runs in which a drift is looked for: more than two years of nightly runs.
const MOST_FOR_DRIFT: u32 = 1000;

pub(crate) fn run(args: &args::HistoryArgs) -> Result<(), Failure> {
    let store = Store::open(&Home::find()?.data)?;
    let experiment = args.experiment.as_deref();
    let limit = if experiment.is_some() {
        MOST_FOR_DRIFT
    } else {
        args.limit
    };
    let entries = store.runs(experiment, limit)?;
    let history = History {
        runs: entries.iter().take(args.limit as usize).map(past).collect(),
        drift: experiment.map_or_else(Vec::new, |_| judge::drift(&finished_reports(entries))),
    };
    if args.json {
        return print(&printed::json(&history));
    }
    let lang = language::chosen(&args.language);
    if history.runs.is_empty() {
        StatusLine::NoRuns { experiment }.tell(lang);
        return Ok(());
    }
    print(&printed::text(&history, lang))
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
fn finished_reports(entries: Vec<StoredRun>) -> Vec<Report> {
    entries
        .into_iter()
        .rev()
        .filter_map(|entry| entry.report.ok().flatten())
        .collect()
}
