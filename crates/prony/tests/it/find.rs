//! What is looked for (`find`), on real Tomcats whose limit is known: pools of threads that wait the same time for each
//! request. One start each: what varies between starts is not judged here.

use crate::home::{Home, counts};
use crate::real::alone;
use serde_json::Value;

const POOLS: &str = r#"
app = "pay"
path = "/pay?orderId=1&millis=20"
arms = [
  { name = "small", server = "tomcat:10.1.29", threads = 5 },
  { name = "large", server = "tomcat:10.1.29", threads = 10 },
]
"#;

fn run(name: &str, rest: &str) -> (Home, Value) {
    let home = Home::with_downloads();
    let file = home.file(name, &format!("{POOLS}{rest}"));
    let ended = home.run(&["run", &file, "--json", "--seed", "7", "--budget", "1s"]);
    let report = ended.report();
    (home, report)
}

fn number(found: &Value) -> f64 {
    found["value"]
        .as_f64()
        .unwrap_or_else(|| panic!("no value: {found}"))
}

/// 5 threads of 20 ms do 250 a second, 10 twice as many. A busy machine can only make it fewer.
#[test]
fn a_capacity_has_its_knee_where_the_threads_end_and_names_them() {
    let _alone = alone();
    let (home, report) = run(
        "climb.toml",
        "[load]\nfind = \"capacity\"\nconnections = [1, 2, 5, 10, 20, 40, 60]\n\
         [design]\npairs = 1\nslice = \"400ms\"\nwarmup = \"1s\"\nwarmup_cap = \"1s\"\n",
    );
    if !counts(&report) {
        return;
    }
    let found: Vec<&Value> = (0..2)
        .map(|arm| &report["arms"][arm]["found"]["capacity"])
        .collect();
    if found.iter().any(|found| found["knee"].is_null()) {
        // Most steps did not count, or throughput still swung.
        return eprintln!("too noisy: {}", report["notes"]);
    }
    for (found, threads) in found.iter().zip([5.0, 10.0]) {
        let (most, knee) = (number(&found["most"]), number(&found["knee"]["users"]));
        assert!(
            most < 55.0 * threads && most > 15.0 * threads,
            "{threads}: {found}"
        );
        assert!(knee > 0.5 * threads && knee < 6.0 * threads, "{threads}: {found}");
        assert_eq!(found["tried"], 60);
        let limiter = found["limiter"].as_str();
        if limiter != Some("noisy-neighbour") {
            assert_eq!(limiter, Some("thread-pool-limit"));
        }
    }
    let headline = &report["comparisons"][2];
    assert_eq!(headline["measure"], "capacity");
    let times = headline["per_start"][0].as_f64().expect("a ratio");
    assert!(times > 1.4 && times < 2.6, "{headline}");
    let levels = report["arms"][0]["levels"].as_array().expect("levels");
    assert_eq!(levels.len(), 7, "no stage at a fixed rate");
    let shown = home.run(&["report", "latest", "--format", "md"]).stdout;
    assert!(
        shown.contains("## Result of the search") && shown.contains("| 60 connections |"),
        "{shown}"
    );
}

/// The same pools at a rate: what the threads can do at most is above any rate that keeps queues short.
#[test]
fn the_highest_rate_lies_below_what_the_threads_can_do() {
    let _alone = alone();
    let (home, report) = run(
        "rate.toml",
        "[load]\nfind = \"max-rate\"\nobjective = \"response_p90 < 60ms\"\nconnections = 20\n\
         [design]\npairs = 2\nsettle = \"100ms\"\nslice = \"200ms\"\nlatency_slice = \"400ms\"\n\
         warmup = \"1s\"\nwarmup_cap = \"1s\"\n",
    );
    if !counts(&report) {
        return;
    }
    for (arm, threads) in [(0, 5.0), (1, 10.0)] {
        let found = &report["arms"][arm]["found"]["max_rate"];
        assert_eq!(found["objective"], "response_p90 < 60ms");
        assert!(found["probes"].as_array().expect("probes").len() >= 5, "{found}");
        // On a machine that has other work a start may show no rate; then it says so.
        match found["rate"]["value"].as_f64() {
            Some(rate) => assert!(rate < 55.0 * threads && rate > 10.0 * threads, "{found}"),
            None => assert!(found["why_none"].is_string(), "{found}"),
        }
        // The neighbour may hide what limits beyond it; nothing else is there to be named.
        if let Some(limiter) = found["limiter"].as_str() {
            let there = ["thread-pool-limit", "noisy-neighbour", "generator-saturated"];
            assert!(there.contains(&limiter), "{found}");
        }
    }
    let slices = home.run(&["report", "--format", "jsonl"]).stdout;
    assert!(slices.lines().count() > 30, "every probe is stored");
    assert!(
        home.run(&["report", "latest"])
            .stdout
            .contains("response_p90 < 60ms")
    );
}
