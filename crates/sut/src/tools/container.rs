//! Containers: servers that podman or docker runs.
//!
//! The container of a server has the network of the machine; that of a service may have one of its own, with one published port. The default bridge of the engines would put address translation into the
//! path of every later measurement, also of servers that are in no container. A container has the limits of the arm;
//! the number of processes is not limited, and the number of open files is the same as without a container, so that
//! both can be compared.
//!
//! `container = true` uses an image that prony makes without a registry. It is empty but for the links of the root folder (`/lib` to
//! `usr/lib`): the system folders of this machine, the JDK and the downloads are mounted read-only, and the work folder of the start
//! is mounted for writing. So a server runs the same files with and without a container.

mod attended;
mod engine;
mod image;
mod processes;

pub use engine::Engine;
pub use image::ImageId;

use crate::error::{Error, FileAct, LastSeen};
use crate::files::cgroup::Enforced;
use crate::files::work::WorkFolder;
use crate::tools::guard::Guard;
use crate::tools::tool;
use crate::tools::watcher::{self, DONE};
use ask::limits::Limits;
use model::cpus;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The label of our containers; its value is the work folder of the start.
const LABEL: &str = "prony.work";

/// The folder of temporary files.
const TEMP: &str = "/tmp";

/// The time by which an engine may be behind the end of a container.
const ENGINE_DELAY: Duration = Duration::from_secs(5);
/// The time that a command in a container has.
const EXEC_LIMIT: Duration = Duration::from_secs(10);
/// The time between two questions to an engine.
const POLL: Duration = Duration::from_millis(50);

/// The container of an arm: everything about it that is the same in each start.
#[derive(Clone, Debug)]
pub struct Container {
    /// The engine that runs it.
    pub engine: Arc<Engine>,
    /// What it sees of this machine.
    pub files: ContainerFiles,
    /// The port of the container that is published; `None` for a container with the network of this machine.
    pub published: Option<Published>,
}

/// A port of a container behind a port of this machine, on 127.0.0.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Published {
    /// The port of this machine.
    pub here: u16,
    /// The port in the container.
    pub inside: u16,
}

/// What a container sees of the files of this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ContainerFiles {
    /// The system folders, and these others: an image without files of its own runs the programs of this machine.
    Machine {
        /// Folders that it may only read.
        read: Vec<PathBuf>,
        /// Folders in which it may write.
        write: Vec<PathBuf>,
    },
    /// Only these volumes, as the engines write them: `/data:/data:ro`.
    Volumes(Vec<String>),
}

/// What the container of one start has to have.
pub(crate) struct ContainerStart<'a> {
    pub(crate) limits: Limits,
    pub(crate) open_files: Option<u64>,
    pub(crate) cpus: &'a [usize],
    /// The user in the container; `None` for the one of its image.
    pub(crate) user: Option<&'a str>,
    pub(crate) work: &'a WorkFolder,
    /// The guard of the prepared command and of the engine's client.
    pub(crate) guard: &'a Guard,
}

/// A container that exists or is about to. Dropping this removes it.
#[derive(Debug)]
pub(crate) struct LiveContainer {
    engine: Arc<Engine>,
    name: String,
    /// The file into which the engine writes its id.
    id_file: PathBuf,
    id: OnceLock<String>,
    /// How many processes the kernel had killed for want of memory before it was made.
    oom_kills_before: u64,
    /// The process that removes it when we die.
    watcher: Child,
}

impl Container {
    /// What runs it, for the fingerprint.
    pub(crate) fn fact(&self) -> (String, String) {
        let files = match self.files {
            ContainerFiles::Machine { .. } => "with the files of this machine",
            ContainerFiles::Volumes(_) => "with the files of its image",
        };
        ("container".to_owned(), format!("{}, {files}", self.engine.version))
    }

