//! Checks whether a JVM accepts the options of an arm. `java -version` tells in a quarter of a second, before a server
//! and an application are fetched for it. What it has accepted is remembered in the cache where nothing but the JDK and the size of the
//! memory can change the answer.

use super::Jdk;
use crate::error::{Error, FileAct};
use crate::files::work::WorkFolder;
use crate::tools::fetch::hex;
use crate::tools::site::Site;
use crate::tools::tool;
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Far more time than `java -version` needs.
const LIMIT: Duration = Duration::from_secs(60);

/// The folder in the cache with an empty file for each JDK and its accepted options.
const FOLDER: &str = "jvm-options";
/// The files of a JDK that differ between builds: the launcher, its version, and its classes.
const OF_BUILD: [&str; 4] = ["bin/java", "release", "lib/modules", "jre/lib/rt.jar"];
/// Parts of the names of options that the state of the machine decides about, or a file.
const OF_MACHINE: [&str; 6] = ["LargePage", "Huge", "NUMA", "SHM", "PreTouch", "Archive"];
/// The options that take a size.
const SIZES: [&str; 4] = ["-Xms", "-Xmx", "-Xmn", "-Xss"];

/// The options that name an archive of classes which the JVM writes when it ends.
const WRITTEN: [&str; 2] = ["-XX:ArchiveClassesAtExit=", "-XX:AOTCacheOutput="];
/// The option that names the archive which the JVM reads, and also writes with [`AUTO_CREATE`].
const ARCHIVE: &str = "-XX:SharedArchiveFile=";
const AUTO_CREATE: &str = "-XX:+AutoCreateSharedArchive";

/// Fails if this Java refuses an option or ignores it: a setting without effect would be measured.
pub fn check_options(jdk: &Jdk, options: &[String], site: &Site, stop: &AtomicBool) -> Result<(), Error> {
    let accepted = remembered_as(jdk, options).map(|name| site.cache.join(FOLDER).join(name));
    if accepted.as_ref().is_some_and(|file| file.is_file()) {
        return Ok(());
    }
    ask(jdk, options, site, stop)?;
    if let Some(file) = accepted {
        fs::create_dir_all(site.cache.join(FOLDER))
            .and_then(|()| File::create(&file))
            .map_err(|error| Error::io(FileAct::Keep, &file, error))?;
    }
    Ok(())
}

/// The name of the file that tells that this Java has accepted these options; `None` where it may refuse them tomorrow.
fn remembered_as(jdk: &Jdk, options: &[String]) -> Option<String> {
    if !options.iter().all(|option| depends_on_jdk_alone(option)) {
        return None;
    }
    let memory = fs::read_to_string("/proc/meminfo").ok()?;
    let mut hash = Sha256::new_with_prefix(memory.lines().next()?);
    for file in OF_BUILD.map(|file| jdk.home.join(file)) {
        if let Ok(meta) = fs::metadata(&file) {
            let (path, size) = (file.display(), meta.len());
            hash.update(format!("\0{path} {size} {} {}", meta.mtime(), meta.mtime_nsec()));
        }
    }
    for option in options {
        hash.update(format!("\0{option}"));
    }
    Some(hex(&hash.finalize()[..16]))
}

/// Whether the answer to an option follows from the JDK, or for a size from the JDK and the memory of the machine. Agents, properties, and
/// everything that names a file need not be accepted another time.
fn depends_on_jdk_alone(option: &str) -> bool {
    let is_number = |text: &str| {
        let digits = text.trim_end_matches(['k', 'K', 'm', 'M', 'g', 'G', 't', 'T']);
        !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit() || c == '.')
    };
    if let Some(size) = SIZES.iter().find_map(|prefix| option.strip_prefix(prefix)) {
        return is_number(size);
    }
    let Some(flag) = option.strip_prefix("-XX:") else {
        return false;
    };
    let name = match (flag.strip_prefix(['+', '-']), flag.split_once('=')) {
        (Some(name), None) => name,
        (None, Some((name, value))) if is_number(value) => name,
        _ => return false,
    };
    !OF_MACHINE.iter().any(|part| name.contains(part))
}

/// Asks this Java about options, and returns what it warns of: options that will go, or that do not what they say.
///
/// # Errors
/// It refuses an option, or ignores it.
pub fn warnings(jdk: &Jdk, options: &[String], site: &Site, stop: &AtomicBool) -> Result<Vec<String>, Error> {
    let output = ask(jdk, options, site, stop)?;
    let warns =
        |line: &&str| line.to_ascii_lowercase().contains("warning") && culprit(line, options).is_some();
    Ok(output.lines().filter(warns).map(|line| line.trim().to_owned()).collect())
}

