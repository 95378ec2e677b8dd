//! `prony push` and `prony pull`: move runs between the store of this machine and that of the team.

use crate::args::{PullArgs, PushArgs};
use crate::failure::{Code, Failure};
use crate::home::Home;
use crate::language;
use crate::say::team::{moved, nothing_to_push};
use crate::stored_run::find;
use store::{Store, Team, TeamAccess, TeamAddress, TeamError};

pub(crate) fn push(args: &PushArgs) -> Result<(), Failure> {
    let store = Store::open(&Home::find()?.data)?;
    let mut team = open(&args.store, TeamAccess::Write)?;
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
    for run in &runs {
        let done = team.push(&store, run).map_err(failure)?;
        eprintln!("{}", moved(run, done, lang));
    }
    Ok(())
}

pub(crate) fn pull(args: &PullArgs) -> Result<(), Failure> {
    let mut store = Store::open(&Home::find()?.data)?;
    let mut team = open(&args.store, TeamAccess::Read)?;
    for run in &args.runs {
        let run = team.find(run).map_err(failure)?;
        let done = team.pull(&run, &mut store).map_err(failure)?;
        eprintln!("{}", moved(&run, done, language::chosen(&args.language)));
    }
    Ok(())
}

/// Connects to the store at this address.
pub(super) fn open(url: &str, access: TeamAccess) -> Result<Team, Failure> {
    let at = TeamAddress::parse(url).map_err(failure)?;
    Team::open(&at, access).map_err(failure)
}

/// The failure for an error; what the command line names wrongly has the exit code of a mistake.
fn failure(error: TeamError) -> Failure {
    let code = match &error {
        TeamError::NotAnAddress
        | TeamError::PasswordInAddress
        | TeamError::Unknown { .. }
        | TeamError::ManyFit { .. }
        | TeamError::Conflict { .. } => Code::Usage,
        _ => Code::Internal,
    };
    Failure::new(code, error)
}
