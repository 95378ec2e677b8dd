//! The history of an experiment: its page, and changes that are accepted or dismissed there and on the command line.

use crate::browser::drive;
use crate::home::{Ended, Home};
use crate::plain::stored::{Kept, Night, record, stored_night};
use crate::web::Serving;
use serde_json::{Value, json};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use testkit::{Database, Reply, Script, ScriptedServer};

/// The night on which the second arm becomes slower.
const CHANGED: u32 = 12;
const NIGHTS: u32 = 16;

fn run_of(night: u32) -> String {
    format!("2026-10-{:02}T02:00:00Z-00{:02x}", night + 1, night)
}

/// Creates a home with a history of sixteen nights in which the second arm becomes slower by 8 % with a new build.
fn home() -> Home {
    static KEPT: OnceLock<Kept> = OnceLock::new();
    KEPT.get_or_init(|| Kept::of(&made_up())).home()
}

fn made_up() -> Home {
    let home = Home::empty();
    for night in 0..NIGHTS {
        let is_new = night >= CHANGED;
        let build = if is_new { "commit 09ab1d2" } else { "commit 6ff1c3e" };
        let facts =
            [("kernel", "6.1"), ("arm/tomcat:10.1.29/build", build), ("arm/tomcat:9.0.95/build", "v1")];
        let mut ended = record(&facts);
        ended.run = run_of(night);
        ended.interrupted = false;
        let slower = if is_new { 80 } else { 0 };
        let (store, report) = stored_night(&home, &ended, Night { noise: night * 5 % 7, slower });
        store.finish(&ended, &report).expect("finish");
    }
    home
}

fn history(home: &Home, arguments: &[&str]) -> Ended {
    home.run(&[&["history", "made-up", "--gate"], arguments].concat())
}

fn json_of(ended: &Ended) -> Value {
    serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {}", ended.stderr))
}

#[test]
fn a_change_is_accepted_dismissed_and_open_again_by_command() {
    let home = home();
    let changed = run_of(CHANGED);
    let open = history(&home, &["--json"]);
    assert_eq!(open.code, Some(5), "{}{}", open.stdout, open.stderr);
    let shown = json_of(&open);
    assert_eq!(shown["gate"]["worse"][0]["change"]["run"], json!(changed));
    let facts = json!([{ "run": changed, "before": run_of(CHANGED - 1), "differs": [
        { "name": "arm/tomcat:10.1.29/build", "sides": ["commit 6ff1c3e", "commit 09ab1d2"] }] }]);
    assert_eq!(shown["facts"], facts);
    let point = &shown["drift"][0]["points"][0];
    assert!(point["low"].as_f64() < point["ratio"].as_f64(), "{point}");
    let elsewhere = history(&home, &["--accept", &run_of(3)]);
    assert_eq!(elsewhere.code, Some(2));
    assert!(elsewhere.stderr.contains(&format!("its changes begin with {changed}")), "{}", elsewhere.stderr);
    let accepted = history(&home, &["--accept", &changed, "--comment", "the parser checks more"]);
    assert_eq!(accepted.code, Some(0), "{}{}", accepted.stdout, accepted.stderr);
    let words = "accepted as the new level";
    assert!(
        accepted.stdout.contains(words) && accepted.stdout.contains("the parser checks more"),
        "{}",
        accepted.stdout
    );
    assert!(history(&home, &["--lang", "zh"]).stdout.contains("已接受为新的水平"));
    let again = history(&home, &["--undecide", &changed, "--json"]);
    assert_eq!((again.code, &json_of(&again)["decisions"]), (Some(5), &Value::Null));
    assert_eq!(history(&home, &["--undecide", &changed]).code, Some(2));
    let dismissed = history(&home, &["--dismiss", &changed, "--json"]);
    assert_eq!(dismissed.code, Some(0));
    assert_eq!(json_of(&dismissed)["decisions"][0]["kind"], "dismissed");
    let dumped = home.run(&["dump"]).stdout;
    assert_eq!(dumped.matches("\"kind\":\"dismissed\"").count(), 1);
    let both = history(&home, &["--accept", &changed, "--dismiss", &changed]);
    assert_eq!(both.code, Some(2));
}

