//! `prony history`: the stored runs, and how what they compared drifts from run to run.

use crate::rows;
use crate::units::{self, left, right};
use crate::words::{self, Lang, Words, fill};
use model::history::{Change, Drift, History, Past, PastVerdict, State};
use model::measure::Measure;
use model::outcome::{Load, Report};
use std::fmt::{Display, Write};

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
pub fn text(history: &History, lang: Lang) -> String {
    let words = words::of(lang);
    let row = |run: &str, experiment: &str, verdicts: &str| {
        format!("{} {} {verdicts}\n", left(run, 26), left(experiment, 20))
    };
    let mut out = row(
        words.history_run,
        words.history_experiment,
        words.history_verdicts,
    );
    for past in &history.runs {
        out.push_str(&row(&past.run, &past.experiment, &summary(past, words)));
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

/// A row of the table of drifts.
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

fn summary(past: &Past, words: &Words) -> String {
    let said = past.verdicts.iter().map(|verdict| {
        let title = title(&verdict.measure, verdict.level.as_ref(), words);
        let ratio = verdict
            .ratio
            .map_or_else(String::new, |ratio| format!(" {} %", units::percent(ratio)));
        let said = format!("{title}{ratio} {}", words.verdict(verdict.verdict));
        fill(words.label, &[("label", &verdict.arm), ("text", &said)])
    });
    let said = said.collect::<Vec<_>>().join(words.history_next);
    match past.state {
        State::Finished => said,
        State::Interrupted => fill(words.history_interrupted, &[("said", &said)]),
        State::NotFinished => words.history_not_finished.to_owned(),
        State::Load => words.history_load.to_owned(),
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

fn changed(change: &Change, words: &Words) -> String {
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
