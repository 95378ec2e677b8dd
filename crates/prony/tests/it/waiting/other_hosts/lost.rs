//! A connection that is lost in a slice, for each reason: nothing hangs, nothing survives, and what happened is told.

use super::Rig;
use crate::home::{Ended, wait_for};
use std::process::Child;
use std::time::{Duration, Instant};

/// A budget for one start, and for another one where a start takes as long as on most machines.
const SHORT: &str = "30s";
/// A budget for all starts and for one that is repeated, on a slow machine, too.
const LONG: &str = "200s";

/// Waits until prony has ended, at most so many seconds.
fn ended(mut prony: Child, seconds: u64) -> Ended {
    let deadline = Instant::now() + Duration::from_secs(seconds);
    while prony.try_wait().expect("a child").is_none() {
        if Instant::now() > deadline {
            drop(prony.kill());
            let ended = Ended::from(prony.wait_with_output().expect("it ends"));
            panic!("prony did not end in {seconds} s: {}", ended.stderr);
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Ended::from(prony.wait_with_output().expect("it ends"))
}

/// Asks prony to end, as Ctrl-C does.
fn interrupt(prony: &Child) {
    let pid = rustix::process::Pid::from_child(prony);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("it runs");
}

#[test]
fn a_server_there_ends_when_prony_here_is_killed() {
    let Some(rig) = Rig::new() else { return };
    let mut prony = rig.in_a_slice(SHORT);
    prony.kill().and_then(|()| prony.wait()).expect("killed");
    wait_for("the server there to end", 10, || rig.host.processes().is_empty());
    rig.home.run(&["clean"]);
    rig.assert_nothing_left();
}

#[test]
fn a_link_that_is_cut_for_good_ends_the_server_and_prony_can_be_stopped() {
    let Some(rig) = Rig::impatient() else { return };
    let prony = rig.in_a_slice(SHORT);
    rig.host.unplug().expect("cut");
    wait_for("the server there to end", 30, || rig.host.processes().is_empty());
    interrupt(&prony);
    let ended = ended(prony, 20);
    assert!(ended.stderr.contains("ssh://box"), "{}", ended.stderr);
    rig.assert_nothing_left();
}

#[test]
fn a_link_that_is_cut_for_a_moment_does_not_end_a_run() {
    let Some(rig) = Rig::new() else { return };
    let prony = rig.in_a_slice(SHORT);
    rig.host.unplug().expect("cut");
    // Sleeps: the link is cut for so long.
    std::thread::sleep(Duration::from_millis(1500));
    rig.host.plug_in().expect("mended");
    ended(prony, 240).report();
    rig.assert_nothing_left();
}

#[test]
fn a_start_in_which_a_host_reboots_is_repeated() {
    let Some(mut rig) = Rig::new() else { return };
    let prony = rig.in_a_slice(LONG);
    rig.host.stop();
    rig.host.start().expect("a host");
    let notes = ended(prony, 240).report()["notes"].to_string();
    let note =
        "start 1 did not count and was repeated: the connection to ssh://box was cut, or the host went down";
    assert!(notes.contains(note), "{notes}");
    rig.assert_nothing_left();
}
