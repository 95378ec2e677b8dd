//! Whole runs: on real Tomcats where something of a real server is asserted, and on fixture servers elsewhere. Each is as short as
//! possible, and its figures are not judged here.
//!
//! Real servers: what is killed, refused or logged here is a JVM.

use crate::fixture::with_arms;
use crate::home::{Ended, Home, wait_for};
use crate::shared::{Stored, TOMCATS, report_of, tomcats};
use record::outcome::Verdict;
use record::rounds::SliceRecord;
use serde_json::Value;
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use store::Store;

#[test]
fn a_run_compares_two_real_servers() {
    let run = tomcats();
    let report = report_of(run);
    assert_eq!(run.result("report.json"), run.ended.stdout);
    assert_effective_settings(&report);
    assert_answered(run);
    assert_verdicts(&report);
    assert_eq!(run.left, (Vec::new(), 0), "something was left behind");
}

#[test]
fn a_stored_run_of_real_servers_is_shown_in_every_form() {
    let run = tomcats();
    let home = run.home();
    for form in ["text", "md", "json", "svg", "html", "comment", "toml"] {
        let shown = home.run(&["report", "latest", "--format", form]);
        assert_eq!(shown.code, Some(0), "{}", shown.stderr);
        assert!(shown.stdout.contains("Does a run work?"), "{form}: {}", shown.stdout);
    }
    for (form, begin) in [("csv", "run,"), ("jtl", "timeStamp,"), ("jsonl", "{")] {
        let shown = home.run(&["report", "latest", "--format", form]).stdout;
        assert!(shown.starts_with(begin) && shown.lines().count() > 8, "{shown}");
    }
    let again = home.run(&["report", "--recompute", "--format", "json"]);
    assert_eq!(again.stdout, run.ended.stdout, "{}", again.stderr);
    assert!(home.run(&["history"]).stdout.contains("ten: CPU per request"));
}

fn assert_verdicts(report: &Value) {
    assert_eq!(report["seed"], 7);
    assert!(report["fingerprint"].as_object().expect("facts").len() >= 20);
    let comparisons = report["comparisons"].as_array().expect("comparisons");
    let measures: Vec<&str> = comparisons.iter().map(|c| c["measure"].as_str().expect("a name")).collect();
    let expected = [
        "throughput",
        "cpu_per_request",
        "response_p50",
        "response_p90",
        "response_p99",
        "startup",
        "peak_memory",
    ];
    assert_eq!(measures, expected);
    for comparison in comparisons {
        let word = comparison["verdict"].as_str().expect("a word");
        assert!(Verdict::ALL.iter().any(|verdict| verdict.code() == word), "{word}");
        assert_eq!(comparison["per_start"].as_array().expect("ratios").len() as u64, comparison["starts"]);
    }
}

fn assert_effective_settings(report: &Value) {
    let (nine, ten) = (&report["arms"][0]["effective"], &report["arms"][1]["effective"]);
    assert_eq!(nine["server"], "Tomcat/9.0.95");
    assert_eq!(ten["server"], "Tomcat/10.1.29");
    assert_eq!(
        (&nine["protocol_handler"], &ten["protocol_handler"]),
        (&"http-nio".into(), &"http-nio2, h2c".into())
    );
    assert_eq!((&nine["max_threads"], &ten["max_threads"]), (&50.into(), &200.into()));
    assert_eq!((&nine["max_connections"], &ten["max_connections"]), (&8192.into(), &500.into()));
    assert_eq!((&nine["accept_count"], &ten["accept_count"]), (&77.into(), &100.into()));
    assert!(nine["jdk"].as_str().is_some_and(|jdk| !jdk.is_empty()));
    // On a busy machine it may be that no start counts.
    let counted = report["design"]["starts"].as_u64().expect("a count") > 0;
    for arm in report["arms"].as_array().expect("arms").iter().filter(|_| counted) {
        assert!(arm["startup"]["value"].as_f64().expect("a time") > 0.1);
        assert!(arm["peak_memory"]["value"].as_f64().expect("a size") > 3e7);
        assert_eq!(arm["levels"][0]["load"]["users"], 4);
        // A level may be void in every start that counts.
        let level = &arm["levels"][0];
        assert!(level["valid"] == false || level["counts"]["ok"].as_u64() > Some(0), "{level}");
    }
    // Four users of HTTP/2 share a connection.
    for (arm, connections) in report["arms"].as_array().expect("arms").iter().zip([None, Some(1)]) {
        let level = &arm["levels"][0];
        let is_counted = level["counts"]["ok"].as_u64() > Some(0);
        assert!(!is_counted || level["counts"]["http2"]["connections"].as_u64() == connections, "{level}");
    }
}

