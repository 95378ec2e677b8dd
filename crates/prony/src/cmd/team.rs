//! `prony push` and `prony pull`: move runs between the store of this machine and that of the team.

use crate::args::{PullArgs, PushArgs};
use crate::failure::Failure;
use crate::home::Home;
use crate::language;
use crate::say::team::{moved, nothing_to_push};
use crate::stored_run::find;
use crate::user_config::chosen_store;
use report::Lang;
use store::{Store, Team, TeamAccess, TeamAddress, TeamError};

pub(crate) fn push(args: &PushArgs) -> Result<(), Failure> {
    let home = Home::find()?;
    let store = Store::open(&home.data)?;
    let at = chosen_store(args.store.as_deref(), &home)?;
    let mut team = connect(&at, TeamAccess::Write)?;
    let lang = language::chosen(&args.language);
    let runs = match args.runs.as_slice() {
        [] => team.missing(store.finished_runs()?)?,
        named => {
            let found = named.iter().map(|run| Ok(find(&store, run)?.run));
            found.collect::<Result<_, Failure>>()?
        }
    };
    if runs.is_empty() {
        eprintln!("{}", nothing_to_push(lang));
    }
    push_all(&mut team, &store, &runs, lang).map_err(Failure::of_team)
}

/// Pushes runs, and tells what became of each.
pub(super) fn push_all(team: &mut Team, store: &Store, runs: &[String], lang: Lang) -> Result<(), TeamError> {
    for run in runs {
        let done = team.push(store, run)?;
        eprintln!("{}", moved(run, done, lang));
    }
    Ok(())
}

pub(crate) fn pull(args: &PullArgs) -> Result<(), Failure> {
    let home = Home::find()?;
    let mut store = Store::open(&home.data)?;
    let at = chosen_store(args.store.as_deref(), &home)?;
    let mut team = connect(&at, TeamAccess::Read)?;
    for run in &args.runs {
        let run = team.find(run).map_err(Failure::of_team)?;
        let done = team.pull(&run, &mut store).map_err(Failure::of_team)?;
        eprintln!("{}", moved(&run, done, language::chosen(&args.language)));
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
