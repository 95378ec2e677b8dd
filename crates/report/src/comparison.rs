//! Comparisons in words: a row for each, as tables, plots and test reports show it.

use crate::loads::{has_several_loads, load_name};
use crate::units;
use crate::words::{Words, fill};
use model::load::Load;
use model::measure::{Measure, MeasureScope};
use record::outcome::{ArmResult, Comparison, Estimate, GateVerdict, Report, Verdict};
use record::search::SearchResult;

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
    pub(crate) fn name(&self, words: &Words) -> String {
        let measure = words.measure(self.measure);
        measure_at_load(measure, self.comparison, self.load.is_some(), words)
    }
}

/// The name of a measure, with the users of a comparison where there are several loads: `throughput at 500`.
pub(crate) fn measure_at_load(
    measure: &str,
    comparison: &Comparison,
    several_loads: bool,
    words: &Words,
) -> String {
    let users = comparison.level.as_ref().and_then(|level| level.users);
    match users.filter(|_| several_loads) {
        Some(users) => fill(words.measure_at, &[("measure", &measure), ("users", &users)]),
        None => measure.to_owned(),
    }
}

/// The half-width of an interval beyond which it says nothing, as a share.
const TOO_WIDE: f64 = 0.5;

/// The difference of a comparison with its interval; a dash where there is none, and words where it says nothing.
pub(crate) fn difference(comparison: &Comparison, words: &Words) -> String {
    let Some(ratio) = comparison.ratio.as_ref() else {
        return "–".to_owned();
    };
    let width = ratio.high.zip(ratio.low).map(|(high, low)| high - low);
    match width.is_some_and(|width| width > 2.0 * TOO_WIDE) && comparison.verdict == Verdict::Inconclusive {
        true => words.too_wide.to_owned(),
        false => difference_text(ratio, words),
    }
}

/// The arms that are compared with the baseline.
pub(crate) fn judged_arms(report: &Report) -> impl Iterator<Item = &ArmResult> {
    let baseline = &report.design.baseline;
    report.arms.iter().filter(move |arm| arm.name != *baseline)
}

/// The rows of one arm, headline first; where there are several loads, load by load.
pub(crate) fn rows_of_arm<'a>(report: &'a Report, arm: &str, words: &Words) -> Vec<ComparisonRow<'a>> {
    let several = has_several_loads(report);
    let comparisons = report.comparisons.iter().filter(|comparison| comparison.arm == arm);
    let mut rows: Vec<ComparisonRow<'a>> =
        comparisons.map(|comparison| row(report, comparison, words)).collect();
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
pub(crate) fn row<'a>(report: &'a Report, comparison: &'a Comparison, words: &Words) -> ComparisonRow<'a> {
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
            |estimate| units::value_in(report, measure, estimate.value, words),
        )
    };
    ComparisonRow {
        comparison,
        measure,
        title: format!("{}{star}", words.measure(measure)),
        load: has_several_loads(report).then(|| load_heading(comparison, words)),
        baseline: value(&comparison.baseline),
        arm: value(&comparison.arm),
        difference: difference(comparison, words),
        verdict: verdict_text(comparison, words),
    }
}

/// The heading above the rows of a load.
fn load_heading(comparison: &Comparison, words: &Words) -> String {
    match &comparison.level {
        None => words.each_start.to_owned(),
        // Before the first start that counts, the rate has not been chosen.
        Some(level) if level.users.is_none() && level.rate.is_none() => words.at_the_fixed_rate.to_owned(),
        Some(level) => load_name(level, words),
    }
}

/// The verdict in a few words; for the headline of a gate, the verdict of the gate.
pub(crate) fn verdict_text(comparison: &Comparison, words: &Words) -> String {
    match (comparison.gate, comparison.verdict) {
        (Some(GateVerdict::Pass), _) => words.passes.to_owned(),
        (Some(GateVerdict::Fail), _) => words.fails.to_owned(),
        (Some(GateVerdict::Inconclusive), _) => words.verdict(Verdict::Inconclusive).to_owned(),
        (None, Verdict::Same) => {
            let margin = units::share(comparison.margin);
            fill(words.same_within, &[("margin", &margin)])
        }
        (None, verdict) => words.verdict(verdict).to_owned(),
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
        MeasureScope::Level | MeasureScope::Rate(_) => at_level(),
    }
}

/// A ratio as a difference in per cent, with its interval or the reason why it has none.
pub(crate) fn difference_text(ratio: &Estimate, words: &Words) -> String {
    match (ratio.low, ratio.high) {
        (Some(_), Some(_)) => ratio.as_difference(),
        _ => format!("{} % [{}]", units::percent(ratio.value), words.too_few_starts),
    }
}

/// Whether any valid comparison has an interval.
pub(crate) fn has_interval(report: &Report) -> bool {
    let is_interval = |ratio: &Estimate| ratio.low.is_some() && ratio.high.is_some();
    report.comparisons.iter().any(|comparison| {
        comparison.verdict != Verdict::Invalid && comparison.ratio.as_ref().is_some_and(is_interval)
    })
}
