//! The arguments of the commands that write scenarios.

use super::LanguageArgs;
use clap::Args;
use std::path::PathBuf;

/// Options of what writes a scenario.
#[derive(Debug, Args)]
pub(crate) struct ScenarioArgs {
    /// Write the scenario into this file instead of stdout; one that exists is left alone.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// The name of the scenario [default: the name of the file]
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Leave out requests for files that do not change: styles, scripts, pictures, fonts.
    #[arg(long)]
    pub(crate) no_static: bool,
    /// Leave passwords, tokens and cookies in the scenario, instead of taking them from the environment.
    #[arg(long)]
    pub(crate) keep_secrets: bool,
    /// Leave out what is not supported, and say so in the file, instead of writing none.
    #[arg(long)]
    pub(crate) skip_unsupported: bool,
    /// The language of comments and messages.
    #[command(flatten)]
    pub(crate) language: LanguageArgs,
}
