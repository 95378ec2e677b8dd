//! [`Program`]: what is started, one file for each kind of server; everything else is the same for all of them.

pub(crate) mod command;
pub mod jar;
pub(crate) mod jetty;
pub(crate) mod jvm;
pub mod native;
pub(crate) mod spec;
pub(crate) mod spring_boot;
pub(crate) mod system;
pub(crate) mod tomcat;
pub(crate) mod undertow;
mod url;

use crate::error::Error;
use crate::files::catalog::{Kind, Release, Source};
use crate::programs::command::CommandLine;
use crate::programs::jar::Jar;
use crate::programs::jetty::Jetty;
use crate::programs::spring_boot::{Embedded, Form, SpringBoot};
use crate::programs::system::System;
use crate::programs::tomcat::Tomcat;
use crate::programs::undertow::Undertow;
use crate::tools::app::{App, Package};
use crate::tools::fetch;
use crate::tools::site::Site;
use model::origin::Origin;
use model::step::Step;
use std::path::{Path, PathBuf};
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

impl Program {
    /// Fetches and builds what a release needs to serve an application; `tell` hears what takes time.
    pub fn obtain(
        release: &Release,
        app: &App,
        site: &Site,
        stop: &AtomicBool,
        tell: &mut dyn FnMut(Step),
    ) -> Result<Self, Error> {
        let built = package(&Package::of(release), app, site, stop, tell)?;
        Self::serving(release, built, site, stop, tell)
    }

    /// Fetches what a release needs to serve an application that is built already, or given as a file.
    pub fn serving(
        release: &Release,
        built: PathBuf,
        site: &Site,
        stop: &AtomicBool,
        tell: &mut dyn FnMut(Step),
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
            // Those that are not in the catalog have no release; their programs are made by whoever knows them.
            Kind::Jar | Kind::Command | Kind::Running => Self::Jar(Jar {
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

    /// The application's file; empty for a server that runs already.
    pub fn application(&self) -> &Path {
        self.system().application()
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
    pub fn is_java(&self) -> bool {
        self.system().is_java()
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
    tell: &mut dyn FnMut(Step),
) -> Result<PathBuf, Error> {
    if fetch::cached(release, site).is_none() {
        tell(Step::FetchingServer {
            server: release.spec(),
        });
    }
    fetch::fetch(release, site, stop).map(|tree| tree.home)
}

/// The package of an application, built on first use.
pub fn package(
    package: &Package,
    app: &App,
    site: &Site,
    stop: &AtomicBool,
    tell: &mut dyn FnMut(Step),
) -> Result<PathBuf, Error> {
    if app.built(package, site).is_none() {
        tell(Step::BuildingApplication {
            application: app.name.clone(),
            label: package.label.clone(),
        });
    }
    app.build(package, site, stop)
}
