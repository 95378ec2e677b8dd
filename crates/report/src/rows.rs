//! What every form of the report shows, in one place: the answer in a sentence, and a row per comparison.

use crate::units;
use model::measure::Measure;
use model::outcome::{ArmResult, Comparison, Estimate, GateVerdict, Level, Load, Report, Verdict};

/// One comparison in words.
pub(crate) struct Row<'a> {
    pub(crate) comparison: &'a Comparison,
    pub(crate) measure: Measure,
    /// The measure that decided when to stop carries a star.
    pub(crate) title: String,
    pub(crate) baseline: String,
    pub(crate) arm: String,
    /// `+3.1 % [+1.2, +5.0]`.
    pub(crate) difference: String,
    /// The verdict with what it holds for: `same within 2 %`.
    pub(crate) said: String,
}

/// The arms that are compared with the baseline.
pub(crate) fn judged(report: &Report) -> impl Iterator<Item = &ArmResult> {
    report
        .arms
        .iter()
        .filter(|arm| arm.name != report.design.baseline)
}

/// The rows of one arm, headline first.
pub(crate) fn rows<'a>(report: &'a Report, arm: &str) -> Vec<Row<'a>> {
    let mut rows: Vec<Row<'a>> = report
        .comparisons
        .iter()
        .filter(|comparison| comparison.arm == arm)
        .filter_map(|comparison| row(report, comparison))
        .collect();
    rows.sort_by_key(|row| (row.comparison.measure != report.design.headline, row.measure));
    rows
}

fn row<'a>(report: &'a Report, comparison: &'a Comparison) -> Option<Row<'a>> {
    let measure = Measure::from_id(&comparison.measure)?;
    let star = if comparison.measure == report.design.headline {
        " *"
    } else {
        ""
    };
    let value = |name: &str| {
        let arm = report.arms.iter().find(|arm| arm.name == name);
        let estimate = arm.and_then(|arm| estimate(arm, measure));
        estimate.map_or_else(
            || "–".to_owned(),
            |estimate| units::value(measure, estimate.value),
        )
    };
    Some(Row {
        comparison,
        measure,
        title: format!("{}{star}", measure.title()),
        baseline: value(&comparison.baseline),
        arm: value(&comparison.arm),
        difference: comparison
            .ratio
            .as_ref()
            .map_or_else(|| "–".to_owned(), difference),
        said: said(comparison),
    })
}

/// The verdict in two or three words; on the headline of a gate, what the gate says.
fn said(comparison: &Comparison) -> String {
    match (comparison.gate, comparison.verdict) {
        (Some(GateVerdict::Pass), _) => "passes".to_owned(),
        (Some(GateVerdict::Fail), _) => "fails".to_owned(),
        (Some(GateVerdict::Inconclusive), _) => Verdict::Inconclusive.word().to_owned(),
        (None, Verdict::Same) => format!("same within {}", units::share(comparison.margin)),
        (None, verdict) => verdict.word().to_owned(),
    }
}

fn estimate(arm: &ArmResult, measure: Measure) -> Option<Estimate> {
    match measure {
        Measure::StartUp => arm.startup,
        Measure::PeakMemory => arm.peak_memory,
        _ => arm
            .levels
            .iter()
            .find_map(|level| level.measures.get(measure.id()).copied()),
    }
}

pub(crate) fn difference(ratio: &Estimate) -> String {
    let value = units::percent(ratio.value);
    match (ratio.low, ratio.high) {
        (Some(low), Some(high)) => format!("{value} % [{}, {}]", units::percent(low), units::percent(high)),
        _ => format!("{value} % [too few starts]"),
    }
}

/// The answer in one sentence, an arm a line.
pub(crate) fn answers(report: &Report) -> Vec<String> {
    judged(report)
        .filter_map(|arm| answer(report, &arm.name))
        .collect()
}

fn answer(report: &Report, arm: &str) -> Option<String> {
    let rows = rows(report, arm);
    let head = rows.first()?;
    let (base, title) = (&report.design.baseline, head.measure.title());
    let margin = units::share(head.comparison.margin);
    let difference = &head.difference;
    match head.comparison.gate {
        Some(GateVerdict::Pass) => {
            return Some(format!(
                "{arm} passes the gate: {title} is not worse than that of {base} by more than {margin}; \
                 {difference}."
            ));
        }
        Some(GateVerdict::Fail) => {
            return Some(format!(
                "{arm} fails the gate: {title} is worse than that of {base} by more than {margin}; {difference}."
            ));
        }
        Some(GateVerdict::Inconclusive) | None => {}
    }
    Some(match head.comparison.verdict {
        _ if head.comparison.gate.is_some() => {
            format!(
                "{arm} against {base}: the gate of {margin} was not decided in the time there was; {title} {difference}."
            )
        }
        Verdict::Faster => format!("{arm} is faster than {base}: {title} {difference}."),
        Verdict::Slower => format!("{arm} is slower than {base}: {title} {difference}."),
        Verdict::Same => format!("{arm} and {base} are the same within {margin}: {title} {difference}."),
        Verdict::Inconclusive => {
            format!("{arm} against {base}: not decided in the time there was; {title} {difference}.")
        }
        Verdict::Invalid => format!("{arm} against {base}: no verdict, because the run is invalid."),
    })
}

