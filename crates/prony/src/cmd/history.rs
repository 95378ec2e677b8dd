//! `prony history`: lists the stored runs, newest first, each with its verdict on the headline measure. For one experiment it also
//! shows how the measures drift from run to run, and with `--gate` it fails when the newest run shows a change for the worse.

pub(crate) mod foreign;

use super::SubCommand;
use crate::args::LanguageArgs;
use crate::call::Call;
use crate::decisions::{MOST_RUNS, WantedDecision, decide, finished_reports};
use crate::failure::{Code, Failure};
use crate::language;
use crate::message;
use crate::output::print;
use crate::run_source::RunSource;
use crate::stored_run::{find, foreign_series};
use clap::Args;
use record::decision::DecisionKind;
use record::history::{Gate, History, Past, State};
use report::history as printed;
use say::Say;
use std::path::PathBuf;
use store::{Store, StoredRun};

/// List the stored runs, newest first, and show how an experiment drifts from run to run.
#[derive(Debug, Args)]
pub(crate) struct HistoryArgs {
    /// Show only the runs of this experiment, and how its measures drift from run to run.
    experiment: Option<String>,
    /// List at most this number of runs; the drift is always computed from all runs.
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    limit: u32,
    /// For a nightly job: exit with 5 when the newest run shows a confirmed change for the worse in the headline, not older than
    /// 14 runs, and with 7 when the newest run has no valid figure of its headline.
    #[arg(long, requires = "experiment")]
    gate: bool,
    /// Leave out the runs before this one: its id, the beginning of its id, or `latest`.
    #[arg(long, value_name = "RUN", requires = "experiment")]
    since: Option<String>,
    /// What to decide about a change.
    #[command(flatten)]
    decision: DecisionArgs,
    /// Why: a comment that is shown with the decision.
    #[arg(long, value_name = "TEXT", requires = "DecisionArgs")]
    comment: Option<String>,
    /// Figures of other tools, which are shown beside the history and take part in no verdict.
    #[command(flatten)]
    foreign: ForeignArgs,
    /// Read the runs of the team's store instead: postgres://USER@HOST/DATABASE.
    #[arg(long, value_name = "URL")]
    store: Option<String>,
    /// Print the list as JSON.
    #[arg(long)]
    json: bool,
    /// The language of the list.
    #[command(flatten)]
    language: LanguageArgs,
}

/// A decision about a change.
#[derive(Debug, Args)]
#[group(multiple = false)]
pub(crate) struct DecisionArgs {
    /// Accept the change that begins with this run: its level is the usual one from now on, and fails no gate.
    #[arg(long, value_name = "RUN", requires = "experiment")]
    accept: Option<String>,
    /// Dismiss the change that begins with this run: it is none, and the runs on both sides of it have one level.
    #[arg(long, value_name = "RUN", requires = "experiment")]
    dismiss: Option<String>,
    /// Take back what was decided about this run.
    #[arg(long, value_name = "RUN", requires = "experiment")]
    undecide: Option<String>,
}

/// Figures of other tools.
#[derive(Debug, Args)]
pub(crate) struct ForeignArgs {
    /// Add the results of another tool as a point of a foreign series, which is shown beside the history and takes part in no verdict:
    /// JMeter's JTL, the text of wrk or ab, the JSON of k6, Gatling, JMH or hyperfine.
    #[arg(long, value_name = "FILE", requires = "experiment", conflicts_with = "DecisionArgs")]
    add: Option<PathBuf>,
    /// The name of the foreign series [default: the name of the file]
    #[arg(long = "as", value_name = "NAME", requires = "add")]
    series: Option<String>,
    /// Remove a foreign series.
    #[arg(long, value_name = "NAME", requires = "experiment", conflicts_with_all = ["add", "DecisionArgs"])]
    forget: Option<String>,
}

/// There is no stored run.
#[derive(Debug, Say)]
#[say(en = "no stored runs{experiment? of `{}`}", zh = "没有{experiment? `{}` 的}运行记录")]
pub(crate) struct NoRuns<'a> {
    /// The experiment that was asked for.
    pub(crate) experiment: Option<&'a str>,
}

impl SubCommand for HistoryArgs {
    fn run(&self, _: &Call) -> Result<(), Failure> {
        let experiment = self.experiment.as_deref();
        let limit = if experiment.is_some() { MOST_RUNS } else { self.limit };
        let source = RunSource::named(self.store.as_deref())?;
        let mut store = source.listing(experiment, limit)?;
        if let Some(experiment) = experiment
            && (decide_as_asked(&source, &store, experiment, self)?
                || foreign::change_as_asked(&source, experiment, self)?)
        {
            store = source.listing(Some(experiment), limit)?;
        }
        let mut entries = store.runs(experiment, limit)?;
        if let Some(since) = &self.since {
            let first = find(&store, since)?.run;
            entries.retain(|entry| entry.run >= first);
        }
        let mut history = History {
            runs: entries.iter().take(self.limit as usize).map(past).collect(),
            ..History::default()
        };
        let mut passed = Ok(());
        if let Some(experiment) = experiment {
            let decisions = store.decisions(experiment)?;
            let found = judge::sequence(&finished_reports(entries), &decisions);
            (history.left_out, history.drift) = (found.left_out, found.drift);
            (history.facts, history.decisions) = (found.facts, decisions);
            history.foreign = foreign_series(&store, experiment)?;
            if self.gate {
                passed = pass(&found.gate);
                history.gate = Some(found.gate);
            }
        }
        show(&history, self)?;
        passed
    }
}

/// Decides about a change, if that was asked for; returns whether it was.
fn decide_as_asked(
    source: &RunSource,
    store: &Store,
    experiment: &str,
    args: &HistoryArgs,
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

fn show(history: &History, args: &HistoryArgs) -> Result<(), Failure> {
    if args.json {
        return print(&printed::json(history));
    }
    let lang = language::chosen(&args.language);
    if history.runs.is_empty() && history.foreign.is_empty() {
        let experiment = args.experiment.as_deref();
        message::tell(&NoRuns { experiment }, lang);
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
