//! Finds what the Maven or Gradle project of the current folder has built, in any of its modules.

use super::InitComplaint;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// What is in the folder in which `prony init` is run.
#[derive(Debug)]
pub(super) enum Surroundings {
    Project(Project),
    /// Something else than a project that prony knows; the first few names.
    Other {
        found: Vec<String>,
    },
    /// Nothing.
    Nothing,
}

/// A project of Maven or Gradle, or a folder with applications.
#[derive(Debug)]
pub(super) struct Project {
    /// How it is built.
    build_command: String,
    /// Its modules, relative to its folder.
    modules: Vec<PathBuf>,
    /// The WARs and executable jars that it has built: WARs first, then jars with Spring Boot, the newest of each first.
    built: Vec<PathBuf>,
    /// The other jars that it has built, without those of sources and documentation.
    others: Vec<PathBuf>,
}

/// The files that tell a project, with the wrapper and the tool that build it, and what these are asked for.
const BUILDS: [(&str, [&str; 3]); 5] = [
    ("pom.xml", ["mvnw", "mvn", "package"]),
    ("settings.gradle", GRADLE),
    ("settings.gradle.kts", GRADLE),
    ("build.gradle", GRADLE),
    ("build.gradle.kts", GRADLE),
];
const GRADLE: [&str; 3] = ["gradlew", "gradle", "build"];

/// The folders in which build tools put packages.
const OUTPUTS: [&str; 2] = ["target", "build/libs"];
/// Folders in which no module is.
const NO_MODULES: [&str; 4] = ["src", "target", "build", "node_modules"];
/// How deep below its root a project may have modules.
const DEEPEST: usize = 4;
/// The number of modules, jars and names that are told.
const MOST_TOLD: usize = 8;

/// Ends of the names of jars that are built beside the executable one.
const NOT_EXECUTABLE: [&str; 5] = ["-sources", "-javadoc", "-tests", "-plain", "-test-sources"];

impl Surroundings {
    /// Looks at the current folder, in which this experiment file is to be written.
    pub(super) fn here(file: &Path) -> Self {
        Self::of(Path::new(""), file)
    }

    fn of(folder: &Path, file: &Path) -> Self {
        if let Some(project) = Project::of(folder) {
            return Self::Project(project);
        }
        // Experiments and their lock files are no project.
        let is_ours = |name: &String| {
            name.ends_with(".toml")
                || name.ends_with(".lock")
                || Path::new(name) == file
                || name.starts_with('.')
        };
        let mut found: Vec<String> = names(folder).into_iter().filter(|name| !is_ours(name)).collect();
        found.truncate(MOST_TOLD);
        if found.is_empty() { Self::Nothing } else { Self::Other { found } }
    }

    /// The WARs and executable jars that were found.
    pub(super) fn built(&self) -> &[PathBuf] {
        match self {
            Self::Project(project) => &project.built,
            Self::Other { .. } | Self::Nothing => &[],
        }
    }
}

impl Project {
    /// Returns the project of a folder; `None` where there is neither a file of a build tool nor an application.
    fn of(folder: &Path) -> Option<Self> {
        let build = BUILDS.iter().find(|(name, _)| folder.join(name).is_file());
        let words = build.map(|(_, words)| words);
        let mut project = Self {
            build_command: words.map_or_else(String::new, |words| command(folder, words)),
            modules: Vec::new(),
            built: Vec::new(),
            others: Vec::new(),
        };
        if words.is_none() {
            project.collect(folder);
            if project.built.is_empty() {
                return None;
            }
        } else {
            project.look_into(folder, Path::new(""), 0);
        }
        project.built.sort_by_cached_key(|file| {
            let is_jar = file.extension().is_some_and(|end| end == "jar");
            let is_boot = is_jar && sut::jar::find_boot(file).is_ok_and(|boot| boot.is_some());
            (is_jar, !is_boot, std::cmp::Reverse(modified(file)), file.clone())
        });
        Some(project)
    }

    /// Looks for packages in a folder of the project and in its modules.
    fn look_into(&mut self, root: &Path, inside: &Path, depth: usize) {
        let folder = root.join(inside);
        if depth > 0 && BUILDS.iter().any(|(name, _)| folder.join(name).is_file()) {
            self.modules.push(inside.to_owned());
        }
        OUTPUTS.iter().for_each(|output| self.collect(&folder.join(output)));
        if depth == DEEPEST {
            return;
        }
        for name in names(&folder) {
            let is_tools = name.starts_with('.') || NO_MODULES.contains(&name.as_str());
            if !is_tools && folder.join(&name).is_dir() {
                self.look_into(root, &inside.join(name), depth + 1);
            }
        }
    }

    /// Adds the WARs and the jars of a folder.
    fn collect(&mut self, folder: &Path) {
        for name in names(folder) {
            let path = folder.join(&name);
            match path.extension().and_then(|end| end.to_str()) {
                Some("war") => self.built.push(path),
                Some("jar") if is_beside_another(&path) => {}
                Some("jar") if sut::jar::find_boot(&path).is_ok() => self.built.push(path),
                Some("jar") => self.others.push(path),
                _ => {}
            }
        }
    }

