//! The words of values of each kind, in both languages.

pub(crate) mod assertions;

use crate::finding::{Compiling, Finding, Quantity, Remedy};
use crate::note::{ArmNote, Note, RunNote};
use crate::outcome::{Diagnosis, RateOrigin};
use crate::remark::Remark;
use crate::search::{CapacityEnd, NoCurve};
use crate::step::Step;
use model::load::Load;
use model::reason::Reason;
use model::units::Share;
use say::{Language, Say, text};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Write as _;
use traffic::load_note::LoadNote;
use traffic::scenario::StepFailure;

const REASONS: &str = include_str!("words/examples/reasons.jsonl");
const REMARKS: &str = include_str!("words/examples/remarks.jsonl");
const NOTES: &str = include_str!("words/examples/notes.jsonl");
const STEPS: &str = include_str!("words/examples/steps.jsonl");
const FAILURES: &str = include_str!("words/examples/failures.jsonl");
const ENDS: &str = include_str!("words/examples/ends.jsonl");
const NO_CURVES: &str = include_str!("words/examples/no-curves.jsonl");
const RATE_ORIGINS: &str = include_str!("words/examples/rate-origins.jsonl");

/// A value as it is stored, in one line of JSON, which is written back as it was read.
fn stored<T: DeserializeOwned + Serialize>(line: &str) -> T {
    let value: T = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    let json: serde_json::Value = serde_json::from_str(line).expect("JSON");
    assert_eq!(serde_json::to_value(&value).expect("JSON"), json);
    value
}

/// What `said` makes of stored values in both languages.
fn words_of<T: DeserializeOwned + Serialize>(lines: &str, said: fn(&T, Language) -> String) -> String {
    let mut out = String::new();
    for value in lines.lines().map(stored::<T>) {
        let [en, zh] = [Language::En, Language::Zh].map(|language| said(&value, language));
        writeln!(out, "{en}\n{zh}\n").expect("a string");
    }
    out
}

fn words<T: DeserializeOwned + Serialize + Say>(lines: &str) -> String {
    words_of::<T>(lines, text)
}

/// The codes of all variants of a type. serde lists the codes when it meets an unknown one.
pub(crate) fn codes<T: DeserializeOwned>(unknown: &str) -> Vec<String> {
    let error = serde_json::from_str::<T>(unknown).err().expect("an error").to_string();
    error.split('`').skip(3).step_by(2).map(str::to_owned).collect()
}

#[test]
fn every_kind_of_value_is_among_the_examples() {
    let tagged = r#"{"code":"?"}"#;
    for (codes, examples) in [
        (codes::<Reason>(tagged), REASONS),
        (codes::<Remark>(tagged), REMARKS),
        (codes::<RunNote>(tagged), NOTES),
        (codes::<ArmNote>(tagged), NOTES),
        (codes::<LoadNote>(tagged), NOTES),
        (codes::<Step>(tagged), STEPS),
        (codes::<StepFailure>(r#""?""#), FAILURES),
        (codes::<CapacityEnd>(tagged), ENDS),
        (codes::<NoCurve>(tagged), NO_CURVES),
        (codes::<RateOrigin>(tagged), RATE_ORIGINS),
    ] {
        assert!(codes.len() > 2, "{codes:?}");
        for code in codes {
            assert!(examples.contains(&format!("\"{code}\"")), "{code}");
        }
    }
}

#[test]
fn reasons_have_words() {
    insta::assert_snapshot!(words::<Reason>(REASONS));
}

#[test]
fn remarks_have_words() {
    let effort = |remark: &Remark, language| text(&remark.effort(), language);
    insta::assert_snapshot!(words::<Remark>(REMARKS));
    insta::assert_snapshot!("efforts", words_of(REMARKS, effort));
}

#[test]
fn notes_have_words() {
    insta::assert_snapshot!(words::<Note>(NOTES));
}

#[test]
fn steps_have_words() {
    insta::assert_snapshot!(words::<Step>(STEPS));
    insta::assert_snapshot!("failures", words::<StepFailure>(FAILURES));
}

#[test]
fn searches_have_words() {
    insta::assert_snapshot!("ends", words::<CapacityEnd>(ENDS));
    insta::assert_snapshot!("no_curves", words::<NoCurve>(NO_CURVES));
    insta::assert_snapshot!("rate_origins", words::<RateOrigin>(RATE_ORIGINS));
}

#[test]
fn quantities_have_names() {
    let group = Quantity::GroupCpuPerRequest("workers".to_owned());
    let all: Vec<String> =
        Quantity::ALL.iter().chain([&group]).map(|one| serde_json::to_string(one).expect("JSON")).collect();
    insta::assert_snapshot!(words::<Quantity>(&all.join("\n")));
}

#[test]
fn a_diagnosis_says_how_much_it_explains() {
    let finding = Finding::JitWarmingUp(Compiling { share: Share(0.38) });
    let diagnosis = Diagnosis {
        finding: finding.clone(),
        level: Load::default(),
        explains: Some(Share(0.38)),
        evidence: Vec::new(),
        remedy: Remedy::WarmUpLonger,
        change: Vec::new(),
        proved: None,
        expected: false,
        by_metrics: false,
    };
    assert!(text(&diagnosis, Language::En).ends_with("warming up (explains 38 %)"));
    assert!(text(&diagnosis, Language::Zh).ends_with("预热（可解释 38 %）"));
    let told = Diagnosis { by_metrics: true, ..diagnosis.clone() };
    assert!(text(&told, Language::En).starts_with("by its metrics, compilers use 38 %"));
    assert!(text(&told, Language::Zh).starts_with("据其指标，"));
    let expected = Diagnosis { expected: true, ..diagnosis.clone() };
    let stored = Diagnosis { explains: None, ..diagnosis };
    for silent in [expected, stored] {
        assert_eq!(text(&silent, Language::En), text(&finding, Language::En));
    }
}
