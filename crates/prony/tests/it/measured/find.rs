//! `find = "capacity"` and `find = "max-rate"` on real Tomcats with a known limit: thread pools whose threads wait the same time for each
//! request. Each run has one start, because the variation between starts does not matter here.

use crate::home::Home;
use crate::measured::{neighbour_or_no_start, undisturbed};
use serde_json::Value;

const POOLS: &str = r#"
app = "pay"
path = "/pay?orderId=1&millis=20"
arms = [
  { name = "small", server = "tomcat:10.1.29", threads = 5 },
  { name = "large", server = "tomcat:10.1.29", threads = 10 },
]
"#;

/// Runs one start. `missing` tells what a disturbed run does not find.
fn run(name: &str, rest: &str, missing: fn(&Value) -> Option<String>) -> Option<(Home, Value)> {
    let run = || {
        let home = Home::with_downloads();
        let file = home.file(name, &format!("{POOLS}{rest}"));
        let ended = home.run(&["run", &file, "--json", "--seed", "7", "--budget", "1s"]);
        let report = ended.report();
        (home, report)
    };
    undisturbed(run, |(_, report)| neighbour_or_no_start(report).or_else(|| missing(report)))
}

/// Returns what was found for the two arms.
fn found<'a>(report: &'a Value, of: &str) -> [&'a Value; 2] {
    [0, 1].map(|arm| &report["arms"][arm]["found"][of])
}

fn number(result: &Value) -> f64 {
    result["value"].as_f64().unwrap_or_else(|| panic!("no value: {result}"))
}

/// 5 threads with requests of 20 ms answer 250 a second, and 10 threads twice as many. On a busy machine it can only be fewer.
#[test]
#[ignore = "measured: ./test --all"]
fn the_knee_of_a_capacity_is_at_the_number_of_threads_and_they_are_diagnosed() {
    let Some((home, report)) = run(
        "climb.toml",
        "[load]\nfind = \"capacity\"\nconnections = [1, 2, 5, 10, 20, 40, 60]\n\
         [design]\npairs = 1\nslice = \"400ms\"\nwarmup = \"1s\"\nwarmup_cap = \"1s\"\n",
        |report| {
            // Most steps did not count, or the throughput was not steady.
            let is_missing = |result: &Value| result["knee"].is_null();
            let missing = found(report, "capacity").into_iter().any(is_missing);
            missing.then(|| format!("no knee was found: {}", report["notes"]))
        },
    ) else {
        return;
    };
    for (result, threads) in found(&report, "capacity").into_iter().zip([5.0, 10.0]) {
        let (most, knee) = (number(&result["most"]), number(&result["knee"]["users"]));
        assert!(most < 55.0 * threads && most > 10.0 * threads, "{threads}: {result}");
        assert!(knee > 0.5 * threads && knee < 6.0 * threads, "{threads}: {result}");
        assert_eq!(result["tried"], 60);
        let limiter = result["limiter"].as_str();
        if limiter != Some("noisy-neighbour") {
            assert_eq!(limiter, Some("thread-pool-limit"));
        }
    }
    let headline = &report["comparisons"][2];
    assert_eq!(headline["measure"], "capacity");
    let times = headline["per_start"][0].as_f64().expect("a ratio");
    assert!(times > 1.1 && times < 2.6, "{headline}");
    let levels = report["arms"][0]["levels"].as_array().expect("levels");
    assert_eq!(levels.len(), 7, "no stage at a fixed rate");
    let shown = home.run(&["report", "latest", "--format", "md"]).stdout;
    assert!(shown.contains("## Result of the search") && shown.contains("| 60 connections |"), "{shown}");
}

/// The same pools at a fixed rate. The capacity of the threads is above any rate that keeps queues short.
#[test]
#[ignore = "measured: ./test --all"]
fn the_highest_rate_lies_below_the_capacity_of_the_threads() {
    let Some((home, report)) = run(
        "rate.toml",
        "[load]\nfind = \"max-rate\"\nobjective = \"response_p90 < 60ms\"\nconnections = 20\n\
         [design]\npairs = 2\nsettle = \"100ms\"\nslice = \"200ms\"\nlatency_slice = \"400ms\"\n\
         warmup = \"1s\"\nwarmup_cap = \"1s\"\n",
        |report| {
            let is_missing = |result: &Value| result["rate"]["value"].is_null();
            let missing = found(report, "max_rate").into_iter().all(is_missing);
            missing.then(|| format!("no rate was found: {}", report["notes"]))
        },
    ) else {
        return;
    };
    for (result, threads) in found(&report, "max_rate").into_iter().zip([5.0, 10.0]) {
        assert_eq!(result["objective"], "response_p90 < 60ms");
        assert!(result["probes"].as_array().expect("probes").len() >= 5, "{result}");
        // A start may find no rate for an arm, and then the report says so.
        match result["rate"]["value"].as_f64() {
            Some(rate) => assert!(rate < 55.0 * threads && rate > 10.0 * threads, "{result}"),
            None => assert!(result["why_none"].is_string(), "{result}"),
        }
        // A noisy neighbour may hide the limit; no other cause may be named.
        if let Some(limiter) = result["limiter"].as_str() {
            let there = ["thread-pool-limit", "noisy-neighbour", "generator-saturated"];
            assert!(there.contains(&limiter), "{result}");
        }
    }
    let slices = home.run(&["report", "--format", "jsonl"]).stdout;
    assert!(slices.lines().count() > 30, "every probe is stored");
    assert!(home.run(&["report", "latest"]).stdout.contains("response_p90 < 60ms"));
}
