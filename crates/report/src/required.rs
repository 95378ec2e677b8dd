//! What was required of the arms, in words: the same lines in every form of the report.

use crate::rows;
use crate::units;
use crate::words::{self, Lang, Words, fill};
use model::outcome::{Estimate, GateVerdict, Load, Report, Required};
use model::require::{Bound, Subject};
use std::fmt::Write;

/// What build servers are told is in English.
pub(crate) fn words() -> &'static Words {
    words::of(Lang::En)
}

/// One requirement in words.
pub(crate) struct Line<'a> {
    pub(crate) required: &'a Required,
    /// `throughput at 500 not worse than tomcat-9 by more than 3 %`.
    pub(crate) asks: String,
    /// What was found, with its interval: `12.3 ms [11.9, 12.8]`.
    pub(crate) found: String,
    /// `passes`, `fails`, `inconclusive` or `invalid`.
    pub(crate) word: &'static str,
}

impl Line<'_> {
    /// What fails is a loss against the baseline, and no threshold.
    pub(crate) fn is_relative(&self) -> bool {
        matches!(self.required.bound, Bound::NotWorse(_))
    }
}

/// All that was required, arm by arm.
pub(crate) fn lines<'a>(report: &'a Report, words: &'static Words) -> impl Iterator<Item = Line<'a>> {
    let line = move |required| line(report, required, words);
    report.required.iter().filter_map(line)
}

fn line<'a>(report: &'a Report, required: &'a Required, words: &Words) -> Option<Line<'a>> {
    let subject = Subject::from_id(&required.measure)?;
    let several = rows::several_levels(report);
    let level = required.level.as_ref();
    let at = match (subject, level) {
        // Answers are right or wrong at a rate, too.
        (Subject::Errors, Some(at)) => fill(words.required_with, &[("load", &rows::load(at, words))]),
        (
            _,
            Some(Load {
                users: Some(users), ..
            }),
        ) if several => fill(words.required_at, &[("users", users)]),
        _ => String::new(),
    };
    let title = match subject {
        Subject::Measure(measure) => words.measure(measure),
        Subject::Errors => words.errors,
    };
    let title = format!("{title}{at}");
    let asks = match required.bound {
        Bound::NotWorse(loss) => fill(
            words.required_not_worse,
            &[
                ("title", &title),
                ("base", &report.design.baseline),
                ("margin", &units::share(loss)),
            ],
        ),
        Bound::Below(most) => format!("{title} < {}", amount(subject, most)),
        Bound::Above(least) => format!("{title} > {}", amount(subject, least)),
    };
    Some(Line {
        required,
        asks,
        found: required.estimate.map_or_else(
            || "–".to_owned(),
            |estimate| found((required, subject), estimate, words),
        ),
        word: match (&required.why_invalid, required.verdict) {
            (Some(_), _) => words.invalid,
            (None, GateVerdict::Pass) => words.passes,
            (None, GateVerdict::Fail) => words.fails,
            (None, GateVerdict::Inconclusive) => words.inconclusive,
        },
    })
}

fn found((required, subject): (&Required, Subject), estimate: Estimate, words: &Words) -> String {
    if let Bound::NotWorse(_) = required.bound {
        return rows::difference(&estimate, words);
    }
    let value = amount(subject, estimate.value);
    match estimate.low.zip(estimate.high) {
        Some((low, high)) => format!("{value} [{}, {}]", amount(subject, low), amount(subject, high)),
        None => format!("{value} [{}]", words.too_few_starts),
    }
}

fn amount(subject: Subject, amount: f64) -> String {
    match subject {
        Subject::Measure(measure) => units::value(measure, amount),
        Subject::Errors => percentage(amount),
    }
}

/// A share that may be small: two digits that matter.
fn percentage(share: f64) -> String {
    let percent = 100.0 * share;
    if percent == 0.0 {
        return "0 %".to_owned();
    }
    let digits = (1.0 - percent.log10().floor()).clamp(0.0, 9.0) as usize;
    let text = format!("{percent:.digits$}");
    let text = if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        &text
    };
    format!("{text} %")
}

/// A table of all that was required; nothing where nothing was.
pub(crate) fn markdown(report: &Report, words: &'static Words) -> String {
    if report.required.is_empty() {
        return String::new();
    }
    let Words {
        arm, required, found, ..
    } = words;
    let mut out = format!("| {arm} | {required} | {found} | |\n|---|---|---|---|\n");
    for line in lines(report, words) {
        let (arm, asks) = (units::cell(&line.required.arm), units::cell(&line.asks));
        let _ = writeln!(out, "| {arm} | {asks} | {} | **{}** |", line.found, line.word);
    }
    out.push('\n');
    out
}

/// The same on a terminal.
pub(crate) fn text(report: &Report, words: &'static Words, columns: usize) -> String {
    let mut out = String::new();
    let mut of = None;
    for line in lines(report, words) {
        let arm = &line.required.arm;
        if of != Some(arm) {
            of = Some(arm);
            let _ = writeln!(out, "\n{}", fill(words.required_of, &[("arm", arm)]));
        }
        let text = fill(
            words.required_line,
            &[
                ("word", &units::left(line.word, 12)),
                ("asks", &line.asks),
                ("found", &line.found),
            ],
        );
        units::wrapped(&mut out, &text, 2, columns);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::percentage;

    #[test]
    fn small_shares_keep_their_digits() {
        let text = [0.0, 1e-4, 0.0123, 5.3e-6, 0.25, 1.0].map(percentage);
        assert_eq!(text, ["0 %", "0.01 %", "1.2 %", "0.00053 %", "25 %", "100 %"]);
    }
}
