//! What an experiment can name: the catalog that is embedded in prony, and WARs and jars of the user.

use crate::builds::{self, Builder};
use crate::failure::{Code, Failure};
use crate::home::Home;
use crate::jmx;
use crate::lock_file::LockFile;
use lab::Bench;
use model::arm::Arm;
use model::available::{Available, NewestOfLine};
use model::build::Build;
use report::Lang;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use sut::{Site, versions};

/// How stderr tells what happens while arms are read.
#[derive(Clone, Copy)]
pub(crate) struct Audience {
    /// Whether mistakes are drawn in colour.
    pub(crate) colour: bool,
    /// Whether it is told what is built.
    pub(crate) quiet: bool,
    pub(crate) lang: Lang,
}

/// Returns the servers, versions, applications and services of the catalog.
pub(crate) fn in_catalog() -> Available {
    Bench::known()
}

/// Lets the scenarios of a file read the files that they name, and the environment.
pub(crate) fn with_files_beside(known: Available, file: &Path) -> Available {
    Available {
        folder: file.parent().unwrap_or(Path::new("")).to_owned(),
        read_file: Some(|path| std::fs::read(path)),
        compile_plan: Some(jmx::for_arms),
        environment: Some(|name| std::env::var(name).ok()),
        ..known
    }
}

/// Finds out which version stands for the newest of each line that the arms name (`tomcat:10.1`), and returns `known` together
/// with that; `None` when all arms name versions. The lock file is asked before Maven, and gets what Maven said.
pub(crate) fn with_newest(
    known: &Available,
    arms: &[Arm],
    lock: Option<&mut LockFile>,
) -> Result<Option<Available>, Failure> {
    let is_line = |arm: &&Arm| known.rules(&arm.server).is_some_and(|rules| rules.is_line(&arm.version));
    let mut lines: Vec<(&str, &str)> = Vec::new();
    for arm in arms.iter().filter(is_line) {
        let line = (arm.server.as_str(), arm.version.as_str());
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    if lines.is_empty() {
        return Ok(None);
    }
    let mut newest = lock.as_ref().map_or_else(Vec::new, |lock| lock.newest());
    for (server, line) in lines {
        if !newest.iter().any(|newest| newest.server == server && newest.line == line) {
            newest.push(ask_maven(server, line)?);
        }
    }
    if let Some(lock) = lock {
        lock.lock_newest(&newest);
    }
    Ok(Some(Available { newest, ..known.clone() }))
}

/// Asks Maven for the newest version of a line. Ctrl-C ends prony here, and with it Maven.
fn ask_maven(server: &str, line: &str) -> Result<NewestOfLine, Failure> {
    let site = Site::new(Home::find()?.cache);
    let version = versions::newest_of_line(server, line, &site, &AtomicBool::new(false)).map_err(usage)?;
    Ok(NewestOfLine { server: server.to_owned(), line: line.to_owned(), version })
}

/// Returns the newest Tomcat of a series: `10.1`, which most people run, or another.
pub(crate) fn newest_tomcat(known: &Available, series: &str) -> String {
    let versions = known.servers.iter().filter(|(server, _)| server == "tomcat");
    let newest = versions
        .flat_map(|(_, versions)| versions)
        .rfind(|version| version.strip_prefix(series).is_some_and(|rest| rest.starts_with('.')));
    format!("tomcat:{}", newest.map_or("", String::as_str))
}

/// Builds what the arms ask to be built, looks into the WARs and jars that they name, and returns `known` together with what these
/// files are; `None` when the arms name no such file. Relative paths begin in `folder`.
pub(crate) fn with_users_files(
    known: &Available,
    arms: &[Arm],
    folder: &Path,
    audience: Audience,
) -> Result<Option<Available>, Failure> {
    let mut known = known.clone();
    build(&mut known, arms, folder, audience)?;
    let mut named = false;
    for arm in arms {
        let Some(path) = file(arm, &known) else {
            continue;
        };
        named = true;
        let from_folder = folder.join(&path);
        if arm.jar.is_some() {
            let boot = sut::jar::find_boot(&from_folder).map_err(usage)?;
            known.jars.push((path, boot));
        } else if arm.deployment.namespace.is_none() {
            let namespace = sut::war::namespace(&from_folder).map_err(usage)?;
            known.wars.push((path, namespace));
        }
    }
    Ok(named.then_some(known))
}

/// Builds what the arms ask to be built, each file once. Before a build that may take minutes, all revisions are looked up.
fn build(known: &mut Available, arms: &[Arm], folder: &Path, audience: Audience) -> Result<(), Failure> {
    let asked = arms.iter().filter_map(|arm| Some((arm.build.as_ref()?, arm.users_file()?)));
    for (build, file) in asked.clone() {
        builds::check(build, file, folder)?;
    }
    let mut builder = None;
    for (build, file) in asked {
        if known.built_for(build, file).is_some() {
            continue;
        }
        if builder.is_none() {
            builder = Some(Builder::open((!audience.quiet).then_some(audience.lang))?);
        }
        if let Some(builder) = &builder {
            let built = Some(builder.build(build, file, folder)?);
            known.built.push(Build { built, ..build.clone() });
        }
    }
    Ok(())
}

/// Returns the WAR or jar of an arm: what was built, or else the file that it names.
fn file(arm: &Arm, known: &Available) -> Option<PathBuf> {
    let file = arm.users_file()?;
    let built = arm.build.as_ref().and_then(|build| known.built_for(build, file));
    Some(built.map_or_else(|| file.to_owned(), |built| built.file.clone()))
}

/// A file that is no WAR or jar, or a line without a version, is a mistake of whoever named it.
fn usage(error: sut::Error) -> Failure {
    Failure::new(Code::Usage, error)
}
