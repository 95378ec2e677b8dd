//! The output in the forms of `wrk`, `wrk2` and `ab`, kept as golden files, and parsed as two well-known programs parse it.

use report::{ab, wrk};
use wrk::{Distribution, Errors, Moments, Spectrum, WrkStart};

/// Results in which every unit and every line occurs.
fn run() -> wrk::WrkResult {
    wrk::WrkResult {
        latency: Moments { mean: 9.52e-3, stdev: 16.38e-3, max: 108.61e-3, within: 0.8993 },
        rate: Moments { mean: 880.0, stdev: 541.58, max: 1770.0, within: 0.55 },
        distributions: vec![Distribution {
            percentiles: vec![(50.0, 316e-6), (75.0, 7.5e-3), (90.0, 26.12e-3), (99.0, 1.2)],
            spectrum: None,
        }],
        elapsed: 2.002,
        requests: 1755,
        bytes: 912_804,
        errors: Errors { timeout: 1, ..Errors::default() },
        wrong: 1755,
        notes: vec!["prony: generator-saturated: an event loop used 95 % of its core".into()],
    }
}

fn wrk2() -> wrk::WrkResult {
    let spectrum = Spectrum {
        title: "Recorded Latency",
        rows: vec![(0.431e-3, 0.0, 1), (1.23e-3, 0.5, 29_997), (9.871e-3, 1.0, 59_994)],
        mean: 1.234e-3,
        stdev: 0.567e-3,
        max: 9.87e-3,
        count: 59_994,
        buckets: 32,
        sub_buckets: 2048,
    };
    let percentiles = [50.0, 75.0, 90.0, 99.0, 99.9, 99.99, 99.999, 100.0];
    let block = |title| Distribution {
        percentiles: percentiles.map(|percent| (percent, percent * 9.87e-5)).into(),
        spectrum: Some(Spectrum { title, ..spectrum.clone() }),
    };
    wrk::WrkResult {
        distributions: vec![block("Recorded Latency"), block("Uncorrected Latency")],
        errors: Errors::default(),
        wrong: 0,
        notes: Vec::new(),
        ..run()
    }
}

fn whole(run: &wrk::WrkResult) -> String {
    let start = WrkStart { duration: 2.0, url: "http://127.0.0.1:8080/nope", threads: 1, connections: 4 };
    wrk::head(&start) + &wrk::text(run)
}

#[test]
fn wrk_and_wrk2() {
    insta::assert_snapshot!("wrk", whole(&run()));
    insta::assert_snapshot!("wrk2", whole(&wrk2()));
}

/// All numbers of a line with the letters that follow them: `9.52ms`, `89.93%`.
fn amounts(line: &str) -> Vec<(f64, &str)> {
    let words = line.split([' ', ',', '\t']).filter(|word| !word.is_empty());
    let amounts = words.filter_map(|word| {
        let end = word.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(word.len());
        Some((word[..end].parse().ok()?, &word[end..]))
    });
    amounts.collect()
}

/// The number after a label, as `label\s*([\d.]+)` matches it.
fn behind(text: &str, label: &str) -> f64 {
    let at = text.find(label).unwrap_or_else(|| panic!("{label} is missing in\n{text}"));
    amounts(&text[at + label.len()..])[0].0
}

#[test]
fn crank_reads_a_run() {
    let text = whole(&run());
    assert_eq!(behind(&text, "Requests/sec:"), 876.62);
    let before = text.split(" requests in").next().unwrap();
    assert!(before.ends_with("  1755"), "{before}");
    let latency = text.lines().find(|line| line.contains("Latency ")).unwrap();
    assert_eq!(amounts(latency)[2], (108.61, "ms"));
    // This program knows only `us`, `ms` and `s`.
    let p99 = text.lines().find(|line| line.trim_start().starts_with("99%")).unwrap();
    assert_eq!(amounts(p99)[1], (1.2, "s"));
}

#[test]
fn the_framework_benchmarks_read_a_run() {
    let text = whole(&run());
    let lines = |label: &str| text.lines().filter(|line| line.contains(label)).collect::<Vec<_>>();
    // Of the lines with `Latency`, the one with exactly four amounts is used.
    let four: Vec<_> = lines("Latency").into_iter().map(amounts).filter(|found| found.len() == 4).collect();
    assert_eq!(four, [[(9.52, "ms"), (16.38, "ms"), (108.61, "ms"), (89.93, "%")]]);
    assert_eq!(amounts(lines("requests in")[0])[0].0, 1755.0);
    assert_eq!(behind(lines("Socket errors")[0], "timeout"), 1.0);
    assert_eq!(behind(lines("Non-2xx")[0], "responses:"), 1755.0);
    for label in ["requests in", "Socket errors", "Non-2xx", "Requests/sec", "Transfer/sec", "Req/Sec"] {
        assert_eq!(lines(label).len(), 1, "{label}: a reader would take the wrong line");
    }
    let quiet = whole(&wrk2());
    assert!(!quiet.contains("Socket errors") && !quiet.contains("Non-2xx"), "absence stands for zero");
}

fn ab_run() -> ab::AbResult {
    let times = |factor: f64| ab::AbTimes {
        min: 1e-3 * factor,
        mean: 8.5e-3 * factor,
        stdev: 10.25e-3 * factor,
        median: 4e-3 * factor,
        max: 44e-3 * factor,
    };
    ab::AbResult {
        server: "nginx/1.22.1".into(),
        host: "127.0.0.1".into(),
        port: 8080,
        tls_name: None,
        path: "/nope?x=y".into(),
        document: Some(12),
        concurrency: 4,
        elapsed: 0.0125,
        complete: 200,
        failures: ab::Failures { length: 20, ..ab::Failures::default() },
        non_2xx: 3,
        kept: Some(197),
        transferred: 31_000,
        sent: Some(34_000),
        html: 2400,
        times: [times(0.0), times(1.0), times(0.9), times(2.0)],
        percentiles: (1..=9).map(|place| f64::from(place) * 10e-3).collect(),
        confidence: true,
        notes: vec!["prony: generator-saturated: an event loop used 95 % of its core".into()],
    }
}

#[test]
fn ab_in_all_its_parts() {
    let quiet = ab::head("0.1.0", "127.0.0.1", false) + "..done\n";
    insta::assert_snapshot!("ab", quiet + &ab::text(&ab_run()));
    let least = ab::AbResult {
        document: None,
        kept: None,
        sent: None,
        failures: ab::Failures::default(),
        non_2xx: 0,
        percentiles: Vec::new(),
        confidence: false,
        notes: Vec::new(),
        ..ab_run()
    };
    insta::assert_snapshot!("ab_with_little", ab::head("0.1.0", "127.0.0.1", true) + &ab::text(&least));
    insta::assert_snapshot!(ab::csv(&[0.00002, 0.0001, 1.25]), @r"
    Percentage served,Time in ms
    0,0.020
    1,0.100
    2,1250.000
    ");
}

#[test]
fn nothing_answered_has_no_rates_and_no_times() {
    let text = ab::text(&ab::AbResult::default());
    assert!(text.contains("Complete requests:      0\n") && !text.contains("per second"), "{text}");
    assert!(!text.contains("Connection Times") && !text.contains("NaN"), "{text}");
    assert!(wrk::text(&wrk::WrkResult::default()).contains("Requests/sec:      0.00\n"));
}
