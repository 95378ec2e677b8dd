//! Comparisons in words: a row for each, as tables, plots and test reports show it.

use crate::brief::Brief;
use crate::loads::{has_several_loads, load_name};
use crate::units;
use crate::words::Label;
use model::load::Load;
use model::measure::{Measure, MeasureScope};
use record::outcome::{ArmResult, Comparison, DifferenceOf, Estimate, GateVerdict, Report, Verdict};
use record::remark::Remark;
use record::search::SearchResult;
use say::{Language, Say, text};

/// The words of comparisons.
#[derive(Say)]
enum ComparisonText<'a> {
    #[say(en = "same within {margin}", zh = "相同（±{margin} 内）")]
    SameWithin { margin: &'a str },
    #[say(en = "each start", zh = "每次启动")]
    EachStart,
    #[say(en = "at the fixed rate", zh = "固定速率下")]
    AtTheFixedRate,
    #[say(en = "{measure} at {users}", zh = "{measure}（{users}）")]
    MeasureAt { measure: &'a str, users: u64 },
}

/// One comparison in words.
pub(crate) struct ComparisonRow<'a> {
    pub(crate) comparison: &'a Comparison,
    pub(crate) measure: Measure,
    /// The name of the measure; the headline carries a star.
    pub(crate) title: String,
    /// The name of the load, in a report that has several.
    pub(crate) load: Option<String>,
    /// The baseline's value with its unit.
    pub(crate) baseline: String,
    /// The arm's value with its unit.
    pub(crate) arm: String,
    /// `+3.1 % [+1.2, +5.0]`.
    pub(crate) difference: String,
    /// The verdict with what it holds for: `same within 2 %`.
    pub(crate) verdict: String,
}

impl ComparisonRow<'_> {
    /// The measure, with its users where there are several loads: `throughput at 500`.
    pub(crate) fn name(&self, language: Language) -> String {
        let measure = self.measure.name(language);
        measure_at_load(measure, self.comparison, self.load.is_some(), language)
    }

    /// Whether it is a secondary measure whose verdict is open, so that it says nothing yet.
    pub(crate) fn is_open_aside(&self, report: &Report) -> bool {
        self.comparison.verdict == Verdict::Inconclusive && !report.is_headline(self.comparison)
    }
}

/// The name of a measure, with the users of a comparison where there are several loads: `throughput at 500`.
pub(crate) fn measure_at_load(
    measure: &str,
    comparison: &Comparison,
    several_loads: bool,
    language: Language,
) -> String {
    let users = comparison.level.as_ref().and_then(|level| level.users);
    match users.filter(|_| several_loads) {
        Some(users) => text(&ComparisonText::MeasureAt { measure, users }, language),
        None => measure.to_owned(),
    }
}

/// The difference of a comparison with its interval; in a few words why, where there is none.
pub(crate) fn difference(comparison: &Comparison, language: Language) -> String {
    match comparison.deciding() {
        Some(ratio) => difference_text(&ratio, language),
        None => text(&why_no_difference(comparison), language),
    }
}

/// In a few words, why a comparison has no ratio.
pub(crate) fn why_no_difference(comparison: &Comparison) -> Brief {
    let mut reasons = comparison.remarks.iter().filter_map(|remark| match remark {
        Remark::Invalid(reason) => Some(Brief::from(reason)),
        Remark::OneIsZero => Some(Brief::OneIsZero),
        _ => None,
    });
    let is_invalid = comparison.verdict == Verdict::Invalid;
    reasons.next().unwrap_or(if is_invalid { Brief::NotCounting } else { Brief::NotYet })
}

/// The arms that are compared with the baseline.
pub(crate) fn judged_arms(report: &Report) -> impl Iterator<Item = &ArmResult> {
    let baseline = &report.design.baseline;
    report.arms.iter().filter(move |arm| arm.name != *baseline)
}

/// The rows of one arm, headline first; where there are several loads, load by load.
pub(crate) fn rows_of_arm<'a>(report: &'a Report, arm: &str, language: Language) -> Vec<ComparisonRow<'a>> {
    let several = has_several_loads(report);
    let comparisons = report.comparisons.iter().filter(|comparison| comparison.arm == arm);
    let mut rows: Vec<ComparisonRow<'a>> =
        comparisons.map(|comparison| row(report, comparison, language)).collect();
    // What is measured at the fixed rate follows the closed loop, and what is measured once a start comes last.
    let place = |row: &ComparisonRow<'_>| match row.comparison.level.as_ref().filter(|_| several) {
        Some(load) => load.users.unwrap_or(u64::MAX - 1),
        None => u64::MAX,
    };
    let is_headline = |row: &ComparisonRow<'_>| report.is_headline(row.comparison);
    rows.sort_by_key(|row| (place(row), !is_headline(row), row.measure));
    rows
}

