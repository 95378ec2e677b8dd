//! [`Shell`]: runs commands on another host by the user's own ssh, and puts prony there.

use super::piece::{END, Piece};
use crate::error::{Error, HostError, HostTrouble, SshTrouble};
use ask::host::HostUrl;
use model::patience::Patience;
use model::units::Bytes;
use record::step::Step;
use std::env;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::net::IpAddr;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// The folder there, as a shell sees it.
const FOLDER: &str = "d=\"${XDG_CACHE_HOME:-$HOME/.cache}/prony/host\"; ";
/// The file whose ssh configuration is used in the place of the user's.
const CONFIG: &str = "PRONY_SSH_CONFIG";
/// Removes the pieces that no run has used for a month, programs that were compiled there more than a month ago, and what a cut
/// connection has left, when nobody can be writing it any more. The names of pieces have 32 characters.
const CLEAN: &str = "find \"$d\" -mindepth 1 -maxdepth 1 -name \"????????????????????????????????\" -mtime +30 -exec rm -rf {} + \
     2>/dev/null; find \"$d/java-programs\" -name \"*.jar\" -mtime +30 -exec rm -f {} + \
     2>/dev/null; find \"$d\" -maxdepth 1 -name \".new.*\" -mmin +60 -exec rm -rf {} + 2>/dev/null; true";
/// How long a host may be silent before the connection is given up, in seconds, which is also the number of signs of life in it: ssh sends
/// none more often than once a second.
pub(super) const PATIENCE: u32 = 3;
/// How long a host may be silent while it is prepared, in seconds: nothing is measured then, and a busy machine needs some seconds to
/// agree on keys.
const PATIENCE_BEFORE: u32 = 10;
/// What runs there: the program of this process.
const PRONY: &str = "/proc/self/exe";

/// Another host that ssh reaches.
#[derive(Clone, Debug)]
pub struct Shell {
    pub(super) url: HostUrl,
    /// The folder there with prony; empty until it is there.
    pub(super) program: String,
}

impl Shell {
    pub(super) fn new(url: &HostUrl) -> Self {
        Self { url: url.clone(), program: String::new() }
    }

    /// Puts this prony on a host, if it is not there yet.
    ///
    /// # Errors
    ///
    /// [`Error::Host`] with what ssh said, or when there is no prony for the architecture of the host.
    pub fn with_prony(url: &HostUrl, on_step: &mut dyn FnMut(Step)) -> Result<Self, Error> {
        let mut shell = Self::new(url);
        let there = shell.run("uname -m", &[])?.trim().to_owned();
        let program = Piece::named(&shell.program_for(&there)?, "prony")?;
        shell.program.clone_from(&program.hash);
        shell.send_missing(&[program], on_step)?;
        Ok(shell)
    }

    /// The address of this machine as the host sees it; `None` if its sshd does not tell.
    ///
    /// # Errors
    ///
    /// [`Error::Host`] with what ssh said.
    pub fn our_address(&self) -> Result<Option<IpAddr>, Error> {
        let told = self.run("echo \"$SSH_CONNECTION\"", &[])?;
        Ok(told.split_whitespace().next().and_then(|word| word.parse().ok()))
    }

    /// A command that runs the prony there with this sub-command and the folder of its files. It ends when the host is silent for as long
    /// as the link of an agent may be.
    pub fn prony_command(&self, sub_command: &str, patience: Patience) -> Command {
        let seconds = patience.agent_link().as_secs_f64().ceil() as u32;
        self.command(&self.prony_script(sub_command), seconds.max(PATIENCE))
    }

    pub(super) fn prony_script(&self, sub_command: &str) -> String {
        format!("exec \"$d/{}/prony\" {sub_command} \"$d\"", self.program)
    }

    pub(super) fn error(&self, trouble: HostTrouble) -> Error {
        Error::Host(HostError { host: self.url.to_string(), trouble })
    }

    /// A command that runs this script there, and ends when nothing comes from the host for `patience` seconds. It is not in our process
    /// group, so that Ctrl-C does not cut the link.
    pub(super) fn command(&self, script: &str, patience: u32) -> Command {
        let mut command = Command::new("ssh");
        if let Some(config) = env::var_os(CONFIG) {
            command.arg("-F").arg(config);
        }
        let options = [
            "BatchMode=yes",
            "ConnectTimeout=10",
            "ServerAliveInterval=1",
            &format!("ServerAliveCountMax={patience}"),
        ];
        command.args(options.iter().flat_map(|option| ["-o", option]));
        if let Some(port) = self.url.port {
            command.args(["-p", &port.to_string()]);
        }
        command.args(["-T", "--", &self.url.destination]);
        command.arg(format!("sh -c '{FOLDER}{script}'"));
        command.process_group(0);
        command
    }

