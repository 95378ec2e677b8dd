//! async-profiler samples the stacks on which a JVM spends CPU time, also the stacks of the kernel, of compilers and of
//! collectors. Maven fetches its jar, and prony verifies the jar and keeps the library for this processor in its cache.
//!
//! The JDK Flight Recorder needs no download, but sees only threads that run Java: nothing of the kernel, of compilers
//! and of the collector, and before JDK 25 not even the time within native methods.

use crate::error::{Error, FileAct};
use crate::files::catalog::{Archive, template};
use crate::files::lock::Lock;
use crate::files::unpack::{self, UnpackTarget};
use crate::files::work::WorkFolder;
use crate::tools::fetch::download;
use crate::tools::site::{Job, Site};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::env::consts::ARCH;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// The file name of the library in the cache.
const LIBRARY: &str = "libasyncProfiler.so";

/// The catalog file of the profiler.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProfilerCatalog {
    jar: Archive,
    /// The path of the library in the jar, by processor architecture.
    library: BTreeMap<String, PathBuf>,
}

/// Reads the catalog file of the profiler.
///
/// # Panics
/// Panics when the file is wrong; a test would find that first.
fn catalog() -> ProfilerCatalog {
    toml::from_str(template("profiler/async-profiler.toml"))
        .unwrap_or_else(|error| panic!("catalog/profiler/async-profiler.toml: {error}"))
}

/// The library of the profiler; `None` where there is none for this processor. It is taken from the cache, without network; else
/// downloaded and verified.
pub fn fetch(site: &Site, stop: &AtomicBool) -> Result<Option<PathBuf>, Error> {
    let ProfilerCatalog { jar, mut library } = catalog();
    let Some(in_jar) = library.remove(ARCH) else {
        return Ok(None);
    };
    let name = folder_name(&jar.artifact);
    let home = site.cache.join("profilers").join(&name);
    let library = home.join(LIBRARY);
    let _alone = Lock::wait(&site.lock(&name), stop)?;
    if library.is_file() {
        return Ok(Some(library));
    }
    let work = WorkFolder::create(&site.cache, 0)?;
    let job = Job { site, work: &work, stop };
    let file = download(&jar, &job)?;
    let fresh = work.folder("profiler")?;
    unpack::zip(&file, &fresh, &jar.artifact, |path| target(path, &in_jar))?;
    keep(&fresh, &home)?;
    Ok(Some(library))
}

/// `async-profiler-4.2` of `tools.profiler:async-profiler:4.2:jar`.
fn folder_name(artifact: &str) -> String {
    let parts: Vec<&str> = artifact.split(':').skip(1).take(2).collect();
    parts.join("-")
}

/// Where an entry of the jar is unpacked to; `None` for everything but the library.
fn target(path: &Path, library: &Path) -> Option<UnpackTarget> {
    (path == library).then(|| UnpackTarget { path: LIBRARY.into(), is_executable: true })
}

/// Moves the folder to its place in the cache.
fn keep(fresh: &Path, home: &Path) -> Result<(), Error> {
    let made = home.parent().map_or(Ok(()), fs::create_dir_all);
    made.and_then(|()| match home.exists() {
        // Somebody has removed its library.
        true => fs::remove_dir_all(home),
        false => Ok(()),
    })
    .and_then(|()| fs::rename(fresh, home))
    .map_err(|error| Error::io(FileAct::Keep, home, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catalog_names_a_jar_with_its_checksum_and_a_library_for_this_processor() {
        let ProfilerCatalog { jar, library } = catalog();
        let checksum = jar.sha512.expect("a checksum").hex;
        assert!(checksum.len() == 128 && checksum.chars().all(|digit| digit.is_ascii_hexdigit()));
        assert!(jar.artifact.ends_with(":jar"));
        assert!(library.contains_key(ARCH), "{ARCH}");
        assert!(library.values().all(|path| path.ends_with(LIBRARY)));
    }

    #[test]
    fn only_the_library_of_the_jar_is_kept() {
        let wanted = Path::new("linux-x64/libasyncProfiler.so");
        assert!(target(Path::new("linux-arm64/libasyncProfiler.so"), wanted).is_none());
        assert!(target(Path::new("one/profiler/AsyncProfiler.class"), wanted).is_none());
        assert_eq!(target(wanted, wanted).map(|target| target.path), Some(LIBRARY.into()));
        assert_eq!(folder_name("tools.profiler:async-profiler:4.2:jar"), "async-profiler-4.2");
    }
}
