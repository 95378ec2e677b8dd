//! `report.json`: the contract that scripts and tests rely on. Sentences keep their fields and are in English; next to each are
//! its code, which never changes, and its values. A run is stored as the model's report, which has values only.

mod diagnosis;
mod step;

use crate::document::overall_sentences;
use ask::require::{Bound, Subject};
use diagnosis::DiagnosisJson;
use model::load::Load;
use model::measure::Measure;
use model::units::{Rate, Seconds, Share};
use record::answer::OverallAnswer;
use record::cpu_profile::CpuDifference;
use record::events::EventResult;
use record::finding::Cause;
use record::level_figure::LevelFigure;
use record::outcome::{self, Effective, Estimate, Report};
use record::rate_curve::RatePoint;
use record::remark::Remarks;
use record::request_time::RequestTime;
use record::search::{self, Probe, SearchResult};
use record::table_figure::TableFigure;
use say::Language;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use step::{StepComparisonJson, StepJson};

/// The report as JSON.
pub fn json(report: &Report) -> String {
    // A `Report` has string keys and finite or absent numbers only, so it always has a JSON form.
    let mut text = serde_json::to_string_pretty(&ReportJson::of(report)).unwrap_or_default();
    text.push('\n');
    text
}

/// Code and values of a reason, a note, or another value that [`say`] turns into a sentence.
#[derive(Serialize)]
pub(crate) struct Coded {
    /// The kind of value; codes are never renamed.
    pub(crate) code: String,
    /// Its numbers and names; null if it has none.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub(crate) values: Value,
}

impl Coded {
    /// The parts of a value that is stored as `{code, values}`.
    pub(crate) fn of(value: &impl Serialize) -> Self {
        let mut value = serde_json::to_value(value).unwrap_or_default();
        Self { code: value["code"].as_str().unwrap_or_default().to_owned(), values: value["values"].take() }
    }
}

/// A report with sentences, codes and values.
#[derive(Serialize)]
struct ReportJson<'a> {
    schema: u32,
    run: &'a str,
    experiment: &'a str,
    #[serde(flatten)]
    question: &'a ask::question::Question,
    seed: u64,
    fingerprint: &'a BTreeMap<String, String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    asked: &'a BTreeMap<String, String>,
    design: &'a outcome::DesignFacts,
    arms: Vec<ArmJson<'a>>,
    comparisons: Vec<ComparisonJson<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    required: Vec<RequiredJson<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    answers: Vec<AnswerJson<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ranking: Option<&'a outcome::Ranking>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    rankings: &'a [outcome::Ranking],
    #[serde(skip_serializing_if = "Option::is_none")]
    reference: Option<&'a ask::reference::Reference>,
    #[serde(skip_serializing_if = "Option::is_none")]
    calibration: Option<&'a outcome::Calibration>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    cpu_differences: &'a [CpuDifference],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    step_comparisons: Vec<StepComparisonJson<'a>>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    offers_profile: bool,
    notes: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes_coded: Vec<Coded>,
    repeat: &'a str,
}

impl<'a> ReportJson<'a> {
    fn of(report: &'a Report) -> Self {
        let Report {
            schema,
            run,
            experiment,
            question,
            seed,
            fingerprint,
            asked,
            design,
            arms,
            comparisons,
            required,
            answers: _,
            ranking,
            rankings,
            reference,
            calibration,
            cpu_differences,
            step_comparisons,
            offers_profile,
            notes,
            repeat,
        } = report;
        Self {
            schema: *schema,
            run,
            experiment,
            question,
            seed: *seed,
            fingerprint,
            asked,
            design,
            arms: arms.iter().map(ArmJson::of).collect(),
            comparisons: comparisons.iter().map(ComparisonJson::of).collect(),
            required: required.iter().map(RequiredJson::of).collect(),
            answers: overall_sentences(report, Language::En)
                .map(|(answer, says)| AnswerJson { answer, says })
                .collect(),
            ranking: ranking.as_ref(),
            rankings,
            reference: reference.as_ref(),
            calibration: calibration.as_ref(),
            cpu_differences,
            step_comparisons: step_comparisons.iter().map(StepComparisonJson::of).collect(),
            offers_profile: *offers_profile,
            notes: notes.iter().map(|note| say::text(note, Language::En)).collect(),
            notes_coded: notes.iter().map(Coded::of).collect(),
            repeat,
        }
    }
}

