//! What the kernel does to keep a control group within its limits: its files, in version 1 and version 2.

use model::telemetry::LimitTotals;
use model::units::Nanos;
use std::fs;
use std::path::PathBuf;

/// The folders of a server's control groups, where it has any with limits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Folders {
    /// Of the group that divides CPU time.
    pub cpu: Option<PathBuf>,
    /// Of the group that counts memory.
    pub memory: Option<PathBuf>,
}

impl Folders {
    /// The totals now; `None` without a group. What a kernel does not count is 0.
    pub fn totals(&self) -> Option<LimitTotals> {
        if self.cpu.is_none() && self.memory.is_none() {
            return None;
        }
        let text = |folder: &Option<PathBuf>, file: &str| {
            let path = folder.as_ref()?.join(file);
            fs::read_to_string(path).ok()
        };
        let cpu = text(&self.cpu, "cpu.stat").unwrap_or_default();
        // Version 2 has all events in one file.
        let events = text(&self.memory, "memory.events");
        let kills = events
            .clone()
            .or_else(|| text(&self.memory, "memory.oom_control"));
        let hits = match events {
            Some(events) => field(&events, "max"),
            None => text(&self.memory, "memory.failcnt").and_then(|count| count.trim().parse().ok()),
        };
        Some(LimitTotals {
            periods: field(&cpu, "nr_periods").unwrap_or(0),
            throttled_periods: field(&cpu, "nr_throttled").unwrap_or(0),
            throttled: throttled(&cpu),
            memory_hits: hits.unwrap_or(0),
            oom_kills: kills.and_then(|text| field(&text, "oom_kill")).unwrap_or(0),
        })
    }
}

/// Version 1 counts nanoseconds, version 2 microseconds.
fn throttled(stat: &str) -> Nanos {
    let micros = || field(stat, "throttled_usec").map(|micros| micros.saturating_mul(1000));
    Nanos(field(stat, "throttled_time").or_else(micros).unwrap_or(0))
}

/// `NAME NUMBER` on a line of its own.
fn field(text: &str, name: &str) -> Option<u64> {
    let value = |line: &str| line.strip_prefix(name)?.strip_prefix(' ')?.trim().parse().ok();
    text.lines().find_map(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_versions_are_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let put = |file: &str, text: &str| fs::write(folder.path().join(file), text).expect("written");
        let folders = Folders {
            cpu: Some(folder.path().to_owned()),
            memory: Some(folder.path().to_owned()),
        };
        let expected = LimitTotals {
            periods: 8,
            throttled_periods: 3,
            throttled: Nanos(1_500_000_000),
            memory_hits: 7,
            oom_kills: 2,
        };
        put(
            "cpu.stat",
            "nr_periods 8\nnr_throttled 3\nthrottled_time 1500000000\n",
        );
        put("memory.failcnt", "7\n");
        put(
            "memory.oom_control",
            "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n",
        );
        assert_eq!(folders.totals(), Some(expected), "version 1");
        put(
            "cpu.stat",
            "usage_usec 9\nnr_periods 8\nnr_throttled 3\nthrottled_usec 1500000\n",
        );
        put("memory.events", "low 0\nhigh 0\nmax 7\noom 1\noom_kill 2\n");
        fs::remove_file(folder.path().join("memory.failcnt")).expect("removed");
        assert_eq!(folders.totals(), Some(expected), "version 2");
        assert_eq!(Folders::default().totals(), None);
    }
}
