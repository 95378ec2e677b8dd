//! `prony history`: the stored runs, and how their results change from run to run.

mod foreign;
mod gate;

use crate::loads::has_several_loads;
use crate::units::{self, left, right, width};
use crate::words::history::HistoryWords;
use crate::words::{self, Words, fill};
use model::load::Load;
use model::measure::Measure;
use record::history::{Drift, Gate, History, LevelChange, Past, PastLimiter, PastVerdict, State};
use record::outcome::{ArmResult, Diagnosis, Report};
use say::Language;
use std::fmt::{Display, Write};

/// Columns of a terminal.
const COLUMNS: usize = 80;

/// The summary of a stored run, from its report.
pub fn past(run: &str, experiment: &str, report: &Report) -> Past {
    let state = match report.design.interrupted {
        _ if report.comparisons.is_empty() && !report.is_of_one_arm() => State::Load,
        true => State::Interrupted,
        false => State::Finished,
    };
    Past {
        verdicts: verdicts(report),
        limiter: report.arms.first().filter(|_| report.is_of_one_arm()).map(limiter),
        ..without_report(run, experiment, state)
    }
}

/// The summary of a stored run without a report.
pub fn without_report(run: &str, experiment: &str, state: State) -> Past {
    Past {
        run: run.to_owned(),
        experiment: experiment.to_owned(),
        state,
        verdicts: Vec::new(),
        limiter: None,
    }
}

fn limiter(arm: &ArmResult) -> PastLimiter {
    let first = arm.diagnoses_at_highest_load().next();
    PastLimiter { arm: arm.name.clone(), cause: first.map(Diagnosis::cause) }
}

fn verdicts(report: &Report) -> Vec<PastVerdict> {
    let several = has_several_loads(report);
    let heads = report.comparisons.iter().filter(|comparison| report.is_headline(comparison));
    let short = heads.map(|comparison| PastVerdict {
        arm: comparison.arm.clone(),
        measure: comparison.measure,
        level: comparison.level.clone().filter(|_| several),
        ratio: comparison.ratio.map(|ratio| ratio.value),
        verdict: comparison.verdict,
    });
    short.collect()
}

/// `prony history --json`.
pub fn json(history: &History) -> String {
    // It has only strings and finite numbers, so it always has a JSON form.
    let mut text = serde_json::to_string_pretty(history).unwrap_or_default();
    text.push('\n');
    text
}

/// The table of the terminal.
pub fn text(history: &History, lang: Language) -> String {
    let (words, own) = (words::of(lang), words::history::of(lang));
    let mut out = String::new();
    let names = run_names(words.history_run, words.history_experiment);
    write_run(&mut out, &names, &[words.history_verdicts.to_owned()]);
    for past in &history.runs {
        let names = run_names(&past.run, &past.experiment);
        write_run(&mut out, &names, &summary(past, words));
    }
    let mut previous: Option<(&str, &str)> = None;
    for series in &history.drift {
        let arms = (series.arm.as_str(), series.baseline.as_str());
        if previous != Some(arms) {
            let heading = fill(words.history_against, &[("arm", &arms.0), ("baseline", &arms.1)]);
            let _ = write!(out, "\n{heading}\n");
            let headings = [words.history_runs, words.history_first, words.history_last];
            write_columns(&mut out, "", headings, words.history_drift);
        }
        previous = Some(arms);
        write_drift(&mut out, series, words, own);
    }
    if !history.drift.is_empty() || !history.left_out.is_empty() {
        out.push('\n');
    }
    gate::write_left_out(&mut out, &history.left_out, own);
    if !history.drift.is_empty() {
        units::wrapped(&mut out, words.history_legend, 0, COLUMNS);
    }
    foreign::write(&mut out, &history.foreign, words, own);
    if let Some(asked) = &history.gate {
        gate::write(&mut out, asked, words, own);
    }
    out
}

/// What the gate says of the newest run, as it stands below the table.
pub fn gate_text(gate: &Gate, lang: Language) -> String {
    let mut out = String::new();
    gate::write(&mut out, gate, words::of(lang), words::history::of(lang));
    out.trim_start().to_owned()
}

