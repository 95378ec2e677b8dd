//! `prony serve`: serves the pages of stored runs until Ctrl-C.

use super::SubCommand;
use crate::args::{LanguageArgs, parse_address};
use crate::call::Call;
use crate::failure::Failure;
use crate::home::Home;
use crate::language;
use crate::run_source::RunSource;
use crate::say::StatusLine;
use crate::signals;
use crate::web::Address;
use crate::web::stored::StoredPages;
use clap::Args;
use std::net::SocketAddr;
use std::sync::atomic::Ordering;
use std::time::Duration;
use store::{Store, Team, TeamAccess, TeamAddress};

/// The time after which Ctrl-C is noticed at the latest.
const POLL: Duration = Duration::from_millis(100);

/// Show the stored runs in a browser: a list, the report of each run, and two runs side by side.
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// Serve the pages at this address instead of a free port of 127.0.0.1. An address that other machines can reach
    /// requires a token, which is part of the printed address.
    #[arg(long, value_name = "IP[:PORT]", value_parser = parse_address)]
    listen: Option<SocketAddr>,
    /// Show the runs of the team's store instead: postgres://USER@HOST/DATABASE.
    #[arg(long, value_name = "URL")]
    store: Option<String>,
    /// The language in which pages open.
    #[command(flatten)]
    language: LanguageArgs,
}

impl SubCommand for ServeArgs {
    fn run(&self, call: &Call) -> Result<(), Failure> {
        // A store that cannot be opened is reported now and not to the first visitor.
        let runs = match &self.store {
            Some(url) => {
                let at = TeamAddress::parse(url).map_err(Failure::of_team)?;
                drop(Team::open(&at, TeamAccess::Read).map_err(Failure::of_team)?);
                RunSource::Team(at)
            }
            None => {
                let folder = Home::find()?.data;
                drop(Store::open(&folder)?);
                RunSource::Machine(folder)
            }
        };
        let stop = signals::stop_flag()?;
        let address = Address { listen: self.listen, lang: language::for_pages(&self.language) };
        let pages = StoredPages::start(address, call.patience, runs)?;
        StatusLine::RunsServed { url: pages.url() }.tell(language::chosen(&self.language));
        while !stop.load(Ordering::Relaxed) {
            std::thread::sleep(POLL);
        }
        Ok(())
    }
}
