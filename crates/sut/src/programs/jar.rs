//! An executable jar of the user: finds out what is in it, and starts one whose server is unknown.
//!
//! A jar with Spring Boot in it is a [`crate::programs::spring_boot::SpringBoot`] like those built from `apps/`.

use crate::error::{Error, JarFlaw};
use crate::files::catalog::{Kind, Release, Source};
use crate::files::log::Trouble;
use crate::programs::command::port_taken;
use crate::programs::spring_boot::Form;
use crate::programs::system::{StartContext, System, fresh, java};
use ask::ability::Ability;
use ask::jar::{Boot, Embedded, JAR};
use record::outcome::Effective;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::process::Command;
use zip::ZipArchive;

/// An executable jar with an unknown server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Jar {
    /// The jar file, or the native program that was compiled from it.
    pub form: Form,
    /// Its arguments; `{host}` and `{port}` stand for the address on which it has to listen, and `{certificate}` and `{key}` for the files
    /// with which it encrypts.
    pub arguments: Vec<String>,
}

impl System for Jar {
    fn prepare(&self, start: &StartContext<'_>) -> Result<Command, Error> {
        let base = fresh(start.work, "base", &["temp"])?;
        let mut command = match &self.form {
            Form::Jar(jar) => {
                let mut command = java(start, &base)?;
                command.arg("-jar").arg(jar);
                command
            }
            Form::Native(program) => {
                let mut command = start.command(program);
                command.current_dir(&base).args(start.jvm.native_arguments());
                command
            }
        };
        command.args(self.arguments.iter().map(|word| start.filled(word)));
        // Many programs read their port from one of these variables; the second one is Spring Boot's.
        for name in ["PORT", "SERVER_PORT"] {
            command.env(name, start.port.to_string());
        }
        command.env("SERVER_ADDRESS", start.address().ip().to_string());
        Ok(command)
    }

    fn trouble(&self, line: &str) -> Option<Trouble> {
        let failed = || line.contains("Exception in thread \"main\"").then_some(Trouble::Failed);
        port_taken(line).or_else(failed)
    }

    /// The log of an unknown server cannot be read: a wrong answer is not final, and is asked again until the timeout.
    fn is_up(&self, _line: &str) -> bool {
        false
    }

    fn effective(&self, _log: &str) -> Effective {
        Effective::default()
    }

    fn application(&self) -> &Path {
        self.form.path()
    }

    fn is_java(&self) -> bool {
        matches!(self.form, Form::Jar(_))
    }
}

/// The Spring Boot in a jar; `None` for a jar without it, and for one whose server is neither Tomcat nor Jetty (Netty, say). A jar
/// that prony cannot start is an error.
pub fn find_boot(jar: &Path) -> Result<Option<Boot>, Error> {
    let unfit = |problem: JarFlaw| Error::NotAJar { jar: jar.to_owned(), problem };
    let (manifest, embedded) = read(jar).map_err(|error| unfit(JarFlaw::Unreadable(error.to_string())))?;
    let value = |name: &str| {
        let value = |line: &str| Some(line.strip_prefix(name)?.strip_prefix(": ")?.trim().to_owned());
        manifest.lines().find_map(value)
    };
    if value("Main-Class").is_none() {
        return Err(unfit(JarFlaw::NoMainClass));
    }
    let Some(version) = value("Spring-Boot-Version") else {
        return Ok(None);
    };
    Ok(embedded.map(|embedded| Boot { version, embedded }))
}

/// The manifest of a jar, and the server among its libraries.
fn read(jar: &Path) -> io::Result<(String, Option<Embedded>)> {
    let mut archive = ZipArchive::new(File::open(jar)?)?;
    let names: Vec<_> = archive.file_names().flatten().collect();
    let has = |library: &str| names.iter().any(|name| name.contains(library));
    // Boot starts the first of these that it finds, and Netty only without servlets.
    let embedded = [
        ("tomcat-embed-core-", Embedded::Tomcat),
        ("jetty-server-", Embedded::Jetty),
        ("undertow-servlet-", Embedded::Undertow),
        ("reactor-netty-http-", Embedded::Netty),
    ]
    .into_iter()
    .find_map(|(library, embedded)| has(&format!("-INF/lib/{library}")).then_some(embedded));
    let mut manifest = String::new();
    match archive.by_name("META-INF/MANIFEST.MF") {
        Ok(mut entry) => entry.read_to_string(&mut manifest)?,
        Err(zip::result::ZipError::FileNotFound) => 0,
        Err(error) => return Err(error.into()),
    };
    Ok((manifest, embedded))
}

/// The release that a user's jar stands for, which is not in the catalog.
pub fn release(jar: &Path) -> Result<Release, Error> {
    let boot = find_boot(jar)?;
    let (kind, ability) = match &boot {
        None => (Kind::Jar, Ability::default()),
        Some(boot) => (boot.kind(), boot.ability()),
    };
    Ok(Release {
        server: JAR.to_owned(),
        version: jar.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        kind,
        namespace: None, // Nothing is deployed in such a server.
        ability,
        tcnative: Vec::new(),
        modules: BTreeMap::new(),
        source: Source::OwnJar(boot),
    })
}
