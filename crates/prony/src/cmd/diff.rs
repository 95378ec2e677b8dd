//! `prony diff RUN RUN`: which facts of two stored runs differ, which of their figures may be compared, and by how much these differ.

use crate::args::{DiffArgs, DiffFormat};
use crate::failure::Failure;
use crate::home::Home;
use crate::language;
use crate::output::print;
use crate::stored_run::{find, find_record};
use model::outcome::Report;
use report::pair;
use store::Store;

pub(crate) fn run(args: &DiffArgs) -> Result<(), Failure> {
    let store = Store::open(&Home::find()?.data)?;
    let one = load_report(&store, &args.one)?;
    let other = load_report(&store, &args.other)?;
    let compared = judge::pair(&one, &other);
    let lang = language::chosen(&args.language);
    print(&match args.format {
        DiffFormat::Text => pair::text(&compared, lang),
        DiffFormat::Md => pair::markdown(&compared, lang),
        DiffFormat::Json => pair::json(&compared),
    })
}

/// Returns the stored report. For a run that was not finished, it is computed from the rounds that are stored.
fn load_report(store: &Store, run: &str) -> Result<Report, Failure> {
    if let Some(report) = find(store, run)?.report? {
        return Ok(report);
    }
    let record = find_record(store, run)?;
    Ok(judge::report(&record, &store.rounds(&record.run)?.0))
}
