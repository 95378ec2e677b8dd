//! The answer: one sentence for each arm. Where the headline is one measure whose verdict differs between loads, several.

use super::{AnswerSentence, Content, ContentBlock, SectionInput, overall};
use crate::comparison::{ComparisonRow, judged_arms, rows_of_arm};
use crate::loads::{LoadText, load_names};
use crate::units;
use model::load::Load;
use model::measure::Measure;
use record::outcome::{ArmResult, GateVerdict, Report, Verdict};
use record::remark::Remarks;
use say::{Language, Say, text};

pub(super) const ID: &str = "answer";

/// The answers about one measure.
#[derive(Say)]
pub(super) enum AnswerText<'a> {
    #[say(en = "{low} to {high} %", zh = "{low} 至 {high} %")]
    Differences { low: &'a str, high: &'a str },
    #[say(
        en = "{arm} passes the gate: {title} is not worse than that of {base} by more than {margin}; {difference}.",
        zh = "{arm} 通过门限：{title}没有比 {base} 差 {margin} 以上；{difference}。"
    )]
    Passes { arm: &'a str, title: Measure, base: &'a str, margin: &'a str, difference: &'a str },
    #[say(
        en = "{arm} fails the gate: {title} is worse than that of {base} by more than {margin}; {difference}.",
        zh = "{arm} 未通过门限：{title}比 {base} 差 {margin} 以上；{difference}。"
    )]
    Fails { arm: &'a str, title: Measure, base: &'a str, margin: &'a str, difference: &'a str },
    #[say(
        en = "{arm} against {base}: the gate of {margin} could not be decided in the available time; {title} {difference}.",
        zh = "{arm} 与 {base}：在可用时间内无法判定是否满足 {margin} 的门限；{title} {difference}。"
    )]
    Open { arm: &'a str, base: &'a str, margin: &'a str, title: Measure, difference: &'a str },
    #[say(
        en = "{arm} is {verdict} than {base}: {title} {difference}.",
        zh = "{arm} 比 {base} {verdict}：{title} {difference}。"
    )]
    Shown { arm: &'a str, verdict: Verdict, base: &'a str, title: Measure, difference: &'a str },
    #[say(
        en = "{arm} and {base} are the same within {margin}: {title} {difference}.",
        zh = "{arm} 与 {base} 在 ±{margin} 以内相同：{title} {difference}。"
    )]
    Same { arm: &'a str, base: &'a str, margin: &'a str, title: Measure, difference: &'a str },
    #[say(
        en = "{arm} against {base}: inconclusive in the available time; {title} {difference}.",
        zh = "{arm} 与 {base}：在可用时间内无法判定；{title} {difference}。"
    )]
    Inconclusive { arm: &'a str, base: &'a str, title: Measure, difference: &'a str },
    #[say(
        en = "{arm} against {base}: no verdict, because the run is invalid.",
        zh = "{arm} 与 {base}：本次运行无效，不作判定。"
    )]
    Invalid { arm: &'a str, base: &'a str },
}

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let language = source.language;
    if !source.report.answers.is_empty() {
        let all = overall::sentences(source.report, language).map(|(answer, text)| {
            ContentBlock::Answer(AnswerSentence { judged: answer.overall.into(), text, remark: None })
        });
        return Content::unless_empty("", all.collect());
    }
    let groups = headline_groups(source.report, language);
    let answer = |rows: &Vec<ComparisonRow<'_>>| {
        let comparison = rows[0].comparison;
        // With several loads, the remarks are shown with their tables.
        let shown = source.form.answer_remarks && rows.len() == 1;
        let remark = say::some_text(&Remarks(&comparison.remarks), language).filter(|_| shown);
        ContentBlock::Answer(AnswerSentence {
            judged: comparison.verdict.into(),
            text: sentence(rows, language),
            remark,
        })
    };
    Content::unless_empty("", groups.iter().map(answer).collect())
}

