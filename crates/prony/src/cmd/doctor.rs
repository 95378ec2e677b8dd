//! `prony doctor`: what this machine has and lacks for measuring, each line with what to do about it.

use crate::failure::{Code, Failure};
use crate::home::Home;
use crate::output::print;
use model::units::Bytes;
use probe::host;
use std::fmt::Write;
use std::net::TcpListener;

/// How a finding weighs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Ok,
    Warn,
    Missing,
}

#[derive(Clone)]
struct Finding {
    mark: Mark,
    what: &'static str,
    says: String,
    hint: Option<&'static str>,
}

impl Finding {
    fn ok(what: &'static str, says: impl Into<String>) -> Self {
        Self {
            mark: Mark::Ok,
            what,
            says: says.into(),
            hint: None,
        }
    }

    fn warn(what: &'static str, says: impl Into<String>, hint: &'static str) -> Self {
        Self {
            mark: Mark::Warn,
            what,
            says: says.into(),
            hint: Some(hint),
        }
    }

    fn missing(what: &'static str, says: impl Into<String>, hint: &'static str) -> Self {
        Self {
            mark: Mark::Missing,
            what,
            says: says.into(),
            hint: Some(hint),
        }
    }
}

/// Prints all findings; fails when something is missing without which nothing runs.
pub(crate) fn run() -> Result<(), Failure> {
    let home = Home::find()?;
    let findings = [
        jdks(),
        vec![
            maven(),
            pip(),
            cores(),
            memory(),
            noise(),
            files(),
            ports(),
            cgroup(),
            folder(&home),
        ],
        kernel(),
    ]
    .concat();
    let mut out = String::new();
    for finding in &findings {
        let mark = match finding.mark {
            Mark::Ok => "ok     ",
            Mark::Warn => "warn   ",
            Mark::Missing => "MISSING",
        };
        let _ = writeln!(out, "{mark} {:<12} {}", finding.what, finding.says);
        if let Some(hint) = finding.hint {
            let _ = writeln!(out, "{:<20} hint: {hint}", "");
        }
    }
    print(&out)?;
    if findings.iter().any(|finding| finding.mark == Mark::Missing) {
        return Err(Failure::said(Code::Start));
    }
    Ok(())
}

fn jdks() -> Vec<Finding> {
    let jdks = sut::jdk::jdks();
    let mut findings: Vec<Finding> = jdks
        .iter()
        .map(|jdk| {
            Finding::ok(
                "JDK",
                format!("{} {} in {}", jdk.vendor, jdk.version, jdk.home.display()),
            )
        })
        .collect();
    if !jdks.iter().any(|jdk| jdk.major >= 17) {
        let hint = "apt-get install default-jdk-headless, or set JAVA_HOME";
        findings.push(Finding::missing("JDK", "none of version 17 or newer", hint));
    }
    findings
}

fn maven() -> Finding {
    match sut::maven::version() {
        Ok(version) => Finding::ok("Maven", version),
        Err(error) => Finding::missing(
            "Maven",
            error.to_string(),
            "apt-get install maven, or set PRONY_MVN",
        ),
    }
}

/// Only arms that ask for a JDK which is not installed need it.
fn pip() -> Finding {
    let releases = sut::jdk::fetched::releases();
    let releases: Vec<String> = releases.iter().map(u32::to_string).collect();
    let fetched = format!(
        "to fetch the JDKs {} where they are not installed",
        releases.join(", ")
    );
    match sut::Pip::from_env().find() {
        Some(pip) => Finding::ok("pip", format!("{}, {fetched}", pip.display())),
        None => Finding::warn(
            "pip",
            format!("missing, {fetched}"),
            "apt-get install python3-pip, if an arm asks for such a `jdk`",
        ),
    }
}

fn cores() -> Finding {
    let cpus = host::cpus();
    let says = format!("{cpus} CPUs");
    if cpus < 2 {
        return Finding::warn(
            "CPUs",
            says,
            "server and generator share one core: expect wide intervals",
        );
    }
    Finding::ok("CPUs", says)
}

fn memory() -> Finding {
    match host::available_memory() {
        Some(free) if free < 1 << 30 => Finding::warn(
            "memory",
            format!("{} free", Bytes(free)),
            "two servers of 256 MiB heap need about 1 GiB",
        ),
        Some(free) => Finding::ok("memory", format!("{} free", Bytes(free))),
        None => Finding::warn("memory", "unknown", "/proc/meminfo cannot be read"),
    }
}