/// What the measures of the headline say together of an arm.
#[derive(Serialize)]
struct AnswerJson<'a> {
    #[serde(flatten)]
    answer: &'a OverallAnswer,
    /// The sentence on top of the report.
    says: String,
}

#[derive(Serialize)]
struct ArmJson<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    unseen: bool,
    effective: &'a Effective,
    levels: Vec<LevelJson<'a>>,
    startup: Option<Estimate>,
    peak_memory: Option<Estimate>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    facts: &'a BTreeMap<String, f64>,
    diagnoses: Vec<DiagnosisJson<'a>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    request_times: &'a [RequestTime],
    #[serde(skip_serializing_if = "Option::is_none")]
    found: Option<SearchResultJson<'a>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    curve: &'a [RatePoint],
}

impl<'a> ArmJson<'a> {
    fn of(arm: &'a outcome::ArmResult) -> Self {
        let outcome::ArmResult {
            name,
            unseen,
            effective,
            levels,
            startup,
            peak_memory,
            facts,
            diagnoses,
            request_times,
            found,
            curve,
        } = arm;
        Self {
            name,
            unseen: *unseen,
            effective,
            levels: levels.iter().map(LevelJson::of).collect(),
            startup: *startup,
            peak_memory: *peak_memory,
            facts,
            diagnoses: diagnoses.iter().map(DiagnosisJson::of).collect(),
            request_times,
            found: found.as_ref().map(SearchResultJson::of),
            curve,
        }
    }
}

/// Code and values of the reason why something is invalid.
#[derive(Default, Serialize)]
struct WhyInvalid {
    #[serde(skip_serializing_if = "Option::is_none")]
    why_invalid_code: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why_invalid_values: Option<Value>,
}

impl WhyInvalid {
    fn of(reason: Option<&model::reason::Reason>) -> Self {
        let (why_invalid_code, why_invalid_values) = parts(reason);
        Self { why_invalid_code, why_invalid_values }
    }
}

/// Code and values of a value that may be absent.
fn parts(value: Option<&impl Serialize>) -> (Option<String>, Option<Value>) {
    value.map_or((None, None), |value| {
        let Coded { code, values } = Coded::of(value);
        (Some(code), Some(values).filter(|values| !values.is_null()))
    })
}

#[derive(Serialize)]
struct LevelJson<'a> {
    load: &'a Load,
    valid: bool,
    why_invalid: Option<String>,
    #[serde(flatten)]
    why: WhyInvalid,
    #[serde(skip_serializing_if = "Option::is_none")]
    held_back: Option<Share>,
    measures: &'a BTreeMap<LevelFigure, Estimate>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    table: &'a BTreeMap<TableFigure, Estimate>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    not_estimable: &'a BTreeMap<LevelFigure, Seconds>,
    #[serde(skip_serializing_if = "Option::is_none")]
    worst: Option<outcome::Worst>,
    counts: &'a outcome::Counts,
    generator: &'a outcome::Generator,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    steps: Vec<StepJson<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    events: Option<&'a EventResult>,
}

impl<'a> LevelJson<'a> {
    fn of(level: &'a outcome::Level) -> Self {
        let outcome::Level {
            load,
            valid,
            why_invalid,
            held_back,
            measures,
            table,
            not_estimable,
            worst,
            counts,
            generator,
            steps,
            events,
        } = level;
        Self {
            load,
            valid: *valid,
            why_invalid: why_invalid.as_ref().map(|why| say::text(why, Language::En)),
            why: WhyInvalid::of(why_invalid.as_ref()),
            held_back: held_back.as_ref().map(|held| held.most),
            measures,
            table,
            not_estimable,
            worst: *worst,
            counts,
            generator,
            steps: steps.iter().map(StepJson::of).collect(),
            events: events.as_ref(),
        }
    }
}

/// The result of a search.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum SearchResultJson<'a> {
    Capacity(Box<CapacityJson>),
    MaxRate(MaxRateJson<'a>),
}

impl<'a> SearchResultJson<'a> {
    fn of(found: &'a SearchResult) -> Self {
        match found {
            SearchResult::Capacity(capacity) => Self::Capacity(Box::new(CapacityJson::of(capacity))),
            SearchResult::MaxRate(found) => Self::MaxRate(MaxRateJson::of(found)),
        }
    }
}