/// The rows of each load; all of them where there is only one.
pub(crate) fn rows_by_load<'a, 'r>(
    rows: &'a [ComparisonRow<'r>],
) -> impl Iterator<Item = &'a [ComparisonRow<'r>]> {
    rows.chunk_by(|one, next| one.load == next.load)
}

/// A comparison in words.
pub(crate) fn row<'a>(
    report: &'a Report,
    comparison: &'a Comparison,
    language: Language,
) -> ComparisonRow<'a> {
    let measure = comparison.measure;
    let star = match report.is_headline(comparison) {
        true => " *",
        false => "",
    };
    let value = |name: &str| {
        let arm = report.arms.iter().find(|arm| arm.name == name);
        let estimate = arm.and_then(|arm| estimate(arm, measure, comparison.level.as_ref()));
        estimate.map_or_else(
            || "–".to_owned(),
            |estimate| units::value_in(report, measure, estimate.value, language),
        )
    };
    ComparisonRow {
        comparison,
        measure,
        title: format!("{}{star}", measure.name(language)),
        load: has_several_loads(report).then(|| load_heading(comparison, language)),
        baseline: value(&comparison.baseline),
        arm: value(&comparison.arm),
        difference: difference(comparison, language),
        verdict: verdict_text(comparison, language),
    }
}

/// The heading above the rows of a load.
fn load_heading(comparison: &Comparison, language: Language) -> String {
    match &comparison.level {
        None => text(&ComparisonText::EachStart, language),
        // Before the first start that counts, the rate has not been chosen.
        Some(level) if level.users.is_none() && level.rate.is_none() => {
            text(&ComparisonText::AtTheFixedRate, language)
        }
        Some(level) => load_name(level, language),
    }
}

/// The verdict in a few words; for the headline of a gate, the verdict of the gate.
pub(crate) fn verdict_text(comparison: &Comparison, language: Language) -> String {
    match (comparison.gate, comparison.verdict) {
        (Some(GateVerdict::Pass), _) => text(&Label::Passes, language),
        (Some(GateVerdict::Fail), _) => text(&Label::Fails, language),
        (Some(GateVerdict::Inconclusive), _) => Verdict::Inconclusive.word(language).to_owned(),
        (None, Verdict::Same) => {
            let margin = units::share(comparison.margin);
            text(&ComparisonText::SameWithin { margin: &margin }, language)
        }
        (None, verdict) => verdict.word(language).to_owned(),
    }
}

/// The value of a measure for an arm, at this load if the measure depends on load; `None` if there is too little data for it.
pub(crate) fn estimate(arm: &ArmResult, measure: Measure, load: Option<&Load>) -> Option<Estimate> {
    let at_level = || {
        let mut levels = arm.levels.iter().filter(|level| load.is_none_or(|load| level.load == *load));
        levels.find_map(|level| level.estimate(measure))
    };
    match measure.scope() {
        MeasureScope::Start => arm.once(measure),
        MeasureScope::Search => arm.found.as_ref().and_then(SearchResult::headline),
        MeasureScope::Level | MeasureScope::Events(..) | MeasureScope::Rate(_) => at_level(),
    }
}

/// A ratio as a difference in per cent, with its interval or the reason why it has none that says anything.
pub(crate) fn difference_text(ratio: &Estimate, language: Language) -> String {
    match (ratio.low, ratio.high) {
        (Some(_), Some(_)) => text(&DifferenceOf(*ratio), language),
        _ => format!("{} % [{}]", units::percent(ratio.value), text(&Label::TooFewStarts, language)),
    }
}

/// Whether any valid comparison has an interval.
pub(crate) fn has_interval(report: &Report) -> bool {
    let is_interval = |ratio: &Estimate| ratio.low.is_some() && ratio.high.is_some();
    report.comparisons.iter().any(|comparison| {
        comparison.verdict != Verdict::Invalid && comparison.deciding().as_ref().is_some_and(is_interval)
    })
}
