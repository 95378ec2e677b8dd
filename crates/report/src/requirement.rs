//! Requirements in words: a row for each, as tables and test reports show it.

use crate::comparison::difference_text;
use crate::loads::{has_several_loads, load_name};
use crate::units;
use crate::words::{Words, fill};
use ask::require::{Bound, Subject};
use model::load::Load;
use model::measure::Measure;
use record::outcome::{Estimate, GateVerdict, Report, Required, Verdict};

/// One requirement in words.
pub(crate) struct RequirementRow<'a> {
    pub(crate) required: &'a Required,
    /// What has to hold: `throughput at 500 not worse than tomcat-9 by more than 3 %`.
    pub(crate) bound: String,
    /// What was measured, with its interval: `12.3 ms [11.9, 12.8]`.
    pub(crate) measured: String,
    /// `passes`, `fails`, `inconclusive` or `invalid`.
    pub(crate) verdict: &'static str,
}

impl RequirementRow<'_> {
    /// The bound is a loss against the baseline, and not a value.
    pub(crate) fn is_relative(&self) -> bool {
        matches!(self.required.bound, Bound::NotWorse(_))
    }
}

/// All requirements in the order of the report, arm by arm.
pub(crate) fn requirement_rows<'a>(
    report: &'a Report,
    words: &'static Words,
) -> impl Iterator<Item = RequirementRow<'a>> {
    let row = move |required| row(report, required, words);
    report.required.iter().map(row)
}

fn row<'a>(report: &'a Report, required: &'a Required, words: &Words) -> RequirementRow<'a> {
    let measured = required.estimate.map(|estimate| match required.bound {
        Bound::NotWorse(_) => difference_text(&estimate, words),
        Bound::Below(_) | Bound::Above(_) => amount_with_interval(report, required, &estimate, words),
    });
    RequirementRow {
        required,
        bound: bound_text(report, required, words),
        measured: measured.unwrap_or_else(|| "–".to_owned()),
        verdict: match (&required.why_invalid, required.verdict) {
            (Some(_), _) => words.verdict(Verdict::Invalid),
            (None, GateVerdict::Pass) => words.passes,
            (None, GateVerdict::Fail) => words.fails,
            (None, GateVerdict::Inconclusive) => words.verdict(Verdict::Inconclusive),
        },
    }
}

/// What has to hold.
fn bound_text(report: &Report, required: &Required, words: &Words) -> String {
    let title = match required.measure {
        Subject::Measure(measure) => words.measure(measure),
        Subject::Errors => words.errors,
    };
    let title = match &required.step {
        Some(step) => format!("{step}: {title}"),
        None => title.to_owned(),
    };
    let title = format!("{title}{}", at_load(report, required, words));
    match required.bound {
        Bound::NotWorse(loss) => fill(
            words.required_not_worse,
            &[("title", &title), ("base", &report.design.baseline), ("margin", &units::share(loss))],
        ),
        Bound::Below(most) => format!("{title} < {}", amount(report, required, most, words)),
        Bound::Above(least) => format!("{title} > {}", amount(report, required, least, words)),
    }
}

/// The load of a requirement, if it has to be named. It directly follows the title.
fn at_load(report: &Report, required: &Required, words: &Words) -> String {
    match (required.measure, &required.level) {
        // The share of wrong answers is required at a fixed rate, too.
        (Subject::Errors, Some(load)) => fill(words.required_with, &[("load", &load_name(load, words))]),
        (Subject::Measure(_), Some(Load { users: Some(users), .. })) if has_several_loads(report) => {
            fill(words.required_at, &[("users", users)])
        }
        _ => String::new(),
    }
}

fn amount_with_interval(report: &Report, required: &Required, estimate: &Estimate, words: &Words) -> String {
    let amount = |value| amount(report, required, value, words);
    let value = amount(estimate.value);
    match estimate.low.zip(estimate.high) {
        Some((low, high)) => format!("{value} [{}, {}]", amount(low), amount(high)),
        None => format!("{value} [{}]", words.too_few_starts),
    }
}

fn amount(report: &Report, required: &Required, amount: f64, words: &Words) -> String {
    match (required.measure, &required.step) {
        (Subject::Measure(Measure::Throughput), Some(_)) => units::rate_of(amount, words.steps_counted),
        (Subject::Measure(measure), _) => units::value_in(report, measure, amount, words),
        (Subject::Errors, _) => percentage(amount),
    }
}

/// A share as a percentage with two significant digits, because it may be very small.
fn percentage(share: f64) -> String {
    let percent = 100.0 * share;
    if percent == 0.0 {
        return "0 %".to_owned();
    }
    let digits = (1.0 - percent.log10().floor()).clamp(0.0, 9.0) as usize;
    let text = format!("{percent:.digits$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text} %")
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
