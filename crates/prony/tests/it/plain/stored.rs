//! Stored runs that the tests make up: they are computed again, printed in other formats, and continued.

use crate::home::Home;
use ask::experiment::Experiment;
use model::measure::Measure;
use model::reason::Reason;
use model::units::{Bytes, Rate, Seconds, Share};
use record::histogram::{SparseHistogram, new_histogram};
use record::outcome::{Counts, Effective};
use record::rounds::{RoundRecord, RunRecord, SliceRecord, TrialRecord};
use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::sync::{LazyLock, Mutex, PoisonError};
use store::Store;

pub(crate) fn record(fingerprint: &[(&str, &str)]) -> RunRecord {
    let text = "arms = [\"tomcat:9.0.95\", \"tomcat:10.1.29\"]\n[design]\nstarts = 12\nbudget = \"10m\"\n";
    let facts = fingerprint.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
    RunRecord {
        run: "2026-11-21T03:40:12Z-7f3a".to_owned(),
        experiment: Experiment::parse(text, "made-up", &lab::Bench::known()).expect("a valid file"),
        seed: 7,
        fingerprint: facts.collect(),
        repeat: "prony run made-up.toml --seed 7".to_owned(),
        calibration: None,
        elapsed: Seconds(0.0),
        interrupted: true,
        continued_at: Vec::new(),
        left_out: Vec::new(),
        proofs: Vec::new(),
        inspections: Vec::new(),
        load_machines: Vec::new(),
        cpu_profiles: Vec::new(),
    }
}

/// Returns a histogram of times around this one. Each is made once, because a history has thousands of slices and few times.
fn times(nanos: u64) -> Option<SparseHistogram> {
    static MADE: LazyLock<Mutex<HashMap<u64, SparseHistogram>>> = LazyLock::new(Mutex::default);
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    Some(made.entry(nanos).or_insert_with(|| histogram(nanos)).clone())
}

fn histogram(nanos: u64) -> SparseHistogram {
    let mut histogram = new_histogram();
    for step in 1..=100 {
        histogram.saturating_record(nanos * step / 50);
    }
    SparseHistogram::from(&histogram)
}

/// A night of a history.
#[derive(Clone, Copy, Default)]
pub(crate) struct Night {
    /// What varies from night to night.
    pub(crate) noise: u32,
    /// By how many thousandths the second arm is slower than usual.
    pub(crate) slower: u64,
}

/// Returns a round in which the second arm is usually a little better, by an amount that varies from round to round.
fn round(number: u32, night: Night) -> RoundRecord {
    let slice = |quad: u32, position: u32, arm: usize, rate: Option<f64>| {
        let jitter = u64::from(number * 7 + quad * 3 + position * 5 + night.noise) % 11;
        let nanos = 1_000_000 - 30_000 * arm as u64 + 777 * jitter;
        let nanos = nanos * (1000 + arm as u64 * night.slower) / 1000;
        let ok = 10_000_000_000 / nanos;
        SliceRecord {
            round: number,
            quad,
            position,
            arm,
            rate: rate.map(Rate),
            elapsed_ns: 500_000_123,
            counts: Counts { requests: ok, ok, ..Counts::default() },
            cpu_ns_arm: 400_000_000 + 1234 * jitter,
            in_flight: Seconds(16.1),
            service_sum: Seconds(16.2),
            response: times(nanos),
            service: times(nanos - 1),
            ..SliceRecord::default()
        }
    };
    let quads = [(0, None), (1, None), (2, Some(12_000.0))];
    let slices = quads.into_iter().flat_map(|(quad, rate)| {
        [0, 1, 1, 0].into_iter().zip(0..).map(move |(arm, position)| slice(quad, position, arm, rate))
    });
    let trial = |arm: usize| TrialRecord {
        round: number,
        arm,
        startup_ns: 1_200_000_000 + 1_000_003 * u64::from(number) * (arm as u64 + 1),
        peak_memory: Bytes(200_000_000 + u64::from(number)),
        warmup_s: Seconds(4.1),
        steady: number != 2,
        effective: (number == 1).then(Effective::default),
        facts: [("cgroup.nr_throttled".to_owned(), f64::from(number))].into(),
        ..TrialRecord::default()
    };
    RoundRecord {
        round: number,
        pairs: 4,
        trials: vec![trial(0), trial(1)],
        slices: slices.collect(),
        elapsed: Seconds(20.0 + 0.1 * f64::from(number)),
        void: (number == 3).then_some(Reason::NoisyNeighbour { share: Share(0.12), limit: Share(0.1) }),
        ..RoundRecord::default()
    }
}

