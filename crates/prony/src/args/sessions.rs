//! The arguments with which `prony load` plays sessions of steps.

use clap::Args;
use std::path::PathBuf;

/// Sessions of steps in the place of one request.
#[derive(Debug, Args)]
pub(crate) struct SessionArgs {
    /// Play the sessions of this TOML file: weighted scenarios whose users log in, carry tokens, follow data and think.
    /// --connections is the number of users, --rate the number of sessions that begin per second, and --iterations the
    /// number of sessions of each user. Paths of the file come behind the path of the URL.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["mix", "method", "body", "pool", "pipeline", "think"])]
    pub(crate) scenario: Option<PathBuf>,
    /// Run this JMeter plan: its thread groups tell how many users there are, and when they come and go. A URL beside it
    /// gets all requests in the place of the plan's own server.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["scenario", "mix", "method", "body", "pool", "pipeline", "think", "rate", "stages", "iterations", "requests", "ramp_up", "warm_up"])]
    pub(crate) jmx: Option<PathBuf>,
    /// Give a property of the JMeter plan a value, as in JMeter: -Jusers=20; may be repeated.
    #[arg(short = 'J', value_name = "NAME=VALUE", requires = "jmx")]
    pub(crate) properties: Vec<String>,
    /// Run the JMeter plan without its elements that are not supported; the report names them.
    #[arg(long, requires = "jmx")]
    pub(crate) skip_unsupported: bool,
}
