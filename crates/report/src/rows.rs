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
    /// Its load in words, where the report has several levels.
    pub(crate) at: Option<String>,
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

/// The levels of the closed loop.
fn levels(report: &Report) -> impl Iterator<Item = &Load> {
    let arm = report.arms.first();
    let loads = arm
        .into_iter()
        .flat_map(|arm| &arm.levels)
        .map(|level| &level.load);
    loads.filter(|load| load.users.is_some())
}

/// Whether the closed loop had more than one level, so that each has to be named.
pub(crate) fn several_levels(report: &Report) -> bool {
    levels(report).count() > 1
}

/// The rows of one arm, headline first; where there are several levels, level by level.
pub(crate) fn rows<'a>(report: &'a Report, arm: &str) -> Vec<Row<'a>> {
    let several = several_levels(report);
    let mut rows: Vec<Row<'a>> = report
        .comparisons
        .iter()
        .filter(|comparison| comparison.arm == arm)
        .filter_map(|comparison| row(report, comparison, several))
        .collect();
    let level = |row: &Row<'_>| match row.comparison.level.as_ref().filter(|_| several) {
        Some(load) => load.users.unwrap_or(u64::MAX - 1),
        None => u64::MAX,
    };
    let headline = |row: &Row<'_>| row.comparison.measure == report.design.headline;
    rows.sort_by_key(|row| (level(row), !headline(row), row.measure));
    rows
}

