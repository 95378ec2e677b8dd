//! Downloads and builds through the user's own `mvn`, so that its settings.xml, mirrors, proxies and repository apply.

use crate::error::{Error, FileAct, MavenTask};
use crate::tools::jdk::{self, Jdk};
use crate::tools::site::Job;
use crate::tools::tool;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The number of lines of Maven's output that an error keeps.
const MOST_LINES: usize = 6;
/// The length in characters after which a line of Maven's output is shortened in an error.
const LONGEST_LINE: usize = 300;
/// The goal that copies an artifact. Its version is fixed, so that its output and behaviour are.
pub(crate) const COPY: &str = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy";
/// The version in [`COPY`].
pub(crate) const COPY_VERSION: &str = "3.8.1";

/// How to run Maven.
#[derive(Clone, Debug)]
pub struct Maven {
    program: PathBuf,
    /// The folder of GraalVM, where Maven is to compile a native program.
    graalvm: Option<PathBuf>,
    /// The folder of the JDK that it runs on and compiles with; `None` for the usual one.
    java: Option<PathBuf>,
}

impl Maven {
    /// `$PRONY_MVN`, or `mvn` on the PATH.
    pub fn from_env() -> Self {
        let named = env::var_os("PRONY_MVN").filter(|program| !program.is_empty());
        Self::at(named.unwrap_or_else(|| OsString::from("mvn")))
    }

    /// Uses this program, given by its path or its name.
    pub fn at(program: impl Into<PathBuf>) -> Self {
        Self { program: program.into(), graalvm: None, java: None }
    }

    /// The same Maven, which compiles with the GraalVM in this folder.
    pub(crate) fn with_graalvm(&self, home: &Path) -> Self {
        Self { graalvm: Some(home.to_owned()), ..self.clone() }
    }

    /// The same Maven on a JDK that can compile for a release of Java: the usual one, or else the newest long-term release.
    pub(crate) fn for_java(&self, release: u32) -> Result<Self, Error> {
        if self.graalvm.is_some() || usual_java().is_some_and(|jdk| jdk.major >= release) {
            return Ok(self.clone());
        }
        let full: Vec<Jdk> = jdk::jdks().into_iter().filter(Jdk::is_full).collect();
        Ok(Self { java: Some(jdk::newest_lts(&full, release)?.home.clone()), ..self.clone() })
    }

    /// Copies an artifact into a folder.
    pub(crate) fn copy(&self, artifact: &str, into: &Path, job: &Job<'_>) -> Result<(), Error> {
        let mut folder = OsString::from("-DoutputDirectory=");
        folder.push(into);
        let artifact_argument = OsString::from(format!("-Dartifact={artifact}"));
        // -C makes a wrong checksum an error; by default it is a warning.
        let arguments = [OsStr::new("-C"), OsStr::new(COPY), &artifact_argument, folder.as_os_str()];
        self.run(MavenTask::Fetch(artifact.to_owned()), &arguments, job)
    }

    /// Returns the versions of an artifact (`org.apache.tomcat:tomcat`) that its repositories list, in no order. Maven fetches
    /// the lists to find the latest version; where it cannot, those that it fetched earlier count.
    pub(crate) fn versions(&self, artifact: &str, job: &Job<'_>) -> Result<Vec<String>, Error> {
        let mut folder = OsString::from("-DoutputDirectory=");
        folder.push(job.work.folder("latest")?);
        let latest = OsString::from(format!("-Dartifact={artifact}:LATEST:pom"));
        // -U fetches the lists even if Maven has done so today.
        let arguments = [OsStr::new("-U"), OsStr::new(COPY), &latest, folder.as_os_str()];
        let asked = self.run(MavenTask::ListVersions(artifact.to_owned()), &arguments, job);
        let repository = local_repository().unwrap_or_default();
        let versions = listed_in(&repository, artifact);
        match asked {
            Err(error) if versions.is_empty() => Err(error),
            _ => Ok(versions),
        }
    }

    /// Runs Maven quietly; errors name the task.
    pub(crate) fn run(&self, task: MavenTask, arguments: &[&OsStr], job: &Job<'_>) -> Result<(), Error> {
        let work = job.work;
        let mut command = job.site.guard.command(self.find()?);
        command.args(["-q", "-B"]).args(arguments);
        // Not in the user's folder, where a .mvn/ would change what Maven does.
        command.current_dir(work.path());
        if let Some(home) = self.java.clone().or_else(java_home) {
            command.env("JAVA_HOME", home);
        }
        if let Some(home) = &self.graalvm {
            command.env("GRAALVM_HOME", home);
            // The Java that Maven runs on decides what may be compiled ahead of time: virtual threads need 21.
            if home.join("bin/javac").is_file() {
                command.env("JAVA_HOME", home);
            }
        }
        let finished = tool::run(command, work, job.stop, None)?;
        if finished.status.success() {
            return Ok(());
        }
        // On a full disk Maven's output may be lost, too.
        if finished.output.contains("No space left on device") || tool::is_disk_full(work.path()) {
            return Err(Error::DiskFull { path: work.path().to_owned() });
        }
        Err(Error::Maven { task, lines: relevant(&finished.output) })
    }

