//! [`link_downloads`]: one folder of downloads and builds for the tests of all crates.

use std::io;
use std::os::unix::fs::symlink;
use std::path::Path;

/// The folders of a cache with what was fetched or built once, and the locks for fetching and building.
const SHARED: [&str; 7] = ["servers", "apps", "java-programs", "jvm-options", "jdks", "tcnative", "locks"];

/// Makes a cache whose folders of downloads and builds are links into one folder below `target`, the `CARGO_TARGET_TMPDIR` of the caller,
/// which is the same for all crates. So each thing is fetched and built once, by the test that needs it first.
///
/// # Errors
///
/// A folder or link cannot be made. What exists already stays as it is.
pub fn link_downloads(cache: &Path, target: &str) -> io::Result<()> {
    std::fs::create_dir_all(cache)?;
    for name in SHARED {
        // The name has a space, so that code which cannot cope with one fails.
        let shared = Path::new(target).join("all downloads").join(name);
        std::fs::create_dir_all(&shared)?;
        match symlink(shared, cache.join(name)) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caches_share_what_was_fetched_and_have_work_folders_of_their_own() {
        let folder = tempfile::tempdir().expect("a folder");
        let [one, two] = ["one", "two"].map(|name| folder.path().join(name));
        let target = folder.path().join("target").display().to_string();
        for cache in [&one, &two, &one] {
            link_downloads(cache, &target).expect("linked");
        }
        std::fs::write(one.join("apps/hello.war"), "x").expect("written");
        assert!(two.join("apps/hello.war").is_file());
        std::fs::create_dir(one.join("work")).expect("made");
        assert!(!two.join("work").exists());
    }
}
