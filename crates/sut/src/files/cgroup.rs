//! Control groups: the kernel keeps a server within its [`Limits`] by them, and counts what it did.
//!
//! There are two ways. Where nobody else manages the groups, we make one below our own, and the guard enters it before it
//! becomes the server. Where systemd manages them, we ask it for a scope, because it alone may make groups (its "single
//! writer" rule). Either way the limit is *read back* from the server's group: a limit without effect is an error.

mod group;

use crate::error::{Error, NoLimitsReason, Resource};
use crate::files::process;
use crate::files::work::WorkFolder;
use ask::limits::Limits;
use group::{Controller, Group, Version, lists};
use model::units::{Bytes, Cpus};
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

/// How long the kernel may take to forget the ended processes of a group, before we give up removing it.
const CLOSING: Duration = Duration::from_secs(2);
/// The names of our groups begin with this.
const PREFIX: &str = "prony-";

/// The limits of one start, prepared for its server. Dropping this removes the groups that were made for it.
#[derive(Debug)]
pub(crate) struct Limited {
    asked: Limits,
    made: Vec<PathBuf>,
    /// Our group that limits memory.
    memory: Option<Group>,
    /// The words before the server's command in the guard's command line.
    prefix: Vec<OsString>,
    systemd: bool,
}

/// The limits of a running server, as read from its control groups.
#[derive(Clone, Debug, PartialEq)]
pub struct Enforced {
    /// What enforces them: `cgroup v1`.
    pub by: String,
    /// The limit of memory.
    pub memory: Option<Bytes>,
    /// The limit of CPU time.
    pub cpus: Option<Cpus>,
    memory_group: Option<Group>,
    cpu_group: Option<Group>,
    /// The group that counts the CPU time of a container; `None` for a server that is in none.
    totals: Option<Group>,
}

impl Limited {
    /// Makes the groups that the limits need; `None` where nothing is to be limited.
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
                prefix: scope(asked, geteuid().is_root()),
                systemd: true,
            })),
            Err(why) => Err(Error::NoLimits { why }),
        }
    }

    /// Makes a group for every controller that the limits need. The error says why that is impossible.
    fn make(asked: Limits, work: &WorkFolder) -> Result<Self, NoLimitsReason> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("{PREFIX}{}-{count}", std::process::id());
        let groups = own_groups(asked)?;
        let of_two: Vec<Controller> = groups
            .iter()
            .filter(|(_, group)| group.version == Version::Two)
            .map(|(controller, _)| *controller)
            .collect();
        let mut limited = Self { asked, made: Vec::new(), memory: None, prefix: Vec::new(), systemd: false };
        for (_, mut group) in groups {
            if group.version == Version::Two {
                group.folder = dividable(&group.folder, &of_two)?;
            }
            group.folder.push(&name);
            let failed = |error: io::Error| NoLimitsReason::Refused {
                folder: group.folder.clone(),
                error: error.to_string(),
            };
            limited.add(&group.folder, work).map_err(failed)?;
            limited.limit(&group).map_err(failed)?;
            if group.has(Controller::Memory) {
                limited.memory = Some(group);
            }
        }
        Ok(limited)
    }

    /// Makes this folder, unless it was made for another controller before.
    fn add(&mut self, folder: &Path, work: &WorkFolder) -> io::Result<()> {
        if self.made.iter().any(|made| made == folder) {
            return Ok(());
        }
        // Record it first: if prony is killed in between, a needless line is left and no unknown folder.
        work.record_cgroup(folder).map_err(io::Error::other)?;
        fs::create_dir(folder)?;
        self.made.push(folder.to_owned());
        let mut enter = OsString::from("--enter=");
        enter.push(folder.join("cgroup.procs"));
        self.prefix.push(enter);
        Ok(())
    }

    /// Sets the limits whose files this group has; in version 1 each controller has a group of its own.
    fn limit(&self, group: &Group) -> io::Result<()> {
        if let Some(memory) = self.asked.memory.filter(|_| group.has(Controller::Memory)) {
            group.limit_memory(memory)?;
        }
        if let Some(cpus) = self.asked.cpus.filter(|_| group.has(Controller::Cpu)) {
            group.limit_cpus(cpus)?;
        }
        Ok(())
    }

    /// The words that have to precede the server's command in the guard's command line.
    pub(crate) fn prefix(&self) -> &[OsString] {
        &self.prefix
    }

    /// Reads back the limits of the running process; an error when they are not the arm's limits.
    pub(crate) fn enforced(&self, pid: u32) -> Result<Enforced, Error> {
        let memory = self.asked.memory.and_then(|_| Group::of(Controller::Memory, pid));
        let cpu = self.asked.cpus.and_then(|_| Group::of(Controller::Cpu, pid));
        let maker = self.systemd.then_some("systemd");
        Enforced::read(memory, cpu, maker).checked(self.asked)
    }

    /// The limit of memory, if the kernel has killed a process for it. This works also after all processes have ended.
    pub(crate) fn overrun(&self) -> Option<Bytes> {
        let kills = self.memory.as_ref()?.oom_kills()?;
        self.asked.memory.filter(|_| kills > 0.0)
    }
}