    fn find(&self) -> Result<PathBuf, Error> {
        let missing = || Error::NoMaven { program: self.program.display().to_string() };
        tool::find(&self.program).ok_or_else(missing)
    }
}

/// The file in which Maven keeps a downloaded artifact, if it exists: in the default local repository, or in the one that
/// settings.xml or the environment names.
pub(crate) fn local_copy(artifact: &str) -> Option<PathBuf> {
    copy_in(&local_repository()?, artifact)
}

fn copy_in(repository: &Path, artifact: &str) -> Option<PathBuf> {
    let parts: Vec<&str> = artifact.split(':').collect();
    let [group, name, version, kind] = parts.as_slice() else {
        return None;
    };
    let folder = repository.join(group.replace('.', "/")).join(name).join(version);
    let copy = folder.join(format!("{name}-{version}.{kind}"));
    copy.is_file().then_some(copy)
}

/// The versions in the lists that a local repository has of an artifact: files named maven-metadata-REPOSITORY.xml.
fn listed_in(repository: &Path, artifact: &str) -> Vec<String> {
    let (group, name) = artifact.split_once(':').unwrap_or((artifact, ""));
    let folder = repository.join(group.replace('.', "/")).join(name);
    let mut versions = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let file = entry.file_name().to_string_lossy().into_owned();
        if file.starts_with("maven-metadata") && file.ends_with(".xml") {
            let xml = std::fs::read_to_string(entry.path()).unwrap_or_default();
            let elements = xml.split("<version>").skip(1);
            versions
                .extend(elements.filter_map(|rest| Some(rest.split_once("</version>")?.0.trim().to_owned())));
        }
    }
    versions.sort_unstable();
    versions.dedup();
    versions
}

/// The name, version and path of the Maven that the environment offers.
pub fn version() -> Result<String, Error> {
    let program = Maven::from_env().find()?;
    let mut command = Command::new(&program);
    command.args(["-B", "--version"]).stdin(Stdio::null());
    if let Some(home) = java_home() {
        command.env("JAVA_HOME", home);
    }
    let output = command.output().map_err(|error| Error::io(FileAct::Start, &program, error))?;
    let text = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        let printed = [text, String::from_utf8_lossy(&output.stderr)].concat();
        return Err(Error::Maven { task: MavenTask::ShowVersion, lines: relevant(&printed) });
    }
    let line = text.lines().map(plain).find(|line| line.contains("Maven")).unwrap_or_default();
    Ok(format!("{line} ({})", program.display()))
}

/// The JDK that Maven runs on without our help: the JDK in JAVA_HOME, or the JDK of the compiler on the PATH.
fn usual_java() -> Option<Jdk> {
    let named = env::var_os("JAVA_HOME").map(PathBuf::from);
    let on_path = || {
        let compiler = fs::canonicalize(tool::find("javac".as_ref())?).ok()?;
        compiler.ancestors().nth(2).map(Path::to_owned)
    };
    Jdk::at(&named.or_else(on_path)?)
}

/// The folder of a full JDK for a build tool, where the environment offers none.
pub(crate) fn java_home() -> Option<PathBuf> {
    if env::var_os("JAVA_HOME").is_some() || tool::find("javac".as_ref()).is_some() {
        return None;
    }
    jdk::jdks().into_iter().find(|jdk| jdk.is_full()).map(|jdk| jdk.home)
}

fn local_repository() -> Option<PathBuf> {
    let option = |variable| {
        let options = env::var(variable).ok()?;
        let path = options.split_whitespace().find_map(|word| word.strip_prefix("-Dmaven.repo.local="));
        path.map(PathBuf::from)
    };
    let m2 = PathBuf::from(env::var_os("HOME")?).join(".m2");
    let settings = std::fs::read_to_string(m2.join("settings.xml")).unwrap_or_default();
    let named =
        settings.split_once("<localRepository>").and_then(|(_, rest)| rest.split_once("</localRepository>"));
    option("MAVEN_ARGS")
        .or_else(|| option("MAVEN_OPTS"))
        .or_else(|| named.map(|(path, _)| PathBuf::from(path.trim())))
        .or_else(|| Some(m2.join("repository")))
}

/// How the lines begin in which Maven tells what to do next.
const ADVICE: [&str; 6] = [
    "-> [Help",
    "[Help ",
    "To see the full stack trace",
    "Re-run Maven",
    "For more information",
    "After correcting",
];

/// The last lines of a build's output, without colours, empty lines and Maven's advice.
pub(crate) fn last_lines(output: &str, most: usize) -> Vec<String> {
    let tells = |line: &String| {
        let text = line.strip_prefix("[ERROR]").unwrap_or(line).trim();
        !text.is_empty() && !ADVICE.iter().any(|advice| text.starts_with(advice))
    };
    let mut lines: Vec<String> = output.lines().map(plain).filter(tells).collect();
    lines.drain(..lines.len().saturating_sub(most));
    lines.iter().map(|line| shortened(line)).collect()
}

