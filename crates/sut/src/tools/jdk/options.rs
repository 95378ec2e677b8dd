//! Whether a JVM takes its options, asked in the quarter of a second that `java -version` takes and not after a server and
//! an application were fetched for it.

use super::Jdk;
use crate::error::Error;
use crate::files::work::WorkFolder;
use crate::tools::site::Site;
use crate::tools::tool;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Far more than it takes.
const LIMIT: Duration = Duration::from_secs(60);

/// Refuses an option that this Java refuses, or takes and ignores: a setting without effect would be measured.
pub fn accepts(jdk: &Jdk, options: &[String], site: &Site, stop: &AtomicBool) -> Result<(), Error> {
    let work = WorkFolder::create(&site.cache, 0)?;
    let mut command = site.guard.command(jdk.java());
    command
        .args(options)
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
        (true, Some(line)) => line,
        (false, _) => finished
            .output
            .lines()
            .find(|line| !is_noise(line))
            .unwrap_or("it does not say why"),
    };
    Err(Error::JvmOption {
        jdk: jdk.version.clone(),
        option: culprit(line, options).cloned(),
        line: line.trim().to_owned(),
    })
}

/// Words that come with every refusal and do not say why, and warnings, which come before it.
fn is_noise(line: &str) -> bool {
    line.starts_with("Error: Could not create")
        || line.starts_with("Error occurred during initialization")
        || line.contains(" warning: ")
        || line.trim().is_empty()
}

/// The option that a line is about: the one whose name it repeats.
fn culprit<'a>(line: &str, options: &'a [String]) -> Option<&'a String> {
    let repeats = |option: &&String| line.contains(name(option));
    options
        .iter()
        .filter(repeats)
        .max_by_key(|option| name(option).len())
}

/// `UseZGC` of `-XX:+UseZGC`, `MaxGCPauseMillis` of `-XX:MaxGCPauseMillis=5`; of others the whole option.
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
