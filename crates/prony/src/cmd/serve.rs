//! `prony serve`: serves the pages of stored runs until Ctrl-C.

use crate::args;
use crate::failure::Failure;
use crate::home::Home;
use crate::language;
use crate::run_source::RunSource;
use crate::say::StatusLine;
use crate::signals;
use crate::web::Address;
use crate::web::stored::StoredPages;
use model::patience::Patience;
use std::sync::atomic::Ordering;
use std::time::Duration;
use store::{Store, Team, TeamAccess, TeamAddress};

/// The time after which Ctrl-C is noticed at the latest.
const POLL: Duration = Duration::from_millis(100);

pub(crate) fn run(args: &args::ServeArgs, patience: Patience) -> Result<(), Failure> {
    // A store that cannot be opened is reported now and not to the first visitor.
    let runs = match &args.store {
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
    let address = Address { listen: args.listen, lang: language::for_pages(&args.language) };
    let pages = StoredPages::start(address, patience, runs)?;
    StatusLine::RunsServed { url: pages.url() }.tell(language::chosen(&args.language));
    while !stop.load(Ordering::Relaxed) {
        std::thread::sleep(POLL);
    }
    Ok(())
}
