//! [`Program`]: a server with its application, with one file for each kind of server that has code, and [`row`] for all others. Everything
//! else in this crate is the same for all kinds.

pub(crate) mod command;
pub(crate) mod image;
pub mod jar;
pub(crate) mod jetty;
pub(crate) mod jvm;
pub(crate) mod launcher;
pub mod native;
pub(crate) mod row;
pub(crate) mod spec;
pub(crate) mod spring_boot;
pub(crate) mod system;
pub(crate) mod tomcat;
mod url;
#[cfg(test)]
mod written_tests;

use crate::error::{ConfigurationError, Error};
use crate::files::catalog::{Kind, Release, Source};
use crate::programs::command::CommandLine;
use crate::programs::image::ImageProgram;
use crate::programs::jar::Jar;
use crate::programs::jetty::Jetty;
use crate::programs::row::RowProgram;
use crate::programs::spring_boot::{Embedded, Form, SpringBoot};
use crate::programs::system::System;
use crate::programs::tomcat::Tomcat;
use crate::tools::app::{App, Packaging};
use crate::tools::fetch;
use crate::tools::site::Site;
use crate::tools::versions;
use ask::configuration::OwnConfiguration;
use ask::origin::Origin;
use record::configuration::ConfigurationChange;
use record::step::Step;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// A server and its application, ready to be started as often as wanted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Program {
    /// A Tomcat distribution.
    Tomcat(Tomcat),
    /// A Jetty distribution.
    Jetty(Jetty),
    /// A Spring Boot application.
    SpringBoot(SpringBoot),
    /// A server that a file of the catalog describes.
    Row(RowProgram),
    /// A jar of the user.
    Jar(Jar),
    /// A command of the user.
    Command(CommandLine),
    /// An image of the user.
    Image(ImageProgram),
    /// A server that runs already.
    Running(Origin),
}

impl Program {
    /// Fetches and builds what a release needs to serve an application in this package; `on_step` is called before each step that
    /// takes time.
    pub fn obtain(
        release: &Release,
        packaging: &Packaging,
        app: &App,
        site: &Site,
        stop: &AtomicBool,
        on_step: &mut dyn FnMut(Step),
    ) -> Result<Self, Error> {
        let is_built = matches!(release.source, Source::Built(_));
        if !is_built {
            // First, so that a version that does not exist does not cost a build.
            distribution(release, site, stop, on_step)?;
        }
        let built = package(packaging, app, site, stop, on_step);
        let built = built.map_err(|error| match is_built {
            true => versions::explain(error, release, site, stop),
            false => error,
        })?;
        Self::obtain_with(release, built, site, stop, on_step)
    }

    /// Fetches what a release needs to serve an application whose WAR or jar exists already.
    pub fn obtain_with(
        release: &Release,
        built: PathBuf,
        site: &Site,
        stop: &AtomicBool,
        on_step: &mut dyn FnMut(Step),
    ) -> Result<Self, Error> {
        Ok(match release.kind {
            Kind::Tomcat => Self::Tomcat(Tomcat {
                home: distribution(release, site, stop, on_step)?,
                war: built,
                migrates: false,
                label: match &release.source {
                    Source::Assembled(assembly) => Some(assembly.label()),
                    Source::Archive(_) | Source::Built(_) | Source::OwnJar(_) => None,
                },
                own: OwnConfiguration::default(),
                context_path: None,
            }),
            Kind::Jetty => Self::Jetty(Jetty {
                home: distribution(release, site, stop, on_step)?,
                modules: jetty::modules_for(&built, &release.modules),
                war: built,
                base: None,
                context_path: None,
            }),
            Kind::SpringBootTomcat => boot(built, Embedded::Tomcat),
            Kind::SpringBootJetty => boot(built, Embedded::Jetty),
            Kind::SpringBootUndertow => boot(built, Embedded::Undertow),
            Kind::SpringBootNetty => boot(built, Embedded::Netty),
            Kind::Row(kind) => Self::Row(RowProgram { kind, path: built }),
            // A command or a running server has no release, and its caller makes its program.
            Kind::Jar | Kind::Command | Kind::Running => {
                Self::Jar(Jar { form: Form::Jar(built), arguments: Vec::new() })
            }
        })
    }

