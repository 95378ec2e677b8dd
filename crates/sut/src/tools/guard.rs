//! The guard: a process between prony and everything that prony starts.
//!
//! A server must not survive prony, not even when prony is killed with SIGKILL and cannot react. Only the kernel can
//! ensure that: by `PR_SET_PDEATHSIG`, set in the child. Setting it between `fork` and `exec` needs `unsafe`, so prony
//! starts *itself* as `prony __guard PARENT PROGRAM ARGS…`; that process sets the death signal, makes sure that its
//! parent still lives, and becomes the program by `exec`. The setting survives `exec`, and the process id stays the
//! same.
//!
//! The kernel sends the signal when the *thread* that started the child ends, not when the process does. So commands of the guard are
//! started by a thread that lives as long as prony ([`crate::tools::parent`]).

use crate::tools::watcher;
use model::cpus;
use rustix::process::{
    Gid, Pid, Resource, Rlimit, Signal, Uid, getppid, set_parent_process_death_signal, setrlimit,
};
use rustix::thread::{CpuSet, sched_setaffinity, set_thread_gid, set_thread_groups, set_thread_uid};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

/// How to start the guard: by a program whose `main` calls [`main`].
#[derive(Clone, Debug)]
pub struct Guard {
    program: PathBuf,
    arguments: Vec<OsString>,
    /// Words that precede the command: options of the guard, or a program that starts the command.
    prefix: Vec<OsString>,
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
            prefix: Vec::new(),
        }
    }

    /// The running program itself, with the sub-command `__guard`. The link in `/proc` leads to the image that runs now,
    /// even when the file has been replaced in the meantime.
    pub fn this_program() -> Self {
        Self::new("/proc/self/exe", ["__guard"])
    }

    /// The same guard with further words before its command, which let it enter control groups, change its user, or start the
    /// command through another program.
    pub(crate) fn with_prefix(&self, words: &[OsString]) -> Self {
        Self { prefix: [&self.prefix, words].concat(), ..self.clone() }
    }

    /// The same guard, whose commands may use these CPUs only; all, if there are none.
    pub(crate) fn on_cpus(&self, cpus: &[usize]) -> Self {
        match cpus {
            [] => self.clone(),
            _ => self.with_prefix(&[OsString::from(format!("--cpus={}", cpus::listed(cpus)))]),
        }
    }

    /// A command that runs `program` under guard, in a new process group and with an empty standard input.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(&self.arguments)
            .arg(std::process::id().to_string())
            .args(&self.prefix)
            .arg(program)
            .process_group(0)
            .stdin(Stdio::null());
        command
    }

    /// The words of a command that this guard has made: its program and its arguments.
    pub(crate) fn words_of(&self, command: &Command) -> Vec<OsString> {
        let own = self.arguments.len() + 1 + self.prefix.len();
        let words = command.get_args().skip(own);
        words.map(OsStr::to_owned).collect()
    }

    /// A command that watches a container of this name; the words of its engine have to follow. No death signal ends it.
    pub(crate) fn watcher(&self, container: &str) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).args([watcher::WATCH, container]).process_group(0);
        command
    }
}

/// The main function of the guard, and of the watcher of a container ([`crate::tools::watcher`]). The guard's arguments are the expected parent, the options `--enter=FILE`, `--cpus=LIST`,
/// `--open-files=N` and `--user=NAME` where they are needed, and the command. It returns only when it cannot become the command.
pub fn main<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> ExitCode {
    let arguments: Vec<S> = arguments.into_iter().collect();
    let mut words = arguments.iter().map(AsRef::as_ref);
    let first = words.next();
    if first.is_some_and(|word| word == watcher::WATCH) {
        return watcher::main(words);
    }
    let parent = first.and_then(OsStr::to_str).and_then(|word| word.parse().ok());
    let mut program = words.next();
    while let Some(option) = program.and_then(GuardOption::parse) {
        if let Err(error) = option.apply() {
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
    // If the parent died before the signal was set, the signal would never come.
    if getppid().map(Pid::as_raw_nonzero).map(|pid| pid.get()) != Some(parent) {
        return ExitCode::from(126);
    }
    let error = Command::new(program).args(words).exec();
    eprintln!("guard: {} cannot be started: {error}", program.display());
    ExitCode::from(127)
}

/// What the guard does before it becomes the command.
enum GuardOption<'a> {
    /// Enter the control group of this `cgroup.procs` file.
    Enter(&'a Path),
    /// Use these CPUs only, and so does everything that the command starts.
    Cpus(Vec<usize>),
    /// Limit the number of open files, as a hard limit: a JVM would raise a soft one.
    OpenFiles(u64),
    /// Become this user. The server must not do that itself, because a change of user clears the death signal.
    User(&'a str),
}

impl<'a> GuardOption<'a> {
    fn parse(word: &'a OsStr) -> Option<Self> {
        let word = word.to_str()?;
        let (option, value) = word.split_once('=')?;
        match option {
            "--enter" => Some(Self::Enter(Path::new(value))),
            "--cpus" => cpus::parse(value).map(Self::Cpus),
            "--open-files" => value.parse().ok().map(Self::OpenFiles),
            "--user" => Some(Self::User(value)),
            _ => None,
        }
    }

    fn apply(&self) -> Result<(), String> {
        match self {
            // The process id 0 stands for the process that writes it.
            Self::Enter(file) => fs::write(file, "0")
                .map_err(|error| format!("cannot enter the control group {}: {error}", file.display())),
            Self::Cpus(cpus) => {
                let mut set = CpuSet::new();
                let usable = cpus.iter().copied().filter(|cpu| *cpu < CpuSet::MAX_CPU);
                usable.for_each(|cpu| set.set(cpu));
                sched_setaffinity(None, &set)
                    .map_err(|error| format!("cannot stay on the CPUs {}: {error}", cpus::listed(cpus)))
            }
            Self::OpenFiles(most) => {
                let limit = Rlimit { current: Some(*most), maximum: Some(*most) };
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
    // Change the user last, because only root may change the groups.
    set_thread_groups(&[])?;
    set_thread_gid(Gid::from_raw(group))?;
    set_thread_uid(Uid::from_raw(user))?;
    Ok(())
}
