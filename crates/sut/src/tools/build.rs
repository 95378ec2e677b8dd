//! Builds the user's own WARs and jars: a revision of their repository in a worktree, or their folder as it is.
//!
//! The file is copied into the cache, because the next build would overwrite it. What was built from a revision is kept under its
//! tree, the command and the JDK, and is not built again. Where several arms build the folder as it is, each builds a copy of its own
//! ([`own_copy`]), which is kept in the same way.

mod own_copy;

use crate::error::{BuildError, Error, FileAct};
use crate::files::lock::Lock;
use crate::files::work::WorkFolder;
use crate::tools::build::own_copy::Sources;
use crate::tools::fetch;
use crate::tools::git::{self, Repository};
use crate::tools::maven;
use crate::tools::site::{Job, Site};
use crate::tools::tool;
use ask::build::{Build, Built, Revision};
use record::step::Step;
use sha2::{Digest, Sha256};
use std::env;
use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// The number of lines of a build's output that an error keeps.
const MOST_LINES: usize = 12;
/// The file by which the project of Maven is known.
const POM: &str = "pom.xml";
/// The files by which a project of Gradle is known.
const GRADLE: [&str; 4] = ["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"];
/// The option without which Gradle leaves a process that would take CPU and memory from the servers.
const NO_DAEMON: &str = "-Dorg.gradle.daemon=false";

/// A WAR or jar that is to be built.
#[derive(Clone, Copy, Debug)]
pub struct BuildRequest<'a> {
    pub build: &'a Build,
    /// The file that the build makes. Its name may have a `*`.
    pub file: &'a Path,
    /// The folder in which its path begins.
    pub folder: &'a Path,
    /// Whether other arms build the same folder as it is, so that none may find what another has left there.
    pub is_shared: bool,
}

/// Where a build runs.
struct Place {
    /// The root: nothing above it belongs to the project.
    root: PathBuf,
    /// The folder in which the path of the file begins.
    folder: PathBuf,
}

/// A revision that is to be built.
struct Wanted {
    repository: Repository,
    revision: Revision,
    /// The path of the file from the root of the repository.
    inside: PathBuf,
}

/// Checks that what is asked for exists, before anything is built.
pub fn check(request: BuildRequest<'_>) -> Result<(), Error> {
    match &request.build.git {
        Some(asked) => Wanted::find(request, asked).map(drop),
        None => Ok(()),
    }
}

/// Builds a WAR or jar, unless its revision was built before. `on_step` is called before a build that takes time.
pub fn build(
    request: BuildRequest<'_>,
    site: &Site,
    stop: &AtomicBool,
    on_step: &mut dyn FnMut(Step),
) -> Result<Built, Error> {
    let work = WorkFolder::create(&site.cache, 0)?;
    let job = Job { site, work: &work, stop };
    match &request.build.git {
        Some(asked) => of_revision(request, asked, &job, on_step),
        None if request.is_shared => of_own_copy(request, &job, on_step),
        None => of_folder(request, &job, on_step),
    }
}

impl Wanted {
    fn find(request: BuildRequest<'_>, asked: &str) -> Result<Self, Error> {
        let repository = Repository::around(request.folder)?;
        let revision = repository.resolve(asked)?;
        // Who names a commit by its id means this commit.
        if !revision.commit.starts_with(asked) {
            repository.check_committed(asked, &revision)?;
        }
        let outside = || BuildError::Outside { file: request.file.to_owned() };
        let inside = within(&repository.prefix, request.file).ok_or_else(outside)?;
        Ok(Self { repository, revision, inside })
    }
}

fn of_revision(
    request: BuildRequest<'_>,
    asked: &str,
    job: &Job<'_>,
    on_step: &mut dyn FnMut(Step),
) -> Result<Built, Error> {
    let Wanted { repository, revision, inside } = Wanted::find(request, asked)?;
    let shown = format!("{asked} ({})", revision.short());
    let kept = Kept::lock(&key(&revision.tree, &inside, request.build.command.as_deref()), job)?;
    let built = |file: PathBuf, command: String| Built {
        folder: request.folder.to_owned(),
        asked: request.file.to_owned(),
        file,
        command,
        revision: Some(revision.clone()),
    };
    if let Some((file, command)) = kept.find() {
        return Ok(built(file, command));
    }
    let root = repository.check_out(asked, &revision, job)?;
    let folder = root.join(&repository.prefix);
    let file = root.join(&inside);
    let place = Place { root, folder };
    let command = run(request.build, &place, Some(shown), job, on_step)?;
    let file = find(&file, request, &place)?;
    let file = kept.keep(&file, &command, job)?;
    Ok(built(file, command))
}

