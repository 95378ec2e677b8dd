//! `prony report RUN`: a stored run again, in any form.

use crate::args::{self, Format};
use crate::experiment;
use crate::failure::Failure;
use crate::home::Home;
use crate::output::{self, print, print_all};
use crate::say::Line;
use crate::say::complaint::StoredComplaint;
use model::outcome::Report;
use model::series::Series;
use report::slices::{StoredSlices, csv, hlog, jsonl, jtl};
use report::{Lang, comment, html, junit, markdown, plot, terminal};
use store::Store;

/// A JTL of more lines than this is larger than a gigabyte.
const MANY_LINES: u64 = 10_000_000;

pub(crate) fn run(args: &args::Report, colour: bool) -> Result<(), Failure> {
    let store = Store::open(&Home::find()?.data)?;
    let whole = |form: &dyn Fn(&Report) -> String| print(&form(&found(&store, args)?));
    let lang = output::lang(&args.language);
    match args.format {
        Format::Text => whole(&|report| terminal::text(report, colour, lang)),
        Format::Html => {
            let report = found(&store, args)?;
            print(&html::text(&report, &series(&store, &report.run)?, lang))
        }
        Format::Md => whole(&|report| markdown::text(report, lang)),
        Format::Comment => whole(&|report| comment::text(report, lang)),
        Format::Json => whole(&report::json),
        Format::Svg => whole(&|report| plot::verdict(report, lang).file()),
        Format::Junit => whole(&|report| junit::text(report, output::machine_lang(&args.language))),
        Format::Csv => by_slice(&store, &args.run, &|stored| print(&csv::text(stored))),
        Format::Jsonl => by_slice(&store, &args.run, &|stored| print(&jsonl::text(stored))),
        Format::Hlog => by_slice(&store, &args.run, &|stored| print(&hlog::text(stored))),
        Format::Jtl => by_slice(&store, &args.run, &|stored| requests(stored, args.every, lang)),
        Format::Toml => print(&file(&store, &args.run)?),
    }
}

/// The report as it was, or of what there is of a run that was not finished.
fn found(store: &Store, args: &args::Report) -> Result<Report, Failure> {
    let entry = experiment::found(store, &args.run)?;
    match entry.report? {
        Some(report) if !args.recompute => Ok(report),
        finished => {
            let record = experiment::stored(store, &args.run)?;
            let report = judge::report(&record, &store.rounds(&record.run)?.0);
            if finished.is_none() {
                let unfinished = Line::Unfinished {
                    run: &record.run,
                    starts: report.design.starts,
                };
                unfinished.tell(output::lang(&args.language));
            }
            Ok(report)
        }
    }
}

/// What is drawn of a stored run beside its report; nothing of a single load, or where an early prony stored it.
pub(crate) fn series(store: &Store, run: &str) -> Result<Series, store::Error> {
    let Some(record) = store.record(run)? else {
        return Ok(Series::default());
    };
    Ok(judge::series(&record, &store.rounds(run)?.0))
}

/// How the source of a run begins that came from no file: the command line of `compare`, `load` and `calibrate`, or what was
/// to be proved. No file in TOML begins so.
const NO_FILE: [&str; 2] = ["prony ", "to prove "];

/// The experiment file as it was when the run began.
fn file(store: &Store, run: &str) -> Result<String, Failure> {
    let run = experiment::found(store, run)?.run;
    let source = store.source(&run)?.unwrap_or_default();
    if !NO_FILE.iter().any(|begin| source.starts_with(begin)) {
        return Ok(source);
    }
    Err(Failure::usage(StoredComplaint::FromNoFile {
        run,
        origin: source,
    }))
}

fn by_slice(
    store: &Store,
    run: &str,
    form: &dyn Fn(StoredSlices<'_>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let entry = experiment::found(store, run)?;
    // A load of a URL compares nothing with nothing.
    if entry
        .report?
        .is_some_and(|report| report.design.baseline.is_empty())
    {
        return Err(Failure::usage(StoredComplaint::SingleLoad { run: entry.run }));
    }
    let record = experiment::stored(store, run)?;
    form(StoredSlices {
        run: &record,
        rounds: &store.rounds_without_slices(&record.run)?,
        slices: &store.slices(&record.run)?,
    })
}

fn requests(stored: StoredSlices<'_>, every: u64, lang: Lang) -> Result<(), Failure> {
    let lines = jtl::count_lines(stored, every);
    if lines > MANY_LINES {
        Line::ManyLines { lines }.tell(lang);
    }
    print_all(jtl::parts(stored, every))
}
