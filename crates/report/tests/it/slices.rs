//! A stored run slice by slice: the contents of every line, and that nothing is lost or made up.

use ask::available::Available;
use ask::experiment::Experiment;
use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};
use model::reason::Reason;
use model::units::{Rate, Seconds};
use record::histogram::{SparseHistogram, new_histogram};
use record::outcome::Counts;
use record::rounds::{RoundRecord, RunRecord, SliceRecord};
use report::slices::{StoredSlices, csv, hlog, jsonl, jtl};

fn run() -> RunRecord {
    let known = Available {
        servers: vec![("tomcat".to_owned(), vec!["9.0.95".to_owned()])],
        apps: vec![("hello".to_owned(), vec!["/json".to_owned()])],
        ..Available::default()
    };
    let text = "arms = [{ name = \"a, or \\\"one\\\"\", server = \"tomcat:9.0.95\" }, { name = \"b\", server = \"tomcat:9.0.95\" }]\n\
                [load]\nconnections = [4, 8]";
    RunRecord {
        run: "2026-11-21T03:40:12Z-7f3a".to_owned(),
        experiment: Experiment::parse(text, "e", &known).expect("a valid file"),
        seed: 7,
        fingerprint: Default::default(),
        repeat: String::new(),
        calibration: None,
        elapsed: Seconds(1.0),
        interrupted: false,
        continued_at: Vec::new(),
        left_out: Vec::new(),
        proofs: Vec::new(),
        inspections: Vec::new(),
        load_machines: Vec::new(),
        cpu_profiles: Vec::new(),
    }
}

/// A histogram of these times, in milliseconds.
fn times(millis: &[u64]) -> Option<SparseHistogram> {
    let mut histogram = new_histogram();
    for millis in millis {
        histogram.saturating_record(millis * 1_000_000);
    }
    Some(SparseHistogram::from(&histogram))
}

fn slice(round: u32, arm: usize, rate: Option<f64>) -> SliceRecord {
    SliceRecord {
        round,
        arm,
        rate: rate.map(Rate),
        level: 1,
        started_ns: 1_700_000_000_000_000_000 + u64::from(round) * 1_000_000_000,
        settle_ns: 100_000_000,
        elapsed_ns: 500_000_000,
        counts: Counts {
            requests: 5,
            ok: 3,
            faults: [("reset".to_owned(), 1), ("response_timeout".to_owned(), 1)].into(),
            bytes: 1000,
            ..Counts::default()
        },
        cpu_ns_arm: 30_000_001,
        in_flight: Seconds(2.5),
        gc_ms: Some(0.7),
        response: times(&[1, 2, 3, 4, 900, 1000]),
        service: times(&[1, 2, 3, 1000]),
        ..SliceRecord::default()
    }
}

/// A start that counts, one that does not, and one that was cut short.
fn with_stored<T>(act: impl FnOnce(StoredSlices<'_>) -> T) -> T {
    let run = run();
    let round = |round: u32, lost: Option<&str>| RoundRecord {
        round,
        void: lost.map(|host| Reason::HostLost { host: host.to_owned() }),
        ..RoundRecord::default()
    };
    let rounds = [round(1, None), round(2, Some("the \"big\", old one"))];
    let slices = [slice(1, 0, None), slice(1, 1, Some(8.0)), slice(2, 0, None), slice(3, 1, None)];
    act(StoredSlices { run: &run, rounds: &rounds, slices: &slices })
}

/// Fields of a line of CSV.
fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut quoted) = (vec![String::new()], false);
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            c => fields.last_mut().expect("one").push(c),
        }
    }
    fields
}

#[test]
fn csv_has_a_line_for_every_slice_and_a_field_for_every_column() {
    let text = with_stored(csv::text);
    let lines: Vec<Vec<String>> = text.lines().map(fields).collect();
    assert_eq!(lines.len(), 5);
    assert!(lines.iter().all(|line| line.len() == csv::columns().count()), "{text}");
    let of = |line: usize, column: &str| {
        let at = csv::columns().position(|name| name == column).expect("a column");
        lines[line][at].as_str()
    };
    assert_eq!((of(1, "users"), of(1, "rate"), of(2, "users"), of(2, "rate")), ("8", "", "", "8"));
    assert_eq!((of(1, "counts"), of(3, "counts")), ("true", "false"));
    assert_eq!(of(4, "why_not"), "the start was cut short");
    assert_eq!((of(1, "throughput"), of(1, "cpu_arm"), of(1, "in_flight")), ("6", "0.030000001", "5"));
    assert_eq!((of(1, "gc_time"), of(1, "jit_time")), ("0.0007", ""));
    assert!(of(1, "service_max").starts_with("1.000"), "{}", of(1, "service_max"));
    assert_eq!(of(1, "began"), "1700000001.000000000");
    insta::assert_snapshot!(text);
}

