//! Control groups: how the kernel keeps a server within its [`Limits`], and what it counts there.
//!
//! Two ways lead there. Where nobody else manages the groups we make our own below the one we are in, and the guard enters
//! it before it becomes the server. Where systemd manages them it is asked for a scope: it alone may make groups then (its
//! "single writer" rule). Either way the limit is *read back* from the server's own group: a limit that did not take
//! effect is an error and no footnote.

mod group;

use crate::error::Error;
use crate::files::process;
use crate::files::work::WorkFolder;
use group::{Controller, Group, Version, lists};
use model::limits::Limits;
use model::units::Bytes;
use rustix::process::{Signal, geteuid};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// What the kernel has to forget the processes of a group that have ended.
const CLOSING: Duration = Duration::from_secs(2);
/// How the folders of our groups begin.
const PREFIX: &str = "prony-";

/// The limits of one start, ready for its server; the groups that were made for it go when this is dropped.
#[derive(Debug)]
pub(crate) struct Limited {
    asked: Limits,
    made: Vec<PathBuf>,
    /// The group among those that were made in which memory is counted.
    memory: Option<Group>,
    before: Vec<OsString>,
    systemd: bool,
}

/// The limits of a running server, as its own groups say them.
#[derive(Clone, Debug, PartialEq)]
pub struct Enforced {
    /// What limits it: `cgroup v1`.
    pub by: String,
    /// Most memory.
    pub memory: Option<Bytes>,
    /// Most CPUs' worth of time.
    pub cpus: Option<f64>,
    memory_group: Option<Group>,
    cpu_group: Option<Group>,
}

impl Limited {
    /// Makes what the limits need; `None` where nothing is limited.
    pub(crate) fn prepare(asked: Limits, work: &WorkFolder) -> Result<Option<Self>, Error> {
        if asked.is_none() {
            return Ok(None);
        }
        match Self::make(asked, work) {
            Ok(limited) => Ok(Some(limited)),
            Err(_) if systemd_makes_scopes() => Ok(Some(Self {
                asked,
                made: Vec::new(),
                memory: None,
                before: scope(asked, geteuid().is_root()),
                systemd: true,
            })),
            Err(why) => Err(Error::NoLimits { why }),
        }
    }

    /// A group of our own for every controller that the limits need; else why not.
    fn make(asked: Limits, work: &WorkFolder) -> Result<Self, String> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("{PREFIX}{}-{count}", std::process::id());
        let groups = own_groups(asked)?;
        let of_two: Vec<Controller> = groups
            .iter()
            .filter(|(_, group)| group.version == Version::Two)
            .map(|(controller, _)| *controller)
            .collect();
        let mut limited = Self {
            asked,
            made: Vec::new(),
            memory: None,
            before: Vec::new(),
            systemd: false,
        };
        for (_, mut group) in groups {
            if group.version == Version::Two {
                group.folder = dividable(&group.folder, &of_two)?;
            }
            group.folder.push(&name);
            let failed = |error: io::Error| format!("{}: {error}", group.folder.display());
            limited.add(&group.folder, work).map_err(failed)?;
            limited.limit(&group).map_err(failed)?;
            if group.has(Controller::Memory) {
                limited.memory = Some(group);
            }
        }
        Ok(limited)
    }

    /// Makes this folder, if it is not the one that another controller has already.
    fn add(&mut self, folder: &Path, work: &WorkFolder) -> io::Result<()> {
        if self.made.iter().any(|made| made == folder) {
            return Ok(());
        }
        // Written down first: killed in between we leave a line too many, and no folder that nobody knows.
        work.record_cgroup(folder).map_err(io::Error::other)?;
        fs::create_dir(folder)?;
        self.made.push(folder.to_owned());
        let mut enter = OsString::from("--enter=");
        enter.push(folder.join("cgroup.procs"));
        self.before.push(enter);
        Ok(())
    }

    /// Sets the limits whose files this group has: in version 1 each controller has a group of its own.
    fn limit(&self, group: &Group) -> io::Result<()> {
        if let Some(memory) = self.asked.memory.filter(|_| group.has(Controller::Memory)) {
            group.limit_memory(memory)?;
        }
        if let Some(cpus) = self.asked.cpus.filter(|_| group.has(Controller::Cpu)) {
            group.limit_cpus(cpus)?;
        }
        Ok(())
    }

    /// What stands before the server's own command in the guard's.
    pub(crate) fn before(&self) -> &[OsString] {
        &self.before
    }

    /// The limits as the running process has them; an error when they are not what was asked for.
    pub(crate) fn enforced(&self, pid: u32) -> Result<Enforced, Error> {
        let memory_group = self.asked.memory.and_then(|_| Group::of(Controller::Memory, pid));
        let cpu_group = self.asked.cpus.and_then(|_| Group::of(Controller::Cpu, pid));
        let enforced = Enforced {
            by: self.by(memory_group.iter().chain(&cpu_group)),
            memory: memory_group.as_ref().and_then(Group::memory),
            cpus: cpu_group.as_ref().and_then(Group::cpus),
            memory_group,
            cpu_group,
        };
        let size = |bytes: Bytes| bytes.0 as f64;
        let unlike = [
            ("memory", self.asked.memory.map(size), enforced.memory.map(size)),
            ("CPU", self.asked.cpus, enforced.cpus),
        ]
        .into_iter()
        // The kernel rounds: memory to pages, CPU time to microseconds.
        .find(|(_, asked, is)| {
            asked.is_some_and(|asked| is.is_none_or(|is| (is / asked - 1.0).abs() > 0.01))
        });
        match unlike {
            None => Ok(enforced),
            Some((what, ..)) => Err(Error::NoLimits {
                why: format!("{} did not limit the {what} of the server", enforced.by),
            }),
        }
    }

    /// The limit of memory, when the kernel has killed for it; to be asked also when all processes have ended.
    pub(crate) fn overrun(&self) -> Option<Bytes> {
        let kills = self.memory.as_ref()?.oom_kills()?;
        self.asked.memory.filter(|_| kills > 0.0)
    }

    fn by<'a>(&self, groups: impl Iterator<Item = &'a Group>) -> String {
        let mut versions: Vec<Version> = groups.map(|group| group.version).collect();
        versions.dedup();
        let version = match versions[..] {
            [Version::One] => "cgroup v1",
            [Version::Two] => "cgroup v2",
            _ => "cgroup v1 and v2",
        };
        let by = if self.systemd { ", made by systemd" } else { "" };
        format!("{version}{by}")
    }
}

