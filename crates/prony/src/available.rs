//! The facts by which experiment files and arms are resolved: the catalog that is embedded in prony, and what files, Maven, builds and
//! looks into the WARs and jars of the user tell.

use crate::builds::{self, Builder};
use crate::failure::Failure;
use crate::home::Home;
use crate::jmx;
use crate::lock_file::LockFile;
use ask::arm::Arm;
use ask::available::{Available, NewestOfLine};
use ask::build::Build;
use ask::experiment::FileNeeds;
use ask::grpc::Schemas;
use lab::Bench;
use say::Language;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use sut::build::BuildRequest;
use sut::{Site, versions};

/// How stderr tells what happens while arms are read.
#[derive(Clone, Copy)]
pub(crate) struct Audience {
    /// Whether mistakes are drawn in colour.
    pub(crate) colour: bool,
    /// Whether it is told what is built.
    pub(crate) quiet: bool,
    pub(crate) lang: Language,
}

/// Returns the servers, versions, applications and services of the catalog.
pub(crate) fn in_catalog() -> Available {
    Bench::known()
}

/// Reads the files that an experiment file needs, which are named relative to its folder, and the environment.
pub(crate) fn read_files(known: &mut Available, needs: FileNeeds, folder: &Path) {
    let read = |path: PathBuf| {
        let read = std::fs::read(folder.join(&path)).map_err(|error| error.to_string());
        (path, read)
    };
    known.files = needs.files.into_iter().map(read).collect();
    known.schemas = Schemas::read(needs.schemas, &|path| read(path.to_owned()).1);
    known.plan = needs.plan.map(|plan| jmx::for_arms(&folder.join(plan.file), &plan.properties));
    let texts = std::env::vars_os().map(|(name, value)| (name.into_string(), value.into_string()));
    known.environment = texts.filter_map(|(name, value)| Some((name.ok()?, value.ok()?))).collect();
}

/// Whom and where to ask about arms.
#[derive(Clone, Copy)]
pub(crate) struct Inquiry<'a> {
    /// The folder in which relative paths of the arms begin.
    pub(crate) folder: &'a Path,
    pub(crate) audience: Audience,
}

impl Inquiry<'_> {
    /// Finds out everything about arms that is not known: newest versions of lines, then what has to be built, then what is in WARs and
    /// jars. `resolve` puts each of these into the arms, so that an arm that asks for more than its version can is refused before a build
    /// that may take minutes.
    pub(crate) fn find_out(
        self,
        known: &mut Available,
        arms: &mut [Arm],
        lock: Option<&mut LockFile>,
        resolve: impl Fn(&mut [Arm], &Available) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        find_newest(known, arms, lock)?;
        resolve(arms, known)?;
        self.build(known, arms)?;
        resolve(arms, known)?;
        look_into_files(known, arms, self.folder)?;
        resolve(arms, known)
    }

    /// Builds what the arms ask to be built. Before a build that may take minutes, all revisions are looked up.
    fn build(self, known: &mut Available, arms: &[Arm]) -> Result<(), Failure> {
        let asked = known.needs(arms).builds;
        for (build, file) in &asked {
            builds::check(build, file, self.folder)?;
        }
        if asked.is_empty() {
            return Ok(());
        }
        let builder = Builder::open((!self.audience.quiet).then_some(self.audience.lang))?;
        let is_shared = asked.iter().filter(|(build, _)| build.git.is_none()).count() > 1;
        for (build, file) in asked {
            let request = BuildRequest { build: &build, file: &file, folder: self.folder, is_shared };
            let built = Some(builder.build(request)?);
            known.built.push(Build { built, ..build });
        }
        Ok(())
    }
}

/// Finds out which version stands for the newest of each line that the arms name (`tomcat:10.1`). The lock file is asked before Maven, and
/// gets what Maven said.
fn find_newest(known: &mut Available, arms: &[Arm], lock: Option<&mut LockFile>) -> Result<(), Failure> {
    let lines = known.needs(arms).lines;
    if lines.is_empty() {
        return Ok(());
    }
    known.newest = lock.as_ref().map_or_else(Vec::new, |lock| lock.newest());
    for (server, line) in lines {
        if known.newest_of(&server, &line).is_none() {
            known.newest.push(ask_maven(&server, &line)?);
        }
    }
    if let Some(lock) = lock {
        lock.lock_newest(&known.newest);
    }
    Ok(())
}

/// Looks into the WARs and jars of arms. Relative paths begin in `folder`.
pub(crate) fn look_into_files(known: &mut Available, arms: &[Arm], folder: &Path) -> Result<(), Failure> {
    let needs = known.needs(arms);
    for jar in needs.jars {
        let boot = sut::jar::find_boot(&folder.join(&jar)).map_err(Failure::usage)?;
        known.jars.push((jar, boot));
    }
    for war in needs.wars {
        let namespace = sut::war::namespace(&folder.join(&war)).map_err(Failure::usage)?;
        known.wars.push((war, namespace));
    }
    Ok(())
}

/// Asks Maven for the newest version of a line. Ctrl-C ends prony here, and with it Maven.
fn ask_maven(server: &str, line: &str) -> Result<NewestOfLine, Failure> {
    let site = Site::new(Home::find()?.cache);
    let version =
        versions::newest_of_line(server, line, &site, &AtomicBool::new(false)).map_err(Failure::usage)?;
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
