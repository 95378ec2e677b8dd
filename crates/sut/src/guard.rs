//! The guard: between prony and everything that it starts.
//!
//! A server must not survive prony, not even when prony is killed with SIGKILL and can do nothing any more. Only the
//! kernel can see to that: `PR_SET_PDEATHSIG`, set in the child. Setting it between `fork` and `exec` takes `unsafe`, so
//! prony starts *itself* as `prony __guard PARENT PROGRAM ARGS…`; that process sets the death signal, makes sure that its
//! parent still lives, and becomes the program by `exec`. The setting survives `exec`, and the process id stays the same.
//!
//! The kernel sends the signal when the *thread* that started the child ends, not when its process does. So start servers
//! from a thread that lives as long as they do: the main thread, or the one that also stops them.

use rustix::process::{Pid, Signal, getppid, set_parent_process_death_signal};
use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};

/// How to start the guard: a program whose `main` leads to [`main`].
#[derive(Clone, Debug)]
pub struct Guard {
    program: PathBuf,
    arguments: Vec<OsString>,
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
        }
    }

    /// The running program itself, with the sub-command `__guard`. The link of `/proc` leads to the image that runs now,
    /// also when the file has been replaced meanwhile.
    pub fn this_program() -> Self {
        Self::new("/proc/self/exe", ["__guard"])
    }

    /// A command that runs `program` under guard: in a process group of its own, with nothing to read.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(&self.arguments)
            .arg(std::process::id().to_string())
            .arg(program)
            .process_group(0)
            .stdin(Stdio::null());
        command
    }
}

/// The guard's whole life: arguments are the expected parent and the command. Returns only when it cannot become that.
pub fn main<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> ExitCode {
    let arguments: Vec<S> = arguments.into_iter().collect();
    let mut words = arguments.iter().map(AsRef::as_ref);
    let parent = words
        .next()
        .and_then(OsStr::to_str)
        .and_then(|word| word.parse().ok());
    let (Some(parent), Some(program)) = (parent, words.next()) else {
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