/// The first two columns of the table of runs.
fn run_names(run: &str, experiment: &str) -> String {
    format!("{} {} ", left(run, 26), left(experiment, 20))
}

/// Writes a row of the table of runs. Verdicts that do not fit on the line of the names are written below it.
fn write_run(out: &mut String, names: &str, verdicts: &[String]) {
    match verdicts {
        [] => out.push_str(names.trim_end()),
        [verdict] if width(names) + width(verdict) <= COLUMNS => {
            out.push_str(names);
            out.push_str(verdict);
        }
        _ => {
            let mut below = String::new();
            verdicts.iter().for_each(|line| units::wrapped(&mut below, line, 4, COLUMNS));
            let _ = write!(out, "{}\n{}", names.trim_end(), below.trim_end());
        }
    }
    out.push('\n');
}

/// Writes a row of the table of drifts.
fn write_columns(out: &mut String, title: &str, [runs, first, last]: [&str; 3], drift: &str) {
    let [runs, first, last] = [(runs, 5), (first, 10), (last, 10)].map(|(text, width)| right(text, width));
    let _ = writeln!(out, "{}{runs} {first} {last}  {drift}", left(title, 28));
}

/// The name of a measure with the number of users or the fixed rate at which it was compared.
fn title(measure: Measure, level: Option<&Load>, words: &Words) -> String {
    let title = words.measure(measure);
    let users = level.and_then(|level| level.users);
    match (users, level.and_then(|level| units::rate_of_load(level, words))) {
        (Some(users), _) => fill(words.history_at, &[("title", &title), ("users", &users)]),
        (None, Some(rate)) => fill(words.history_rate, &[("title", &title), ("rate", &rate)]),
        (None, None) => title.to_owned(),
    }
}

/// A line for each arm, or one line with the reason why there are none.
fn summary(past: &Past, words: &Words) -> Vec<String> {
    let verdicts = past.verdicts.iter().map(|verdict| {
        let title = title(verdict.measure, verdict.level.as_ref(), words);
        let ratio = verdict.ratio.map_or_else(String::new, |ratio| format!(" {} %", units::percent(ratio)));
        let text = format!("{title}{ratio} {}", words.verdict(verdict.verdict));
        fill(words.label, &[("label", &verdict.arm), ("text", &text)])
    });
    let limiter = past.limiter.iter().map(|PastLimiter { arm, cause }| match cause {
        Some(cause) => fill(words.history_limiter, &[("arm", arm), ("cause", cause)]),
        None => fill(words.history_no_limiter, &[("arm", arm)]),
    });
    let results = verdicts.chain(limiter);
    match past.state {
        State::Finished => results.collect(),
        State::Interrupted => {
            results.map(|verdict| fill(words.history_interrupted, &[("verdict", &verdict)])).collect()
        }
        State::NotFinished => vec![words.history_not_finished.to_owned()],
        State::Load => vec![words.history_load.to_owned()],
        State::Unreadable => vec![words.history_unreadable.to_owned()],
    }
}

/// Writes the drift of one comparison, and below it every change.
fn write_drift(out: &mut String, series: &Drift, words: &Words, own: &HistoryWords) {
    let (Some(first), Some(last)) = (series.points.first(), series.points.last()) else {
        return;
    };
    let result = match (series.changes.as_slice(), series.last_is_odd) {
        ([], Some(true)) => words.history_differs,
        ([], Some(false)) => words.history_too_few,
        ([], None) if series.points.len() < 3 => words.history_too_few,
        ([], None) => words.history_no_change,
        ([_], _) => words.history_change,
        _ => words.history_changes,
    };
    let title = title(series.measure, series.level.as_ref(), words);
    let [first, last] = [first, last].map(|point| format!("{} %", units::percent(point.ratio)));
    write_columns(out, &title, [&series.points.len().to_string(), &first, &last], result);
    if series.at_other_rates > 0 {
        let left_out = fill(words.history_other_rates, &[("runs", &series.at_other_rates)]);
        let _ = writeln!(out, "  {left_out}");
    }
    for change in &series.changes {
        let _ = writeln!(out, "  {}", change_text(change, words));
        gate::write_differs(out, change, own);
        gate::write_decision(out, change, words, own);
    }
}

fn change_text(change: &LevelChange, words: &Words) -> String {
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
