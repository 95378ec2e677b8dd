//! The arguments of `prony history` and `prony serve`.

use super::LanguageArgs;
use super::parse::parse_address;
use clap::Args;
use std::net::SocketAddr;
use std::path::PathBuf;

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
    /// Leave out the runs before this one: its id, the beginning of its id, or `latest`.
    #[arg(long, value_name = "RUN", requires = "experiment")]
    pub(crate) since: Option<String>,
    /// What to decide about a change.
    #[command(flatten)]
    pub(crate) decision: DecisionArgs,
    /// Why: a comment that is shown with the decision.
    #[arg(long, value_name = "TEXT", requires = "DecisionArgs")]
    pub(crate) comment: Option<String>,
    /// Figures of other tools, which are shown beside the history and take part in no verdict.
    #[command(flatten)]
    pub(crate) foreign: ForeignArgs,
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

/// A decision about a change.
#[derive(Debug, Args)]
#[group(multiple = false)]
pub(crate) struct DecisionArgs {
    /// Accept the change that begins with this run: its level is the usual one from now on, and fails no gate.
    #[arg(long, value_name = "RUN", requires = "experiment")]
    pub(crate) accept: Option<String>,
    /// Dismiss the change that begins with this run: it is none, and the runs on both sides of it have one level.
    #[arg(long, value_name = "RUN", requires = "experiment")]
    pub(crate) dismiss: Option<String>,
    /// Take back what was decided about this run.
    #[arg(long, value_name = "RUN", requires = "experiment")]
    pub(crate) undecide: Option<String>,
}

/// Figures of other tools.
#[derive(Debug, Args)]
pub(crate) struct ForeignArgs {
    /// Add the results of another tool as a point of a foreign series, which is shown beside the history and takes part in no verdict:
    /// JMeter's JTL, the text of wrk or ab, the JSON of k6, Gatling, JMH or hyperfine.
    #[arg(long, value_name = "FILE", requires = "experiment", conflicts_with = "DecisionArgs")]
    pub(crate) add: Option<PathBuf>,
    /// The name of the foreign series [default: the name of the file]
    #[arg(long = "as", value_name = "NAME", requires = "add")]
    pub(crate) series: Option<String>,
    /// Remove a foreign series.
    #[arg(long, value_name = "NAME", requires = "experiment", conflicts_with_all = ["add", "DecisionArgs"])]
    pub(crate) forget: Option<String>,
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