    /// The prony for an architecture: this one, or one beside it.
    pub(super) fn program_for(&self, architecture: &str) -> Result<PathBuf, Error> {
        if architecture == env::consts::ARCH {
            return Ok(PRONY.into());
        }
        let name = format!("prony-{architecture}");
        let beside = env::current_exe().ok().map(|this| this.with_file_name(name));
        beside
            .filter(|file| file.is_file())
            .ok_or_else(|| self.error(HostTrouble::OtherArchitecture { there: architecture.to_owned() }))
    }

    /// Sends the pieces that are not there. A piece that has arrived whole has the mark of its end.
    pub(super) fn send_missing(&self, pieces: &[Piece], on_step: &mut dyn FnMut(Step)) -> Result<(), Error> {
        let mut script = String::new();
        for Piece { hash, .. } in pieces {
            let _ = write!(script, "if test -e \"$d/{hash}\"; then touch \"$d/{hash}\"; echo {hash}; fi; ");
        }
        script += CLEAN;
        let told = self.run(&script, &[])?;
        let is_missing = |piece: &&Piece| told.lines().all(|line| line != piece.hash);
        let missing: Vec<&Piece> = pieces.iter().filter(is_missing).collect();
        if !missing.is_empty() {
            let size = missing.iter().map(|piece| piece.archive.len() as u64).sum();
            on_step(Step::Sending { host: self.url.to_string(), size: Bytes(size) });
        }
        for Piece { hash, archive, .. } in missing {
            let script = format!(
                "mkdir -p \"$d\" && t=$(mktemp -d \"$d/.new.XXXXXX\") && {{ tar -xmf - -C \"$t\" && test -e \"$t/{END}\" \
                 && mv -T \"$t\" \"$d/{hash}\" || {{ rm -rf \"$t\"; test -e \"$d/{hash}\"; }}; }}"
            );
            self.run(&script, archive).map_err(|error| self.disk_error(archive.len()).unwrap_or(error))?;
        }
        Ok(())
    }

    /// The error for a disk that has no room for so many bytes; `None` if it has.
    fn disk_error(&self, length: usize) -> Option<Error> {
        let script = "while ! test -e \"$d\"; do d=$(dirname \"$d\"); done; df -Pk \"$d\" | tail -n 1";
        let told = self.run(script, &[]).ok()?;
        let free: u64 = told.split_whitespace().nth(3)?.parse().ok()?;
        let (needed, free) = (Bytes(length as u64), Bytes(free << 10));
        (free < needed).then(|| self.error(HostTrouble::DiskFull { needed, free }))
    }

    /// The error for what ssh said.
    pub(super) fn ssh_error(&self, said: &str) -> Error {
        let said = said.trim().to_owned();
        let kind = SshTrouble::of(&said);
        self.error(HostTrouble::Ssh { kind, said })
    }

    /// The error for an ssh that cannot be started.
    pub(super) fn no_ssh(&self, error: &io::Error) -> Error {
        self.error(HostTrouble::Ssh { kind: SshTrouble::NoSsh, said: error.to_string() })
    }

    /// Runs a script there with this input, and returns its output.
    pub(super) fn run(&self, script: &str, input: &[u8]) -> Result<String, Error> {
        let mut command = self.command(script, PATIENCE_BEFORE);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| self.no_ssh(&error))?;
        // If writing fails, the script has ended, and says why.
        let _ = child.stdin.take().map(|mut stdin| stdin.write_all(input));
        let output = child.wait_with_output().map_err(|error| self.no_ssh(&error))?;
        if !output.status.success() {
            return Err(self.ssh_error(&String::from_utf8_lossy(&output.stderr)));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::java_program;
    use std::fs::{self, File};
    use std::path::Path;
    use std::time::{Duration, SystemTime};

    fn file(folder: &Path, name: &str, days: u64) {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        let written = SystemTime::now() - Duration::from_secs(days * 24 * 3600);
        File::create(path).and_then(|file| file.set_modified(written)).expect("written");
    }

    #[test]
    fn what_is_older_than_a_month_is_removed_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let (old, new) = ("0".repeat(32), "1".repeat(32));
        let jar = |name: &str| format!("{}/{name}.jar", java_program::FOLDER);
        for (name, days) in
            [(&old, 40), (&new, 1), (&jar("old"), 40), (&jar("new"), 1), (&"mine".to_owned(), 40)]
        {
            file(folder.path(), name, days);
        }
        let script = format!("d='{}'; {CLEAN}", folder.path().display());
        let status = Command::new("sh").args(["-c", &script]).status().expect("sh");
        assert!(status.success());
        let is_there = |name: &str| folder.path().join(name).exists();
        assert!(!is_there(&old) && !is_there(&jar("old")));
        assert!(is_there(&new) && is_there(&jar("new")) && is_there("mine"));
    }
}
