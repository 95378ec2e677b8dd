//! `prony history`: the stored runs, and how what they compared drifts from run to run.

use crate::rows;
use crate::units;
use model::history::{Change, Drift, History, Past, PastVerdict, State};
use model::measure::Measure;
use model::outcome::Report;
use std::fmt::Write;

/// Columns of a terminal.
const COLUMNS: usize = 80;

/// A stored run in short; `None` is one that was not finished.
pub fn past(run: &str, experiment: &str, report: Option<&Report>) -> Past {
    let verdicts = report.map_or_else(Vec::new, verdicts);
    Past {
        run: run.to_owned(),
        experiment: experiment.to_owned(),
        state: match report {
            None => State::NotFinished,
            Some(report) if report.comparisons.is_empty() => State::Load,
            Some(report) if report.design.interrupted => State::Interrupted,
            Some(_) => State::Finished,
        },
        verdicts,
    }
}

fn verdicts(report: &Report) -> Vec<PastVerdict> {
    let several = rows::several_levels(report);
    let heads = report
        .comparisons
        .iter()
        .filter(|c| c.measure == report.design.headline);
    let short = heads.map(|comparison| PastVerdict {
        arm: comparison.arm.clone(),
        measure: comparison.measure.clone(),
        level: comparison.level.clone().filter(|_| several),
        ratio: comparison.ratio.map(|ratio| ratio.value),
        verdict: comparison.verdict,
    });
    short.collect()
}

/// `prony history --json`.
pub fn json(history: &History) -> String {
    // Strings and finite numbers only: it always has a JSON form.
    let mut text = serde_json::to_string_pretty(history).unwrap_or_default();
    text.push('\n');
    text
}

/// The table of the terminal.
pub fn text(history: &History) -> String {
    let mut out = format!("{:<26} {:<20} verdicts\n", "run", "experiment");
    for past in &history.runs {
        let _ = writeln!(out, "{:<26} {:<20} {}", past.run, past.experiment, summary(past));
    }
    let mut of: Option<(&str, &str)> = None;
    for series in &history.drift {
        let arms = (series.arm.as_str(), series.baseline.as_str());
        if of != Some(arms) {
            let _ = write!(out, "\n{} against {}, run by run\n", arms.0, arms.1);
            let _ = writeln!(
                out,
                "{:<28}{:>5} {:>10} {:>10}  drift",
                "", "runs", "first", "last"
            );
            of = Some(arms);
        }
        drift(&mut out, series);
    }
    if !history.drift.is_empty() {
        out.push('\n');
        units::wrapped(&mut out, LEGEND, 0, COLUMNS);
    }
    out
}

const LEGEND: &str = "Differences between the arms of a run, which met the same noise; figures of one arm alone drift with \
    the machine. A change is what chance explains in at most 5 % of orders (confirmed: 0.1 %, and 2 % at least); it takes \
    eight runs. It accuses nobody: compare the two in one run.";

fn summary(past: &Past) -> String {
    let said = past.verdicts.iter().map(|verdict| {
        let title = Measure::from_id(&verdict.measure).map_or("", Measure::title);
        let users = verdict.level.as_ref().and_then(|level| level.users);
        let at = users.map_or_else(String::new, |users| format!(" at {users}"));
        let ratio = verdict
            .ratio
            .map_or_else(String::new, |ratio| format!(" {} %", units::percent(ratio)));
        format!("{}: {title}{at}{ratio} {}", verdict.arm, verdict.verdict.word())
    });
    let said = said.collect::<Vec<_>>().join("; ");
    match past.state {
        State::Finished => said,
        State::Interrupted => format!("{said} (interrupted)"),
        State::NotFinished => "not finished".to_owned(),
        State::Load => "a single load".to_owned(),
    }
}

fn drift(out: &mut String, series: &Drift) {
    let (Some(first), Some(last)) = (series.points.first(), series.points.last()) else {
        return;
    };
    let title = Measure::from_id(&series.measure).map_or("", Measure::title);
    let users = series.level.as_ref().and_then(|level| level.users);
    let title = users.map_or_else(|| title.to_owned(), |users| format!("{title} at {users}"));
    let said = match (series.changes.as_slice(), series.last_is_odd) {
        ([], Some(true)) => "the last run differs",
        ([], Some(false)) => "too few runs",
        ([], None) if series.points.len() < 3 => "too few runs",
        ([], None) => "none found",
        ([_], _) => "one change",
        _ => "changes",
    };
    let percent = |ratio: f64| format!("{} %", units::percent(ratio));
    let _ = writeln!(
        out,
        "{title:<28}{:>5} {:>10} {:>10}  {said}",
        series.points.len(),
        percent(first.ratio),
        percent(last.ratio)
    );
    for change in &series.changes {
        let _ = writeln!(out, "  {}", changed(change));
    }
}

fn changed(change: &Change) -> String {
    let how = if change.confirmed {
        "confirmed"
    } else {
        "suspected"
    };
    format!(
        "{} % since {} ({how}, p {:.3})",
        units::percent(change.ratio),
        change.run,
        change.p
    )
}