fn of_folder(
    request: BuildRequest<'_>,
    job: &Job<'_>,
    on_step: &mut dyn FnMut(Step),
) -> Result<Built, Error> {
    let repository = Repository::around(request.folder).ok();
    let folder = request.folder.canonicalize();
    let folder = folder.map_err(|error| Error::io(FileAct::Find, request.folder, error))?;
    // In a repository, nothing above its root belongs to the project.
    let root = repository.map_or_else(|| PathBuf::from("/"), |repository| repository.root);
    let place = Place { root, folder };
    let command = run(request.build, &place, None, job, on_step)?;
    let file = find(&place.folder.join(request.file), request, &place)?;
    let checksum = fetch::sha512(&file).map_err(|error| Error::io(FileAct::Read, &file, error))?;
    let kept = Kept::lock(&format!("folder-{}", &checksum[..16]), job)?;
    let copy = match kept.find() {
        Some((copy, _)) => copy,
        None => kept.keep(&file, &command, job)?,
    };
    Ok(Built {
        folder: request.folder.to_owned(),
        asked: request.file.to_owned(),
        file: copy,
        command,
        revision: None,
    })
}

/// Builds a copy of the folder, unless the same files were built in the same way before.
fn of_own_copy(
    request: BuildRequest<'_>,
    job: &Job<'_>,
    on_step: &mut dyn FnMut(Step),
) -> Result<Built, Error> {
    let sources = Sources::around(request.folder)?;
    let outside = || BuildError::NotBelow { file: request.file.to_owned(), folder: sources.root.clone() };
    let inside = within(&sources.prefix, request.file).ok_or_else(outside)?;
    let kept = Kept::lock(&key(&sources.checksum()?, &inside, request.build.command.as_deref()), job)?;
    let (file, command) = match kept.find() {
        Some(found) => found,
        None => {
            let root = sources.copy(job)?;
            let place = Place { folder: root.join(&sources.prefix), root };
            let command = run(request.build, &place, None, job, on_step)?;
            let file = find(&place.root.join(&inside), request, &place)?;
            (kept.keep(&file, &command, job)?, command)
        }
    };
    Ok(Built {
        folder: request.folder.to_owned(),
        asked: request.file.to_owned(),
        file,
        command,
        revision: None,
    })
}

/// Runs the command of a build in the folder of its project, and returns the command.
fn run(
    build: &Build,
    place: &Place,
    revision: Option<String>,
    job: &Job<'_>,
    on_step: &mut dyn FnMut(Step),
) -> Result<String, Error> {
    let project = place.project();
    let usual = || place.usual_command(project.as_deref());
    let command = build.command.clone().or_else(usual);
    let command = command.ok_or_else(|| BuildError::NoBuildTool { revision: build.git.clone() })?;
    on_step(Step::BuildingOwn { command: command.clone(), revision });
    let mut shell = job.site.guard.command("/bin/sh");
    // An old revision may lack the folder in which the path of the file begins.
    let exists = || place.upwards().find(|folder| folder.is_dir());
    let folder = project.as_deref().or_else(exists).unwrap_or(&place.root);
    shell.args(["-c", &command]).current_dir(folder);
    git::without_repository(&mut shell);
    if let Some(home) = maven::java_home() {
        shell.env("JAVA_HOME", home);
    }
    let mut options = env::var_os("GRADLE_OPTS").unwrap_or_default();
    options.push(OsString::from(format!(" {NO_DAEMON}")));
    shell.env("GRADLE_OPTS", options);
    let finished = tool::run(shell, job.work, job.stop, None)?;
    if finished.status.success() {
        return Ok(command);
    }
    if finished.output.contains("No space left on device") || tool::is_disk_full(job.work.path()) {
        return Err(Error::DiskFull { path: job.work.path().to_owned() });
    }
    Err(BuildError::Failed {
        revision: build.git.clone(),
        command,
        status: finished.status.to_string(),
        lines: maven::last_lines(&finished.output, MOST_LINES),
    }
    .into())
}

impl Place {
    /// The folder of the project: the nearest one, from the folder of the file up to the root, with a file of a build tool. A module
    /// of Maven belongs to the project of the folder above it.
    fn project(&self) -> Option<PathBuf> {
        let has = |folder: &Path, name: &str| folder.join(name).is_file();
        let is_project = |folder: &&Path| has(folder, POM) || GRADLE.iter().any(|name| has(folder, name));
        let mut project = self.upwards().find(is_project)?;
        while let Some(above) = project.parent().filter(|above| above.starts_with(&self.root)) {
            if !has(project, POM) || !has(above, POM) {
                break;
            }
            project = above;
        }
        Some(project.to_owned())
    }

    /// A path as the user could have written it: it begins in the folder of the file, if it is below that.
    fn relative(&self, path: &Path) -> String {
        let relative = path.strip_prefix(&self.folder).unwrap_or(path);
        relative.components().collect::<PathBuf>().display().to_string()
    }