/// Stores a run of eight rounds at once. Returns its report, which is not stored.
pub(crate) fn stored(home: &Home, record: &RunRecord) -> (Store, record::outcome::Report) {
    stored_night(home, record, Night::default())
}

/// Stores a run of eight rounds of that night at once: a transaction for each slice would wait for the disk a hundred times. Returns its
/// report, which is not stored.
pub(crate) fn stored_night(
    home: &Home,
    record: &RunRecord,
    night: Night,
) -> (Store, record::outcome::Report) {
    let store = Store::open(&home.data()).expect("a store");
    let rounds: Vec<RoundRecord> = (1..=8).map(|number| round(number, night)).collect();
    store.store_again(record, "", &rounds).expect("stored");
    (store, judge::report(record, &rounds))
}

/// Stores a run of eight rounds slice by slice, as a run does that is killed then. Returns its report, which is not stored.
fn stored_while_measured(home: &Home, record: &RunRecord) -> (Store, record::outcome::Report) {
    let store = Store::open(&home.data()).expect("a store");
    store.begin(record, "").expect("begin");
    let rounds: Vec<RoundRecord> = (1..=8).map(|number| round(number, Night::default())).collect();
    for round in &rounds {
        for slice in &round.slices {
            store.store_slice(&record.run, slice).expect("slice");
        }
        store.store_round(&record.run, round).expect("round");
    }
    (store, judge::report(record, &rounds))
}

/// The files of stored runs that several tests read. They are kept in memory, so that nothing is left on the disk when the tests end.
pub(crate) struct Kept(Vec<(OsString, Vec<u8>)>);

impl Kept {
    /// Keeps the stored runs of a home.
    pub(crate) fn of(home: &Home) -> Self {
        let entries = fs::read_dir(home.data()).expect("a folder").flatten();
        let read = |entry: fs::DirEntry| (entry.file_name(), fs::read(entry.path()).expect("a file"));
        Self(entries.map(read).collect())
    }

    /// Creates a home with copies of the runs.
    #[track_caller]
    pub(crate) fn home(&self) -> Home {
        let home = Home::empty();
        fs::create_dir_all(home.data()).expect("a folder");
        for (name, bytes) in &self.0 {
            fs::write(home.data().join(name), bytes).expect("written");
        }
        home
    }
}

#[test]
fn a_report_that_is_computed_again_is_equal_to_the_byte() {
    let home = Home::empty();
    let mut record = record(&[("cpus", "2")]);
    let (store, _) = stored(&home, &record);
    (record.elapsed, record.interrupted) = (Seconds(180.1 + 0.2), false);
    let report = judge::report(&record, &store.rounds(&record.run).expect("rounds").0);
    store.finish(&record, &report).expect("finish");
    let shown = home.run(&["report", "--format", "json"]);
    let again = home.run(&["report", "latest", "--recompute", "--format", "json"]);
    assert_eq!((shown.code, again.code), (Some(0), Some(0)), "{}", again.stderr);
    assert_eq!(shown.stdout, again.stdout);
    assert_eq!(shown.stdout, report::json(&report));
    assert_eq!((report.design.starts, report.design.starts_void), (7, 1));
    assert!(report.comparisons.iter().all(|comparison| comparison.ratio.is_some()));
}

