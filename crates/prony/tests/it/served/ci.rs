//! The commands of docs/guide/ci.md as a build server runs them, runs that were killed, and histories that cannot be written.

use crate::fixture::{put_fixture, with_arms};
use crate::home::{Home, wait_for};
use crate::served::real::slices;

use std::path::Path;
use std::process::{Command, Stdio};

const GUIDE: &str = include_str!("../../../../../docs/guide/ci.md");

/// Returns the shell commands of the guide's workflows, each one once.
fn commands() -> Vec<String> {
    let of_github = GUIDE.lines().filter_map(|line| line.trim().strip_prefix("run: "));
    let of_jenkins = GUIDE.lines().filter_map(|line| line.split_once("script: '")?.1.split('\'').next());
    let mut commands: Vec<String> = Vec::new();
    for command in of_github.chain(of_jenkins) {
        if !commands.iter().any(|known| known == command) {
            commands.push(command.to_owned());
        }
    }
    commands
}

/// An experiment with two fixture servers. With a budget of a second it has a single start, which decides nothing.
const GATE: &str = r#"
name = "gate"
question = "Does this change cost anything?"
explain = "off"
arms = [{ name = "main", FIXTURE }, { name = "change", OTHER_FIXTURE }]
[load]
connections = 4
[design]
pairs = 2
slice = "200ms"
settle = "50ms"
warmup = "200ms"
warmup_cap = "200ms"
latency_pairs = 0
"#;
/// What the guide's requirements for response times need.
const AT_A_RATE: &str =
    "latency_pairs = 2\nlatency_slice = \"200ms\"\nlatency_rate = 1000\npace = \"in turn\"\n";

/// Returns the `[require]` table of the guide's file.
fn required() -> String {
    let from = GUIDE.find("[require]").expect("an example");
    let to = from + GUIDE[from..].find("```").expect("its end");
    GUIDE[from..to].to_owned()
}

/// Creates a folder with what the guide's commands find on a build server. Its `gh` only checks that there is a comment to post.
fn build_server(home: &Home) -> std::path::PathBuf {
    let folder = home.cache().join("build");
    std::fs::create_dir_all(folder.join("perf")).expect("a folder");
    std::fs::create_dir_all(folder.join("bin")).expect("a folder");
    let gate = GATE.replace("latency_pairs = 0\n", AT_A_RATE);
    let gate = with_arms(&format!("{gate}{}", required()));
    std::fs::write(folder.join("perf/gate.toml"), gate).expect("a file");
    // An experiment that is read from stdin finds it where the command was typed.
    [&folder, &folder.join("perf")].iter().for_each(|place| put_fixture(place));
    let prony = format!("#!/bin/sh\nexec {} \"$@\"\n", env!("CARGO_BIN_EXE_prony"));
    let gh = "#!/bin/sh\nfor word; do file=$word; done\ntest -s \"$file\"\n";
    for (name, text) in [("prony", prony.as_str()), ("gh", gh)] {
        let file = folder.join("bin").join(name);
        std::fs::write(&file, text).expect("a file");
        Command::new("chmod").arg("+x").arg(&file).status().expect("chmod");
    }
    folder
}