/// What was done, in a line.
pub(crate) fn circumstances(report: &Report) -> String {
    let design = &report.design;
    let levels = report.arms.first().map_or(&[] as &[_], |arm| &arm.levels);
    let load: String = levels
        .iter()
        .map(|level| format!("{}, ", load(&level.load)))
        .collect();
    let cpus = report.fingerprint.get("cpus").map_or("?", String::as_str);
    let starts = if design.starts == 1 { "start" } else { "starts" };
    format!(
        "{load}{cpus} CPUs, {} {starts} each, {}",
        design.starts,
        units::minutes(design.elapsed)
    )
}

/// A load in words.
pub(crate) fn load(load: &Load) -> String {
    match (load.users, load.rate) {
        (Some(1), _) => "1 connection".to_owned(),
        (Some(users), _) => format!("{users} connections"),
        (None, Some(rate)) => format!("response times at {}", units::rate(rate)),
        (None, None) => "no load".to_owned(),
    }
}

/// Remarks of the rows, each once, with the measures it is about.
pub(crate) fn remarks(rows: &[Row<'_>]) -> Vec<String> {
    let mut remarks: Vec<(&str, Vec<&str>)> = Vec::new();
    for row in rows {
        let Some(remark) = &row.comparison.remark else {
            continue;
        };
        match remarks.iter_mut().find(|(known, _)| known == remark) {
            Some((_, measures)) => measures.push(row.measure.title()),
            None => remarks.push((remark, vec![row.measure.title()])),
        }
    }
    let all = |measures: &[&str]| measures.len() > 1 && measures.len() == rows.len();
    let said = |(remark, measures): (&str, Vec<&str>)| match all(&measures) {
        true => format!("all measures: {remark}"),
        false => format!("{}: {remark}", measures.join(", ")),
    };
    remarks.into_iter().map(said).collect()
}

/// How to read the table, in plain words: the rule, the kind of interval, what is secondary.
pub(crate) fn legend(report: &Report) -> String {
    let design = &report.design;
    let percent = units::share(1.0 - design.alpha);
    let (limit, kind) = match design.starts_cap {
        Some(cap) => (format!("{cap} starts at most"), "group-sequential"),
        None => ("until sure".to_owned(), "anytime-valid"),
    };
    let gate = design.gate.map_or_else(String::new, |loss| {
        format!(", gate: not worse by more than {}", units::share(loss))
    });
    format!(
        "* headline, decided when to stop ({limit}{gate}); the others are secondary (Holm-corrected). \
         Intervals: {percent}, {kind}, they hold at every look. faster/slower mean better/worse."
    )
}

/// What stands under all verdicts: the ranking of many arms, and how far the procedure may be believed here.
pub(crate) fn standing(report: &Report) -> Vec<String> {
    let ranking = report.ranking.as_ref().map(|ranking| {
        let title = Measure::from_id(&ranking.measure).map_or("", Measure::title);
        let groups: Vec<String> = ranking.groups.iter().map(|group| group.join(", ")).collect();
        match groups.as_slice() {
            [all] => format!("ranking by {title}: no arm was told apart from another ({all})"),
            _ => format!(
                "ranking by {title}, best first, groups were not told apart within: {}",
                groups.join(" | ")
            ),
        }
    });
    let tails = report.arms.iter().filter_map(tail).collect::<Vec<_>>();
    let tails = (!tails.is_empty()).then(|| {
        format!(
            "response p99.9 (95 % over pooled starts, no verdict): {}",
            tails.join("; ")
        )
    });
    ranking
        .into_iter()
        .chain(tails)
        .chain(calibration(report))
        .collect()
}

/// An arm's p99.9, or what it lacks.
fn tail(arm: &ArmResult) -> Option<String> {
    let id = "response_p99.9";
    let known = |level: &Level| level.measures.contains_key(id) || level.not_estimable.contains_key(id);
    let level = arm.levels.iter().find(|level| known(level))?;
    Some(format!("{} {}", arm.name, units::percentile(level, id)))
}

/// `on this class of machine: 0 false calls of 41 (<= 7 %)`.
pub(crate) fn calibration(report: &Report) -> Option<String> {
    let tally = report.calibration?;
    let calls = if tally.false_calls == 1 { "call" } else { "calls" };
    Some(format!(
        "identical servers on this class of machine: {} false {calls} of {} runs (<= {})",
        tally.false_calls,
        tally.runs,
        units::share(tally.upper)
    ))
}
