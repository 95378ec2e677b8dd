//! What limited the arms: a cause once for each arm, with all loads at which it was at work.

use super::block::{Column, Text};
use super::form::Diagnoses;
use super::{Block, ColumnKind, Content, Item, List, Source, TextMark};
use crate::loads::{joined_load_names, load_name};
use crate::say;
use crate::words::{Words, fill};
use model::finding::Cause;
use model::outcome::{ArmResult, Diagnosis, Estimate, Evidence, Report};

pub(super) const ID: &str = "diagnoses";

pub(super) fn section(source: &Source<'_>) -> Option<Content> {
    let (report, words) = (source.report, source.words);
    let causes = report.arms.iter().flat_map(|arm| causes_of_arm(arm, words));
    let causes: Vec<LimitingCause<'_>> = causes.collect();
    let expected = expected(report, words);
    if causes.is_empty() && expected.is_none() {
        return None;
    }
    let list = |item: fn(&LimitingCause<'_>, &Words) -> Item| {
        let items = causes.iter().map(|cause| item(cause, words));
        let items = items.chain(expected.clone().map(Item::from)).collect();
        vec![Block::List(List { items, faint: false })]
    };
    match source.form.diagnoses {
        Diagnoses::Sentences => Content::of(words.why, list(sentence)),
        Diagnoses::Points => Content::of(words.why_heading, list(point)),
        Diagnoses::Cards => {
            let explanation = (!causes.is_empty()).then(|| Block::explanation(words.page_diagnoses_says));
            let cards = causes.iter().map(|cause| card(cause, words));
            let blocks = explanation.into_iter().chain(cards);
            let blocks = blocks.chain(expected.map(Block::paragraph));
            Content::of(words.page_diagnoses, blocks.collect::<Vec<_>>())
        }
    }
}

/// What a cause does, then what to try and what came of it.
fn sentence(cause: &LimitingCause<'_>, words: &Words) -> Item {
    let diagnosis = cause.diagnosis;
    let values: [(&str, &dyn std::fmt::Display); 5] = [
        ("arm", &cause.arm.name),
        ("at", &cause.at),
        ("also", &cause.also(words)),
        ("cause", &diagnosis.cause().id()),
        ("says", &say::finding(&diagnosis.finding, words.lang)),
    ];
    let change = say::remedy(&diagnosis.remedy, words.lang);
    let remedy = fill(words.why_try, &[("change", &change)]);
    let lines = [remedy].into_iter().chain(proof(diagnosis, words));
    Item {
        text: fill(words.why_line, &values).into(),
        lines: lines.map(Text::from).collect(),
    }
}

/// What a cause does with what to try, then what came of it, and the evidence.
fn point(cause: &LimitingCause<'_>, words: &Words) -> Item {
    let diagnosis = cause.diagnosis;
    let values: [(&str, &dyn std::fmt::Display); 6] = [
        ("arm", &cause.arm.name),
        ("at", &cause.at),
        ("also", &cause.also(words)),
        ("cause", &diagnosis.cause().id()),
        ("says", &say::finding(&diagnosis.finding, words.lang)),
        ("change", &say::remedy(&diagnosis.remedy, words.lang)),
    ];
    let proof = proof(diagnosis, words).map(|proof| Text::marked(format!("{proof}."), TextMark::Emphasis));
    let evidence = diagnosis.evidence.iter();
    let evidence = evidence.map(|figure| {
        let what = say::quantity(&figure.what, words.lang);
        format!("{what} {}", figure_text(figure.value))
    });
    let evidence = format!("({})", evidence.collect::<Vec<_>>().join("; "));
    Item {
        text: Text::filled(words.why_marked, &values),
        lines: proof.into_iter().chain([evidence.into()]).collect(),
    }
}

/// What a cause does, the evidence as a table, what to try and what came of it.
fn card(cause: &LimitingCause<'_>, words: &Words) -> Block {
    let diagnosis = cause.diagnosis;
    let heading = Text::marked(&cause.arm.name, TextMark::Strong)
        .then(
            format!(" · {} · {}", cause.at, cause.also(words)),
            TextMark::Plain,
        )
        .then(diagnosis.cause().id(), TextMark::Code);
    let evidence = (!diagnosis.evidence.is_empty()).then(|| evidence_table(&diagnosis.evidence, words));
    let remedy = format!("{}{}", words.page_try, say::remedy(&diagnosis.remedy, words.lang));
    let texts = [
        Block::paragraph(heading),
        Block::paragraph(say::finding(&diagnosis.finding, words.lang)),
    ];
    let proof = proof(diagnosis, words).map(Block::paragraph);
    let blocks = texts.into_iter().chain(evidence);
    Block::Card(blocks.chain([Block::paragraph(remedy)]).chain(proof).collect())
}

