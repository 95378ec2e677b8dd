//! Links are cut and processes are killed while a fleet loads.

use super::machines::{Done, Load, Machines};
use crate::home::Home;
use model::patience::Patience;
use std::time::{Duration, Instant};

/// The scale of all waits for what is lost.
const SCALE: f64 = 0.5;
/// How long something is broken. It is longer than an agent takes to be silent, and shorter than it takes to be given up.
const OUTAGE: Duration = Duration::from_secs(2);
/// Answers take so long. Twelve connections then need at least six seconds for the requests of [`WHOLE`].
const DELAY: Duration = Duration::from_millis(20);
/// A load that ends after a number of requests, so that each of them is counted exactly once or the sum is another one.
const WHOLE: [&str; 4] = ["-c", "12", "-n", "3600"];
/// The requests of [`WHOLE`].
const REQUESTS: u64 = 3_600;

fn patience() -> Patience {
    Patience::scaled(SCALE).expect("a scale")
}

fn three() -> Machines {
    assert!(patience().silent() < OUTAGE && OUTAGE < patience().cut_off());
    Machines::start(Home::empty().with_patience(SCALE), DELAY, &[&[], &[], &[]])
}

fn assert_whole(machines: &Machines, done: &Done) {
    assert_eq!(machines.target.requests(), REQUESTS, "the load went on");
    assert_eq!(done.level["counts"]["requests"], REQUESTS, "nothing lost, nothing twice");
    assert!(done.notes.contains("agents: 3 of 3"), "{}", done.notes);
    let lost = |reason: &str| reason.contains("was lost");
    assert!(!lost(&done.level["why_invalid"].to_string()), "{}", done.level["why_invalid"]);
}

fn with<'a>(lines: &'a [String], text: &str) -> Vec<&'a String> {
    lines.iter().filter(|line| line.contains(text)).collect()
}

/// Asserts that nobody was called silent while something was broken, nor when it worked again, because nothing had come meanwhile. Later, an
/// agent that a busy machine lets wait for too long is silent indeed. Returns what was reported during the outage.
fn assert_nobody_silent_yet(load: &Load, mend: impl FnOnce()) -> Vec<String> {
    std::thread::sleep(OUTAGE);
    let during: Vec<String> = load.lines.try_iter().collect();
    let mended = Instant::now();
    mend();
    let behind = load.lines_until(mended + patience().silent());
    for lines in [&during, &behind] {
        assert_eq!(with(lines, "is silent"), [""; 0], "{lines:?}");
    }
    during
}

#[test]
fn the_link_of_an_agent_is_cut_and_mended() {
    let machines = three();
    let load = machines.load(&WHOLE);
    let before = machines.target.requests();
    machines.network.set_link("m3", false);
    std::thread::sleep(OUTAGE);
    let during = machines.target.requests() - before;
    machines.network.set_link("m3", true);
    let done = load.end();
    assert_whole(&machines, &done);
    assert!(during > 0, "the load goes on meanwhile");
    assert!(with(&done.lines, "is silent").iter().all(|line| line.contains("m3")), "{:?}", done.lines);
}

#[test]
fn the_nats_server_is_killed_and_started_again() {
    let mut machines = three();
    let load = machines.load(&WHOLE);
    machines.nats.kill();
    assert_nobody_silent_yet(&load, || machines.restart_nats());
    let done = load.end();
    assert_whole(&machines, &done);
}

#[test]
fn nobody_is_called_silent_while_the_coordinators_own_link_is_cut() {
    let machines = three();
    let load = machines.load(&WHOLE);
    machines.network.set_link("co", false);
    let during = assert_nobody_silent_yet(&load, || machines.network.set_link("co", true));
    assert_eq!(with(&during, "server").len(), 1, "its own loss is said: {during:?}");
    let done = load.end();
    assert_whole(&machines, &done);
}

#[test]
fn a_machine_that_loses_power_is_named_with_its_share() {
    for (how, is_valid) in [("invalid", false), ("continue", true)] {
        let machines = three();
        let load = machines.load(&["-c", "12", "-d", "4s", "--on-loss", how]);
        // Sleeps: so that some of the load is made before.
        std::thread::sleep(Duration::from_secs(1));
        // No process ends, and no connection is closed.
        machines.network.set_link("m2", false);
        machines.network.cut_load_link("m2");
        let (_, took) = load.await_line("agent m2 is silent");
        println!("a machine without power was noticed after {took:?}");
        let done = load.end();
        assert_eq!(with(&done.lines, "is silent"), [""; 0], "the others are there: {:?}", done.lines);
        assert!(done.notes.contains("agents: 2 of 3"), "{}", done.notes);
        let why = done.level["why_invalid"].to_string();
        if is_valid {
            assert!(done.notes.contains("share 2 of 3") && !why.contains("m2"), "{} {why}", done.notes);
        } else {
            assert_eq!(done.level["valid"], false);
            assert!(why.contains("m2") && why.contains("share 2 of 3"), "{why}");
        }
    }
}

#[test]
fn agents_end_their_loads_when_the_coordinator_loses_power() {
    let mut machines = three();
    let lines: Vec<_> = machines.agents.iter_mut().map(|agent| agent.lines()).collect();
    let load = machines.load(&["-c", "6", "-d", "1h"]);
    machines.network.set_link("co", false);
    for lines in lines {
        let mut of_agent = lines.iter();
        assert!(of_agent.any(|line| line.contains("the coordinator was lost")));
    }
    let served = machines.target.requests();
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(machines.target.requests(), served, "no load without a coordinator");
    drop(load);
}
