//! Pushes a run that has ended to the team's store, where the user's configuration names one.

use crate::run_context::RunContext;
use crate::say::team::TeamLine;
use model::record::RunRecord;
use store::{Team, TeamAccess, TeamAddress, TeamError};

/// Pushes a run and the trials of what it suggests. A store that cannot be used changes nothing of the result: the runs stay here, which is
/// told in one line. That they are pushed is told only if `tells`.
pub(crate) fn at_the_end(record: &RunRecord, context: &RunContext, tells: bool) {
    let Some(at) = &context.config.store else {
        return;
    };
    match push(at, record, context) {
        Ok(()) if tells => eprintln!("{}", ::say::text(&TeamLine::Pushed { at }, context.lang())),
        Ok(()) => {}
        Err(error) => eprintln!("{}", ::say::text(&TeamLine::NotPushed { error: &error }, context.lang())),
    }
}

fn push(at: &TeamAddress, record: &RunRecord, context: &RunContext) -> Result<(), TeamError> {
    let mut team = Team::open(at, TeamAccess::Write)?;
    let trials = record.proofs.iter().map(|proof| &proof.run);
    for run in std::iter::once(&record.run).chain(trials) {
        team.push(&context.store, run)?;
    }
    Ok(())
}
