//! Puts prony and the files of a server on another host.

use super::{APPLICATION, Link, order};
use crate::error::{Error, FileAct, HostError, HostTrouble};
use crate::programs::Program;
use crate::programs::spec::ServerSpec;
use model::host::HostUrl;
use sha2::{Digest, Sha256};
use std::env;
use std::fmt::Write as _;
use std::fs;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// The folder there, as a shell sees it.
const FOLDER: &str = "d=\"${XDG_CACHE_HOME:-$HOME/.cache}/prony/host\"; ";
/// The file whose ssh configuration is used in the place of the user's.
const CONFIG: &str = "PRONY_SSH_CONFIG";

/// Another host that has everything that a server needs.
#[derive(Clone, Debug)]
pub struct Host {
    pub(super) url: HostUrl,
    /// The folders there with prony, the distribution and the application.
    program: String,
    pub(super) home: String,
    pub(super) war: String,
    /// What the report says about the host and the link to it.
    pub facts: String,
}

impl Host {
    /// Sends what the host does not have yet, and makes sure that it can run the server.
    pub fn prepare(url: &HostUrl, spec: &ServerSpec) -> Result<Self, Error> {
        let mut host = Self {
            url: url.clone(),
            program: String::new(),
            home: String::new(),
            war: String::new(),
            facts: String::new(),
        };
        let Program::Tomcat(tomcat) = &spec.program else {
            return Err(host.error(HostTrouble::OnlyPlainTomcat));
        };
        order(&host, spec, 0).ok_or_else(|| host.error(HostTrouble::OnlyPlainTomcat))?;
        let pieces = [
            Piece::file(Path::new("/proc/self/exe"), "prony", 0o755)?,
            Piece::folder(&tomcat.home)?,
            Piece::file(&tomcat.war, APPLICATION, 0o644)?,
        ];
        host.send_missing(&pieces)?;
        let [program, home, war] = pieces.map(|piece| piece.name);
        (host.program, host.home, host.war) = (program, home, war);
        let link = Link::open(&host)?;
        let hello = link.hello();
        if hello.protocol != super::wire::VERSION {
            return Err(host.error(HostTrouble::Cut));
        }
        if !hello.javas.contains(&spec.jdk.major) {
            return Err(host.error(HostTrouble::NoJava {
                release: spec.jdk.major,
                found: hello.javas,
            }));
        }
        let link = link.facts()?;
        host.facts = format!(
            "{url}: {}; round trip {:.3} ms, clock {:+.3} ms ± {:.3} ms",
            hello.machine,
            link.round_trip.0 as f64 / 1e6,
            link.clock_ahead as f64 / 1e6,
            link.round_trip.0 as f64 / 2e6
        );
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

    fn send_missing(&self, pieces: &[Piece]) -> Result<(), Error> {
        let mut script = "uname -m; ".to_owned();
        for Piece { name, .. } in pieces {
            let _ = write!(script, "if test -e \"$d/{name}\"; then echo {name}; fi; ");
        }
        let told = self.run(&script, &[])?;
        let there = told.lines().next().unwrap_or_default();
        if there != env::consts::ARCH {
            return Err(self.error(HostTrouble::OtherArchitecture(there.to_owned())));
        }
        for Piece { name, bytes } in pieces {
            if told.lines().all(|line| line != name) {
                let script = format!(
                    "mkdir -p \"$d\" && t=$(mktemp -d \"$d/.new.XXXXXX\") && {{ tar -xmf - -C \"$t\" && mv -T \"$t\" \"$d/{name}\" \
                     || {{ rm -rf \"$t\"; test -e \"$d/{name}\"; }}; }}"
                );
                self.run(&script, bytes)?;
            }
        }
        Ok(())
    }

    /// Runs a script there with this input, and returns its output.
    fn run(&self, script: &str, input: &[u8]) -> Result<String, Error> {
        let failed = |text: String| self.error(HostTrouble::Ssh(text));
        let mut command = self.command(script);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| failed(error.to_string()))?;
        // If writing fails, the script has ended, and says why.
        let _ = child.stdin.take().map(|mut stdin| stdin.write_all(input));
        let output = child
            .wait_with_output()
            .map_err(|error| failed(error.to_string()))?;
        if !output.status.success() {
            return Err(failed(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

/// Something that a host needs, as an archive.
struct Piece {
    name: String,
    bytes: Vec<u8>,
}

impl Piece {
    fn file(path: &Path, name: &str, mode: u32) -> Result<Self, Error> {
        let read = |error| Error::io(FileAct::Read, path, error);
        let content = fs::read(path).map_err(read)?;
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(mode);
        let mut archive = tar::Builder::new(Vec::new());
        archive
            .append_data(&mut header, name, content.as_slice())
            .map_err(read)?;
        Ok(Self::new(archive.into_inner().map_err(read)?))
    }

    fn folder(path: &Path) -> Result<Self, Error> {
        let read = |error| Error::io(FileAct::Read, path, error);
        let mut archive = tar::Builder::new(Vec::new());
        archive.mode(tar::HeaderMode::Deterministic);
        archive.append_dir_all(".", path).map_err(read)?;
        Ok(Self::new(archive.into_inner().map_err(read)?))
    }

    fn new(bytes: Vec<u8>) -> Self {
        let hash = Sha256::digest(&bytes);
        let name = hash.iter().take(16).fold(String::new(), |mut name, byte| {
            let _ = write!(name, "{byte:02x}");
            name
        });
        Self { name, bytes }
    }
}
