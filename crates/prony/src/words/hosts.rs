//! Errors of servers on other hosts.

use super::{assert_golden, check, record, text};
use model::units::Bytes;

/// What is wrong with another host, in all kinds.
#[rustfmt::skip]
fn troubles() -> Vec<sut::HostTrouble> {
    use sut::HostTrouble::*;
    use sut::SshTrouble;
    let kinds = [
        SshTrouble::NoSsh, SshTrouble::Name, SshTrouble::Silence, SshTrouble::Key, SshTrouble::Login,
        SshTrouble::Program,
    ];
    let mut all = Vec::from(kinds.map(|kind| Ssh { kind, said: text(2) }));
    all.extend([
        NotGiven,
        OtherArchitecture { there: text(2) }, ForeignProgram { there: text(2) },
        DiskFull { needed: Bytes(20 << 20), free: Bytes(10 << 20) },
        NoJava { release: 21, found: vec![11, 17] }, NoJava { release: 21, found: Vec::new() },
        Container, Link,
        Unreachable { address: [10, 0, 0, 2].into(), why: text(2) },
        Strange, Cut,
        Failed { message: text(2), hint: Some("问 Q3".to_owned()), log: Vec::new() },
        Failed { message: text(2), hint: None, log: Vec::new() },
    ]);
    all
}

#[test]
fn errors_of_hosts_say_the_same_in_both_languages() {
    for trouble in troubles() {
        let host = text(1);
        match trouble {
            sut::HostTrouble::Failed { .. } => record(&sut::Error::Host(sut::HostError { host, trouble })),
            trouble => check(sut::Error::Host(sut::HostError { host, trouble })),
        }
    }
    assert_golden("errors_of_hosts");
}
