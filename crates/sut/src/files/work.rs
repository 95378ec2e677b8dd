//! Work folders. A start, a download or a build writes everything into one until it is done; then the folder is deleted.
//!
//! A folder belongs to the process that made it for as long as the process lives. A lock shows whether it lives; a
//! process id would not, because ids are reused. [`clean`] removes what a killed prony left.

use crate::error::{Error, FileAct};
use crate::files::cgroup;
use crate::files::lock::Lock;
use crate::files::process;
use crate::files::random::Random;
use crate::files::worktree;
use rustix::process::Signal;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// The longest random part of a folder's name, in characters.
const MOST_PADDING: u64 = 48;

/// The folder of one start, download or build; deleted when dropped.
#[derive(Debug)]
pub struct WorkFolder {
    path: PathBuf,
    seed: u64,
    _lock: Lock,
}

/// How much [`clean`] removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cleaned {
    /// The number of work folders that were removed.
    pub folders: usize,
    /// The number of processes that were killed.
    pub processes: usize,
}

impl WorkFolder {
    /// Makes a folder in `cache`. The length of its name depends on the seed: the path ends up in the environment and on
    /// the stack of every process started there, and its length alone changes speeds by some per cent (Mytkowicz et al.,
    /// Producing wrong data without doing anything obviously wrong, ASPLOS 2009).
    pub fn create(cache: &Path, seed: u64) -> Result<Self, Error> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let work = root(cache);
        // Held until the folder has its lock: clean() would take it for an orphan before.
        let _making = Lock::wait(&work.join(".lock"), &AtomicBool::new(false))?;
        let mut random = Random::new(seed);
        let length = random.below(MOST_PADDING);
        let padding: String = (0..length).map(|_| char::from(b'a' + random.below(26) as u8)).collect();
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = work.join(format!("{}-{count}-{padding}", std::process::id()));
        let made = fs::create_dir(&path).map_err(|error| Error::io(FileAct::Make, &path, error));
        made.and_then(|()| Lock::attempt(&path.join("lock"))).and_then(|lock| {
            let lock =
                lock.ok_or_else(|| Error::io(FileAct::Lock, &path, std::io::ErrorKind::WouldBlock.into()))?;
            let seed = random.next();
            Ok(Self { path, seed, _lock: lock })
        })
    }

    /// The path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The seed for the ports of servers in this folder. Two runs of one seed at the same time choose other ports.
    pub(crate) fn port_seed(&self) -> u64 {
        self.seed ^ (u64::from(std::process::id()) << 32)
    }

    /// The seed for whatever is random about things made in this folder.
    pub(crate) const fn seed(&self) -> u64 {
        self.seed
    }

    /// Makes a folder inside.
    pub fn folder(&self, name: &str) -> Result<PathBuf, Error> {
        let path = self.path.join(name);
        fs::create_dir_all(&path).map_err(|error| Error::io(FileAct::Make, &path, error))?;
        Ok(path)
    }

    /// Records a process group of ours, for [`clean`].
    pub(crate) fn record(&self, group: u32) -> Result<(), Error> {
        let Some(seen) = process::see(group) else {
            return Ok(()); // It has ended already.
        };
        self.append("groups", &format!("{group} {} {}", seen.start, boot()))
    }

    /// Records a control group that is about to be made, for [`clean`].
    pub(crate) fn record_cgroup(&self, folder: &Path) -> Result<(), Error> {
        self.append("cgroups", &folder.display().to_string())
    }

    fn append(&self, name: &str, line: &str) -> Result<(), Error> {
        let path = self.path.join(name);
        let file = File::options().create(true).append(true).open(&path);
        file.and_then(|mut file| writeln!(file, "{line}"))
            .map_err(|error| Error::io(FileAct::Write, &path, error))
    }
}

