//! The host: its fingerprint (hardware, kernel and settings), and readings of what happens on it during a measurement.

use crate::read;
use crate::topology::{self, FrequencyControl};
use std::collections::BTreeMap;

/// Clock ticks of all CPUs since boot, from `/proc/stat`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CpuTicks {
    /// All ticks, idle time included.
    pub total: u64,
    /// Ticks in which a CPU was idle, also while a task waited for a disk.
    pub idle: u64,
    /// Ticks spent in interrupts, mostly on network packets. They are not counted as CPU time of any process.
    pub interrupts: u64,
    /// Ticks that the hypervisor gave to other virtual machines.
    pub steal: u64,
}

impl CpuTicks {
    /// The ticks until now; all 0 where there is no `/proc/stat`.
    pub fn now() -> Self {
        read("/proc/stat").ok().and_then(|text| Self::parse(&text)).unwrap_or_default()
    }

    /// Parses the first line of `/proc/stat`; `None` when it is not in the known format.
    fn parse(text: &str) -> Option<Self> {
        let fields: Vec<u64> = text
            .lines()
            .next()?
            .strip_prefix("cpu ")?
            .split_whitespace()
            .map_while(|f| f.parse().ok())
            .collect();
        // The columns are user nice system idle iowait irq softirq steal guest …; guest time is contained in user.
        let total = fields.iter().take(8).sum();
        Some(Self {
            total,
            idle: fields.get(3)? + fields.get(4)?,
            interrupts: fields.get(5)? + fields.get(6)?,
            steal: *fields.get(7)?,
        })
    }

    /// The share of one kind of ticks (`pick` chooses it) in all ticks since `earlier`, 0 to 1.
    pub fn share_since(&self, earlier: &Self, pick: impl Fn(&Self) -> u64) -> f64 {
        let total = self.total.saturating_sub(earlier.total);
        if total == 0 { 0.0 } else { pick(self).saturating_sub(pick(earlier)) as f64 / total as f64 }
    }
}

/// Microseconds since boot in which at least one task waited for a CPU (pressure stall information); `None` when the
/// kernel does not provide it.
pub fn psi_cpu_some() -> Option<u64> {
    let text = read("/proc/pressure/cpu").ok()?;
    text.lines().find(|line| line.starts_with("some"))?.split("total=").nth(1)?.trim().parse().ok()
}

/// The number of tasks that run or wait for a CPU at this moment, on all CPUs. The calling thread is one of them.
pub fn run_queue() -> Option<u64> {
    runnable(&read("/proc/loadavg").ok()?)
}

/// The first number of the fourth field of `/proc/loadavg`, which is `running/all`.
fn runnable(loadavg: &str) -> Option<u64> {
    let (running, _) = loadavg.split_whitespace().nth(3)?.split_once('/')?;
    running.parse().ok()
}

/// Memory that programs can still allocate without swapping, bytes.
pub fn available_memory() -> Option<u64> {
    meminfo("MemAvailable:")
}

/// Total memory of this machine, bytes.
pub fn memory() -> Option<u64> {
    meminfo("MemTotal:")
}

