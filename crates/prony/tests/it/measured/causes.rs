//! Prony names what limits real servers, and does not name it where it is not injected. One start of each arm is enough, because the
//! effects are large.

use crate::home::Home;
use crate::measured::{neighbour, undisturbed};
use serde_json::Value;

/// A service that takes 20 ms, with 40 users who do not pause: at most 2,000 requests a second, which leave CPUs idle.
const SERVICE: &str = r#"
question = "What limits each?"
app = "pay"
path = "/pay?orderId=1&millis=20"
ARMS
[load]
connections = 40
timeout = "1s"
[design]
headline = "throughput"
starts = 5
pairs = 1
slice = "500ms"
settle = "200ms"
warmup = "4s"
warmup_cap = "4s"
latency_pairs = 0
"#;

/// Runs one start of these arms and returns its home and the report.
fn report(arms: &str, flags: &[&str]) -> Option<(Home, Value)> {
    let run = || {
        let home = Home::with_downloads();
        let file = home.file("causes.toml", &SERVICE.replace("ARMS", arms));
        let run = ["run", &file, "--budget", "1s", "--json"];
        // Levels at which a server fails are invalid.
        let report = home.run(&[&run[..], flags].concat()).report();
        (home, report)
    };
    undisturbed(run, |(_, report)| neighbour(report))
}

/// Returns the diagnoses of an arm in their order, without those that say that other processes use the machine.
pub(crate) fn diagnoses(report: &Value, name: &str) -> Vec<Value> {
    let arms = report["arms"].as_array().expect("arms");
    let arm = arms.iter().find(|arm| arm["name"] == name);
    let all = arm.expect("an arm of this name")["diagnoses"].as_array();
    let noise = ["noisy-neighbour", "generator-saturated", "jit-warming-up"];
    let of_arm = |one: &&Value| !noise.iter().any(|cause| one["cause"] == *cause);
    all.expect("diagnoses").iter().filter(of_arm).cloned().collect()
}

/// Returns the causes of the diagnoses of an arm.
pub(crate) fn causes(report: &Value, arm: &str) -> Vec<String> {
    let text = |diagnosis: &Value| diagnosis["cause"].as_str().expect("an id").to_owned();
    diagnoses(report, arm).iter().map(text).collect()
}

/// Returns the diagnosis of a cause that an arm must have.
pub(crate) fn diagnosis(report: &Value, arm: &str, cause: &str) -> Value {
    let all = diagnoses(report, arm);
    let found = all.iter().find(|one| one["cause"] == cause);
    found.cloned().unwrap_or_else(|| panic!("{cause} is not named for {arm}: {all:?}"))
}

/// Asserts that the arm without a fault does not show the injected causes. A JVM that is still cold may fill the CPU all the same.
fn assert_not_named(report: &Value, injected: &[&str]) {
    let named = causes(report, "ample");
    assert!(named.iter().all(|cause| !injected.contains(&cause.as_str())), "{named:?}");
}

/// Small versions of post A, with more users than connections, and of post D, without keep-alive.
#[test]
#[ignore = "measured: ./test --all"]
fn each_limit_that_is_reached_is_named_and_no_other() {
    // None of these causes needs to look inside the server.
    let arms = r#"telemetry = false
    arms = [
      { name = "ample", server = "tomcat:10.1.29", heap = "64M" },
      { name = "few", server = "tomcat:10.1.29", heap = "64M", max_connections = 10 },
      { name = "encrypts", server = "tomcat:10.1.29", heap = "64M", tls = "jsse", attributes = { maxKeepAliveRequests = 1 } },
    ]"#;
    let Some((_, report)) = report(arms, &[]) else {
        return;
    };
    let injected = ["connection-limit", "tls-handshake-per-request", "keepalive-not-effective"];
    assert_not_named(&report, &injected);
    // Which cause is named first is decided by how much CPU is left; stored runs show it (`plain::goldens`).
    let few = diagnosis(&report, "few", "connection-limit");
    let says = few["says"].as_str().unwrap_or_default();
    assert!(says.contains("10 connections and there are 40 users"), "{few}");
    assert_eq!(few["change"][0]["key"], "max_connections");
    diagnosis(&report, "encrypts", "tls-handshake-per-request");
    diagnosis(&report, "encrypts", "keepalive-not-effective");
}

#[test]
#[ignore = "measured: ./test --all"]
fn a_change_that_is_suggested_is_tried_and_its_effect_measured() {
    let arms = r#"arms = [
      { name = "ample", server = "tomcat:10.1.29", heap = "64M" },
      { name = "small", server = "tomcat:10.1.29", heap = "64M", threads = 10 },
    ]"#;
    let Some((home, report)) = report(arms, &["--prove"]) else {
        return;
    };
    assert_not_named(&report, &["thread-pool-limit"]);
    let small = diagnosis(&report, "small", "thread-pool-limit");
    // 10 threads with requests of 20 ms answer 500 a second, and 40 users of 20 ms ask for 2,000, four times as many. It may be
    // that no start of the trial counts, and then a note says so.
    match small["proved"]["value"].as_f64() {
        Some(proved) => assert!((1.1..6.0).contains(&proved), "{small}"),
        None => assert!(report["notes"].to_string().contains("has no result"), "{report}"),
    }
    let run = report["run"].as_str().expect("an id");
    let shown = home.run(&["report", "--recompute", run, "--format", "json"]);
    let shown: Value = serde_json::from_str(&shown.stdout).expect("report.json");
    assert_eq!(shown, report);
}
