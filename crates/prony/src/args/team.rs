//! `--store`.

use clap::Args;

/// `--store` of the commands that move runs to and from the team.
#[derive(Debug, Args)]
pub(crate) struct StoreArgs {
    /// The team's store: postgres://USER@HOST/DATABASE. The password is read from ~/.pgpass or the file that PGPASSFILE names
    /// [default: the value of PRONY_STORE, or `store` in config.toml]
    #[arg(long, value_name = "URL")]
    pub(crate) store: Option<String>,
}