    /// The folder of the file and those above it, up to the root.
    fn upwards(&self) -> impl Iterator<Item = &Path> {
        self.folder.ancestors().take_while(|folder| folder.starts_with(&self.root))
    }

    /// The usual command of the build tool of a project: with the wrapper that the project brings, or else by the tool that is
    /// installed.
    fn usual_command(&self, project: Option<&Path>) -> Option<String> {
        let project = project?;
        let (wrapper, tool, words) = match project.join(POM).is_file() {
            true => ("mvnw", maven_program(), "-q -B -DskipTests package"),
            false => ("gradlew", "gradle".to_owned(), "-q --console=plain assemble"),
        };
        let above = project.ancestors().take_while(|folder| folder.starts_with(&self.root));
        let found = above.enumerate().find(|(_, folder)| folder.join(wrapper).is_file());
        let Some((levels, folder)) = found else {
            return Some(format!("{tool} {words}"));
        };
        // A wrapper that was committed on Windows may not be executable.
        let shell = match tool::find(&folder.join(wrapper)) {
            Some(_) => "",
            None => "sh ",
        };
        let up = match levels {
            0 => "./".to_owned(),
            levels => "../".repeat(levels),
        };
        Some(format!("{shell}{up}{wrapper} {words}"))
    }
}

/// The Maven that prony uses itself.
fn maven_program() -> String {
    let named = env::var("PRONY_MVN").ok();
    named.filter(|program| !program.is_empty()).unwrap_or_else(|| "mvn".to_owned())
}

/// A path that begins in the folder `prefix` of a repository, from the root of the repository; `None` if it leaves the repository.
fn within(prefix: &Path, file: &Path) -> Option<PathBuf> {
    let mut path = PathBuf::new();
    for part in prefix.join(file).components() {
        match part {
            Component::Normal(name) => path.push(name),
            Component::CurDir => {}
            Component::ParentDir if path.pop() => {}
            _ => return None,
        }
    }
    Some(path)
}

/// The file that a build made in this place. The name of `file` may have a `*`.
fn find(file: &Path, request: BuildRequest<'_>, place: &Place) -> Result<PathBuf, Error> {
    let pattern = file.file_name().unwrap_or_default().to_string_lossy();
    let folder = file.parent().unwrap_or(file);
    let mut found = names(folder);
    found.retain(|name| fits(&pattern, name));
    let revision = request.build.git.clone();
    let asked = request.file.to_owned();
    match found.as_slice() {
        [name] => Ok(folder.join(name)),
        [] => Err(BuildError::NoFile { revision, present: present(folder, place), file: asked }.into()),
        _ => Err(BuildError::SeveralFiles { revision, pattern: asked, found }.into()),
    }
}

/// The WARs and jars in the folder in which a file was looked for, or else in the usual folders of build tools below it and above it, as
/// paths that could have been asked for.
fn present(folder: &Path, place: &Place) -> Vec<String> {
    let above = folder.ancestors().take_while(|folder| folder.starts_with(&place.root));
    let mut folders = above.flat_map(|folder| ["", "target", "build/libs"].map(|usual| folder.join(usual)));
    let packages = folders.find_map(|folder| {
        let mut names = names(&folder);
        names.retain(|name| name.ends_with(".war") || name.ends_with(".jar"));
        let paths = names.iter().map(|name| place.relative(&folder.join(name)));
        let paths: Vec<String> = paths.collect();
        (!paths.is_empty()).then_some(paths)
    });
    packages.unwrap_or_default()
}

/// The names of the files in a folder, in their order.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let files = entries.filter(|entry| entry.path().is_file());
    let mut names: Vec<String> =
        files.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort_unstable();
    names
}

/// Whether a name fits a pattern, in which `*` stands for any characters.
fn fits(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((start, rest)) => name.strip_prefix(start).is_some_and(|name| {
            let mut ends = (0..=name.len()).filter(|at| name.is_char_boundary(*at));
            ends.any(|at| fits(rest, &name[at..]))
        }),
    }
}

