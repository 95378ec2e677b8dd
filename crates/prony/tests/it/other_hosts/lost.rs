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

#[test]
fn a_server_there_ends_when_prony_here_is_killed() {
    let Some(rig) = Rig::new() else { return };
    let mut prony = rig.in_a_slice();
    prony.kill().and_then(|()| prony.wait()).expect("killed");
    let started = Instant::now();
    wait_for("the server there to end", 10, || rig.host.processes().is_empty());
    eprintln!("gone after {:?}", started.elapsed());
    rig.home.run(&["clean"]);
    rig.assert_nothing_left();
}

#[test]
fn a_link_that_is_cut_for_good_ends_the_run_and_the_server() {
    let Some(rig) = Rig::new() else { return };
    let prony = rig.in_a_slice();
    let started = Instant::now();
    rig.host.unplug().expect("cut");
    let ended = ended(prony, 40);
    eprintln!(
        "prony ended after {:?}: {:?} {}",
        started.elapsed(),
        ended.code,
        ended.stderr
    );
    assert_eq!(ended.code, Some(3), "{}", ended.stderr);
    assert!(
        ended.stderr.contains("there") && ended.stderr.contains("box") && ended.stderr.contains("hint: "),
        "{}",
        ended.stderr
    );
    wait_for("the server there to end", 20, || rig.host.processes().is_empty());
    eprintln!("gone after {:?}", started.elapsed());
    rig.assert_nothing_left();
}

#[test]
fn a_link_that_is_cut_for_a_moment_does_not_hang_a_run() {
    let Some(rig) = Rig::new() else { return };
    let prony = rig.in_a_slice();
    let started = Instant::now();
    rig.host.unplug().expect("cut");
    std::thread::sleep(Duration::from_millis(1500));
    rig.host.plug_in().expect("mended");
    let ended = ended(prony, 100);
    eprintln!(
        "prony ended after {:?}: {:?} {} {}",
        started.elapsed(),
        ended.code,
        ended.stderr,
        ended.stdout.len()
    );
    eprintln!("{}", rig.home.run(&["report"]).stdout);
    ended.report();
    rig.assert_nothing_left();
}

#[test]
fn a_host_that_reboots_is_told_and_can_be_used_again() {
    let Some(mut rig) = Rig::new() else { return };
    let prony = rig.in_a_slice();
    let started = Instant::now();
    rig.host.stop();
    rig.host.start().expect("a host");
    let ended = ended(prony, 40);
    eprintln!(
        "prony ended after {:?}: {:?} {}",
        started.elapsed(),
        ended.code,
        ended.stderr
    );
    assert_eq!(ended.code, Some(3), "{}", ended.stderr);
    assert!(
        ended.stderr.contains("there") && ended.stderr.contains("box") && ended.stderr.contains("hint: "),
        "{}",
        ended.stderr
    );
    rig.assert_nothing_left();
    rig.run(FILE).report();
    rig.assert_nothing_left();
}