impl Drop for Limited {
    fn drop(&mut self) {
        self.made.iter().for_each(|folder| remove(folder));
    }
}

impl Enforced {
    /// Where the kernel counts what it did to keep them: the groups that limit CPU time and memory.
    pub fn folders(&self) -> (Option<PathBuf>, Option<PathBuf>) {
        let folder = |group: &Option<Group>| group.as_ref().map(|group| group.folder.clone());
        (folder(&self.cpu_group), folder(&self.memory_group))
    }

    /// What the kernel did to keep the limits since the server began.
    pub(crate) fn facts(&self) -> BTreeMap<String, f64> {
        let cpu = self.cpu_group.iter().flat_map(Group::throttling);
        let memory = self.memory_group.iter().flat_map(|group| {
            [
                ("memory_limit_hits", group.memory_hits()),
                ("oom_kills", group.oom_kills()),
            ]
        });
        cpu.chain(memory)
            .filter_map(|(name, value)| Some((format!("cgroup.{name}"), value?)))
            .collect()
    }
}

/// Our own group under every controller that the limits need.
fn own_groups(asked: Limits) -> Result<Vec<(Controller, Group)>, String> {
    let memory = asked.memory.map(|_| Controller::Memory);
    let cpu = asked.cpus.map(|_| Controller::Cpu);
    let own = |controller: Controller| match Group::in_hierarchy(controller, std::process::id()) {
        Some(group) => Ok((controller, group)),
        None => Err(format!(
            "this kernel offers no control group for {}",
            controller.id()
        )),
    };
    memory.into_iter().chain(cpu).map(own).collect()
}

/// Version 2: the nearest group, from ours up, whose children can have these controllers. One that holds processes itself
/// cannot pass them on ("no internal processes"), and ours holds us.
fn dividable(own: &Path, controllers: &[Controller]) -> Result<PathBuf, String> {
    const PASSED_ON: &str = "cgroup.subtree_control";
    let passes_on = |folder: &Path, controller: Controller| {
        lists(folder, PASSED_ON, controller)
            || fs::write(folder.join(PASSED_ON), format!("+{}", controller.id())).is_ok()
    };
    // Above our own group systemd alone may change anything, where it runs.
    let reach = if is_systemd() { 1 } else { usize::MAX };
    own.ancestors()
        .take(reach)
        .take_while(|folder| folder.join("cgroup.controllers").exists())
        .find(|folder| {
            controllers
                .iter()
                .all(|controller| passes_on(folder, *controller))
        })
        .map(Path::to_owned)
        .ok_or_else(|| format!("{} cannot be divided into groups with limits", own.display()))
}

