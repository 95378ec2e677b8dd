//! The arguments of `prony history` and `prony serve`.

use super::LanguageArgs;
use super::parse::parse_address;
use clap::Args;
use std::net::SocketAddr;

/// `prony history`.
#[derive(Debug, Args)]
pub(crate) struct HistoryArgs {
    /// Show only the runs of this experiment, and how its measures drift from run to run.
    pub(crate) experiment: Option<String>,
    /// List at most this number of runs; the drift is always computed from all runs.
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    pub(crate) limit: u32,
    /// For a nightly job: exit with 5 when the newest run shows a confirmed change for the worse in the headline, not older than
    /// 14 runs, and with 7 when the newest run has no valid figure of its headline.
    #[arg(long, requires = "experiment")]
    pub(crate) gate: bool,
    /// Leave out the runs before this one: its id, the beginning of its id, or `latest`. Name the first run of a new level to
    /// accept a change.
    #[arg(long, value_name = "RUN", requires = "experiment")]
    pub(crate) since: Option<String>,
    /// Read the runs of the team's store instead: postgres://USER@HOST/DATABASE.
    #[arg(long, value_name = "URL")]
    pub(crate) store: Option<String>,
    /// Print the list as JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// The language of the list.
    #[command(flatten)]
    pub(crate) language: LanguageArgs,
}

/// `prony serve`.
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// Serve the pages at this address instead of a free port of 127.0.0.1. An address that other machines can reach
    /// requires a token, which is part of the printed address.
    #[arg(long, value_name = "IP[:PORT]", value_parser = parse_address)]
    pub(crate) listen: Option<SocketAddr>,
    /// Show the runs of the team's store instead: postgres://USER@HOST/DATABASE.
    #[arg(long, value_name = "URL")]
    pub(crate) store: Option<String>,
    /// The language in which pages open.
    #[command(flatten)]
    pub(crate) language: LanguageArgs,
}
