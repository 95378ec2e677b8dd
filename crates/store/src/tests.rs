//! Tests of the store through its public interface.

use super::*;
use ask::available::Available;
use ask::experiment::{Experiment, Headline};
use model::measure::Measure;
use model::reason::{GeneratorLimit, Reason};
use model::units::{Rate, Seconds, Share};
use record::histogram::SparseHistogram;
use record::inspection::{CpuStack, Inspection, StackSeen, ThreadSamples};
use record::outcome::{DesignFacts, SCHEMA, Verdict};
use record::rounds::LevelRecord;
use record::telemetry::{GroupTotals, Mark, Reading, ServerReading};
use traffic::scenario::Program;

fn report(run: &str) -> Report {
    let design = DesignFacts {
        baseline: "a".into(),
        headline: Some(Headline::One(Measure::Throughput)),
        headline_measures: Vec::new(),
        alpha: 0.01,
        starts_cap: Some(12),
        gate: None,
        starts: 5,
        starts_void: 0,
        pairs: 8,
        stage_pairs: None,
        slice: Seconds(0.5),
        rate: None,
        profile: None,
        seconds_per_start: None,
        elapsed: Seconds(100.0),
        interrupted: false,
    };
    Report {
        schema: SCHEMA,
        run: run.into(),
        experiment: "e".into(),
        question: "?".into(),
        seed: 1,
        fingerprint: Default::default(),
        asked: Default::default(),
        design,
        arms: Vec::new(),
        comparisons: Vec::new(),
        required: Vec::new(),
        answers: Vec::new(),
        ranking: None,
        rankings: Vec::new(),
        reference: None,
        calibration: None,
        cpu_differences: Vec::new(),
        step_comparisons: Vec::new(),
        offers_profile: false,
        notes: Vec::new(),
        repeat: String::new(),
    }
}

fn record(run: &str) -> RunRecord {
    let known = Available {
        servers: vec![("tomcat".to_owned(), vec!["9.0.95".to_owned()])],
        apps: vec![("hello".to_owned(), vec!["/json".to_owned()])],
        ..Available::default()
    };
    let text = "arms = [{ name = \"a\", server = \"tomcat:9.0.95\" }, { name = \"b\", server = \"tomcat:9.0.95\" }]\n\
                [design]\nmargin = { throughput = \"1.7%\" }\nlatency_rate = 1234.5";
    RunRecord {
        run: run.to_owned(),
        experiment: Experiment::parse(text, "e", &known).expect("a valid file"),
        seed: u64::MAX,
        fingerprint: [("cpu".to_owned(), "x".to_owned())].into(),
        repeat: "prony run e.toml".to_owned(),
        calibration: None,
        elapsed: Seconds(0.1 + 0.2),
        interrupted: true,
        continued_at: Vec::new(),
        left_out: Vec::new(),
        proofs: Vec::new(),
        inspections: Vec::new(),
        load_machines: Vec::new(),
        cpu_profiles: Vec::new(),
    }
}

fn round(number: u32) -> RoundRecord {
    RoundRecord {
        round: number,
        pairs: 12,
        elapsed: Seconds(0.7),
        telemetry: vec![reading(number)],
        ..RoundRecord::default()
    }
}

fn reading(round: u32) -> Reading {
    let server = ServerReading {
        groups: [("JIT".to_owned(), GroupTotals::default())].into(),
        ..ServerReading::default()
    };
    Reading {
        at_ns: u64::MAX - u64::from(round),
        mark: Mark::Ends,
        servers: vec![None, Some(server)],
        ..Reading::default()
    }
}

fn times(cells: &[(u64, u64)]) -> Option<SparseHistogram> {
    Some(cells.iter().copied().collect())
}

