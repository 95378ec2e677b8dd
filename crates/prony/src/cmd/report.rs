//! `prony report RUN`: a stored run again, in any form.

use crate::args::{self, Format};
use crate::experiment;
use crate::failure::Failure;
use crate::home::Home;
use crate::output::print;
use model::outcome::Report;
use store::Store;

pub(crate) fn run(args: &args::Report, colour: bool) -> Result<(), Failure> {
    let store = Store::open(&Home::find()?.data)?;
    let report = match args.recompute {
        true => {
            let record = experiment::stored(&store, &args.run)?;
            lab::report(&record, &store.rounds(&record.run)?.0)
        }
        false => stored(&store, &args.run)?,
    };
    print(&match args.format {
        Format::Text => report::terminal::text(&report, colour),
        Format::Md => report::markdown::text(&report),
        Format::Json => report::json(&report),
        Format::Svg => report::picture::svg(&report),
    })
}

fn stored(store: &Store, run: &str) -> Result<Report, Failure> {
    let entry = experiment::found(store, run)?;
    entry.report.ok_or_else(|| {
        Failure::usage(format!("run {} was not finished, so it has no report", entry.run)).hint(
            "it was killed or is still running: --recompute reports what there is, `prony run --resume` goes on",
        )
    })
}