#[test]
fn a_killed_run_has_a_report_of_its_stored_part() {
    let home = Home::empty();
    let (_, report) = stored_while_measured(&home, &record(&[]));
    let there = home.run(&["report", "--format", "json"]);
    assert_eq!(there.stdout, report::json(&report), "{}", there.stderr);
    assert!(there.stderr.contains("what there is of it, 7 whole starts"), "{}", there.stderr);
    assert!(there.stderr.contains("hint: `prony run --resume 2026-"), "{}", there.stderr);
    assert!(report.design.interrupted && (report.design.elapsed.0 - 163.6).abs() < 1e-9);
    assert!(home.run(&["report"]).stdout.contains("ended before its time, after 8 complete starts"));
}

#[test]
fn other_formats_contain_a_start_that_was_cut_short() {
    let home = Home::empty();
    let record = record(&[]);
    let (store, _) = stored_while_measured(&home, &record);
    let cut = SliceRecord { round: 9, ..round(9, Night::default()).slices.remove(0) };
    store.store_slice(&record.run, &cut).expect("slice");
    let shown = |form: &str| {
        let ended = home.run(&["report", "latest", "--format", form]);
        assert_eq!(ended.code, Some(0), "{form}: {}", ended.stderr);
        ended.stdout
    };
    let (csv, jsonl) = (shown("csv"), shown("jsonl"));
    assert_eq!((csv.lines().count(), jsonl.lines().count()), (1 + 8 * 12 + 1, 8 * 12 + 1));
    assert_eq!(csv.lines().filter(|line| line.contains("the start was cut short")).count(), 1);
    assert_eq!(csv.lines().filter(|line| line.contains(",false,noisy-neighbour:")).count(), 12);
    // Seven starts count, and each slice has a line for each of the two times.
    assert_eq!(shown("hlog").lines().filter(|line| line.starts_with("Tag=")).count(), 7 * 12 * 2);
    assert_eq!(shown("jtl").lines().count(), 1 + 7 * 12 * 100);
    assert!(shown("junit").contains("<error type=\"interrupted\""));
}

#[test]
fn the_history_of_an_experiment_shows_its_drift() {
    let home = Home::empty();
    let (store, report) = stored(&home, &record(&[]));
    for night in 1..=4 {
        let mut other = record(&[]);
        other.run = format!("2026-11-2{night}T03:40:12Z-0000");
        store.begin(&other, "").expect("begin");
        let mut earlier = report.clone();
        (earlier.run, earlier.design.interrupted) = (other.run.clone(), false);
        store.finish(&other, &earlier).expect("finish");
    }
    let shown = home.run(&["history", "made-up"]);
    assert_eq!(shown.code, Some(0), "{}", shown.stderr);
    for part in [
        "2026-11-24T03:40:12Z-0000  made-up",
        "not finished",
        "tomcat:10.1.29 against tomcat:9.0.95",
        "too few runs",
    ] {
        assert!(shown.stdout.contains(part), "`{part}` is missing in:\n{}", shown.stdout);
    }
    let json = home.run(&["history", "made-up", "--json", "-n", "2"]).stdout;
    let history: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(history["runs"].as_array().map(Vec::len), Some(2));
    assert_eq!(history["drift"][0]["points"].as_array().map(Vec::len), Some(4));
    assert_eq!(home.run(&["history"]).stdout.matches("made-up").count(), 5);
}

/// Stores a run of `made-up` for each night, in which the second arm is worse by the `factor` of that night. The build
/// of the second arm is `v1` until night 20, and `v2` from then on.
fn store_nights(home: &Home, nights: u32, factor: impl Fn(u32) -> f64) {
    let (store, report) = stored(home, &record(&[]));
    for night in 1..=nights {
        let build = if night < 20 { "v1" } else { "v2" };
        let facts =
            [("arm/tomcat:10.1.29/build", build), ("arm/tomcat:9.0.95/build", "v0"), ("kernel", "6.18.4")];
        let mut other = record(&facts);
        other.run = format!("2026-12-{night:02}T03:40:12Z-0000");
        store.begin(&other, "").expect("begin");
        let mut later = report.clone();
        (later.run, later.fingerprint) = (other.run.clone(), other.fingerprint.clone());
        later.design.interrupted = false;
        let luck = 1.0 + 0.002 * f64::from((night * 7) % 5);
        for comparison in &mut later.comparisons {
            let worse = factor(night) * luck;
            let ratio = if comparison.measure == Measure::Throughput { 1.0 / worse } else { worse };
            comparison.per_start.iter_mut().for_each(|start| *start *= ratio);
        }
        store.finish(&other, &later).expect("finish");
    }
}

