//! What the kernel did to keep a control group within its limits, from the files of control groups of version 1 or 2.

use model::units::Nanos;
use record::telemetry::LimitTotals;
use std::fs;
use std::path::PathBuf;

/// The folders of the control groups that limit a server. In version 2 they can be one folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Folders {
    /// The folder of the group that limits CPU time, if there is one.
    pub cpu: Option<PathBuf>,
    /// The folder of the group that limits memory, if there is one.
    pub memory: Option<PathBuf>,
}

impl Folders {
    /// The totals since the groups were made; `None` without a group. A total that the kernel does not count is 0.
    pub fn totals(&self) -> Option<LimitTotals> {
        if self.cpu.is_none() && self.memory.is_none() {
            return None;
        }
        let text = |folder: &Option<PathBuf>, file: &str| {
            let path = folder.as_ref()?.join(file);
            fs::read_to_string(path).ok()
        };
        let cpu = text(&self.cpu, "cpu.stat").unwrap_or_default();
        // Version 2 counts both kinds of events in one file, version 1 in two.
        let events = text(&self.memory, "memory.events");
        let kills = events.clone().or_else(|| text(&self.memory, "memory.oom_control"));
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

/// The time for which the group was throttled. Version 1 counts it in nanoseconds, version 2 in microseconds.
fn throttled(stat: &str) -> Nanos {
    let micros = || field(stat, "throttled_usec").map(|micros| micros.saturating_mul(1000));
    Nanos(field(stat, "throttled_time").or_else(micros).unwrap_or(0))
}

/// The number on the line `NAME NUMBER`.
fn field(text: &str, name: &str) -> Option<u64> {
    let value = |line: &str| line.strip_prefix(name)?.strip_prefix(' ')?.trim().parse().ok();
    text.lines().find_map(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_both_versions_give_the_same_totals() {
        let folder = tempfile::tempdir().expect("a folder");
        let put = |file: &str, text: &str| fs::write(folder.path().join(file), text).expect("written");
        let folders = Folders { cpu: Some(folder.path().to_owned()), memory: Some(folder.path().to_owned()) };
        let expected = LimitTotals {
            periods: 8,
            throttled_periods: 3,
            throttled: Nanos(1_500_000_000),
            memory_hits: 7,
            oom_kills: 2,
        };
        put("cpu.stat", "nr_periods 8\nnr_throttled 3\nthrottled_time 1500000000\n");
        put("memory.failcnt", "7\n");
        put("memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n");
        assert_eq!(folders.totals(), Some(expected), "version 1");
        put("cpu.stat", "usage_usec 9\nnr_periods 8\nnr_throttled 3\nthrottled_usec 1500000\n");
        put("memory.events", "low 0\nhigh 0\nmax 7\noom 1\noom_kill 2\n");
        fs::remove_file(folder.path().join("memory.failcnt")).expect("removed");
        assert_eq!(folders.totals(), Some(expected), "version 2");
        assert_eq!(Folders::default().totals(), None);
    }
}