#[test]
fn the_page_shows_the_series_and_stores_what_is_decided_there() {
    let home = home();
    let changed = run_of(CHANGED);
    let pages = Serving::start(home.prony(&["serve"]));
    let origin = format!("http://{}", pages.address);
    let accept =
        json!({ "experiment": "made-up", "run": changed, "kind": "accepted", "comment": "new parser" })
            .to_string();
    for foreign in [&[][..], &[("Origin", "http://evil.example")], &[("Origin", "null")]] {
        assert_eq!(pages.post("/api/decide", foreign, &accept), 403, "{foreign:?}");
    }
    assert_eq!(history(&home, &[]).code, Some(5), "nothing was decided");
    let own = [("Origin", origin.as_str())];
    let refused = [
        accept.replace(&changed, &run_of(2)),
        accept.replace("accepted", "liked"),
        accept.replace("new parser", &"x".repeat(1001)),
        accept.replace("made-up", "another"),
    ];
    for refused in &refused {
        assert_eq!(pages.post("/api/decide", &own, refused), 422, "{refused}");
    }
    assert_eq!(pages.post("/api/decide", &own, &accept.replace("new parser", &"x".repeat(20_000))), 413);
    assert_eq!(pages.post("/api/decide", &own, &accept), 204);
    assert_eq!(history(&home, &[]).code, Some(0));
    let read: Value = serde_json::from_str(&pages.get("/api/history/made-up").body).expect("JSON");
    assert_eq!((&read["may_decide"], &read["decisions"][0]["comment"]), (&json!(true), &json!("new parser")));
    assert_eq!(pages.post("/api/decide", &own, &accept.replace("\"accepted\"", "null")), 204);
    drive("history.py", &[&pages.url]);
    assert_eq!(history(&home, &[]).code, Some(0), "it was dismissed in the browser");
}

#[test]
fn a_team_decides_in_its_store_and_its_viewers_only_look() {
    let server = Database::create().expect("a database");
    let (home, elsewhere) = (home(), Home::empty());
    let (owner, changed) = (server.url("owner"), run_of(CHANGED));
    assert_eq!(home.run(&["push", "--store", &owner]).code, Some(0));
    let mut client = postgres::Client::connect(&owner, postgres::NoTls).expect("connected");
    let grants = "CREATE ROLE viewer LOGIN; GRANT USAGE ON SCHEMA prony TO viewer; GRANT SELECT ON ALL TABLES IN SCHEMA prony TO viewer";
    client.batch_execute(grants).expect("a viewer");
    let viewer = server.url("viewer");
    let refused = history(&elsewhere, &["--store", &viewer, "--accept", &changed]);
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("this role may only read"), "{}", refused.stderr);
    let pages = Serving::start(elsewhere.prony(&["serve", "--store", &viewer]));
    let read: Value = serde_json::from_str(&pages.get("/api/history/made-up").body).expect("JSON");
    assert_eq!(read["may_decide"], json!(false));
    let origin = format!("http://{}", pages.address);
    let accept = json!({ "experiment": "made-up", "run": changed, "kind": "accepted" }).to_string();
    assert_eq!(pages.post("/api/decide", &[("Origin", &origin)], &accept), 403);
    assert_eq!(history(&elsewhere, &["--store", &viewer]).code, Some(5));
    let decided = history(&elsewhere, &["--store", &owner, "--accept", &changed]);
    assert_eq!(decided.code, Some(0), "{}", decided.stderr);
    assert_eq!(history(&elsewhere, &["--store", &viewer]).code, Some(0));
    assert_eq!(history(&home, &[]).code, Some(5), "the store of this machine has its own decisions");
}

