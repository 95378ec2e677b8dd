//! [`Program`]: what is started, one file for each kind of server; everything else is the same for all of them.

use crate::app::{App, Package};
use crate::catalog::{Kind, Release, Source};
use crate::certificate::Certificate;
use crate::command::CommandLine;
use crate::error::Error;
use crate::fetch;
use crate::gclog;
use crate::guard::Guard;
use crate::jar::Jar;
use crate::jetty::Jetty;
use crate::log::Trouble;
use crate::site::Site;
use crate::spec::ServerSpec;
use crate::spring_boot::{Embedded, Form, SpringBoot};
use crate::tomcat::Tomcat;
use crate::undertow::Undertow;
use crate::work::WorkFolder;
use model::origin::Origin;
use model::outcome::Effective;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;

/// A server and its application, ready to be started as often as wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Program {
    /// A Tomcat distribution.
    Tomcat(Tomcat),
    /// A Jetty distribution.
    Jetty(Jetty),
    /// A Spring Boot application.
    SpringBoot(SpringBoot),
    /// An application in an embedded Undertow.
    Undertow(Undertow),
    /// A jar of the user's own.
    Jar(Jar),
    /// A command of the user's own.
    Command(CommandLine),
    /// One that runs already.
    Running(Origin),
}

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

    /// Refuses a server that runs otherwise than asked for, by its log.
    fn prove(&self, _spec: &ServerSpec, _log: &str) -> Result<(), Error> {
        Ok(())
    }
}

/// Folder of the log of a JVM's collections, within that of its start.
pub(crate) const GC_LOG: &str = "gc";

/// One start of a server.
pub(crate) struct Start<'a> {
    pub(crate) spec: &'a ServerSpec,
    pub(crate) work: &'a WorkFolder,
    pub(crate) port: u16,
    pub(crate) guard: &'a Guard,
    /// What it has to show in a handshake; `None` is plain HTTP.
    pub(crate) certificate: Option<&'a Certificate>,
}

impl Program {
    /// Fetches and builds what a release needs to serve an application; `tell` hears what takes time.
    pub fn obtain(
        release: &Release,
        app: &App,
        site: &Site,
        stop: &AtomicBool,
        tell: &mut dyn FnMut(&str),
    ) -> Result<Self, Error> {
        let built = package(&Package::of(release), app, site, stop, tell)?;
        Self::serving(release, built, site, stop, tell)
    }

    /// The same with an application that is there already.
    pub fn serving(
        release: &Release,
        built: PathBuf,
        site: &Site,
        stop: &AtomicBool,
        tell: &mut dyn FnMut(&str),
    ) -> Result<Self, Error> {
        Ok(match release.kind {
            Kind::Tomcat => Self::Tomcat(Tomcat {
                home: distribution(release, site, stop, tell)?,
                war: built,
                migrates: false,
                label: match &release.source {
                    Source::Assembled(assembly) => Some(assembly.label()),
                    Source::Archive(_) | Source::Built(_) | Source::Own(_) => None,
                },
            }),
            Kind::Jetty => Self::Jetty(Jetty {
                home: distribution(release, site, stop, tell)?,
                war: built,
            }),
            Kind::SpringBootTomcat => Self::SpringBoot(SpringBoot {
                form: Form::Jar(built),
                embedded: Embedded::Tomcat,
            }),
            Kind::SpringBootJetty => Self::SpringBoot(SpringBoot {
                form: Form::Jar(built),
                embedded: Embedded::Jetty,
            }),
            Kind::Undertow => Self::Undertow(Undertow { jar: built }),
            Kind::Jar => Self::Jar(Jar {
                path: built,
                arguments: Vec::new(),
            }),
        })
    }

    /// The unpacked tree of a Tomcat distribution.
    pub fn distribution(&self) -> Option<&Path> {
        match self {
            Self::Tomcat(tomcat) => Some(&tomcat.home),
            _ => None,
        }
    }

    /// The application's file.
    pub fn application(&self) -> &Path {
        match self {
            Self::Tomcat(tomcat) => &tomcat.war,
            Self::Jetty(jetty) => &jetty.war,
            Self::SpringBoot(boot) => boot.form.path(),
            Self::Undertow(undertow) => &undertow.jar,
            Self::Jar(jar) => &jar.path,
            Self::Command(command) => &command.program,
            Self::Running(_) => Path::new(""),
        }
    }

    /// The application's file by name and SHA-512: with it all that Maven resolved.
    pub fn fingerprint(&self) -> String {
        if let Self::Running(origin) = self {
            return format!("whatever runs at {origin}");
        }
        let path = self.application();
        let name = path.file_name().unwrap_or_default().display();
        let checksum = fetch::sha512(path).unwrap_or_else(|error| error.to_string());
        format!("{name}, SHA-512 {checksum}")
    }

    /// Whether a JVM runs it for all that is known, which can be asked for its settings.
    pub const fn is_java(&self) -> bool {
        !matches!(
            self,
            Self::SpringBoot(SpringBoot {
                form: Form::Native(_),
                ..
            }) | Self::Command(_)
                | Self::Running(_)
        )
    }

    pub(crate) fn system(&self) -> &dyn System {
        match self {
            Self::Tomcat(tomcat) => tomcat,
            Self::Jetty(jetty) => jetty,
            Self::SpringBoot(boot) => boot,
            Self::Undertow(undertow) => undertow,
            Self::Jar(jar) => jar,
            Self::Command(command) => command,
            Self::Running(origin) => origin,
        }
    }
}

fn distribution(
    release: &Release,
    site: &Site,
    stop: &AtomicBool,
    tell: &mut dyn FnMut(&str),
) -> Result<PathBuf, Error> {
    if fetch::cached(release, site).is_none() {
        tell(&format!("fetching {} with Maven", release.spec()));
    }
    fetch::fetch(release, site, stop).map(|tree| tree.home)
}

/// The package of an application, built on first use.
pub fn package(
    package: &Package,
    app: &App,
    site: &Site,
    stop: &AtomicBool,
    tell: &mut dyn FnMut(&str),
) -> Result<PathBuf, Error> {
    if app.built(package, site).is_none() {
        tell(&format!(
            "building the application {} ({}) with Maven",
            app.name, package.label
        ));
    }
    app.build(package, site, stop)
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
            .env("JAVA_HOME", &self.spec.jdk.home);
        command
    }

    /// The log of collections, and the arm's options, which come last: there they override.
    pub(crate) fn java_options(&self) -> Result<Vec<String>, Error> {
        let folder = self.work.folder(GC_LOG)?;
        let mut options: Vec<String> = gclog::option(self.spec.jdk.major, &folder).into_iter().collect();
        options.extend(self.spec.jvm.arguments());
        Ok(options)
    }
}

/// `java` with the arm's options, at work in this folder and nowhere else.
pub(crate) fn java(start: &Start<'_>, base: &Path) -> Result<Command, Error> {
    let mut command = start.command(start.spec.jdk.java());
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
