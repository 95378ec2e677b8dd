//! `prony load` against a scripted server that knows the right figures.

use crate::home::{Ended, Home};
use serde_json::Value;
use std::time::Duration;
use testkit::{Reply, Script, ScriptedServer};

/// Asserts that the load ran. On a machine that is busy with other tests, the generator may have been too slow, and the exit code is 7;
/// the counts are right all the same.
fn assert_ran(ended: &Ended) {
    assert!(matches!(ended.code, Some(0 | 7)), "{:?}: {}", ended.code, ended.stderr);
    assert_eq!(ended.code == Some(7), ended.stdout.contains("generator-saturated"), "{}", ended.stdout);
}

fn server(script: Script) -> (ScriptedServer, String) {
    let server = ScriptedServer::start(script).expect("a server");
    let address = server.address().to_string();
    (server, address)
}

#[test]
fn the_counts_in_json_are_those_of_the_server() {
    let (server, address) = server(Script::new(Reply::ok("hi").after(Duration::from_millis(2))));
    let home = Home::empty();
    let ended = home.run(&["load", &address, "-c", "4", "-d", "500ms", "--json"]);
    assert_ran(&ended);
    let report: Value = serde_json::from_str(&ended.stdout).expect("report.json");
    let level = &report["arms"][0]["levels"][0];
    let counted = level["counts"]["ok"].as_u64().expect("a count");
    let served = server.requests();
    assert!(counted > 50 && counted <= served && served <= counted + 4, "{counted} counted, {served} served");
    assert_eq!(level["load"]["users"], 4);
    assert!(level["measures"]["service_mean"]["value"].as_f64().expect("a time") >= 0.002);
    // Half a second is too short for an interval.
    assert!(level["measures"]["service_p50"]["low"].is_null());
    assert!(level["not_estimable"]["service_p50"].as_f64().expect("seconds") >= 5.0);
    assert!(level["worst"]["at"].as_f64().expect("a time") <= 0.5);
    assert_eq!(report["comparisons"], Value::Array(Vec::new()));
    assert!(report["arms"][0]["name"].as_str().expect("a name").starts_with("http://127.0.0.1:"));
}

#[test]
fn percentiles_come_with_their_intervals() {
    let (_server, address) = server(Script::new(Reply::ok("hi").after(Duration::from_millis(2))));
    let ended = Home::empty().run(&["load", &address, "-c", "4", "-d", "6", "--json"]);
    assert_ran(&ended);
    let report: Value = serde_json::from_str(&ended.stdout).expect("report.json");
    let level = &report["arms"][0]["levels"][0];
    let end = |name: &str| level["measures"]["service_p50"][name].as_f64().expect("a time");
    assert!(end("low") <= end("value") && end("value") <= end("high"));
    assert!(end("low") >= 0.002);
    assert!(level["not_estimable"]["service_p99.9"].as_f64().expect("seconds") > 6.0);
    let seen = &level["measures"]["service_p99.9"];
    assert!(seen["value"].is_number() && seen["low"].is_null(), "{seen}");
}

#[test]
fn the_text_tells_what_a_closed_loop_cannot_show_and_the_load_is_stored() {
    let (_server, address) = server(Script::new(Reply::ok("hi")));
    let home = Home::empty();
    let ended = home.run(&["load", &format!("http://{address}/x"), "-c", "2", "-d", "0.3"]);
    assert_ran(&ended);
    assert!(ended.stdout.contains("a closed loop does not show what users feel"), "{}", ended.stdout);
    // Every percentile is shown as it was seen, although the load was too short for an interval.
    let seen = |line: &&str| line.trim_start().starts_with('p') && line.contains("s † (needs about ");
    assert_eq!(ended.stdout.lines().filter(seen).count(), 6, "{}", ended.stdout);
    assert!(ended.stdout.contains("\n† without an interval: "), "{}", ended.stdout);
    assert!(!ended.stdout.contains("not estimable") && !ended.stdout.contains("[…]"));
    let generator = ended.stdout.lines().find(|line| line.starts_with("generator "));
    assert!(generator.is_some_and(|line| line.contains(", nice ")), "{generator:?}");
    let again = home.run(&["report", "latest"]);
    assert_eq!(again.stdout, ended.stdout);
    assert!(home.run(&["history"]).stdout.contains("a single load"));
}

