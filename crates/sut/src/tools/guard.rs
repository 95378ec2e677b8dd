//! The guard: between prony and everything that it starts.
//!
//! A server must not survive prony, not even when prony is killed with SIGKILL and can do nothing any more. Only the
//! kernel can see to that: `PR_SET_PDEATHSIG`, set in the child. Setting it between `fork` and `exec` takes `unsafe`, so
//! prony starts *itself* as `prony __guard PARENT PROGRAM ARGS…`; that process sets the death signal, makes sure that its
//! parent still lives, and becomes the program by `exec`. The setting survives `exec`, and the process id stays the same.
//!
//! The kernel sends the signal when the *thread* that started the child ends, not when its process does. So start servers
//! from a thread that lives as long as they do: the main thread, or the one that also stops them.

use rustix::process::{
    Gid, Pid, Resource, Rlimit, Signal, Uid, getppid, set_parent_process_death_signal, setrlimit,
};
use rustix::thread::{set_thread_gid, set_thread_groups, set_thread_uid};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

/// How to start the guard: a program whose `main` leads to [`main`].
#[derive(Clone, Debug)]
pub struct Guard {
    program: PathBuf,
    arguments: Vec<OsString>,
    first: Vec<OsString>,
}

impl Guard {
    /// A guard started as `PROGRAM ARGUMENTS… PARENT COMMAND…`.
    pub fn new<S: Into<OsString>>(
        program: impl Into<PathBuf>,
        arguments: impl IntoIterator<Item = S>,
    ) -> Self {
        Self {
            program: program.into(),
            arguments: arguments.into_iter().map(Into::into).collect(),
            first: Vec::new(),
        }
    }

    /// The running program itself, with the sub-command `__guard`. The link of `/proc` leads to the image that runs now,
    /// also when the file has been replaced meanwhile.
    pub fn this_program() -> Self {
        Self::new("/proc/self/exe", ["__guard"])
    }

    /// The same guard, which first enters these control groups, becomes this user, or starts through another program: words
    /// that stand before the command.
    pub(crate) fn first(&self, words: &[OsString]) -> Self {
        Self {
            first: words.to_vec(),
            ..self.clone()
        }
    }

    /// A command that runs `program` under guard: in a process group of its own, with nothing to read.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(&self.arguments)
            .arg(std::process::id().to_string())
            .args(&self.first)
            .arg(program)
            .process_group(0)
            .stdin(Stdio::null());
        command
    }
}

/// The guard's whole life: arguments are the expected parent, `--enter=FILE`, `--open-files=N` and `--user=NAME` where they
/// are needed, and the command. Returns only when it cannot become that.
pub fn main<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> ExitCode {
    let arguments: Vec<S> = arguments.into_iter().collect();
    let mut words = arguments.iter().map(AsRef::as_ref);
    let parent = words
        .next()
        .and_then(OsStr::to_str)
        .and_then(|word| word.parse().ok());
    let mut program = words.next();
    while let Some(option) = program.and_then(Before::of) {
        if let Err(error) = option.obey() {
            eprintln!("guard: {error}");
            return ExitCode::from(126);
        }
        program = words.next();
    }
    let (Some(parent), Some(program)) = (parent, program) else {
        eprintln!("guard: started by prony itself, as: PARENT PROGRAM ARGUMENTS...");
        return ExitCode::from(2);
    };
    if let Err(error) = set_parent_process_death_signal(Some(Signal::KILL)) {
        eprintln!("guard: the kernel refuses a death signal: {error}");
        return ExitCode::from(126);
    }
    // The parent may have died before the signal was set; then it would never come.
    if getppid().map(Pid::as_raw_nonzero).map(|pid| pid.get()) != Some(parent) {
        return ExitCode::from(126);
    }
    let error = Command::new(program).args(words).exec();
    eprintln!("guard: {} cannot be started: {error}", program.display());
    ExitCode::from(127)
}

/// What the guard does before it becomes the command.
enum Before<'a> {
    /// Enters the control group of this `cgroup.procs`.
    Enter(&'a Path),
    /// May have so many files open at most, and cannot raise that: a JVM would.
    OpenFiles(u64),
    /// Becomes this user. Here and not by the server itself: a change of user takes the death signal away.
    User(&'a str),
}

impl<'a> Before<'a> {
    fn of(word: &'a OsStr) -> Option<Self> {
        let word = word.to_str()?;
        let (option, value) = word.split_once('=')?;
        match option {
            "--enter" => Some(Self::Enter(Path::new(value))),
            "--open-files" => value.parse().ok().map(Self::OpenFiles),
            "--user" => Some(Self::User(value)),
            _ => None,
        }
    }

    fn obey(&self) -> Result<(), String> {
        match self {
            // 0 is whoever writes.
            Self::Enter(file) => fs::write(file, "0")
                .map_err(|error| format!("cannot enter the control group {}: {error}", file.display())),
            Self::OpenFiles(most) => {
                let limit = Rlimit {
                    current: Some(*most),
                    maximum: Some(*most),
                };
                setrlimit(Resource::Nofile, limit)
                    .map_err(|error| format!("cannot limit open files to {most}: {error}"))
            }
            Self::User(name) => {
                become_user(name).map_err(|error| format!("cannot become the user {name}: {error}"))
            }
        }
    }
}

fn become_user(name: &str) -> io::Result<()> {
    let users = fs::read_to_string("/etc/passwd")?;
    let ids = |line: &str| {
        // NAME:PASSWORD:USER:GROUP:…
        let mut fields = line.strip_prefix(name)?.strip_prefix(':')?.split(':').skip(1);
        Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
    };
    let (user, group) = users.lines().find_map(ids).ok_or(io::ErrorKind::NotFound)?;
    // The user last: only root may change the groups.
    set_thread_groups(&[])?;
    set_thread_gid(Gid::from_raw(group))?;
    set_thread_uid(Uid::from_raw(user))?;
    Ok(())
}
