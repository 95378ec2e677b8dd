//! What an experiment can name: the catalog that is embedded in prony, and WARs and jars of the user.

use crate::failure::{Code, Failure};
use crate::home::Home;
use crate::lock_file::LockFile;
use lab::Bench;
use model::arm::Arm;
use model::available::{Available, NewestOfLine};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use sut::{Site, versions};

/// Returns the servers, versions, applications and services of the catalog.
pub(crate) fn in_catalog() -> Available {
    Bench::known()
}

/// Finds out which version stands for the newest of each line that the arms name (`tomcat:10.1`), and returns `known` together
/// with that; `None` when all arms name versions. The lock file is asked before Maven, and gets what Maven said.
pub(crate) fn with_newest(
    known: &Available,
    arms: &[Arm],
    lock: Option<&mut LockFile>,
) -> Result<Option<Available>, Failure> {
    let is_line = |arm: &&Arm| {
        known
            .rules(&arm.server)
            .is_some_and(|rules| rules.is_line(&arm.version))
    };
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
        if !newest
            .iter()
            .any(|newest| newest.server == server && newest.line == line)
        {
            newest.push(ask_maven(server, line)?);
        }
    }
    if let Some(lock) = lock {
        lock.lock_newest(&newest);
    }
    Ok(Some(Available {
        newest,
        ..known.clone()
    }))
}

/// Asks Maven for the newest version of a line. Ctrl-C ends prony here, and with it Maven.
fn ask_maven(server: &str, line: &str) -> Result<NewestOfLine, Failure> {
    let site = Site::new(Home::find()?.cache);
    let version = versions::newest_of_line(server, line, &site, &AtomicBool::new(false)).map_err(usage)?;
    Ok(NewestOfLine {
        server: server.to_owned(),
        line: line.to_owned(),
        version,
    })
}

/// Looks into the WARs and jars that the arms name, and returns `known` together with what these files are; `None` when the
/// arms name no such file. Relative paths begin in `folder`.
pub(crate) fn with_users_files(
    known: &Available,
    arms: &[Arm],
    folder: &Path,
) -> Result<Option<Available>, Failure> {
    let mut known = known.clone();
    for Arm { deployment, jar, .. } in arms {
        if let (Some(war), None) = (&deployment.war, deployment.namespace) {
            let namespace = sut::war::namespace(&folder.join(war)).map_err(usage)?;
            known.wars.push((war.clone(), namespace));
        }
        if let Some(jar) = jar {
            let boot = sut::jar::find_boot(&folder.join(&jar.path)).map_err(usage)?;
            known.jars.push((jar.path.clone(), boot));
        }
    }
    Ok((!known.wars.is_empty() || !known.jars.is_empty()).then_some(known))
}

/// A file that is no WAR or jar, or a line without a version, is a mistake of whoever named it.
fn usage(error: sut::Error) -> Failure {
    Failure::new(Code::Usage, error)
}
