//! The arguments with which `prony load` plays sessions of steps.

use clap::Args;
use std::path::PathBuf;

/// Sessions of steps in the place of one request.
#[derive(Debug, Args)]
pub(crate) struct SessionArgs {
    /// Play the sessions of this TOML file: weighted scenarios whose users log in, carry tokens, follow data and think.
    /// --connections is the number of users, --rate the number of sessions that begin per second, and --iterations the
    /// number of sessions of each user. Paths of the file come behind the path of the URL.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["mix", "method", "body", "pool", "pipeline", "think", "server"])]
    pub(crate) scenario: Option<PathBuf>,
}