/// The answer in sentences.
pub(crate) fn answers(report: &Report, language: Language) -> Vec<String> {
    if !report.answers.is_empty() {
        return overall::sentences(report, language).map(|(_, text)| text).collect();
    }
    let groups = headline_groups(report, language);
    groups.iter().map(|rows| sentence(rows, language)).collect()
}

/// The rows of the headline measure, in groups: each group holds the rows of one arm with the same verdict.
fn headline_groups<'a>(report: &'a Report, language: Language) -> Vec<Vec<ComparisonRow<'a>>> {
    let is_headline = |row: &ComparisonRow<'_>| report.is_headline(row.comparison);
    let groups_of_arm =
        |arm: &ArmResult| groups(rows_of_arm(report, &arm.name, language).into_iter().filter(is_headline));
    judged_arms(report).flat_map(groups_of_arm).collect()
}

/// Rows of an arm in groups that have the same verdict, in the order of their first rows.
pub(super) fn groups<'a>(rows: impl Iterator<Item = ComparisonRow<'a>>) -> Vec<Vec<ComparisonRow<'a>>> {
    let verdict = |row: &ComparisonRow<'_>| (row.comparison.gate, row.comparison.verdict);
    let mut groups: Vec<Vec<ComparisonRow<'a>>> = Vec::new();
    for row in rows {
        match groups.iter_mut().find(|rows| verdict(&rows[0]) == verdict(&row)) {
            Some(rows) => rows.push(row),
            None => groups.push(vec![row]),
        }
    }
    groups
}

/// ` at 100 and 500 connections`: the loads of these rows; empty where the report has only one load.
pub(super) fn at_loads(rows: &[ComparisonRow<'_>], language: Language) -> String {
    let at_loads = rows.iter().filter(|row| row.load.is_some());
    let loads: Vec<&Load> = at_loads.filter_map(|row| row.comparison.level.as_ref()).collect();
    match loads.as_slice() {
        [] => String::new(),
        loads => text(&LoadText::AtLoad { load: &load_names(loads, language) }, language),
    }
}

/// The sentence for rows of one arm that have the same verdict.
pub(super) fn sentence(rows: &[ComparisonRow<'_>], language: Language) -> String {
    let first = &rows[0];
    let at = at_loads(rows, language);
    let comparison = first.comparison;
    let (arm, base) = (&format!("{}{at}", comparison.arm), &comparison.baseline);
    let (title, margin) = (first.measure, &units::share(comparison.margin));
    let difference = &differences(rows, language);
    let said = match (comparison.gate, comparison.verdict) {
        (Some(GateVerdict::Pass), _) => AnswerText::Passes { arm, title, base, margin, difference },
        (Some(GateVerdict::Fail), _) => AnswerText::Fails { arm, title, base, margin, difference },
        (Some(GateVerdict::Inconclusive), _) => AnswerText::Open { arm, base, margin, title, difference },
        (
            None,
            verdict @ (Verdict::Faster
            | Verdict::Slower
            | Verdict::Cheaper
            | Verdict::Costlier
            | Verdict::Smaller
            | Verdict::Larger),
        ) => AnswerText::Shown { arm, verdict, base, title, difference },
        (None, Verdict::Same) => AnswerText::Same { arm, base, margin, title, difference },
        (None, Verdict::Inconclusive) => AnswerText::Inconclusive { arm, base, title, difference },
        (None, Verdict::Invalid) => AnswerText::Invalid { arm, base },
    };
    text(&said, language)
}

/// The difference of a single row with its interval; of several rows the smallest and the largest difference.
fn differences(rows: &[ComparisonRow<'_>], language: Language) -> String {
    let ratios = || rows.iter().filter_map(|row| Some(row.comparison.ratio?.value));
    let ends = (ratios().reduce(f64::min), ratios().reduce(f64::max));
    match ends {
        (Some(low), Some(high)) if rows.len() > 1 => {
            let [low, high] = [low, high].map(units::percent);
            text(&AnswerText::Differences { low: &low, high: &high }, language)
        }
        _ => rows[0].difference.clone(),
    }
}
