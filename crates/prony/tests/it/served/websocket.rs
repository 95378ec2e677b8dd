//! Messages of WebSocket to a real Tomcat and a real Jetty: echoes of a run that compares them, and steps of a scenario.
//!
//! Real servers: what opens, frames and echoes here is not ours.

use crate::home::{Home, counts};
use serde_json::Value;

/// Asserts that both arms have answered, and rightly.
fn assert_right(report: &Value) {
    for arm in report["arms"].as_array().expect("arms") {
        let counted = &arm["levels"][0]["counts"];
        assert!(!counts(report) || counted["ok"].as_u64() > Some(0), "{arm}");
        assert!(counted["faults"].as_object().is_none_or(serde_json::Map::is_empty), "{arm}");
    }
}

#[test]
fn tomcat_and_jetty_are_compared_by_their_echoes_and_by_sessions() {
    let home = Home::with_downloads();
    let run = |name: &str, text: &str| home.run(&["run", &home.file(name, text), "--json"]);
    let echoes = format!("{ARMS}{ECHOES}{BRIEF}");
    let report = run("echoes.toml", &echoes).report();
    assert_eq!(report["question"], "Which is faster for WebSocket /echo: tomcat or jetty?");
    assert_right(&report);

    let report = run("sessions.toml", &format!("{ARMS}{SESSIONS}{BRIEF}")).report();
    assert_right(&report);
    if counts(&report) {
        let steps = report["arms"][0]["levels"][0]["steps"].as_array().expect("steps");
        let names: Vec<&str> = steps.iter().filter_map(|step| step["name"].as_str()).collect();
        assert_eq!(names, ["WS /ticks", "ask", "last", "close"]);
    }

    let refused = |text: &str, says: &str| {
        let ended = home.run(&["check", &home.file("wrong.toml", text)]);
        assert_eq!(ended.code, Some(2), "{}", ended.stderr);
        assert!(ended.stderr.contains(says), "{}", ended.stderr);
    };
    let two = echoes.replace("name = \"jetty\"", "name = \"jetty\", http = \"2\"");
    refused(&two, "WebSocket is spoken over HTTP/1.1, and the arm `jetty` speaks HTTP/2");
    let boot = echoes.replace("jetty:12.1.12", "spring-boot-jetty:4.0.8");
    refused(&boot, "`spring-boot-jetty` deploys no WAR, and the application `socket` takes");
}

const ARMS: &str = r#"
explain = "off"
app = "socket"
arms = [
  { name = "tomcat", server = "tomcat:10.1.29", jvm_options = "-XX:TieredStopAtLevel=1" },
  { name = "jetty", server = "jetty:12.1.12", jvm_options = "-XX:TieredStopAtLevel=1" },
]
"#;

const ECHOES: &str = r#"
[[request]]
path = "/echo"
send = "hello ${n}"
"#;

const SESSIONS: &str = r#"
[[scenario]]
[[scenario.step]]
ws = "/ticks"
[[scenario.step]]
name = "ask"
send = "3"
expect = "tick 0"
[[scenario.step]]
name = "last"
expect = "tick 2"
[[scenario.step]]
close = true
"#;

const BRIEF: &str = r#"
[load]
connections = 2
[design]
starts = 5
budget = "1s"
pairs = 2
slice = "200ms"
warmup = "500ms"
warmup_cap = "500ms"
latency_pairs = 0
"#;
