//! What cannot work on another host is said before anything is measured, with what to do.

use super::{FILE, Rig};
use crate::home::Ended;

/// Asserts that a run was refused with these words and a hint.
fn assert_refused(ended: &Ended, words: &[&str]) {
    assert_eq!(ended.code, Some(3), "{}", ended.stderr);
    for word in words.iter().chain(&["hint: "]) {
        assert!(
            ended.stderr.contains(word),
            "`{word}` is missing in: {}",
            ended.stderr
        );
    }
    eprintln!("{}", ended.stderr);
}

#[test]
fn a_login_that_fails_is_told_in_the_words_of_ssh() {
    let Some(rig) = Rig::new() else { return };
    let aliases = [
        ("closed", "Port 9"),
        ("unknown", "UserKnownHostsFile /dev/null"),
        ("stranger", "User stranger"),
        ("unresolved", "HostName no-such-host.invalid"),
    ];
    for (name, settings) in aliases {
        rig.hosts.alias(name, &rig.host, settings).expect("an alias");
    }
    for (name, words) in [
        ("closed", "Connection refused"),
        ("unknown", "Host key verification failed"),
        ("stranger", "Permission denied (publickey)"),
        ("unresolved", "Could not resolve hostname"),
    ] {
        let started = std::time::Instant::now();
        let ended = rig.run(&FILE.replace("ssh://box", &format!("ssh://{name}")));
        eprintln!("--- {name} {:?}", started.elapsed());
        assert_refused(&ended, &["there", name, words]);
    }
    rig.assert_nothing_left();
}

#[test]
fn a_machine_that_is_off_is_told() {
    let Some(mut rig) = Rig::new() else { return };
    rig.host.stop();
    let started = std::time::Instant::now();
    let ended = rig.run(FILE);
    eprintln!("--- off {:?}", started.elapsed());
    assert_refused(&ended, &["there", "box"]);
}

#[test]
fn a_host_without_java_is_told() {
    let Some(rig) = Rig::new() else { return };
    rig.host
        .inside("mount -t tmpfs none /usr/lib/jvm")
        .expect("hidden");
    let ended = rig.run(FILE);
    assert_refused(&ended, &["there", "box", "JDK"]);
    rig.assert_nothing_left();
}

#[test]
fn a_full_disk_there_is_told() {
    let Some(rig) = Rig::new() else { return };
    rig.host
        .inside("mkdir -p /root/.cache && mount -t tmpfs -o size=2M none /root/.cache")
        .expect("a small disk");
    let ended = rig.run(FILE);
    assert_refused(&ended, &["there", "box", "No space left on device"]);
    rig.assert_nothing_left();
}

#[test]
fn a_missing_war_is_told() {
    let Some(rig) = Rig::new() else { return };
    let ended = rig.run(&FILE.replace("10.1.29\", host", "10.1.29\", war = \"missing.war\", host"));
    assert_refused(&ended, &["there", "missing.war"]);
    rig.assert_nothing_left();
}

#[test]
fn a_server_that_fails_to_start_there_shows_the_end_of_its_log() {
    let Some(rig) = Rig::new() else { return };
    let ended = rig.run(&FILE.replace("host =", "jvm_options = [\"-XX:+NoSuchOption\"], host ="));
    assert_refused(&ended, &["there", "Unrecognized VM option 'NoSuchOption'"]);
    rig.assert_nothing_left();
}