/// The name under which a build is kept: a hash of what determines the file.
fn key(sources: &str, file: &Path, command: Option<&str>) -> String {
    let home = env::var_os("JAVA_HOME").or_else(|| maven::java_home().map(PathBuf::into_os_string));
    let compiler = tool::find("javac".as_ref()).and_then(|path| path.canonicalize().ok());
    let jdk = home.or_else(|| compiler.map(PathBuf::into_os_string)).unwrap_or_default();
    let mut hash = Sha256::new();
    let parts = [
        sources.as_bytes(),
        file.as_os_str().as_encoded_bytes(),
        command.unwrap_or_default().as_bytes(),
        jdk.as_encoded_bytes(),
    ];
    for part in parts {
        // The lengths, too: else moving bytes from one part to the next would not change the hash.
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    fetch::hex(&hash.finalize()[..8])
}

/// The name of the file in the folder of a kept build that has the command.
const COMMAND: &str = "command.txt";

/// The folder in the cache in which one build is kept. Nobody else builds the same meanwhile.
struct Kept {
    folder: PathBuf,
    _alone: Lock,
}

impl Kept {
    /// Waits until nobody else builds what is kept under this name.
    fn lock(name: &str, job: &Job<'_>) -> Result<Self, Error> {
        Ok(Self {
            folder: job.site.cache.join("builds").join(name),
            _alone: Lock::wait(&job.site.lock(name), job.stop)?,
        })
    }

    /// The file and the command of the build, if it is kept.
    fn find(&self) -> Option<(PathBuf, String)> {
        let command = fs::read_to_string(self.folder.join(COMMAND)).ok()?;
        let name = names(&self.folder).into_iter().find(|name| name != COMMAND)?;
        Some((self.folder.join(name), command))
    }

    /// Copies a file that was built into the cache, together with its command. The folder appears by one rename, when it is complete.
    fn keep(&self, file: &Path, command: &str, job: &Job<'_>) -> Result<PathBuf, Error> {
        let fresh = job.work.folder("kept")?;
        let name = file.file_name().unwrap_or_default();
        let copied = fs::copy(file, fresh.join(name))
            .and_then(|_| File::open(fresh.join(name))?.sync_all())
            .and_then(|()| fs::write(fresh.join(COMMAND), command));
        copied.map_err(|error| Error::io(FileAct::Copy, file, error))?;
        let made = self.folder.parent().map_or(Ok(()), fs::create_dir_all);
        made.and_then(|()| fs::rename(&fresh, &self.folder))
            .map_err(|error| Error::io(FileAct::Keep, &self.folder, error))?;
        Ok(self.folder.join(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A place with these files, and the folder `start` below its root.
    fn place(files: &[&str], start: &str) -> (tempfile::TempDir, Place) {
        let root = tempfile::tempdir().expect("a folder");
        for file in files {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(path, "").expect("written");
        }
        let place = Place { folder: root.path().join(start), root: root.path().to_owned() };
        (root, place)
    }

    fn project_and_command(files: &[&str], start: &str) -> Option<(PathBuf, String)> {
        let (root, place) = place(files, start);
        let project = place.project()?;
        let command = place.usual_command(Some(&project)).expect("a command");
        let project = project.strip_prefix(root.path()).expect("below the root").to_owned();
        Some((project, command))
    }

    #[test]
    fn a_project_is_found_from_any_folder_in_it() {
        let maven = format!("{} -q -B -DskipTests package", maven_program());
        let gradle = "-q --console=plain assemble";
        let found = |files: &[&str], start: &str| project_and_command(files, start).expect("a project");
        assert_eq!(found(&["pom.xml"], ""), ("".into(), maven.clone()));
        assert_eq!(found(&["pom.xml", "a/pom.xml"], "a/perf"), ("".into(), maven.clone()));
        assert_eq!(found(&["a/b/pom.xml"], "a/b"), ("a/b".into(), maven));
        let wrapped = found(&["pom.xml", "mvnw"], "gone/in/this/revision");
        assert_eq!(wrapped, ("".into(), "sh ./mvnw -q -B -DskipTests package".to_owned()));
        let module = found(&["settings.gradle", "gradlew", "app/build.gradle"], "app");
        assert_eq!(module, ("app".into(), format!("sh ../gradlew {gradle}")));
        assert_eq!(found(&["build.gradle"], ""), ("".into(), format!("gradle {gradle}")));
        assert_eq!(project_and_command(&["Makefile"], ""), None);
    }

    #[test]
    fn a_path_stays_in_its_repository() {
        let path = |prefix: &str, file: &str| within(Path::new(prefix), Path::new(file));
        assert_eq!(path("", "target/a.war"), Some("target/a.war".into()));
        assert_eq!(path("shop/perf/", "../target/./a.war"), Some("shop/target/a.war".into()));
        assert_eq!(path("perf/", "../../a.war"), None);
        assert_eq!(path("perf/", "/a.war"), None);
    }

    #[test]
    fn a_star_stands_for_any_characters() {
        for (pattern, name, expected) in [
            ("app.war", "app.war", true),
            ("app.war", "app.war.original", false),
            ("*.war", "app-1.2.war", true),
            ("*.war", "app-1.2.war.original", false),
            ("app-*-exec.jar", "app-1-exec.jar", true),
            ("app-*-exec.jar", "app-exec.jar", false),
            ("*a*b", "xaxxb", true),
            ("*", "", true),
        ] {
            assert_eq!(fits(pattern, name), expected, "{pattern} {name}");
        }
    }
}