/// What else runs: half a second of everybody's CPU.
fn noise() -> Finding {
    let before = host::CpuTicks::now();
    std::thread::sleep(std::time::Duration::from_millis(500));
    let after = host::CpuTicks::now();
    let busy = 1.0 - after.share_since(&before, |ticks| ticks.idle);
    let steal = after.share_since(&before, |ticks| ticks.steal);
    let says = format!(
        "{:.0} % of the CPUs busy, {:.0} % stolen by the hypervisor",
        100.0 * busy,
        100.0 * steal
    );
    if busy > 0.4 {
        return Finding::warn(
            "noise",
            says,
            "something else runs here; verdicts will take longer",
        );
    }
    Finding::ok("noise", says)
}

fn files() -> Finding {
    let (now, most) = host::open_files();
    let show = |limit: Option<u64>| limit.map_or_else(|| "unlimited".to_owned(), |limit| limit.to_string());
    let says = format!("{} open files, up to {}", show(now), show(most));
    if most.is_some_and(|most| most < 10_000) {
        return Finding::warn(
            "descriptors",
            says,
            "more than about 9,000 connections need `ulimit -n 20000`",
        );
    }
    Finding::ok("descriptors", says)
}

fn ports() -> Finding {
    let bound = TcpListener::bind(("127.0.0.1", 0));
    let range = host::sysctl("net/ipv4/ip_local_port_range").unwrap_or_default();
    let ends: Vec<u64> = range.split(' ').filter_map(|end| end.parse().ok()).collect();
    match (bound, ends.as_slice()) {
        (Err(error), _) => Finding::missing("ports", error.to_string(), "prony needs to listen on 127.0.0.1"),
        (Ok(_), &[low, high]) if high - low < 20_000 => Finding::warn(
            "ports",
            format!("{} ephemeral ports ({low} to {high})", high - low + 1),
            "widen net.ipv4.ip_local_port_range for loads that open many connections",
        ),
        (Ok(_), _) => Finding::ok("ports", format!("ephemeral {}", range.replace(' ', " to "))),
    }
}

fn cgroup() -> Finding {
    match host::cgroup() {
        "none" => Finding::warn("cgroup", "none", "limits of memory and CPU per arm will not work"),
        kind => Finding::ok("cgroup", kind),
    }
}

fn folder(home: &Home) -> Finding {
    let probe = home.cache.join(".doctor");
    let written = std::fs::create_dir_all(&home.cache).and_then(|()| std::fs::write(&probe, "x"));
    let _ = std::fs::remove_file(&probe);
    match written {
        Ok(()) => Finding::ok("cache", home.cache.display().to_string()),
        Err(error) => {
            let says = format!("{}: {error}", home.cache.display());
            Finding::missing("cache", says, "set PRONY_HOME to a folder that can be written")
        }
    }
}

fn kernel() -> Vec<Finding> {
    let number = |name: &str| host::sysctl(name).and_then(|value| value.parse::<u64>().ok());
    let mut findings = Vec::new();
    findings.push(match number("net/core/somaxconn") {
        Some(limit) if limit < 1024 => Finding::warn(
            "somaxconn",
            limit.to_string(),
            "caps every server's accept queue: sysctl -w net.core.somaxconn=4096",
        ),
        limit => Finding::ok(
            "somaxconn",
            limit.map_or_else(|| "unknown".to_owned(), |limit| limit.to_string()),
        ),
    });
    findings.push(Finding::ok(
        "SYN retries",
        syn_retries(number("net/ipv4/tcp_syn_linear_timeouts")),
    ));
    let psi = host::psi_cpu_some().map_or("no PSI: CPU waiting cannot be seen", |_| "PSI is there");
    findings.push(Finding::ok("pressure", psi));
    findings
}

/// When a SYN that found a full accept queue is sent again: after each of the linear timeouts, then doubling.
fn syn_retries(linear: Option<u64>) -> String {
    let linear = linear.unwrap_or(0);
    let mut at = 0;
    let mut gap = 1;
    let times = (0..6).map(|retry| {
        at += gap;
        if retry >= linear {
            gap *= 2;
        }
        at.to_string()
    });
    format!(
        "after {} s (a full accept queue shows as connects that long)",
        times.collect::<Vec<_>>().join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn syn_retries_follow_the_kernels_setting() {
        assert!(syn_retries(Some(4)).starts_with("after 1, 2, 3, 4, 5, 7 s"));
        assert!(syn_retries(None).starts_with("after 1, 3, 7, 15, 31, 63 s"));
    }
}
