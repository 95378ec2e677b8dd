//! `prony serve`: serves the pages of stored runs until Ctrl-C.

use super::SubCommand;
use crate::args::{LanguageArgs, parse_address};
use crate::call::Call;
use crate::failure::Failure;
use crate::language;
use crate::message;
use crate::run_source::RunSource;
use crate::signals;
use crate::team;
use crate::web::Address;
use crate::web::stored::StoredPages;
use clap::Args;
use say::Say;
use std::net::SocketAddr;
use std::sync::atomic::Ordering;
use std::time::Duration;
use store::{Store, TeamAccess};

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

/// The list of stored runs is served.
#[derive(Debug, Say)]
#[say(en = "stored runs at {url}", zh = "运行记录页面：{url}")]
pub(crate) struct RunsServed<'a> {
    /// Where.
    pub(crate) url: &'a str,
}

impl SubCommand for ServeArgs {
    fn run(&self, call: &Call) -> Result<(), Failure> {
        // A store that cannot be opened is reported now and not to the first visitor.
        let runs = RunSource::named(self.store.as_deref())?;
        match &runs {
            RunSource::Team(at) => drop(team::connect(at, TeamAccess::Read)?),
            RunSource::Machine(folder) => drop(Store::open(folder)?),
        }
        let stop = signals::stop_flag()?;
        let address = Address { listen: self.listen, lang: language::for_pages(&self.language) };
        let pages = StoredPages::start(address, call.patience, runs)?;
        message::tell(&RunsServed { url: pages.url() }, language::chosen(&self.language));
        while !stop.load(Ordering::Relaxed) {
            std::thread::sleep(POLL);
        }
        Ok(())
    }
}
