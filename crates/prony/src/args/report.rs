//! The arguments of `prony report`.

use super::LanguageArgs;
use clap::{Args, ValueEnum};

/// `prony report`.
#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// The run: its id, the beginning of its id, or `latest`.
    #[arg(default_value = "latest")]
    pub(crate) run: String,
    /// The format to print.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: Format,
    /// Compute the report again from the stored slices. This is always done for a run that was not finished.
    #[arg(long)]
    pub(crate) recompute: bool,
    /// jtl: print one request in N; without this, there is a line for each request.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) every: u64,
    /// The language of everything except report.json.
    #[command(flatten)]
    pub(crate) language: LanguageArgs,
}

/// A format of `prony report`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// The text that a run prints on the terminal.
    Text,
    /// One self-contained page.
    Html,
    /// Markdown.
    Md,
    /// Short Markdown, for a comment on a pull request.
    Comment,
    /// Markdown: a page about a comparison that somebody else published, next to whose figures are those of the run.
    Post,
    /// report.json.
    Json,
    /// The plot of the verdict.
    Svg,
    /// JUnit XML with a test case for every question of the run.
    Junit,
    /// One line per slice.
    Csv,
    /// One JSON object per slice, as it is stored, with its histograms.
    Jsonl,
    /// One line per request, rebuilt from the histograms, for JMeter's dashboard generator.
    Jtl,
    /// A histogram log with one line per slice, for the HdrHistogram tools.
    Hlog,
    /// The experiment file that the run came from.
    Toml,
}