    /// Says that it has not built an application yet, and what was found.
    pub(super) fn not_built(self) -> InitComplaint {
        let told = |paths: Vec<PathBuf>| {
            let names = paths.iter().take(MOST_TOLD).map(|path| path.display().to_string());
            names.collect::<Vec<_>>()
        };
        InitComplaint::NotBuilt {
            build: self.build_command,
            modules: told(self.modules),
            others: told(self.others),
        }
    }
}

/// Returns the command that builds the project of a folder: by the wrapper that it brings, or by the tool that is installed.
fn command(folder: &Path, [wrapper, tool, task]: &[&str; 3]) -> String {
    match folder.join(wrapper).is_file() {
        true => format!("./{wrapper} {task}"),
        false => format!("{tool} {task}"),
    }
}

fn modified(file: &Path) -> Option<SystemTime> {
    fs::metadata(file).and_then(|data| data.modified()).ok()
}

/// Returns the names of the files and folders in a folder, in their order.
fn names(folder: &Path) -> Vec<String> {
    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let entries = fs::read_dir(here).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort_unstable();
    names
}

/// Whether a jar is built beside the one that matters.
fn is_beside_another(jar: &Path) -> bool {
    let stem = jar.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let stem = stem.unwrap_or_default();
    stem.starts_with("original-") || NOT_EXECUTABLE.iter().any(|end| stem.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    /// A folder with these files; a jar whose name begins with `boot` has a main class and Spring Boot.
    fn folder(files: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        for file in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            let is_boot = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("boot"));
            match is_boot {
                true => jar(&path),
                false => fs::write(&path, "").expect("written"),
            }
        }
        folder
    }

    fn jar(path: &Path) {
        let mut archive = ZipWriter::new(fs::File::create(path).expect("a file"));
        let options = SimpleFileOptions::default();
        archive.start_file("META-INF/MANIFEST.MF", options).expect("begun");
        archive.write_all(b"Main-Class: a.B\r\nSpring-Boot-Version: 3.5.6\r\n").expect("written");
        archive.start_file("BOOT-INF/lib/tomcat-embed-core-1.jar", options).expect("begun");
        archive.finish().expect("written");
    }

    fn found(files: &[&str]) -> (tempfile::TempDir, Surroundings) {
        let folder = folder(files);
        let found = Surroundings::of(folder.path(), Path::new("experiment.toml"));
        (folder, found)
    }

    fn told(found: Surroundings) -> String {
        match found {
            Surroundings::Project(project) => {
                let complaint = project.not_built();
                let hint = say::hint(&complaint, say::Language::En).unwrap_or_default();
                format!("{complaint}; {hint}")
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_boot_jar_of_a_module_is_found_wherever_the_module_is() {
        for settings in ["settings.gradle", "settings.gradle.kts", "pom.xml"] {
            let files = [
                settings,
                "libs/common/build.gradle",
                "libs/common/build/libs/common.jar",
                "services/shop/api/build.gradle",
                "services/shop/api/build/libs/boot-api.jar",
                "services/shop/api/build/libs/boot-api-plain.jar",
                "services/shop/api/build/libs/boot-api-sources.jar",
            ];
            let (folder, found) = found(&files);
            assert_eq!(found.built(), [folder.path().join("services/shop/api/build/libs/boot-api.jar")]);
        }
    }

    #[test]
    fn a_project_that_is_not_built_tells_what_it_has() {
        let (_folder, empty) = found(&["pom.xml", "mvnw", "web/pom.xml", "web/src/pom.xml", "a/b/pom.xml"]);
        let said = told(empty);
        assert!(said.contains("its modules are a/b, web") && said.contains("`./mvnw package`"), "{said}");
        let (_folder, library) = found(&["settings.gradle", "lib/build/libs/lib.jar"]);
        let said = told(library);
        assert!(said.contains("lib/build/libs/lib.jar, which Java cannot start"), "{said}");
        assert!(said.contains("`gradle build`"), "{said}");
    }

    #[test]
    fn a_war_comes_before_a_jar_and_a_folder_of_applications_is_enough() {
        let (folder, both) = found(&["pom.xml", "web/target/boot.jar", "web/target/shop.war"]);
        assert_eq!(both.built()[0], folder.path().join("web/target/shop.war"));
        let (folder, bare) = found(&["app.war"]);
        assert_eq!(bare.built(), [folder.path().join("app.war")]);
    }

    #[test]
    fn what_is_no_project_is_told_and_an_empty_folder_is_nothing() {
        for files in [&["build.xml", "src/A.java"][..], &["backend/pom.xml"], &["build.sbt"]] {
            let (_folder, found) = found(files);
            assert!(
                matches!(&found, Surroundings::Other { found } if !found.is_empty()),
                "{files:?}: {found:?}"
            );
        }
        for files in [&[][..], &["mine.toml", "mine.lock", "experiment.toml", ".git/config"]] {
            let (_folder, found) = found(files);
            assert!(matches!(found, Surroundings::Nothing), "{files:?}: {found:?}");
        }
    }
}
