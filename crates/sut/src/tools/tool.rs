//! Runs helper programs to their end under guard, keeps their output, and ends them early when the stop flag is raised.

use crate::error::{Error, FileAct};
use crate::files::process;
use crate::files::work::WorkFolder;
use crate::tools::parent;
use rustix::fs::statvfs;
use rustix::process::Signal;
use std::env;
use std::fs::{self, File};
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The time between two looks at a running program.
const POLL: Duration = Duration::from_millis(10);
/// The time that a program has to end by itself after SIGTERM.
const GRACE: Duration = Duration::from_secs(2);

/// A program that was asked to end and keeps a CPU busy for so long does not wait for running requests: it is stuck, as a JVM that does
/// nothing but collect garbage.
const STUCK: Duration = Duration::from_secs(8);
/// Smallest share of a CPU that counts as busy: who waits uses next to nothing, and on a crowded machine nobody gets a whole one.
const BUSY: f64 = 0.25;
/// Clock ticks per second of `/proc`.
const TICKS_PER_SECOND: f64 = 100.0;

/// A program that has ended.
pub(crate) struct Finished {
    pub(crate) status: ExitStatus,
    /// What it wrote to stdout and stderr.
    pub(crate) output: String,
}

/// Runs a command made by [`crate::tools::guard::Guard::command`] to its end, for `limit` at most.
pub(crate) fn run(
    mut command: Command,
    work: &WorkFolder,
    stop: &AtomicBool,
    limit: Option<Duration>,
) -> Result<Finished, Error> {
    let log = work.path().join("tool.log");
    let file = File::create(&log).map_err(|error| Error::io(FileAct::Write, &log, error))?;
    let other = file.try_clone().map_err(|error| Error::io(FileAct::Write, &log, error))?;
    command.stdout(file).stderr(other);
    let mut group = ProcessGroup::new(parent::spawn(command)?);
    work.record(group.id())?;
    let began = Instant::now();
    loop {
        if let Some(status) = group.ended()? {
            let output = fs::read(&log).map_err(|error| Error::io(FileAct::Read, &log, error))?;
            return Ok(Finished { status, output: String::from_utf8_lossy(&output).into_owned() });
        }
        let late = limit.is_some_and(|limit| began.elapsed() > limit);
        if late || stop.load(Ordering::Relaxed) {
            group.end(GRACE);
            if !late {
                return Err(Error::Interrupted);
            }
        }
        sleep(POLL);
    }
}

/// A started process and its process group; killed when dropped.
#[derive(Debug)]
pub(crate) struct ProcessGroup {
    child: Child,
    status: Option<ExitStatus>,
}

impl ProcessGroup {
    pub(crate) const fn new(child: Child) -> Self {
        Self { child, status: None }
    }

    /// The process id of the leader, which is the id of the group.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// The exit status of the leader, if it has ended.
    pub(crate) fn ended(&mut self) -> Result<Option<ExitStatus>, Error> {
        if self.status.is_none() {
            let asked = self.child.try_wait();
            self.status = asked
                .map_err(|error| Error::io(FileAct::Await, format!("process {}", self.child.id()), error))?;
        }
        Ok(self.status)
    }

    /// Asks the leader to end, and kills the whole group after `grace`, or before where it is stuck. Returns whether the leader ended by
    /// itself.
    pub(crate) fn end(&mut self, grace: Duration) -> bool {
        self.end_unless_stuck(grace, STUCK)
    }

    fn end_unless_stuck(&mut self, grace: Duration, stuck: Duration) -> bool {
        let began = Instant::now();
        if matches!(self.ended(), Ok(None)) {
            process::signal(self.id(), Signal::TERM);
        }
        let mut looked = (began, self.cpu_ticks());
        while matches!(self.ended(), Ok(None)) && began.elapsed() < grace {
            sleep(Duration::from_millis(2));
            if looked.0.elapsed() >= stuck {
                let used = self.cpu_ticks().saturating_sub(looked.1) as f64 / TICKS_PER_SECOND;
                if used >= BUSY * looked.0.elapsed().as_secs_f64() {
                    break;
                }
                looked = (Instant::now(), self.cpu_ticks());
            }
        }
        let willing = self.status.is_some();
        self.kill();
        willing
    }

    /// CPU time of the leader, in clock ticks.
    fn cpu_ticks(&self) -> u64 {
        process::see(self.id()).map_or(0, |seen| seen.cpu_ticks)
    }

    /// Kills what is left of the group.
    fn kill(&mut self) {
        // A group whose leader has been waited for may be gone and its id reused: look before the signal.
        if self.status.is_none() || !process::members(self.id()).is_empty() {
            process::signal_group(self.id(), Signal::KILL);
        }
        if self.status.is_none() {
            self.status = self.child.wait().ok();
        }
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Whether the disk of this folder has less than 64 KiB free, which is too little for a log.
pub(crate) fn is_disk_full(folder: &Path) -> bool {
    statvfs(folder).is_ok_and(|disk| disk.f_bavail.saturating_mul(disk.f_frsize) < 64 << 10)
}

/// The path of a program, given by its path or by its name on the PATH; `None` if it cannot be executed.
pub(crate) fn find(program: &Path) -> Option<PathBuf> {
    let runs = |path: &PathBuf| {
        fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
    };
    if program.components().count() > 1 {
        let path = std::path::absolute(program).ok()?;
        return runs(&path).then_some(path);
    }
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders).map(|folder| folder.join(program)).find(runs)
}

/// A word of a command with the address in place of `{host}` and `{port}`.
pub(crate) fn with_address(word: &str, address: SocketAddr) -> String {
    let host = address.ip().to_string();
    word.replace("{host}", &host).replace("{port}", &address.port().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::process::testing::{await_end, leader};

    /// A group whose leader runs this shell command, and the process that the leader starts.
    fn group(command: &str) -> (ProcessGroup, u32) {
        let (leader, member) = leader(command, &env::temp_dir());
        (ProcessGroup::new(leader), member)
    }

    #[test]
    fn a_dropped_group_leaves_no_member_behind() {
        for command in ["sleep 600 & echo $!; wait", "sleep 600 & echo $!"] {
            let (group, member) = group(command);
            drop(group);
            await_end(member);
        }
    }

    #[test]
    fn who_is_stuck_when_asked_to_end_is_not_waited_for() {
        let (mut busy, _) = group("trap '' TERM; echo $$; while :; do :; done");
        let (mut patient, _) = group("trap '' TERM; echo $$; while :; do sleep 0.01; done");
        let began = Instant::now();
        let long = Duration::from_secs(60);
        assert!(!busy.end_unless_stuck(long, Duration::from_millis(300)));
        assert!(began.elapsed() >= Duration::from_millis(300) && began.elapsed() < long);
        let grace = Duration::from_secs(1);
        let began = Instant::now();
        assert!(!patient.end_unless_stuck(grace, Duration::from_millis(300)));
        assert!(began.elapsed() >= grace, "it had its time");
    }

    #[test]
    fn a_group_whose_leader_was_awaited_leaves_no_member_behind() {
        let (mut group, member) = group("sleep 600 & echo $!");
        while group.ended().expect("asked").is_none() {
            sleep(Duration::from_millis(2));
        }
        assert!(group.end(Duration::ZERO));
        await_end(member);
    }
}
