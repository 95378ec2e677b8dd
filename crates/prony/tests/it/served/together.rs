//! A run on real servers that loads its arms together at the fixed rate.

use crate::home::{Ended, Home};
use model::record::{RoundRecord, SliceRecord};
use serde_json::json;
use store::Store;

/// An experiment with one short start. The rate is low enough for a busy machine.
const TOGETHER: &str = r#"
explain = "off"
arms = [
  { name = "nine", server = "tomcat:9.0.95" },
  { name = "ten", server = "tomcat:10.1.29" },
]
[load]
connections = 4
[design]
starts = 3
budget = "1s"
pairs = 2
slice = "200ms"
settle = "50ms"
warmup = "500ms"
warmup_cap = "500ms"
latency_slice = "200ms"
latency_pairs = 4
latency_rate = 300
pace = "together"
"#;

#[test]
fn arms_that_are_loaded_together_share_their_windows_and_have_figures_of_their_own() {
    let home = Home::with_downloads();
    let file = home.file("together.toml", TOGETHER);
    let ended = home.run(&["run", &file, "--json", "--seed", "7"]);
    let report = ended.report();
    assert_eq!(report["asked"]["design/pace"], "together");
    let comparisons = report["comparisons"].as_array().expect("comparisons");
    for comparison in comparisons {
        let level = &comparison["level"];
        let together = &level["together"];
        assert_eq!(
            together.as_bool(),
            level["rate"].is_f64().then_some(true),
            "{level}"
        );
    }
    let text = home.run(&["report", "--format", "md"]).stdout;
    assert!(text.contains("a fixed 300 /s each, all arms at once"), "{text}");
    let again = home.run(&["report", "--recompute", "--format", "json"]);
    assert_eq!(again.stdout, ended.stdout, "{}", again.stderr);
    for round in stored_rounds(&home) {
        let stage: Vec<&SliceRecord> = round.slices.iter().filter(|slice| slice.rate.is_some()).collect();
        assert_windows(&round, &stage, 300.0);
    }
}

#[test]
fn a_mixed_stage_has_slices_in_turn_and_windows_of_all_arms_at_half_of_the_rate() {
    let home = Home::with_downloads();
    // The closed loop counts, too, so the servers have to be warm.
    let text = TOGETHER
        .replace("\"together\"", "\"mixed\"")
        .replace("500ms", "3s");
    let file = home.file("mixed.toml", &text);
    let run = |_| home.run(&["run", &file, "--json", "--seed", "7"]);
    // Throughput is of the closed loop, and CPU per request is the measure after it.
    let counts = |ended: &Ended| {
        [0, 1]
            .into_iter()
            .all(|measure: usize| ended.report()["comparisons"][measure]["starts"] == 1)
    };
    // Beside other tests, compilers go on after the warm-up, and a start does not count in which they work for an arm that is not loaded.
    let ended = (0..6).map(run).find(counts).expect("a start that counts");
    let report = ended.report();
    assert_eq!(report["asked"]["design/pace"], "mixed");
    for comparison in report["comparisons"].as_array().expect("comparisons") {
        let level = &comparison["level"];
        let expected = match comparison["measure"].as_str() {
            Some("cpu_per_request") => json!([150.0, true]),
            Some("response_p50" | "response_p90" | "response_p99") => json!([300.0, null]),
            _ => continue,
        };
        assert_eq!(
            json!([level["rate"], level["together"]]),
            expected,
            "{comparison}"
        );
    }
    let again = home.run(&["report", "--recompute", "--format", "json"]);
    assert_eq!(again.stdout, ended.stdout, "{}", again.stderr);
    for round in stored_rounds(&home) {
        assert!(round.is_mixed());
        assert!(
            round
                .open()
                .all(|slice| !slice.together && slice.rate == Some(300.0))
        );
        let windows: Vec<&SliceRecord> = round.open_for_cpu().collect();
        assert_windows(&round, &windows, 150.0);
    }
}

/// The rounds of the newest run.
fn stored_rounds(home: &Home) -> Vec<RoundRecord> {
    let store = Store::open(&home.data()).expect("the history");
    let run = store.find("latest").expect("found").expect("a run").run;
    store.rounds(&run).expect("its rounds").0
}

/// Asserts that each row of these slices is one window on both arms at this rate of each, with readings of both.
fn assert_windows(round: &RoundRecord, stage: &[&SliceRecord], rate: f64) {
    assert!(round.closed().all(|slice| !slice.together));
    assert!(stage.len() >= 8, "{} slices", stage.len());
    let mut watched = 0;
    for row in stage.chunks(2) {
        let mut row = row.to_vec();
        row.sort_by_key(|slice| slice.arm);
        let [nine, ten] = row[..] else {
            panic!("{} slices", stage.len())
        };
        let place = |slice: &SliceRecord| (slice.quad, slice.started_ns, slice.settle_ns);
        assert_eq!(place(nine), place(ten));
        assert_eq!([nine.arm, ten.arm], [0, 1]);
        assert_ne!(nine.seed, ten.seed, "requests of both arms at the same instants");
        for slice in [nine, ten] {
            assert!(slice.together && slice.rate == Some(rate));
            assert!(slice.counts.ok > 0 && slice.cpu_ns_arm > 0 && slice.cpu_ns_other_arms > 0);
            let readings = round.readings(slice);
            watched += readings.len();
            let both = |servers: &[Option<_>]| servers.iter().all(Option::is_some);
            assert!(readings.iter().all(|reading| both(&reading.servers)));
        }
    }
    assert!(watched > 0, "no telemetry of any window");
}