#[test]
fn a_nightly_job_fails_when_the_newest_run_is_worse_and_names_what_changed() {
    let home = Home::empty();
    store_nights(&home, 22, |night| if night < 20 { 1.0 } else { 1.05 });
    let failed = home.run(&["history", "made-up", "--gate"]);
    assert_eq!(failed.code, Some(5), "{}{}", failed.stdout, failed.stderr);
    for part in [
        "gate: worse than before, beside tomcat:9.0.95",
        "since 2026-12-20T03:40:12Z-0000",
        "arm/tomcat:10.1.29/build: v1 → v2",
    ] {
        assert!(failed.stdout.contains(part), "`{part}` is missing in:\n{}", failed.stdout);
    }
    let chinese = home.run(&["history", "made-up", "--gate", "--lang", "zh"]);
    assert_eq!(chinese.code, Some(5));
    assert!(chinese.stdout.contains("门禁：与之前相比变差"), "{}", chinese.stdout);
    let json = home.run(&["history", "made-up", "--gate", "--json"]);
    assert_eq!(json.code, Some(5));
    let history: serde_json::Value = serde_json::from_str(&json.stdout).expect("JSON");
    let change = &history["gate"]["worse"][0]["change"];
    assert_eq!(change["differs"][0]["sides"][1], "v2", "{change}");
    // Without --gate a list is a list.
    assert_eq!(home.run(&["history", "made-up"]).code, Some(0));
    // The new level is accepted: its series is too short for a change.
    let accepted = home.run(&["history", "made-up", "--gate", "--since", "2026-12-20"]);
    assert_eq!(accepted.code, Some(0), "{}", accepted.stderr);
    let said = accepted.stdout.replace("\n ", "");
    assert!(said.contains("3 of the 8 runs"), "{said}");
}

#[test]
fn a_nightly_job_passes_while_nothing_got_worse() {
    let home = Home::empty();
    store_nights(&home, 22, |night| if night < 20 { 1.0 } else { 0.95 });
    let passed = home.run(&["history", "made-up", "--gate"]);
    assert_eq!(passed.code, Some(0), "{}{}", passed.stdout, passed.stderr);
    assert!(passed.stdout.contains("shows no change for the worse"), "{}", passed.stdout);
    let refused = home.run(&["history", "--gate"]);
    assert_eq!(refused.code, Some(2), "a job has to name the experiment");
    let none = home.run(&["history", "another", "--gate"]);
    assert_eq!(none.code, Some(0), "{}", none.stderr);
}

#[test]
fn a_run_can_be_continued_only_on_the_same_machine() {
    let home = Home::empty();
    stored(&home, &record(&[("kernel", "0.1")]));
    let refused = home.run(&["run", "--resume", "latest"]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert!(refused.stderr.contains("kernel was `0.1` and is `"), "{}", refused.stderr);
    assert!(refused.stderr.contains("hint: start a new run"), "{}", refused.stderr);
    assert!(!home.cache().exists(), "something was downloaded");
}

#[test]
fn the_rules_of_a_run_cannot_be_changed_later() {
    let home = Home::empty();
    for flags in [["--alpha", "5%"], ["--seed", "3"], ["--starts", "40"]] {
        let arguments = [&["run", "--resume", "latest"], &flags[..]].concat();
        let refused = home.run(&arguments);
        assert_eq!(refused.code, Some(2), "{}", refused.stderr);
        assert!(refused.stderr.contains("cannot be used with"), "{}", refused.stderr);
    }
    assert_eq!(home.run(&["run", "--resume", "nope"]).code, Some(2));
}
