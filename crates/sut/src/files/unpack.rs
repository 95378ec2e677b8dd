//! Unpacks a distribution or a JDK. Only the checksum is trusted: an entry that would leave the folder is refused.

use crate::error::{ArchiveFlaw, Error, FileAct, is_full};
use flate2::read::GzDecoder;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Component, Path, PathBuf};
use tar::{Archive, EntryType};
use zip::ZipArchive;

/// Where an entry of an archive is unpacked to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UnpackTarget {
    /// The path relative to the folder.
    pub(crate) path: PathBuf,
    /// Whether the file is a program.
    pub(crate) is_executable: bool,
}

/// Unpacks a `.tar.gz` into an existing folder, without the one top folder that all its entries are in.
pub(crate) fn tar_gz(archive: &Path, into: &Path, what: &str) -> Result<(), Error> {
    let file = File::open(archive).map_err(|error| Error::io(FileAct::Read, archive, error))?;
    entries(BufReader::new(file), into).map_err(|error| failed(&error, into, what))
}

/// Unpacks a ZIP archive into an existing folder. `select` maps the path of an entry to where it is unpacked; entries for
/// which it returns `None` are left out.
pub(crate) fn zip(
    archive: &Path,
    into: &Path,
    what: &str,
    select: impl Fn(&Path) -> Option<UnpackTarget>,
) -> Result<(), Error> {
    let file = File::open(archive).map_err(|error| Error::io(FileAct::Read, archive, error))?;
    zip_entries(BufReader::new(file), into, select).map_err(|error| failed(&error, into, what))
}

fn zip_entries(
    file: BufReader<File>,
    into: &Path,
    select: impl Fn(&Path) -> Option<UnpackTarget>,
) -> io::Result<()> {
    let mut archive = ZipArchive::new(file)?;
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index)?;
        let Some(path) = entry.enclosed_name() else {
            let name = String::from_utf8_lossy(entry.name_raw()).into_owned();
            return Err(io::Error::other(ArchiveFlaw::LeavesFolder(name)));
        };
        if let (true, Some(target)) = (entry.is_file(), select(&path)) {
            write(&mut entry, &into.join(target.path), target.is_executable)?;
        }
    }
    Ok(())
}

fn failed(error: &io::Error, into: &Path, what: &str) -> Error {
    if is_full(error) {
        return Error::DiskFull { path: into.to_owned() };
    }
    Error::Archive { what: what.to_owned(), problem: flaw(error) }
}

/// The flaw that an error carries; else what the library says.
pub(crate) fn flaw(error: &io::Error) -> ArchiveFlaw {
    if error.kind() == io::ErrorKind::UnexpectedEof {
        return ArchiveFlaw::Cut;
    }
    let carried = error.get_ref().and_then(|error| error.downcast_ref());
    carried.cloned().unwrap_or_else(|| ArchiveFlaw::Unreadable(error.to_string()))
}

fn entries(compressed: impl Read, into: &Path) -> io::Result<()> {
    let mut archive = Archive::new(GzDecoder::new(compressed));
    for entry in archive.entries()? {
        let mut entry = entry?;
        let path = inside(&entry.path()?)?;
        if path.as_os_str().is_empty() {
            continue; // This is the top folder itself.
        }
        let target = into.join(path);
        match entry.header().entry_type() {
            EntryType::Directory => fs::create_dir_all(&target)?,
            EntryType::Regular => {
                let executable = entry.header().mode()? & 0o100 != 0;
                write(&mut entry, &target, executable)?;
            }
            kind => return Err(io::Error::other(ArchiveFlaw::NoFile(format!("{kind:?}")))),
        }
    }
    // The rest of the stream after the last entry holds the checksum of the compression: reading it checks it.
    io::copy(&mut archive.into_inner(), &mut io::sink())?;
    Ok(())
}

fn write(entry: &mut impl Read, target: &Path, executable: bool) -> io::Result<()> {
    if let Some(folder) = target.parent() {
        fs::create_dir_all(folder)?;
    }
    let mode = if executable { 0o755 } else { 0o644 };
    let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(target)?;
    io::copy(entry, &mut file)?;
    Ok(())
}

/// The path without its first folder; an error if it leaves the folder.
fn inside(path: &Path) -> io::Result<PathBuf> {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => clean.push(name),
            Component::CurDir => {}
            _ => {
                let path = path.display().to_string();
                return Err(io::Error::other(ArchiveFlaw::LeavesFolder(path)));
            }
        }
    }
    Ok(clean.iter().skip(1).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::os::unix::fs::PermissionsExt;
    use tar::{Builder, Header};

    /// An archive of these entries. Names are written as bytes, because the builder would refuse the bad ones.
    fn archive(entries: &[(&str, EntryType, u32, &[u8])]) -> Vec<u8> {
        let mut builder = Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
        for (name, kind, mode, data) in entries {
            let mut header = Header::new_ustar();
            header.as_mut_bytes()[..name.len()].copy_from_slice(name.as_bytes());
            header.set_entry_type(*kind);
            header.set_mode(*mode);
            header.set_size(data.len() as u64);
            header.set_cksum();
            builder.append(&header, *data).expect("in memory");
        }
        builder.into_inner().and_then(GzEncoder::finish).expect("in memory")
    }

    fn unpacked(bytes: &[u8]) -> (tempfile::TempDir, Result<(), Error>) {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("x.tar.gz");
        fs::write(&file, bytes).expect("written");
        let into = folder.path().join("into");
        fs::create_dir(&into).expect("made");
        let result = tar_gz(&file, &into, "tomcat:1");
        (folder, result)
    }

    #[test]
    fn the_first_folder_is_left_out_and_programs_stay_programs() {
        let file = EntryType::Regular;
        let bytes =
            archive(&[("t-1/bin/run.sh", file, 0o750, b"#!"), ("t-1/conf/a.xml", file, 0o600, b"<a/>")]);
        let (folder, result) = unpacked(&bytes);
        result.expect("unpacked");
        let mode = |path: &str| {
            let meta = fs::metadata(folder.path().join("into").join(path)).expect("there");
            meta.permissions().mode() & 0o777
        };
        assert_eq!(mode("bin/run.sh") & 0o100, 0o100);
        assert_eq!(mode("conf/a.xml") & 0o111, 0);
    }

    #[test]
    fn an_entry_that_escapes_is_refused() {
        for name in ["t-1/../../evil", "/evil", "../evil"] {
            let (folder, result) = unpacked(&archive(&[(name, EntryType::Regular, 0o644, b"x")]));
            let error = result.expect_err(name).to_string();
            assert!(error.contains("leaves its folder"), "{error}");
            assert!(!folder.path().join("evil").exists());
        }
        let (_folder, result) = unpacked(&archive(&[("t-1/link", EntryType::Symlink, 0o777, b"")]));
        assert!(result.expect_err("a link").to_string().contains("link"));
    }

    #[test]
    fn a_truncated_or_broken_archive_is_one_clear_error() {
        let noise: Vec<u8> = (0..20_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        let bytes = archive(&[("t-1/a", EntryType::Regular, 0o644, &noise)]);
        let (_folder, result) = unpacked(&bytes[..bytes.len() / 2]);
        let error = result.expect_err("truncated").to_string();
        assert_eq!(error, "the archive of tomcat:1 cannot be unpacked: it ends too early");
        // Every entry is there and only the checksum at the very end is missing: that is refused too.
        assert!(unpacked(&bytes[..bytes.len() - 4]).1.is_err());
        assert!(unpacked(b"<html>not found</html>").1.is_err());
    }
}