/// Whether systemd manages this machine.
fn is_systemd() -> bool {
    Path::new("/run/systemd/system").is_dir()
}

/// Whether systemd makes scopes for us: a user without a session of its own has nobody to ask.
fn systemd_makes_scopes() -> bool {
    let words = scope(Limits::default(), geteuid().is_root());
    let attempt = || {
        Command::new(&words[0])
            .args(&words[1..])
            .arg("true")
            .stdin(Stdio::null())
            .output()
    };
    is_systemd() && attempt().is_ok_and(|output| output.status.success())
}

/// The words before a command that systemd runs within limits. With `--scope` systemd-run becomes the command by `exec`,
/// so process id and death signal stay.
fn scope(limits: Limits, root: bool) -> Vec<OsString> {
    let mut words = vec!["systemd-run".to_owned()];
    words.extend((!root).then(|| "--user".to_owned()));
    words.extend(["--scope", "--quiet", "--collect", "--no-ask-password"].map(str::to_owned));
    if let Some(memory) = limits.memory {
        words.push(format!("--property=MemoryMax={}", memory.0));
        words.push("--property=MemorySwapMax=0".to_owned());
    }
    words.extend(
        limits
            .cpus
            .map(|cpus| format!("--property=CPUQuota={:.2}%", 100.0 * cpus)),
    );
    words.push("--".to_owned());
    words.into_iter().map(OsString::from).collect()
}

/// Removes a group that we made, and ends what is left in it. What cannot be removed now is removed by `clean`.
pub(crate) fn remove(folder: &Path) {
    let ours = |name: &OsStr| name.to_string_lossy().starts_with(PREFIX);
    let processes = folder.join("cgroup.procs");
    if !folder.file_name().is_some_and(ours) || !processes.exists() {
        return;
    }
    let began = Instant::now();
    while fs::remove_dir(folder).is_err() && folder.exists() && began.elapsed() < CLOSING {
        let left = fs::read_to_string(&processes).unwrap_or_default();
        for pid in left.lines().filter_map(|line| line.parse().ok()) {
            process::signal(pid, Signal::KILL);
        }
        sleep(Duration::from_millis(5));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn systemd_is_told_the_limits_in_its_own_words() {
        let limits = Limits {
            memory: Some(Bytes(1 << 30)),
            cpus: Some(0.5),
        };
        let words = scope(limits, false).join(OsStr::new(" "));
        assert_eq!(
            words.to_string_lossy(),
            "systemd-run --user --scope --quiet --collect --no-ask-password --property=MemoryMax=1073741824 \
             --property=MemorySwapMax=0 --property=CPUQuota=50.00% --"
        );
        assert!(!scope(limits, true).contains(&OsString::from("--user")));
    }

    #[test]
    fn no_folder_but_our_own_is_removed() {
        let folder = tempfile::tempdir().expect("a folder");
        let other = folder.path().join("other");
        fs::create_dir(&other).expect("made");
        fs::write(other.join("cgroup.procs"), "").expect("written");
        remove(&other);
        assert!(other.exists());
    }

    /// A group passes controllers on that its file names; an unwilling one is passed over for its parent.
    #[test]
    fn the_nearest_group_that_can_be_divided_is_taken() {
        let top = tempfile::tempdir().expect("a folder");
        let own = top.path().join("own");
        fs::create_dir(&own).expect("made");
        for folder in [top.path(), &own] {
            fs::write(folder.join("cgroup.controllers"), "cpu memory pids\n").expect("written");
        }
        // A folder in its place cannot be written, as the kernel refuses it to a group with processes.
        fs::create_dir(own.join("cgroup.subtree_control")).expect("made");
        fs::write(top.path().join("cgroup.subtree_control"), "memory cpu\n").expect("written");
        let both = [Controller::Memory, Controller::Cpu];
        if !is_systemd() {
            assert_eq!(dividable(&own, &both).as_deref(), Ok(top.path()));
        }
        fs::remove_file(top.path().join("cgroup.controllers")).expect("removed");
        assert!(
            dividable(&own, &both)
                .expect_err("none")
                .contains("cannot be divided")
        );
    }
}
