//! Revisions of a user's repository as arms: each runs what was built from it, and what cannot be built is told.
//!
//! Real servers: the WARs that are built run on one.

use crate::home::{Ended, Home};
use crate::waiting::fleet::Process;
use crate::waiting::fleet_run::wait_line;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use store::Store;

/// The folders of the commits of the branch `main`, the oldest first. Each is tagged with the first word of its name.
const COMMITS: [&str; 4] =
    ["1-a-page-of-prices", "2-tell-what-it-is", "3-sort-the-prices", "4-name-the-currency"];

/// A home of prony, and a repository with the history of the shop.
struct Shop {
    home: Home,
    repository: PathBuf,
}

impl Shop {
    fn new() -> Self {
        let home = Home::with_downloads();
        let repository = home.cache().with_file_name("shop");
        fs::create_dir(&repository).expect("made");
        let shop = Self { home, repository };
        shop.git(&["init", "--quiet", "--initial-branch=main"]);
        for (number, commit) in (1..).zip(COMMITS) {
            shop.commit(commit);
            shop.git(&["tag", &format!("v{number}")]);
        }
        shop.git(&["checkout", "--quiet", "-b", "broken"]);
        shop.commit("broken");
        shop.git(&["checkout", "--quiet", "main"]);
        shop
    }

    fn commit(&self, folder: &str) {
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/served/shop").join(folder);
        copy(&sources, &self.repository);
        self.git(&["add", "."]);
        self.git(&["commit", "--quiet", "--message", folder]);
    }

