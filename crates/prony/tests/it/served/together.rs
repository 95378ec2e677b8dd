//! Runs that load their arms together at the fixed rate.

use crate::fixture::with_arms;
use crate::home::Home;
use crate::shared::{report_of, tomcats};
use model::units::Rate;
use record::rounds::{RoundRecord, SliceRecord};
use serde_json::json;
use store::Store;

#[test]
fn real_servers_that_are_loaded_together_share_their_windows_and_have_figures_of_their_own() {
    let (run, home) = (tomcats(), tomcats().home());
    let report = report_of(run);
    assert_eq!(report["asked"]["design/pace"], "together");
    let comparisons = report["comparisons"].as_array().expect("comparisons");
    for comparison in comparisons {
        let level = &comparison["level"];
        let together = &level["together"];
        assert_eq!(together.as_bool(), level["rate"].is_f64().then_some(true), "{level}");
    }
    let text = home.run(&["report", "--format", "md"]).stdout;
    assert!(text.contains("a fixed 300 /s each, all arms at once"), "{text}");
    for round in stored_rounds(&home) {
        let mut at_rates = round.slices.iter().filter(|slice| slice.rate.is_some());
        assert!(at_rates.all(|slice| slice.together), "the curve, too");
        let stage: Vec<&SliceRecord> = round.open().collect();
        assert_windows(&round, &stage, 300.0);
    }
}

/// One short start. The rate is low enough for a busy machine.
const MIXED: &str = r#"
explain = "off"
arms = [
  { name = "nine", FIXTURE },
  { name = "ten", OTHER_FIXTURE },
]
[load]
connections = 4
[design]
starts = 3
budget = "1s"
pairs = 2
slice = "200ms"
settle = "50ms"
warmup = "200ms"
warmup_cap = "200ms"
latency_slice = "200ms"
latency_pairs = 2
latency_rate = 300
pace = "mixed"
"#;

/// What is stored of the start is asserted whether or not it counts, and the rates of comparisons where it does.
#[test]
fn a_mixed_stage_has_slices_in_turn_and_windows_of_all_arms_at_half_of_the_rate() {
    let home = Home::with_fixture();
    let file = home.file("mixed.toml", &with_arms(MIXED));
    let ended = home.run(&["run", &file, "--json", "--seed", "7"]);
    let report = ended.report();
    assert_eq!(report["asked"]["design/pace"], "mixed");
    let comparisons = report["comparisons"].as_array().expect("comparisons");
    for comparison in comparisons.iter().filter(|one| one["starts"].as_u64() > Some(0)) {
        let level = &comparison["level"];
        let expected = match comparison["measure"].as_str() {
            Some("cpu_per_request") => json!([150.0, true]),
            Some("response_p50" | "response_p90" | "response_p99") => json!([300.0, null]),
            _ => continue,
        };
        assert_eq!(json!([level["rate"], level["together"]]), expected, "{comparison}");
    }
    let again = home.run(&["report", "--recompute", "--format", "json"]);
    assert_eq!(again.stdout, ended.stdout, "{}", again.stderr);
    let rounds = stored_rounds(&home);
    assert_eq!(rounds.len(), 1);
    for round in rounds {
        assert!(round.is_mixed());
        assert!(round.open().all(|slice| !slice.together && slice.rate == Some(Rate(300.0))));
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
    assert!(stage.len() >= 4, "{} slices", stage.len());
    let mut watched = 0;
    let mut counted = [(0, 0); 2];
    for row in stage.chunks(2) {
        let mut row = row.to_vec();
        row.sort_by_key(|slice| slice.arm);
        let [nine, ten] = row[..] else { panic!("{} slices", stage.len()) };
        let place = |slice: &SliceRecord| (slice.quad, slice.started_ns, slice.settle_ns);
        assert_eq!(place(nine), place(ten));
        assert_eq!([nine.arm, ten.arm], [0, 1]);
        assert_ne!(nine.seed, ten.seed, "requests of both arms at the same instants");
        for slice in [nine, ten] {
            assert!(slice.together && slice.rate == Some(Rate(rate)), "{slice:?}");
            counted[slice.arm].0 += slice.counts.ok;
            counted[slice.arm].1 += slice.cpu_ns_arm.min(slice.cpu_ns_other_arms);
            let readings = round.readings(slice);
            watched += readings.len();
            let both = |servers: &[Option<_>]| servers.iter().all(Option::is_some);
            assert!(readings.iter().all(|reading| both(&reading.servers)));
        }
    }
    assert!(watched > 0, "no telemetry of any window");
    assert!(counted.iter().all(|(ok, cpu)| *ok > 0 && *cpu > 0), "{counted:?}");
}
