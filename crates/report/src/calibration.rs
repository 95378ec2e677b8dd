//! What a calibration says: a line for every run, and the tally of them all.

use crate::units;
use crate::words::{self, Lang};
use model::calibration::{CalibrationRun, Posts, Tally};
use model::measure::Measure;
use model::outcome::Calibration;
use std::collections::BTreeMap;
use std::fmt::Write;

/// One run, as it ended.
pub fn line(run: &CalibrationRun) -> String {
    let mut out = format!("{}  {:<12}", run.run, run.verdict.word());
    if let Some(ratio) = &run.ratio {
        let _ = write!(out, " {}", crate::rows::difference(ratio, words::of(Lang::En)));
    }
    if run.injected.is_some() {
        let _ = match run.truth() {
            Some(truth) => write!(out, " (truth {} %)", units::percent(truth)),
            None => write!(out, " (truth not known)"),
        };
    }
    let _ = writeln!(
        out,
        ", {} starts, {}",
        run.starts,
        units::minutes(run.elapsed, words::of(Lang::En))
    );
    if let Some(burnt) = run.injected.as_ref().and_then(|injected| injected.burnt) {
        let micros = 1e6 * burnt;
        let _ = writeln!(out, "  burnt by the server's own count: {micros:.2} us a request");
    }
    if !run.also_called.is_empty() {
        let _ = writeln!(out, "  also called: {}", titles(&run.also_called));
    }
    posts(&mut out, &run.posts);
    out
}

/// All runs of one kind. `standing` is what is stored of identical servers on this `class` of machine.
pub fn tally(tally: &Tally, class: &str, standing: Option<&Calibration>) -> String {
    let kind = match tally.injected {
        None => "the same server twice".to_owned(),
        Some(share) => format!(
            "one of two made to need {:.1} % more CPU per request",
            100.0 * share
        ),
    };
    let mut out = format!("\n{} runs, {kind}\n", tally.runs);
    for (title, text) in answers(tally).into_iter().chain(circumstances(tally)) {
        let _ = writeln!(out, "  {title:<22}{text}");
    }
    out.push_str("as blog posts judge, every start of both a post:\n");
    posts(&mut out, &tally.posts);
    if let Some(standing) = standing {
        let _ = writeln!(
            out,
            "all on this class of machine ({class}), alpha {:.0} %:\n  {} false calls of {} (at most {:.1} %)",
            100.0 * standing.alpha.unwrap_or(tally.alpha),
            standing.false_calls,
            standing.runs,
            100.0 * standing.upper
        );
    }
    out.push_str("bounds are exact, one-sided, with 95 % confidence (Clopper, Pearson)\n");
    out
}

/// What was answered.
fn answers(tally: &Tally) -> Vec<(&'static str, String)> {
    let n = tally.runs;
    let (bound, promised) = (100.0 * tally.bound, 100.0 * tally.alpha);
    let of_n = |count: u32| format!("{count} of {n}");
    let mut rows = match tally.injected {
        None => vec![
            (
                "false calls",
                format!(
                    "{} (at most {bound:.1} %; promised {promised:.0} %)",
                    of_n(tally.false_calls())
                ),
            ),
            (
                "any measure called",
                format!("{} (promised {:.0} %)", of_n(tally.any_measure), 2.0 * promised),
            ),
        ],
        Some(_) => vec![
            (
                "called slower",
                format!("{} (at least {bound:.1} %)", of_n(tally.slower)),
            ),
            ("called faster: wrong", of_n(tally.false_calls())),
        ],
    };
    rows.push(("same", of_n(tally.same)));
    rows.push(("inconclusive", of_n(tally.inconclusive)));
    rows
}

/// How it was answered.
fn circumstances(tally: &Tally) -> Vec<(&'static str, String)> {
    let (holds, all) = tally.covered;
    let mut rows = vec![("interval holds truth", format!("{holds} of {all}"))];
    if let Some(p) = tally.uniformity {
        let text = format!("p = {p:.2} (Kolmogorov-Smirnov, at the first look)");
        rows.push(("p-values are uniform", text));
    }
    let (minutes, starts) = (units::minutes(tally.elapsed, words::of(Lang::En)), tally.starts);
    rows.push(("a run takes", format!("{minutes}, {starts:.1} starts on average")));
    if tally.invalid > 0 {
        rows.push(("left out as invalid", tally.invalid.to_string()));
    }
    rows
}

fn posts(out: &mut String, posts: &BTreeMap<String, Posts>) {
    for (measure, posts) in posts {
        let title = Measure::from_id(measure).map_or(measure.as_str(), |measure| measure.title());
        let _ = writeln!(
            out,
            "  {title:<22}t test of slices: {} of {} different; 1 % apart: {} of {}",
            posts.different, posts.starts, posts.published, posts.starts
        );
    }
}

fn titles(measures: &[String]) -> String {
    let titles = measures.iter().filter_map(|id| Measure::from_id(id));
    titles.map(Measure::title).collect::<Vec<_>>().join(", ")
}
