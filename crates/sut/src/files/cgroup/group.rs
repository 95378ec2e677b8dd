//! [`Group`]: a control group of one controller, as the folder that the kernel shows. Its files have different names in
//! version 1 and version 2, and a system may have both at once.

use model::units::{Bytes, Cpus, Nanos};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The period of a CPU quota in microseconds: the kernel's default, which containers have too.
const PERIOD_US: u64 = 100_000;

/// Bytes by which the limit of memory with swap exceeds the limit of memory in version 1. If both were the same, the
/// limit with swap would be hit first, and the kernel counts no hits of that limit: a server could lack memory for
/// hours and nobody would see it.
const SWAP_MARGIN: u64 = 1 << 20;

/// The version of a control group hierarchy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Version {
    One,
    Two,
}

/// A kernel controller that limits one resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Controller {
    Memory,
    Cpu,
    /// It limits nothing and counts CPU time.
    CpuAccount,
}

impl Controller {
    pub(super) const fn id(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Cpu => "cpu",
            Self::CpuAccount => "cpuacct",
        }
    }
}

/// The control group of one controller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) version: Version,
    pub(super) folder: PathBuf,
}

impl Group {
    /// The group of a process in the hierarchy of a controller. Version 2 has one hierarchy for all, and the controller
    /// may be enabled in a parent group only.
    pub(super) fn in_hierarchy(controller: Controller, pid: u32) -> Option<Self> {
        let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
        let groups = fs::read_to_string(format!("/proc/{pid}/cgroup")).ok()?;
        locate(controller, &mounts, &groups)
    }

    /// The group of a process, if the controller is enabled in it.
    pub(super) fn of(controller: Controller, pid: u32) -> Option<Self> {
        Self::in_hierarchy(controller, pid).filter(|group| group.has(controller))
    }

    /// Whether the controller is enabled in this group: its files are here.
    pub(super) fn has(&self, controller: Controller) -> bool {
        let file = match (controller, self.version) {
            (Controller::Memory, Version::One) => "memory.limit_in_bytes",
            (Controller::Memory, Version::Two) => "memory.max",
            (Controller::Cpu, Version::One) => "cpu.cfs_quota_us",
            (Controller::Cpu, Version::Two) => "cpu.max",
            (Controller::CpuAccount, Version::One) => "cpuacct.usage",
            (Controller::CpuAccount, Version::Two) => "cpu.stat",
        };
        self.folder.join(file).exists()
    }

    fn read(&self, file: &str) -> Option<String> {
        fs::read_to_string(self.folder.join(file)).ok()
    }

    fn write(&self, file: &str, value: impl ToString) -> io::Result<()> {
        fs::write(self.folder.join(file), value.to_string())
    }

    fn number(&self, file: &str) -> Option<f64> {
        self.read(file)?.trim().parse().ok()
    }

    /// The limit of memory; `None` where there is none.
    pub(super) fn memory(&self) -> Option<Bytes> {
        let file = match self.version {
            Version::One => "memory.limit_in_bytes",
            Version::Two => "memory.max",
        };
        // Without a limit version 1 shows a number near 2^63, version 2 `max`.
        let limit = self.read(file)?.trim().parse::<u64>().ok()?;
        (limit < 1 << 62).then_some(Bytes(limit))
    }

    /// The limit of CPU time; `None` where there is none.
    pub(super) fn cpus(&self) -> Option<Cpus> {
        match self.version {
            Version::One => {
                let quota = self.number("cpu.cfs_quota_us")?;
                (quota > 0.0).then_some(Cpus(quota / self.number("cpu.cfs_period_us")?))
            }
            Version::Two => {
                let text = self.read("cpu.max")?;
                let (quota, period) = text.trim().split_once(' ')?;
                Some(Cpus(quota.parse::<f64>().ok()? / period.parse::<f64>().ok()?))
            }
        }
    }

    /// Sets the limit of memory. Swapped memory counts too, where the kernel accounts for it; else swapping would be a way
    /// around the limit.
    pub(super) fn limit_memory(&self, limit: Bytes) -> io::Result<()> {
        match self.version {
            Version::One => {
                self.write("memory.limit_in_bytes", limit.0)?;
                let _ = self.write("memory.memsw.limit_in_bytes", limit.0 + SWAP_MARGIN);
            }
            Version::Two => {
                self.write("memory.max", limit.0)?;
                let _ = self.write("memory.swap.max", 0);
            }
        }
        Ok(())
    }