#[test]
fn every_column_of_csv_is_documented() {
    let guide = include_str!("../../../../docs/guide/formats.md");
    for column in csv::columns() {
        assert!(guide.contains(&format!("`{column}`")), "{column} is not in docs/guide/formats.md");
    }
}

#[test]
fn jsonl_holds_what_is_stored() {
    let text = with_stored(jsonl::text);
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines.len(), 4);
    assert_eq!(lines[0]["arm"], "a, or \"one\"");
    assert_eq!((&lines[0]["users"], &lines[1]["users"]), (&8.into(), &serde_json::Value::Null));
    assert_eq!(lines[3]["void"], "the start was cut short");
    assert_eq!(lines[3]["void_code"], "cut-short");
    assert_eq!(lines[0]["cpu_ns_arm"], 30_000_001);
    // Histograms in a histogram log begin with these characters.
    assert!(lines[0]["service"].as_str().is_some_and(|text| text.starts_with("HISTF")), "{text}");
}

#[test]
fn hlog_reads_back_by_arm_load_and_kind() {
    let text = with_stored(hlog::text);
    let mut read = Vec::new();
    for entry in IntervalLogIterator::new(text.as_bytes()) {
        if let LogEntry::Interval(interval) = entry.expect("a line of the log") {
            let tag = interval.tag().expect("a tag").as_str().to_owned();
            read.push((tag, interval.start_timestamp().as_millis(), interval.max()));
        }
    }
    let tags: Vec<&str> = read.iter().map(|(tag, ..)| tag.as_str()).collect();
    let one = "a__or_\"one\"/8-users";
    assert_eq!(
        tags,
        [
            &format!("{one}/response"),
            &format!("{one}/service"),
            "b/8-per-second/response",
            "b/8-per-second/service"
        ]
    );
    assert!(read.iter().all(|(_, start, max)| *start == 0 && (*max - 1000.0).abs() < 1.0), "{read:?}");
}

/// The lines below the header, by the columns that matter.
fn requests(every: u64) -> Vec<(u64, u64, String, bool)> {
    let text: String = with_stored(|stored| jtl::parts(stored, every).collect());
    let said = with_stored(|stored| jtl::count_lines(stored, every));
    assert_eq!(text.lines().count() as u64, said + 1);
    let line = |line: &str| {
        let fields = fields(line);
        assert_eq!(fields.len(), 17, "{line}");
        let number = |at: usize| fields[at].parse::<u64>().expect("a number");
        (number(0), number(1), fields[2].clone(), fields[7] == "true")
    };
    text.lines().skip(1).map(line).collect()
}

#[test]
fn jtl_has_a_line_for_every_request_that_counts() {
    let all = requests(1);
    let of = |label: &str| {
        let mut times: Vec<(u64, bool)> = all
            .iter()
            .filter(|(_, _, found, _)| found == label)
            .map(|(_, millis, _, ok)| (*millis, *ok))
            .collect();
        times.sort_unstable();
        times
    };
    // In the closed loop there are service times of three right answers and of a request that timed out, and a reset without a time.
    let closed = [(0, false), (1, true), (2, true), (3, true), (1000, false)];
    assert_eq!(of("a, or one, 8 connections"), closed);
    // At a rate there are response times; two requests were due and never sent, so only their response times exist.
    let open = [(0, false), (1, true), (2, true), (3, true), (4, false), (900, false), (1000, false)];
    assert_eq!(of("b, 8 per second"), open);
    let window = 1_700_000_001_100..1_700_000_001_600;
    assert!(all.iter().all(|(stamp, ..)| window.contains(stamp)), "{all:?}");
    let thinned = requests(2);
    assert_eq!((all.len(), thinned.len()), (12, 7));
    assert!(thinned.iter().all(|(_, _, label, _)| label.ends_with("(1 in 2)")));
}
