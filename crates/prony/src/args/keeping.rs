//! The arguments of `prony prune` and `prony dump`.

use super::LanguageArgs;
use clap::Args;

/// `prony prune`.
#[derive(Debug, Args)]
pub(crate) struct PruneArgs {
    /// What is kept: the newest N runs of each experiment, such as 30, or what is younger than a number of days, such as 90d.
    #[arg(long, value_name = "N|DAYS", value_parser = parse_keep)]
    pub(crate) keep: Keep,
    /// Remove the others; without this, they are only listed.
    #[arg(long)]
    pub(crate) yes: bool,
    /// The language of what is told.
    #[command(flatten)]
    pub(crate) language: LanguageArgs,
}

/// `prony dump`.
#[derive(Debug, Args)]
pub(crate) struct DumpArgs {
    /// Dump the runs of the team's store instead: postgres://USER@HOST/DATABASE.
    #[arg(long, value_name = "URL")]
    pub(crate) store: Option<String>,
    /// The language of errors.
    #[command(flatten)]
    pub(crate) language: LanguageArgs,
}

/// Which runs are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keep {
    /// The newest of each experiment, at least 1.
    Newest(usize),
    /// Those that began less than this number of days ago.
    Days(u32),
}

fn parse_keep(text: &str) -> Result<Keep, String> {
    let number = |text: &str| text.parse::<u32>().ok().filter(|number| (1..=100_000).contains(number));
    let parsed = match text.strip_suffix('d') {
        Some(days) => number(days).map(Keep::Days),
        None => number(text).map(|count| Keep::Newest(count as usize)),
    };
    parsed.ok_or_else(|| "write a number of runs, such as 30, or of days, such as 90d".to_owned())
}
