//! What the measured tests do on a machine that others use, with made-up reports.

use crate::measured::{neighbour_or_no_start, undisturbed};
use serde_json::{Value, json};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A report whose only arm shares the machine with a neighbour.
fn beside_others(share: f64, starts: u64) -> Value {
    let evidence = json!([{ "code": "cpu-of-others", "value": share }]);
    json!({
        "arms": [{ "diagnoses": [{ "cause": "noisy-neighbour", "evidence": evidence }] }],
        "design": { "starts": starts },
        "notes": ["start 1 did not count"],
    })
}

/// Measures beside neighbours with these shares. Returns the report or why there is none, and how often was measured.
fn measured(shares: &[f64]) -> (Result<Value, String>, usize) {
    let attempts = Cell::new(0);
    let measure = || beside_others(shares[attempts.replace(attempts.get() + 1)], 1);
    let ended = catch_unwind(AssertUnwindSafe(|| undisturbed(measure, neighbour_or_no_start)));
    let ended = ended.map_err(|why| *why.downcast::<String>().expect("a text"));
    let ended = ended.map(|found| found.expect("no file for notes is set"));
    (ended, attempts.get())
}

#[test]
fn what_was_disturbed_is_measured_once_more_and_then_fails() {
    assert_eq!(measured(&[0.3]), (Ok(beside_others(0.3, 1)), 1));
    assert_eq!(measured(&[0.5, 0.1]), (Ok(beside_others(0.1, 1)), 2));
    let (failed, attempts) = measured(&[0.5, 0.72]);
    let why = failed.expect_err("it was disturbed twice");
    let told = why.contains("used 50 % of the machine") && why.contains("used 72 % of the machine");
    assert!(told && attempts == 2, "{why}");
}

#[test]
fn a_run_without_a_start_that_counts_was_disturbed() {
    let why = neighbour_or_no_start(&beside_others(0.1, 0));
    assert_eq!(why.as_deref(), Some("no start counts: [\"start 1 did not count\"]"));
}
