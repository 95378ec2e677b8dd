//! What every form of the report shows, in one place: the answer in a sentence, and a row per comparison.

use crate::units;
use crate::words::{Words, fill};
use model::found::Found;
use model::measure::Measure;
use model::outcome::{ArmResult, Comparison, Estimate, GateVerdict, Level, Load, Ranking, Report, Verdict};

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
pub(crate) fn rows<'a>(report: &'a Report, arm: &str, words: &Words) -> Vec<Row<'a>> {
    let several = several_levels(report);
    let mut rows: Vec<Row<'a>> = report
        .comparisons
        .iter()
        .filter(|comparison| comparison.arm == arm)
        .filter_map(|comparison| row(report, comparison, several, words))
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

fn row<'a>(report: &'a Report, comparison: &'a Comparison, several: bool, words: &Words) -> Option<Row<'a>> {
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
        title: format!("{}{star}", words.measure(measure)),
        at: several.then(|| heading(comparison, words)),
        baseline: value(&comparison.baseline),
        arm: value(&comparison.arm),
        difference: comparison
            .ratio
            .as_ref()
            .map_or_else(|| "–".to_owned(), |ratio| difference(ratio, words)),
        said: said(comparison, words),
    })
}

/// What stands above the rows of a level.
fn heading(comparison: &Comparison, words: &Words) -> String {
    match &comparison.level {
        None => words.each_start.to_owned(),
        // Before the first start that counts there is no rate.
        Some(level) if level.users.is_none() && level.rate.is_none() => words.at_the_fixed_rate.to_owned(),
        Some(level) => load(level, words),
    }
}

/// The verdict in two or three words; on the headline of a gate, what the gate says.
fn said(comparison: &Comparison, words: &Words) -> String {
    match (comparison.gate, comparison.verdict) {
        (Some(GateVerdict::Pass), _) => words.passes.to_owned(),
        (Some(GateVerdict::Fail), _) => words.fails.to_owned(),
        (Some(GateVerdict::Inconclusive), _) => words.inconclusive.to_owned(),
        (None, Verdict::Same) => {
            let margin = units::share(comparison.margin);
            fill(words.same_within, &[("margin", &margin)])
        }
        (None, verdict) => words.verdict(verdict).to_owned(),
    }
}

/// An arm's own value of a measure, at that load where load plays a part; `None` where too little lies behind it.
pub(crate) fn estimate(arm: &ArmResult, measure: Measure, load: Option<&Load>) -> Option<Estimate> {
    match measure {
        Measure::StartUp => arm.startup,
        Measure::PeakMemory => arm.peak_memory,
        Measure::Capacity | Measure::MaxRate => arm.found.as_ref().and_then(Found::headline),
        _ => arm
            .levels
            .iter()
            .filter(|level| load.is_none_or(|load| level.load == *load))
            .find_map(|level| level.estimate(measure.id())),
    }
}

pub(crate) fn difference(ratio: &Estimate, words: &Words) -> String {
    let value = units::percent(ratio.value);
    match (ratio.low, ratio.high) {
        (Some(low), Some(high)) => format!("{value} % [{}, {}]", units::percent(low), units::percent(high)),
        _ => format!("{value} % [{}]", words.too_few_starts),
    }
}

/// The rows of the headline, arm by arm; those of an arm that say the same at several loads together.
pub(crate) fn heads<'a>(report: &'a Report, words: &Words) -> Vec<Vec<Row<'a>>> {
    let of_headline = |row: &Row<'_>| row.comparison.measure == report.design.headline;
    let says = |row: &Row<'_>| (row.comparison.gate, row.comparison.verdict);
    let of_arm = |arm: &ArmResult| {
        let mut alike: Vec<Vec<Row<'a>>> = Vec::new();
        for row in rows(report, &arm.name, words).into_iter().filter(of_headline) {
            match alike.iter_mut().find(|rows| says(&rows[0]) == says(&row)) {
                Some(rows) => rows.push(row),
                None => alike.push(vec![row]),
            }
        }
        alike
    };
    judged(report).flat_map(of_arm).collect()
}

/// The answer in one sentence, a line for each arm and verdict.
pub(crate) fn answers(report: &Report, words: &Words) -> Vec<String> {
    heads(report, words)
        .iter()
        .map(|head| answer(head, words))
        .collect()
}

