//! `prony history`: the stored runs, newest first, each with its verdict on the headline measure.

use crate::args;
use crate::failure::Failure;
use crate::home::Home;
use crate::output::print;
use model::measure::Measure;
use model::outcome::Report;
use std::fmt::Write;
use store::{Entry, Store};

pub(crate) fn run(args: &args::History) -> Result<(), Failure> {
    let store = Store::open(&Home::find()?.data)?;
    let entries = store.runs(args.experiment.as_deref(), args.limit)?;
    if entries.is_empty() {
        let of = args
            .experiment
            .as_ref()
            .map_or(String::new(), |name| format!(" of `{name}`"));
        eprintln!("no stored runs{of}");
        return Ok(());
    }
    let mut out = format!("{:<26} {:<20} verdicts\n", "run", "experiment");
    for entry in &entries {
        let _ = writeln!(
            out,
            "{:<26} {:<20} {}",
            entry.run,
            entry.experiment,
            summary(entry)
        );
    }
    print(&out)
}

fn summary(entry: &Entry) -> String {
    match &entry.report {
        None => "not finished".to_owned(),
        Some(report) if report.comparisons.is_empty() => "a single load".to_owned(),
        Some(report) => headline(report),
    }
}

fn headline(report: &Report) -> String {
    let title = Measure::from_id(&report.design.headline).map_or("", Measure::title);
    let of_headline = report
        .comparisons
        .iter()
        .filter(|c| c.measure == report.design.headline);
    let several = report
        .arms
        .first()
        .is_some_and(|arm| arm.levels.iter().filter(|l| l.load.users.is_some()).count() > 1);
    let said: Vec<String> = of_headline
        .map(|comparison| {
            let users = comparison.level.as_ref().and_then(|level| level.users);
            let at = users.filter(|_| several);
            let at = at.map_or_else(String::new, |users| format!(" at {users}"));
            let ratio = comparison
                .ratio
                .map_or(String::new(), |r| format!(" {:+.1} %", 100.0 * (r.value - 1.0)));
            format!(
                "{}: {title}{at}{ratio} {}",
                comparison.arm,
                comparison.verdict.word()
            )
        })
        .collect();
    let ended = if report.design.interrupted {
        " (interrupted)"
    } else {
        ""
    };
    format!("{}{ended}", said.join("; "))
}
