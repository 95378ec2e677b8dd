//! Moves runs and decisions from this machine to the store of its team, and tells what became of them.

use crate::failure::Failure;
use crate::message;
use crate::run_context::RunContext;
use record::decision::Decision;
use record::rounds::RunRecord;
use say::{Language, Say};
use store::{Moved, Store, Team, TeamAccess, TeamAddress, TeamError};

/// A line about a team's store.
#[derive(Debug, Say)]
pub(crate) enum TeamLine<'a> {
    /// What became of a run.
    #[say(en = "{run}: {moved}", zh = "{run}: {moved}")]
    Moved { run: &'a str, moved: Moved },
    /// Decisions about changes were stored.
    #[say(
        en = "{stored} {stored|decision about a change|decisions about changes}: stored",
        zh = "已保存 {stored} 个关于变化的决定"
    )]
    DecisionsMoved { stored: usize },
    /// A run that ended is in the team's store now.
    #[say(en = "pushed to {at}", zh = "已推送到 {at}")]
    Pushed { at: &'a TeamAddress },
    /// A run that ended could not be pushed, and stays on this machine.
    #[say(
        en = "not pushed: {error}; the run is stored here, and the next `prony push` sends it",
        zh = "未推送：{error}；运行保存在本机，下次 `prony push` 会发送"
    )]
    NotPushed { error: &'a TeamError },
    /// The team has all runs.
    #[say(
        en = "nothing to push: the team has every run that ended on this machine, and every decision",
        zh = "没有可推送的内容：团队已有本机所有已结束的运行和决定"
    )]
    NothingToPush,
}

/// Connects to the store at this address.
pub(crate) fn open(url: &str, access: TeamAccess) -> Result<Team, Failure> {
    connect(&TeamAddress::parse(url).map_err(Failure::of_team)?, access)
}

/// Connects to a store.
pub(crate) fn connect(at: &TeamAddress, access: TeamAccess) -> Result<Team, Failure> {
    Team::open(at, access).map_err(Failure::of_team)
}

/// Pushes the runs that the team does not have, and the decisions that are later than the team's. Tells what became of each.
/// Returns whether there was anything to push.
pub(crate) fn push_missing(team: &mut Team, store: &Store, lang: Language) -> Result<bool, TeamError> {
    let runs = team.missing(store.finished_runs()?)?;
    for run in &runs {
        push_run(team, store, run, lang)?;
    }
    let decided = push_decisions(team, &store.all_decisions()?, lang)?;
    Ok(!runs.is_empty() || decided > 0)
}

/// Pushes a run and tells what became of it.
pub(crate) fn push_run(team: &mut Team, store: &Store, run: &str, lang: Language) -> Result<(), TeamError> {
    let done = team.push(store, run)?;
    message::tell(&TeamLine::Moved { run, moved: done }, lang);
    Ok(())
}

/// Pushes decisions, and tells how many were stored. Returns that number.
pub(crate) fn push_decisions(
    team: &mut Team,
    decisions: &[Decision],
    lang: Language,
) -> Result<usize, TeamError> {
    let stored = team.push_decisions(decisions)?;
    if stored > 0 {
        message::tell(&TeamLine::DecisionsMoved { stored }, lang);
    }
    Ok(stored)
}

/// Pushes a run and the trials of what it suggests. A store that cannot be used changes nothing of the result: the runs stay here, which is
/// told in one line. That they are pushed is told only if `tells`.
pub(crate) fn at_the_end(record: &RunRecord, context: &RunContext, tells: bool) {
    let Some(at) = &context.config.store else {
        return;
    };
    match push_with_trials(at, record, context) {
        Ok(()) if tells => message::tell(&TeamLine::Pushed { at }, context.lang()),
        Ok(()) => {}
        Err(error) => message::tell(&TeamLine::NotPushed { error: &error }, context.lang()),
    }
}

fn push_with_trials(at: &TeamAddress, record: &RunRecord, context: &RunContext) -> Result<(), TeamError> {
    let mut team = Team::open(at, TeamAccess::Write)?;
    let trials = record.proofs.iter().map(|proof| &proof.run);
    for run in std::iter::once(&record.run).chain(trials) {
        team.push(&context.store, run)?;
    }
    Ok(())
}