/// What rows of the headline answer that say the same of an arm.
pub(crate) fn answer(alike: &[Row<'_>], words: &Words) -> String {
    let head = &alike[0];
    let at = alike.iter().filter(|row| row.at.is_some());
    let at: Vec<&Load> = at.filter_map(|row| row.comparison.level.as_ref()).collect();
    let at = match at.as_slice() {
        [] => String::new(),
        all => fill(words.at_load, &[("load", &loads(all, words))]),
    };
    let template = match (head.comparison.gate, head.comparison.verdict) {
        (Some(GateVerdict::Pass), _) => words.answer_pass,
        (Some(GateVerdict::Fail), _) => words.answer_fail,
        (Some(GateVerdict::Inconclusive), _) => words.answer_open,
        (None, Verdict::Faster) => words.answer_faster,
        (None, Verdict::Slower) => words.answer_slower,
        (None, Verdict::Same) => words.answer_same,
        (None, Verdict::Inconclusive) => words.answer_inconclusive,
        (None, Verdict::Invalid) => words.answer_invalid,
    };
    let values: [(&str, &dyn std::fmt::Display); 5] = [
        ("arm", &format!("{}{at}", head.comparison.arm)),
        ("base", &head.comparison.baseline),
        ("title", &words.measure(head.measure)),
        ("margin", &units::share(head.comparison.margin)),
        ("difference", &differences(alike, words)),
    ];
    fill(template, &values)
}

/// That of one row with its interval, of more the smallest and the largest.
fn differences(alike: &[Row<'_>], words: &Words) -> String {
    let ratios = || alike.iter().filter_map(|row| Some(row.comparison.ratio?.value));
    let ends = (ratios().reduce(f64::min), ratios().reduce(f64::max));
    match ends {
        (Some(low), Some(high)) if alike.len() > 1 => {
            let [low, high] = [low, high].map(units::percent);
            fill(words.differences, &[("low", &low), ("high", &high)])
        }
        _ => alike[0].difference.clone(),
    }
}

/// What was done, in a line.
pub(crate) fn circumstances(report: &Report, words: &Words) -> String {
    let design = &report.design;
    let all = report.arms.first().map_or(&[] as &[_], |arm| &arm.levels);
    let closed: Vec<&Load> = levels(report).collect();
    let mut parts: Vec<String> = Vec::new();
    if design.profile.is_some() {
        parts.push(words.profile.to_owned());
    }
    parts.extend(
        report
            .asked
            .get("request")
            .map(|request| units::begun(request, 60)),
    );
    if !closed.is_empty() {
        parts.push(loads(&closed, words));
    }
    if report
        .asked
        .get("load/keepalive")
        .is_some_and(|kept| kept == "false")
    {
        parts.push(words.asks_anew.to_owned());
    }
    if let Some(think) = report.asked.get("load/think") {
        parts.push(fill(words.asks_with_think, &[("think", think)]));
    }
    let open = all.iter().filter(|level| level.load.users.is_none());
    parts.extend(open.map(|level| load(&level.load, words)));
    let cpus = report.fingerprint.get("cpus").map_or("?", String::as_str);
    parts.push(fill(words.cpus, &[("cpus", &cpus)]));
    parts.push(match design.starts {
        1 => words.start_each.to_owned(),
        starts => fill(words.starts_each, &[("starts", &starts)]),
    });
    parts.push(units::minutes(design.elapsed, words));
    parts.join(words.separator)
}

/// Several loads in words: `10, 50 and 100 connections`.
fn loads(all: &[&Load], words: &Words) -> String {
    let users: Option<Vec<String>> = all
        .iter()
        .map(|load| load.users.map(|users| users.to_string()))
        .collect();
    let (users, said) = match (all, users) {
        ([_, _, ..], Some(users)) => (true, users),
        _ => (false, all.iter().map(|one| load(one, words)).collect()),
    };
    let said = match said.split_last() {
        Some((last, others @ [_, ..])) => {
            let others = others.join(words.separator);
            fill(words.list_and_last, &[("others", &others), ("last", last)])
        }
        _ => said.concat(),
    };
    match users {
        true => fill(words.connections, &[("users", &said)]),
        false => said,
    }
}

/// A load in words.
pub(crate) fn load(load: &Load, words: &Words) -> String {
    match (load.users, load.rate) {
        (Some(1), _) => words.one_connection.to_owned(),
        (Some(users), _) => fill(words.connections, &[("users", &users)]),
        (None, Some(rate)) => fill(words.fixed_rate, &[("rate", &units::rate(rate))]),
        (None, None) => words.no_load.to_owned(),
    }
}

/// Remarks of the rows, each once, with the measures it is about.
pub(crate) fn remarks(rows: &[Row<'_>], words: &Words) -> Vec<String> {
    let mut remarks: Vec<(&str, Vec<String>)> = Vec::new();
    for row in rows {
        let Some(remark) = &row.comparison.remark else {
            continue;
        };
        let name = row.name(words);
        match remarks.iter_mut().find(|(known, _)| known == remark) {
            Some((_, measures)) => measures.push(name),
            None => remarks.push((remark, vec![name])),
        }
    }
    let all = |measures: &[String]| measures.len() > 1 && measures.len() == rows.len();
    let said = |(remark, measures): (&str, Vec<String>)| {
        let label = match all(&measures) {
            true => words.all_measures.to_owned(),
            false => measures.join(words.separator),
        };
        let text = words.sentence(remark);
        fill(words.label, &[("label", &label), ("text", &text)])
    };
    remarks.into_iter().map(said).collect()
}

/// A comparison's measure, with its level where there are several: `throughput at 500`.
pub(crate) fn title(report: &Report, comparison: &Comparison, words: &Words) -> Option<String> {
    let several = several_levels(report);
    row(report, comparison, several, words).map(|row| row.name(words))
}

impl Row<'_> {
    /// The measure, with its level where there are several.
    pub(crate) fn name(&self, words: &Words) -> String {
        let measure = words.measure(self.measure);
        let users = self.comparison.level.as_ref().and_then(|level| level.users);
        match users.filter(|_| self.at.is_some()) {
            Some(users) => fill(words.measure_at, &[("measure", &measure), ("users", &users)]),
            None => measure.to_owned(),
        }
    }
}

/// How to read the table, in plain words: the rule, the kind of interval, what is secondary.
pub(crate) fn legend(report: &Report, words: &Words) -> String {
    let design = &report.design;
    let (limit, kind) = match design.starts_cap {
        Some(cap) => (fill(words.cap, &[("cap", &cap)]), words.group_sequential),
        None => (words.until_sure.to_owned(), words.anytime_valid),
    };
    let gate = design.gate.map_or_else(String::new, |loss| {
        fill(words.gate, &[("margin", &units::share(loss))])
    });
    let percent = units::share(1.0 - design.alpha);
    let values: [(&str, &dyn std::fmt::Display); 4] = [
        ("limit", &limit),
        ("gate", &gate),
        ("percent", &percent),
        ("kind", &kind),
    ];
    fill(words.legend, &values)
}

/// How far the intervals of the answers may be believed, where there is one that a verdict may rest on.
pub(crate) fn sure(report: &Report, words: &Words) -> Option<String> {
    let percent = units::share(1.0 - report.design.alpha);
    let template = match report.design.starts_cap {
        Some(_) => words.page_sure,
        None => words.page_sure_until,
    };
    has_interval(report).then(|| fill(template, &[("percent", &percent)]))
}

/// Whether there is an interval that a verdict may rest on.
pub(crate) fn has_interval(report: &Report) -> bool {
    let interval = |ratio: &Estimate| ratio.low.is_some() && ratio.high.is_some();
    report.comparisons.iter().any(|comparison| {
        comparison.verdict != Verdict::Invalid && comparison.ratio.as_ref().is_some_and(interval)
    })
}

/// What stands under all verdicts: the ranking of many arms, and how far the procedure may be believed here.
pub(crate) fn standing(report: &Report, words: &Words) -> Vec<String> {
    let rankings = report.ranking.iter().chain(&report.rankings);
    let rankings = rankings.map(|ranking| self::ranking(ranking, words));
    let times = report.arms.iter().filter_map(|arm| times(arm, words));
    rankings.chain(times).chain(calibration(report, words)).collect()
}

fn ranking(ranking: &Ranking, words: &Words) -> String {
    let title = Measure::from_id(&ranking.measure).map_or("", |measure| words.measure(measure));
    let at = ranking.level.as_ref().map(|level| load(level, words));
    let at = at.map_or_else(String::new, |load| fill(words.at_load, &[("load", &load)]));
    let title = format!("{title}{at}");
    let groups: Vec<String> = ranking.groups.iter().map(|group| group.join(", ")).collect();
    match groups.as_slice() {
        [all] => fill(words.ranking_none, &[("title", &title), ("all", all)]),
        _ => fill(
            words.ranking,
            &[("title", &title), ("groups", &groups.join(" | "))],
        ),
    }
}

/// An arm's response times at the fixed rate, each with its interval or what it lacks.
fn times(arm: &ArmResult, words: &Words) -> Option<String> {
    let known =
        |level: &Level, id: &str| level.measures.contains_key(id) || level.not_estimable.contains_key(id);
    let of = |level: &Level| {
        let of_each = ["p50", "p90", "p99", "p99.9"].map(|name| {
            let id = format!("response_{name}");
            known(level, &id).then(|| format!("{name} {}", units::percentile(level, &id, words)))
        });
        let said: Vec<String> = of_each.into_iter().flatten().collect();
        (!said.is_empty()).then(|| said.join(words.separator))
    };
    let said = arm.levels.iter().find_map(of)?;
    Some(fill(words.times, &[("arm", &arm.name), ("times", &said)]))
}

/// `on this class of machine: 0 false calls of 41 (<= 7 %)`.
pub(crate) fn calibration(report: &Report, words: &Words) -> Option<String> {
    let tally = report.calibration?;
    let calls = match tally.false_calls {
        1 => words.false_call.to_owned(),
        calls => fill(words.false_calls, &[("calls", &calls)]),
    };
    let [upper, alpha] = [tally.upper, tally.alpha.unwrap_or(report.design.alpha)].map(units::share);
    let values: [(&str, &dyn std::fmt::Display); 4] = [
        ("calls", &calls),
        ("runs", &tally.runs),
        ("upper", &upper),
        ("alpha", &alpha),
    ];
    Some(fill(words.calibration, &values))
}
