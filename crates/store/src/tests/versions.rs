//! Tests of files that earlier versions of prony wrote.

use super::*;

/// Makes a database with an earlier schema version, with one run in it.
fn make_old_database(folder: &Path, version: usize) {
    let old = Connection::open(folder.join("history.sqlite")).expect("a file");
    for migration in &schema::MIGRATIONS[..version] {
        migration.apply(&old).expect("an early schema");
    }
    old.pragma_update(None, "user_version", version as u32)
        .expect("its version");
    let facts = serde_json::to_string(&RoundRecord {
        telemetry: Vec::new(),
        ..round(1)
    })
    .expect("JSON");
    old.execute(
        "INSERT INTO run (id, experiment, source) VALUES ('2026-a', 'e', 'arms = []')",
        [],
    )
    .expect("a run");
    old.execute(
        "INSERT INTO round (run, round, facts) VALUES ('2026-a', 1, ?1)",
        [facts],
    )
    .expect("a round");
}

#[test]
fn a_file_of_every_version_is_read_and_brought_up_to_date() {
    for version in 1..=schema::MIGRATIONS.len() {
        let folder = tempfile::tempdir().expect("a folder");
        make_old_database(folder.path(), version);
        let store = Store::open(folder.path()).expect("brought up to date");
        assert_eq!(
            store.find("latest").expect("find").expect("a run").run,
            "2026-a",
            "{version}"
        );
        assert_eq!(
            store.source("2026-a").expect("read").as_deref(),
            Some("arms = []")
        );
        assert_eq!(store.record("2026-a").expect("read"), None);
        assert_eq!(store.rounds("2026-a").expect("read").0.len(), 1, "{version}");
        store.begin(&record("2026-b"), "").expect("a new run");
        store
            .store_calibration(&calibration("2026-b", "small"))
            .expect("stored");
        drop(store);
        assert_eq!(
            Store::open(folder.path())
                .expect("again")
                .runs(None, 9)
                .expect("runs")
                .len(),
            2
        );
    }
}

/// What a prony of version 4 stored of a run whose first start did not count.
const OLD_ROUND: &str = r#"{"round": 1, "void": "noisy-neighbour: the hypervisor took 12 % of the CPU time (limit 10 %)",
    "latency_void": null, "pairs": 4, "levels": [{"level": 0, "void": "a measure has no value in it", "cpu_void": null,
    "pairs": 4, "service_p50_ns": 1, "settle_ns": 2, "counted_ns": 3}], "trials": [], "slices": [], "idle": 0.5,
    "waited": 0.0, "elapsed": 20.0}"#;

#[test]
fn the_sentences_of_older_rows_become_values() {
    let folder = tempfile::tempdir().expect("a folder");
    make_old_database(folder.path(), 4);
    let file = Connection::open(folder.path().join("history.sqlite")).expect("a file");
    let mut facts = serde_json::to_value(SliceRecord {
        why_invalid: None,
        response: Vec::new(),
        service: Vec::new(),
        connect: Vec::new(),
        undelayed: Vec::new(),
        ..slice()
    })
    .expect("JSON");
    facts["why_invalid"] =
        "generator-saturated: an event loop used 93 % of its core (limit 80 %); use more shards or less load"
            .into();
    file.execute("UPDATE round SET facts = ?1", [OLD_ROUND])
        .expect("a round");
    file.execute(
        "INSERT INTO slice (run, round, arm, facts, response, service) VALUES ('2026-a', 1, 0, ?1, x'', x'')",
        [facts.to_string()],
    )
    .expect("a slice");
    let mut found = serde_json::to_value(report("2026-a")).expect("JSON");
    found["notes"] = serde_json::json!([
        "start 1 did not count and was repeated: it was dark",
        "mind the gap"
    ]);
    file.execute("UPDATE run SET report = ?1", [found.to_string()])
        .expect("a report");
    drop(file);

    let store = Store::open(folder.path()).expect("brought up to date");
    let (rounds, _) = store.rounds("2026-a").expect("rounds");
    let stolen = Reason::NoisyNeighbour {
        share: 0.12,
        limit: 0.1,
    };
    assert_eq!(rounds[0].void, Some(stolen));
    assert_eq!(rounds[0].levels[0].void, Some(Reason::NoValue));
    let busy = GeneratorLimit::EventLoopBusy {
        share: 0.93,
        limit: 0.8,
    };
    let reason = Reason::GeneratorSaturated(busy);
    assert_eq!(rounds[0].slices[0].why_invalid, Some(reason));
    let entry = store.find("2026-a").expect("find").expect("a run");
    let notes = entry.report.expect("readable").expect("a report").notes;
    let repeated = RunNote::NotCounted {
        start: 1,
        part: Part::Whole,
        reason: Reason::Legacy("it was dark".to_owned()),
    };
    let unknown = RunNote::Legacy("mind the gap".to_owned());
    assert_eq!(notes, [Note::Run(repeated), Note::Run(unknown)]);
}
