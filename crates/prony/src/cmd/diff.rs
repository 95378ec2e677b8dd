//! `prony diff RUN RUN`: which facts of two stored runs differ, which of their figures may be compared, and by how much these differ.

use super::SubCommand;
use crate::args::LanguageArgs;
use crate::call::Call;
use crate::failure::Failure;
use crate::home::Home;
use crate::language;
use crate::output::print;
use crate::stored_run::{find, find_record};
use clap::{Args, ValueEnum};
use record::outcome::Report;
use report::pair;
use store::Store;

/// Put two stored runs side by side: which facts differ, which figures may be compared, and by how much these differ.
#[derive(Debug, Args)]
pub(crate) struct DiffArgs {
    /// The first run: its id, the beginning of its id, or `latest`.
    #[arg(value_name = "RUN")]
    one: String,
    /// The second run, which is compared with the first.
    #[arg(value_name = "RUN")]
    other: String,
    /// The format to print.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: DiffFormat,
    /// The language of everything except JSON.
    #[command(flatten)]
    language: LanguageArgs,
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

impl SubCommand for DiffArgs {
    fn run(&self, _: &Call) -> Result<(), Failure> {
        let store = Store::open(&Home::find()?.data)?;
        let one = load_report(&store, &self.one)?;
        let other = load_report(&store, &self.other)?;
        let compared = judge::pair(&one, &other);
        let lang = language::chosen(&self.language);
        print(&match self.format {
            DiffFormat::Text => pair::text(&compared, lang),
            DiffFormat::Md => pair::markdown(&compared, lang),
            DiffFormat::Json => pair::json(&compared),
        })
    }
}

/// Returns the stored report. For a run that was not finished, it is computed from the rounds that are stored.
fn load_report(store: &Store, run: &str) -> Result<Report, Failure> {
    if let Some(report) = find(store, run)?.report? {
        return Ok(report);
    }
    let record = find_record(store, run)?;
    Ok(judge::report(&record, &store.rounds(&record.run)?.0))
}
