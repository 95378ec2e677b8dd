//! What limited the arms. Each cause is shown once for each arm, with all loads at which it was at work.

use super::block::{Column, Text};
use super::shown_as::Diagnoses;
use super::{ColumnKind, Content, ContentBlock, List, ListItem, SectionInput, TextMark};
use crate::loads::{joined_load_names, load_name};
use crate::words::{Words, fill};
use record::finding::Cause;
use record::outcome::{ArmResult, Diagnosis, Evidence};

pub(super) const ID: &str = "diagnoses";

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let (report, words) = (source.report, source.words);
    let of_arm = |arm| {
        let mut causes = causes_of_arm(arm, words);
        if source.form.diagnoses == Diagnoses::FirstOfEachArm {
            causes.truncate(1);
        }
        causes
    };
    let causes: Vec<LimitingCause<'_>> = report.arms.iter().flat_map(of_arm).collect();
    let has_line = |arm: &ArmResult| causes.iter().any(|cause| cause.arm.name == arm.name);
    let at_full_cpu =
        report.arms.iter().filter(|arm| source.form.diagnoses != Diagnoses::FirstOfEachArm || !has_line(arm));
    let expected = expected(at_full_cpu, words);
    let not_measured: Vec<String> = report
        .arms
        .iter()
        .filter(|arm| !report.searched() && !has_line(arm))
        .flat_map(|arm| not_measured(arm, words))
        .collect();
    if causes.is_empty() && expected.is_none() && not_measured.is_empty() {
        return None;
    }
    let list = |item: fn(&LimitingCause<'_>, &Words) -> ListItem| {
        let items = causes.iter().map(|cause| item(cause, words));
        let others = not_measured.iter().cloned().chain(expected.clone());
        let items = items.chain(others.map(ListItem::from)).collect();
        vec![ContentBlock::List(List { items, faint: false })]
    };
    match source.form.diagnoses {
        Diagnoses::Sentences => Content::of(words.why, list(sentence)),
        Diagnoses::Points => Content::of(words.why_heading, list(point)),
        Diagnoses::FirstOfEachArm => Content::of(words.why_heading, list(line)),
        Diagnoses::Cards => {
            let explanation =
                (!causes.is_empty()).then(|| ContentBlock::explanation(words.page_diagnoses_says));
            let cards = causes.iter().map(|cause| card(cause, words));
            let blocks = explanation.into_iter().chain(cards);
            let others = not_measured.iter().cloned().chain(expected.clone());
            let blocks = blocks.chain(others.map(ContentBlock::paragraph));
            Content::of(words.page_diagnoses, blocks.collect::<Vec<_>>())
        }
    }
}

/// What limited one arm, a line for each cause; empty where nothing is known.
pub(super) fn of_arm(arm: &ArmResult, words: &Words) -> Vec<Text> {
    let causes = causes_of_arm(arm, words);
    let lines: Vec<Text> = causes.iter().map(|cause| line(cause, words).text).collect();
    match lines.is_empty() {
        true => expected([arm].into_iter(), words)
            .into_iter()
            .chain(not_measured(arm, words))
            .map(Text::from)
            .collect(),
        false => lines,
    }
}

/// A sentence on the cause, below it what to try and the result of the trial.
fn sentence(cause: &LimitingCause<'_>, words: &Words) -> ListItem {
    let diagnosis = cause.diagnosis;
    let values: [(&str, &dyn std::fmt::Display); 5] = [
        ("arm", &cause.arm.name),
        ("at", &cause.at),
        ("also", &cause.also(words)),
        ("cause", &diagnosis.cause().id()),
        ("says", &say::text(diagnosis, words.lang)),
    ];
    let advice = advice(diagnosis, words).map(|change| fill(words.why_try, &[("change", &change)]));
    let lines = advice.into_iter().chain(trial_result(diagnosis, words));
    ListItem { text: fill(words.why_line, &values).into(), lines: lines.map(Text::from).collect() }
}