    /// Sets the limit of CPU time.
    pub(super) fn limit_cpus(&self, cpus: Cpus) -> io::Result<()> {
        let quota = (cpus.0 * PERIOD_US as f64).round() as u64;
        match self.version {
            Version::One => {
                self.write("cpu.cfs_period_us", PERIOD_US)?;
                self.write("cpu.cfs_quota_us", quota)
            }
            Version::Two => self.write("cpu.max", format!("{quota} {PERIOD_US}")),
        }
    }

    /// What the kernel did to enforce the limit of CPU time: the periods, those in which the group was throttled, and the
    /// seconds of throttling.
    pub(super) fn throttling(&self) -> [(&'static str, Option<f64>); 3] {
        let stat = self.read("cpu.stat").unwrap_or_default();
        [
            ("nr_periods", field(&stat, "nr_periods")),
            ("nr_throttled", field(&stat, "nr_throttled")),
            ("throttled_seconds", throttled(&stat).map(Nanos::as_secs_f64)),
        ]
    }

    /// The CPU time of all processes of the group, also of those that have ended, in seconds.
    pub(super) fn cpu_seconds(&self) -> Option<f64> {
        match self.version {
            Version::One => self.number("cpuacct.usage").map(|nanos| nanos / 1e9),
            Version::Two => field(&self.read("cpu.stat")?, "usage_usec").map(|micros| micros / 1e6),
        }
    }

    /// The most memory that the group has had at once, in bytes, with the files that the kernel keeps in memory for it. Version 2
    /// counts it since Linux 5.19.
    pub(super) fn memory_peak(&self) -> Option<f64> {
        self.number(match self.version {
            Version::One => "memory.max_usage_in_bytes",
            Version::Two => "memory.peak",
        })
    }

    /// How often the limit of memory was hit, so that the kernel had to reclaim some.
    pub(super) fn memory_hits(&self) -> Option<f64> {
        match self.version {
            Version::One => self.number("memory.failcnt"),
            Version::Two => field(&self.read("memory.events")?, "max"),
        }
    }

    /// The number of processes that the kernel killed because of the limit of memory.
    pub(super) fn oom_kills(&self) -> Option<f64> {
        let file = match self.version {
            Version::One => "memory.oom_control",
            Version::Two => "memory.events",
        };
        field(&self.read(file)?, "oom_kill")
    }
}

/// Whether a file of a group (version 2) names the controller.
pub(super) fn lists(folder: &Path, file: &str, controller: Controller) -> bool {
    let text = fs::read_to_string(folder.join(file)).unwrap_or_default();
    text.split_whitespace().any(|name| name == controller.id())
}

/// The number in the line `NAME NUMBER`.
fn field(text: &str, name: &str) -> Option<f64> {
    let value = |line: &str| line.strip_prefix(name)?.strip_prefix(' ')?.trim().parse().ok();
    text.lines().find_map(value)
}

/// The throttled time. Version 2 counts microseconds, version 1 nanoseconds.
fn throttled(stat: &str) -> Option<Nanos> {
    let micros = || field(stat, "throttled_usec").map(|micros| micros * 1e3);
    let nanos = field(stat, "throttled_time").or_else(micros)?;
    Some(Nanos(nanos as u64))
}

/// Finds a group in `/proc/self/mountinfo` and `/proc/PID/cgroup`. On a hybrid system some controllers are version 1,
/// others version 2.
fn locate(controller: Controller, mounts: &str, groups: &str) -> Option<Group> {
    let path = |wanted: &dyn Fn(&str) -> bool| {
        groups.lines().find_map(|line| {
            let mut fields = line.splitn(3, ':').skip(1);
            let (list, path) = (fields.next()?, fields.next()?);
            wanted(list).then_some(path)
        })
    };
    let names = |list: &str| list.split(',').any(|name| name == controller.id());
    if let Some(path) = path(&names) {
        let folder = mounted(mounts, path, |kind, options| kind == "cgroup" && names(options))?;
        let version = Version::One;
        return Some(Group { version, folder });
    }
    let folder = mounted(mounts, path(&str::is_empty)?, |kind, _| kind == "cgroup2")?;
    let version = Version::Two;
    Some(Group { version, folder })
}

/// Where `path` of the wanted file system is mounted:
/// `ID PARENT DEVICE ROOT POINT OPTIONS … - KIND SOURCE SUPEROPTIONS`.
fn mounted(mounts: &str, path: &str, wanted: impl Fn(&str, &str) -> bool) -> Option<PathBuf> {
    mounts.lines().find_map(|line| {
        let (left, right) = line.split_once(" - ")?;
        let mut left = left.split(' ').skip(3);
        let (root, point) = (left.next()?, left.next()?);
        let mut right = right.split(' ');
        let (kind, options) = (right.next()?, right.nth(1)?);
        // In a container the mount begins at our group, but the path counts from the top.
        let below = Path::new(path).strip_prefix(root).unwrap_or(Path::new(""));
        wanted(kind, options).then(|| Path::new(point).join(below))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HYBRID: &str = "31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755\n\
        32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n\
        35 31 0:32 /docker/ab /sys/fs/cgroup/memory rw shared:3 - cgroup cgroup rw,memory\n\
        41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw,nsdelegate\n";

    fn located(controller: Controller, mounts: &str, groups: &str) -> (Version, String) {
        let group = locate(controller, mounts, groups).expect("a group");
        (group.version, group.folder.display().to_string())
    }

    #[test]
    fn groups_of_version_1_and_2_are_found() {
        let groups = "4:memory:/docker/ab/x\n1:cpu,cpuacct:/y\n0::/z\n";
        let memory = located(Controller::Memory, HYBRID, groups);
        assert_eq!(memory, (Version::One, "/sys/fs/cgroup/memory/x".to_owned()));
        let cpu = located(Controller::Cpu, HYBRID, groups);
        assert_eq!(cpu, (Version::One, "/sys/fs/cgroup/cpu,cpuacct/y".to_owned()));
        let cpu = located(Controller::Cpu, HYBRID, "4:memory:/a\n0::/z\n");
        assert_eq!(cpu, (Version::Two, "/sys/fs/cgroup/unified/z".to_owned()));
        assert_eq!(locate(Controller::Cpu, HYBRID, "4:memory:/a\n"), None);
    }

    /// The test writes the files of version 2 as the kernel shows them.
    #[test]
    fn version_2_is_limited_and_read_by_its_own_files() {
        let folder = tempfile::tempdir().expect("a folder");
        let group = Group { version: Version::Two, folder: folder.path().to_owned() };
        let put = |file: &str, text: &str| fs::write(folder.path().join(file), text).expect("written");
        put("memory.max", "max\n");
        put("cpu.max", "max 100000\n");
        assert_eq!((group.memory(), group.cpus()), (None, None));
        group.limit_memory(Bytes(64 << 20)).expect("set");
        group.limit_cpus(Cpus(0.5)).expect("set");
        assert_eq!((group.memory(), group.cpus()), (Some(Bytes(64 << 20)), Some(Cpus(0.5))));
        assert_eq!(group.read("cpu.max").as_deref(), Some("50000 100000"));
        assert_eq!(group.read("memory.swap.max").as_deref(), Some("0"));
        put("cpu.stat", "usage_usec 9\nnr_periods 8\nnr_throttled 3\nthrottled_usec 1500000\n");
        let [periods, throttled, seconds] = group.throttling().map(|(_, value)| value);
        assert_eq!((periods, throttled, seconds), (Some(8.0), Some(3.0), Some(1.5)));
        put("memory.events", "low 0\nhigh 0\nmax 7\noom 1\noom_kill 2\noom_group_kill 0\n");
        assert_eq!((group.memory_hits(), group.oom_kills()), (Some(7.0), Some(2.0)));
    }

    #[test]
    fn in_version_1_the_limit_of_memory_is_hit_before_that_with_swap() {
        let folder = tempfile::tempdir().expect("a folder");
        let group = Group { version: Version::One, folder: folder.path().to_owned() };
        group.limit_memory(Bytes(64 << 20)).expect("set");
        let with_swap = group.number("memory.memsw.limit_in_bytes").expect("a limit");
        assert!(Some(Bytes(with_swap as u64)) > group.memory());
    }
}