fn slice() -> SliceRecord {
    SliceRecord {
        round: 1,
        rate: Some(Rate(4100.0)),
        seed: u64::MAX,
        started_ns: 1,
        elapsed_ns: 500_000_000,
        cpu_ns_arm: 1,
        cpu_ns_generator: 1,
        gc_ms: Some(0.7),
        in_flight: Seconds(0.1 + 0.2),
        service_sum: Seconds(1.0),
        longest_ns: vec![5, 6],
        why_invalid: Some(Reason::GeneratorSaturated(GeneratorLimit::LongTurns {
            share: Share(0.1 + 0.2),
            delay: Seconds(0.001),
            limit: Share(0.1),
        })),
        response: times(&[(1, 2), (3, 4)]),
        service: times(&[(4, 1)]),
        connect: times(&[]),
        undelayed: times(&[(7, 5)]),
        ..SliceRecord::default()
    }
}

#[test]
fn stored_values_are_read_back_exactly() {
    let folder = tempfile::tempdir().expect("a folder");
    {
        let store = Store::open(folder.path()).expect("a new store");
        store.begin(&record("2026-a"), "arms = []").expect("begin");
        store.store_slice("2026-a", &slice()).expect("slice");
        let entry = store.find("2026").expect("find").expect("a run");
        assert_eq!(entry.report.expect("readable"), None);
        store.finish(&record("2026-a"), &report("2026-a")).expect("finish");
    }
    let store = Store::open(folder.path()).expect("the same store");
    let found = store.find("latest").expect("find").expect("a run");
    assert_eq!(found.report.expect("readable"), Some(report("2026-a")));
    assert_eq!(store.slices("2026-a").expect("slices"), [slice()]);
    assert_eq!(store.record("2026-a").expect("record"), Some(record("2026-a")));
    assert_eq!(store.source("2026-a").expect("source").as_deref(), Some("arms = []"));
}

#[test]
fn reopening_a_run_removes_its_report() {
    let store = Store::in_memory().expect("a store");
    let mut run = record("2026-a");
    store.begin(&run, "").expect("begin");
    store.finish(&run, &report("2026-a")).expect("finish");
    run.interrupted = !run.interrupted;
    store.reopen(&run).expect("reopened");
    let entry = store.find("2026-a").expect("find").expect("a run");
    assert_eq!(entry.report.expect("readable"), None);
    assert_eq!(store.record("2026-a").expect("record"), Some(run));
}

#[test]
fn a_prefix_that_fits_several_runs_is_ambiguous() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(folder.path()).expect("a new store");
    for run in ["2026-a", "2026-b"] {
        store.begin(&record(run), "").expect("begin");
    }
    assert!(matches!(store.find("2026"), Err(Error::Ambiguous { .. })));
    assert_eq!(store.find("2026-b").expect("find").expect("a run").run, "2026-b");
    assert!(store.find("1999").expect("find").is_none());
    assert!(store.find("%").expect("find").is_none());
    assert_eq!(store.runs(Some("other"), 9).expect("list").len(), 0);
}

#[test]
fn a_report_that_cannot_be_read_does_not_hide_the_others() {
    let store = Store::in_memory().expect("a store");
    for run in ["2026-a", "2026-b"] {
        store.begin(&record(run), "").expect("begin");
        store.finish(&record(run), &report(run)).expect("finish");
    }
    store.connection.execute("UPDATE run SET report = '{}' WHERE id = '2026-a'", []).expect("damaged");
    let listed = store.runs(None, 9).expect("the list");
    let [intact, damaged] = listed.as_slice() else { panic!("{listed:?}") };
    assert!(intact.report.as_ref().is_ok_and(Option::is_some));
    let error = damaged.report.as_ref().expect_err("no report");
    assert!(error.to_string().starts_with("run 2026-a in "), "{error}");
}

fn calibration(run: &str, class: &str) -> CalibrationRun {
    CalibrationRun {
        run: run.into(),
        class: class.into(),
        server: "tomcat:10.1.59".into(),
        injected: None,
        alpha: 0.01,
        verdict: Verdict::Same,
        also_called: Vec::new(),
        ratio: None,
        p_first: Some(0.1 + 0.2),
        starts: 12,
        elapsed: Seconds(200.0),
        headline: Vec::new(),
        others: Vec::new(),
        posts: Default::default(),
    }
}