/// Whatever counts, both arms have answered.
fn assert_answered(run: &Stored) {
    let home = run.home();
    let store = Store::open(&home.data()).expect("the history");
    let slices = store.slices(&run.run).expect("slices");
    for arm in [0, 1] {
        let answered = |slice: &SliceRecord| slice.arm == arm && slice.counts.ok > 0;
        assert!(slices.iter().any(answered), "arm {arm} has answered in no slice");
    }
}

/// The sum of the starts that count and of those that do not, with the id of the run.
fn starts(report: &Value) -> (&str, u64) {
    let design = &report["design"];
    let all = ["starts", "starts_void"].map(|key| design[key].as_u64().expect("a count"));
    (report["run"].as_str().expect("an id"), all.iter().sum())
}

/// The arm of a stored run is the baseline of another one. Its servers were fetched for the stored run.
#[test]
fn another_run_of_real_servers_needs_no_maven_and_can_be_continued() {
    let (earlier, home) = (tomcats(), Home::with_downloads());
    earlier.copy_into(&home);
    let text = TOMCATS
        .replace("budget = \"1m\"", "budget = \"1s\"")
        .replace("pace = \"together\"", "pace = \"in turn\"")
        .replace("max_connections = 500", "threads = 5");
    let file = home.file("second.toml", &format!("explain = \"off\"{text}"));
    let without_maven = |arguments: &[&str]| {
        let mut command = home.prony(arguments);
        Ended::from(command.env("PRONY_MVN", "/bin/false").output().expect("prony runs"))
    };
    let against = format!("{}/ten", earlier.run);
    let one = without_maven(&["run", &file, "--against", &against, "--arm", "ten", "--json"]).report();
    let two = without_maven(&["run", "--resume", "latest", "--json"]).report();
    let (run, begun) = starts(&one);
    assert_eq!((begun, starts(&two)), (1, (run, 2)));
    let baseline = one["design"]["baseline"].as_str().expect("a name");
    assert!(baseline.starts_with("ten@"), "{baseline}");
    let facts = &one["fingerprint"];
    let server = |arm: &str| facts[&format!("arm/{arm}/server")].clone();
    assert!(server("ten").is_string());
    assert_eq!(server(baseline), server("ten"));
    let differences = home.run(&["diff", &earlier.run, run]);
    assert_eq!(differences.code, Some(0), "{}", differences.stderr);
    assert!(differences.stdout.contains("ten"), "{}", differences.stdout);
}

/// An experiment whose quick profile has two of its three arms and two of its four levels, one without keep-alive.
const LEVELS: &str = r#"
explain = "off"
arms = [
  { name = "nine", FIXTURE },
  { name = "ten", OTHER_FIXTURE },
  { name = "absent", server = "command", command = ["./fixture", "{host}", "{port}", "--delay", "1"] },
]
[load]
connections = [2, 20, 200, 2000]
[design]
starts = 5
pairs = 2
slice = "200ms"
settle = "50ms"
warmup = "200ms"
warmup_cap = "200ms"
latency_slice = "200ms"
latency_pairs = 2
pace = "in turn"
[quick]
arms = ["ten"]
load = { connections = [2, 20], timeout = "5s" }
budget = "1s"
[[request]]
path = "/json"
weight = 3
expect = '{"message":"Hello, World!"}'
[[request]]
path = "/hello"
[reference]
source = "a post"
[[reference.rows]]
arm = "ten"
level = 20
throughput = 192.76
"#;

#[test]
fn every_level_is_measured_in_every_start_of_the_quick_profile() {
    let home = Home::with_fixture();
    let file = home.file("levels.toml", &with_arms(LEVELS));
    let ended = home.run(&["run", &file, "--quick", "--json", "--seed", "7"]);
    let one = ended.report();
    assert_eq!((&one["design"]["profile"], &one["design"]["slice"]), (&"quick".into(), &0.2.into()));
    assert_both_levels(&one);
    let text = home.run(&["report"]).stdout;
    assert!(text.contains("quick profile, GET /json + GET /hello, 2 and 20 connections"), "{text}");
    assert!(
        text.contains("nine or ten?") && text.contains("the post, measured on its own machines"),
        "{text}"
    );
    assert_eq!(home.run(&["report", "--recompute", "--format", "json"]).stdout, ended.stdout);
    let more = home.run(&["run", "--resume", "latest", "--json"]);
    assert_eq!(starts(&more.report()).1, 2, "{}", more.stderr);
    let wrong = home.run(&["run", &home.file("full.toml", TOMCATS), "--quick"]);
    assert!(wrong.code == Some(2) && wrong.stderr.contains("has no `[quick]`"), "{}", wrong.stderr);
}

