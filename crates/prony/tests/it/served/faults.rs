//! The experiments that inject faults (experiments/calibration/faults): there is a file for every cause, and a fault has its effect.

use crate::home::Home;
use ask::experiment::{Experiment, Profile};
use record::finding::Cause;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Returns the ids of all causes that can be injected.
fn causes() -> Vec<&'static str> {
    let causes = Cause::ALL.iter().filter(|cause| **cause != Cause::LimitNotFound);
    let mut ids: Vec<&str> = causes.map(|cause| cause.id()).collect();
    ids.sort_unstable();
    ids
}

fn calibration() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments/calibration")
}

/// The cause that a file of this name injects: `lock-contention--writer` is a second file for `lock-contention`.
fn injected(name: &str) -> &str {
    name.split("--").next().unwrap_or(name)
}

/// Returns the files of a folder, by name, with their text.
fn files(folder: &str) -> Vec<(String, String)> {
    let entries = fs::read_dir(calibration().join(folder)).expect("files").flatten();
    let mut files: Vec<(String, String)> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "toml"))
        .map(|path| {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            (name, fs::read_to_string(&path).expect("a file"))
        })
        .collect();
    files.sort();
    files
}

/// The causes that are expected first by the cases that others wrote.
fn wild_causes() -> Vec<String> {
    let cases = fs::read_to_string(calibration().join("wild/open.txt")).expect("cases");
    let first = |line: &str| {
        let (_arm, causes) = line.strip_prefix("# expect: ")?.split_once(' ')?;
        causes.split('|').next().map(str::to_owned)
    };
    cases.lines().filter_map(first).collect()
}

/// Parses both profiles and returns the quick one, which may take a minute at most.
fn quick((name, text): &(String, String)) -> Experiment {
    let known = lab::Bench::known();
    let read = |profile| {
        Experiment::parse_as(text, name, &known, profile)
            .unwrap_or_else(|problem| panic!("{name}: {problem:?}"))
    };
    read(Profile::Full);
    let quick = read(Profile::Quick);
    let budget = quick.design.budget.expect("a budget").as_secs_f64();
    assert!(budget <= 60.0, "{name}: {budget} s");
    quick
}

#[test]
fn every_cause_has_a_file_that_tells_which_arm_shows_it() {
    let files = files("faults");
    let of_others = wild_causes();
    let names = files.iter().map(|(name, _)| injected(name));
    let all: BTreeSet<&str> = names.chain(of_others.iter().map(String::as_str)).collect();
    assert_eq!(all.into_iter().collect::<Vec<_>>(), causes());
    for file in &files {
        let experiment = quick(file);
        let expected = file.1.lines().filter_map(|line| line.strip_prefix("# expect: "));
        let expected: Vec<(&str, &str)> = expected.filter_map(|line| line.split_once(' ')).collect();
        assert!(!expected.is_empty(), "{}", file.0);
        for (arm, cause) in expected {
            assert!(experiment.arms.iter().any(|there| there.name == arm), "{}: {arm}", file.0);
            // The first one is injected; others say the same in another way.
            assert_eq!(cause.split('|').next(), Some(injected(&file.0)));
        }
    }
}

#[test]
fn there_are_fourteen_healthy_servers() {
    let servers: usize = files("healthy").iter().map(|file| quick(file).arms.len()).sum();
    assert_eq!(servers, 14);
}

/// Runs one start of a file's quick profile and returns the report. If the test fails, all errors are printed. `None` if this
/// machine cannot give the servers a network of their own.
pub(crate) fn one_start(home: &Home, file: &Path) -> Option<Value> {
    let file = file.to_str().expect("UTF-8");
    let ended = home.run(&["run", file, "--quick", "--budget", "1s", "--json"]);
    if ended.stderr.contains("cannot be put behind a link here") {
        eprintln!("skipped: {}", ended.stderr);
        return None;
    }
    assert!(matches!(ended.code, Some(0 | 7)), "{:?}\n{}", ended.code, ended.stderr);
    Some(serde_json::from_str(&ended.stdout).expect("report.json"))
}

/// 100 of 150 users get a connection, over a link in a separate network. The load fails for the other users, so the
/// start does not count. Nobody looks into the servers, because only slices tell of the ports.
#[test]
fn a_load_that_runs_out_of_ports_is_seen_and_leaves_nothing_behind() {
    let home = Home::with_downloads();
    let injected = calibration().join("faults/ephemeral-ports-exhausted.toml");
    let injected = fs::read_to_string(injected).expect("a file");
    let file = home.file("ports.toml", &format!("explain = \"off\"\n{injected}"));
    let Some(report) = one_start(&home, Path::new(&file)) else {
        return;
    };
    // The note on the start may name other noise first, but its slices are always stored.
    let slices = home.run(&["report", "--format", "jsonl"]).stdout;
    assert!(slices.contains("\"ports_exhausted\""), "{}", report["notes"]);
    for arm in report["arms"].as_array().expect("arms") {
        assert_eq!(arm["effective"]["accept_count"], 100, "read where the server is");
    }
    assert_eq!((home.servers(), home.work_folders().len()), (Vec::new(), 0));
}
