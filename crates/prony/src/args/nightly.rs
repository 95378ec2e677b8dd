//! The arguments of `prony nightly`.

use super::{LanguageArgs, SinkArgs};
use clap::Args;
use model::units::Nanos;
use model::values;
use std::path::PathBuf;

/// `prony nightly`.
#[derive(Debug, Args)]
pub(crate) struct NightlyArgs {
    /// The experiment files.
    #[arg(value_name = "FILE", required = true, value_parser = parse_file)]
    pub(crate) files: Vec<PathBuf>,
    /// The time of the night, such as 2h or 45m. The files whose last nights were least certain get the most starts in it.
    #[arg(long, value_name = "TIME", value_parser = values::duration)]
    pub(crate) budget: Nanos,
    /// Post a JSON message with a `text` there on the first night that shows a change for the worse [default: that of PRONY_WEBHOOK]
    #[arg(long, value_name = "URL")]
    // It is parsed later, because clap would quote what it refuses.
    pub(crate) webhook: Option<String>,
    /// Mail it to this address, by the sendmail of this system.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) mail: Option<String>,
    /// Others that follow the runs.
    #[command(flatten)]
    pub(crate) sinks: SinkArgs,
    /// The language of progress, reports and messages.
    #[command(flatten)]
    pub(crate) language: LanguageArgs,
}

/// Takes every path but that of stdin.
fn parse_file(text: &str) -> Result<PathBuf, String> {
    match text {
        "-" => Err("a night reads its files twice, so that stdin is none of them".to_owned()),
        path => Ok(path.into()),
    }
}
