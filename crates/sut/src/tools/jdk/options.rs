//! Checks whether a JVM accepts the options of an arm. `java -version` tells in a quarter of a second, before a server
//! and an application are fetched for it.

use super::Jdk;
use crate::error::Error;
use crate::files::work::WorkFolder;
use crate::tools::site::Site;
use crate::tools::tool;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Far more time than `java -version` needs.
const LIMIT: Duration = Duration::from_secs(60);

/// The options that name an archive of classes which the JVM writes when it ends.
const WRITTEN: [&str; 2] = ["-XX:ArchiveClassesAtExit=", "-XX:AOTCacheOutput="];
/// The option that names the archive which the JVM reads, and also writes with [`AUTO_CREATE`].
const ARCHIVE: &str = "-XX:SharedArchiveFile=";
const AUTO_CREATE: &str = "-XX:+AutoCreateSharedArchive";

/// Fails if this Java refuses an option or ignores it: a setting without effect would be measured.
pub fn check_options(jdk: &Jdk, options: &[String], site: &Site, stop: &AtomicBool) -> Result<(), Error> {
    let work = WorkFolder::create(&site.cache, 0)?;
    let mut command = site.guard.command(jdk.java());
    command
        .args(without_archives(options, work.path()))
        .arg("-version")
        .current_dir(work.path())
        .env_remove("JAVA_TOOL_OPTIONS")
        .env_remove("JDK_JAVA_OPTIONS");
    let finished = tool::run(command, &work, stop, Some(LIMIT))?;
    let ignored = finished
        .output
        .lines()
        .find(|line| line.contains("warning: Ignoring option"));
    let line = match (finished.status.success(), ignored) {
        (true, None) => return Ok(()),
        (true, Some(line)) => Some(line),
        (false, _) => finished.output.lines().find(|line| !is_noise(line)),
    };
    Err(Error::JvmOption {
        jdk: jdk.version.clone(),
        option: line.and_then(|line| culprit(line, options)).cloned(),
        line: line.map(|line| line.trim().to_owned()),
    })
}

/// The options with the archives of classes in this folder, where the JVM would write them: one of `java -version` would be taken for
/// that of the server.
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
    options
        .iter()
        .filter(repeats)
        .max_by_key(|option| name(option).len())
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
    fn the_option_that_a_line_is_about_is_found() {
        let options = ["-Xmx64m", "-XX:+UseParNewGC", "-XX:MaxGCPauseMillis=x", "-Xfoo"].map(str::to_owned);
        let culprit = |line| culprit(line, &options).map(String::as_str);
        assert_eq!(
            culprit("Unrecognized VM option 'UseParNewGC'"),
            Some("-XX:+UseParNewGC")
        );
        assert_eq!(
            culprit("Improperly specified VM option 'MaxGCPauseMillis=x'"),
            Some("-XX:MaxGCPauseMillis=x")
        );
        assert_eq!(culprit("Unrecognized option: -Xfoo"), Some("-Xfoo"));
        assert_eq!(culprit("Conflicting collector combinations in option list"), None);
    }
}
