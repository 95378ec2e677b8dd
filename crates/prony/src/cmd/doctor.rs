//! `prony doctor`: what this machine has and lacks for measuring, each line with what to do about it.

use crate::failure::{Code, Failure};
use crate::home::Home;
use crate::output::{self, print};
use crate::say::doctor::{Finding, Mark};
use model::units::Bytes;
use probe::host;
use std::net::TcpListener;

/// Prints all findings; fails when something is missing without which nothing runs.
pub(crate) fn run() -> Result<(), Failure> {
    let home = Home::find()?;
    let mut findings = jdks();
    findings.extend([
        Finding::Maven(sut::maven::version()),
        pip(),
        Finding::Cpus(host::cpus()),
        Finding::Memory(host::available_memory().map(Bytes)),
        noise(),
        files(),
        ports(),
        Finding::Cgroup(Some(host::cgroup()).filter(|kind| *kind != "none")),
        cache(home),
    ]);
    findings.extend(kernel());
    let lang = output::of_locale();
    let text: String = findings.iter().map(|finding| finding.text(lang)).collect();
    print(&text)?;
    if findings.iter().any(|finding| finding.mark() == Mark::Missing) {
        return Err(Failure::said(Code::Start));
    }
    Ok(())
}

fn jdks() -> Vec<Finding> {
    let jdks = sut::jdk::jdks();
    let none = !jdks.iter().any(|jdk| jdk.major >= 17);
    let jdks = jdks.into_iter().map(|jdk| Finding::Jdk {
        vendor: jdk.vendor,
        version: jdk.version,
        home: jdk.home,
    });
    jdks.chain(none.then_some(Finding::NoJdk)).collect()
}

/// Only arms that ask for a JDK which is not installed need it.
fn pip() -> Finding {
    Finding::Pip {
        path: sut::Pip::from_env().find(),
        releases: sut::jdk::fetched::releases(),
    }
}

/// What else runs: half a second of everybody's CPU.
fn noise() -> Finding {
    let before = host::CpuTicks::now();
    std::thread::sleep(std::time::Duration::from_millis(500));
    let after = host::CpuTicks::now();
    Finding::Noise {
        busy: 1.0 - after.share_since(&before, |ticks| ticks.idle),
        steal: after.share_since(&before, |ticks| ticks.steal),
    }
}

fn files() -> Finding {
    let (now, most) = host::open_files();
    Finding::Files { now, most }
}

fn ports() -> Finding {
    if let Err(error) = TcpListener::bind(("127.0.0.1", 0)) {
        return Finding::NoPorts(error);
    }
    let range = host::sysctl("net/ipv4/ip_local_port_range").unwrap_or_default();
    let ends: Vec<u64> = range.split(' ').filter_map(|end| end.parse().ok()).collect();
    Finding::Ports(ends.try_into().ok())
}

fn cache(home: Home) -> Finding {
    let probe = home.cache.join(".doctor");
    let written = std::fs::create_dir_all(&home.cache).and_then(|()| std::fs::write(&probe, "x"));
    let _ = std::fs::remove_file(&probe);
    Finding::Cache {
        path: home.cache,
        refused: written.err(),
    }
}

fn kernel() -> [Finding; 3] {
    let number = |name: &str| host::sysctl(name).and_then(|value| value.parse::<u64>().ok());
    [
        Finding::Somaxconn(number("net/core/somaxconn")),
        Finding::SynRetries(syn_retries(number("net/ipv4/tcp_syn_linear_timeouts"))),
        Finding::Pressure(host::psi_cpu_some().is_some()),
    ]
}

/// Seconds after which a SYN that found a full accept queue is sent again: after each of the linear timeouts, then doubling.
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

    #[test]
    fn syn_retries_follow_the_kernels_setting() {
        assert_eq!(syn_retries(Some(4)), [1, 2, 3, 4, 5, 7]);
        assert_eq!(syn_retries(None), [1, 3, 7, 15, 31, 63]);
    }
}
