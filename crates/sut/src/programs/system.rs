//! [`System`]: what there is to know of a kind of server, and [`Start`], one start of it.

use crate::error::Error;
use crate::files::certificate::Certificate;
use crate::files::gclog;
use crate::files::log::Trouble;
use crate::files::work::WorkFolder;
use crate::programs::jvm::JvmOptions;
use crate::tools::guard::Guard;
use crate::tools::jdk::Jdk;
use crate::tools::tcnative::Tcnative;
use model::arm::settings::Settings;
use model::outcome::Effective;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// One kind of server: how it is started, and how its log is read.
pub(crate) trait System {
    /// Prepares the work folder and gives the command that starts the server in it; its process is the server's own.
    fn prepare(&self, start: &Start<'_>) -> Result<Command, Error>;

    /// What a line of the log means for the start.
    fn judge(&self, line: &str) -> Option<Trouble>;

    /// Whether this line says that everything is deployed: from then on an answer is final.
    fn is_up(&self, line: &str) -> bool;

    /// What the log says of the server; the rest is asked of its JVM.
    fn said(&self, log: &str) -> Effective;

    /// Refuses a server (`tomcat:10.1.29`) that runs otherwise than its settings ask for, by its log.
    fn prove(&self, _server: &str, _settings: &Settings, _log: &str) -> Result<(), Error> {
        Ok(())
    }

    /// The file of its application; empty for a server that is not ours to start.
    fn application(&self) -> &Path;

    /// Whether a JVM runs it for all that is known, which can be asked for its settings.
    fn is_java(&self) -> bool {
        true
    }
}

/// Folder of the log of a JVM's collections, within that of its start.
pub(crate) const GC_LOG: &str = "gc";

/// One start of a server.
pub(crate) struct Start<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) jdk: &'a Jdk,
    pub(crate) jvm: &'a JvmOptions,
    /// The library in C that connector and TLS may need.
    pub(crate) tcnative: Option<&'a Tcnative>,
    pub(crate) work: &'a WorkFolder,
    pub(crate) port: u16,
    pub(crate) guard: &'a Guard,
    /// What it has to show in a handshake; `None` is plain HTTP.
    pub(crate) certificate: Option<&'a Certificate>,
}

impl Start<'_> {
    /// A guarded command with nothing of the user's environment but PATH and HOME: JAVA_TOOL_OPTIONS or CATALINA_OPTS would
    /// measure another server.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = self.guard.command(program);
        command.env_clear();
        for variable in ["PATH", "HOME"] {
            command.envs(env::var_os(variable).map(|value| (variable, value)));
        }
        command
            .env("LC_ALL", "C.UTF-8") // Servers translate their logs, which are read.
            .env("JAVA_HOME", &self.jdk.home);
        command
    }

    /// The log of collections, and the arm's options, which come last: there they override.
    pub(crate) fn java_options(&self) -> Result<Vec<String>, Error> {
        let folder = self.work.folder(GC_LOG)?;
        let mut options: Vec<String> = gclog::option(self.jdk.major, &folder).into_iter().collect();
        options.extend(self.jvm.arguments());
        Ok(options)
    }
}

/// `java` with the arm's options, at work in this folder and nowhere else.
pub(crate) fn java(start: &Start<'_>, base: &Path) -> Result<Command, Error> {
    let mut command = start.command(start.jdk.java());
    let temp = base.join("temp").into_os_string();
    command
        .current_dir(base)
        .arg(OsString::from_iter([OsStr::new("-Djava.io.tmpdir="), &temp]))
        .args(start.java_options()?);
    Ok(command)
}

/// A folder with these folders in it. What a start on another port left is removed: it would make this one quicker.
pub(crate) fn fresh(work: &WorkFolder, name: &str, folders: &[&str]) -> Result<PathBuf, Error> {
    let path = work.folder(name)?;
    fs::remove_dir_all(&path).map_err(|error| Error::io("remove", &path, error))?;
    let path = work.folder(name)?;
    for folder in folders {
        work.folder(&format!("{name}/{folder}"))?;
    }
    Ok(path)
}

/// What follows these words in a log, up to the end of a version: `11.0.15` after `[Apache Tomcat/`.
pub(crate) fn release_after(log: &str, words: &str) -> Option<String> {
    let rest = log.split_once(words)?.1;
    let rest = rest.trim_start().trim_start_matches("(v");
    let end = rest.find([']', ')', ';', ' ', '\n']).unwrap_or(rest.len());
    (end > 0).then(|| rest[..end].to_owned())
}
