//! Load machines whose clocks are wrong by minutes.

use super::machines::Machines;
use crate::home::Home;
use std::time::Duration;

/// Finds the library of Debian's package `libfaketime` that shifts the wall clock of a process.
fn faketime() -> String {
    let folders = std::fs::read_dir("/usr/lib").expect("a folder").flatten();
    let mut libraries = folders.map(|folder| folder.path().join("faketime/libfaketime.so.1"));
    let library = libraries
        .find(|library| library.exists())
        .expect("libfaketime is installed");
    library.display().to_string()
}

#[test]
fn clocks_that_are_wrong_by_minutes_do_not_matter() {
    let library = faketime();
    let shifted = |by| {
        [
            ("LD_PRELOAD", library.as_str()),
            ("DONT_FAKE_MONOTONIC", "1"),
            ("FAKETIME", by),
        ]
    };
    let machines = Machines::start(
        Home::empty(),
        Duration::from_millis(5),
        &[&[], &shifted("+180"), &shifted("-420.25")],
    );
    let done = machines.load(&["-c", "6", "-n", "1800"]).end();
    assert_eq!(machines.target.requests(), 1_800);
    assert_eq!(done.level["counts"]["requests"], 1_800, "{}", done.notes);
    println!("{}", done.notes);
    assert_eq!(offset(&done.notes, "m1"), 0);
    assert_eq!(offset(&done.notes, "m2"), 180_000);
    assert_eq!(offset(&done.notes, "m3"), -420_250);
    // Without a common start they would be ten minutes apart. How near they are is a figure for a quiet machine.
    let (_, spread) = done.notes.split_once("start spread ").expect("the spread");
    let spread: f64 = spread
        .split(' ')
        .next()
        .expect("a number")
        .parse()
        .expect("a number");
    assert!(spread < 2_000.0, "{spread} ms");
}

/// How far the clock of an agent is off by the notes, to ten milliseconds.
fn offset(notes: &str, agent: &str) -> i64 {
    let (_, after) = notes.split_once(&format!("agent {agent}: ")).expect("the agent");
    let (_, after) = after.split_once("clock ").expect("its clock");
    let millis: f64 = after
        .split(' ')
        .next()
        .expect("a number")
        .parse()
        .expect("a number");
    (millis / 10.0).round() as i64 * 10
}
