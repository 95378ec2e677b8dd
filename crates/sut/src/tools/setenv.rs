//! What a user's own `setenv.sh` of a Tomcat sets: it is a script, so a shell runs it as catalina.sh would.

use crate::error::{ConfigurationError, Error};
use crate::files::work::WorkFolder;
use crate::tools::jdk::Jdk;
use crate::tools::site::Site;
use crate::tools::tool;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The time that the script has.
const LIMIT: Duration = Duration::from_secs(10);
/// What stands before what the script has set, behind all that it has written.
const MARK: &str = "--- set by setenv.sh ---";
/// Reads the script, and tells the JDK and the options in the words that catalina.sh makes of them.
const SCRIPT: &str = r#". "$1"
printf '%s\n' '--- set by setenv.sh ---' "$JAVA_HOME"
eval "set -- $JAVA_OPTS $CATALINA_OPTS"
for option; do printf '%s\n' "$option"; done"#;

/// What a `setenv.sh` sets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Setenv {
    /// The options of the JVM.
    pub options: Vec<String>,
    /// Another JDK than that of the arm.
    pub other_jdk: Option<PathBuf>,
}

impl Setenv {
    /// Runs the script for a Tomcat on this JDK.
    ///
    /// # Errors
    /// It cannot be read, or fails.
    pub fn read(file: &Path, jdk: &Jdk, site: &Site, stop: &AtomicBool) -> Result<Self, Error> {
        let work = WorkFolder::create(&site.cache, 0)?;
        let mut command = site.guard.command("/bin/sh");
        command
            .args(["-c", SCRIPT, "sh"])
            .arg(file)
            .current_dir(work.path())
            .env("CATALINA_HOME", work.path())
            .env("CATALINA_BASE", work.path())
            .env("JAVA_HOME", &jdk.home)
            .env_remove("JAVA_OPTS")
            .env_remove("CATALINA_OPTS");
        let finished = tool::run(command, &work, stop, Some(LIMIT))?;
        match (finished.status.success(), finished.output.split_once(MARK)) {
            (true, Some((_, set))) => Ok(Self::of_lines(set, &jdk.home)),
            (_, _) => {
                let why = finished.output.lines().rev().find(|line| !line.trim().is_empty());
                let why = why.unwrap_or("it ends without a word").trim().to_owned();
                Err(ConfigurationError::Setenv { path: file.to_owned(), why }.into())
            }
        }
    }

    fn of_lines(set: &str, jdk: &Path) -> Self {
        let mut lines = set.trim_start_matches('\n').lines();
        let home = lines.next().map(PathBuf::from);
        Self {
            options: lines.filter(|line| !line.is_empty()).map(str::to_owned).collect(),
            other_jdk: home.filter(|home| home != jdk),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::guard::Guard;
    use std::fs;

    fn read(script: &str) -> Result<Setenv, Error> {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("setenv.sh");
        fs::write(&file, script).expect("written");
        let site = Site { guard: Guard::new("sh", ["-c", "exec \"$@\""]), ..Site::new(folder.path()) };
        let jdk = Jdk {
            home: "/opt/jdk".into(),
            version: "17.0.1".to_owned(),
            major: 17,
            vendor: "Any".to_owned(),
        };
        Setenv::read(&file, &jdk, &site, &AtomicBool::new(false))
    }

    #[test]
    fn options_are_those_that_a_shell_makes_of_the_script() {
        let set = read(
            "echo starting\nHEAP=1g\nif [ -d / ]; then JAVA_OPTS=\"-Xmx$HEAP\"; fi\nexport CATALINA_OPTS=\"-Da='b c' $CATALINA_OPTS\"",
        );
        let expected = Setenv { options: vec!["-Xmx1g".to_owned(), "-Da=b c".to_owned()], other_jdk: None };
        assert_eq!(set.expect("it runs"), expected);
        let other = read("JAVA_HOME=/other\n").expect("it runs");
        assert_eq!(other, Setenv { options: Vec::new(), other_jdk: Some("/other".into()) });
        let failed = read("if then\n").expect_err("it is wrong").to_string();
        assert!(failed.contains("setenv.sh fails: ") && failed.contains("yntax error"), "{failed}");
    }
}
