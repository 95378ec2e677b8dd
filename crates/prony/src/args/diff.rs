//! The arguments of `prony diff`.

use super::LanguageArgs;
use clap::{Args, ValueEnum};

/// `prony diff`.
#[derive(Debug, Args)]
pub(crate) struct DiffArgs {
    /// The first run: its id, the beginning of its id, or `latest`.
    #[arg(value_name = "RUN")]
    pub(crate) one: String,
    /// The second run; differences are those of this one to the first.
    #[arg(value_name = "RUN")]
    pub(crate) other: String,
    /// The format to print.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: DiffFormat,
    /// The language of everything except JSON.
    #[command(flatten)]
    pub(crate) language: LanguageArgs,
}

/// A format of `prony diff`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DiffFormat {
    /// Text for a terminal.
    Text,
    /// Markdown.
    Md,
    /// JSON.
    Json,
}