/// Runs a tool and returns what it prints.
fn printed(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .unwrap_or_else(|error| panic!("{program}: {error}"));
    assert!(output.status.success(), "{program}: {output:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// The first figure of a foreign series, with its values.
fn first_figure<'a>(history: &'a Value, series: &str) -> (&'a Value, Vec<f64>) {
    let all = history["foreign"].as_array().expect("foreign series");
    let found = all.iter().find(|one| one["series"] == series);
    let figure = &found.unwrap_or_else(|| panic!("{series} in {history}"))["figures"][0];
    let points = figure["points"].as_array().expect("points");
    (&figure["measure"], points.iter().filter_map(|point| point["value"].as_f64()).collect())
}

/// Runs real tools against a server and adds what they print, and a file of hyperfine, which gives the series its name; returns the path of that
/// file.
fn add_real_results(home: &Home) -> String {
    let server = ScriptedServer::start(Script::new(Reply::ok("hi"))).expect("a server");
    let url = format!("http://{}/", server.address());
    let wrk = printed("wrk", &["-c2", "-t1", "-d1", "--latency", &url]);
    let shown = add(home, "wrk nightly", &wrk);
    for words in ["take part in no verdict", "wrk nightly (wrk):", "p99"] {
        assert!(shown.contains(words), "`{words}` is missing in {shown}");
    }
    // ab speaks HTTP/1.0, and reads until the connection ends.
    let server = ScriptedServer::start(Script::new(Reply::until_close("hi"))).expect("a server");
    let url = format!("http://{}/", server.address());
    add(home, "ab", &printed("ab", &["-q", "-n", "50", "-c", "2", &url]));
    let timed = home.data().join("timed.json").display().to_string();
    printed("hyperfine", &["-N", "-r", "3", "--export-json", &timed, "sleep 0.01"]);
    assert_eq!(history(home, &["--add", &timed]).code, Some(5));
    timed
}

/// Adds results to a series.
fn add(home: &Home, series: &str, text: &str) -> String {
    let file = home.file("results.txt", text);
    let added = history(home, &["--add", &file, "--as", series]);
    assert_eq!(added.code, Some(5), "{}", added.stderr);
    added.stdout
}

#[test]
fn results_of_real_tools_stand_beside_the_history_and_change_no_verdict() {
    let home = home();
    let before = json_of(&history(&home, &["--json"]));
    let timed = add_real_results(&home);
    let jtl = |begin: &str| {
        format!(
            "timeStamp,elapsed,label,success\n{begin}000000,500,a,true\n{begin}000000,1000,\"a, b\",false\n"
        )
    };
    add(&home, "JMeter", &jtl("1795687"));
    add(&home, "JMeter", &jtl("1795787"));
    let after = json_of(&history(&home, &["--json"]));
    for part in ["gate", "drift", "facts", "runs"] {
        assert_eq!(before[part], after[part], "{part}");
    }
    assert_eq!(first_figure(&after, "JMeter"), (&json!("throughput"), vec![2.0, 2.0]));
    let (measure, values) = first_figure(&after, "timed");
    assert_eq!(measure, &json!({ "named": "sleep 0.01" }));
    assert!(values[0] > 0.01, "{values:?}");
    for tool in ["wrk nightly", "ab"] {
        let (measure, values) = first_figure(&after, tool);
        assert!(measure == "throughput" && values[0] > 1.0, "{tool}: {values:?}");
    }
    let dumped = home.run(&["dump"]).stdout;
    let line = "{\"dump_version\":1,\"experiment\":\"made-up\",\"foreign\":";
    assert_eq!(dumped.matches(line).count(), 5);
    let pages = Serving::start(home.prony(&["serve"]));
    drive("foreign.py", &[&pages.url]);
    assert_eq!(history(&home, &["--forget", "JMeter"]).code, Some(5));
    assert_eq!(history(&home, &["--forget", "JMeter"]).code, Some(2));
    let alone = home.run(&["history", "another", "--add", &timed]);
    assert!(alone.code == Some(0) && alone.stdout.contains("sleep 0.01"), "{}", alone.stderr);
    let stranger = history(&home, &["--add", &home.file("notes.txt", "hello\n")]);
    assert_eq!(stranger.code, Some(2));
    let words = "notes.txt holds no results of a tool that is known";
    assert!(stranger.stderr.contains(words), "{}", stranger.stderr);
}