/// Runs a command of the guide as a step of a workflow; returns its exit code and stderr.
fn step(home: &Home, folder: &Path, command: &str) -> (Option<i32>, String) {
    // The budget has room for one start only.
    let command = command.replace("--budget 20m", "--budget 1s");
    let path = format!("{}:{}", folder.join("bin").display(), std::env::var("PATH").unwrap_or_default());
    let output = home
        .command("sh", &["-e", "-c", &command])
        .current_dir(folder)
        .env("PATH", path)
        .env("GITHUB_ACTIONS", "true")
        .env("GITHUB_STEP_SUMMARY", folder.join("summary.md"))
        .env("NUMBER", "change")
        .output()
        .expect("a shell");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn the_commands_of_the_guide_work() {
    let home = Home::with_fixture();
    let folder = build_server(&home);
    let commands = commands();
    assert!(commands.len() >= 3, "{commands:?}");
    for command in &commands {
        let (code, stderr) = step(&home, &folder, command);
        if command.contains("prony run") {
            // One start decides nothing, and on a busy machine it may be invalid.
            assert!(matches!(code, Some(6 | 7)), "{code:?}: {stderr}");
            assert!(
                stderr.contains("::warning title=change%3A inconclusive::") || code == Some(7),
                "{stderr}"
            );
            assert!(stderr.contains("::notice title=gate::change against main"), "{stderr}");
        } else {
            assert_eq!(code, Some(0), "{command}: {stderr}");
        }
    }
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect(name);
    let junit = read("prony-results/junit.xml");
    assert!(
        junit.contains(
            "classname=\"gate.change\" name=\"CPU per request not worse than main by more than 3 %\""
        ),
        "{junit}"
    );
    let comment = read("prony-results/comment.md");
    assert!(
        comment.contains("Does this change cost anything?") && comment.contains("response p99 < 20.0 ms"),
        "{comment}"
    );
    assert_eq!(read("summary.md"), comment);
    let stored = home.run(&["report", "latest", "--format", "toml"]);
    assert_eq!(stored.stdout, read("perf/gate.toml"), "{}", stored.stderr);
    against(&home, &folder);
    assert_no_old_answer_is_shown(&home, &folder, &commands);
}

fn assert_no_old_answer_is_shown(home: &Home, folder: &Path, commands: &[String]) {
    std::fs::write(folder.join("perf/gate.toml"), "arms = []").expect("a file");
    for command in commands {
        let (code, stderr) = step(home, folder, command);
        let expected = if command.contains("prony run") { 2 } else { 0 };
        assert_eq!(code, Some(expected), "{command}: {stderr}");
    }
    let files = std::fs::read_dir(folder.join("prony-results")).expect("a folder");
    let files: Vec<_> = files.map(|entry| entry.expect("a file").file_name()).collect();
    assert_eq!(files, ["comment.md"]);
    let summary = std::fs::read_to_string(folder.join("summary.md")).expect("a file");
    assert!(summary.ends_with("prony could not run, see the log\n"), "{summary}");
}

/// Checks that a measured arm becomes the baseline of a new run, unless it cannot be built any more.
fn against(home: &Home, folder: &Path) {
    let file = folder.join("perf/gate.toml");
    let text = std::fs::read_to_string(&file).expect("a file");
    std::fs::write(&file, text.replace("\"0\"]", "\"0\"], environment = { MODE = \"changed\" }"))
        .expect("a file");
    let (code, stderr) =
        step(home, folder, "prony run - --against latest --budget 1s --json < perf/gate.toml > out.json");
    assert!(matches!(code, Some(0 | 7)), "{code:?}: {stderr}");
    let report: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(folder.join("out.json")).expect("a file"))
            .expect("report.json");
    let baseline = report["design"]["baseline"].as_str().expect("a name");
    assert!(baseline.starts_with("change@"), "{baseline}");
    let facts = report["fingerprint"].as_object().expect("facts");
    // `latest` means this run now, and stdin cannot be read again.
    let earlier = baseline.trim_start_matches("change@");
    let words: Vec<&str> = report["repeat"].as_str().expect("a command").split(' ').collect();
    let this_run = report["run"].as_str().expect("an id");
    assert_eq!(words[..9], ["prony", "report", this_run, "--format", "toml", "|", "prony", "run", "-"]);
    assert_eq!(words[9], "--against");
    assert!(words[10].ends_with(&format!("-{earlier}/change")), "{words:?}");
    let (_, text) = step(home, folder, "prony report latest --format toml | cmp - perf/gate.toml >&2");
    assert_eq!(text, "");
    // The guide's file has a requirement for `main`, which is not in this run.
    let notes = report["notes"].to_string();
    assert!(notes.contains("`[require.main]` was not judged"), "{notes}");
    let server = |arm: &str| facts[&format!("arm/{arm}/server")].clone();
    assert_eq!(server(baseline), server("change"));
    let (code, stderr) = step(home, folder, "prony run perf/gate.toml --against latest/nobody");
    assert!(
        code == Some(2) && stderr.contains("has no arm `nobody`") && stderr.contains("its arms:"),
        "{stderr}"
    );
}