fn evidence_table(evidence: &[Evidence], words: &Words) -> Block {
    let columns = vec![
        Column::new(ColumnKind::Text, words.page_evidence),
        Column::new(ColumnKind::Number, words.value),
    ];
    let row = |figure: &Evidence| vec![say::quantity(&figure.what, words.lang), figure_text(figure.value)];
    Block::table(columns, evidence.iter().map(row).collect())
}

/// A cause that was at work in an arm.
struct LimitingCause<'a> {
    arm: &'a ArmResult,
    /// The diagnosis at the last load of those below, or at the last one whose remedy was tried.
    diagnosis: &'a Diagnosis,
    /// The loads at which the cause was at work: `500 and 1000 connections`.
    at: String,
    /// At one of these loads at least it comes before all other causes.
    comes_first: bool,
}

impl LimitingCause<'_> {
    /// `also`, in front of a cause that never comes first.
    fn also(&self, words: &Words) -> &'static str {
        if self.comes_first { "" } else { words.why_also }
    }
}

/// The causes at work in an arm, without those that are expected ([`expected`]). Those that come before all others at some
/// load lead.
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
    let all = arm
        .diagnoses
        .iter()
        .filter(|one| one.cause() == cause && !one.expected);
    let all: Vec<&Diagnosis> = all.collect();
    let comes_first = |one: &&Diagnosis| {
        let first = arm.diagnoses.iter().find(|other| other.level == one.level);
        first.is_some_and(|first| first.cause() == one.cause())
    };
    let loads: Vec<String> = all.iter().map(|one| load_name(&one.level, words)).collect();
    // One that was tried shows what came of it.
    let shown = all.iter().rfind(|one| one.proved.is_some()).or(all.last())?;
    Some(LimitingCause {
        arm,
        diagnosis: shown,
        at: joined_load_names(&loads, words),
        comes_first: all.iter().any(comes_first),
    })
}

/// The arms that did all that the CPU let them do, where nothing was wrong; `None` where there are none.
fn expected(report: &Report, words: &Words) -> Option<String> {
    // Each with its own figures: what a request costs then is why one answers fewer than the other.
    let line_of = |arm: &ArmResult| {
        let last = arm.diagnoses.iter().rfind(|diagnosis| diagnosis.expected)?;
        let text = say::finding(&last.finding, words.lang);
        Some(fill(words.why_cpu_arm, &[("arm", &arm.name), ("said", &text)]))
    };
    let arms: Vec<String> = report.arms.iter().filter_map(line_of).collect();
    let all = arms.join(words.why_cpu_next);
    (!arms.is_empty()).then(|| fill(words.why_cpu, &[("arms", &all)]))
}

/// What came of the change that was tried; `None` where none was.
fn proof(diagnosis: &Diagnosis, words: &Words) -> Option<String> {
    let Estimate { value, low, high } = diagnosis.proved?;
    let with: Vec<String> = diagnosis
        .change
        .iter()
        .map(|change| format!("{} = {}", change.key, change.value))
        .collect();
    let ends = low.zip(high).map_or_else(String::new, |(low, high)| {
        format!(" [{}, {}]", times(low), times(high))
    });
    let values: [(&str, &dyn std::fmt::Display); 3] = [
        ("change", &with.join(words.separator)),
        ("times", &times(value)),
        ("ends", &ends),
    ];
    Some(fill(words.why_tried, &values))
}

/// A factor.
fn times(factor: f64) -> String {
    format!("{factor:.2}")
}

/// A value of the evidence: four digits are enough.
fn figure_text(value: f64) -> String {
    match value.abs() {
        v if v == v.trunc() && v < 1e15 => format!("{value:.0}"),
        v if v >= 100.0 => format!("{value:.0}"),
        v if v >= 0.01 => format!("{value:.3}"),
        _ => format!("{value:.2e}"),
    }
}
