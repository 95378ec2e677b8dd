//! Requirements in words: a row for each, as tables and test reports show it.

use crate::comparison::difference_text;
use crate::loads::{LoadText, has_several_loads, load_name};
use crate::units;
use crate::words::Label;
use ask::require::{Bound, Subject};
use model::load::Load;
use model::measure::Measure;
use record::outcome::{Estimate, GateVerdict, Report, Required, TooWide, Verdict};
use say::{Language, Say, text};

/// The words of requirements.
#[derive(Say)]
enum RequirementText<'a> {
    #[say(en = " with {load}", zh = "（{load}）")]
    With { load: &'a str },
    #[say(
        en = "{title} not worse than {base} by more than {margin}",
        zh = "{title} 不得比 {base} 差 {margin} 以上"
    )]
    NotWorse { title: &'a str, base: &'a str, margin: &'a str },
    #[say(en = "errors", zh = "错误率")]
    Errors,
    /// A load of less than five seconds, or too few starts.
    #[say(en = "too little to say", zh = "数据太少，无法判断")]
    TooLittle,
}

/// One requirement in words.
pub(crate) struct RequirementRow<'a> {
    pub(crate) required: &'a Required,
    /// What has to hold: `throughput at 500 not worse than tomcat-9 by more than 3 %`.
    pub(crate) bound: String,
    /// What was measured, with its interval: `12.3 ms [11.9, 12.8]`.
    pub(crate) measured: String,
    /// `passes`, `fails`, `inconclusive` or `invalid`.
    pub(crate) verdict: String,
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
    language: Language,
) -> impl Iterator<Item = RequirementRow<'a>> {
    let row = move |required| row(report, required, language);
    report.required.iter().map(row)
}

fn row<'a>(report: &'a Report, required: &'a Required, language: Language) -> RequirementRow<'a> {
    let measured = required.estimate.map(|estimate| match required.bound {
        Bound::NotWorse(_) => difference_text(&estimate, language),
        Bound::Below(_) | Bound::Above(_) => amount_with_interval(report, required, &estimate, language),
    });
    RequirementRow {
        required,
        bound: bound_text(report, required, language),
        measured: measured.unwrap_or_else(|| match (&required.why_invalid, required.verdict) {
            (None, GateVerdict::Inconclusive) => text(&RequirementText::TooLittle, language),
            _ => "–".to_owned(),
        }),
        verdict: match (&required.why_invalid, required.verdict) {
            (Some(_), _) => text(&Verdict::Invalid, language),
            (None, GateVerdict::Pass) => text(&Label::Passes, language),
            (None, GateVerdict::Fail) => text(&Label::Fails, language),
            (None, GateVerdict::Inconclusive) => text(&Verdict::Inconclusive, language),
        },
    }
}

/// What has to hold.
fn bound_text(report: &Report, required: &Required, language: Language) -> String {
    let title = match required.measure {
        Subject::Measure(measure) => text(&measure, language),
        Subject::Errors => text(&RequirementText::Errors, language),
    };
    let title = match &required.step {
        Some(step) => format!("{step}: {title}"),
        None => title,
    };
    let title = format!("{title}{}", at_load(report, required, language));
    match required.bound {
        Bound::NotWorse(loss) => text(
            &RequirementText::NotWorse {
                title: &title,
                base: &report.design.baseline,
                margin: &units::share(loss),
            },
            language,
        ),
        Bound::Below(most) => format!("{title} < {}", amount(report, required, most, language)),
        Bound::Above(least) => format!("{title} > {}", amount(report, required, least, language)),
    }
}

/// The load of a requirement, if it has to be named. It directly follows the title.
fn at_load(report: &Report, required: &Required, language: Language) -> String {
    match (required.measure, &required.level) {
        // The share of wrong answers is required at a fixed rate, too.
        (Subject::Errors, Some(load)) => {
            text(&RequirementText::With { load: &load_name(load, language) }, language)
        }
        (Subject::Measure(_), Some(Load { users: Some(users), .. })) if has_several_loads(report) => {
            text(&LoadText::AtUsers { users: *users }, language)
        }
        _ => String::new(),
    }
}

fn amount_with_interval(
    report: &Report,
    required: &Required,
    estimate: &Estimate,
    language: Language,
) -> String {
    let amount = |value| amount(report, required, value, language);
    let value = amount(estimate.value);
    // An interval on one side of the bound tells whether it holds, however wide it is. A share of errors is no figure of starts.
    let is_open =
        required.verdict == GateVerdict::Inconclusive && matches!(required.measure, Subject::Measure(_));
    match estimate.low.zip(estimate.high) {
        Some(_) if is_open && estimate.is_too_wide() => format!("{value} [{}]", text(&TooWide, language)),
        Some((low, high)) => format!("{value} [{}, {}]", amount(low), amount(high)),
        // A single load has no starts.
        None if report.design.starts == 0 => format!("{value} [{}]", text(&Label::TooShort, language)),
        None => format!("{value} [{}]", text(&Label::TooFewStarts, language)),
    }
}

fn amount(report: &Report, required: &Required, amount: f64, language: Language) -> String {
    match (required.measure, &required.step) {
        (Subject::Measure(Measure::Throughput), Some(_)) => {
            units::rate_of(amount, &text(&Label::Steps, language))
        }
        (Subject::Measure(measure), _) => units::value_in(report, measure, amount, language),
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
