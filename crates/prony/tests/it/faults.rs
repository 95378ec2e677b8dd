//! The faults that prony has to name (experiments/calibration): there is a file for every cause, and what they inject bites.

use crate::home::Home;
use crate::real::alone;
use model::experiment::{Experiment, Profile};
use model::finding::Cause;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// Every cause that can be injected, by its id.
fn causes() -> Vec<&'static str> {
    let causes = Cause::ALL.iter().filter(|cause| **cause != Cause::LimitNotFound);
    let mut ids: Vec<&str> = causes.map(|cause| cause.id()).collect();
    ids.sort_unstable();
    ids
}

fn calibration() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments/calibration")
}

/// The files of a folder by name, with their text.
fn files(folder: &str) -> Vec<(String, String)> {
    let entries = fs::read_dir(calibration().join(folder)).expect("files").flatten();
    let mut files: Vec<(String, String)> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "toml"))
        .map(|path| {
            let name = path
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            (name, fs::read_to_string(&path).expect("a file"))
        })
        .collect();
    files.sort();
    files
}

/// Reads both profiles and gives the quick one, which is to take a minute at most.
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
fn every_cause_has_a_file_that_says_which_arm_shows_it() {
    let files = files("faults");
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, causes());
    for file in &files {
        let experiment = quick(file);
        let expected = file.1.lines().filter_map(|line| line.strip_prefix("# expect: "));
        let expected: Vec<(&str, &str)> = expected.filter_map(|line| line.split_once(' ')).collect();
        assert!(!expected.is_empty(), "{}", file.0);
        for (arm, cause) in expected {
            assert!(
                experiment.arms.iter().any(|there| there.name == arm),
                "{}: {arm}",
                file.0
            );
            assert_eq!(cause, file.0);
        }
    }
}

#[test]
fn fourteen_servers_are_there_that_nothing_is_wrong_with() {
    let servers: usize = files("healthy").iter().map(|file| quick(file).arms.len()).sum();
    assert_eq!(servers, 14);
}

/// The report of one start of a file's quick profile, which is told of with all that went wrong; `None` where the servers
/// can have no network of their own.
pub(crate) fn one_start(home: &Home, file: &Path) -> Option<Value> {
    let file = file.to_str().expect("UTF-8");
    let ended = home.run(&["run", file, "--quick", "--budget", "1s", "--json"]);
    if ended.stderr.contains("cannot be put behind a link here") {
        eprintln!("skipped: {}", ended.stderr);
        return None;
    }
    assert!(
        matches!(ended.code, Some(0 | 7)),
        "{:?}\n{}",
        ended.code,
        ended.stderr
    );
    Some(serde_json::from_str(&ended.stdout).expect("report.json"))
}

/// Of 150 users 100 get a connection, over a link in a network of their own; the others are the load's own failure, so the
/// start does not count.
#[test]
fn a_load_without_ports_says_so_and_leaves_nothing_behind() {
    let _alone = alone();
    let home = Home::with_downloads();
    let Some(report) = one_start(
        &home,
        &calibration().join("faults/ephemeral-ports-exhausted.toml"),
    ) else {
        return;
    };
    // The note on the start may name other noise first; its slices are kept in any case.
    let slices = home.run(&["report", "--format", "jsonl"]).stdout;
    assert!(slices.contains("\"ports_exhausted\""), "{}", report["notes"]);
    for arm in report["arms"].as_array().expect("arms") {
        assert_eq!(arm["effective"]["accept_count"], 100, "read where the server is");
    }
    assert_eq!((home.servers(), home.work_folders().len()), (Vec::new(), 0));
}
