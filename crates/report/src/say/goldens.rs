//! The words of one value of each kind, in both languages.

use super::{capacity_end, effort, no_curve, note, quantity, rate_origin, step, step_failure, text};
use crate::words::Lang;
use model::finding::Quantity;
use model::reason::Reason;
use model::remark::Remark;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::{Debug, Write as _};

/// The words of values that are written as JSON, one in a line, each of which is written back as it was read.
fn words<T>(examples: &str, say: fn(&T, Lang) -> String) -> String
where
    T: DeserializeOwned + Serialize + Debug,
{
    let mut out = String::new();
    for line in examples.lines() {
        let json: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let value: T = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert_eq!(serde_json::to_value(&value).expect("JSON"), json);
        writeln!(out, "{}\n{}\n", say(&value, Lang::En), say(&value, Lang::Zh)).expect("a string");
    }
    out
}

#[test]
fn reasons_have_words() {
    insta::assert_snapshot!(words(include_str!("examples/reasons.jsonl"), text::<Reason>));
}

#[test]
fn remarks_have_words() {
    let examples = include_str!("examples/remarks.jsonl");
    let short = |remark: &_, lang| effort(std::slice::from_ref(remark), lang).unwrap_or_default();
    insta::assert_snapshot!(words(examples, text::<Remark>));
    insta::assert_snapshot!("efforts", words(examples, short));
}

#[test]
fn notes_have_words() {
    insta::assert_snapshot!(words(include_str!("examples/notes.jsonl"), note));
}

#[test]
fn steps_have_words() {
    insta::assert_snapshot!(words(include_str!("examples/steps.jsonl"), step));
    insta::assert_snapshot!("failures", words(include_str!("examples/failures.jsonl"), step_failure));
}

#[test]
fn searches_have_words() {
    insta::assert_snapshot!("ends", words(include_str!("examples/ends.jsonl"), capacity_end));
    insta::assert_snapshot!("no_curves", words(include_str!("examples/no-curves.jsonl"), no_curve));
    insta::assert_snapshot!("rate_origins", words(include_str!("examples/rate-origins.jsonl"), rate_origin));
}

#[test]
fn quantities_have_names() {
    let group = Quantity::GroupCpuPerRequest("workers".to_owned());
    let all: Vec<String> =
        Quantity::ALL.iter().chain([&group]).map(|one| serde_json::to_string(one).expect("JSON")).collect();
    insta::assert_snapshot!(words(&all.join("\n"), quantity));
}
