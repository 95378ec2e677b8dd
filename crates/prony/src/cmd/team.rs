//! `prony push` and `prony pull`: move runs between the store of this machine and that of the team.

use crate::args::{PullArgs, PushArgs};
use crate::failure::Failure;
use crate::home::Home;
use crate::language;
use crate::say::team::TeamLine;
use crate::stored_run::find;
use crate::user_config::chosen_store;
use model::decision::Decision;
use report::Lang;
use store::{Store, Team, TeamAccess, TeamAddress, TeamError};

pub(crate) fn push(args: &PushArgs) -> Result<(), Failure> {
    let home = Home::find()?;
    let store = Store::open(&home.data)?;
    let at = chosen_store(args.store.as_deref(), &home)?;
    let mut team = connect(&at, TeamAccess::Write)?;
    let lang = language::chosen(&args.language);
    if args.runs.is_empty() {
        if !push_missing(&mut team, &store, lang).map_err(Failure::of_team)? {
            eprintln!("{}", ::say::text(&TeamLine::NothingToPush, lang));
        }
        return Ok(());
    }
    let mut decisions = Vec::new();
    for named in &args.runs {
        let run = find(&store, named)?.run;
        push_run(&mut team, &store, &run, lang).map_err(Failure::of_team)?;
        decisions.extend(store.decision(&run)?);
    }
    push_decisions(&mut team, &decisions, lang).map_err(Failure::of_team)?;
    Ok(())
}

/// Pushes the runs that the team does not have, and the decisions that are later than the team's. Tells what became of each.
/// Returns whether there was anything to push.
pub(super) fn push_missing(team: &mut Team, store: &Store, lang: Lang) -> Result<bool, TeamError> {
    let runs = team.missing(store.finished_runs()?)?;
    for run in &runs {
        push_run(team, store, run, lang)?;
    }
    let decided = push_decisions(team, &store.all_decisions()?, lang)?;
    Ok(!runs.is_empty() || decided > 0)
}

fn push_run(team: &mut Team, store: &Store, run: &str, lang: Lang) -> Result<(), TeamError> {
    let done = team.push(store, run)?;
    eprintln!("{}", ::say::text(&TeamLine::Moved { run, moved: done }, lang));
    Ok(())
}

/// Pushes decisions, and tells how many were stored. Returns that number.
fn push_decisions(team: &mut Team, decisions: &[Decision], lang: Lang) -> Result<usize, TeamError> {
    let stored = team.push_decisions(decisions)?;
    if stored > 0 {
        eprintln!("{}", ::say::text(&TeamLine::DecisionsMoved { stored }, lang));
    }
    Ok(stored)
}

pub(crate) fn pull(args: &PullArgs) -> Result<(), Failure> {
    let home = Home::find()?;
    let mut store = Store::open(&home.data)?;
    let at = chosen_store(args.store.as_deref(), &home)?;
    let mut team = connect(&at, TeamAccess::Read)?;
    for run in &args.runs {
        let run = team.find(run).map_err(Failure::of_team)?;
        let done = team.pull(&run, &mut store).map_err(Failure::of_team)?;
        let lang = language::chosen(&args.language);
        eprintln!("{}", ::say::text(&TeamLine::Moved { run: &run, moved: done }, lang));
        if team.pull_decision(&run, &store).map_err(Failure::of_team)? {
            eprintln!("{}", ::say::text(&TeamLine::DecisionsMoved { stored: 1 }, lang));
        }
    }
    Ok(())
}

/// Connects to the store at this address.
pub(super) fn open(url: &str, access: TeamAccess) -> Result<Team, Failure> {
    connect(&TeamAddress::parse(url).map_err(Failure::of_team)?, access)
}

fn connect(at: &TeamAddress, access: TeamAccess) -> Result<Team, Failure> {
    Team::open(at, access).map_err(Failure::of_team)
}