/// The cause with what to try, below it the result of the trial and the evidence.
fn point(cause: &LimitingCause<'_>, words: &Words) -> ListItem {
    let diagnosis = cause.diagnosis;
    // Where a trial was in vain, its result takes the place of the advice.
    let result = trial_result(diagnosis, words).filter(|_| !diagnosis.is_refuted());
    let result = result.map(|result| Text::marked(format!("{result}."), TextMark::Emphasis));
    let evidence = diagnosis.evidence.iter();
    let evidence = evidence.map(|figure| {
        let what = say::text(&figure.what, words.lang);
        format!("{what} {}", figure_text(figure.value))
    });
    let evidence = format!("({})", evidence.collect::<Vec<_>>().join("; "));
    ListItem { lines: result.into_iter().chain([evidence.into()]).collect(), ..line(cause, words) }
}

/// The cause with what to try, or with the trial that was in vain, in one line.
fn line(cause: &LimitingCause<'_>, words: &Words) -> ListItem {
    let diagnosis = cause.diagnosis;
    let (template, change) = match advice(diagnosis, words) {
        Some(change) => (words.why_marked, change),
        None => (words.why_marked_in_vain, trial_result(diagnosis, words).unwrap_or_default()),
    };
    let values: [(&str, &dyn std::fmt::Display); 6] = [
        ("arm", &cause.arm.name),
        ("at", &cause.at),
        ("also", &cause.also(words)),
        ("cause", &diagnosis.cause().id()),
        ("says", &say::text(diagnosis, words.lang)),
        ("change", &change),
    ];
    ListItem { text: Text::filled(template, &values), lines: Vec::new() }
}

/// What to try; `None` where a trial has shown that it brings nothing.
fn advice(diagnosis: &Diagnosis, words: &Words) -> Option<String> {
    (!diagnosis.is_refuted()).then(|| say::text(&diagnosis.remedy, words.lang))
}

/// A card with the cause, the evidence as a table, what to try and the result of the trial.
fn card(cause: &LimitingCause<'_>, words: &Words) -> ContentBlock {
    let diagnosis = cause.diagnosis;
    let heading = Text::marked(&cause.arm.name, TextMark::Strong)
        .then(format!(" · {} · {}", cause.at, cause.also(words)), TextMark::Plain)
        .then(diagnosis.cause().id(), TextMark::Code);
    let evidence = (!diagnosis.evidence.is_empty()).then(|| evidence_table(&diagnosis.evidence, words));
    let remedy = advice(diagnosis, words).map(|change| format!("{}{change}", words.page_try));
    let texts = [ContentBlock::paragraph(heading), ContentBlock::paragraph(say::text(diagnosis, words.lang))];
    let result = trial_result(diagnosis, words).map(ContentBlock::paragraph);
    let blocks = texts.into_iter().chain(evidence);
    ContentBlock::Card(blocks.chain(remedy.map(ContentBlock::paragraph)).chain(result).collect())
}

fn evidence_table(evidence: &[Evidence], words: &Words) -> ContentBlock {
    let columns = vec![
        Column::new(ColumnKind::Text, words.page_evidence),
        Column::new(ColumnKind::Number, words.value),
    ];
    let row = |figure: &Evidence| vec![say::text(&figure.what, words.lang), figure_text(figure.value)];
    ContentBlock::table(columns, evidence.iter().map(row).collect())
}

/// A cause that was at work in an arm.
struct LimitingCause<'a> {
    arm: &'a ArmResult,
    /// The diagnosis at the last of these loads, or at the last one where a trial tested it.
    diagnosis: &'a Diagnosis,
    /// The loads at which the cause was at work: `500 and 1000 connections`.
    at: String,
    /// It is the first cause at one or more of these loads.
    comes_first: bool,
}

impl LimitingCause<'_> {
    /// `also`, for a cause that is never the first.
    fn also(&self, words: &Words) -> &'static str {
        if self.comes_first { "" } else { words.why_also }
    }
}

