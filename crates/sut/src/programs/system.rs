//! [`System`]: a kind of server, and [`StartContext`], what one start of it needs.

use crate::error::{Error, FileAct};
use crate::files::certificate::Certificate;
use crate::files::gclog;
use crate::files::log::Trouble;
use crate::files::work::WorkFolder;
use crate::programs::jvm::JvmOptions;
use crate::tools::guard::Guard;
use crate::tools::jdk::Jdk;
use crate::tools::tcnative::Tcnative;
use crate::tools::tool::with_address;
use ask::arm::settings::Settings;
use record::outcome::Effective;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A kind of server: how it is started, and how its log is read.
pub(crate) trait System {
    /// Prepares the work folder and returns the command that starts the server in it. The command's process becomes the
    /// server.
    fn prepare(&self, start: &StartContext<'_>) -> Result<Command, Error>;

    /// The problem at the start that a line of the log reports, if it does.
    fn trouble(&self, line: &str) -> Option<Trouble>;

    /// Whether this line of the log says that everything is deployed: a wrong answer is final from then on.
    fn is_up(&self, line: &str) -> bool;

    /// The settings in effect that the log shows; the others are asked from the JVM.
    fn effective(&self, log: &str) -> Effective;

    /// Fails if the log shows that a server (`tomcat:10.1.29`) runs otherwise than its settings ask for.
    fn check(&self, _server: &str, _settings: &Settings, _log: &str) -> Result<(), Error> {
        Ok(())
    }

    /// Whether it is loaded over TLS although the arm asks for none, because its own configuration serves nothing else.
    fn encrypts_itself(&self) -> Result<bool, Error> {
        Ok(false)
    }

    /// The file of its application; empty for a server that prony does not start.
    fn application(&self) -> &Path;

    /// Whether it is known to run in a JVM, which can be asked for its settings.
    fn is_java(&self) -> bool {
        true
    }
}

/// A word of a command or the value of a setting, with the address on which the server has to listen and what belongs to its certificate in
/// place of their names in braces.
pub(crate) fn filled(word: &str, at: SocketAddr, certificate: Option<&Certificate>) -> String {
    let word = with_address(word, at);
    match certificate {
        Some(certificate) => certificate.fill(&word),
        None => word,
    }
}

/// The name of the folder of the garbage collection log, in the work folder of the start.
pub(crate) const GC_LOG: &str = "gc";

/// What one start of a server needs.
pub(crate) struct StartContext<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) jdk: &'a Jdk,
    pub(crate) jvm: &'a JvmOptions,
    /// The tcnative library, which connector and TLS may need.
    pub(crate) tcnative: Option<&'a Tcnative>,
    pub(crate) work: &'a WorkFolder,
    pub(crate) port: u16,
    /// The address on which the server has to listen.
    pub(crate) listen: IpAddr,
    pub(crate) guard: &'a Guard,
    /// The certificate that the server has to present; `None` means plain HTTP.
    pub(crate) certificate: Option<&'a Certificate>,
}

impl StartContext<'_> {
    /// The address on which the server has to listen.
    pub(crate) fn address(&self) -> SocketAddr {
        (self.listen, self.port).into()
    }

    /// A word of the user's command, with what its placeholders stand for.
    pub(crate) fn filled(&self, word: &str) -> String {
        filled(word, self.address(), self.certificate)
    }

    /// A guarded command that inherits only PATH and HOME from the user's environment. With the user's JAVA_TOOL_OPTIONS
    /// or CATALINA_OPTS another server would be measured.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = self.guard.command(program);
        command.env_clear();
        for variable in ["PATH", "HOME"] {
            command.envs(env::var_os(variable).map(|value| (variable, value)));
        }
        command
            .env("LC_ALL", "C.UTF-8") // In another language their logs could not be read.
            .env("JAVA_HOME", &self.jdk.home);
        command
    }

    /// The options for the garbage collection log, then the arm's options, which override others because they come
    /// last.
    pub(crate) fn java_options(&self) -> Result<Vec<String>, Error> {
        let folder = self.work.folder(GC_LOG)?;
        let mut options: Vec<String> = gclog::option(self.jdk.major, &folder).into_iter().collect();
        options.extend(self.jvm.arguments());
        Ok(options)
    }
}

/// A command that runs `java` with the arm's options in the folder `base`, with its temporary files there too.
pub(crate) fn java(start: &StartContext<'_>, base: &Path) -> Result<Command, Error> {
    let mut command = start.command(start.jdk.java());
    let temp = base.join("temp").into_os_string();
    command
        .current_dir(base)
        .arg(OsString::from_iter([OsStr::new("-Djava.io.tmpdir="), &temp]))
        .args(start.java_options()?);
    Ok(command)
}

/// Makes a folder in the work folder, with these folders in it. It is emptied first: files from an attempt on another port
/// would make this start quicker.
pub(crate) fn fresh(work: &WorkFolder, name: &str, folders: &[&str]) -> Result<PathBuf, Error> {
    let path = work.folder(name)?;
    fs::remove_dir_all(&path).map_err(|error| Error::io(FileAct::Remove, &path, error))?;
    let path = work.folder(name)?;
    for folder in folders {
        work.folder(&format!("{name}/{folder}"))?;
    }
    Ok(path)
}

/// Properties of an arm: ours, but its own where both have one.
pub(crate) fn with_own(ours: Vec<(&str, String)>, settings: &Settings) -> Vec<(String, String)> {
    let ours = ours
        .into_iter()
        .filter(|(name, _)| !settings.properties.contains_key(*name))
        .map(|(name, value)| (name.to_owned(), value));
    ours.chain(settings.properties.clone()).collect()
}

/// The arguments for `java` that set system properties.
pub(crate) fn system_properties(properties: Vec<(String, String)>) -> impl Iterator<Item = String> {
    let properties = properties.into_iter();
    properties.map(|(name, value)| format!("-D{name}={value}"))
}

/// The version that follows these words in a log: `11.0.15` after `[Apache Tomcat/`.
pub(crate) fn release_after(log: &str, words: &str) -> Option<String> {
    let rest = log.split_once(words)?.1;
    let rest = rest.trim_start().trim_start_matches("(v");
    let end = rest.find([']', ')', ';', ' ', '\n']).unwrap_or(rest.len());
    (end > 0).then(|| rest[..end].to_owned())
}