impl Drop for Limited {
    fn drop(&mut self) {
        self.made.iter().for_each(|folder| remove(folder));
    }
}

impl Enforced {
    /// Reads the limits of a process in a container, whose engine has made groups for it; an error when they are not
    /// the arm's limits.
    pub(crate) fn of_container(asked: Limits, pid: u32, engine: &str) -> Result<Self, Error> {
        let group = |controller| Group::of(controller, pid);
        let read = Self::read(group(Controller::Memory), group(Controller::Cpu), Some(engine));
        let checked = read.checked(asked)?;
        Ok(Self { totals: group(Controller::CpuAccount), ..checked })
    }

    fn read(memory: Option<Group>, cpu: Option<Group>, maker: Option<&str>) -> Self {
        Self {
            by: by(memory.iter().chain(&cpu), maker),
            memory: memory.as_ref().and_then(Group::memory),
            cpus: cpu.as_ref().and_then(Group::cpus),
            memory_group: memory,
            cpu_group: cpu,
            totals: None,
        }
    }

    /// Returns it, or an error when these are not the limits of the arm.
    fn checked(self, asked: Limits) -> Result<Self, Error> {
        let size = |bytes: Bytes| bytes.0 as f64;
        let time = |cpus: Cpus| cpus.0;
        let unlike = [
            (Resource::Memory, asked.memory.map(size), self.memory.map(size)),
            (Resource::Cpu, asked.cpus.map(time), self.cpus.map(time)),
        ]
        .into_iter()
        // The kernel rounds memory to pages and CPU time to microseconds.
        .find(|(_, asked, is)| {
            asked.is_some_and(|asked| is.is_none_or(|is| (is / asked - 1.0).abs() > 0.01))
        });
        match unlike {
            None => Ok(self),
            Some((resource, ..)) => {
                Err(Error::NoLimits { why: NoLimitsReason::NoEffect { by: self.by, resource } })
            }
        }
    }

    /// The folders of the groups that limit CPU time and memory; there the kernel counts what it did to enforce the
    /// limits.
    pub fn folders(&self) -> (Option<PathBuf>, Option<PathBuf>) {
        let folder = |group: &Option<Group>| group.as_ref().map(|group| group.folder.clone());
        (folder(&self.cpu_group), folder(&self.memory_group))
    }

    /// What the kernel has done since the start of the server to enforce the limits.
    pub(crate) fn facts(&self) -> BTreeMap<String, f64> {
        let cpu = self.cpu_group.iter().flat_map(Group::throttling);
        let memory = self
            .memory_group
            .iter()
            .flat_map(|group| [("memory_limit_hits", group.memory_hits()), ("oom_kills", group.oom_kills())]);
        let totals = self.totals.iter().flat_map(|group| {
            let peak = self.memory_group.as_ref().and_then(Group::memory_peak);
            [("cpu_seconds", group.cpu_seconds()), ("memory_peak", peak)]
        });
        cpu.chain(memory)
            .chain(totals)
            .filter_map(|(name, value)| Some((format!("cgroup.{name}"), value?)))
            .collect()
    }
}

/// What enforces limits: the versions of these groups, and who made them if it was not us.
fn by<'a>(groups: impl Iterator<Item = &'a Group>, maker: Option<&str>) -> String {
    let mut versions: Vec<Version> = groups.map(|group| group.version).collect();
    versions.dedup();
    let version = match versions[..] {
        [Version::One] => "cgroup v1",
        [Version::Two] => "cgroup v2",
        _ => "cgroup v1 and v2",
    };
    let maker = maker.map_or_else(String::new, |maker| format!(", made by {maker}"));
    format!("{version}{maker}")
}

