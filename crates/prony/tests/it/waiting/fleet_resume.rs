//! The coordinator of an experiment is killed, and goes on inside the start in which it was, with the agents that are still there.

use crate::fixture::with_slow_arms;
use crate::home::{Home, wait_for};
use crate::waiting::fleet::{Process, machines_in};
use crate::waiting::fleet_run::notes;
use std::process::Stdio;
use store::Store;

/// One start that visits several levels.
const LEVELS: &str = r#"
explain = "off"
arms = [
  { name = "one", FIXTURE },
  { name = "two", OTHER_FIXTURE },
]
[load]
connections = [2, 3, 4, 5]
[design]
starts = 3
budget = "1s"
pairs = 2
slice = "300ms"
settle = "100ms"
warmup = "500ms"
warmup_cap = "500ms"
latency_pairs = 0
startup_cycles = 0
"#;

#[test]
fn a_coordinator_that_was_killed_goes_on_inside_its_start() {
    let machines = machines_in(Home::with_fixture(), &["m1", "m2"]);
    let home = &machines.home;
    let file = home.file("levels.toml", &with_slow_arms(LEVELS));
    let run = home
        .prony(&["run", &file, "--fleet", &machines.url, "--agents", "2"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let mut run = Process(run.expect("prony runs"));
    let part = || {
        let store = Store::open(&home.data()).ok()?;
        let run = store.runs(None, 1).ok()?.pop()?.run;
        let part = store.unfinished_round(&run).ok()??;
        Some((run, part))
    };
    wait_for("the first level", 120, || part().is_some());
    run.kill();
    let (run, part) = part().expect("what was there");
    assert!((1..4).contains(&part.levels.len()), "{:?}", part.levels);
    assert!(!part.slices.is_empty() && !part.telemetry.is_empty());

    let ended = home.run(&["run", "--resume", &run, "--json"]);
    let report = ended.report();
    let told = format!("start 1 was continued after an interruption: {} of", part.levels.len());
    let notes = notes(&report);
    assert!(notes.iter().any(|note| note.starts_with(&told)), "{notes:?}");
    assert!(notes.iter().any(|note| note.starts_with("agents: 2 of 2")), "{notes:?}");
    let store = Store::open(&home.data()).expect("a store");
    let (rounds, _) = store.rounds(&run).expect("rounds");
    assert_eq!(rounds[0].round, 1);
    assert_eq!(rounds[0].levels.len(), 4);
    assert_eq!(rounds[0].levels[..part.levels.len()], part.levels);
    assert_eq!(rounds[0].slices[..part.slices.len()], part.slices, "nothing of it is measured again");
    // Four slices of each arm at each level, and no other one.
    assert_eq!(store.slices(&run).expect("slices").len(), rounds[0].slices.len());
    assert_eq!(store.unfinished_round(&run).expect("rounds"), None);
}