#[test]
fn secrets_are_in_no_report_and_a_load_has_no_file() {
    let (_server, address) = server(Script::new(Reply::ok("hi")));
    let home = Home::empty();
    let secret = ["-H", "Authorization: Bearer abc123", "--header=Cookie: id=abc123"];
    let typed = [&["load", &address, "-d", "300ms", "--json"], &secret[..]].concat();
    let ended = home.run(&typed);
    assert_ran(&ended);
    let report: Value = serde_json::from_str(&ended.stdout).expect("report.json");
    assert!(!ended.stdout.contains("abc123"), "{}", ended.stdout);
    let hidden = "--header 'Authorization: (hidden)' --header 'Cookie: (hidden)'";
    assert_eq!(report["repeat"], format!("prony load {address} --duration 300ms {hidden}"));
    let refused = home.run(&["report", "latest", "--format", "toml"]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    for part in ["came from no file", "hint: it came from: prony load", hidden] {
        assert!(refused.stderr.contains(part), "{part}: {}", refused.stderr);
    }
}

#[test]
fn a_rate_shows_response_and_service_time_apart() {
    let (_server, address) = server(Script::new(Reply::ok("hi")));
    let ended = Home::empty().run(&["load", &address, "-c", "2", "-d", "500ms", "-R", "200", "--constant"]);
    assert_ran(&ended);
    assert!(ended.stdout.contains("200 /s offered"), "{}", ended.stdout);
    assert!(ended.stdout.contains("response time") && ended.stdout.contains("service time"));
}

#[test]
fn a_missing_server_and_one_that_answers_wrongly_exit_with_7() {
    let ended = Home::empty().run(&["load", "127.0.0.1:1", "-d", "300ms"]);
    assert_eq!(ended.code, Some(7), "{}", ended.stderr);
    assert!(ended.stderr.contains("connect_refused") && ended.stderr.contains("hint:"), "{}", ended.stderr);
    let (_server, address) = server(Script::new(Reply::status(500, "no")));
    let ended = Home::empty().run(&["load", &address, "-d", "300ms"]);
    assert_eq!(ended.code, Some(7), "{}", ended.stderr);
    assert!(ended.stderr.contains("wrong_status"), "{}", ended.stderr);
}

#[test]
fn mistakes_exit_with_2() {
    for arguments in [
        &["load", "http://"] as &[&str],
        &["load", "localhost:99999"],
        &["load", "127.0.0.1:1", "-d", "soon"],
        &["load", "127.0.0.1:1", "-c", "0"],
        &["load", "127.0.0.1:1", "-H", "no colon"],
        &["load", "127.0.0.1:1", "--out", "/proc/none"],
        &["load", "127.0.0.1:1", "-d", "0"],
        &["load", "127.0.0.1:1", "-b", "@/no/such/file"],
        &["load", "unix:/tmp/socket"],
    ] {
        let ended = Home::empty().run(arguments);
        assert_eq!(ended.code, Some(2), "{arguments:?}: {}", ended.stderr);
        assert!(ended.stderr.contains("error"), "{arguments:?}: {}", ended.stderr);
    }
}

#[test]
fn out_writes_the_files() {
    let (_server, address) = server(Script::new(Reply::ok("hi")));
    let home = Home::empty();
    let out = home.cache().join("out");
    let ended = home.run(&["load", &address, "-d", "300ms", "--out", out.to_str().expect("UTF-8")]);
    assert_ran(&ended);
    for name in ["report.json", "report.md", "load.hlog"] {
        assert!(out.join(name).exists(), "{name}");
    }
}

#[test]
fn a_number_of_requests_ends_the_load_and_without_keep_alive_each_uses_a_new_connection() {
    let (server, address) = server(Script::new(Reply::ok("hi")));
    let ended = Home::empty().run(&["load", &address, "-c", "3", "-n", "200", "--no-keepalive", "--json"]);
    assert_ran(&ended);
    let report: Value = serde_json::from_str(&ended.stdout).expect("report.json");
    let counts = &report["arms"][0]["levels"][0]["counts"];
    assert_eq!((&counts["ok"], &counts["connects"]), (&200.into(), &200.into()));
    assert_eq!((server.requests(), server.connections()), (200, 200));
}

/// Returns the only level of the printed report.
fn level(ended: &Ended) -> Value {
    let report: Value = serde_json::from_str(&ended.stdout).expect("report.json");
    report["arms"][0]["levels"][0].clone()
}

#[test]
fn ramp_up_and_warm_up_do_not_count() {
    let (server, address) = server(Script::new(Reply::ok("hi").after(Duration::from_millis(2))));
    let home = Home::empty();
    // A sixth of the requests count; on a busy machine it may be a few more, or less.
    let flags = ["--ramp-up", "400ms", "--warm-up", "1s", "-d", "250ms"];
    let ended = home.run(&[&["load", &address, "-c", "4", "--json"], &flags[..]].concat());
    assert_ran(&ended);
    let (counted, served) = (level(&ended)["counts"]["requests"].as_u64(), server.requests());
    assert!(counted.is_some_and(|counted| counted > 0 && counted < served / 2), "{counted:?} of {served}");
}

#[test]
fn stages_of_the_rate_are_followed() {
    let (server, address) = server(Script::new(Reply::ok("hi")));
    let home = Home::empty();
    let ended = home.run(&["load", &address, "--stages", "200ms:0-100,300ms:100", "--constant", "--json"]);
    assert_ran(&ended);
    assert_eq!(level(&ended)["load"]["rate"], 80.0);
    // 10 requests in the ramp and 30 after it.
    assert!((39..=41).contains(&server.requests()), "{}", server.requests());
}

#[test]
fn users_share_a_pool_loop_and_pipeline() {
    let (server, address) = server(Script::new(Reply::ok("hi")));
    let home = Home::empty();
    let shared = home.run(&["load", &address, "-c", "6", "--pool", "2", "--iterations", "5"]);
    assert_ran(&shared);
    assert_eq!((server.requests(), server.connections()), (30, 2));
    let piped = home.run(&["load", &address, "-c", "1", "--pipeline", "8", "-n", "20", "--json"]);
    assert_ran(&piped);
    assert_eq!(level(&piped)["counts"]["ok"], 20);
    let think = home.run(&["load", &address, "-c", "1", "--iterations", "2", "--think", "gaussian:10ms,1ms"]);
    assert_ran(&think);
    assert_eq!(server.requests(), 52);
}

#[test]
fn flags_that_contradict_each_other_are_refused() {
    let home = Home::empty();
    for flags in [
        ["--pipeline=2", "--rate=10"],
        ["--pool=2", "--no-keepalive"],
        ["--stages=1s:5", "--rate=10"],
        ["--warm-up=1s", "--requests=5"],
        ["--think=x", "--connections=1"],
    ] {
        let ended = home.run(&["load", "localhost:1", flags[0], flags[1]]);
        assert_eq!(ended.code, Some(2), "{flags:?}: {}", ended.stderr);
        assert!(ended.stderr.starts_with("error:"), "{}", ended.stderr);
    }
}

#[test]
fn a_mix_is_sent_in_turn_and_each_iteration_has_its_number() {
    let script = Script::in_turn(vec![Reply::status(201, ""), Reply::ok("[7]")]).record();
    let (server, address) = server(script);
    let home = Home::empty();
    let text = "[[request]]\nmethod = 'PUT'\npath = '/cart/${n}'\nbody = 'item ${n}'\nstatus = 201\n\
                [[request]]\npath = '/cart'\nexpect = '[7]'\n";
    let file = home.file("mix.toml", text);
    let ended = home.run(&["load", &address, "-c", "1", "-n", "4", "--mix", &file, "--json"]);
    assert_ran(&ended);
    assert_eq!(level(&ended)["counts"]["ok"], 4, "{}", ended.stdout);
    let lines: Vec<String> =
        server.log().iter().map(|request| request.lines().next().unwrap_or_default().to_owned()).collect();
    assert_eq!(
        lines,
        ["PUT /cart/0 HTTP/1.1", "GET /cart HTTP/1.1", "PUT /cart/1 HTTP/1.1", "GET /cart HTTP/1.1"]
    );
}

#[test]
fn a_unix_socket_replaces_the_host() {
    let home = Home::empty();
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("socket");
    let server = ScriptedServer::start_unix(&path, Script::new(Reply::ok("hi"))).expect("a server");
    let path = path.to_string_lossy();
    let ended = home.run(&["load", "localhost", "-c", "1", "-n", "5", "--unix-socket", &path]);
    assert_ran(&ended);
    assert_eq!(server.requests(), 5);
}
