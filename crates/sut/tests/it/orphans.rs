//! Whatever ends prony ends its servers, too.

use crate::common::{eventually, files, lives, site, spec};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

#[test]
fn a_killed_parent_leaves_no_jvm_and_clean_removes_the_rest() {
    drop(spec("10.1.29")); // This fetches and builds the server, if this test is the first.
    let parent = Command::new(env!("CARGO_BIN_EXE_sut-helper"))
        .arg("serve")
        .arg(site().cache)
        .stdout(Stdio::piped())
        .spawn();
    let mut parent = parent.expect("the helper starts");
    let mut line = String::new();
    let stdout = parent.stdout.take().expect("piped");
    BufReader::new(stdout).read_line(&mut line).expect("read");
    let jvm: u32 = line.trim().parse().expect("a process id");
    assert!(lives(jvm));

    parent.kill().and_then(|()| parent.wait()).expect("killed");
    eventually("the end of the JVM", || !lives(jvm));

    let prefix = format!("{}-", parent.id());
    let left = || {
        let work = files(&site().cache.join("work"));
        work.iter().any(|file| file.iter().any(|part| part.to_string_lossy().starts_with(&prefix)))
    };
    assert!(left(), "the killed parent could not remove its folder");
    sut::work::clean(&site().cache).expect("cleaned");
    assert!(!left());
}

#[test]
fn a_guard_refuses_another_parent_and_names_a_program_that_it_cannot_start() {
    let guard = |parent: &str, program: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_sut-helper")).args(["guard", parent, program]).output();
        let output = output.expect("the helper starts");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let own = std::process::id().to_string();
    assert_eq!(guard(&own, "true").0, Some(0));
    assert_eq!(guard("999999999", "true").0, Some(126));
    assert_eq!(guard("nobody", "true").0, Some(2));
    let (code, message) = guard(&own, "/nowhere/java");
    assert_eq!(code, Some(127));
    assert!(message.starts_with("guard: /nowhere/java cannot be started: "), "{message}");
}