#[derive(Serialize)]
struct CapacityJson {
    most: Option<Estimate>,
    knee: Option<search::Knee>,
    curve: Option<search::Curve>,
    no_curve: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    no_curve_code: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    no_curve_values: Option<Value>,
    ended: String,
    ended_code: Option<String>,
    ended_values: Option<Value>,
    tried: u64,
    limiter: Option<Cause>,
}

impl CapacityJson {
    fn of(capacity: &search::Capacity) -> Self {
        let search::Capacity { most, knee, curve, no_curve, ended, tried, limiter } = capacity;
        let (no_curve_code, no_curve_values) = parts(no_curve.as_ref());
        let (ended_code, ended_values) = parts(Some(ended));
        Self {
            most: *most,
            knee: *knee,
            curve: *curve,
            no_curve: no_curve.as_ref().map(|why| say::text(why, Language::En)),
            no_curve_code,
            no_curve_values,
            ended: say::text(ended, Language::En),
            ended_code,
            ended_values,
            tried: *tried,
            limiter: *limiter,
        }
    }
}

#[derive(Serialize)]
struct MaxRateJson<'a> {
    objective: &'a str,
    allowed: Option<Share>,
    rate: Option<Estimate>,
    kept: Option<Rate>,
    why_none: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why_none_code: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why_none_values: Option<Value>,
    limiter: Option<Cause>,
    probes: &'a [Probe],
}

impl<'a> MaxRateJson<'a> {
    fn of(found: &'a search::MaxRate) -> Self {
        let search::MaxRate { objective, allowed, rate, kept, why_none, limiter, probes } = found;
        let (why_none_code, why_none_values) = parts(why_none.as_ref());
        Self {
            objective,
            allowed: *allowed,
            rate: *rate,
            kept: *kept,
            why_none: why_none.as_ref().map(|why| say::text(why, Language::En)),
            why_none_code,
            why_none_values,
            limiter: *limiter,
            probes,
        }
    }
}

#[derive(Serialize)]
struct ComparisonJson<'a> {
    baseline: &'a str,
    arm: &'a str,
    level: Option<&'a Load>,
    measure: Measure,
    /// With the interval that decided.
    ratio: Option<Estimate>,
    /// With the interval that holds together with those of the other measures, where another one decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    ratio_jointly: Option<Estimate>,
    margin: f64,
    verdict: outcome::Verdict,
    #[serde(skip_serializing_if = "Option::is_none")]
    gate: Option<outcome::GateVerdict>,
    starts: u32,
    per_start: &'a [f64],
    #[serde(skip_serializing_if = "Option::is_none")]
    spread: Option<outcome::StartSpread>,
    remark: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    remarks_coded: Vec<Coded>,
}

impl<'a> ComparisonJson<'a> {
    fn of(comparison: &'a outcome::Comparison) -> Self {
        let outcome::Comparison {
            baseline,
            arm,
            level,
            measure,
            ratio,
            equivalence: _,
            margin,
            verdict,
            gate,
            starts,
            per_start,
            spread,
            remarks,
        } = comparison;
        Self {
            baseline,
            arm,
            level: level.as_ref(),
            measure: *measure,
            ratio: comparison.deciding(),
            ratio_jointly: ratio.filter(|_| comparison.is_by_equivalence()),
            margin: *margin,
            verdict: *verdict,
            gate: *gate,
            starts: *starts,
            per_start,
            spread: *spread,
            remark: say::some_text(&Remarks(remarks), Language::En),
            remarks_coded: remarks.iter().map(Coded::of).collect(),
        }
    }
}

#[derive(Serialize)]
struct RequiredJson<'a> {
    arm: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    step: Option<&'a str>,
    level: Option<&'a Load>,
    measure: Subject,
    bound: Bound,
    estimate: Option<Estimate>,
    verdict: outcome::GateVerdict,
    #[serde(skip_serializing_if = "Option::is_none")]
    why_invalid: Option<String>,
    #[serde(flatten)]
    why: WhyInvalid,
}

impl<'a> RequiredJson<'a> {
    fn of(required: &'a outcome::Required) -> Self {
        let outcome::Required { arm, step, level, measure, bound, estimate, verdict, why_invalid } = required;
        Self {
            arm,
            step: step.as_deref(),
            level: level.as_ref(),
            measure: *measure,
            bound: *bound,
            estimate: *estimate,
            verdict: *verdict,
            why_invalid: why_invalid.as_ref().map(|why| say::text(why, Language::En)),
            why: WhyInvalid::of(why_invalid.as_ref()),
        }
    }
}