/// The rows of each level; all of them where there is only one.
pub(crate) fn by_level<'a, 'r>(
    rows: &'a [Row<'r>],
) -> impl Iterator<Item = (Option<&'a str>, &'a [Row<'r>])> {
    rows.chunk_by(|one, next| one.at == next.at)
        .map(|rows| (rows[0].at.as_deref(), rows))
}

fn row<'a>(report: &'a Report, comparison: &'a Comparison, several: bool) -> Option<Row<'a>> {
    let measure = Measure::from_id(&comparison.measure)?;
    let star = if comparison.measure == report.design.headline {
        " *"
    } else {
        ""
    };
    let value = |name: &str| {
        let arm = report.arms.iter().find(|arm| arm.name == name);
        let estimate = arm.and_then(|arm| estimate(arm, measure, comparison.level.as_ref()));
        estimate.map_or_else(
            || "–".to_owned(),
            |estimate| units::value(measure, estimate.value),
        )
    };
    Some(Row {
        comparison,
        measure,
        title: format!("{}{star}", measure.title()),
        at: several.then(|| heading(comparison)),
        baseline: value(&comparison.baseline),
        arm: value(&comparison.arm),
        difference: comparison
            .ratio
            .as_ref()
            .map_or_else(|| "–".to_owned(), difference),
        said: said(comparison),
    })
}

/// What stands above the rows of a level.
fn heading(comparison: &Comparison) -> String {
    match &comparison.level {
        None => "each start".to_owned(),
        // Before the first start that counts there is no rate.
        Some(level) if level.users.is_none() && level.rate.is_none() => "at the fixed rate".to_owned(),
        Some(level) => load(level),
    }
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

/// An arm's own value of a measure, at that load where load plays a part.
pub(crate) fn estimate(arm: &ArmResult, measure: Measure, load: Option<&Load>) -> Option<Estimate> {
    match measure {
        Measure::StartUp => arm.startup,
        Measure::PeakMemory => arm.peak_memory,
        _ => arm
            .levels
            .iter()
            .filter(|level| load.is_none_or(|load| level.load == *load))
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

/// The answer in one sentence, a line for each arm and level.
pub(crate) fn answers(report: &Report) -> Vec<String> {
    let heads = judged(report).flat_map(|arm| {
        let of_headline = |row: &Row<'_>| row.comparison.measure == report.design.headline;
        rows(report, &arm.name).into_iter().filter(of_headline)
    });
    heads.map(|head| answer(&head)).collect()
}

fn answer(head: &Row<'_>) -> String {
    let (base, title) = (&head.comparison.baseline, head.measure.title());
    let at = head.comparison.level.as_ref().filter(|_| head.at.is_some());
    let at = at.map_or_else(String::new, |level| format!(" at {}", load(level)));
    let arm = format!("{}{at}", head.comparison.arm);
    let margin = units::share(head.comparison.margin);
    let difference = &head.difference;
    match (head.comparison.gate, head.comparison.verdict) {
        (Some(GateVerdict::Pass), _) => format!(
            "{arm} passes the gate: {title} is not worse than that of {base} by more than {margin}; {difference}."
        ),
        (Some(GateVerdict::Fail), _) => {
            format!(
                "{arm} fails the gate: {title} is worse than that of {base} by more than {margin}; {difference}."
            )
        }
        (Some(GateVerdict::Inconclusive), _) => format!(
            "{arm} against {base}: the gate of {margin} was not decided in the time there was; {title} {difference}."
        ),
        (None, Verdict::Faster) => format!("{arm} is faster than {base}: {title} {difference}."),
        (None, Verdict::Slower) => format!("{arm} is slower than {base}: {title} {difference}."),
        (None, Verdict::Same) => {
            format!("{arm} and {base} are the same within {margin}: {title} {difference}.")
        }
        (None, Verdict::Inconclusive) => {
            format!("{arm} against {base}: not decided in the time there was; {title} {difference}.")
        }
        (None, Verdict::Invalid) => format!("{arm} against {base}: no verdict, because the run is invalid."),
    }
}

/// What was done, in a line.
pub(crate) fn circumstances(report: &Report) -> String {
    let design = &report.design;
    let all = report.arms.first().map_or(&[] as &[_], |arm| &arm.levels);
    let closed: Vec<u64> = levels(report).filter_map(|load| load.users).collect();
    let load: String = match closed.split_last() {
        Some((last, others @ [_, ..])) => {
            let others: Vec<String> = others.iter().map(u64::to_string).collect();
            let open = all.iter().filter(|level| level.load.users.is_none());
            let open: String = open.map(|level| format!("{}, ", load(&level.load))).collect();
            format!("{} and {last} connections, {open}", others.join(", "))
        }
        _ => all
            .iter()
            .map(|level| format!("{}, ", load(&level.load)))
            .collect(),
    };
    let profile = design.profile.as_ref();
    let profile = profile.map_or_else(String::new, |profile| format!("{profile} profile, "));
    let cpus = report.fingerprint.get("cpus").map_or("?", String::as_str);
    let starts = if design.starts == 1 { "start" } else { "starts" };
    format!(
        "{profile}{load}{cpus} CPUs, {} {starts} each, {}",
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
    let mut remarks: Vec<(&str, Vec<String>)> = Vec::new();
    for row in rows {
        let Some(remark) = &row.comparison.remark else {
            continue;
        };
        let name = row.name();
        match remarks.iter_mut().find(|(known, _)| known == remark) {
            Some((_, measures)) => measures.push(name),
            None => remarks.push((remark, vec![name])),
        }
    }
    let all = |measures: &[String]| measures.len() > 1 && measures.len() == rows.len();
    let said = |(remark, measures): (&str, Vec<String>)| match all(&measures) {
        true => format!("all measures: {remark}"),
        false => format!("{}: {remark}", measures.join(", ")),
    };
    remarks.into_iter().map(said).collect()
}

/// A comparison's measure, with its level where there are several: `throughput at 500`.
pub(crate) fn title(report: &Report, comparison: &Comparison) -> Option<String> {
    let several = several_levels(report);
    row(report, comparison, several).map(|row| row.name())
}

impl Row<'_> {
    /// The measure, with its level where there are several.
    pub(crate) fn name(&self) -> String {
        let users = self.comparison.level.as_ref().and_then(|level| level.users);
        match users.filter(|_| self.at.is_some()) {
            Some(users) => format!("{} at {users}", self.measure.title()),
            None => self.measure.title().to_owned(),
        }
    }
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
    let rankings = report.ranking.iter().chain(&report.rankings).map(|ranking| {
        let title = Measure::from_id(&ranking.measure).map_or("", Measure::title);
        let at = ranking.level.as_ref().map(load);
        let title = at.map_or(title.to_owned(), |at| format!("{title} at {at}"));
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
    rankings.chain(tails).chain(calibration(report)).collect()
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