    /// Prepares the container of a start, and the command that runs a prepared command in it.
    pub(crate) fn prepare(
        &self,
        prepared: &Command,
        start: &ContainerStart<'_>,
    ) -> Result<(Command, LiveContainer), Error> {
        let live = LiveContainer::watch(&self.engine, start)?;
        let mut command = start.guard.command(&self.engine.program);
        command
            .args(&self.engine.options)
            .arg("run")
            .arg(self.published.map_or_else(
                || "--network=host".to_owned(),
                |Published { here, inside }| format!("--publish=127.0.0.1:{here}:{inside}"),
            ))
            .args(["--pids-limit=-1", "--no-healthcheck"])
            .args(["--log-driver=none", "--name", &live.name])
            .arg(joined("--cidfile=", &live.id_file))
            .arg(joined(&format!("--label={LABEL}="), start.work.path()))
            .args(engine::ulimits(start.open_files))
            .args(limits(start.limits));
        if let Some(user) = start.user {
            command.arg(format!("--user={user}"));
        }
        if !start.cpus.is_empty() {
            command.arg(format!("--cpuset-cpus={}", cpus::listed(start.cpus)));
        }
        if let Some(folder) = prepared.get_current_dir() {
            let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
            command.arg(joined("--workdir=", folder));
        }
        for (name, value) in prepared.get_envs() {
            set_variable(&mut command, name, value.unwrap_or_default());
        }
        match &self.files {
            ContainerFiles::Machine { read, write } => {
                // Its temporary files are on the disk of this machine, and not in a layer of the image.
                let temp = start.work.folder("tmp")?;
                let is_free = |folders: &[PathBuf]| folders.iter().all(|folder| folder != Path::new(TEMP));
                let temp = (is_free(read) && is_free(write)).then(|| mount(&temp, Path::new(TEMP), ""));
                command
                    .args(engine::machine_mounts(&self.engine.name))
                    .args(read.iter().flat_map(|folder| mount(folder, folder, ":ro")))
                    .args(write.iter().flat_map(|folder| mount(folder, folder, "")))
                    .args(mount(start.work.path(), start.work.path(), ""))
                    .args(temp.into_iter().flatten())
                    .arg(&self.engine.base);
            }
            ContainerFiles::Volumes(volumes) => {
                command.args(volumes.iter().flat_map(|volume| ["-v", volume]));
            }
        }
        command.args(start.guard.words_of(prepared));
        Ok((command, live))
    }
}

/// Gives the container a variable. Its value is in the environment of the engine's client and not among its arguments, which every user
/// of the machine can read; but the client itself needs its own PATH and HOME.
fn set_variable(command: &mut Command, name: &OsStr, value: &OsStr) {
    if name == "PATH" || name == "HOME" {
        let mut word = joined("--env=", name);
        word.push("=");
        word.push(value);
        command.arg(word);
    } else {
        command.arg(joined("--env=", name)).env(name, value);
    }
}

/// The options for the limits of an arm. Swapped memory counts as memory, and a mebibyte more, so that the limit of memory is hit first:
/// the kernel counts no hits of the other.
fn limits(limits: Limits) -> Vec<String> {
    let memory = limits.memory.iter().flat_map(|memory| {
        [format!("--memory={}", memory.0), format!("--memory-swap={}", memory.0 + (1 << 20))]
    });
    let cpus = limits.cpus.map(|cpus| format!("--cpus={cpus}"));
    memory.chain(cpus).collect()
}

/// The words that mount a folder of the machine at a place in the container.
fn mount(folder: &Path, place: &Path, options: &str) -> [OsString; 2] {
    let mut volume = folder.as_os_str().to_owned();
    volume.push(":");
    volume.push(place);
    volume.push(options);
    ["-v".into(), volume]
}

fn joined(option: &str, value: impl AsRef<OsStr>) -> OsString {
    let mut word = OsString::from(option);
    word.push(value);
    word
}

impl LiveContainer {
    /// Starts the watcher of a container that does not exist yet.
    fn watch(engine: &Arc<Engine>, start: &ContainerStart<'_>) -> Result<Self, Error> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let (own, seed) = (std::process::id(), start.work.seed());
        // Ids of processes are used again after a boot, which a container may outlive.
        let name = format!("prony-{own}-{count}-{seed:x}");
        let mut command = start.guard.watcher(&name);
        command
            .arg(&engine.program)
            .args(&engine.options)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let child =
            command.spawn().map_err(|error| Error::io(FileAct::Start, command.get_program(), error))?;
        Ok(Self {
            engine: Arc::clone(engine),
            id_file: start.work.path().join(format!("container-{count}")),
            id: OnceLock::new(),
            name,
            oom_kills_before: oom_kills(),
            watcher: child,
        })
    }

    /// Its id; `None` before the engine has made it.
    fn id(&self) -> Option<&str> {
        if self.id.get().is_none() {
            let id = fs::read_to_string(&self.id_file).ok()?.trim().to_owned();
            // The file may have been made and not be written yet.
            if id.len() >= 12 {
                let _ = self.id.set(id);
            }
        }
        self.id.get().map(String::as_str)
    }

