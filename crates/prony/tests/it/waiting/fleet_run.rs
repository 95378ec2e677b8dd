//! `prony run --fleet`: agents make the load of an experiment, over a real `nats-server`.
//!
//! Real servers: none is started, the run is refused before.

use crate::fixture::with_slow_arms;
use crate::home::{Home, processes, wait_for};
use crate::waiting::fleet::{IMPATIENT, Process, machines_in};

use serde_json::Value;
use std::process::Stdio;
use std::time::Duration;

/// An experiment with one short start. The rate is low enough for a busy machine.
pub(crate) const SHORT: &str = r#"
explain = "off"
arms = [
  { name = "one", FIXTURE },
  { name = "two", OTHER_FIXTURE },
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
latency_pairs = 2
latency_rate = 300
startup_cycles = 0
"#;

/// The same experiment as above, with so many slices that an agent can be killed while they are measured.
pub(crate) const LONGER: &str = r#"
explain = "off"
arms = [
  { name = "one", FIXTURE },
  { name = "two", OTHER_FIXTURE },
]
[load]
connections = 4
[design]
starts = 3
budget = "1s"
pairs = 6
slice = "400ms"
settle = "100ms"
warmup = "500ms"
warmup_cap = "500ms"
latency_pairs = 0
startup_cycles = 0
"#;

pub(crate) fn notes(report: &Value) -> Vec<String> {
    let notes = report["notes"].as_array().expect("notes").iter();
    notes.filter_map(|note| note.as_str().map(str::to_owned)).collect()
}

#[test]
fn agents_that_prony_starts_load_an_experiment_and_end_with_it() {
    let home = Home::with_fixture();
    let file = home.file("short.toml", &with_slow_arms(SHORT));
    let ended = home.run(&["run", &file, "--json", "--fleet", "local", "--agents", "2"]);
    assert!(ended.stderr.contains("agents: 2 of 2, start spread "), "{}", ended.stderr);
    let report = ended.report();
    assert_eq!(report["asked"]["load/agents"], "2");
    let notes = notes(&report);
    for said in [
        "agents: 2 of 2, start spread ",
        "all agents changed arms together: they began each of ",
        "agent agent-1: ",
        "agent agent-2: ",
    ] {
        assert!(notes.iter().any(|note| note.starts_with(said)), "{said}: {notes:?}");
    }
    // On a busy machine it may be that the start does not count; what the agents measured is stored all the same.
    let slices = home.run(&["report", "--format", "jsonl"]).stdout;
    let ok: u64 = slices.lines().filter_map(right_answers).sum();
    assert!(ok > 0, "{slices}");
    // The report is the same when it is computed again.
    let again = home.run(&["report", "--recompute", "--format", "json"]);
    assert_eq!(again.stdout, ended.stdout, "{}", again.stderr);
    assert!(home.work_folders().is_empty());
    let cache = home.cache().display().to_string();
    assert_eq!((processes(&[&cache]), home.servers()), (Vec::new(), Vec::new()));
}

/// The number of right answers of a stored slice.
fn right_answers(line: &str) -> Option<u64> {
    let slice: Value = serde_json::from_str(line).expect("JSON");
    slice["counts"]["ok"].as_u64()
}

#[test]
fn credentials_for_agents_that_prony_starts_are_refused() {
    let home = Home::with_fixture();
    let file = home.file("short.toml", &with_slow_arms(SHORT));
    let ended = home.run(&["run", &file, "--fleet", "local", "--creds", "agents.toml"]);
    assert_eq!(ended.code, Some(2), "{}", ended.stderr);
    let said = "--creds are for agents that wait at a NATS server";
    assert!(ended.stderr.contains(said), "{}", ended.stderr);
}

#[test]
fn agents_and_their_server_end_when_prony_is_killed() {
    let home = Home::with_fixture();
    let file = home.file("longer.toml", &with_slow_arms(LONGER));
    let run = home
        .prony(&["run", &file, "--fleet", "local", "--agents", "2"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn();
    let mut run = Process(run.expect("prony runs"));
    let lines = run.lines();
    wait_line(&lines, "agents: 2 of 2, start spread ");
    let cache = home.cache().display().to_string();
    assert_eq!(processes(&[&cache, "__agent"]).len(), 2);
    assert_eq!(processes(&[&cache, "nats-server"]).len(), 1);
    assert_eq!(home.servers().len(), 2);
    run.kill();
    wait_for("their end", 20, || processes(&[&cache]).is_empty() && home.servers().is_empty());
}

/// Waits for a line that contains these words, at most two minutes after each line before it.
pub(crate) fn wait_line(lines: &std::sync::mpsc::Receiver<String>, wanted: &str) {
    let mut before = String::new();
    loop {
        let line = lines.recv_timeout(Duration::from_secs(120));
        let line = line.unwrap_or_else(|why| panic!("no `{wanted}` ({why}) in:\n{before}"));
        if line.contains(wanted) {
            return;
        }
        before = format!("{before}{line}\n");
    }
}

#[test]
fn an_agent_that_is_killed_makes_the_level_invalid() {
    let home = Home::with_fixture().with_patience(IMPATIENT);
    let mut machines = machines_in(home, &["m1", "m2"]);
    let file = machines.home.file("longer.toml", &with_slow_arms(LONGER));
    let arguments = ["run", &file, "--json", "--fleet", &machines.url, "--agents", "2"];
    let run = machines.home.prony(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut run = Process(run.expect("prony runs"));
    let lines = run.lines();
    wait_line(&lines, "agents: 2 of 2, start spread ");
    machines.agents[1].kill();
    wait_line(&lines, "agent m2 is silent");
    wait_line(&lines, "agent m2 is lost");
    let (report, code) = run.report();
    assert_eq!(code, Some(7));
    let why = report["arms"][0]["levels"][0]["why_invalid"].to_string();
    assert!(why.contains("m2") && why.contains("share 2 of 2"), "{why}");
    let notes = notes(&report);
    assert!(notes.iter().any(|note| note.starts_with("agents: 1 of 2")), "{notes:?}");
}

#[test]
fn what_a_fleet_cannot_load_is_said_before_anything_is_fetched() {
    let home = Home::empty();
    let short = SHORT
        .replace("OTHER_FIXTURE", "server = \"tomcat:10.1.29\"")
        .replace("FIXTURE", "server = \"tomcat:9.0.95\"");
    let file = home
        .file("link.toml", &format!("{short}\n[link]\nrate = \"1Gbit/s\"\n[fleet]\nhosts = [\"local\"]\n"));
    let ended = home.run(&["run", &file]);
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("agents of a fleet are outside of it"), "{}", ended.stderr);
    let file = home.file("short.toml", &short);
    let ended = home.run(&["run", &file, "--agents", "2"]);
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("flags of a fleet, and there is none"), "{}", ended.stderr);
    let ended = home.run(&["run", &file, "--fleet", "http://10.0.0.1"]);
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("is not the address of a NATS server"), "{}", ended.stderr);
    assert!(!home.cache().exists(), "nothing was fetched");
}
