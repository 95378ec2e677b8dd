//! What was required of the arms, in words: the same lines in every form of the report.

use crate::rows;
use crate::units;
use crate::words::{self, Lang, Words};
use model::outcome::{Estimate, GateVerdict, Report, Required};
use model::require::{Bound, Subject};
use std::fmt::Write;

/// What build servers are told, and what was required, is in English.
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
pub(crate) fn lines(report: &Report) -> impl Iterator<Item = Line<'_>> {
    report
        .required
        .iter()
        .filter_map(|required| line(report, required))
}

fn line<'a>(report: &'a Report, required: &'a Required) -> Option<Line<'a>> {
    let subject = Subject::from_id(&required.measure)?;
    let several = rows::several_levels(report);
    let level = required.level.as_ref();
    let at = match (subject, level) {
        // Answers are right or wrong at a rate, too.
        (Subject::Errors, Some(load)) => format!(" with {}", rows::load(load, words())),
        (_, Some(load)) if several => load
            .users
            .map_or_else(String::new, |users| format!(" at {users}")),
        _ => String::new(),
    };
    let asks = match required.bound {
        Bound::NotWorse(loss) => format!(
            "not worse than {} by more than {}",
            report.design.baseline,
            units::share(loss)
        ),
        Bound::Below(most) => format!("< {}", amount(subject, most)),
        Bound::Above(least) => format!("> {}", amount(subject, least)),
    };
    Some(Line {
        required,
        asks: format!("{}{at} {asks}", subject.title()),
        found: required
            .estimate
            .map_or_else(|| "–".to_owned(), |estimate| found(required, subject, estimate)),
        word: match (&required.why_invalid, required.verdict) {
            (Some(_), _) => "invalid",
            (None, GateVerdict::Pass) => "passes",
            (None, GateVerdict::Fail) => "fails",
            (None, GateVerdict::Inconclusive) => "inconclusive",
        },
    })
}

fn found(required: &Required, subject: Subject, estimate: Estimate) -> String {
    if let Bound::NotWorse(_) = required.bound {
        return rows::difference(&estimate, words());
    }
    let value = amount(subject, estimate.value);
    match estimate.low.zip(estimate.high) {
        Some((low, high)) => format!("{value} [{}, {}]", amount(subject, low), amount(subject, high)),
        None => format!("{value} [too few starts]"),
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
pub(crate) fn markdown(report: &Report) -> String {
    if report.required.is_empty() {
        return String::new();
    }
    let mut out = "| arm | required | found | |\n|---|---|---|---|\n".to_owned();
    for line in lines(report) {
        let (arm, asks) = (units::cell(&line.required.arm), units::cell(&line.asks));
        let _ = writeln!(out, "| {arm} | {asks} | {} | **{}** |", line.found, line.word);
    }
    out.push('\n');
    out
}

/// The same on a terminal.
pub(crate) fn text(report: &Report, columns: usize) -> String {
    let mut out = String::new();
    let mut of = None;
    for line in lines(report) {
        if of != Some(&line.required.arm) {
            of = Some(&line.required.arm);
            let _ = writeln!(out, "\nrequired of {}", line.required.arm);
        }
        let text = format!("{:<12} {}; found: {}", line.word, line.asks, line.found);
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