    /// Runs a command in it. Returns what came of it, unless it ended well.
    pub(crate) fn fails(
        &self,
        words: &[String],
        work: &WorkFolder,
        stop: &AtomicBool,
    ) -> Result<Option<LastSeen>, Error> {
        let all: Vec<&str> =
            ["exec", &self.name].into_iter().chain(words.iter().map(String::as_str)).collect();
        let finished = tool::run(self.engine.command(&all), work, stop, Some(EXEC_LIMIT))?;
        if finished.status.success() {
            return Ok(None);
        }
        let written = finished.output.lines().map(str::trim).rfind(|line| !line.is_empty());
        let status = finished.status.to_string();
        let outcome = written.map_or(status.clone(), |line| format!("{status}: {line}"));
        Ok(Some(LastSeen::Command { command: words.join(" ").into(), outcome: outcome.into() }))
    }

    /// The ids of its living processes.
    pub(crate) fn processes(&self) -> Vec<u32> {
        self.id().map_or_else(Vec::new, processes::of)
    }

    /// The id of its first process.
    pub(crate) fn pid(&self) -> Option<u32> {
        self.processes().into_iter().find(|pid| processes::is_first(*pid))
    }

    /// Reads the limits of its processes, by the id of one of them; an error when they are not the arm's limits.
    pub(crate) fn enforced(&self, limits: Limits, pid: u32) -> Result<Enforced, Error> {
        Enforced::of_container(limits, pid, &self.engine.version)
    }

    /// Whether the kernel killed it because of its limit of memory. This works after it has ended. Its control group is gone then, and an
    /// engine may not notice why it ended (podman 4.3 does not with version 1 of control groups). So a container that SIGKILL has ended
    /// counts, too, if the kernel has killed a process of this machine for want of memory since the container was made.
    pub(crate) fn is_overrun(&self) -> bool {
        if self.pid().is_some() {
            return false;
        }
        let format = "--format={{.State.Running}} {{.State.OOMKilled}} {{.State.ExitCode}}";
        let began = Instant::now();
        loop {
            let state = self.engine.ask(&["inspect", format, &self.name]);
            let state = state.unwrap_or_default();
            // The engine learns of the end of the process a moment later than the kernel.
            let is_known = !state.starts_with("true");
            if is_known || began.elapsed() > ENGINE_DELAY {
                let killed = state.trim().ends_with(" 137") && oom_kills() > self.oom_kills_before;
                return state.contains(" true ") || killed;
            }
            sleep(POLL);
        }
    }
}

/// How many processes the kernel has killed on this machine for want of memory; 0 where it does not count them.
fn oom_kills() -> u64 {
    let counters = fs::read_to_string("/proc/vmstat").unwrap_or_default();
    let count = counters.lines().find_map(|line| line.strip_prefix("oom_kill "));
    count.and_then(|count| count.trim().parse().ok()).unwrap_or(0)
}

impl Drop for LiveContainer {
    fn drop(&mut self) {
        if let Some(mut pipe) = self.watcher.stdin.take() {
            let _ = pipe.write_all(DONE);
        }
        let _ = self.watcher.wait();
    }
}

/// Removes the containers whose start is over: their work folder is gone. Call it after the work folders of dead pronies were removed.
/// Returns how many there were.
pub fn clean(guard: &Guard) -> usize {
    engine::candidates(guard).iter().map(clean_with).sum()
}

/// The id of the main process of a container that runs already, by the name or the id of the container; `None` where no engine knows it.
pub fn main_process(guard: &Guard, container: &str) -> Option<u32> {
    let ask = |engine: &engine::Candidate| engine.ask(&["inspect", "--format={{.State.Pid}}", container]);
    let pids = engine::candidates(guard).iter().filter_map(ask).find_map(|said| said.trim().parse().ok());
    pids.filter(|pid| *pid > 0)
}

fn clean_with(engine: &engine::Candidate) -> usize {
    let label = format!("--filter=label={LABEL}");
    let Some(ids) = engine.ask(&["ps", "--all", "--quiet", "--no-trunc", &label]) else {
        return 0;
    };
    let format = format!("--format={{{{index .Config.Labels \"{LABEL}\"}}}}");
    let is_over = |id: &&str| {
        let folder = engine.ask(&["inspect", &format, id]);
        folder.is_some_and(|folder| !Path::new(folder.trim()).exists())
    };
    let over: Vec<&str> = ids.lines().filter(is_over).collect();
    let words = engine.words();
    over.iter().for_each(|id| watcher::remove(&words, OsStr::new(id)));
    over.len()
}
