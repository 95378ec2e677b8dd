//! What `--help` says is part of the contract.

use crate::home::Home;

#[test]
fn help_of_every_command() {
    let home = Home::empty();
    let mut shown = String::new();
    for arguments in [
        &["--help"] as &[&str],
        &["run", "--help"],
        &["compare", "--help"],
        &["load", "--help"],
        &["wrk", "--help"],
        &["ab", "--help"],
        &["calibrate", "aa", "--help"],
        &["calibrate", "power", "--help"],
        &["report", "--help"],
    ] {
        let ended = home.run(arguments);
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        shown.push_str(&format!("=== prony {}\n{}\n", arguments.join(" "), ended.stdout));
    }
    assert!(!shown.contains("__guard"));
    insta::assert_snapshot!(shown);
}

#[test]
fn doctor_names_what_this_machine_has() {
    let ended = Home::empty().run(&["doctor"]);
    assert_eq!(ended.code, Some(0), "{}{}", ended.stdout, ended.stderr);
    for what in [
        "JDK",
        "Maven",
        "CPUs",
        "memory",
        "descriptors",
        "ports",
        "cgroup",
        "somaxconn",
        "SYN retries",
    ] {
        assert!(
            ended.stdout.contains(what),
            "{what} is missing in:\n{}",
            ended.stdout
        );
    }
}

#[test]
fn an_empty_history_and_an_unknown_run_are_said() {
    let home = Home::empty();
    assert_eq!(home.run(&["history"]).code, Some(0));
    let ended = home.run(&["report", "2026"]);
    assert_eq!(ended.code, Some(2), "{}", ended.stderr);
    assert!(ended.stderr.contains("hint: `prony history`"), "{}", ended.stderr);
}