    fn git(&self, words: &[&str]) -> String {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=A", "-c", "user.email=a@example.org"]);
        let output = command.args(words).current_dir(&self.repository).output().expect("git runs");
        assert!(output.status.success(), "{words:?}: {output:?}");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// A command that runs prony in the repository with these arguments, which spaces separate.
    fn command(&self, arguments: &str) -> Command {
        let arguments: Vec<&str> = arguments.split_whitespace().collect();
        let mut command = self.home.prony(&arguments);
        command.current_dir(&self.repository);
        command
    }

    /// Runs prony in the repository to its end.
    fn run(&self, arguments: &str) -> Ended {
        Ended::from(self.command(arguments).output().expect("prony runs"))
    }

    /// Runs prony in the repository until it says this, and ends it then, because what follows is not of interest.
    fn run_until(&self, said: &str, arguments: &str) {
        let run = self.command(arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
        let mut run = Process(run.expect("prony runs"));
        wait_line(&run.lines(), said);
        run.interrupt();
        run.0.wait().expect("it ends");
    }

    /// Checks the exit code of a command that cannot run, and what it tells.
    fn refused(&self, arguments: &str, code: i32, expected: &[&str]) {
        let ended = self.run(arguments);
        assert_eq!(ended.code, Some(code), "{}", ended.stderr);
        for part in expected {
            assert!(ended.stderr.contains(part), "`{part}` is missing in:\n{}", ended.stderr);
        }
        self.assert_untouched();
    }

    fn assert_untouched(&self) {
        assert_eq!(self.git(&["worktree", "list"]).lines().count(), 1);
        assert!(!self.repository.join("target").exists());
        assert_eq!(self.home.work_folders(), [] as [PathBuf; 0]);
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("made");
    for entry in fs::read_dir(from).expect("a folder").flatten() {
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        match path.is_dir() {
            true => copy(&path, &target),
            false => drop(fs::copy(&path, &target).expect("copied")),
        }
    }
}

/// The first and the last commit of the shop as arms, with one start as short as possible. The requests and answers of both are compared,
/// and not how fast they are.
const HISTORY: &str = r#"
question = "Which commit made the page slow?"
war = "../target/*.war"
path = "/prices"
explain = "off"
arms = [
  { server = "tomcat:10.1.29", git = "v1", heap = "64M", jvm_options = "-XX:TieredStopAtLevel=1" },
  { server = "tomcat:10.1.29", git = "v4", heap = "64M", jvm_options = "-XX:TieredStopAtLevel=1" },
]
[load]
connections = 2
[design]
headline = "throughput"
gate = "3%"
starts = 5
budget = "1s"
pairs = 2
slice = "200ms"
settle = "50ms"
warmup = "500ms"
warmup_cap = "500ms"
latency_pairs = 0
"#;

#[test]
fn revisions_are_built_and_run_and_are_built_again_when_they_are_gone() {
    let shop = Shop::new();
    // The file is in a folder of the project, as docs/guide/ci.md has it, and is in none of the commits.
    fs::create_dir(shop.repository.join("perf")).expect("made");
    fs::write(shop.repository.join("perf/history.toml"), HISTORY).expect("written");
    let ended = shop.run("run perf/history.toml --fail-inconclusive --json --seed 5");
    // One start decides nothing.
    let (code, told) = (ended.code, &ended.stderr);
    assert!(matches!(code, Some(6 | 7)), "{code:?}: {told}");
    let report: Value = serde_json::from_str(&ended.stdout).expect("report.json");
    assert_eq!(told.matches("building v").count(), 2, "{told}");
    assert!(told.contains("package"), "{told}");
    for (tag, arm) in ["v1", "v4"].into_iter().zip(report["arms"].as_array().expect("arms")) {
        assert_eq!(arm["name"], tag);
        let server = arm["effective"]["server"].as_str().unwrap_or_default();
        assert!(server.starts_with("Tomcat/10.1."), "{arm}");
        let fact = report["fingerprint"][format!("arm/{tag}/build")].to_string();
        let commit = shop.git(&["rev-parse", tag]);
        assert!(fact.contains(&format!("{tag} = commit {commit}")), "{fact}");
    }
    // Each arm answers as its own commit does: the last one has named the currency.
    let [first, last] = [0, 1].map(|arm| bytes_of_an_answer(&shop.home, arm));
    assert_eq!(last, first + " (EUR)".len() as u64);
    shop.assert_untouched();
    assert_are_arms_without_a_file(&shop);

    // What was kept is lost, and the branch has moved: the stored arm is built again from its commit.
    let store = Store::open(&shop.home.data()).expect("a store");
    let run = store.runs(None, 1).expect("runs").remove(0).run;
    let record = store.record(&run).expect("a record").expect("the run");
    let built = record.experiment.arms[1].build.as_ref().expect("a build");
    let kept = &built.built.as_ref().expect("built").file;
    assert!(kept.starts_with(shop.home.cache().join("builds")), "{kept:?}");
    fs::remove_dir_all(kept.parent().expect("a folder")).expect("removed");
    let commit = shop.git(&["rev-parse", "HEAD"]);
    shop.git(&["commit", "--quiet", "--allow-empty", "--message", "nothing"]);
    shop.run_until(
        &format!("building {commit}"),
        "compare --git v1 --git v2 --war target/*.war --path /prices --budget 1s --against latest/HEAD",
    );
}

/// Compares two revisions on the command line until all is prepared.
fn assert_are_arms_without_a_file(shop: &Shop) {
    shop.run_until(
        "measuring;",
        "compare --git v2 --git HEAD --war target/*.war --path /prices --gate 3% --budget 1s --seed 5",
    );
    let report = shop.run("report latest --format json");
    let report: Value = serde_json::from_str(&report.stdout).expect("report.json");
    let arms = report["arms"].as_array().expect("arms").iter();
    let names: Vec<&str> = arms.filter_map(|arm| arm["name"].as_str()).collect();
    assert_eq!(names, ["v2", "HEAD"]);
    for name in names {
        let server = &report["fingerprint"][format!("arm/{name}/server")];
        let named = server.as_str().unwrap_or_default();
        assert!(named.starts_with("tomcat:10.1."), "{name}: {server}");
    }
    // A branch would be at another commit later.
    let [old, new] = ["v2", "HEAD"].map(|revision| shop.git(&["rev-parse", "--short=12", revision]));
    let expected =
        format!("prony compare --git {old} --git {new} --war 'target/*.war' --path /prices --gate 3%");
    let repeat = report["repeat"].as_str().expect("a command");
    assert!(repeat.starts_with(&expected), "{repeat}");
    shop.assert_untouched();
}

/// The length of the body of each right answer that an arm gave in the newest run.
fn bytes_of_an_answer(home: &Home, arm: usize) -> u64 {
    let store = Store::open(&home.data()).expect("a store");
    let run = store.runs(None, 1).expect("runs").remove(0).run;
    let slices = store.slices(&run).expect("slices").into_iter();
    let (ok, bytes) = slices
        .filter(|slice| slice.arm == arm)
        .fold((0, 0), |(ok, bytes), slice| (ok + slice.counts.ok, bytes + slice.counts.body_bytes));
    assert!(ok > 0 && bytes % ok == 0, "{bytes} bytes in {ok} answers");
    bytes / ok
}

#[test]
fn what_cannot_be_built_is_told_before_anything_is_started() {
    let shop = Shop::new();
    let of = |revision: &str| format!("compare --git v1 --git {revision} --war target/shop.war");
    shop.refused(&of("mai"), 2, &["has no revision `mai`", "hint: did you mean `main`?"]);
    shop.refused(
        &of("broken"),
        3,
        &[
            "the build of `broken` failed: `",
            "mvn -q -B -DskipTests package`",
            "  | ",
            "Prices.java:[20,",
            "hint: ",
        ],
    );
    shop.refused(
        "compare --git v1 --git v2 --war target/app.war",
        2,
        &["the build of `v1` made no target/app.war", "hint: there is target/shop.war"],
    );
    shop.refused("compare --git v1 --war target/shop.war", 2, &["one arm alone"]);
    shop.refused(
        "compare tomcat:9.0.95 tomcat:10.1.29 --git v1 --war target/shop.war",
        2,
        &["one server runs all of them"],
    );
    // Another commit with the same files, which are not built again.
    shop.git(&["checkout", "--quiet", "v1"]);
    shop.git(&["commit", "--quiet", "--allow-empty", "--message", "nothing"]);
    shop.git(&["tag", "v1-again"]);
    shop.git(&["checkout", "--quiet", "main"]);
    shop.refused(
        "compare --git v1 --git v1-again --war target/shop.war --path /prices",
        2,
        &["`v1` and `v1-again` are the same", "hint: "],
    );
    fs::write(shop.repository.join("pom.xml"), "<changed/>").expect("written");
    shop.refused(
        &of("HEAD"),
        2,
        &["`HEAD` lacks the changes that are not committed: pom.xml", "hint: commit or stash them"],
    );
}