fn assert_both_levels(one: &Value) {
    let arms = one["arms"].as_array().expect("arms");
    assert_eq!(arms.len(), 2, "--quick has two arms");
    // On a busy machine a gate may fail, and then the report says so.
    let notes = one["notes"].to_string();
    for arm in arms {
        let levels = arm["levels"].as_array().expect("levels");
        let closed: Vec<&Value> = levels.iter().filter(|level| level["load"]["users"].is_u64()).collect();
        let users: Vec<u64> = closed.iter().filter_map(|level| level["load"]["users"].as_u64()).collect();
        assert_eq!(users, [2, 20], "{arm}");
        for level in closed {
            let counts = &level["counts"];
            let has_note = notes.contains("did not count");
            assert!(
                counts["ok"].as_u64() > Some(0) && counts["ok"] == counts["requests"] || has_note,
                "{level} {notes}"
            );
        }
    }
    let of = |measure: &str| {
        let all = one["comparisons"].as_array().expect("comparisons");
        let users = |c: &Value| c["level"]["users"].as_u64();
        let of_measure = all.iter().filter(|c| c["measure"] == measure);
        of_measure.map(users).collect::<Vec<_>>()
    };
    assert_eq!((of("throughput"), of("startup")), (vec![Some(2), Some(20)], vec![None]));
}

/// One start of two servers, which are under load for some seconds.
const LONG: &str = r#"
explain = "off"
arms = [
  { name = "first", FIRST },
  { name = "other", OTHER_FIXTURE },
]
path = "/hello"
[load]
connections = 4
[design]
budget = "1s"
pairs = 12
slice = "200ms"
settle = "50ms"
warmup = "200ms"
warmup_cap = "200ms"
latency_pairs = 0
"#;
/// The first arm where it asserts something of a JVM.
const TOMCAT: &str = r#"server = "tomcat:9.0.95", heap = "64M", jvm_options = "-XX:TieredStopAtLevel=1""#;

/// Starts a long run whose first arm has these keys, and waits until both of its servers were loaded. The home has the fixture server.
fn start_long_run(home: &Home, first: &str) -> Child {
    let file = home.file("long.toml", &with_arms(&LONG.replace("FIRST", first)));
    let mut child =
        home.prony(&["run", &file]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("prony");
    // The downloads come first, so that the signal arrives while servers run and not Maven.
    wait_for("two slices", 180, || {
        assert!(child_runs(&child), "prony ended before its first slices");
        slices(home) >= 2
    });
    assert!(child.try_wait().expect("asked").is_none());
    assert_eq!(home.servers().len(), 2);
    child
}

/// How many slices are stored of the newest run of a home.
pub(crate) fn slices(home: &Home) -> usize {
    let newest = || {
        let store = Store::open(&home.data()).ok()?;
        let run = store.runs(None, 1).ok()?.pop()?.run;
        store.slices(&run).ok()
    };
    newest().map_or(0, |slices| slices.len())
}

fn child_runs(child: &Child) -> bool {
    std::fs::read_to_string(format!("/proc/{}/stat", child.id())).is_ok_and(|stat| !stat.contains(") Z "))
}

pub(crate) fn signal(child: &Child, name: &str) {
    kill(child.id(), name);
}

fn kill(pid: u32, name: &str) {
    let killed = Command::new("kill").args(["-s", name, &pid.to_string()]).status();
    assert!(killed.expect("kill").success());
}

fn assert_nothing_is_left(home: &Home) {
    assert_eq!((home.servers(), home.work_folders().len()), (Vec::new(), 0), "something was left behind");
}

#[test]
fn ctrl_c_and_sigterm_leave_nothing_behind() {
    for name in ["INT", "TERM"] {
        let home = Home::with_fixture();
        let child = start_long_run(&home, "FIXTURE");
        signal(&child, name);
        let output = child.wait_with_output().expect("it ends");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(130), "{name}: {stderr}");
        assert_nothing_is_left(&home);
    }
}

