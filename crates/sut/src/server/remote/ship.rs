//! Puts prony and the files of a server on another host.

use super::order::{self, refusal};
use super::{Link, speed};
use crate::error::{Error, FileAct, HostError, HostTrouble, SshTrouble};
use crate::programs::spec::ServerSpec;
use crate::tools::jdk::Jdk;
use model::host::HostUrl;
use model::host_facts::HostFacts;
use model::step::Step;
use model::units::Bytes;
use sha2::{Digest, Sha256};
use std::env;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The folder there, as a shell sees it.
const FOLDER: &str = "d=\"${XDG_CACHE_HOME:-$HOME/.cache}/prony/host\"; ";
/// The file whose ssh configuration is used in the place of the user's.
const CONFIG: &str = "PRONY_SSH_CONFIG";
/// Removes the pieces that no run has used for a month, and what a cut connection has left, when nobody can be writing it any more.
/// The names of pieces have 32 characters.
const CLEAN: &str = "find \"$d\" -mindepth 1 -maxdepth 1 -name \"????????????????????????????????\" -mtime +30 -exec rm -rf {} + \
     2>/dev/null; find \"$d\" -maxdepth 1 -name \".new.*\" -mmin +60 -exec rm -rf {} + 2>/dev/null; true";
/// The last file of a piece: where it is, all others are, too.
const END: &str = ".end";
/// What runs there: the program of this process.
const PRONY: &str = "/proc/self/exe";

/// Another host that has everything that a server needs.
#[derive(Clone, Debug)]
pub struct Host {
    pub(super) url: HostUrl,
    /// The folder there with prony.
    program: String,
    /// The server with the places of its files there.
    pub(super) spec: ServerSpec,
    /// The place of the profiler's library there.
    pub(super) profiler: Option<PathBuf>,
    /// What is known about the host and the link to it.
    pub facts: HostFacts,
}

impl Host {
    /// Sends what the host does not have yet, makes sure that it can run the server, and measures the link to it. The JDK of `spec`
    /// becomes the one there. `profiler` is the
    /// library of the profiler, where one is needed there; `known` is the same host with another server, whose link was measured.
    pub fn prepare(
        url: &HostUrl,
        spec: &mut ServerSpec,
        profiler: Option<&Path>,
        known: Option<&Self>,
        on_step: &mut dyn FnMut(Step),
    ) -> Result<Self, Error> {
        let mut host = Self {
            url: url.clone(),
            program: String::new(),
            spec: spec.clone(),
            profiler: None,
            facts: HostFacts::default(),
        };
        if let Some(trouble) = refusal(spec) {
            return Err(host.error(trouble));
        }
        let there = host.run("uname -m", &[])?.trim().to_owned();
        let is_like_here = there == env::consts::ARCH;
        let program = Piece::named(&host.program_for(&there)?, "prony")?;
        host.program.clone_from(&program.hash);
        if !is_like_here && order::has_native_files(spec) {
            return Err(host.error(HostTrouble::ForeignProgram { there }));
        }
        let mut pieces = order::pack(&mut host.spec)?;
        if let Some(library) = profiler.filter(|_| is_like_here) {
            host.profiler = Some(order::place(Piece::of(library)?, &mut pieces).into());
        }
        pieces.insert(0, program);
        host.send_missing(&pieces, on_step)?;
        let link = Link::open(&host)?;
        let hello = link.hello();
        if hello.protocol != super::wire::VERSION {
            return Err(host.error(HostTrouble::Strange));
        }
        match jdk_like(&spec.jdk, &hello.jdks) {
            Some(jdk) => spec.jdk = jdk.clone(),
            None if spec.program.is_java() => {
                let mut found: Vec<u32> = hello.jdks.iter().map(|jdk| jdk.major).collect();
                found.dedup();
                return Err(host.error(HostTrouble::NoJava {
                    release: spec.jdk.major,
                    found,
                }));
            }
            None => {}
        }
        // What has no JVM of ours has no options of ours either.
        let limit = spec.surroundings.limits.cpus.map(|cpus| cpus.ceil() as u32);
        let cpus = limit.map_or(hello.cpus, |limit| limit.clamp(1, hello.cpus));
        spec.jvm.processors = spec.jvm.processors.map(|_| cpus);
        host.spec.jdk.clone_from(&spec.jdk);
        host.spec.jvm.clone_from(&spec.jvm);
        host.facts = match known {
            Some(known) => known.facts.clone(),
            None => facts(&host, &link, there)?,
        };
        Ok(host)
    }

    pub(super) fn error(&self, trouble: HostTrouble) -> Error {
        Error::Host(HostError {
            host: self.url.to_string(),
            trouble,
        })
    }

