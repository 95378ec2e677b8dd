//! `prony push`: stores runs of this machine in the store of the team.

use super::SubCommand;
use crate::args::{LanguageArgs, StoreArgs};
use crate::call::Call;
use crate::failure::Failure;
use crate::home::Home;
use crate::language;
use crate::message;
use crate::stored_run::find;
use crate::team::{TeamLine, connect, push_decisions, push_missing, push_run};
use crate::user_config::chosen_store;
use clap::Args;
use store::{Store, TeamAccess};

/// Store runs of this machine in the team's store.
#[derive(Debug, Args)]
pub(crate) struct PushArgs {
    /// The runs: their ids, the beginnings of their ids, or `latest` [default: all that have ended and are not there yet]
    #[arg(value_name = "RUN")]
    runs: Vec<String>,
    /// The store of the team.
    #[command(flatten)]
    store: StoreArgs,
    /// The language of what is told.
    #[command(flatten)]
    language: LanguageArgs,
}

impl SubCommand for PushArgs {
    fn run(&self, _: &Call) -> Result<(), Failure> {
        let home = Home::find()?;
        let store = Store::open(&home.data)?;
        let at = chosen_store(self.store.store.as_deref(), &home)?;
        let mut team = connect(&at, TeamAccess::Write)?;
        let lang = language::chosen(&self.language);
        if self.runs.is_empty() {
            if !push_missing(&mut team, &store, lang).map_err(Failure::of_team)? {
                message::tell(&TeamLine::NothingToPush, lang);
            }
            return Ok(());
        }
        let mut decisions = Vec::new();
        for named in &self.runs {
            let run = find(&store, named)?.run;
            push_run(&mut team, &store, &run, lang).map_err(Failure::of_team)?;
            decisions.extend(store.decision(&run)?);
        }
        push_decisions(&mut team, &decisions, lang).map_err(Failure::of_team)?;
        Ok(())
    }
}
