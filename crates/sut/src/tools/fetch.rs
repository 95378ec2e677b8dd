//! Fetches a distribution: Maven downloads it, prony verifies it and unpacks it into a work folder, and one rename moves
//! it to its place in the cache.

use crate::error::{Downloader, Error, FileAct};
use crate::files::catalog::{Archive, Catalog, Checksum, ChecksumSource, Release, SHA512, Source};
use crate::files::lock::Lock;
use crate::files::unpack;
use crate::files::work::WorkFolder;
use crate::tools::assemble::assemble;
use crate::tools::maven;
use crate::tools::site::{Job, Site};
use crate::tools::versions;
use sha2::{Digest, Sha512};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// The file that is written last into an unpacked tree: where the tree comes from, and how much was unpacked.
const MARKER: &str = ".prony-verified";

/// An unpacked distribution in the cache. Servers run from it and never write to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    pub home: PathBuf,
    /// The release that it holds.
    pub release: Release,
}

/// The unpacked distribution of a release, if the cache has it and it is complete. The release then has the checksum of its
/// archive, even if none was expected.
pub fn cached(release: &Release, site: &Site) -> Option<Tree> {
    let home = site.cache.join("servers").join(release.slug());
    let marker = fs::read_to_string(home.join(MARKER)).ok()?;
    let mut release = release.clone();
    if let Source::Archive(archive) = &mut release.source
        && archive.sha512.is_none()
    {
        let hex = marker.lines().next()?.strip_prefix(SHA512)?;
        archive.sha512 = Some(Checksum { hex: hex.to_owned(), written: ChecksumSource::Cache });
    }
    (marker == marker_of(&release, &home).ok()?).then_some(Tree { home, release })
}

/// The unpacked distribution of a release. It is taken from the cache, without network; else downloaded and verified.
pub fn fetch(release: &Release, site: &Site, stop: &AtomicBool) -> Result<Tree, Error> {
    if let Some(tree) = cached(release, site) {
        return Ok(tree);
    }
    let servers = site.cache.join("servers");
    let home = servers.join(release.slug());
    let _alone = Lock::wait(&site.lock(&release.slug()), stop)?;
    if let Some(tree) = cached(release, site) {
        return Ok(tree); // Another prony has fetched it in the meantime.
    }
    let work = WorkFolder::create(&site.cache, 0)?;
    let fresh = work.folder("tree")?;
    let job = Job { site, work: &work, stop };
    let release =
        fill(release, &fresh, &job).map_err(|error| versions::explain(error, release, site, stop))?;
    mark(&release, &fresh)?;
    fs::create_dir_all(&servers).map_err(|error| Error::io(FileAct::Make, &servers, error))?;
    if home.exists() {
        // cached() refused it: it is incomplete, or comes from another archive.
        fs::remove_dir_all(&home).map_err(|error| Error::io(FileAct::Remove, &home, error))?;
    }
    fs::rename(&fresh, &home).map_err(|error| Error::io(FileAct::MoveTo, &home, error))?;
    Ok(Tree { home, release })
}

/// Puts the distribution into an empty folder. Returns the release with the checksum of its archive.
fn fill(release: &Release, into: &Path, job: &Job<'_>) -> Result<Release, Error> {
    let mut release = release.clone();
    match &mut release.source {
        Source::Archive(archive) => {
            let file = download(archive, job)?;
            let hex = sha512(&file).map_err(|error| Error::io(FileAct::Read, &file, error))?;
            archive.sha512.get_or_insert(Checksum { hex, written: ChecksumSource::Cache });
            unpack::tar_gz(&file, into, &release.spec())?;
        }
        Source::Assembled(assembly) => {
            let catalog = Catalog::embedded();
            let donor = fetch(&catalog.release(&release.server, &assembly.donor)?, job.site, job.stop)?;
            assemble(assembly, &donor.home, into, job)?;
        }
        Source::Built(_) | Source::OwnJar(_) => {
            return Err(Error::Unknown {
                asked: format!("distribution of {}", release.spec()),
                nearest: None,
            });
        }
    }
    Ok(release)
}

/// Downloads a file of a Maven repository into the work folder, and verifies it.
pub(crate) fn download(archive: &Archive, job: &Job<'_>) -> Result<PathBuf, Error> {
    let folder = job.work.folder("download")?;
    job.site.maven.copy(&archive.artifact, &folder, job)?;
    let entries = fs::read_dir(&folder).map_err(|error| Error::io(FileAct::Read, &folder, error))?;
    let file = entries.flatten().map(|entry| entry.path()).find(|path| path.is_file());
    let file = file.ok_or_else(|| Error::NothingDownloaded {
        downloader: Downloader::Maven,
        what: archive.artifact.clone(),
    })?;
    verify(archive, &file)?;
    Ok(file)
}

/// Refuses a file whose checksum is not the one that is written in the catalog or in the lock file.
pub(crate) fn verify(archive: &Archive, file: &Path) -> Result<(), Error> {
    let Some(expected) = &archive.sha512 else {
        return Ok(());
    };
    let found = sha512(file).map_err(|error| Error::io(FileAct::Read, file, error))?;
    if found == expected.hex {
        return Ok(());
    }
    let copy = maven::local_copy(&archive.artifact);
    let copy = copy.filter(|copy| sha512(copy).is_ok_and(|checksum| checksum == found));
    Err(Error::Checksum {
        what: archive.artifact.clone(),
        expected: expected.hex.clone(),
        written: expected.written,
        found,
        copy,
    })
}

/// The checksum of a file, or of everything in a folder: the names and checksums of its files.
pub(crate) fn sha512_of_all(path: &Path) -> io::Result<String> {
    if !path.is_dir() {
        return sha512(path);
    }
    let mut entries = fs::read_dir(path)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_unstable_by_key(fs::DirEntry::file_name);
    let mut hash = Sha512::new();
    for entry in entries {
        // A name has no NUL, and checksums are of one length, so that no two folders give the same bytes.
        hash.update(entry.file_name().as_encoded_bytes());
        hash.update([0]);
        hash.update(sha512_of_all(&entry.path())?);
    }
    Ok(hex(&hash.finalize()))
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

/// The bytes in lower-case hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn mark(release: &Release, tree: &Path) -> Result<(), Error> {
    let path = tree.join(MARKER);
    let marker = marker_of(release, tree).map_err(|error| Error::io(FileAct::Read, tree, error))?;
    fs::write(&path, marker).map_err(|error| Error::io(FileAct::Write, &path, error))
}

/// The marker that a complete tree has. Counting its files takes milliseconds, and shows what a power failure or somebody
/// removed.
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