/// The group of this process, for every controller that the limits need.
fn own_groups(asked: Limits) -> Result<Vec<(Controller, Group)>, NoLimitsReason> {
    let memory = asked.memory.map(|_| Controller::Memory);
    let cpu = asked.cpus.map(|_| Controller::Cpu);
    let own = |controller: Controller| match Group::in_hierarchy(controller, std::process::id()) {
        Some(group) => Ok((controller, group)),
        None => Err(NoLimitsReason::NoController(controller.id())),
    };
    memory.into_iter().chain(cpu).map(own).collect()
}

/// Version 2: the nearest group, from ours upwards, whose children can have these controllers. A group that holds
/// processes cannot delegate controllers to its children ("no internal processes" rule), and ours holds us.
fn dividable(own: &Path, controllers: &[Controller]) -> Result<PathBuf, NoLimitsReason> {
    const DELEGATED: &str = "cgroup.subtree_control";
    let delegates = |folder: &Path, controller: Controller| {
        lists(folder, DELEGATED, controller)
            || fs::write(folder.join(DELEGATED), format!("+{}", controller.id())).is_ok()
    };
    // Where systemd runs, it alone may change the groups above our own.
    let reach = if is_systemd() { 1 } else { usize::MAX };
    own.ancestors()
        .take(reach)
        .take_while(|folder| folder.join("cgroup.controllers").exists())
        .find(|folder| controllers.iter().all(|controller| delegates(folder, *controller)))
        .map(Path::to_owned)
        .ok_or_else(|| NoLimitsReason::Indivisible(own.to_owned()))
}

/// Whether systemd manages this machine.
fn is_systemd() -> bool {
    Path::new("/run/systemd/system").is_dir()
}

/// Whether systemd makes scopes for us: a user without a session has no systemd of its own.
fn systemd_makes_scopes() -> bool {
    let words = scope(Limits::default(), geteuid().is_root());
    let attempt = || Command::new(&words[0]).args(&words[1..]).arg("true").stdin(Stdio::null()).output();
    is_systemd() && attempt().is_ok_and(|output| output.status.success())
}

/// The words before a command that systemd shall run within limits. With `--scope`, systemd-run becomes the command by
/// `exec`, so process id and death signal stay.
fn scope(limits: Limits, root: bool) -> Vec<OsString> {
    let mut words = vec!["systemd-run".to_owned()];
    words.extend((!root).then(|| "--user".to_owned()));
    words.extend(["--scope", "--quiet", "--collect", "--no-ask-password"].map(str::to_owned));
    if let Some(memory) = limits.memory {
        words.push(format!("--property=MemoryMax={}", memory.0));
        words.push("--property=MemorySwapMax=0".to_owned());
    }
    words.extend(limits.cpus.map(|cpus| format!("--property=CPUQuota={:.2}%", 100.0 * cpus.0)));
    words.push("--".to_owned());
    words.into_iter().map(OsString::from).collect()
}

/// Removes a group that we made, and kills what is left in it. If that fails, `clean` removes it later.
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
    use model::units::Cpus;

    #[test]
    fn systemd_is_told_the_limits_in_its_own_words() {
        let limits = Limits { memory: Some(Bytes(1 << 30)), cpus: Some(Cpus(0.5)) };
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

    /// A group delegates the controllers that its file names; one that refuses is skipped for its parent.
    #[test]
    fn the_nearest_group_that_can_be_divided_is_taken() {
        let top = tempfile::tempdir().expect("a folder");
        let own = top.path().join("own");
        fs::create_dir(&own).expect("made");
        for folder in [top.path(), &own] {
            fs::write(folder.join("cgroup.controllers"), "cpu memory pids\n").expect("written");
        }
        // A folder in place of the file makes the write fail, as the kernel does for a group with processes.
        fs::create_dir(own.join("cgroup.subtree_control")).expect("made");
        fs::write(top.path().join("cgroup.subtree_control"), "memory cpu\n").expect("written");
        let both = [Controller::Memory, Controller::Cpu];
        if !is_systemd() {
            assert_eq!(dividable(&own, &both).as_deref(), Ok(top.path()));
        }
        fs::remove_file(top.path().join("cgroup.controllers")).expect("removed");
        assert_eq!(dividable(&own, &both), Err(NoLimitsReason::Indivisible(own)));
    }
}