    /// A command that runs this script there. It is not in our process group, so that Ctrl-C does not cut the link.
    fn command(&self, script: &str) -> Command {
        let mut command = Command::new("ssh");
        if let Some(config) = env::var_os(CONFIG) {
            command.arg("-F").arg(config);
        }
        let options = [
            "BatchMode=yes",
            "ConnectTimeout=10",
            "ServerAliveInterval=1",
            "ServerAliveCountMax=3",
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

    pub(super) fn serve_command(&self) -> Command {
        let program = &self.program;
        self.command(&format!("exec \"$d/{program}/prony\" __host \"$d\""))
    }

    /// The prony for an architecture: this one, or one beside it.
    fn program_for(&self, architecture: &str) -> Result<PathBuf, Error> {
        if architecture == env::consts::ARCH {
            return Ok(PRONY.into());
        }
        let name = format!("prony-{architecture}");
        let beside = env::current_exe().ok().map(|this| this.with_file_name(name));
        beside.filter(|file| file.is_file()).ok_or_else(|| {
            self.error(HostTrouble::OtherArchitecture {
                there: architecture.to_owned(),
            })
        })
    }

    /// Sends the pieces that are not there. A piece that has arrived whole has the mark of its end.
    fn send_missing(&self, pieces: &[Piece], on_step: &mut dyn FnMut(Step)) -> Result<(), Error> {
        let mut script = String::new();
        for Piece { hash, .. } in pieces {
            let _ = write!(
                script,
                "if test -e \"$d/{hash}\"; then touch \"$d/{hash}\"; echo {hash}; fi; "
            );
        }
        script += CLEAN;
        let told = self.run(&script, &[])?;
        let is_missing = |piece: &&Piece| told.lines().all(|line| line != piece.hash);
        let missing: Vec<&Piece> = pieces.iter().filter(is_missing).collect();
        if !missing.is_empty() {
            let size = missing.iter().map(|piece| piece.archive.len() as u64).sum();
            on_step(Step::Sending {
                host: self.url.to_string(),
                size: Bytes(size),
            });
        }
        for Piece { hash, archive, .. } in missing {
            let script = format!(
                "mkdir -p \"$d\" && t=$(mktemp -d \"$d/.new.XXXXXX\") && {{ tar -xmf - -C \"$t\" && test -e \"$t/{END}\" \
                 && mv -T \"$t\" \"$d/{hash}\" || {{ rm -rf \"$t\"; test -e \"$d/{hash}\"; }}; }}"
            );
            self.run(&script, archive)
                .map_err(|error| self.disk_error(archive.len()).unwrap_or(error))?;
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
        self.error(HostTrouble::Ssh {
            kind: SshTrouble::NoSsh,
            said: error.to_string(),
        })
    }

    /// Runs a script there with this input, and returns its output.
    fn run(&self, script: &str, input: &[u8]) -> Result<String, Error> {
        let mut command = self.command(script);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
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

/// What is known about a host of this architecture, and the link to it.
fn facts(host: &Host, link: &Link, architecture: String) -> Result<HostFacts, Error> {
    let hello = link.hello();
    let clock = link.clock()?;
    let speed = speed::measure(link)?;
    Ok(HostFacts {
        url: host.url.to_string(),
        architecture,
        processor: hello.processor,
        cpus: hello.cpus,
        kernel: hello.kernel,
        clock_ahead_ns: clock.ahead,
        clock_error: clock.error,
        round_trip: speed.round_trip,
        rate: speed.rate,
    })
}

/// The JDK there that takes the place of one that was chosen here: the same, else the newest of its release.
fn jdk_like<'a>(chosen: &Jdk, there: &'a [Jdk]) -> Option<&'a Jdk> {
    let same = |jdk: &&Jdk| jdk.version == chosen.version && jdk.vendor == chosen.vendor;
    let of_release = || there.iter().rfind(|jdk| jdk.major == chosen.major);
    there.iter().rfind(same).or_else(of_release)
}

/// A file or a folder that a host needs, as an archive.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    /// The hash of the archive, which names the folder into which it is unpacked.
    pub(super) hash: String,
    /// The name of the file or folder within.
    pub(super) file: String,
    archive: Vec<u8>,
}

impl Piece {
    /// The piece with this file or folder.
    pub(super) fn of(path: &Path) -> Result<Self, Error> {
        let name = path.file_name().unwrap_or_default();
        Self::named(path, &name.to_string_lossy())
    }

    /// The piece with this file or folder, which has another name there.
    pub(super) fn named(path: &Path, name: &str) -> Result<Self, Error> {
        let read = |error| Error::io(FileAct::Read, path, error);
        let mut archive = tar::Builder::new(Vec::new());
        archive.mode(tar::HeaderMode::Deterministic);
        if path.is_dir() {
            archive.append_dir_all(name, path).map_err(read)?;
        } else {
            let content = fs::read(path).map_err(read)?;
            let mode = fs::metadata(path).map_err(read)?.permissions().mode();
            let mut header = tar::Header::new_gnu();
            header.set_size(content.len() as u64);
            header.set_mode(mode & 0o777 | 0o400);
            archive
                .append_data(&mut header, name, content.as_slice())
                .map_err(read)?;
        }
        let mut end = tar::Header::new_gnu();
        end.set_size(0);
        end.set_mode(0o644);
        archive.append_data(&mut end, END, io::empty()).map_err(read)?;
        let archive = archive.into_inner().map_err(read)?;
        let digest = Sha256::digest(&archive);
        let hash = digest.iter().take(16).fold(String::new(), |mut name, byte| {
            let _ = write!(name, "{byte:02x}");
            name
        });
        Ok(Self {
            hash,
            file: name.to_owned(),
            archive,
        })
    }

    /// Unpacks it as the shell there does.
    #[cfg(test)]
    pub(super) fn unpack_into(&self, folder: &Path) {
        let mut archive = tar::Archive::new(self.archive.as_slice());
        archive.unpack(folder.join(&self.hash)).expect("unpacked");
    }
}
