//! `prony report RUN`: a stored run again, in any form.

use crate::args::{self, Format};
use crate::failure::Failure;
use crate::home::Home;
use crate::output::print;
use store::Store;

pub(crate) fn run(args: &args::Report, colour: bool) -> Result<(), Failure> {
    let store = Store::open(&Home::find()?.data)?;
    let entry = store.find(&args.run)?.ok_or_else(|| {
        Failure::usage(format!("no stored run is called `{}`", args.run)).hint("`prony history` lists them")
    })?;
    let report = entry.report.ok_or_else(|| {
        Failure::usage(format!("run {} was not finished, so it has no report", entry.run))
            .hint("it was killed or is still running; `prony history` lists the finished ones")
    })?;
    print(&match args.format {
        Format::Text => report::terminal::text(&report, colour),
        Format::Md => report::markdown::text(&report),
        Format::Json => report::json(&report),
        Format::Svg => report::picture::svg(&report),
    })
}
