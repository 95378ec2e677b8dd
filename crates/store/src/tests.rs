//! The store as its users see it.

use super::*;
use model::outcome::{DesignFacts, SCHEMA};

fn report(run: &str) -> Report {
    let design = DesignFacts {
        baseline: "a".into(),
        headline: "throughput".into(),
        alpha: 0.01,
        starts_cap: Some(12),
        gate: None,
        starts: 5,
        starts_void: 0,
        pairs: 8,
        slice: 0.5,
        elapsed: 100.0,
        interrupted: false,
    };
    Report {
        schema: SCHEMA,
        run: run.into(),
        experiment: "e".into(),
        question: "?".into(),
        seed: 1,
        fingerprint: Default::default(),
        design,
        arms: Vec::new(),
        comparisons: Vec::new(),
        ranking: None,
        calibration: None,
        notes: Vec::new(),
        repeat: String::new(),
    }
}

fn slice() -> SliceRecord {
    SliceRecord {
        round: 1,
        against: 1,
        rate: Some(4100.0),
        seed: u64::MAX,
        started_ns: 1,
        elapsed_ns: 500_000_000,
        cpu_ns_arm: 1,
        cpu_ns_generator: 1,
        gc_ms: Some(0.7),
        in_flight: 0.1 + 0.2,
        service_sum: 1.0,
        longest_ns: vec![5, 6],
        why_invalid: Some("generator-saturated: …".to_owned()),
        response: vec![1, 2, 3],
        service: vec![4],
        ..SliceRecord::default()
    }
}

#[test]
fn what_was_stored_is_read_back_to_the_bit() {
    let folder = tempfile::tempdir().expect("a folder");
    {
        let store = Store::open(folder.path()).expect("a new store");
        store.begin("2026-a", "e", "arms = []").expect("begin");
        store.slice("2026-a", &slice()).expect("slice");
        assert_eq!(store.find("2026").expect("find").expect("a run").report, None);
        store.finish(&report("2026-a")).expect("finish");
    }
    let store = Store::open(folder.path()).expect("the same store");
    let found = store.find("latest").expect("find").expect("a run");
    assert_eq!(found.report, Some(report("2026-a")));
    assert_eq!(store.slices("2026-a").expect("slices"), [slice()]);
    assert_eq!(
        store.source("2026-a").expect("source").as_deref(),
        Some("arms = []")
    );
}

#[test]
fn a_prefix_must_fit_one_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(folder.path()).expect("a new store");
    for run in ["2026-a", "2026-b"] {
        store.begin(run, "e", "").expect("begin");
    }
    assert!(matches!(store.find("2026"), Err(Error::Ambiguous { .. })));
    assert_eq!(store.find("2026-b").expect("find").expect("a run").run, "2026-b");
    assert_eq!(store.find("1999").expect("find"), None);
    assert_eq!(store.find("%").expect("find"), None);
    assert_eq!(store.runs(Some("other"), 9).expect("list"), []);
}

#[test]
fn a_newer_or_broken_file_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(folder.path()).expect("a new store");
    store
        .sql("test", |c| c.pragma_update(None, "user_version", 99))
        .expect("to age it");
    drop(store);
    assert!(matches!(
        Store::open(folder.path()),
        Err(Error::Newer { found: 99, .. })
    ));
    std::fs::write(
        folder.path().join("history.sqlite"),
        "not a database, but long enough to be read as one",
    )
    .ok();
    std::fs::remove_file(folder.path().join("history.sqlite-wal")).ok();
    assert!(matches!(Store::open(folder.path()), Err(Error::Sql { .. })));
}