/// The causes at work in an arm without those that are expected ([`expected`]). Causes that are the first at some load come
/// before the others.
fn causes_of_arm<'a>(arm: &'a ArmResult, words: &Words) -> Vec<LimitingCause<'a>> {
    let mut causes: Vec<Cause> = Vec::new();
    for diagnosis in &arm.diagnoses {
        if !causes.contains(&diagnosis.cause()) {
            causes.push(diagnosis.cause());
        }
    }
    let causes = causes.into_iter();
    let causes = causes.filter_map(|cause| limiting_cause(arm, cause, words));
    let mut causes: Vec<LimitingCause<'_>> = causes.collect();
    causes.sort_by_key(|cause| !cause.comes_first);
    causes
}

fn limiting_cause<'a>(arm: &'a ArmResult, cause: Cause, words: &Words) -> Option<LimitingCause<'a>> {
    let all = arm.diagnoses.iter().filter(|one| one.cause() == cause && !one.expected);
    let all: Vec<&Diagnosis> = all.collect();
    let comes_first = |one: &&Diagnosis| {
        let first = arm.diagnoses.iter().find(|other| other.level == one.level);
        first.is_some_and(|first| first.cause() == one.cause())
    };
    let loads: Vec<String> = all.iter().map(|one| load_name(&one.level, words)).collect();
    // A diagnosis that a trial tested is preferred, because it has a result.
    let shown = all.iter().rfind(|one| one.proved.is_some()).or(all.last())?;
    Some(LimitingCause {
        arm,
        diagnosis: shown,
        at: joined_load_names(&loads, words),
        comes_first: all.iter().any(comes_first),
    })
}

/// A sentence on the arms that were limited by a full CPU, as is expected under their load; `None` if there are no such
/// arms.
fn expected<'a>(arms: impl Iterator<Item = &'a ArmResult>, words: &Words) -> Option<String> {
    // Each arm has its figures, because its CPU time per request is why it answers fewer requests than another.
    let line_of = |arm: &ArmResult| {
        let last = arm.diagnoses.iter().rfind(|diagnosis| diagnosis.expected)?;
        let text = say::text(&last.finding, words.lang);
        Some(fill(words.why_cpu_arm, &[("arm", &arm.name), ("finding", &text)]))
    };
    let arms: Vec<String> = arms.filter_map(line_of).collect();
    let all = arms.join(words.why_cpu_next);
    (!arms.is_empty()).then(|| fill(words.why_cpu, &[("arms", &all)]))
}

/// The result of the trial that tested a diagnosis; `None` without a trial.
fn trial_result(diagnosis: &Diagnosis, words: &Words) -> Option<String> {
    let proved = diagnosis.proved?;
    let with: Vec<String> =
        diagnosis.change.iter().map(|change| format!("{} = {}", change.key, change.value)).collect();
    let template = match diagnosis.is_refuted() {
        true => words.why_in_vain,
        false => words.why_tried,
    };
    let [times, ends] = proved.as_factor();
    let values: [(&str, &dyn std::fmt::Display); 3] =
        [("change", &with.join(words.separator)), ("times", &times), ("ends", &ends)];
    Some(fill(template, &values))
}

/// Why an arm without any cause was not measured at some loads: a comparison that is invalid for that reason needs one beside the
/// arm.
fn not_measured(arm: &ArmResult, words: &Words) -> Vec<String> {
    let mut reasons: Vec<(String, Vec<String>)> = Vec::new();
    for level in &arm.levels {
        let Some(why) = &level.why_invalid else { continue };
        let (why, load) = (say::text(why, words.lang), load_name(&level.load, words));
        match reasons.iter_mut().find(|(known, _)| *known == why) {
            Some((_, loads)) => loads.push(load),
            None => reasons.push((why, vec![load])),
        }
    }
    let line = |(why, loads): (String, Vec<String>)| {
        let at = joined_load_names(&loads, words);
        fill(words.why_not_measured, &[("arm", &arm.name), ("at", &at), ("why", &why)])
    };
    reasons.into_iter().map(line).collect()
}

/// A number of the evidence with about four digits.
fn figure_text(value: f64) -> String {
    match value.abs() {
        v if v == v.trunc() && v < 1e15 => format!("{value:.0}"),
        v if v >= 100.0 => format!("{value:.0}"),
        v if v >= 0.01 => format!("{value:.3}"),
        _ => format!("{value:.2e}"),
    }
}
