//! Decides about changes that the history of an experiment shows, for the command line and for the page.

use crate::failure::Failure;
use crate::run_id;
use crate::run_source::RunSource;
use jiff::Timestamp;
use record::decision::{Decision, DecisionKind, LONGEST_COMMENT};
use record::outcome::Report;
use say::Say;
use std::collections::BTreeSet;
use store::{Store, StoredRun, Team, TeamAccess, TeamError};

/// The most runs in which changes are looked for: more than two years of nightly runs.
pub(crate) const MOST_RUNS: u32 = 1000;

/// What somebody wants to decide.
#[derive(Debug)]
pub(crate) struct WantedDecision<'a> {
    pub(crate) experiment: &'a str,
    /// The first run of the new level, by its whole id.
    pub(crate) run: &'a str,
    /// What the change is; `None` takes an earlier decision back.
    pub(crate) kind: Option<DecisionKind>,
    /// Why.
    pub(crate) comment: &'a str,
}

/// Why nothing was decided.
#[derive(Debug, Say)]
#[say(error)]
pub(crate) enum DecisionComplaint {
    /// The history shows no change that begins with this run.
    #[say(
        en = "the history of `{experiment}` shows no change that begins with run {run}",
        zh = "`{experiment}` 的历史中没有从运行 {run} 开始的变化",
        hint(
            en = "{changes?its changes begin with {:commas}|it shows no change at all: `prony history {experiment}`}",
            zh = "{changes?其中的变化始于：{:commas}|其中没有任何变化：`prony history {experiment}`}"
        )
    )]
    NoChange {
        run: String,
        experiment: String,
        /// The first runs of the changes that it shows.
        changes: Vec<String>,
    },
    /// There is no decision that could be taken back.
    #[say(
        en = "nothing was decided about run {run} of `{experiment}`",
        zh = "没有关于 `{experiment}` 的运行 {run} 的决定",
        hint(
            en = "`prony history {experiment}` shows what was decided",
            zh = "`prony history {experiment}` 显示已作的决定"
        )
    )]
    NothingDecided { run: String, experiment: String },
    /// The comment has more than [`LONGEST_COMMENT`] characters.
    #[say(
        en = "the comment has more than {most} characters",
        zh = "备注超过 {most} 个字符",
        most = LONGEST_COMMENT
    )]
    LongComment,
}

/// Why nothing was decided.
#[derive(Debug)]
pub(crate) enum DecisionError {
    /// What was asked for makes no sense.
    Refused(DecisionComplaint),
    /// The store of this machine fails.
    Store(store::Error),
    /// The store of the team fails, or its role may only read.
    Team(TeamError),
}

/// Stores a decision where the runs are.
///
/// # Errors
///
/// [`DecisionError`]: among others when the history shows no change that begins with the run.
pub(crate) fn decide(source: &RunSource, wanted: &WantedDecision<'_>) -> Result<(), DecisionError> {
    let comment = wanted.comment.trim();
    if comment.chars().count() > LONGEST_COMMENT {
        return Err(DecisionError::Refused(DecisionComplaint::LongComment));
    }
    let decision = |kind, by: &str| Decision {
        run: wanted.run.to_owned(),
        kind,
        comment: comment.to_owned(),
        by: by.to_owned(),
        at: run_id::time(Timestamp::now()),
    };
    let nothing = || {
        let (run, experiment) = (wanted.run.to_owned(), wanted.experiment.to_owned());
        DecisionError::Refused(DecisionComplaint::NothingDecided { run, experiment })
    };
    let removed = match source {
        RunSource::Machine(folder) => {
            let store = Store::open(folder)?;
            check(&store, wanted)?;
            match wanted.kind {
                Some(kind) => store.decide(&decision(kind, &user())).map(|()| true)?,
                None => store.withdraw(wanted.run)?,
            }
        }
        RunSource::Team(at) => {
            let mut team = Team::open(at, TeamAccess::Read)?;
            check(&team.listing(Some(wanted.experiment), MOST_RUNS)?, wanted)?;
            match wanted.kind {
                Some(kind) => team.decide(&decision(kind, at.user())).map(|()| true)?,
                None => team.withdraw(wanted.run)?,
            }
        }
    };
    if removed { Ok(()) } else { Err(nothing()) }
}

/// Checks that the history shows a change that begins with the run.
fn check(store: &Store, wanted: &WantedDecision<'_>) -> Result<(), DecisionError> {
    if wanted.kind.is_none() {
        return Ok(());
    }
    let reports = finished_reports(store.runs(Some(wanted.experiment), MOST_RUNS)?);
    // Without the decisions so far, so that one can be replaced.
    let shown = judge::sequence(&reports, &[]);
    let changes = shown.drift.iter().flat_map(|series| &series.changes);
    let at_the_gate = shown.gate.worse.iter().map(|worse| &worse.change);
    let runs: BTreeSet<&str> = changes.chain(at_the_gate).map(|change| change.run.as_str()).collect();
    if runs.contains(wanted.run) {
        return Ok(());
    }
    Err(DecisionError::Refused(DecisionComplaint::NoChange {
        run: wanted.run.to_owned(),
        experiment: wanted.experiment.to_owned(),
        changes: runs.into_iter().map(str::to_owned).collect(),
    }))
}

/// Returns the reports of the runs that ended, oldest first.
pub(crate) fn finished_reports(entries: Vec<StoredRun>) -> Vec<Report> {
    let oldest_first = entries.into_iter().rev();
    oldest_first.filter_map(|entry| entry.report.ok().flatten()).collect()
}

/// The name of this user; empty if it is not known.
fn user() -> String {
    let names = ["USER", "LOGNAME"].into_iter();
    names.filter_map(|name| std::env::var(name).ok()).find(|name| !name.is_empty()).unwrap_or_default()
}

impl From<store::Error> for DecisionError {
    fn from(error: store::Error) -> Self {
        Self::Store(error)
    }
}

impl From<TeamError> for DecisionError {
    fn from(error: TeamError) -> Self {
        Self::Team(error)
    }
}

impl DecisionError {
    /// The failure of a command.
    pub(crate) fn failure(self) -> Failure {
        match self {
            Self::Refused(complaint) => Failure::usage(complaint),
            Self::Store(error) => error.into(),
            Self::Team(error) => Failure::of_team(error),
        }
    }
}
