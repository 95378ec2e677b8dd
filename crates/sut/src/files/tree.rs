//! Copies of files and folders, without links: a link may lead to where the copy cannot follow.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::Path;

/// Copies a file over what is there, or a folder into what is there.
pub(crate) fn copy(from: &Path, to: &Path) -> io::Result<()> {
    copy_without(from, to, &[])
}

/// Copies like [`copy`], but of the folder itself not the entries of these names.
pub(crate) fn copy_without(from: &Path, to: &Path, left_out: &[&str]) -> io::Result<()> {
    if !from.is_dir() {
        to.parent().map_or(Ok(()), fs::create_dir_all)?;
        return fs::copy(from, to).map(|_| ());
    }
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let name = entry?.file_name();
        if !left_out.iter().any(|other| name == OsStr::new(other)) {
            copy(&from.join(&name), &to.join(&name))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_copy_has_files_in_the_place_of_links() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("from/a/logs")).expect("made");
        fs::create_dir(at("from/logs")).expect("made");
        fs::write(at("real"), "1").expect("written");
        symlink("../../real", at("from/a/link")).expect("linked");
        copy_without(&at("from"), &at("deep/to"), &["logs"]).expect("copied");
        assert_eq!(fs::read_to_string(at("deep/to/a/link")).expect("read"), "1");
        assert!(!at("deep/to/a/link").is_symlink());
        assert!(at("deep/to/a/logs").is_dir() && !at("deep/to/logs").exists());
    }
}
