//! The answer: one sentence for each arm. Where the headline is one measure whose verdict differs between loads, several.

use super::{AnswerSentence, Content, ContentBlock, SectionInput, overall};
use crate::comparison::{ComparisonRow, judged_arms, rows_of_arm};
use crate::loads::load_names;
use crate::units;
use crate::words::{Words, fill};
use model::load::Load;
use record::outcome::{ArmResult, GateVerdict, Report, Verdict};
use record::remark::Remarks;

pub(super) const ID: &str = "answer";

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let words = source.words;
    if !source.report.answers.is_empty() {
        let all = overall::sentences(source.report, words).map(|(answer, text)| {
            ContentBlock::Answer(AnswerSentence { judged: answer.overall.into(), text, remark: None })
        });
        return Content::unless_empty("", all.collect());
    }
    let groups = headline_groups(source.report, words);
    let answer = |rows: &Vec<ComparisonRow<'_>>| {
        let comparison = rows[0].comparison;
        // With several loads, the remarks are shown with their tables.
        let shown = source.form.answer_remarks && rows.len() == 1;
        let remark = say::some_text(&Remarks(&comparison.remarks), words.lang).filter(|_| shown);
        ContentBlock::Answer(AnswerSentence {
            judged: comparison.verdict.into(),
            text: sentence(rows, words),
            remark,
        })
    };
    Content::unless_empty("", groups.iter().map(answer).collect())
}

/// The answer in sentences.
pub(crate) fn answers(report: &Report, words: &Words) -> Vec<String> {
    if !report.answers.is_empty() {
        return overall::sentences(report, words).map(|(_, text)| text).collect();
    }
    let groups = headline_groups(report, words);
    groups.iter().map(|rows| sentence(rows, words)).collect()
}

/// The rows of the headline measure, in groups: each group holds the rows of one arm with the same verdict.
fn headline_groups<'a>(report: &'a Report, words: &Words) -> Vec<Vec<ComparisonRow<'a>>> {
    let is_headline = |row: &ComparisonRow<'_>| report.is_headline(row.comparison);
    let verdict = |row: &ComparisonRow<'_>| (row.comparison.gate, row.comparison.verdict);
    let groups_of_arm = |arm: &ArmResult| {
        let mut groups: Vec<Vec<ComparisonRow<'a>>> = Vec::new();
        for row in rows_of_arm(report, &arm.name, words).into_iter().filter(is_headline) {
            match groups.iter_mut().find(|rows| verdict(&rows[0]) == verdict(&row)) {
                Some(rows) => rows.push(row),
                None => groups.push(vec![row]),
            }
        }
        groups
    };
    judged_arms(report).flat_map(groups_of_arm).collect()
}

/// The sentence for rows of one arm that have the same verdict.
fn sentence(rows: &[ComparisonRow<'_>], words: &Words) -> String {
    let first = &rows[0];
    let at_loads = rows.iter().filter(|row| row.load.is_some());
    let loads: Vec<&Load> = at_loads.filter_map(|row| row.comparison.level.as_ref()).collect();
    let at = match loads.as_slice() {
        [] => String::new(),
        loads => fill(words.at_load, &[("load", &load_names(loads, words))]),
    };
    let template = match (first.comparison.gate, first.comparison.verdict) {
        (Some(GateVerdict::Pass), _) => words.answer_pass,
        (Some(GateVerdict::Fail), _) => words.answer_fail,
        (Some(GateVerdict::Inconclusive), _) => words.answer_open,
        (
            None,
            Verdict::Faster
            | Verdict::Slower
            | Verdict::Cheaper
            | Verdict::Costlier
            | Verdict::Smaller
            | Verdict::Larger,
        ) => words.answer_shown,
        (None, Verdict::Same) => words.answer_same,
        (None, Verdict::Inconclusive) => words.answer_inconclusive,
        (None, Verdict::Invalid) => words.answer_invalid,
    };
    let values: [(&str, &dyn std::fmt::Display); 6] = [
        ("verdict", &words.verdict(first.comparison.verdict)),
        ("arm", &format!("{}{at}", first.comparison.arm)),
        ("base", &first.comparison.baseline),
        ("title", &words.measure(first.measure)),
        ("margin", &units::share(first.comparison.margin)),
        ("difference", &differences(rows, words)),
    ];
    fill(template, &values)
}

/// The difference of a single row with its interval; of several rows the smallest and the largest difference.
fn differences(rows: &[ComparisonRow<'_>], words: &Words) -> String {
    let ratios = || rows.iter().filter_map(|row| Some(row.comparison.ratio?.value));
    let ends = (ratios().reduce(f64::min), ratios().reduce(f64::max));
    match ends {
        (Some(low), Some(high)) if rows.len() > 1 => {
            let [low, high] = [low, high].map(units::percent);
            fill(words.differences, &[("low", &low), ("high", &high)])
        }
        _ => rows[0].difference.clone(),
    }
}
