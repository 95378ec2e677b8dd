//! [`Home`]: a `PRONY_HOME` for one test, and the processes that run in it.

use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// A `PRONY_HOME` that shares at most its downloads with other tests.
pub(crate) struct Home {
    folder: tempfile::TempDir,
    /// The file of the test, which what is started here counts for.
    test: &'static str,
    /// The scale of all waits for what may be lost; `None` is the usual one.
    patience: Option<f64>,
}

impl Drop for Home {
    fn drop(&mut self) {
        crate::tally::count(self.test, &self.data());
    }
}

impl Home {
    /// Creates an empty home.
    #[track_caller]
    pub(crate) fn empty() -> Self {
        crate::tally::begin();
        Self {
            folder: tempfile::tempdir().expect("a folder"),
            test: std::panic::Location::caller().file(),
            patience: None,
        }
    }

    /// Lets every `prony` in this home wait for agents, hosts and readers of pages only so many times as long as usual. A machine that is
    /// busy must still find the time for a sign of life within three of them.
    pub(crate) fn with_patience(mut self, scale: f64) -> Self {
        self.patience = Some(scale);
        self
    }

    /// Creates a home that shares downloads, builds and what its JDKs have answered with other tests, because making them takes long. They
    /// are made on first use.
    #[track_caller]
    pub(crate) fn with_downloads() -> Self {
        let home = Self::empty();
        testkit::link_downloads(&home.cache(), env!("CARGO_TARGET_TMPDIR")).expect("a cache");
        home
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn cache(&self) -> PathBuf {
        self.folder.path().join("cache")
    }

    /// The folder of the stored runs.
    pub(crate) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// Returns a command that runs `prony` with this home.
    pub(crate) fn prony(&self, arguments: &[&str]) -> Command {
        self.command(env!("CARGO_BIN_EXE_prony"), arguments)
    }

    /// Returns a command that runs [`light_prony`] with this home.
    pub(crate) fn light_prony(&self, arguments: &[&str]) -> Command {
        self.command(light_prony().to_str().expect("UTF-8"), arguments)
    }

    /// Returns a command that runs a program, and sets this home as the home of `prony` in its environment.
    pub(crate) fn command(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .env("PRONY_HOME", self.folder.path())
            .env("MAVEN_OPTS", maven_options())
            .env_remove("NO_COLOR")
            .env("LC_ALL", "C")
            .env_remove("GITHUB_ACTIONS")
            .env_remove("PRONY_PATIENCE")
            .stdin(Stdio::null());
        crate::tally::count_maven(&mut command);
        command.envs(self.patience.map(|scale| ("PRONY_PATIENCE", scale.to_string())));
        command
    }

    /// Runs `prony` to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Ended {
        Ended::from(self.prony(arguments).output().expect("prony runs"))
    }

    /// Writes a file and returns its path.
    pub(crate) fn file(&self, name: &str, text: &str) -> String {
        let path = self.folder.path().join(name);
        std::fs::write(&path, text).expect("a file");
        path.to_str().expect("UTF-8").to_owned()
    }

    /// Writes a program and returns its path.
    pub(crate) fn executable(&self, name: &str, text: &str) -> String {
        let path = self.file(name, text);
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).expect("executable");
        path
    }

    /// Returns the ids of servers that were started in this home, Tomcats and fixture servers: processes whose command lines name it.
    pub(crate) fn servers(&self) -> Vec<u32> {
        let folder = self.folder.path().to_str().expect("UTF-8");
        let mut all = processes(&[folder, "catalina"]);
        // The loopback, and the networks of `testkit::Hosts`.
        for address in ["127.", "198.19."] {
            all.extend(processes(&[&format!("{folder}/fixture {address}")]));
        }
        all
    }

    /// Returns the work folders of runs that have not been removed.
    pub(crate) fn work_folders(&self) -> Vec<PathBuf> {
        let Ok(entries) = std::fs::read_dir(self.cache().join("work")) else {
            return Vec::new();
        };
        // The lock file in this folder stays.
        entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect()
    }
}

/// `prony` without its symbols, which only debuggers need and which are half of the file, for tests that send it to
/// hosts.
pub(crate) fn light_prony() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("prony-light");
        // Another process of tests may be using the earlier file.
        let new = program.with_extension(std::process::id().to_string());
        let stripped = Command::new("strip").args([env!("CARGO_BIN_EXE_prony"), "-o"]).arg(&new).status();
        assert!(stripped.expect("binutils are installed").success());
        std::fs::rename(&new, &program).expect("renamed");
        program
    })
}

/// Options of a JVM that ends soon: it compiles less, and does not divide its work among threads.
pub(crate) const BRIEF_JVM: [&str; 2] = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"];

/// The options of Maven's JVM: the options of the developer, who may need a proxy, and ours. A build takes little more
/// than half the CPU.
fn maven_options() -> String {
    let given = std::env::var("MAVEN_OPTS").unwrap_or_default();
    format!("{given} {}", BRIEF_JVM[0])
}

/// A command that ended.
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ended {
    /// Returns the `report.json` on stdout of a run that ended by itself. With noise it may have no start that counts.
    pub(crate) fn report(&self) -> Value {
        assert!(matches!(self.code, Some(0 | 7)), "{:?}\n{}", self.code, self.stderr);
        serde_json::from_str(&self.stdout).expect("report.json")
    }
}

/// Whether a start of the run counts. On a busy machine it may be that none does.
pub(crate) fn counts(report: &Value) -> bool {
    let starts = report["design"]["starts"].as_u64().expect("a count");
    if starts == 0 {
        eprintln!("no start counts: {}", report["notes"]);
    }
    starts > 0
}

impl From<Output> for Ended {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// Waits until `condition` holds; fails the test after `seconds`.
pub(crate) fn wait_for(what: &str, seconds: u64, mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(seconds);
    while !condition() {
        assert!(Instant::now() < deadline, "waited {seconds} s for {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Returns the ids of processes whose command lines have all of these words.
pub(crate) fn processes(words: &[&str]) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").expect("/proc").flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.filter(|pid| {
        let command = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let text = String::from_utf8_lossy(&command).replace('\0', " ");
        !text.is_empty() && words.iter().all(|word| text.contains(word))
    })
    .collect()
}
