//! [`Engine`]: podman or docker, found by trying.

use crate::error::{ContainerError, Error};
use crate::tools::guard::Guard;
use crate::tools::tool;
use rustix::process::{Resource, getrlimit};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The folders of a system that programs need.
const SYSTEM: [&str; 9] = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt"];
/// The name of our image without files.
const BASE: &str = "localhost/prony-empty:1";
/// The most processes of a user that podman allows itself, and so its containers, where it must not raise limits.
const MOST_PROCESSES: u64 = 32_768;

/// An engine that has run a container.
#[derive(Clone, Debug)]
pub struct Engine {
    /// Its name: `podman`.
    pub name: String,
    /// Its name and version, and the runtime where it is not the default one: `podman 4.3.1, runtime runc`.
    pub version: String,
    /// The id of the image that has no files.
    pub(super) base: String,
    pub(super) program: PathBuf,
    /// Options before the engine's sub-command.
    pub(super) options: Vec<String>,
    guard: Guard,
}

/// An engine that is installed, and that may not work.
pub(super) struct Candidate {
    name: &'static str,
    program: PathBuf,
    runtime: Option<&'static str>,
    guard: Guard,
}

/// The engines that are installed, in the order in which they are tried. crun, the default runtime of podman, refuses a system with both
/// versions of control groups; runc does not.
pub(super) fn candidates(guard: &Guard) -> Vec<Candidate> {
    let found = |(name, runtime): (&'static str, Option<&'static str>)| {
        let program = tool::find(Path::new(name))?;
        Some(Candidate { name, program, runtime, guard: guard.clone() })
    };
    [("podman", None), ("podman", Some("runc")), ("docker", None)].into_iter().filter_map(found).collect()
}

impl Candidate {
    fn options(&self) -> Vec<String> {
        let runtime = self.runtime.map(|runtime| ["--runtime".to_owned(), runtime.to_owned()]);
        runtime.into_iter().flatten().collect()
    }

    /// The engine's program and options, for the watcher.
    pub(super) fn words(&self) -> Vec<&OsStr> {
        let runtime = self.runtime.map(|runtime| ["--runtime", runtime].map(OsStr::new));
        [self.program.as_os_str()].into_iter().chain(runtime.into_iter().flatten()).collect()
    }

    /// What it prints; `None` if it fails.
    pub(super) fn ask(&self, words: &[&str]) -> Option<String> {
        run(&self.guard, &self.words(), words, &[]).ok()
    }

    /// Runs a container of it. The error is the last line that it wrote.
    fn attempt(&self) -> Result<Engine, String> {
        let engine = self.words();
        let run = |words: &[&str], input: &[u8]| {
            run(&self.guard, &engine, words, input).map_err(|output| last_line(&output))
        };
        let version = run(&["version", "--format={{.Client.Version}}"], &[])?;
        let runtime = self.runtime.map(|runtime| format!(", runtime {runtime}"));
        let id = ["image", "inspect", "--format={{.Id}}", BASE];
        if run(&id, &[]).is_err() {
            let archive = empty_image().map_err(|error| error.to_string())?;
            run(&["import", "-", BASE], &archive)?;
        }
        let base = run(&id, &[])?.trim().to_owned();
        let mut attempt: Vec<String> = ["run", "--rm", "--network=host"].map(str::to_owned).into();
        attempt.extend(ulimits(None));
        attempt.extend(machine_mounts(self.name));
        attempt.extend([&base, "/bin/sh", "-c", ":"].map(str::to_owned));
        run(&attempt.iter().map(String::as_str).collect::<Vec<_>>(), &[])?;
        Ok(Engine {
            name: self.name.to_owned(),
            version: format!("{} {}{}", self.name, version.trim(), runtime.unwrap_or_default()),
            base,
            program: self.program.clone(),
            options: self.options(),
            guard: self.guard.clone(),
        })
    }
}

impl Engine {
    /// Finds an engine that works: podman, podman with another runtime, or docker.
    ///
    /// # Errors
    /// None is installed, or none works; the error has what each of them said.
    pub fn find(guard: &Guard) -> Result<Self, Error> {
        let mut tried = Vec::new();
        for candidate in candidates(guard) {
            let runtime = candidate.runtime.map(|runtime| format!(" --runtime {runtime}"));
            match candidate.attempt() {
                Ok(engine) => return Ok(engine),
                Err(line) => tried.push(format!("{}{}: {line}", candidate.name, runtime.unwrap_or_default())),
            }
        }
        if tried.is_empty() {
            tried.push("neither podman nor docker is installed".to_owned());
        }
        Err(Error::from(ContainerError::NoEngine { tried }))
    }

