//! Work folders: everything that one start, download or build writes before it is done, in one place that goes away.
//!
//! A folder belongs to the process that made it for as long as that lives, which is said by a lock and not by a process id:
//! ids are reused. What a killed prony left is removed by [`clean`].

use crate::error::Error;
use crate::files::cgroup;
use crate::files::lock::Lock;
use crate::files::process;
use crate::files::random::Random;
use rustix::process::Signal;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// Longest random part of a folder's name.
const MOST_PADDING: u64 = 48;

/// A folder of one server, download or build; deleted when dropped.
#[derive(Debug)]
pub struct WorkFolder {
    path: PathBuf,
    seed: u64,
    _lock: Lock,
}

/// What [`clean`] found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cleaned {
    /// Work folders removed.
    pub folders: usize,
    /// Processes killed.
    pub processes: usize,
}

impl WorkFolder {
    /// Makes a folder in `cache`. The length of its name depends on the seed: a path ends up in the environment and on the
    /// stack of every process started there, and its length alone moves speeds by some per cent (Mytkowicz et al.,
    /// Producing wrong data without doing anything obviously wrong, ASPLOS 2009).
    pub fn create(cache: &Path, seed: u64) -> Result<Self, Error> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let work = root(cache);
        // Held while the folder is there and its lock is not: clean() would take it for an orphan.
        let _making = Lock::wait(&work.join(".lock"), &AtomicBool::new(false))?;
        let mut random = Random::new(seed);
        let length = random.below(MOST_PADDING);
        let padding: String = (0..length)
            .map(|_| char::from(b'a' + random.below(26) as u8))
            .collect();
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = work.join(format!("{}-{count}-{padding}", std::process::id()));
        let made = fs::create_dir(&path).map_err(|error| Error::io("make", &path, error));
        made.and_then(|()| Lock::attempt(&path.join("lock")))
            .and_then(|lock| {
                let lock =
                    lock.ok_or_else(|| Error::io("lock", &path, std::io::ErrorKind::WouldBlock.into()))?;
                let seed = random.next();
                Ok(Self {
                    path,
                    seed,
                    _lock: lock,
                })
            })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is random about things made in it.
    pub(crate) const fn seed(&self) -> u64 {
        self.seed
    }

    /// Makes a folder inside.
    pub fn folder(&self, name: &str) -> Result<PathBuf, Error> {
        let path = self.path.join(name);
        fs::create_dir_all(&path).map_err(|error| Error::io("make", &path, error))?;
        Ok(path)
    }

    /// Writes down a process group of ours, for [`clean`].
    pub(crate) fn record(&self, group: u32) -> Result<(), Error> {
        let Some(seen) = process::see(group) else {
            return Ok(()); // Gone already.
        };
        self.append("groups", &format!("{group} {} {}", seen.start, boot()))
    }

    /// Writes down a control group that is about to be made, for [`clean`].
    pub(crate) fn record_cgroup(&self, folder: &Path) -> Result<(), Error> {
        self.append("cgroups", &folder.display().to_string())
    }

    fn append(&self, name: &str, line: &str) -> Result<(), Error> {
        let path = self.path.join(name);
        let file = File::options().create(true).append(true).open(&path);
        file.and_then(|mut file| writeln!(file, "{line}"))
            .map_err(|error| Error::io("write", &path, error))
    }
}

impl Drop for WorkFolder {
    fn drop(&mut self) {
        // What cannot be removed now is removed by clean(): the lock goes with us.
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// Removes the work folders in `cache` whose prony is dead, and kills what is left of the servers started in them.
pub fn clean(cache: &Path) -> Result<Cleaned, Error> {
    let work = root(cache);
    let mut cleaned = Cleaned::default();
    if !work.exists() {
        return Ok(cleaned);
    }
    let _nobody_makes_one = Lock::wait(&work.join(".lock"), &AtomicBool::new(false))?;
    let entries = fs::read_dir(&work).map_err(|error| Error::io("read", &work, error))?;
    for path in entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
    {
        let Some(_ours_now) = Lock::attempt(&path.join("lock"))? else {
            continue; // Its prony lives.
        };
        cleaned.processes += kill_recorded(&path);
        remove_cgroups(&path);
        fs::remove_dir_all(&path).map_err(|error| Error::io("remove", &path, error))?;
        cleaned.folders += 1;
    }
    Ok(cleaned)
}

fn root(cache: &Path) -> PathBuf {
    cache.join("work")
}

/// Kills the recorded groups that are really ours, and counts their members. Process ids are reused: the leader must have
/// started when ours did; a member without its leader must still work in our folder.
fn kill_recorded(folder: &Path) -> usize {
    let recorded = fs::read_to_string(folder.join("groups")).unwrap_or_default();
    let mut killed = 0;
    for line in recorded.lines() {
        let mut fields = line.split(' ');
        let (Some(group), Some(start), Some(recorded_boot)) = (fields.next(), fields.next(), fields.next())
        else {
            continue; // The disk was full, or the power went.
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

/// Removes the recorded control groups; they do not outlive a boot, and their names hold the id of a prony that is dead.
fn remove_cgroups(folder: &Path) {
    let recorded = fs::read_to_string(folder.join("cgroups")).unwrap_or_default();
    recorded.lines().map(Path::new).for_each(cgroup::remove);
}

/// Names this boot of the machine: start times are counted from it.
fn boot() -> String {
    fs::read_to_string("/proc/sys/kernel/random/boot_id")
        .map_or_else(|_| "?".to_owned(), |id| id.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::CommandExt;
    use std::process::{Command, Stdio};

    #[test]
    fn a_folder_goes_when_dropped_and_names_differ_in_length() {
        let cache = tempfile::tempdir().expect("a folder");
        let folders: Vec<_> = (0..8)
            .map(|seed| WorkFolder::create(cache.path(), seed).expect("made"))
            .collect();
        let mut lengths: Vec<usize> = folders
            .iter()
            .map(|folder| folder.path().as_os_str().len())
            .collect();
        lengths.sort_unstable();
        lengths.dedup();
        assert!(lengths.len() > 3, "{lengths:?}");
        let path = folders[0].path().to_owned();
        assert!(path.is_dir());
        drop(folders);
        assert!(!path.exists());
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
        let mut stranger = Command::new("sleep")
            .arg("600")
            .process_group(0)
            .spawn()
            .expect("sleep starts");
        let start = process::see(sleeper.id()).expect("it runs").start;
        let lines = format!(
            "{} {start} {}\n{} 1 {}\ntorn",
            sleeper.id(),
            boot(),
            stranger.id(),
            boot()
        );
        fs::write(orphan.join("groups"), lines).expect("written");

        let cleaned = clean(cache.path()).expect("cleaned");
        assert_eq!(
            cleaned,
            Cleaned {
                folders: 1,
                processes: 1
            }
        );
        assert!(!sleeper.wait().expect("ended").success());
        assert!(
            stranger.try_wait().expect("asked").is_none(),
            "another start time is another process"
        );
        stranger.kill().and_then(|()| stranger.wait()).expect("ended");
        assert!(living.path().exists());
        assert!(!orphan.exists());
    }
}
