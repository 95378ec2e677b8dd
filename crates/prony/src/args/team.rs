//! The arguments of `prony push` and `prony pull`.

use super::LanguageArgs;
use clap::Args;

/// `prony push`.
#[derive(Debug, Args)]
pub(crate) struct PushArgs {
    /// The runs: their ids, the beginnings of their ids, or `latest` [default: all that have ended and are not there yet]
    #[arg(value_name = "RUN")]
    pub(crate) runs: Vec<String>,
    /// The team's store: postgres://USER@HOST/DATABASE. The password is read from ~/.pgpass or the file that PGPASSFILE names
    /// [default: that of PRONY_STORE, or `store` in config.toml]
    #[arg(long, value_name = "URL")]
    pub(crate) store: Option<String>,
    /// The language of what is told.
    #[command(flatten)]
    pub(crate) language: LanguageArgs,
}

/// `prony pull`.
#[derive(Debug, Args)]
pub(crate) struct PullArgs {
    /// The runs of the team: their ids, the beginnings of their ids, or `latest`.
    #[arg(value_name = "RUN", required = true)]
    pub(crate) runs: Vec<String>,
    /// The team's store: postgres://USER@HOST/DATABASE. The password is read from ~/.pgpass or the file that PGPASSFILE names
    /// [default: that of PRONY_STORE, or `store` in config.toml]
    #[arg(long, value_name = "URL")]
    pub(crate) store: Option<String>,
    /// The language of what is told.
    #[command(flatten)]
    pub(crate) language: LanguageArgs,
}