/// A value of `/proc/meminfo` in bytes.
fn meminfo(key: &str) -> Option<u64> {
    let text = read("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kib| kib * 1024)
}

/// The number of CPUs that this process may use.
pub fn cpus() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Whether the kernel leaves other programs a part of each CPU that a thread with a real-time priority would use
/// (`sched_rt_runtime_us`): not where that is -1. With 0 there are no real-time priorities at all.
pub fn bounds_real_time() -> bool {
    let runtime = sysctl("kernel/sched_rt_runtime_us").and_then(|runtime| runtime.parse::<i64>().ok());
    runtime.is_some_and(|runtime| runtime > 0)
}

/// Settings of the kernel that can influence the results of a load test; they are part of the fingerprint.
pub const SYSCTLS: [&str; 9] = [
    "net/core/somaxconn",
    "net/ipv4/tcp_max_syn_backlog",
    "net/ipv4/ip_local_port_range",
    "net/ipv4/tcp_tw_reuse",
    "net/ipv4/tcp_syn_retries",
    "net/ipv4/tcp_syn_linear_timeouts",
    "net/ipv4/tcp_syncookies",
    "net/core/netdev_max_backlog",
    "vm/swappiness",
];

/// A setting of the kernel as text, with single spaces between several values; `None` when this kernel does not have it.
pub fn sysctl(name: &str) -> Option<String> {
    let text = read(&format!("/proc/sys/{name}")).ok()?;
    Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The versions of control groups that are mounted on this host.
pub fn cgroup() -> &'static str {
    let mounts = read("/proc/mounts").unwrap_or_default();
    let has = |kind: &str| mounts.lines().any(|line| line.split(' ').nth(2) == Some(kind));
    match (has("cgroup2"), has("cgroup")) {
        (true, false) => "v2",
        (true, true) => "hybrid (v1 controllers)",
        (false, true) => "v1",
        (false, false) => "none",
    }
}

/// The properties of the host that can influence a result, by name; `unknown` where one cannot be read.
pub fn fingerprint() -> BTreeMap<String, String> {
    let mut facts = BTreeMap::new();
    let mut put = |key: &str, value: Option<String>| {
        facts.insert(key.to_owned(), value.unwrap_or_else(|| "unknown".to_owned()));
    };
    let first = |path: &str| read(path).ok().and_then(|text| text.lines().next().map(str::to_owned));
    let cpuinfo = read("/proc/cpuinfo").unwrap_or_default();
    let cpu_field = |key: &str| {
        let line = cpuinfo.lines().find(|line| line.starts_with(key))?;
        line.split_once(':').map(|(_, value)| value.trim().to_owned())
    };
    put("arch", Some(std::env::consts::ARCH.to_owned()));
    put("cgroup", Some(cgroup().to_owned()));
    put("clocksource", first("/sys/devices/system/clocksource/clocksource0/current_clocksource"));
    put("cpu", cpu_field("model name"));
    put("cpus", Some(cpus().to_string()));
    put("cpus_online", first("/sys/devices/system/cpu/online"));
    let control = FrequencyControl::read();
    put("governor", control.governor.clone());
    put("hypervisor", Some(cpuinfo.contains(" hypervisor").to_string()));
    put("kernel", first("/proc/sys/kernel/osrelease"));
    put("memory_bytes", memory().map(|bytes| bytes.to_string()));
    put("os", os_name());
    put("smt", first("/sys/devices/system/cpu/smt/active"));
    put("swap_bytes", meminfo("SwapTotal:").map(|bytes| bytes.to_string()));
    put("transparent_hugepages", first("/sys/kernel/mm/transparent_hugepage/enabled"));
    put("steal_seen", Some((CpuTicks::now().steal > 0).to_string()));
    for name in SYSCTLS {
        put(name, sysctl(name));
    }
    // Most virtual machines do not show these, so their absence is no fact.
    let shown = control.facts();
    facts.extend(shown.map(|(name, fact)| (name.to_owned(), fact)));
    facts.extend(topology::product().map(|product| ("product".to_owned(), product)));
    facts
}

/// The name and version of the operating system.
fn os_name() -> Option<String> {
    let text = read("/etc/os-release").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(line.trim_matches('"').to_owned())
}

/// The soft and the hard limit of open files of this process; `None` means that there is no limit.
pub fn open_files() -> (Option<u64>, Option<u64>) {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile);
    (limit.current, limit.maximum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_read_from_their_columns() {
        let ticks = CpuTicks::parse("cpu  100 1 50 800 20 3 4 22 5 0\ncpu0 1 1").expect("a line");
        assert_eq!(ticks, CpuTicks { total: 1000, idle: 820, interrupts: 7, steal: 22 });
        let later = CpuTicks { total: 1100, idle: 830, interrupts: 7, steal: 32 };
        assert!((later.share_since(&ticks, |t| t.steal) - 0.1).abs() < 1e-12);
        assert_eq!(ticks.share_since(&ticks, |t| t.steal), 0.0);
    }

    #[test]
    fn the_run_queue_contains_the_thread_that_reads_it() {
        assert_eq!(runnable("0.52 0.58 0.59 3/94 9126\n"), Some(3));
        assert_eq!(runnable("0.52 0.58 0.59"), None);
        assert!(run_queue().is_some_and(|tasks| tasks >= 1));
    }

    #[test]
    fn the_fingerprint_describes_this_host() {
        let facts = fingerprint();
        assert!(facts.len() >= 20, "{facts:?}");
        assert_ne!(facts["kernel"], "unknown");
        assert_eq!(facts["cpus"], cpus().to_string());
    }
}
