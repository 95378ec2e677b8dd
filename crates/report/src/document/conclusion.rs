//! What limits an arm that ran alone, in one paragraph: what it does under the most users, how many of them are enough for that,
//! the limit, what to do about it, and what a trial of that brought.

use super::{Content, ContentBlock, SectionInput};
use crate::loads::load_name;
use crate::units;
use crate::words::{Words, fill};
use model::load::Load;
use model::measure::Measure;
use model::reason::Reason;
use record::level_figure::LevelFigure;
use record::outcome::{ArmResult, Diagnosis, Level, Report};
use record::search::{Capacity, CapacityEnd, SearchResult};
use say::Language;
use std::fmt::Display;

pub(super) const ID: &str = "conclusion";

/// Share of the most users up to which a knee says that fewer users are enough.
const FEWER: f64 = 0.9;

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let report = source.report;
    let [arm] = report.arms.as_slice() else {
        return None;
    };
    let paragraph = ContentBlock::paragraph(paragraph(report, arm, source.words));
    let blocks = report.is_of_one_arm().then_some(paragraph);
    Content::unless_empty("", blocks.into_iter().collect())
}

fn paragraph(report: &Report, arm: &ArmResult, words: &Words) -> String {
    let load = arm.highest_load();
    let figures = load.map(|load| figures(report, arm, load, words));
    let knee = capacity(arm).and_then(|found| knee(found, load?, words));
    let sentences = figures.into_iter().chain(knee).chain(limit(arm, words));
    let between = match words.lang {
        Language::En => " ",
        Language::Zh => "",
    };
    sentences.collect::<Vec<_>>().join(between)
}

fn capacity(arm: &ArmResult) -> Option<&Capacity> {
    match arm.found.as_ref()? {
        SearchResult::Capacity(found) => Some(found),
        SearchResult::MaxRate(_) => None,
    }
}

/// What the arm does under the load, or why that was not measured.
fn figures(report: &Report, arm: &ArmResult, load: &Load, words: &Words) -> String {
    let level = arm.levels.iter().find(|level| level.load == *load);
    let measured = level.and_then(|level| rate_and_time(report, level, arm, words));
    measured.unwrap_or_else(|| {
        let why = match level {
            Some(level) => level.why_invalid.as_ref(),
            // The search ended at a load that is not among its steps.
            None => capacity(arm).and_then(|found| why_ended(&found.ended)),
        };
        let why = why.map_or_else(|| words.ci_no_start.to_owned(), |why| say::text(why, words.lang));
        let values: [(&str, &dyn Display); 3] =
            [("load", &load_name(load, words)), ("arm", &arm.name), ("why", &why)];
        fill(words.conclusion_not_measured, &values)
    })
}

/// Throughput and median time at a valid load.
fn rate_and_time(report: &Report, level: &Level, arm: &ArmResult, words: &Words) -> Option<String> {
    let rate = level.value(Measure::Throughput).filter(|_| level.valid)?;
    let p50 = level.value(LevelFigure::SERVICE_P50).or_else(|| level.value(Measure::ResponseP50))?;
    let values: [(&str, &dyn Display); 4] = [
        ("load", &load_name(&level.load, words)),
        ("arm", &arm.name),
        ("rate", &units::value_in(report, Measure::Throughput, rate, words)),
        ("p50", &units::seconds(p50)),
    ];
    Some(fill(words.conclusion_rate, &values))
}

const fn why_ended(ended: &CapacityEnd) -> Option<&Reason> {
    match ended {
        CapacityEnd::Generator { reason, .. } | CapacityEnd::Errors { reason, .. } => Some(reason),
        CapacityEnd::Flat { .. } | CapacityEnd::AllTried { .. } | CapacityEnd::Legacy(_) => None,
    }
}

/// How many users are enough for the throughput, where a search has shown that.
fn knee(found: &Capacity, load: &Load, words: &Words) -> Option<String> {
    found.most.as_ref()?;
    let most = load.users? as f64;
    let knee = found.knee.map(|knee| knee.users.value.ceil());
    Some(match knee.filter(|knee| *knee < FEWER * most) {
        Some(knee) => fill(words.conclusion_knee, &[("knee", &knee)]),
        None => words.conclusion_growing.to_owned(),
    })
}

/// The limit at the highest load, what to do about it, and what else was found there.
fn limit(arm: &ArmResult, words: &Words) -> Vec<String> {
    let mut found = arm.diagnoses_at_highest_load();
    let Some(first) = found.next() else {
        return vec![words.conclusion_no_limit.to_owned()];
    };
    let says = say::text(&first.finding, words.lang);
    let cause = first.cause().id();
    let template = match first.expected {
        true => words.conclusion_expected,
        false => words.conclusion_limit,
    };
    let limit = fill(template, &[("cause", &cause), ("says", &says)]);
    let change = (!first.expected && !first.is_refuted()).then(|| {
        let change = say::text(&first.remedy, words.lang);
        fill(words.conclusion_try, &[("change", &change)])
    });
    let others: Vec<&str> = found.map(|other| other.cause().id()).collect();
    let also = (!others.is_empty()).then(|| {
        let causes = others.join(words.separator);
        fill(words.conclusion_also, &[("causes", &causes)])
    });
    let sentences = [Some(limit), change, trial(first, words), also];
    sentences.into_iter().flatten().collect()
}

/// What a trial of the change has brought; `None` without a trial.
fn trial(diagnosis: &Diagnosis, words: &Words) -> Option<String> {
    let [times, ends] = diagnosis.proved?.as_factor();
    let template = match diagnosis.is_refuted() {
        true => words.conclusion_in_vain,
        false => words.conclusion_tried,
    };
    let change = diagnosis.change.iter();
    let change: Vec<String> = change.map(|change| format!("{} = {}", change.key, change.value)).collect();
    let values: [(&str, &dyn Display); 3] =
        [("change", &change.join(words.separator)), ("times", &times), ("ends", &ends)];
    Some(fill(template, &values))
}