#[test]
fn a_run_that_was_killed_between_two_slices_is_shown_and_can_be_continued() {
    let home = Home::with_fixture();
    let text = GATE.replace("\npairs = 2", "\npairs = 10\nbudget = \"1s\"");
    let file = home.file("gate.toml", &with_arms(&text));
    let mut child = home
        .prony(&["run", &file, "--quiet"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("prony");
    wait_for("three slices", 180, || slices(&home) >= 3);
    child.kill().expect("SIGKILL");
    child.wait().expect("it is dead");
    let shown = || {
        let csv = home.run(&["report", "--format", "csv"]).stdout;
        csv.lines().count().saturating_sub(1)
    };
    let stored = shown();
    assert!(stored >= 3, "what was stored before is there");
    let report = home.run(&["report"]);
    assert_eq!(report.code, Some(0), "{}", report.stderr);
    assert!(report.stderr.contains("this is what there is of it, 0 whole starts"), "{}", report.stderr);
    assert!(report.stdout.contains("ended before its time"), "{}", report.stdout);
    let more = home.run(&["run", "--resume", "latest", "--json"]);
    assert!(matches!(more.code, Some(0 | 7)), "{}", more.stderr);
    let report: serde_json::Value = serde_json::from_str(&more.stdout).expect("report.json");
    let starts = ["starts", "starts_void"].map(|key| report["design"][key].as_u64().expect("a count"));
    assert_eq!((starts.iter().sum::<u64>(), &report["design"]["interrupted"]), (1, &false.into()));
    assert!(shown() > stored);
    assert!(!home.run(&["report"]).stderr.contains("was killed"));
}

/// A run with so many slices that they fill the log of the store.
fn many_slices(home: &Home) -> String {
    let text = GATE
        .replace("latency_pairs = 0", "latency_pairs = 0\nbudget = \"1s\"")
        .replace("\nslice = \"200ms\"\nsettle = \"50ms\"", "\nslice = \"100ms\"\nsettle = \"20ms\"");
    home.file("gate.toml", &with_arms(&text.replace("\npairs = 2", "\npairs = 24")))
}

/// Checks that a run which could not be stored says so, and has written its results.
fn assert_results_without_history(stderr: &str, out: &Path) {
    assert!(stderr.contains("error: cannot store a"), "{stderr}");
    assert!(stderr.contains("hint:") && stderr.contains("PRONY_HOME"), "{stderr}");
    assert!(!stderr.contains("stored as"), "{stderr}");
    let report = std::fs::read_to_string(out.join("report.json")).expect("the results");
    assert!(report.contains("Does this change cost anything?"));
}

#[test]
fn a_full_disk_costs_the_history_and_not_the_results() {
    let home = Home::with_fixture();
    let file = many_slices(&home);
    let out = home.cache().join("out");
    // A file may grow to 320 KiB (in blocks of 512 bytes). The slices of the start need twice as much before SQLite moves them from
    // its log to its file; the largest other file, a flight recording, needs two thirds of it.
    let script = "trap '' XFSZ; ulimit -f 640; exec \"$@\"";
    let output = home
        .command("sh", &["-c", script, "sh", env!("CARGO_BIN_EXE_prony"), "run", &file, "--out"])
        .arg(&out)
        .output()
        .expect("a shell");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(matches!(output.status.code(), Some(0 | 7)), "{stderr}");
    assert_results_without_history(&stderr, &out);
    // The history is intact and lists the run as not finished.
    assert!(home.run(&["history"]).stdout.contains("not finished"));
}

#[test]
fn a_disk_that_fills_in_a_run_costs_the_history_and_not_the_results() {
    let home = Home::with_fixture();
    let file = many_slices(&home);
    let out = home.cache().join("out");
    std::fs::create_dir_all(home.data()).expect("a folder");
    // The stored runs are on a disk of 400 KiB, which the slices of the first start fill; it is seen by this script alone, and ends with it.
    let script = "mount -t tmpfs -o size=400k prony \"$1\" && shift && \"$0\" \"$@\"; code=$?; \"$0\" history; exit $code";
    let output = home
        .command("unshare", &["--mount", "sh", "-c", script, env!("CARGO_BIN_EXE_prony")])
        .arg(home.data())
        .args(["run", &file, "--out"])
        .arg(&out)
        .output()
        .expect("unshare runs");
    let [stdout, stderr] =
        [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    assert!(matches!(output.status.code(), Some(0 | 7)), "{stderr}");
    assert_results_without_history(&stderr, &out);
    assert!(stderr.contains("full"), "{stderr}");
    assert!(
        stderr.contains(&format!("but the run is not stored; they are in {}", out.display())),
        "{stderr}"
    );
    assert!(stdout.contains("not finished"), "the history is intact: {stdout}");
}

#[test]
fn results_are_written_though_the_history_refuses_the_run() {
    let home = Home::with_fixture();
    let file = home.file("gate.toml", &with_arms(GATE));
    assert_eq!(home.run(&["history"]).code, Some(0));
    // Like a disk that filled while servers were fetched: the history can be opened, but no run can be added.
    rusqlite::Connection::open(home.data().join("history.sqlite"))
        .and_then(|history| {
            history.execute_batch(
                "CREATE TRIGGER full BEFORE INSERT ON run BEGIN SELECT RAISE(FAIL, 'no room'); END",
            )
        })
        .expect("a trigger");
    let ended = home.run(&["run", &file]);
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    assert!(ended.stderr.contains("error: cannot store a run"), "{}", ended.stderr);
    assert!(!ended.stderr.contains("start 1"), "{}", ended.stderr);
    let out = home.cache().join("out");
    let out_flag = out.to_str().expect("UTF-8");
    let kept = home.run(&["run", &file, "--budget", "1s", "--out", out_flag]);
    assert!(matches!(kept.code, Some(0 | 7)), "{}", kept.stderr);
    for part in ["this run will not be stored", "start 1", "they are in"] {
        assert!(kept.stderr.contains(part), "{part}: {}", kept.stderr);
    }
    let report = std::fs::read_to_string(out.join("report.json")).expect("the results");
    assert!(report.contains("Does this change cost anything?"));
}

#[test]
fn a_broken_history_costs_the_history_and_not_the_results() {
    let home = Home::with_fixture();
    std::fs::create_dir_all(home.data()).expect("a folder");
    std::fs::write(home.data().join("history.sqlite"), "no database at all, but long enough for one")
        .expect("a file");
    let listed = home.run(&["history"]);
    assert_eq!(listed.code, Some(1), "{}", listed.stderr);
    assert!(
        listed.stderr.contains("file is not a database") && listed.stderr.contains("hint: put it aside"),
        "{}",
        listed.stderr
    );
    let server =
        testkit::ScriptedServer::start(testkit::Script::new(testkit::Reply::ok("hi"))).expect("a server");
    let address = server.address().to_string();
    let loaded = home.run(&["load", &address, "-d", "300ms", "--json"]);
    assert!(loaded.stdout.contains("\"throughput\""), "{}", loaded.stderr);
    assert!(loaded.stderr.contains("hint: put it aside"), "{}", loaded.stderr);
    let file = home.file("gate.toml", &with_arms(GATE));
    let refused = home.run(&["run", &file]);
    assert!(refused.code == Some(1) && refused.stderr.contains("hint: put it aside"), "{}", refused.stderr);
    let out = home.cache().join("out");
    let out_flag = out.to_str().expect("UTF-8");
    let kept = home.run(&["run", &file, "--budget", "1s", "--out", out_flag]);
    assert!(matches!(kept.code, Some(0 | 7)), "{}", kept.stderr);
    for part in ["this run will not be stored", "start 1", "the run is not stored; they are in"] {
        assert!(kept.stderr.contains(part), "{part}: {}", kept.stderr);
    }
    let report = std::fs::read_to_string(out.join("report.json")).expect("the results");
    assert!(report.contains("Does this change cost anything?"));
}
