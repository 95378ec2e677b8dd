//! `prony history`: lists the stored runs, newest first, each with its verdict on the headline measure. For one experiment it also
//! shows how the measures drift from run to run, and with `--gate` it fails when the newest run shows a change for the worse.

use super::foreign_figures;
use crate::args;
use crate::decisions::{MOST_RUNS, WantedDecision, decide, finished_reports};
use crate::failure::{Code, Failure};
use crate::home::Home;
use crate::language;
use crate::output::print;
use crate::run_source::RunSource;
use crate::say::StatusLine;
use crate::stored_run::{find, foreign_series};
use model::decision::DecisionKind;
use model::history::{Gate, History, Past, State};
use report::history as printed;
use store::{Store, StoredRun, Team, TeamAccess, TeamAddress};

pub(crate) fn run(args: &args::HistoryArgs) -> Result<(), Failure> {
    let experiment = args.experiment.as_deref();
    let limit = if experiment.is_some() { MOST_RUNS } else { args.limit };
    let source = match &args.store {
        Some(url) => RunSource::Team(TeamAddress::parse(url).map_err(Failure::of_team)?),
        None => RunSource::Machine(Home::find()?.data),
    };
    let mut store = listing(&source, experiment, limit)?;
    if let Some(experiment) = experiment
        && (decide_as_asked(&source, &store, experiment, args)?
            || foreign_figures::change_as_asked(&source, experiment, args)?)
    {
        store = listing(&source, Some(experiment), limit)?;
    }
    let mut entries = store.runs(experiment, limit)?;
    if let Some(since) = &args.since {
        let first = find(&store, since)?.run;
        entries.retain(|entry| entry.run >= first);
    }
    let mut history =
        History { runs: entries.iter().take(args.limit as usize).map(past).collect(), ..History::default() };
    let mut passed = Ok(());
    if let Some(experiment) = experiment {
        let decisions = store.decisions(experiment)?;
        let found = judge::sequence(&finished_reports(entries), &decisions);
        (history.left_out, history.drift) = (found.left_out, found.drift);
        (history.facts, history.decisions) = (found.facts, decisions);
        history.foreign = foreign_series(&store, experiment)?;
        if args.gate {
            passed = pass(&found.gate);
            history.gate = Some(found.gate);
        }
    }
    show(&history, args)?;
    passed
}

fn listing(source: &RunSource, experiment: Option<&str>, limit: u32) -> Result<Store, Failure> {
    match source {
        RunSource::Machine(folder) => Ok(Store::open(folder)?),
        RunSource::Team(at) => {
            let team = Team::open(at, TeamAccess::Read);
            let listed = team.and_then(|mut team| team.listing(experiment, limit));
            listed.map_err(Failure::of_team)
        }
    }
}

/// Decides about a change, if that was asked for; returns whether it was.
fn decide_as_asked(
    source: &RunSource,
    store: &Store,
    experiment: &str,
    args: &args::HistoryArgs,
) -> Result<bool, Failure> {
    let asked = &args.decision;
    let (run, kind) = match (&asked.accept, &asked.dismiss, &asked.undecide) {
        (Some(run), _, _) => (run, Some(DecisionKind::Accepted)),
        (_, Some(run), _) => (run, Some(DecisionKind::Dismissed)),
        (_, _, Some(run)) => (run, None),
        (None, None, None) => return Ok(false),
    };
    let wanted = WantedDecision {
        experiment,
        run: &find(store, run)?.run,
        kind,
        comment: args.comment.as_deref().unwrap_or_default(),
    };
    decide(source, &wanted).map_err(|error| error.failure())?;
    Ok(true)
}

fn show(history: &History, args: &args::HistoryArgs) -> Result<(), Failure> {
    if args.json {
        return print(&printed::json(history));
    }
    let lang = language::chosen(&args.language);
    if history.runs.is_empty() && history.foreign.is_empty() {
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
        Gate { newest: Some(_), series: 0, .. } => Err(Failure::reported(Code::Invalid)),
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