    /// Whether its containers have the network namespace of the process that starts them. Docker's containers have the
    /// namespace of its daemon.
    pub fn is_in_our_network(&self) -> bool {
        self.name != "docker"
    }

    /// What it prints; `None` if it fails.
    pub(super) fn ask(&self, words: &[&str]) -> Option<String> {
        let options = self.options.iter().map(OsStr::new);
        let engine: Vec<&OsStr> = [self.program.as_os_str()].into_iter().chain(options).collect();
        run(&self.guard, &engine, words, &[]).ok()
    }

    /// The guarded command of a task for it.
    pub(super) fn command(&self, words: &[&str]) -> Command {
        let mut command = self.guard.command(&self.program);
        command.args(&self.options).args(words);
        command
    }
}

/// Runs an engine to its end with this standard input. If it fails, the error is what it wrote to stderr.
fn run(guard: &Guard, engine: &[&OsStr], words: &[&str], input: &[u8]) -> Result<String, String> {
    let attempt = || {
        let mut child = guard
            .command(engine[0])
            .args(&engine[1..])
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        if let Some(mut pipe) = child.stdin.take() {
            // An engine that fails early closes its input.
            let _ = pipe.write_all(input);
        }
        child.wait_with_output()
    };
    let output = attempt().map_err(|error| error.to_string())?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

fn last_line(output: &str) -> String {
    let line = output.lines().rfind(|line| !line.trim().is_empty());
    line.unwrap_or("it does not say why").trim().to_owned()
}

/// A container's limits of open files and processes: the limits of this process, which a server without a container
/// would have. The engines would set higher limits, which only root with all its rights may do.
pub(super) fn ulimits(open_files: Option<u64>) -> [String; 2] {
    let own = |resource| getrlimit(resource).maximum;
    let files = open_files.or_else(|| own(Resource::Nofile));
    let files = files.unwrap_or(1 << 20);
    let processes = own(Resource::Nproc).unwrap_or(MOST_PROCESSES).min(MOST_PROCESSES);
    [format!("--ulimit=nofile={files}:{files}"), format!("--ulimit=nproc={processes}:{processes}")]
}

/// The words that mount the system folders of this machine. Links among them are in our image.
pub(super) fn machine_mounts(engine: &str) -> Vec<String> {
    let folders = SYSTEM.iter().map(Path::new);
    let mounts = folders
        .filter(|folder| folder.is_dir() && !folder.is_symlink())
        .flat_map(|folder| ["-v".to_owned(), format!("{0}:{0}:ro", folder.display())]);
    // Where SELinux keeps containers from the files of the machine, ours may read them all the same; and no engine writes into /etc.
    let label = ["--security-opt=label=disable".to_owned()];
    let hosts = (engine == "podman").then(|| "--no-hosts".to_owned());
    label.into_iter().chain(hosts).chain(mounts).collect()
}

/// The archive of our image: empty folders, and the links of this machine's root folder.
fn empty_image() -> std::io::Result<Vec<u8>> {
    let mut archive = tar::Builder::new(Vec::new());
    let add = |archive: &mut tar::Builder<Vec<u8>>, path: &str, mode, link: Option<&OsString>| {
        let mut header = tar::Header::new_gnu();
        header.set_mode(mode);
        header.set_size(0);
        let path = path.trim_start_matches('/');
        match link {
            Some(target) => {
                header.set_entry_type(tar::EntryType::Symlink);
                archive.append_link(&mut header, path, target)
            }
            None => {
                header.set_entry_type(tar::EntryType::Directory);
                archive.append_data(&mut header, path, std::io::empty())
            }
        }
    };
    for folder in SYSTEM.map(Path::new).iter().filter(|folder| folder.exists()) {
        let path = folder.display().to_string();
        let link = fs::read_link(folder).ok().map(PathBuf::into_os_string);
        add(&mut archive, &path, 0o755, link.as_ref())?;
    }
    for (folder, mode) in [("dev", 0o755), ("proc", 0o755), ("sys", 0o755), ("tmp", 0o1777)] {
        add(&mut archive, folder, mode, None)?;
    }
    archive.into_inner()
}
