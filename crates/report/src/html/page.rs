//! What the page's template fills in: texts and drawings, ready made.

use super::timeline;
use crate::found;
use crate::plot::{self, Plot, Plots};
use crate::reasons::{self, Reason};
use crate::reference;
use crate::required;
use crate::rows::{self, Row};
use crate::settings;
use crate::words::{self, Lang, Words, fill};
use crate::{load, web};
use model::outcome::{ArmResult, Report};
use model::series::Series;
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Serialize)]
pub(super) struct Page {
    lang: &'static str,
    policy: String,
    styles: [&'static str; 3],
    scripts: [&'static str; 3],
    words: BTreeMap<&'static str, &'static str>,
    question: String,
    circumstances: String,
    sure: Option<String>,
    interrupted: Option<&'static str>,
    single: Option<String>,
    answers: Vec<Answer>,
    required: Vec<[String; 4]>,
    tables: Vec<Table>,
    legend: String,
    standing: Vec<String>,
    found: Vec<String>,
    drawn: Drawn,
    diagnoses: Vec<Limit>,
    expected: Option<String>,
    notes: Vec<String>,
    reference: Option<Beside>,
    arms: Vec<String>,
    asked: BTreeMap<String, String>,
    settings: Vec<settings::Row>,
    facts: Vec<settings::Row>,
    counts: Vec<[String; 6]>,
    data: Option<String>,
    each: Option<String>,
    how: [&'static str; 9],
    fingerprint: BTreeMap<String, String>,
    repeat: String,
    run: String,
    seed: String,
    made_by: String,
}

/// A row of the headline as a sentence.
#[derive(Serialize)]
struct Answer {
    verdict: &'static str,
    mark: char,
    text: String,
    remark: Option<String>,
}

/// One arm against the baseline.
#[derive(Serialize)]
struct Table {
    arm: String,
    baseline: String,
    parts: Vec<Part>,
    remarks: Vec<String>,
}

/// Its rows at one level.
#[derive(Serialize)]
struct Part {
    at: Option<String>,
    rows: Vec<Cells>,
}

#[derive(Serialize)]
struct Cells {
    title: String,
    baseline: String,
    arm: String,
    difference: String,
    verdict: &'static str,
    mark: char,
    said: String,
}

/// Plots as SVG.
#[derive(Serialize)]
struct Drawn {
    forest: Option<String>,
    percentiles: Vec<String>,
    loads: Vec<String>,
    starts: Vec<String>,
    /// How many of the starts' plots are of the headline.
    first: usize,
    whole: Option<String>,
}

/// A diagnosis.
#[derive(Serialize)]
struct Limit {
    arm: String,
    at: String,
    also: &'static str,
    cause: String,
    says: String,
    evidence: Vec<(String, String)>,
    advice: String,
    proof: Option<String>,
}

/// What somebody else measured.
#[derive(Serialize)]
struct Beside {
    heading: String,
    lines: Vec<[String; 5]>,
}

pub(super) fn of(report: &Report, series: &Series, lang: Lang) -> Page {
    let words = words::of(lang);
    let single = report.comparisons.is_empty();
    let (styles, scripts) = (web::STYLES, web::SCRIPTS);
    let version = report.fingerprint.get("prony").map_or("", String::as_str);
    let each = series.timeline.each;
    Page {
        lang: lang.tag(),
        policy: super::policy(),
        styles,
        scripts,
        words: words.all().into_iter().collect(),
        question: words.question(&report.question).to_owned(),
        circumstances: rows::circumstances(report, words),
        sure: rows::sure(report, words),
        interrupted: report.design.interrupted.then(|| interrupted(report, words)),
        single: single.then(|| load::text(report, words)),
        answers: rows::heads(report, words)
            .iter()
            .map(|alike| answer(alike, words))
            .collect(),
        required: required(report, words),
        tables: rows::judged(report)
            .map(|arm| table(report, arm, words))
            .collect(),
        legend: rows::legend(report, words),
        standing: rows::standing(report, words),
        found: found::lines(report, words),
        drawn: drawn(report, series, lang),
        diagnoses: limits(report, words),
        expected: reasons::expected(report, words),
        notes: report.notes.iter().map(|note| words.sentence(note)).collect(),
        reference: beside(report, words),
        arms: report.arms.iter().map(|arm| arm.name.clone()).collect(),
        asked: report.asked.clone(),
        settings: settings::effective(report, words),
        facts: settings::facts(report),
        counts: settings::counts(report, words),
        data: timeline::data(report, series, words),
        each: (each > 1).then(|| fill(words.page_timeline_each, &[("each", &each)])),
        how: words.how(),
        fingerprint: report.fingerprint.clone(),
        repeat: report.repeat.clone(),
        run: report.run.clone(),
        seed: fill(words.page_seed, &[("seed", &report.seed)]),
        made_by: fill(words.page_made_by, &[("version", &version)]),
    }
}

/// What a run that was ended before its time still says.
fn interrupted(report: &Report, words: &Words) -> &'static str {
    // A single load has its figures and no verdict either way.
    match rows::has_interval(report) || report.comparisons.is_empty() {
        true => words.page_interrupted,
        false => words.page_interrupted_early,
    }
}

/// Arm, what was required of it, what was found, the verdict.
fn required(report: &Report, words: &'static Words) -> Vec<[String; 4]> {
    let cells = |line: required::Line<'_>| {
        let arm = line.required.arm.clone();
        [arm, line.asks, line.found, line.word.to_owned()]
    };
    required::lines(report, words).map(cells).collect()
}

fn answer(alike: &[Row<'_>], words: &Words) -> Answer {
    let head = &alike[0];
    // Those of several loads stand with their tables.
    let remark = head.comparison.remark.as_ref().filter(|_| alike.len() == 1);
    Answer {
        verdict: head.comparison.verdict.word(),
        mark: plot::mark(head.comparison.verdict),
        text: rows::answer(alike, words),
        remark: remark.map(|remark| words.sentence(remark)),
    }
}

fn table(report: &Report, arm: &ArmResult, words: &Words) -> Table {
    let rows = rows::rows(report, &arm.name, words);
    let cells = |row: &Row<'_>| Cells {
        title: row.title.clone(),
        baseline: row.baseline.clone(),
        arm: row.arm.clone(),
        difference: row.difference.clone(),
        verdict: row.comparison.verdict.word(),
        mark: plot::mark(row.comparison.verdict),
        said: row.said.clone(),
    };
    let part = |(at, rows): (Option<&str>, &[Row<'_>])| Part {
        at: at.map(str::to_owned),
        rows: rows.iter().map(cells).collect(),
    };
    Table {
        arm: arm.name.clone(),
        baseline: report.design.baseline.clone(),
        parts: rows::by_level(&rows).map(part).collect(),
        remarks: rows::remarks(&rows, words),
    }
}

fn drawn(report: &Report, series: &Series, lang: Lang) -> Drawn {
    let inline = |plots: &[Plot]| plots.iter().map(Plot::inline).collect();
    let of_headline = series.starts.iter();
    let of_headline = of_headline.filter(|starts| starts.measure.id() == report.design.headline);
    let first = of_headline.count();
    if report.comparisons.is_empty() {
        return Drawn {
            forest: None,
            percentiles: inline(&plot::all(report, series, lang)),
            loads: Vec::new(),
            starts: Vec::new(),
            first,
            whole: None,
        };
    }
    let plots = Plots::of(report, series, lang);
    Drawn {
        forest: Some(plot::verdict_within(report, lang).inline()),
        percentiles: inline(&plots.percentiles),
        loads: inline(&plots.loads),
        starts: inline(&plots.starts),
        first,
        whole: plots.whole.as_ref().map(Plot::inline),
    }
}

fn limits(report: &Report, words: &Words) -> Vec<Limit> {
    let limit = |reason: Reason<'_>| Limit {
        arm: reason.arm.name.clone(),
        at: reason.at,
        also: if reason.limits { "" } else { words.why_also },
        cause: reason.diagnosis.cause.clone(),
        says: words.sentence(&reason.diagnosis.says),
        evidence: reason
            .diagnosis
            .evidence
            .iter()
            .map(|evidence| (words.sentence(&evidence.what), reasons::value(evidence.value)))
            .collect(),
        advice: words.sentence(&reason.diagnosis.r#try),
        proof: reasons::proof(reason.diagnosis, words),
    };
    reasons::reasons(report, words).into_iter().map(limit).collect()
}

fn beside(report: &Report, words: &Words) -> Option<Beside> {
    let reference = report.reference.as_ref()?;
    let line = |line: reference::Line| {
        let level = line.level.map_or_else(String::new, |level| level.to_string());
        let here = line.here.unwrap_or_else(|| "–".to_owned());
        [line.arm, level, line.what, line.there, here]
    };
    let lines = reference::lines(report, reference, words);
    Some(Beside {
        heading: reference::heading(reference, words),
        lines: lines.into_iter().map(line).collect(),
    })
}
