//! A program of this machine in a container of its own, which the standard input of its command keeps alive.

use super::engine::{Engine, machine_mounts, ulimits};
use super::{LABEL, joined, mount};
use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

/// Where the program is in its container.
const PROGRAM: &str = "/prony";

impl Engine {
    /// A command that runs this program with the network of the machine. The program reads the standard input of the
    /// command; when this input ends, the program has to end by itself, and the container is removed. `work` is the
    /// work folder of the run: when the folder is gone, `prony clean` removes a container that is left.
    pub fn attended(&self, program: &Path, work: &Path, arguments: &[&str]) -> Command {
        let mut command = self.command(&["run", "--rm", "--interactive", "--network=host"]);
        command
            .args(["--log-driver=none", "--pids-limit=-1"])
            .arg(joined(&format!("--label={LABEL}="), work))
            .args(ulimits(None))
            .args(machine_mounts(&self.name))
            .args(mount(program, Path::new(PROGRAM), ":ro"))
            .args([OsStr::new(&self.base), OsStr::new(PROGRAM)])
            .args(arguments);
        command
    }
}