#[test]
fn calibrations_are_listed_by_class_of_machine() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(folder.path()).expect("a new store");
    for (run, class) in [("2026-b", "small"), ("2026-a", "small"), ("2026-c", "large")] {
        store.begin(&record(run), "").expect("begin");
        store.store_calibration(&calibration(run, class)).expect("stored");
    }
    let small = ["2026-a", "2026-b"].map(|run| calibration(run, "small"));
    assert_eq!(store.calibrations("small").expect("a list"), small);
    assert_eq!(store.calibrations("none").expect("a list"), []);
}

/// The error code of SQLite in an error.
fn code(error: &Error) -> Option<rusqlite::ErrorCode> {
    match error {
        Error::Sql { source, .. } => source.sqlite_error_code(),
        _ => None,
    }
}

#[test]
fn a_run_that_did_not_fit_on_the_disk_can_be_stored_again_later() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(folder.path()).expect("a new store");
    store.begin(&record("2026-a"), "").expect("begin");
    let limit = |store: &Store, pages: u32| {
        store.sql(StoreAct::StoreRun, |c| c.pragma_update(None, "max_page_count", pages)).ok()
    };
    limit(&store, 30);
    let large = SliceRecord { longest_ns: vec![7_000_000_000; 5_000], ..slice() };
    store.store_slice("2026-a", &large).expect("there is room for one");
    let error = store.store_slice("2026-a", &large).expect_err("and for no other");
    assert_eq!(code(&error), Some(rusqlite::ErrorCode::DiskFull));
    assert!(
        say::hint(&error, say::Language::En).is_some_and(|hint| hint.contains("free some space")),
        "{error}"
    );
    let whole = RoundRecord { slices: vec![large.clone(), large], ..round(1) };
    store.store_again(&record("2026-a"), "", std::slice::from_ref(&whole)).expect_err("still full");
    assert_eq!(store.slices("2026-a").expect("slices").len(), 1, "what was there is still there");
    limit(&store, 10_000);
    store.store_again(&record("2026-a"), "", std::slice::from_ref(&whole)).expect("there is room again");
    assert_eq!(store.rounds("2026-a").expect("rounds"), (vec![whole.clone()], 2));
    // A run whose begin could not be stored is stored as a whole, too.
    let late = RunRecord { inspections: vec![inspection(0, 2), inspection(1, 0)], ..record("2026-b") };
    store.store_again(&late, "a file", std::slice::from_ref(&whole)).expect("stored");
    assert_eq!(store.rounds("2026-b").expect("rounds").0, [whole]);
    assert_eq!(store.record("2026-b").expect("a record"), Some(late));
    assert_eq!(store.source("2026-b").expect("a source").as_deref(), Some("a file"));
}

/// What was seen in the server of an arm at a level.
fn inspection(arm: usize, level: usize) -> ArmInspection {
    let stack = StackSeen {
        group: "http-nio-#-exec-#".to_owned(),
        frames: vec!["java.lang.Thread.sleep".to_owned(), "shop.Pay.doGet".to_owned()],
        threads: 7,
        ..StackSeen::default()
    };
    ArmInspection {
        arm,
        inspection: Inspection {
            level,
            in_flight: Seconds(3.5),
            loaded: Some(ThreadSamples { dumps: 3, stacks: vec![stack], ..ThreadSamples::default() }),
            ..Inspection::default()
        },
    }
}

