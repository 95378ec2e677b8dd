//! The ways in which hosts are used: several of them, several arms on one, other clocks and other pronies there.

use super::{FILE, Rig};
use crate::home::Ended;
use serde_json::Value;

/// The fact about the host of an arm.
pub(super) fn host<'a>(report: &'a Value, arm: &str) -> &'a str {
    report["fingerprint"][format!("arm/{arm}/host")]
        .as_str()
        .unwrap_or_default()
}

#[test]
fn two_arms_may_share_a_host() {
    let Some(rig) = Rig::new() else { return };
    let report = rig
        .run(&FILE.replace(
            "10.1.29\" },",
            "10.1.29\", heap = \"200M\", host = \"ssh://box\" },",
        ))
        .report();
    for arm in ["here", "there"] {
        assert!(
            host(&report, arm).starts_with("ssh://box: "),
            "{}",
            host(&report, arm)
        );
    }
    rig.assert_nothing_left();
}

#[test]
fn each_arm_may_have_a_host_of_its_own() {
    let Some(mut rig) = Rig::new() else { return };
    let other = rig.hosts.add("other", None).expect("a host");
    let report = rig
        .run(&FILE.replace("10.1.29\" },", "10.1.29\", host = \"ssh://other\" },"))
        .report();
    assert!(host(&report, "here").starts_with("ssh://other: "));
    assert!(host(&report, "there").starts_with("ssh://box: "));
    assert_eq!(other.processes(), Vec::<String>::new());
    rig.assert_nothing_left();
}

#[test]
fn another_prony_there_does_not_matter() {
    let Some(rig) = Rig::new() else { return };
    let ours = env!("CARGO_BIN_EXE_prony");
    let mut program = std::fs::read(ours).expect("a program");
    program.extend(b"another version");
    let other = rig.home.executable("prony", "");
    std::fs::write(&other, program).expect("a program");
    let file = rig.home.file("other.toml", FILE);
    let mut command = rig.home.command(&other, &["run", &file, "--json"]);
    command.env("PRONY_SSH_CONFIG", rig.hosts.config());
    Ended::from(command.output().expect("it runs")).report();
    rig.run(FILE).report();
    rig.assert_nothing_left();
    eprintln!(
        "{}",
        rig.host.inside("find /root/.cache -maxdepth 4").expect("files")
    );
}
