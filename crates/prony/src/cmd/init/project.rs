//! Finds what the Maven or Gradle project of the current folder has built.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// A project in the current folder.
#[derive(Debug)]
pub(super) struct Project {
    /// How it is built.
    pub(super) build_command: &'static str,
    /// The WARs and executable jars that it has built: WARs first, the newest of each first.
    pub(super) built: Vec<PathBuf>,
}

/// The files that tell a project, with its build command and the folder of what it builds.
const BUILDS: [(&str, &str, &str); 3] = [
    ("pom.xml", "mvn package", "target"),
    ("build.gradle", "gradle build", "build/libs"),
    ("build.gradle.kts", "gradle build", "build/libs"),
];

/// Ends of the names of jars that are built beside the executable one.
const NOT_EXECUTABLE: [&str; 5] = ["-sources", "-javadoc", "-tests", "-plain", "-test-sources"];

impl Project {
    /// Returns the project of the current folder; `None` where there is none.
    pub(super) fn here() -> Option<Self> {
        Self::of(Path::new(""))
    }

    fn of(folder: &Path) -> Option<Self> {
        let is_there = |(name, ..): &&(&str, &str, &str)| folder.join(name).is_file();
        let (_, build_command, output) = BUILDS.iter().find(is_there)?;
        let mut found = Vec::new();
        collect(&folder.join(output), &mut found);
        // A project of several modules has built in the folders of these.
        for module in folders(folder) {
            collect(&module.join(output), &mut found);
        }
        found.sort_by_key(|file| {
            let is_jar = file.extension().is_some_and(|end| end == "jar");
            (is_jar, std::cmp::Reverse(modified(file)), file.clone())
        });
        Some(Self { build_command, built: found })
    }
}

fn modified(file: &Path) -> Option<SystemTime> {
    fs::metadata(file).and_then(|data| data.modified()).ok()
}

/// Returns the folders in a folder, without the folders of tools, whose names begin with a dot.
fn folders(folder: &Path) -> Vec<PathBuf> {
    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let entries = fs::read_dir(here).into_iter().flatten().flatten();
    let names = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let names = names.map(|entry| entry.file_name());
    let names = names.filter(|name| !name.to_string_lossy().starts_with('.'));
    names.map(|name| folder.join(name)).collect()
}

/// Adds the WARs and the jars that Java can start.
fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_application = |path: &PathBuf| match path.extension().and_then(|end| end.to_str()) {
        Some("war") => true,
        Some("jar") => is_executable(path),
        _ => false,
    };
    found.extend(entries.map(|entry| entry.path()).filter(is_application));
}

fn is_executable(jar: &Path) -> bool {
    let stem = jar.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let stem = stem.unwrap_or_default();
    let is_other = stem.starts_with("original-") || NOT_EXECUTABLE.iter().any(|end| stem.ends_with(end));
    !is_other && sut::jar::find_boot(jar).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_of_several_modules_shows_its_war() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        assert!(Project::of(folder.path()).is_none());
        fs::create_dir_all(at("web/target")).expect("a folder");
        fs::write(at("pom.xml"), "<project/>").expect("a file");
        let empty = Project::of(folder.path()).expect("a project");
        assert_eq!((empty.build_command, empty.built.len()), ("mvn package", 0));
        fs::write(at("web/target/shop.war"), "").expect("a file");
        // This is no jar that Java can start.
        fs::write(at("web/target/shop.jar"), "").expect("a file");
        let built = Project::of(folder.path()).expect("a project").built;
        assert_eq!(built, [at("web/target/shop.war")]);
    }
}
