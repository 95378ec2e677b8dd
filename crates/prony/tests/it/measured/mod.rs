//! What judges the figures of real servers: each test has the machine to itself. `./test --all` runs them all, `./test` a sixth.

use serde_json::Value;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;

pub(crate) mod answers;
pub(crate) mod causes;
pub(crate) mod find;
pub(crate) mod grpc;
pub(crate) mod hosts;
pub(crate) mod posts;
pub(crate) mod why;

/// How often a test measures before it fails because of what disturbs it.
const ATTEMPTS: usize = 2;
/// The share of the machine that others may use. Beyond it nothing else limits the arms: on a full CPU, more threads only share it.
const SHARE_OF_OTHERS: f64 = 0.4;

/// The variable of the environment with the file in which `./test` wants disturbed tests to be noted.
const DISTURBED: &str = "PRONY_DISTURBED";

/// Returns what a measurement has found, unless it was disturbed: then it is repeated. Nothing of ours runs beside these tests, so a
/// machine that is still busy is no reason to pass: the test fails, and names what disturbed it. Only where `./test` runs a sixth of
/// the tests on a machine that others share, this is noted and told at its end instead, and the result is `None`.
pub(crate) fn undisturbed<T>(
    measure: impl Fn() -> T,
    disturbance: impl Fn(&T) -> Option<String>,
) -> Option<T> {
    let mut told = Vec::new();
    for _ in 0..ATTEMPTS {
        let found = measure();
        let Some(why) = disturbance(&found) else {
            return Some(found);
        };
        eprintln!("disturbed: {why}");
        told.push(why);
    }
    let told = told.join("; then ");
    if let Some(file) = std::env::var_os(DISTURBED) {
        note(Path::new(&file), &told).expect("a note can be made");
        return None;
    }
    panic!("nothing can be measured on this machine: {told}\nhint: end what runs beside the tests")
}

/// Adds a line about this test to a file.
fn note(file: &Path, told: &str) -> io::Result<()> {
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    let opened = OpenOptions::new().create(true).append(true).open(file);
    opened?.write_all(format!("{test}: {told}\n").as_bytes())
}

/// Tells if other processes left too little of the machine to a run.
pub(crate) fn neighbour(report: &Value) -> Option<String> {
    let arms = report["arms"].as_array().expect("arms").iter();
    let all = arms.flat_map(|arm| arm["diagnoses"].as_array().expect("diagnoses"));
    let noisy = all.filter(|one| one["cause"] == "noisy-neighbour");
    let share = noisy.map(share_of_neighbour).fold(0.0, f64::max);
    (share > SHARE_OF_OTHERS).then(|| {
        format!(
            "other processes used {:.0} % of the machine, and may use {:.0} %",
            100.0 * share,
            100.0 * SHARE_OF_OTHERS
        )
    })
}

/// Tells if other processes left too little of the machine to a run, or if none of its starts counts.
pub(crate) fn neighbour_or_no_start(report: &Value) -> Option<String> {
    let none = || {
        let starts = report["design"]["starts"].as_u64().expect("a count");
        (starts == 0).then(|| format!("no start counts: {}", report["notes"]))
    };
    neighbour(report).or_else(none)
}

/// Returns the share of the machine that a noisy neighbour uses.
fn share_of_neighbour(diagnosis: &Value) -> f64 {
    let numbers = diagnosis["evidence"].as_array().expect("evidence").iter();
    let shares = ["cpu-of-others", "cpu-stolen"];
    let figures = numbers.filter(|number| shares.iter().any(|share| number["code"] == *share));
    figures.filter_map(|number| number["value"].as_f64()).sum()
}
