//! `prony pull`: stores runs of the team on this machine.

use super::SubCommand;
use crate::args::{LanguageArgs, StoreArgs};
use crate::call::Call;
use crate::failure::Failure;
use crate::home::Home;
use crate::language;
use crate::message;
use crate::team::{TeamLine, connect};
use crate::user_config::chosen_store;
use clap::Args;
use store::{Store, TeamAccess};

/// Store runs of the team on this machine.
#[derive(Debug, Args)]
pub(crate) struct PullArgs {
    /// The runs of the team: their ids, the beginnings of their ids, or `latest`.
    #[arg(value_name = "RUN", required = true)]
    runs: Vec<String>,
    /// The store of the team.
    #[command(flatten)]
    store: StoreArgs,
    /// The language of what is told.
    #[command(flatten)]
    language: LanguageArgs,
}

impl SubCommand for PullArgs {
    fn run(&self, _: &Call) -> Result<(), Failure> {
        let home = Home::find()?;
        let mut store = Store::open(&home.data)?;
        let at = chosen_store(self.store.store.as_deref(), &home)?;
        let mut team = connect(&at, TeamAccess::Read)?;
        for run in &self.runs {
            let run = team.find(run).map_err(Failure::of_team)?;
            let done = team.pull(&run, &mut store).map_err(Failure::of_team)?;
            let lang = language::chosen(&self.language);
            message::tell(&TeamLine::Moved { run: &run, moved: done }, lang);
            if team.pull_decision(&run, &store).map_err(Failure::of_team)? {
                message::tell(&TeamLine::DecisionsMoved { stored: 1 }, lang);
            }
        }
        Ok(())
    }
}