    /// Gives it the user's own configuration, and the path of its application.
    pub fn configure(&mut self, own: &OwnConfiguration, context_path: Option<&String>) {
        match self {
            Self::Tomcat(tomcat) => {
                tomcat.own.clone_from(own);
                tomcat.context_path = context_path.cloned();
            }
            Self::Jetty(jetty) => {
                jetty.base.clone_from(&own.jetty_base);
                jetty.context_path = context_path.cloned();
            }
            _ => {}
        }
    }

    /// What is changed in the user's own configuration.
    ///
    /// # Errors
    /// The configuration cannot be read, or nothing in it can be loaded.
    pub fn changes(&self) -> Result<Vec<ConfigurationChange>, Error> {
        for path in self.own_paths() {
            path.metadata().map_err(|error| ConfigurationError::Unreadable {
                path: path.clone(),
                why: error.to_string(),
            })?;
        }
        match self {
            Self::Tomcat(tomcat) => tomcat.changes(),
            Self::Jetty(jetty) => jetty.changes(),
            _ => Ok(Vec::new()),
        }
    }

    /// The files and folders of the user's own configuration.
    fn own_paths(&self) -> Vec<&PathBuf> {
        match self {
            Self::Tomcat(tomcat) => tomcat.own.paths().collect(),
            Self::Jetty(jetty) => jetty.base.iter().collect(),
            _ => Vec::new(),
        }
    }

    /// The files of the user's own configuration with their SHA-512; `None` where nothing is the user's own.
    pub fn own_files(&self) -> Option<String> {
        let named = self.own_paths().into_iter().map(|path| {
            let checksum = fetch::sha512_of_all(path).unwrap_or_else(|error| error.to_string());
            format!("{}, SHA-512 {checksum}", path.file_name().unwrap_or_default().display())
        });
        let named: Vec<String> = named.collect();
        (!named.is_empty()).then(|| named.join("; "))
    }

    /// The folder of an unpacked Tomcat distribution; `None` for any other program.
    pub fn distribution(&self) -> Option<&Path> {
        match self {
            Self::Tomcat(tomcat) => Some(&tomcat.home),
            _ => None,
        }
    }

    /// The file of the application; empty for an image and for a server that runs already.
    pub fn application(&self) -> &Path {
        self.system().application()
    }

    /// The name and SHA-512 of the application's file or folder, which covers everything that Maven resolved for it.
    pub fn fingerprint(&self) -> String {
        if let Self::Running(origin) = self {
            return format!("whatever runs at {origin}");
        }
        if let Self::Image(program) = self {
            return format!("{}, id {}", program.image, program.image.id);
        }
        let path = self.application();
        let name = path.file_name().unwrap_or_default().display();
        let checksum = fetch::sha512_of_all(path).unwrap_or_else(|error| error.to_string());
        format!("{name}, SHA-512 {checksum}")
    }

    /// Whether it is known to run in a JVM, which can be asked for its settings.
    pub fn is_java(&self) -> bool {
        self.system().is_java()
    }

    pub(crate) fn system(&self) -> &dyn System {
        match self {
            Self::Tomcat(tomcat) => tomcat,
            Self::Jetty(jetty) => jetty,
            Self::SpringBoot(boot) => boot,
            Self::Row(row) => row,
            Self::Jar(jar) => jar,
            Self::Command(command) => command,
            Self::Image(image) => image,
            Self::Running(origin) => origin,
        }
    }
}

/// A Spring Boot application in a jar.
fn boot(jar: PathBuf, embedded: Embedded) -> Program {
    Program::SpringBoot(SpringBoot { form: Form::Jar(jar), embedded, arguments: Vec::new() })
}

fn distribution(
    release: &Release,
    site: &Site,
    stop: &AtomicBool,
    on_step: &mut dyn FnMut(Step),
) -> Result<PathBuf, Error> {
    if fetch::cached(release, site).is_none() {
        on_step(Step::FetchingServer { server: release.spec() });
    }
    fetch::fetch(release, site, stop).map(|tree| tree.home)
}

/// The file of an application in this packaging, built on first use.
pub fn package(
    packaging: &Packaging,
    app: &App,
    site: &Site,
    stop: &AtomicBool,
    on_step: &mut dyn FnMut(Step),
) -> Result<PathBuf, Error> {
    if app.built(packaging, site).is_none() {
        on_step(Step::BuildingApplication { application: app.name.clone(), label: packaging.label.clone() });
    }
    app.build(packaging, site, stop)
}
