//! Where the figures of a run are sent while it lasts.

use crate::sinks;
use clap::Args;

/// `--sink`.
#[derive(Clone, Debug, Args)]
pub(crate) struct SinkArgs {
    #[arg(long = "sink", value_name = "FORMAT=ADDRESS", help = sinks::help())]
    // It is parsed later, because clap would quote what it refuses.
    pub(crate) sinks: Vec<String>,
}