#[test]
fn inspections_are_read_with_their_run_and_replaced_by_newer_ones() {
    let store = Store::in_memory().expect("a store");
    let plain = record("2026-a");
    store.begin(&plain, "").expect("begin");
    assert_eq!(store.record("2026-a").expect("a record"), Some(plain.clone()));
    let newer =
        ArmInspection { inspection: Inspection { ok: 5, ..inspection(1, 0).inspection }, ..inspection(1, 0) };
    for seen in [inspection(1, 0), inspection(0, 1), inspection(0, 0), newer.clone()] {
        store.store_inspection("2026-a", &seen).expect("stored");
    }
    let inspected = RunRecord { inspections: vec![inspection(0, 0), inspection(0, 1), newer], ..plain };
    assert_eq!(store.record("2026-a").expect("a record"), Some(inspected.clone()));
    store.finish(&inspected, &report("2026-a")).expect("finished");
    assert_eq!(store.record("2026-a").expect("a record"), Some(inspected));
    let facts = |c: &Connection| c.query_row("SELECT facts FROM run", [], |row| row.get::<_, String>(0));
    let facts = store.sql(StoreAct::ReadRun, facts).expect("facts");
    assert!(!facts.contains("exec-#"), "they are stored once: {facts}");
}

#[test]
fn cpu_profiles_are_stored_when_a_run_has_ended_and_stay_when_it_goes_on() {
    let store = Store::in_memory().expect("a store");
    let mut profile = inspection(0, 0);
    profile.inspection.cpu =
        vec![CpuStack { frames: vec!["shop.Pay.doGet".to_owned()], seconds: Seconds(0.25) }];
    let profiled = RunRecord { cpu_profiles: vec![profile.clone(), profile], ..record("2026-a") };
    store.begin(&record("2026-a"), "").expect("begin");
    store.finish(&profiled, &report("2026-a")).expect("finished");
    assert_eq!(store.record("2026-a").expect("a record"), Some(profiled.clone()));
    store.reopen(&profiled).expect("reopened");
    assert_eq!(store.record("2026-a").expect("a record"), Some(profiled), "of one arm twice, too");
}

#[test]
fn a_reader_does_not_wait_for_a_writer_and_a_second_writer_gets_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let writer = Store::open(folder.path()).expect("a new store");
    writer.begin(&record("2026-a"), "").expect("begin");
    writer.sql(StoreAct::StoreRun, |c| c.execute_batch("BEGIN IMMEDIATE")).expect("the lock");
    let other = Store::open_with_timeout(folder.path(), Duration::from_millis(1)).expect("to read");
    assert_eq!(other.find("latest").expect("find").expect("a run").run, "2026-a");
    assert!(other.check_writable().is_err(), "somebody writes");
    let error = other.begin(&record("2026-b"), "").expect_err("somebody writes");
    assert_eq!(code(&error), Some(rusqlite::ErrorCode::DatabaseBusy));
    assert!(say::hint(&error, say::Language::En).is_some_and(|hint| hint.contains("fuser")), "{error}");
    drop(writer);
    other.check_writable().expect("nobody writes");
    other.begin(&record("2026-b"), "").expect("the check leaves no lock");
}

#[test]
fn a_store_in_memory_is_not_shared_with_another() {
    let store = Store::in_memory().expect("a store");
    store.begin(&record("2026-a"), "").expect("begin");
    store.store_again(&record("2026-a"), "", &[round(1)]).expect("stored");
    assert_eq!(store.runs(None, 9).expect("runs").len(), 1);
    let another = Store::in_memory().expect("another");
    assert_eq!(another.runs(None, 9).expect("runs").len(), 0);
}

#[test]
fn an_older_newer_or_broken_file_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let opened_at = |version: u32| {
        let file = Connection::open(folder.path().join("history.sqlite")).expect("a file");
        file.pragma_update(None, "user_version", version).expect("to age it");
        drop(file);
        Store::open(folder.path())
    };
    drop(Store::open(folder.path()).expect("a new store"));
    let older = opened_at(schema::VERSION - 1).expect_err("an older file");
    assert!(
        matches!(older, Error::Older { .. })
            && say::hint(&older, say::Language::En).is_some_and(|hint| hint.contains("move or delete it")),
        "{older}"
    );
    assert!(matches!(opened_at(99), Err(Error::Newer { stored: 99, .. })));
    std::fs::write(folder.path().join("history.sqlite"), "not a database, but long enough to be read as one")
        .ok();
    std::fs::remove_file(folder.path().join("history.sqlite-wal")).ok();
    let error = Store::open(folder.path()).expect_err("no database");
    assert_eq!(code(&error), Some(rusqlite::ErrorCode::NotADatabase));
    assert!(
        say::hint(&error, say::Language::En).is_some_and(|hint| hint.contains("history.sqlite.broken")),
        "{error}"
    );
}

