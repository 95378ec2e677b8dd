//! A connection that is lost in a slice, for each reason: nothing hangs, nothing survives, and what happened is told.

use super::{FILE, Rig};
use crate::home::{Ended, wait_for};
use std::process::Child;
use std::time::{Duration, Instant};

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

/// Asserts that prony said what it lost.
fn assert_told(ended: &Ended) {
    assert_eq!(ended.code, Some(3), "{}", ended.stderr);
    let message = "error: arm `there`: host ssh://box: the connection was cut";
    assert!(
        ended.stderr.contains(message) && ended.stderr.contains("hint: "),
        "{}",
        ended.stderr
    );
}

#[test]
fn a_server_there_ends_when_prony_here_is_killed() {
    let Some(rig) = Rig::new() else { return };
    let mut prony = rig.in_a_slice();
    prony.kill().and_then(|()| prony.wait()).expect("killed");
    wait_for("the server there to end", 10, || rig.host.processes().is_empty());
    rig.home.run(&["clean"]);
    rig.assert_nothing_left();
}

#[test]
fn a_link_that_is_cut_for_good_ends_the_run_and_the_server() {
    let Some(rig) = Rig::new() else { return };
    let prony = rig.in_a_slice();
    rig.host.unplug().expect("cut");
    assert_told(&ended(prony, 30));
    wait_for("the server there to end", 20, || rig.host.processes().is_empty());
    rig.assert_nothing_left();
}

#[test]
fn a_link_that_is_cut_for_a_moment_does_not_end_a_run() {
    let Some(rig) = Rig::new() else { return };
    let prony = rig.in_a_slice();
    rig.host.unplug().expect("cut");
    std::thread::sleep(Duration::from_millis(1500));
    rig.host.plug_in().expect("mended");
    ended(prony, 100).report();
    rig.assert_nothing_left();
}

#[test]
fn a_host_that_reboots_is_told_and_can_be_used_again() {
    let Some(mut rig) = Rig::new() else { return };
    let prony = rig.in_a_slice();
    rig.host.stop();
    rig.host.start().expect("a host");
    assert_told(&ended(prony, 40));
    rig.assert_nothing_left();
    rig.run(FILE).report();
    rig.assert_nothing_left();
}
