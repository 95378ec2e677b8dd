//! `prony history`: the stored runs, and how what they compared drifts from run to run.

use crate::loads::has_several_loads;
use crate::units::{self, left, right, width};
use crate::words::{self, Lang, Words, fill};
use model::history::{Drift, History, LevelChange, Past, PastVerdict, State};
use model::measure::Measure;
use model::outcome::{Load, Report};
use std::fmt::{Display, Write};

/// Columns of a terminal.
const COLUMNS: usize = 80;

/// A stored run in short, by its report.
pub fn past(run: &str, experiment: &str, report: &Report) -> Past {
    let state = match report.design.interrupted {
        _ if report.comparisons.is_empty() => State::Load,
        true => State::Interrupted,
        false => State::Finished,
    };
    Past {
        verdicts: verdicts(report),
        ..without_report(run, experiment, state)
    }
}

/// A stored run in short that has no report.
pub fn without_report(run: &str, experiment: &str, state: State) -> Past {
    Past {
        run: run.to_owned(),
        experiment: experiment.to_owned(),
        state,
        verdicts: Vec::new(),
    }
}

fn verdicts(report: &Report) -> Vec<PastVerdict> {
    let several = has_several_loads(report);
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
pub fn text(history: &History, lang: Lang) -> String {
    let words = words::of(lang);
    let mut out = String::new();
    let names = run_names(words.history_run, words.history_experiment);
    write_run(&mut out, &names, &[words.history_verdicts.to_owned()]);
    for past in &history.runs {
        let names = run_names(&past.run, &past.experiment);
        write_run(&mut out, &names, &summary(past, words));
    }
    let mut of: Option<(&str, &str)> = None;
    for series in &history.drift {
        let arms = (series.arm.as_str(), series.baseline.as_str());
        if of != Some(arms) {
            let of = fill(words.history_against, &[("arm", &arms.0), ("baseline", &arms.1)]);
            let _ = write!(out, "\n{of}\n");
            let heads = [words.history_runs, words.history_first, words.history_last];
            columns(&mut out, "", heads, words.history_drift);
        }
        of = Some(arms);
        drift(&mut out, series, words);
    }
    if !history.drift.is_empty() {
        out.push('\n');
        units::wrapped(&mut out, words.history_legend, 0, COLUMNS);
    }
    out
}

/// The first two columns of the table of runs.
fn run_names(run: &str, experiment: &str) -> String {
    format!("{} {} ", left(run, 26), left(experiment, 20))
}

/// Writes a row of the table of runs; verdicts that have no room behind the names go below them.
fn write_run(out: &mut String, names: &str, verdicts: &[String]) {
    match verdicts {
        [] => out.push_str(names.trim_end()),
        [verdict] if width(names) + width(verdict) <= COLUMNS => {
            out.push_str(names);
            out.push_str(verdict);
        }
        _ => {
            let mut below = String::new();
            verdicts
                .iter()
                .for_each(|line| units::wrapped(&mut below, line, 4, COLUMNS));
            let _ = write!(out, "{}\n{}", names.trim_end(), below.trim_end());
        }
    }
    out.push('\n');
}

/// Writes a row of the table of drifts.
fn columns(out: &mut String, title: &str, [runs, first, last]: [&str; 3], said: &str) {
    let [runs, first, last] = [(runs, 5), (first, 10), (last, 10)].map(|(text, width)| right(text, width));
    let _ = writeln!(out, "{}{runs} {first} {last}  {said}", left(title, 28));
}

/// A measure, and the users at whom it was compared.
fn title(measure: &str, level: Option<&Load>, words: &Words) -> String {
    let title = Measure::from_id(measure).map_or("", |measure| words.measure(measure));
    match level.and_then(|level| level.users) {
        Some(users) => fill(words.history_at, &[("title", &title), ("users", &users)]),
        None => title.to_owned(),
    }
}

/// A line for each arm, or one for why there is none.
fn summary(past: &Past, words: &Words) -> Vec<String> {
    let said = past.verdicts.iter().map(|verdict| {
        let title = title(&verdict.measure, verdict.level.as_ref(), words);
        let ratio = verdict
            .ratio
            .map_or_else(String::new, |ratio| format!(" {} %", units::percent(ratio)));
        let said = format!("{title}{ratio} {}", words.verdict(verdict.verdict));
        fill(words.label, &[("label", &verdict.arm), ("text", &said)])
    });
    match past.state {
        State::Finished => said.collect(),
        State::Interrupted => said
            .map(|said| fill(words.history_interrupted, &[("said", &said)]))
            .collect(),
        State::NotFinished => vec![words.history_not_finished.to_owned()],
        State::Load => vec![words.history_load.to_owned()],
        State::Unreadable => vec![words.history_unreadable.to_owned()],
    }
}

fn drift(out: &mut String, series: &Drift, words: &Words) {
    let (Some(first), Some(last)) = (series.points.first(), series.points.last()) else {
        return;
    };
    let said = match (series.changes.as_slice(), series.last_is_odd) {
        ([], Some(true)) => words.history_differs,
        ([], Some(false)) => words.history_too_few,
        ([], None) if series.points.len() < 3 => words.history_too_few,
        ([], None) => words.history_no_change,
        ([_], _) => words.history_change,
        _ => words.history_changes,
    };
    let title = title(&series.measure, series.level.as_ref(), words);
    let [first, last] = [first, last].map(|point| format!("{} %", units::percent(point.ratio)));
    columns(
        out,
        &title,
        [&series.points.len().to_string(), &first, &last],
        said,
    );
    for change in &series.changes {
        let _ = writeln!(out, "  {}", changed(change, words));
    }
}

fn changed(change: &LevelChange, words: &Words) -> String {
    let how = match change.confirmed {
        true => words.history_confirmed,
        false => words.history_suspected,
    };
    let values: [(&str, &dyn Display); 4] = [
        ("percent", &units::percent(change.ratio)),
        ("run", &change.run),
        ("how", &how),
        ("p", &format!("{:.3}", change.p)),
    ];
    fill(words.history_changed, &values)
}