/// The lines that tell what is wrong: Maven's errors without its advice, or else the end of the output.
fn relevant(output: &str) -> Vec<String> {
    let lines: Vec<String> = output.lines().map(plain).filter(|line| !line.is_empty()).collect();
    let error = |line: &String| Some(line.strip_prefix("[ERROR]")?.trim().to_owned());
    let mut errors: Vec<String> = lines
        .iter()
        .filter_map(error)
        .map(|line| line.split(" -> [Help").next().unwrap_or_default().to_owned())
        .filter(|line| !line.is_empty() && !ADVICE.iter().any(|advice| line.starts_with(advice)))
        .collect();
    if errors.is_empty() {
        errors = lines;
        errors.drain(..errors.len().saturating_sub(MOST_LINES));
    }
    errors.dedup();
    errors.truncate(MOST_LINES);
    errors.iter().map(|line| shortened(line)).collect()
}

/// A long line without its middle: Maven names the task first and the cause last.
fn shortened(line: &str) -> String {
    let length = line.chars().count();
    if length <= LONGEST_LINE {
        return line.to_owned();
    }
    let start: String = line.chars().take(LONGEST_LINE / 2).collect();
    let end: String = line.chars().skip(length - LONGEST_LINE / 2).collect();
    format!("{start} … {end}")
}

/// A line without the colours of a terminal.
fn plain(line: &str) -> String {
    let mut rest = line;
    let mut text = String::new();
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        text.push_str(before);
        rest = after.split_once('m').map_or("", |(_, after)| after);
    }
    text.push_str(rest);
    text.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_and_colours_are_left_out() {
        let output = "\u{1b}[1mhi\u{1b}[m\n[ERROR] Failed to do it: no route -> [Help 1]\n[ERROR] \n\
                      [ERROR] To see the full stack trace of the errors, re-run Maven with the -e switch.\n\
                      [ERROR] [Help 1] http://x\n";
        assert_eq!(relevant(output), ["Failed to do it: no route"]);
        assert_eq!(relevant("\u{1b}[31mplain words\u{1b}[0m\n"), ["plain words"]);
        assert_eq!(relevant(&"x\ny\n".repeat(50)).len(), MOST_LINES);
    }

    #[test]
    fn a_failed_build_shows_its_last_lines() {
        let output =
            "[INFO] one\n\n[ERROR] A.java:[3,5] ';' expected\n[ERROR] \n[ERROR] Re-run Maven with -X\n";
        assert_eq!(last_lines(output, 9), ["[INFO] one", "[ERROR] A.java:[3,5] ';' expected"]);
        assert_eq!(last_lines(output, 1), ["[ERROR] A.java:[3,5] ';' expected"]);
    }

    #[test]
    fn a_long_line_keeps_its_cause() {
        let line = format!(
            "[ERROR] Could not transfer artifact a:b: {}: Connection refused -> [Help 1]",
            "x/".repeat(400)
        );
        let [short] = relevant(&line).try_into().expect("one line");
        assert!(short.starts_with("Could not transfer artifact a:b: x/"), "{short}");
        assert!(short.ends_with("Connection refused"), "{short}");
        assert!(short.chars().count() < 320, "{short}");
    }

    #[test]
    fn the_versions_of_all_lists_count_once() {
        let repository = tempfile::tempdir().expect("a folder");
        assert_eq!(listed_in(repository.path(), "org.x:y"), [""; 0]);
        let folder = repository.path().join("org/x/y");
        std::fs::create_dir_all(&folder).expect("made");
        let write = |name: &str, versions: &str| {
            let text =
                format!("<metadata><versioning><versions>{versions}</versions></versioning></metadata>");
            std::fs::write(folder.join(name), text).expect("written");
        };
        write("maven-metadata-central.xml", "<version>1.0</version>\n<version> 1.1 </version>");
        write("maven-metadata-mirror.xml", "<version>1.1</version><version>2.0-M1</version>");
        write("maven-metadata-central.xml.sha1", "<version>9</version>");
        write("resolver-status.properties", "<version>8</version>");
        assert_eq!(listed_in(repository.path(), "org.x:y"), ["1.0", "1.1", "2.0-M1"]);
    }

    #[test]
    fn a_copy_is_found_in_mavens_repository() {
        let repository = tempfile::tempdir().expect("a folder");
        let folder = repository.path().join("org/x/y/1.2");
        std::fs::create_dir_all(&folder).expect("made");
        assert_eq!(copy_in(repository.path(), "org.x:y:1.2:tar.gz"), None);
        let file = folder.join("y-1.2.tar.gz");
        std::fs::write(&file, "").expect("written");
        assert_eq!(copy_in(repository.path(), "org.x:y:1.2:tar.gz"), Some(file));
    }
}
