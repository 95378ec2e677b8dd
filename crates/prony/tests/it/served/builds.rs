//! Revisions of a user's repository as arms: a slowness that one commit brings is found, and what cannot be built is told.

use crate::home::{Ended, Home, counts};
use crate::waiting::fleet::Process;
use crate::waiting::fleet_run::wait_line;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The folders of the commits of the branch `main`, the oldest first. Each is tagged with the first word of its name.
const COMMITS: [&str; 4] = [
    "1-a-page-of-prices",
    "2-tell-what-it-is",
    "3-sort-the-prices",
    "4-name-the-currency",
];

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
        let sources = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/it/shop")
            .join(folder);
        copy(&sources, &self.repository);
        self.git(&["add", "."]);
        self.git(&["commit", "--quiet", "--message", folder]);
    }

    fn git(&self, words: &[&str]) -> String {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=A", "-c", "user.email=a@example.org"]);
        let output = command
            .args(words)
            .current_dir(&self.repository)
            .output()
            .expect("git runs");
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
        let run = self
            .command(arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn();
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
            assert!(
                ended.stderr.contains(part),
                "`{part}` is missing in:\n{}",
                ended.stderr
            );
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

/// All commits of the shop as arms, with starts as short as possible.
const HISTORY: &str = r#"
question = "Which commit made the page slow?"
war = "../target/shop.war"
path = "/prices"
explain = "off"
arms = [
  { server = "tomcat:10.1.29", git = "v1", heap = "64M" },
  { server = "tomcat:10.1.29", git = "v2", heap = "64M" },
  { server = "tomcat:10.1.29", git = "v3", heap = "64M" },
  { server = "tomcat:10.1.29", git = "v4", heap = "64M" },
]
[load]
connections = 4
[design]
headline = "throughput"
starts = 5
budget = "5m"
pairs = 2
slice = "200ms"
settle = "50ms"
warmup = "500ms"
warmup_cap = "1s"
latency_pairs = 0
"#;

#[test]
fn the_commit_that_made_a_page_slow_is_found() {
    let shop = Shop::new();
    // The file is in a folder of the project, as docs/guide/ci.md has it, and is in none of the commits.
    fs::create_dir(shop.repository.join("perf")).expect("made");
    fs::write(shop.repository.join("perf/history.toml"), HISTORY).expect("written");
    let ended = shop.run("run perf/history.toml --json --seed 5");
    let report = ended.report();
    assert_eq!(ended.stderr.matches("building v").count(), 4, "{}", ended.stderr);
    assert!(ended.stderr.contains("package"), "{}", ended.stderr);
    for (number, arm) in (1..).zip(report["arms"].as_array().expect("arms")) {
        let tag = format!("v{number}");
        assert_eq!(arm["name"], tag);
        let fact = report["fingerprint"][format!("arm/{tag}/build")].to_string();
        let commit = shop.git(&["rev-parse", &tag]);
        assert!(fact.contains(&format!("{tag} = commit {commit}")), "{fact}");
    }
    shop.assert_untouched();
    let verdict = |arm: &str| {
        let comparisons = report["comparisons"].as_array().expect("comparisons").iter();
        let mut throughput = comparisons.filter(|one| one["measure"] == "throughput" && one["arm"] == arm);
        throughput.next().expect("compared")["verdict"]
            .as_str()
            .expect("a word")
            .to_owned()
    };
    if ended.code == Some(0) && counts(&report) {
        assert_eq!([verdict("v3"), verdict("v4")], ["slower", "slower"]);
        assert_ne!(verdict("v2"), "slower");
    }
}

#[test]
fn revisions_are_compared_without_a_file_and_a_gate_is_the_exit_code() {
    let shop = Shop::new();
    let ended = shop.run(
        "compare --git v2 --git HEAD --war target/*.war --path /prices \
         --gate 3% --budget 1s --fail-inconclusive --out out --seed 5",
    );
    // One start decides nothing.
    assert!(
        matches!(ended.code, Some(6 | 7)),
        "{:?}: {}",
        ended.code,
        ended.stderr
    );
    let report = fs::read_to_string(shop.repository.join("out/report.json")).expect("a report");
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    let names: Vec<&str> = report["arms"]
        .as_array()
        .expect("arms")
        .iter()
        .filter_map(|arm| arm["name"].as_str())
        .collect();
    assert_eq!(names, ["v2", "HEAD"]);
    let server = report["arms"][0]["effective"]["server"]
        .as_str()
        .expect("a server");
    assert!(server.starts_with("Tomcat/10.1."), "{server}");
    // A branch would be at another commit later.
    let [old, new] = ["v2", "HEAD"].map(|revision| shop.git(&["rev-parse", "--short=12", revision]));
    let expected = format!("prony compare --git {old} --git {new} --war 'target/*.war'");
    let repeat = report["repeat"].as_str().expect("a command");
    assert!(repeat.starts_with(&expected), "{repeat}");
    shop.assert_untouched();

    // What was kept is lost, and the branch has moved: the stored arm is built again from its commit.
    fs::remove_dir_all(shop.home.cache().join("builds")).expect("removed");
    let commit = shop.git(&["rev-parse", "HEAD"]);
    shop.git(&["commit", "--quiet", "--allow-empty", "--message", "nothing"]);
    shop.run_until(
        &format!("building {commit}"),
        "compare --git v1 --git HEAD~1 --war target/shop.war --path /prices --budget 1s --against latest/HEAD",
    );
}

#[test]
fn what_cannot_be_built_is_told_before_anything_is_started() {
    let shop = Shop::new();
    let of = |revision: &str| format!("compare --git v1 --git {revision} --war target/shop.war");
    shop.refused(
        &of("mai"),
        2,
        &["has no revision `mai`", "hint: did you mean `main`?"],
    );
    shop.refused(
        &of("broken"),
        3,
        &[
            "the build of `broken` failed: `mvn -q -B -DskipTests package`",
            "  | ",
            "Prices.java:[20,",
            "hint: ",
        ],
    );
    shop.refused(
        "compare --git v1 --git v3 --war target/app.war",
        2,
        &[
            "the build of `v1` made no target/app.war",
            "hint: there is target/shop.war",
        ],
    );
    shop.refused("compare --git v1 --war target/shop.war", 2, &["one arm alone"]);
    shop.refused(
        "compare tomcat:9.0.95 tomcat:10.1.29 --git v1 --war target/shop.war",
        2,
        &["one server runs all of them"],
    );
    fs::write(shop.repository.join("pom.xml"), "<changed/>").expect("written");
    shop.refused(
        &of("HEAD"),
        2,
        &[
            "`HEAD` lacks the changes that are not committed: pom.xml",
            "hint: commit or stash them",
        ],
    );
}

#[test]
fn two_revisions_with_the_same_files_are_the_same_arm() {
    let shop = Shop::new();
    shop.git(&["commit", "--quiet", "--allow-empty", "--message", "nothing"]);
    shop.refused(
        "compare --git HEAD~1 --git HEAD --war target/shop.war --path /prices",
        2,
        &["`HEAD~1` and `HEAD` are the same", "hint: "],
    );
}
