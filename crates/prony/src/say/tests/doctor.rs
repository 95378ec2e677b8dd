//! What `prony doctor` finds says the same in both languages.

use super::{check_lines, io_error, text, words};
use crate::say::doctor::{Check, CheckStatus, MachineCheck};
use model::cpus::CpuSplit;
use model::isolation::{Isolation, NotSeparated};
use model::machine::GeneratorPriority;
use model::units::Bytes;
use probe::topology::Turbo;
use report::Lang;

#[test]
#[rustfmt::skip]
fn findings_of_the_doctor_say_the_same_in_both_languages() {
    let path = || text(1).into();
    let machine = Check::Machine;
    let split = || CpuSplit { generator: vec![3], servers: vec![0, 1, 2] };
    let isolation = |split: Option<CpuSplit>| Isolation {
        shared: split.is_none().then_some(NotSeparated::FewCpus { usable: 2, online: 8 }),
        split,
    };
    let findings = [
        (CheckStatus::Ok, Check::Jdk { vendor: text(1), version: text(2), home: "Q3".into() }),
        (CheckStatus::Missing, Check::NoJdk),
        (CheckStatus::Ok, Check::Maven(Ok(text(1)))),
        (CheckStatus::Missing, Check::Maven(Err(sut::Error::NoMaven { program: text(1) }))),
        (CheckStatus::Warn, Check::Pip { path: None, releases: vec![17, 21] }),
        (CheckStatus::Ok, Check::Pip { path: Some(path()), releases: vec![17, 21] }),
        (CheckStatus::Warn, Check::Cpus(1)),
        (CheckStatus::Warn, machine(MachineCheck::Isolation(isolation(None)))),
        (CheckStatus::Ok, machine(MachineCheck::Isolation(isolation(Some(split()))))),
        (CheckStatus::Warn, machine(MachineCheck::Smt { separated: false })),
        (CheckStatus::Ok, machine(MachineCheck::Smt { separated: true })),
        (CheckStatus::Warn, machine(MachineCheck::Governor("powersave".to_owned()))),
        (CheckStatus::Ok, machine(MachineCheck::Governor("performance".to_owned()))),
        (CheckStatus::Warn, machine(MachineCheck::Turbo(Turbo::Intel { on: true }))),
        (CheckStatus::Warn, machine(MachineCheck::Turbo(Turbo::Boost { on: true }))),
        (CheckStatus::Ok, machine(MachineCheck::Turbo(Turbo::Boost { on: false }))),
        (CheckStatus::Ok, machine(MachineCheck::Virtual(Some(text(1))))),
        (CheckStatus::Warn, Check::Memory(Some(Bytes(1 << 20)))),
        (CheckStatus::Warn, Check::Memory(None)),
        (CheckStatus::Warn, Check::Noise { busy: 0.5, steal: 0.25 }),
        (CheckStatus::Ok, Check::Noise { busy: 0.25, steal: 0.12 }),
        (CheckStatus::Ok, Check::Priority(GeneratorPriority::Raised { nice: -15 })),
        (CheckStatus::Ok, Check::Priority(GeneratorPriority::RealTimeAtRates { priority: 1, nice: -15 })),
        (CheckStatus::Ok, Check::Priority(GeneratorPriority::RealTime { priority: 12 })),
        (CheckStatus::Warn, Check::Priority(GeneratorPriority::Usual { nice: 10 })),
        (CheckStatus::Warn, Check::Files { now: Some(1024), most: Some(4096) }),
        (CheckStatus::Ok, Check::Files { now: Some(1024), most: None }),
        (CheckStatus::Warn, Check::Ports(Some([50_000, 60_000]))),
        (CheckStatus::Ok, Check::Ports(Some([30_000, 60_000]))),
        (CheckStatus::Missing, Check::NoPorts(io_error())),
        (CheckStatus::Warn, Check::Cgroup(None)),
        (CheckStatus::Missing, Check::Cache { path: path(), refused: Some(io_error()) }),
        (CheckStatus::Warn, Check::Somaxconn(Some(128))),
        (CheckStatus::Ok, Check::SynRetries(vec![11, 13])),
        (CheckStatus::Ok, Check::Pressure(false)),
        (CheckStatus::Ok, Check::Pressure(true)),
        (CheckStatus::Ok, Check::Cpus(12)),
        (CheckStatus::Ok, machine(MachineCheck::Turbo(Turbo::Intel { on: false }))),
        (CheckStatus::Ok, machine(MachineCheck::Virtual(None))),
        (CheckStatus::Ok, Check::Memory(Some(Bytes(4 << 30)))),
        (CheckStatus::Ok, Check::Ports(None)),
        (CheckStatus::Ok, Check::Cgroup(Some("v2"))),
        (CheckStatus::Ok, Check::Cache { path: path(), refused: None }),
        (CheckStatus::Ok, Check::Somaxconn(None)),
        (CheckStatus::Ok, Check::Somaxconn(Some(4096))),
    ];
    for (mark, finding) in findings {
        assert_eq!(finding.mark(), mark, "{finding:?}");
        check_lines(&finding.text(Lang::En), &finding.text(Lang::Zh));
    }
    words::assert_golden("findings_of_the_doctor");
}
