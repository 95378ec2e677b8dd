//! What limits real servers is named, and not where it is not injected. One start of each arm is enough: effects are large.

use crate::home::Home;
use crate::real::alone;
use serde_json::Value;

/// A service of 20 ms that 40 users ask without a pause: 2,000 requests a second at most, which leave CPUs idle.
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
warmup = "500ms"
warmup_cap = "500ms"
latency_pairs = 0
"#;

/// The report of one start of these arms.
fn report(home: &Home, arms: &str, flags: &[&str]) -> Value {
    let file = home.file("causes.toml", &SERVICE.replace("ARMS", arms));
    let run = ["run", &file, "--budget", "1s", "--json"];
    let ended = home.run(&[&run[..], flags].concat());
    // Levels at which a server fails are invalid, and a machine with other work may void the start.
    let code = ended.code;
    assert!(matches!(code, Some(0 | 7)), "{code:?}\n{}", ended.stderr);
    serde_json::from_str(&ended.stdout).expect("report.json")
}

/// The diagnoses of an arm, the first one first; without those of a machine that others use while this runs.
pub(crate) fn diagnoses(report: &Value, name: &str) -> Vec<Value> {
    let arms = report["arms"].as_array().expect("arms");
    let arm = arms.iter().find(|arm| arm["name"] == name);
    let all = arm.expect("an arm of this name")["diagnoses"].as_array();
    let noise = ["noisy-neighbour", "generator-saturated", "jit-warming-up"];
    let of_arm = |one: &&Value| !noise.iter().any(|cause| one["cause"] == *cause);
    all.expect("diagnoses").iter().filter(of_arm).cloned().collect()
}

/// The causes of these.
pub(crate) fn causes(report: &Value, arm: &str) -> Vec<String> {
    let text = |diagnosis: &Value| diagnosis["cause"].as_str().expect("an id").to_owned();
    diagnoses(report, arm).iter().map(text).collect()
}

/// Whether others have so much of the machine that nothing limits any more but that: on a full CPU more threads only share it.
pub(crate) fn taken(report: &Value) -> bool {
    let arms = report["arms"].as_array().expect("arms").iter();
    let mut all = arms.flat_map(|arm| arm["diagnoses"].as_array().expect("diagnoses"));
    let taken = all.any(|one| one["cause"] == "noisy-neighbour" && of_others(one) > 0.4);
    if taken {
        eprintln!("skipped: others have the machine");
    }
    taken
}

/// The arm that nothing is injected into does not show it. A JVM that is still cold may well fill the CPU.
fn not_named(report: &Value, injected: &[&str]) {
    let found = causes(report, "ample");
    assert!(
        found.iter().all(|cause| !injected.contains(&cause.as_str())),
        "{found:?}"
    );
}

/// Share of the machine that a noisy neighbour has.
fn of_others(diagnosis: &Value) -> f64 {
    let numbers = diagnosis["evidence"].as_array().expect("evidence").iter();
    let shares = ["cpu-of-others", "cpu-stolen"];
    let told = numbers.filter(|number| shares.iter().any(|share| number["code"] == *share));
    told.filter_map(|number| number["value"].as_f64()).sum()
}

/// Post A at 9000 users against 8192 connections, and post D where connections are not kept, both in small.
#[test]
fn each_limit_that_is_reached_is_named_and_no_other() {
    let _alone = alone();
    let home = Home::with_downloads();
    // None of these causes needs a look inside.
    let arms = r#"telemetry = false
    arms = [
      { name = "ample", server = "tomcat:10.1.29", heap = "64M" },
      { name = "few", server = "tomcat:10.1.29", heap = "64M", max_connections = 10 },
      { name = "encrypts", server = "tomcat:10.1.29", heap = "64M", tls = "jsse", attributes = { maxKeepAliveRequests = 1 } },
    ]"#;
    let report = report(&home, arms, &[]);
    if taken(&report) {
        return;
    }
    let injected = [
        "connection-limit",
        "tls-handshake-per-request",
        "keepalive-not-effective",
    ];
    not_named(&report, &injected);
    let few = &diagnoses(&report, "few")[0];
    assert_eq!(few["cause"], "connection-limit");
    let says = few["says"].as_str().unwrap_or_default();
    assert!(says.contains("10 connections and there are 40 users"), "{few}");
    assert_eq!(few["change"][0]["key"], "max_connections");
    // Handshakes also make garbage.
    let encrypts = causes(&report, "encrypts");
    assert_eq!(encrypts[0], "tls-handshake-per-request");
    assert!(
        encrypts.iter().any(|cause| cause == "keepalive-not-effective"),
        "{encrypts:?}"
    );
}

#[test]
fn a_change_that_is_suggested_is_tried_and_its_effect_measured() {
    let _alone = alone();
    let home = Home::with_downloads();
    let arms = r#"arms = [
      { name = "ample", server = "tomcat:10.1.29", heap = "64M" },
      { name = "small", server = "tomcat:10.1.29", heap = "64M", threads = 10 },
    ]"#;
    let report = report(&home, arms, &["--prove"]);
    if taken(&report) {
        return;
    }
    not_named(&report, &["thread-pool-limit"]);
    let small = diagnoses(&report, "small");
    let small = small.first().unwrap_or_else(|| panic!("{report}"));
    assert_eq!(small["cause"], "thread-pool-limit");
    // 10 threads of 20 ms each make 500 a second, 40 users of 20 ms 2,000: four times as many. On a machine with other work
    // to do no start of the trial may count: then a note says so.
    match small["proved"]["value"].as_f64() {
        Some(proved) => assert!((1.5..6.0).contains(&proved), "{small}"),
        None => assert!(report["notes"].to_string().contains("has no result"), "{report}"),
    }
    let run = report["run"].as_str().expect("an id");
    let shown = home.run(&["report", "--recompute", run, "--format", "json"]);
    let shown: Value = serde_json::from_str(&shown.stdout).expect("report.json");
    assert_eq!(shown, report);
}
