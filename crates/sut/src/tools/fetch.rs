//! Fetching a distribution: downloaded by Maven, verified, unpacked beside its final place, then moved there at once.

use crate::error::Error;
use crate::files::catalog::{Archive, Catalog, Release, Source};
use crate::files::lock::Lock;
use crate::files::unpack;
use crate::files::work::WorkFolder;
use crate::tools::assemble::assemble;
use crate::tools::maven;
use crate::tools::site::Site;
use sha2::{Digest, Sha512};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// Written last into an unpacked tree: where it comes from, and how much was unpacked.
const MARKER: &str = ".prony-verified";

/// An unpacked distribution in the cache. Servers run from it and never write to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// Its folder.
    pub home: PathBuf,
    /// What it is.
    pub release: Release,
}

/// The unpacked distribution of a release, if the cache has it whole.
pub fn cached(release: &Release, site: &Site) -> Option<Tree> {
    let home = site.cache.join("servers").join(release.slug());
    let marker = fs::read_to_string(home.join(MARKER)).ok()?;
    (marker == marker_of(release, &home).ok()?).then(|| Tree {
        home,
        release: release.clone(),
    })
}

/// The unpacked distribution of a release: from the cache, without network, or downloaded and verified.
pub fn fetch(release: &Release, site: &Site, stop: &AtomicBool) -> Result<Tree, Error> {
    if let Some(tree) = cached(release, site) {
        return Ok(tree);
    }
    let servers = site.cache.join("servers");
    let home = servers.join(release.slug());
    let _alone = Lock::wait(&site.lock(&release.slug()), stop)?;
    if let Some(tree) = cached(release, site) {
        return Ok(tree); // Another prony has fetched it meanwhile.
    }
    let work = WorkFolder::create(&site.cache, 0)?;
    let fresh = work.folder("tree")?;
    fill(release, &fresh, site, &work, stop)?;
    mark(release, &fresh)?;
    fs::create_dir_all(&servers).map_err(|error| Error::io("make", &servers, error))?;
    if home.exists() {
        // Incomplete or of another archive: cached() refused it.
        fs::remove_dir_all(&home).map_err(|error| Error::io("remove", &home, error))?;
    }
    fs::rename(&fresh, &home).map_err(|error| Error::io("move to", &home, error))?;
    Ok(Tree {
        home,
        release: release.clone(),
    })
}

/// Puts the distribution into an empty folder.
fn fill(
    release: &Release,
    fresh: &Path,
    site: &Site,
    work: &WorkFolder,
    stop: &AtomicBool,
) -> Result<(), Error> {
    match &release.source {
        Source::Archive(archive) => {
            let file = file(archive, site, work, stop)?;
            unpack::tar_gz(&file, fresh, &release.spec())
        }
        Source::Assembled(assembly) => {
            let catalog = Catalog::embedded();
            let donor = fetch(catalog.release(&release.server, &assembly.donor)?, site, stop)?;
            assemble(assembly, (&donor.home, fresh), site, work, stop)
        }
        Source::Built(_) | Source::Own(_) => Err(Error::Unknown {
            asked: format!("distribution of {}", release.spec()),
            nearest: None,
        }),
    }
}

/// A file of a Maven repository: downloaded into a work folder and verified.
pub(crate) fn file(
    archive: &Archive,
    site: &Site,
    work: &WorkFolder,
    stop: &AtomicBool,
) -> Result<PathBuf, Error> {
    let folder = work.folder("download")?;
    site.maven
        .copy(&archive.artifact, &folder, work, &site.guard, stop)?;
    let entries = fs::read_dir(&folder).map_err(|error| Error::io("read", &folder, error))?;
    let file = entries
        .flatten()
        .map(|entry| entry.path())
        .find(|path| path.is_file());
    let file = file.ok_or_else(|| Error::Maven {
        task: format!("fetch {}", archive.artifact),
        lines: vec!["it reported success and left no file".to_owned()],
    })?;
    verify(archive, &file)?;
    Ok(file)
}

/// Refuses a file with another checksum than the catalog's.
pub(crate) fn verify(archive: &Archive, file: &Path) -> Result<(), Error> {
    let found = sha512(file).map_err(|error| Error::io("read", file, error))?;
    if found == archive.sha512 {
        return Ok(());
    }
    let copy = maven::local_copy(&archive.artifact);
    let copy = copy.filter(|copy| sha512(copy).is_ok_and(|checksum| checksum == found));
    Err(Error::Checksum {
        what: archive.artifact.clone(),
        expected: archive.sha512.clone(),
        found,
        copy,
    })
}

pub(crate) fn sha512(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut hash = Sha512::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            return Ok(hex(&hash.finalize()));
        }
        hash.update(&buffer[..read]);
    }
}

/// Bytes as small hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn mark(release: &Release, tree: &Path) -> Result<(), Error> {
    let path = tree.join(MARKER);
    let marker = marker_of(release, tree).map_err(|error| Error::io("read", tree, error))?;
    fs::write(&path, marker).map_err(|error| Error::io("write", &path, error))
}

/// What the marker of a whole tree says. Counting its files finds what a power cut or a hand took away, in milliseconds.
fn marker_of(release: &Release, tree: &Path) -> io::Result<String> {
    let (mut files, mut bytes) = (0_u64, 0_u64);
    let mut folders = vec![tree.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let meta = entry.metadata()?;
            if meta.is_dir() {
                folders.push(entry.path());
            } else if entry.file_name() != MARKER {
                files += 1;
                bytes += meta.len();
            }
        }
    }
    let origin = release.origin();
    Ok(format!("{origin}\nfiles {files}\nbytes {bytes}\n"))
}
