//! `prony history`: the stored runs, newest first, each with its verdict on the headline measure; of one experiment also
//! how its measures drift.

use crate::args;
use crate::failure::Failure;
use crate::home::Home;
use crate::output::{self, print};
use crate::say::Line;
use model::history::{History, Past, State};
use model::outcome::Report;
use report::history;
use store::{Store, StoredRun};

/// Runs that a drift is looked for in: more than two years of nights.
const MOST: u32 = 1000;

pub(crate) fn run(args: &args::History) -> Result<(), Failure> {
    let store = Store::open(&Home::find()?.data)?;
    let experiment = args.experiment.as_deref();
    let limit = if experiment.is_some() { MOST } else { args.limit };
    let entries = store.runs(experiment, limit)?;
    let found = History {
        runs: entries.iter().take(args.limit as usize).map(past).collect(),
        drift: experiment.map_or_else(Vec::new, |_| judge::drift(&finished(entries))),
    };
    if args.json {
        return print(&history::json(&found));
    }
    let lang = output::lang(&args.language);
    if found.runs.is_empty() {
        Line::NoRuns { experiment }.tell(lang);
        return Ok(());
    }
    print(&history::text(&found, lang))
}

fn past(entry: &StoredRun) -> Past {
    let (run, experiment) = (&entry.run, &entry.experiment);
    match &entry.report {
        Ok(Some(report)) => history::past(run, experiment, report),
        Ok(None) => history::without_report(run, experiment, State::NotFinished),
        Err(_) => history::without_report(run, experiment, State::Unreadable),
    }
}

/// The reports of the runs that ended, oldest first.
fn finished(entries: Vec<StoredRun>) -> Vec<Report> {
    entries
        .into_iter()
        .rev()
        .filter_map(|entry| entry.report.ok().flatten())
        .collect()
}