#[test]
fn sigkill_leaves_no_server_and_clean_removes_the_rest() {
    let home = Home::with_downloads();
    home.add_fixture();
    let mut child = start_long_run(&home, TOMCAT);
    signal(&child, "KILL");
    child.wait().expect("it is dead");
    wait_for("the servers to end", 10, || home.servers().is_empty());
    assert!(!home.work_folders().is_empty(), "then there is nothing to clean");
    let cleaned = home.run(&["clean"]);
    assert_eq!(cleaned.code, Some(0), "{}", cleaned.stderr);
    assert_eq!(home.work_folders().len(), 0, "{}", cleaned.stdout);
}

/// Asserts that a run whose arm cannot start exits with 3, tells why and what to do, and leaves nothing behind.
fn assert_cannot_start(home: &Home, arm: &str, expected: &[&str]) {
    let file = home.file("bad.toml", &with_arms(&format!("arms = [{{ name = \"nine\", {arm} }}]\n")));
    let ended = home.run(&["run", &file]);
    assert_eq!(ended.code, Some(3), "{}", ended.stderr);
    for part in expected {
        assert!(ended.stderr.contains(part), "`{part}` is missing in:\n{}", ended.stderr);
    }
    assert_nothing_is_left(home);
}

#[test]
fn a_port_that_is_taken_is_named() {
    let taken = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let port = taken.local_addr().expect("its address").port();
    assert_cannot_start(
        &Home::with_fixture(),
        &format!("FIXTURE, port = {port}"),
        &[&port.to_string(), "hint:"],
    );
}

#[test]
fn a_server_that_cannot_start_shows_its_log() {
    assert_cannot_start(
        &Home::with_downloads(),
        r#"server = "tomcat:9.0.95", jvm_options = ["-XX:+NoSuchFlag"]"#,
        &["nine", "NoSuchFlag"],
    );
}

#[test]
fn a_server_that_dies_under_load_is_named() {
    let home = Home::with_downloads();
    home.add_fixture();
    let child = start_long_run(&home, TOMCAT);
    let tomcat = home.servers()[0];
    kill(tomcat, "KILL");
    let output = child.wait_with_output().expect("it ends");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{stderr}");
    assert!(["first", "ended", "hint:"].iter().all(|part| stderr.contains(part)), "{stderr}");
    assert_nothing_is_left(&home);
}

#[test]
fn a_known_slowness_is_counted_by_the_server() {
    let home = Home::with_downloads();
    let count = |name: &str| home.file(name, "");
    let counts = [count("count-a"), count("count-b")];
    let arm = |name: &str, server: &str, turns: u32, count: &str| {
        format!(
            "{{ name = \"{name}\", server = \"{server}\", jvm_options = [\"-Dprony.burn={turns:09}\", \
             \"-Dprony.burn.count={count}\"] }}"
        )
    };
    let arms =
        [arm("plain", "tomcat:9.0.95", 0, &counts[0]), arm("burning", "tomcat:10.1.29", 3_000, &counts[1])];
    let text = format!(
        "explain = \"off\"\narms = [{}]\n[load]\nconnections = 4\n[design]\nstarts = 5\nbudget = \"1s\"\npairs = 2\nslice = \"1s\"\n\
         latency_pairs = 0\nwarmup = \"1s\"\nwarmup_cap = \"1s\"\n",
        arms.join(", ")
    );
    let file = home.file("burn.toml", &text);
    let ended = home.run(&["run", &file]);
    assert!(matches!(ended.code, Some(0 | 7)), "{:?}\n{}", ended.code, ended.stderr);
    let counted = counts.map(|path| {
        let text = std::fs::read_to_string(path).expect("a count");
        let fields: Vec<f64> =
            text.split_whitespace().map(|field| field.parse().expect("a number")).collect();
        let [turns, samples, nanos] = fields[..] else { panic!("one start, one line: {text}") };
        assert!(samples > 0.0, "{text}");
        (turns, nanos / samples)
    });
    let [(none, idle), (turns, burnt)] = counted;
    assert_eq!((none, turns), (0.0, 3_000.0));
    // A turn consists of six dependent operations and takes at least a nanosecond on any machine. Without turns, the count is only its
    // error.
    assert!(burnt > 3_000.0 && idle.abs() < burnt / 10.0, "{idle} and {burnt} ns");
}