#[test]
fn rounds_are_read_with_their_slices_and_a_round_cut_short_is_left_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(folder.path()).expect("a new store");
    store.begin(&record("2026-a"), "").expect("begin");
    assert_eq!(store.rounds("2026-a").expect("rounds"), (Vec::new(), 1));
    let slice_at = |round: u32, position: u32| SliceRecord { round, position, ..slice() };
    for slice in [slice_at(1, 0), slice_at(1, 1), slice_at(2, 0)] {
        store.store_slice("2026-a", &slice).expect("slice");
    }
    store.store_round("2026-a", &round(1)).expect("round");
    let whole = RoundRecord { slices: vec![slice_at(1, 0), slice_at(1, 1)], ..round(1) };
    assert_eq!(store.rounds("2026-a").expect("rounds"), (vec![whole], 3));
}

#[test]
fn the_complete_levels_of_an_interrupted_round_are_kept_until_it_ends() {
    let store = Store::in_memory().unwrap();
    store.begin(&record("2026-a"), "").unwrap();
    let measured = |level: usize, rate: Option<Rate>| SliceRecord { level, rate, round: 2, ..slice() };
    let (kept, of_no_level, at_a_rate) = (measured(0, None), measured(1, None), measured(0, Some(Rate(9.0))));
    store.store_round("2026-a", &round(1)).unwrap();
    assert_eq!(store.unfinished_round("2026-a").unwrap(), None);
    for slice in [&kept, &of_no_level, &at_a_rate] {
        store.store_slice("2026-a", slice).unwrap();
    }
    let mut part = round(2);
    part.unfinished = true;
    part.levels = vec![LevelRecord::default()];
    store.store_round("2026-a", &part).unwrap();
    // It is not among the rounds that have ended.
    let (rounds, next) = store.rounds("2026-a").unwrap();
    assert_eq!((rounds.len(), next), (1, 3));
    assert_eq!(store.rounds_without_slices("2026-a").unwrap().len(), 1);
    part.slices = vec![kept.clone()];
    assert_eq!(store.unfinished_round("2026-a").unwrap().as_ref(), Some(&part));
    store.drop_incomplete_levels("2026-a", &part).unwrap();
    assert_eq!(store.slices("2026-a").unwrap(), std::slice::from_ref(&kept));
    // When it has ended, it replaces its part.
    part.unfinished = false;
    store.store_round("2026-a", &part).unwrap();
    assert_eq!(store.unfinished_round("2026-a").unwrap(), None);
    assert_eq!(store.rounds("2026-a").unwrap().0[1], part);
}

#[test]
fn values_of_the_environment_are_not_stored() {
    let home = tempfile::tempdir().expect("a folder");
    let mut record = record("r");
    let mut program = Program::default();
    program.environment_part("TOKEN", "marked".to_owned());
    record.experiment.workload.sessions = Some(Box::new(program));
    let store = Store::open(home.path()).expect("a new store");
    store.begin(&record, "").expect("stored");
    let facts: String =
        store.connection.query_row("SELECT facts FROM run", [], |row| row.get(0)).expect("a row");
    assert!(facts.contains("TOKEN") && !facts.contains("marked"), "{facts}");
    drop(store);
    let files = std::fs::read_dir(home.path()).expect("a folder");
    for file in files.map(|file| file.expect("a file").path()) {
        let bytes = std::fs::read(&file).expect("read");
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains("marked"), "{}", file.display());
    }
}