/// Asks this Java whether it accepts the options. Returns what it wrote.
fn ask(jdk: &Jdk, options: &[String], site: &Site, stop: &AtomicBool) -> Result<String, Error> {
    let work = WorkFolder::create(&site.cache, 0)?;
    let mut command = site.guard.command(jdk.java());
    command
        .args(without_archives(options, work.path()))
        .arg("-version")
        .current_dir(work.path())
        .env_remove("JAVA_TOOL_OPTIONS")
        .env_remove("JDK_JAVA_OPTIONS");
    let finished = tool::run(command, &work, stop, Some(LIMIT))?;
    let ignored = finished.output.lines().find(|line| line.contains("warning: Ignoring option"));
    let line = match (finished.status.success(), ignored) {
        (true, None) => return Ok(finished.output),
        (true, Some(line)) => Some(line),
        (false, _) => finished.output.lines().find(|line| !is_noise(line)),
    };
    Err(Error::JvmOption {
        jdk: jdk.version.clone(),
        option: line.and_then(|line| culprit(line, options)).cloned(),
        line: line.map(|line| line.trim().to_owned()),
    })
}

/// The options with the archives of classes in this folder, where the JVM would write them: an archive of
/// `java -version` would be taken for the server's archive.
fn without_archives(options: &[String], folder: &Path) -> Vec<String> {
    let is_created = options.iter().any(|option| option == AUTO_CREATE);
    let moved = |option: &String| {
        let written = WRITTEN.iter().chain(is_created.then_some(&ARCHIVE));
        let prefix = written.into_iter().find(|prefix| option.starts_with(**prefix))?;
        Some(format!("{prefix}{}", folder.join("archive").display()))
    };
    let kept = |option: &String| moved(option).unwrap_or_else(|| option.clone());
    options.iter().map(kept).collect()
}

/// Lines that come with every refusal without a reason, and the warnings that precede it.
fn is_noise(line: &str) -> bool {
    line.starts_with("Error: Could not create")
        || line.starts_with("Error occurred during initialization")
        || line.contains(" warning: ")
        || line.trim().is_empty()
}

/// The option that a line complains about: the one whose name it repeats.
fn culprit<'a>(line: &str, options: &'a [String]) -> Option<&'a String> {
    let repeats = |option: &&String| line.contains(name(option));
    options.iter().filter(repeats).max_by_key(|option| name(option).len())
}

/// The name of an option: `UseZGC` for `-XX:+UseZGC`, `MaxGCPauseMillis` for `-XX:MaxGCPauseMillis=5`; else all of it.
fn name(option: &str) -> &str {
    let Some(flag) = option.strip_prefix("-XX:") else {
        return option;
    };
    let flag = flag.strip_prefix(['+', '-']).unwrap_or(flag);
    flag.split('=').next().unwrap_or(flag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_follows_from_the_jdk_is_remembered() {
        for option in [
            "-Xms65536k",
            "-Xmx2g",
            "-Xss512k",
            "-XX:+UseG1GC",
            "-XX:-UsePerfData",
            "-XX:MaxRAMPercentage=75.0",
        ] {
            assert!(depends_on_jdk_alone(option), "{option}");
        }
        for option in [
            "-javaagent:agent.jar",
            "-Dcom.sun.management.jmxremote.port=7091",
            "@arguments",
            "-Xlog:gc:file=/logs/gc.log",
            "-Xmx",
            "-XX:VMOptionsFile=options",
            "-XX:+UseLargePages",
            "-XX:+UseTransparentHugePages",
            "-XX:+AlwaysPreTouch",
            "-XX:+AutoCreateSharedArchive",
        ] {
            assert!(!depends_on_jdk_alone(option), "{option}");
        }
    }

    #[test]
    fn another_build_of_the_jdk_and_other_options_are_asked_again() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join("bin")).expect("made");
        let java = folder.path().join("bin/java");
        fs::write(&java, "17").expect("written");
        let jdk = Jdk {
            home: folder.path().to_owned(),
            version: "17.0.15".to_owned(),
            major: 17,
            vendor: "x".to_owned(),
        };
        let name = |options: &[&str]| {
            let options: Vec<String> = options.iter().map(|option| (*option).to_owned()).collect();
            remembered_as(&jdk, &options)
        };
        let first = name(&["-Xmx64m", "-XX:+UseG1GC"]).expect("remembered");
        assert_eq!(name(&["-Xmx64m", "-XX:+UseG1GC"]).as_ref(), Some(&first));
        assert_ne!(name(&["-Xmx65m", "-XX:+UseG1GC"]).as_ref(), Some(&first));
        assert_ne!(name(&["-Xmx64m"]).as_ref(), Some(&first));
        assert_eq!(name(&["-Xmx64m", "-javaagent:a.jar"]), None);
        fs::write(&java, "17 patched").expect("written");
        assert_ne!(name(&["-Xmx64m", "-XX:+UseG1GC"]).as_ref(), Some(&first));
    }

    #[test]
    fn the_option_that_a_line_is_about_is_found() {
        let options = ["-Xmx64m", "-XX:+UseParNewGC", "-XX:MaxGCPauseMillis=x", "-Xfoo"].map(str::to_owned);
        let culprit = |line| culprit(line, &options).map(String::as_str);
        assert_eq!(culprit("Unrecognized VM option 'UseParNewGC'"), Some("-XX:+UseParNewGC"));
        assert_eq!(
            culprit("Improperly specified VM option 'MaxGCPauseMillis=x'"),
            Some("-XX:MaxGCPauseMillis=x")
        );
        assert_eq!(culprit("Unrecognized option: -Xfoo"), Some("-Xfoo"));
        assert_eq!(culprit("Conflicting collector combinations in option list"), None);
    }
}
