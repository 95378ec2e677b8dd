//! Prony names what limits real servers, and does not name it where it is not injected. One start of each arm is enough, because the
//! effects are large.

use crate::home::Home;
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

/// Runs one start of these arms and returns the report.
fn report(home: &Home, arms: &str, flags: &[&str]) -> Value {
    let file = home.file("causes.toml", &SERVICE.replace("ARMS", arms));
    let run = ["run", &file, "--budget", "1s", "--json"];
    let ended = home.run(&[&run[..], flags].concat());
    // Levels at which a server fails are invalid, and on a busy machine the start may not count.
    let code = ended.code;
    assert!(matches!(code, Some(0 | 7)), "{code:?}\n{}", ended.stderr);
    serde_json::from_str(&ended.stdout).expect("report.json")
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

/// Whether other processes use so much of the machine that nothing else limits the arms: on a full CPU, more threads only share it.
pub(crate) fn machine_is_busy(report: &Value) -> bool {
    let arms = report["arms"].as_array().expect("arms").iter();
    let mut all = arms.flat_map(|arm| arm["diagnoses"].as_array().expect("diagnoses"));
    let is_busy = all.any(|one| one["cause"] == "noisy-neighbour" && share_of_neighbour(one) > 0.4);
    if is_busy {
        eprintln!("skipped: other processes use the machine");
    }
    is_busy
}

/// Asserts that the arm without a fault does not show the injected causes. A JVM that is still cold may fill the CPU all the same.
fn assert_not_named(report: &Value, injected: &[&str]) {
    let named = causes(report, "ample");
    assert!(
        named.iter().all(|cause| !injected.contains(&cause.as_str())),
        "{named:?}"
    );
}

/// Returns the share of the machine that a noisy neighbour uses.
fn share_of_neighbour(diagnosis: &Value) -> f64 {
    let numbers = diagnosis["evidence"].as_array().expect("evidence").iter();
    let shares = ["cpu-of-others", "cpu-stolen"];
    let figures = numbers.filter(|number| shares.iter().any(|share| number["code"] == *share));
    figures.filter_map(|number| number["value"].as_f64()).sum()
}

/// Small versions of post A, with more users than connections, and of post D, without keep-alive.
#[test]
#[ignore = "measured: ./test --all"]
fn each_limit_that_is_reached_is_named_and_no_other() {
    let home = Home::with_downloads();
    // None of these causes needs to look inside the server.
    let arms = r#"telemetry = false
    arms = [
      { name = "ample", server = "tomcat:10.1.29", heap = "64M" },
      { name = "few", server = "tomcat:10.1.29", heap = "64M", max_connections = 10 },
      { name = "encrypts", server = "tomcat:10.1.29", heap = "64M", tls = "jsse", attributes = { maxKeepAliveRequests = 1 } },
    ]"#;
    let report = report(&home, arms, &[]);
    if machine_is_busy(&report) {
        return;
    }
    let injected = [
        "connection-limit",
        "tls-handshake-per-request",
        "keepalive-not-effective",
    ];
    assert_not_named(&report, &injected);
    let few = &diagnoses(&report, "few")[0];
    assert_eq!(few["cause"], "connection-limit");
    let says = few["says"].as_str().unwrap_or_default();
    assert!(says.contains("10 connections and there are 40 users"), "{few}");
    assert_eq!(few["change"][0]["key"], "max_connections");
    // TLS handshakes also create garbage, and a JVM that is still cold fills the CPU with more than these.
    let mut encrypts = causes(&report, "encrypts");
    encrypts.retain(|cause| cause != "server-cpu-saturated");
    assert_eq!(encrypts[0], "tls-handshake-per-request");
    assert!(
        encrypts.iter().any(|cause| cause == "keepalive-not-effective"),
        "{encrypts:?}"
    );
}

#[test]
#[ignore = "measured: ./test --all"]
fn a_change_that_is_suggested_is_tried_and_its_effect_measured() {
    let home = Home::with_downloads();
    let arms = r#"arms = [
      { name = "ample", server = "tomcat:10.1.29", heap = "64M" },
      { name = "small", server = "tomcat:10.1.29", heap = "64M", threads = 10 },
    ]"#;
    let report = report(&home, arms, &["--prove"]);
    if machine_is_busy(&report) {
        return;
    }
    assert_not_named(&report, &["thread-pool-limit"]);
    let small = diagnoses(&report, "small");
    let small = small.first().unwrap_or_else(|| panic!("{report}"));
    assert_eq!(small["cause"], "thread-pool-limit");
    // 10 threads with requests of 20 ms answer 500 a second, and 40 users of 20 ms ask for 2,000, four times as many. On a busy
    // machine it may be that no start of the trial counts, and then a note says so.
    match small["proved"]["value"].as_f64() {
        Some(proved) => assert!((1.5..6.0).contains(&proved), "{small}"),
        None => assert!(report["notes"].to_string().contains("has no result"), "{report}"),
    }
    let run = report["run"].as_str().expect("an id");
    let shown = home.run(&["report", "--recompute", run, "--format", "json"]);
    let shown: Value = serde_json::from_str(&shown.stdout).expect("report.json");
    assert_eq!(shown, report);
}