impl Drop for WorkFolder {
    fn drop(&mut self) {
        worktree::remove(&self.path);
        // If this fails, clean() removes the folder later: our lock ends with this process.
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// Removes the work folders in `cache` whose prony is dead, and kills what is left of the servers that ran in them.
pub fn clean(cache: &Path) -> Result<Cleaned, Error> {
    let work = root(cache);
    let mut cleaned = Cleaned::default();
    if !work.exists() {
        return Ok(cleaned);
    }
    let _nobody_makes_one = Lock::wait(&work.join(".lock"), &AtomicBool::new(false))?;
    let entries = fs::read_dir(&work).map_err(|error| Error::io(FileAct::Read, &work, error))?;
    for path in entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()) {
        let Some(_ours_now) = Lock::attempt(&path.join("lock"))? else {
            continue; // Its prony is alive.
        };
        cleaned.processes += kill_recorded(&path);
        remove_cgroups(&path);
        worktree::remove(&path);
        fs::remove_dir_all(&path).map_err(|error| Error::io(FileAct::Remove, &path, error))?;
        cleaned.folders += 1;
    }
    Ok(cleaned)
}

fn root(cache: &Path) -> PathBuf {
    cache.join("work")
}

/// Kills the recorded groups that are really ours, and returns the number of killed processes. Process ids are reused: so
/// the leader must have the recorded start time, or the member must still work in our folder.
fn kill_recorded(folder: &Path) -> usize {
    let recorded = fs::read_to_string(folder.join("groups")).unwrap_or_default();
    let mut killed = 0;
    for line in recorded.lines() {
        let mut fields = line.split(' ');
        let (Some(group), Some(start), Some(recorded_boot)) = (fields.next(), fields.next(), fields.next())
        else {
            continue; // The line is torn: the disk was full, or the power failed.
        };
        let (Ok(group), Ok(start)) = (group.parse::<u32>(), start.parse::<u64>()) else {
            continue;
        };
        if recorded_boot != boot() {
            continue;
        }
        let leader = process::see(group).is_some_and(|seen| seen.start == start && !seen.zombie);
        for pid in process::members(group) {
            if leader || process::works_in(pid, folder) {
                process::signal(pid, Signal::KILL);
                killed += 1;
            }
        }
    }
    killed
}

/// Removes the recorded control groups. They do not outlive a boot, and their names hold the id of a dead prony.
fn remove_cgroups(folder: &Path) {
    let recorded = fs::read_to_string(folder.join("cgroups")).unwrap_or_default();
    recorded.lines().map(Path::new).for_each(cgroup::remove);
}

/// The id of this boot of the machine, from which start times are counted.
fn boot() -> String {
    fs::read_to_string("/proc/sys/kernel/random/boot_id")
        .map_or_else(|_| "?".to_owned(), |id| id.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::process::testing::{await_end, leader};
    use std::os::unix::process::CommandExt;
    use std::process::{Command, Stdio};

    #[test]
    fn a_folder_goes_when_dropped_and_names_differ_in_length() {
        let cache = tempfile::tempdir().expect("a folder");
        let folders: Vec<_> =
            (0..8).map(|seed| WorkFolder::create(cache.path(), seed).expect("made")).collect();
        let mut lengths: Vec<usize> = folders.iter().map(|folder| folder.path().as_os_str().len()).collect();
        lengths.sort_unstable();
        lengths.dedup();
        assert!(lengths.len() > 3, "{lengths:?}");
        let path = folders[0].path().to_owned();
        assert!(path.is_dir());
        drop(folders);
        assert!(!path.exists());
    }

    #[test]
    fn clean_ends_a_member_whose_leader_has_ended() {
        let cache = tempfile::tempdir().expect("a folder");
        let orphan = root(cache.path()).join("1-0-orphan");
        fs::create_dir_all(&orphan).expect("made");
        let (mut leader, member) = leader("sleep 600 & echo $!", &orphan);
        let start = process::see(leader.id()).expect("it was not awaited").start;
        leader.wait().expect("ended");
        fs::write(orphan.join("groups"), format!("{} {start} {}\n", leader.id(), boot())).expect("written");

        let cleaned = clean(cache.path()).expect("cleaned");
        assert_eq!(cleaned.processes, 1);
        await_end(member);
    }

    #[test]
    fn clean_spares_the_living_and_ends_what_the_dead_left() {
        let cache = tempfile::tempdir().expect("a folder");
        let living = WorkFolder::create(cache.path(), 1).expect("made");
        let orphan = root(cache.path()).join("1-0-orphan");
        fs::create_dir(&orphan).expect("made");
        let mut sleeper = Command::new("sleep")
            .arg("600")
            .process_group(0)
            .stdin(Stdio::null())
            .spawn()
            .expect("sleep starts");
        let mut stranger = Command::new("sleep").arg("600").process_group(0).spawn().expect("sleep starts");
        let start = process::see(sleeper.id()).expect("it runs").start;
        let lines = format!("{} {start} {}\n{} 1 {}\ntorn", sleeper.id(), boot(), stranger.id(), boot());
        fs::write(orphan.join("groups"), lines).expect("written");

        let cleaned = clean(cache.path()).expect("cleaned");
        assert_eq!(cleaned, Cleaned { folders: 1, processes: 1 });
        assert!(!sleeper.wait().expect("ended").success());
        assert!(stranger.try_wait().expect("asked").is_none(), "another start time is another process");
        stranger.kill().and_then(|()| stranger.wait()).expect("ended");
        assert!(living.path().exists());
        assert!(!orphan.exists());
    }
}
