//! The versions of a server that exist: Maven reads the list from its repositories, and prony reads it from Maven's copy.

use crate::error::{Error, MavenTrouble};
use crate::files::catalog::{Catalog, Release, Source};
use crate::files::work::WorkFolder;
use crate::tools::site::{Job, Site};
use ask::version_rules::VersionRules;
use model::version::Version;
use std::sync::atomic::AtomicBool;

/// The newest release of a line: `10.1.59` for `tomcat` and `10.1`.
pub fn newest_of_line(server: &str, line: &str, site: &Site, stop: &AtomicBool) -> Result<String, Error> {
    let (rules, versions) = existing(server, site, stop)?;
    let newest = rules.newest_of(line, &versions).map(str::to_owned);
    newest.ok_or_else(|| no_version(server, line, &rules, &versions))
}

/// The versions of a server that exist and that prony runs, oldest first.
pub fn of_server(server: &str, site: &Site, stop: &AtomicBool) -> Result<Vec<String>, Error> {
    let (rules, mut versions) = existing(server, site, stop)?;
    versions.retain(|version| rules.supports(version) && !rules.is_line(version));
    versions.sort_by_key(|version| Version::of(version));
    Ok(versions)
}

/// Turns the error of a release that the repository does not hold into one that names the nearest versions. Any other error
/// stays as it is.
pub(crate) fn explain(error: Error, release: &Release, site: &Site, stop: &AtomicBool) -> Error {
    let is_held = match &error {
        Error::Maven { lines, .. } => MavenTrouble::in_output(lines) != MavenTrouble::NotHeld,
        _ => true,
    };
    if is_held {
        return error;
    }
    let Ok((rules, mut versions)) = existing(&release.server, site, stop) else {
        return error;
    };
    let is_listed = versions.contains(&release.version);
    if is_listed && matches!(release.source, Source::Built(_)) {
        return error; // Something else that the build needs is missing.
    }
    // Of some versions the list knows only jars or poms, and no distribution.
    versions.retain(|version| *version != release.version);
    no_version(&release.server, &release.version, &rules, &versions)
}

/// What is known about the versions of a server, and those that exist, in no order.
fn existing(server: &str, site: &Site, stop: &AtomicBool) -> Result<(VersionRules, Vec<String>), Error> {
    let catalog = Catalog::embedded();
    let known = catalog.rules(server).zip(catalog.artifact(server));
    let Some((rules, artifact)) = known else {
        return Err(Error::Unknown { asked: server.to_owned(), nearest: None });
    };
    let work = WorkFolder::create(&site.cache, 0)?;
    let job = Job { site, work: &work, stop };
    Ok((rules.clone(), site.maven.versions(artifact, &job)?))
}

fn no_version(server: &str, missing: &str, rules: &VersionRules, versions: &[String]) -> Error {
    let nearest = rules.nearest_to(missing, versions).into_iter();
    Error::NoVersion {
        asked: format!("{server}:{missing}"),
        nearest: nearest.map(|version| format!("{server}:{version}")).collect(),
    }
}
