//! Load machines whose clocks are wrong by minutes.

use super::machines::Machines;
use crate::home::Home;
use std::time::Duration;

/// Finds the library of Debian's package `libfaketime` that shifts the wall clock of a process.
fn faketime() -> String {
    let folders = std::fs::read_dir("/usr/lib").expect("a folder").flatten();
    let mut libraries = folders.map(|folder| folder.path().join("faketime/libfaketime.so.1"));
    let library = libraries.find(|library| library.exists()).expect("libfaketime is installed");
    library.display().to_string()
}

#[test]
fn clocks_that_are_wrong_by_minutes_do_not_matter() {
    let library = faketime();
    let shifted = |by| [("LD_PRELOAD", library.as_str()), ("DONT_FAKE_MONOTONIC", "1"), ("FAKETIME", by)];
    let machines = Machines::start(
        Home::empty(),
        Duration::from_millis(5),
        &[&[], &shifted("+180"), &shifted("-420.25")],
    );
    let done = machines.load(&["-c", "6", "-n", "1800"]).end();
    assert_eq!(machines.target.requests(), 1_800);
    assert_eq!(done.level["counts"]["requests"], 1_800, "{}", done.notes);
    println!("{}", done.notes);
    for (agent, right) in [("m1", 0.0), ("m2", 180_000.0), ("m3", -420_250.0)] {
        let (offset, bound) = clock(&done.notes, agent);
        // Each is printed to a thousandth.
        assert!((offset - right).abs() <= bound + 0.0011, "{agent}: {offset} ± {bound}");
        // An answer that takes more than three seconds is none.
        assert!(bound <= 1_501.0, "{agent}: {offset} ± {bound}");
    }
    // Without a common start they would be ten minutes apart. How near they are is a figure for a quiet machine.
    let spread = number_after(&done.notes, "start spread ");
    assert!(spread < 60_000.0, "{spread} ms");
}

/// How far the clock of an agent is off by the notes, and by how much that may be wrong, milliseconds.
fn clock(notes: &str, agent: &str) -> (f64, f64) {
    let (_, after) = notes.split_once(&format!("agent {agent}: ")).expect("the agent");
    (number_after(after, "clock "), number_after(after, "(± "))
}

/// The first number after these words.
fn number_after(text: &str, words: &str) -> f64 {
    let (_, after) = text.split_once(words).expect("the words");
    let number = after.split(' ').next().expect("a number");
    number.parse().expect("a number")
}
