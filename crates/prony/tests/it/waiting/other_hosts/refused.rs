//! What cannot work on another host is said before anything is measured, with what to do.
//!
//! Real servers: there is no JDK or no WAR for it.

use super::{COMMAND, FILE, Rig};
use crate::fixture::with_slow_arms;
use crate::home::Ended;

/// Asserts that a run was refused with these words and a hint.
pub(super) fn assert_refused(ended: &Ended, words: &[&str]) {
    assert_eq!(ended.code, Some(3), "{}", ended.stderr);
    for word in words.iter().chain(&["hint: "]) {
        assert!(ended.stderr.contains(word), "`{word}` is missing in: {}", ended.stderr);
    }
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
        let ended = rig.run(&FILE.replace("ssh://box", &format!("ssh://{name}")));
        assert_refused(&ended, &["there", name, words]);
    }
    rig.assert_nothing_left();
}

#[test]
fn a_machine_that_is_off_is_told() {
    let Some(mut rig) = Rig::new() else { return };
    rig.host.stop();
    let ended = rig.run(FILE);
    assert_refused(&ended, &["there", "box"]);
}

#[test]
fn a_host_without_java_is_told() {
    let Some(rig) = Rig::new() else { return };
    rig.host.inside("mount -t tmpfs none /usr/lib/jvm").expect("hidden");
    let ended = rig.run(&FILE.replace("FIXTURE, host", "server = \"tomcat:10.1.29\", host"));
    assert_refused(&ended, &["there", "box", "JDK"]);
    rig.assert_nothing_left();
}

#[test]
fn a_missing_war_is_told() {
    let Some(rig) = Rig::new() else { return };
    let text = FILE.replace("FIXTURE, host", "server = \"tomcat:10.1.29\", war = \"missing.war\", host");
    let ended = rig.run(&text);
    assert_eq!(ended.code, Some(2), "a mistake in the file");
    assert!(ended.stderr.contains("missing.war is not a WAR: No such file"), "{}", ended.stderr);
    rig.assert_nothing_left();
}

#[test]
fn a_full_disk_there_is_told() {
    let Some(rig) = Rig::new() else { return };
    rig.host
        .inside("mkdir -p /root/.cache && mount -t tmpfs -o size=2M none /root/.cache")
        .expect("a small disk");
    let ended = rig.run(FILE);
    assert_refused(&ended, &["there", "box", "its disk has no room", "2.0 MiB are free"]);
    rig.assert_nothing_left();
}

#[test]
fn a_server_that_fails_to_start_there_shows_the_end_of_its_log() {
    let Some(rig) = Rig::new() else { return };
    let here = rig.home.path().join("fixture").display().to_string();
    let script = format!(
        "#!/bin/sh\n[ $(hostname) = box ] && echo 'no licence for this machine' >&2 && exit 3\nexec {here} \"$@\"\n"
    );
    rig.home.executable("serve", &script);
    let ended = rig.run(&FILE.replace("FIXTURE", COMMAND));
    assert_refused(&ended, &["there", "no licence for this machine"]);
    rig.assert_nothing_left();
}

#[test]
fn a_server_that_listens_on_its_own_loopback_is_told_of_it() {
    let Some(rig) = Rig::new() else { return };
    let ended = rig.run(&with_slow_arms(FILE).replace("{host}", "127.0.0.1"));
    assert_refused(&ended, &["there", "loopback only", "0.0.0.0"]);
    rig.assert_nothing_left();
}
