//! `prony doctor`: checks whether this machine has what prony needs, and says what to do about each problem.

mod check;
mod machine;

use super::SubCommand;
use crate::call::Call;
use crate::failure::{Code, Failure};
use crate::home::Home;
use crate::language;
use crate::output::print;
use crate::stored_run::generator_priority;
use check::{Check, CheckStatus};
use clap::Args;
use machine::MachineCheck;
use model::isolation::IsolationRequest;
use model::units::{Bytes, Cpus};
use probe::host;
use probe::topology::{self, FrequencyControl};
use std::net::TcpListener;

/// Check whether this machine has what prony needs.
#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {}

impl SubCommand for DoctorArgs {
    /// Prints all checks. Fails if something is missing without which nothing runs.
    fn run(&self, _: &Call) -> Result<(), Failure> {
        let home = Home::find()?;
        let mut checks = jdks();
        checks.extend([Check::Maven(sut::maven::version()), pip(), Check::Cpus(host::cpus())]);
        checks.extend(cpus().into_iter().map(Check::Machine));
        checks.extend([
            Check::Memory(host::available_memory().map(Bytes)),
            noise(),
            Check::Priority(generator_priority()),
            files(),
            ports(),
            Check::Cgroup(Some(host::cgroup()).filter(|kind| *kind != "none")),
            cache(home),
        ]);
        checks.extend(kernel());
        let lang = language::from_locale();
        let text: String = checks.iter().map(|check| check.text(lang)).collect();
        print(&text)?;
        if checks.iter().any(|check| check.mark() == CheckStatus::Missing) {
            return Err(Failure::reported(Code::Start));
        }
        Ok(())
    }
}

fn jdks() -> Vec<Check> {
    let jdks = sut::jdk::jdks();
    let none = !jdks.iter().any(|jdk| jdk.major >= 17);
    let jdks =
        jdks.into_iter().map(|jdk| Check::Jdk { vendor: jdk.vendor, version: jdk.version, home: jdk.home });
    jdks.chain(none.then_some(Check::NoJdk)).collect()
}

/// Checks for pip, which only arms need that ask for a JDK which is not installed.
fn pip() -> Check {
    Check::Pip { path: sut::Pip::from_env().find(), releases: sut::jdk::fetched::releases() }
}

/// Looks at who would use which CPUs in a run with one event loop, and at what changes their speed, as far as this machine shows it.
fn cpus() -> Vec<MachineCheck> {
    let request = IsolationRequest { loops: 1, shared: false, obstacle: None, limit: Cpus(0.0) };
    let usable = topology::usable_cpus();
    let isolation = model::isolation::isolate(request, &usable, topology::online(), model::cpus::LEAST);
    let separated = isolation.split.is_some();
    let control = FrequencyControl::read();
    let facts = host::fingerprint();
    let is = |fact: &str, value: &str| facts.get(fact).is_some_and(|is| is == value);
    let mut checks = vec![MachineCheck::Isolation(isolation)];
    checks.extend(is("smt", "1").then_some(MachineCheck::Smt { separated }));
    checks.extend(control.governor.map(MachineCheck::Governor));
    checks.extend(control.turbo.map(MachineCheck::Turbo));
    checks.extend(is("hypervisor", "true").then(|| MachineCheck::Virtual(topology::product())));
    checks
}

/// Measures for half a second how busy other processes keep the CPUs.
fn noise() -> Check {
    let before = host::CpuTicks::now();
    std::thread::sleep(std::time::Duration::from_millis(500));
    let after = host::CpuTicks::now();
    Check::Noise {
        busy: 1.0 - after.share_since(&before, |ticks| ticks.idle),
        steal: after.share_since(&before, |ticks| ticks.steal),
    }
}

fn files() -> Check {
    let (now, most) = host::open_files();
    Check::Files { now, most }
}

fn ports() -> Check {
    if let Err(error) = TcpListener::bind(("127.0.0.1", 0)) {
        return Check::NoPorts(error);
    }
    let range = host::sysctl("net/ipv4/ip_local_port_range").unwrap_or_default();
    let ends: Vec<u64> = range.split(' ').filter_map(|end| end.parse().ok()).collect();
    Check::Ports(ends.try_into().ok())
}

fn cache(home: Home) -> Check {
    let probe = home.cache.join(".doctor");
    let written = std::fs::create_dir_all(&home.cache).and_then(|()| std::fs::write(&probe, "x"));
    let _ = std::fs::remove_file(&probe);
    Check::Cache { path: home.cache, refused: written.err() }
}

fn kernel() -> [Check; 3] {
    let number = |name: &str| host::sysctl(name).and_then(|value| value.parse::<u64>().ok());
    [
        Check::Somaxconn(number("net/core/somaxconn")),
        Check::SynRetries(syn_retries(number("net/ipv4/tcp_syn_linear_timeouts"))),
        Check::Pressure(host::psi_cpu_some().is_some()),
    ]
}

/// Returns the seconds, from the first SYN on, after which the kernel sends a SYN again that found a full accept queue. The first
/// `linear` gaps are one second each, then every gap is twice the last.
fn syn_retries(linear: Option<u64>) -> Vec<u64> {
    let linear = linear.unwrap_or(0);
    let mut at = 0;
    let mut gap = 1;
    let times = (0..6).map(|retry| {
        at += gap;
        if retry >= linear {
            gap *= 2;
        }
        at
    });
    times.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::{assert_golden, check_lines, io_error, text};
    use model::cpus::CpuSplit;
    use model::isolation::{Isolation, NotSeparated};
    use model::machine::GeneratorPriority;
    use probe::topology::Turbo;

    #[test]
    fn syn_retries_follow_the_kernels_setting() {
        assert_eq!(syn_retries(Some(4)), [1, 2, 3, 4, 5, 7]);
        assert_eq!(syn_retries(None), [1, 3, 7, 15, 31, 63]);
    }

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
            check_lines(|lang| finding.text(lang));
        }
        assert_golden("findings_of_the_doctor");
    }
}
