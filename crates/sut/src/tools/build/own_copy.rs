//! [`Sources`]: the files of a folder that an arm builds in a copy of its own. In a git repository these are the files of the working tree
//! that git does not ignore; elsewhere all files but those that build tools have made.

use super::{GRADLE, POM, Place};
use crate::error::{Error, FileAct};
use crate::tools::fetch;
use crate::tools::git::Repository;
use crate::tools::site::Job;
use sha2::{Digest, Sha256};
use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

/// The folders in which build tools put what they make, beside the file by which a project is known.
const OUTPUTS: [&str; 3] = ["target", "build", ".gradle"];

/// The files that are copied to be built.
pub(super) struct Sources {
    /// The root of the repository, or of the project where there is none.
    pub(super) root: PathBuf,
    /// The folder in which the path of the file begins, relative to the root.
    pub(super) prefix: PathBuf,
    /// The files, relative to the root, in the order of their names.
    files: Vec<PathBuf>,
    repository: Option<Repository>,
}

impl Sources {
    /// Returns the files around this folder.
    pub(super) fn around(folder: &Path) -> Result<Self, Error> {
        let folder = folder.canonicalize().map_err(|error| Error::io(FileAct::Find, folder, error))?;
        if let Ok(repository) = Repository::around(&folder) {
            let mut files = repository.files()?;
            // A file that is removed is listed, too.
            files.retain(|file| repository.root.join(file).symlink_metadata().is_ok());
            files.sort_unstable();
            files.dedup();
            let (root, prefix) = (repository.root.clone(), repository.prefix.clone());
            return Ok(Self { root, prefix, files, repository: Some(repository) });
        }
        let place = Place { root: PathBuf::from("/"), folder: folder.clone() };
        let root = place.project().unwrap_or_else(|| folder.clone());
        let prefix = folder.strip_prefix(&root).unwrap_or(Path::new("")).to_owned();
        let mut files = Vec::new();
        collect(&root, Path::new(""), &mut files).map_err(|error| Error::io(FileAct::Read, &root, error))?;
        files.sort_unstable();
        Ok(Self { root, prefix, files, repository: None })
    }

    /// A checksum of the names and contents of all files.
    pub(super) fn checksum(&self) -> Result<String, Error> {
        let mut hash = Sha256::new();
        for file in &self.files {
            let path = self.root.join(file);
            let of_file = content(&path).map_err(|error| Error::io(FileAct::Read, &path, error))?;
            // A name has no NUL, and checksums are of one length.
            hash.update(file.as_os_str().as_encoded_bytes());
            hash.update([0]);
            hash.update(of_file);
        }
        Ok(fetch::hex(&hash.finalize()))
    }

    /// Copies the files into the work folder of a job, and returns the root of the copy. A build may ask git: so the copy of a repository is
    /// a worktree of what is checked out, with the changes of the user.
    pub(super) fn copy(&self, job: &Job<'_>) -> Result<PathBuf, Error> {
        let root = match &self.repository {
            Some(repository) => match repository.resolve("HEAD") {
                Ok(revision) => repository.check_out("HEAD", &revision, job)?,
                Err(_) => job.work.folder("sources")?, // It has no commit yet.
            },
            None => job.work.folder("sources")?,
        };
        for removed in self.repository.iter().flat_map(|repository| repository.removed()).flatten() {
            // It may be no file of what is checked out.
            let _ = fs::remove_file(root.join(removed));
        }
        for file in &self.files {
            let (from, to) = (self.root.join(file), root.join(file));
            copy(&from, &to).map_err(|error| Error::io(FileAct::Copy, &from, error))?;
        }
        Ok(root)
    }
}

/// Collects the files below `inside`, without repositories and what build tools have made.
fn collect(root: &Path, inside: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    let folder = root.join(inside);
    let is_project = [POM].iter().chain(&GRADLE).any(|name| folder.join(name).is_file());
    for entry in fs::read_dir(&folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let is_output = is_project && OUTPUTS.iter().any(|output| name == *output);
        if is_output || name == ".git" {
            continue;
        }
        match entry.file_type()?.is_dir() {
            true => collect(root, &inside.join(&name), files)?,
            false => files.push(inside.join(&name)),
        }
    }
    Ok(())
}

/// A checksum of what is in a file, a link or a submodule, and of who may run it.
fn content(path: &Path) -> io::Result<[u8; 32]> {
    let meta = path.symlink_metadata()?;
    let bytes = match (meta.is_symlink(), meta.is_dir()) {
        (true, _) => fs::read_link(path)?.into_os_string().into_encoded_bytes(),
        (_, true) => {
            let mut files = Vec::new();
            collect(path, Path::new(""), &mut files)?;
            files.sort_unstable();
            let contents = files.iter().map(|file| content(&path.join(file)));
            contents.collect::<io::Result<Vec<_>>>()?.concat()
        }
        _ => fs::read(path)?,
    };
    let kind = [u8::from(meta.is_symlink()), u8::from(meta.permissions().mode() & 0o100 != 0)];
    Ok(Sha256::new_with_prefix(kind).chain_update(bytes).finalize().into())
}

/// Copies a file, a link or a submodule over what is there.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let meta = from.symlink_metadata()?;
    if meta.is_dir() {
        let mut files = Vec::new();
        collect(from, Path::new(""), &mut files)?;
        return files.iter().try_for_each(|file| copy(&from.join(file), &to.join(file)));
    }
    to.parent().map_or(Ok(()), fs::create_dir_all)?;
    match to.symlink_metadata() {
        Ok(there) if there.is_dir() => fs::remove_dir_all(to)?,
        Ok(_) => fs::remove_file(to)?,
        Err(_) => {}
    }
    match meta.is_symlink() {
        true => symlink(fs::read_link(from)?, to),
        false => fs::copy(from, to).map(|_| ()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_tools_have_made_is_no_source_and_any_change_of_a_source_is_seen() {
        let root = tempfile::tempdir().expect("a folder");
        let write = |file: &str, text: &str| {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(path, text).expect("written");
        };
        for file in ["pom.xml", "a/pom.xml", "a/src/A.java", "a/target/a.jar", "build/x", "docs/target/kept"]
        {
            write(file, "1");
        }
        let sources = || Sources::around(&root.path().join("a")).expect("read");
        let files: Vec<PathBuf> =
            ["a/pom.xml", "a/src/A.java", "docs/target/kept", "pom.xml"].map(PathBuf::from).into();
        assert_eq!(sources().files, files);
        assert_eq!(sources().prefix, Path::new("a"));
        let before = sources().checksum().expect("read");
        write("a/target/a.jar", "2");
        assert_eq!(sources().checksum().expect("read"), before);
        write("a/src/A.java", "2");
        assert_ne!(sources().checksum().expect("read"), before);
    }
}
