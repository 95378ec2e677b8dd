//! Marked secrets in every place of an experiment where one can be: they are in no report, page, sink, message or file of results.

use crate::fixture::with_arms;
use crate::home::{Ended, Home};
use crate::served::team::SHORT;
use crate::shared::{MARK, SECRETS, files, newest_run, outputs};
use crate::web::Serving;
use store::Store;
use testkit::Database;

fn assert_hidden(place: &str, text: &str) {
    let found = text.find(MARK).map(|at| {
        let begin = text[..at].char_indices().rev().nth(80).map_or(0, |(at, _)| at);
        text[begin..].chars().take(160).collect::<String>()
    });
    assert_eq!(found, None, "a secret is in {place}");
}

/// Returns the stored run of a home in every form of the report, with the name of the form.
fn reports(home: &Home) -> Vec<(String, String)> {
    let mut reports = Vec::new();
    for format in ["text", "html", "md", "comment", "json", "junit", "jsonl", "csv", "jtl"] {
        for lang in ["en", "zh"] {
            let report = home.run(&["report", "--format", format, "--lang", lang]);
            assert_eq!(report.code, Some(0), "{format}: {}", report.stderr);
            reports.push((format!("{format} in {lang}"), report.stdout + &report.stderr));
        }
    }
    reports
}

#[test]
fn secrets_are_in_no_report_page_sink_or_message() {
    let outputs = outputs();
    let home = outputs.stored.home();
    assert_hidden("what is shown", &outputs.stored.ended.stdout);
    assert_hidden("what is told", &outputs.stored.ended.stderr);
    for (form, report) in reports(&home) {
        assert_hidden(&form, &report);
    }
    for name in ["report.html", "report.json", "report.md", "comment.md", "junit.xml"] {
        assert!(!outputs.stored.result(name).is_empty());
    }
    for (name, bytes) in &outputs.stored.results {
        assert_hidden(name, &String::from_utf8_lossy(bytes));
    }
    assert_hidden("the file of JMeter's results", &outputs.jtl);
    assert_hidden("a packet of StatsD", &outputs.gauges);
    for sink in [&outputs.traces, &outputs.no_traces, &outputs.influx, &outputs.keeping] {
        assert!(!sink.log.is_empty());
        for asked in &sink.log {
            assert_hidden("a sink", &asked.body);
        }
    }
    assert_hidden("the history", &home.run(&["history", "short", "--json"]).stdout);
    assert_pages_hide_secrets(&home, &outputs.stored.run);
}

fn assert_pages_hide_secrets(home: &Home, id: &str) {
    let pages = Serving::start(home.prony(&["serve"]));
    for path in [
        "/api/runs".to_owned(),
        "/api/history/short".to_owned(),
        format!("/run/{id}"),
        format!("/run/{id}/report.json"),
        format!("/run/{id}/report.md"),
        format!("/api/pair/{id}/{id}"),
    ] {
        let page = pages.get(&path);
        assert_eq!(page.status, 200, "{path}");
        assert_hidden(&path, &page.body);
    }
}

/// The secrets of an arm stand in the experiment, which is stored here. Those of a sink, of the team's store and of the environment are
/// stored nowhere, and the team gets none at all.
#[test]
fn a_store_has_no_secrets_from_outside_of_an_experiment_and_that_of_the_team_has_none() {
    let outputs = outputs();
    let (here, there) = (outputs.stored.home(), outputs.home_of_the_team());
    for (form, report) in reports(&there) {
        assert_hidden(&form, &report);
    }
    for (name, bytes) in files(&there.data()) {
        assert_hidden(&name, &String::from_utf8_lossy(&bytes));
    }
    let of_files = files(&here.data()).into_iter().map(|(_, bytes)| bytes);
    let mut texts: Vec<String> = of_files.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).collect();
    for home in [&here, &there] {
        texts.push(home.run(&["report", "--format", "toml"]).stdout);
        texts.push(home.run(&["dump"]).stdout);
    }
    for secret in SECRETS {
        assert!(!texts.iter().any(|text| text.contains(secret)), "{secret} is stored");
    }
}

/// Its first secret is a value of the environment, which is stored nowhere. The others stand in the file, and stay on this machine.
const SESSIONS: &str = r#"
explain = "off"
[[arms]]
name = "shop"
server = "command"
command = ["./fixture", "{host}", "{port}", "--token-in", "token", "--", "--db-password", "marked-secret-word"]
environment = { API_KEY = "marked-secret-environment" }
[vars]
password = "marked-secret-variable"
[[scenario]]
name = "shop"
[[scenario.step]]
get = "/items"
bearer = "${env('PRONY_TEST_TOKEN')}"
headers = { X-Api-Key = "marked-secret-header", X-Other = "${password}" }
check = { status = 200 }
"#;
/// The name and the value of the variable of the environment.
const FROM_OUTSIDE: [&str; 2] = ["PRONY_TEST_TOKEN", "marked-secret-from-outside"];

#[test]
fn secrets_of_the_environment_are_not_stored_and_those_of_a_file_not_pushed() {
    let [name, value] = FROM_OUTSIDE;
    let server = Database::create().expect("a database");
    let url = server.url("owner");
    let home = Home::with_fixture();
    home.file("token", value);
    let file = home.file("sessions.toml", &with_arms(&format!("{SESSIONS}{SHORT}")));
    let run = |arguments: &[&str]| {
        Ended::from(home.prony(arguments).env(name, value).output().expect("prony runs"))
    };
    let ran = run(&["run", &file, "--seed", "7", "--budget", "1s"]);
    assert!(matches!(ran.code, Some(0 | 7)), "{}", ran.stderr);
    let id = newest_run(&home);
    let id = id.as_str();
    let slices = Store::open(&home.data()).and_then(|store| store.slices(id));
    let slices = slices.expect("the history");
    assert!(
        slices.iter().all(|slice| slice.counts.faults.is_empty())
            && slices.iter().any(|slice| slice.counts.ok > 0),
        "the value was sent"
    );
    for stored in std::fs::read_dir(home.data()).expect("a folder").flatten() {
        let bytes = std::fs::read(stored.path()).unwrap_or_default();
        let has = bytes.windows(value.len()).any(|some| some == value.as_bytes());
        assert!(!has, "a secret is in {}", stored.path().display());
    }
    assert_hidden("the dump", &home.run(&["dump"]).stdout);

    assert_eq!(home.run(&["push", "--store", &url]).code, Some(0));
    assert_hidden("the team's dump", &home.run(&["dump", "--store", &url]).stdout);
    assert!(home.run(&["pull", id, "--store", &url]).stderr.contains("already"), "it has been there");
    let other = Home::empty();
    assert_eq!(other.run(&["pull", id, "--store", &url]).code, Some(0));
    let again = other.run(&["report", id, "--recompute", "--json"]).stdout;
    assert_eq!(again, home.run(&["report", id, "--recompute", "--json"]).stdout);
    let refused = other.run(&["run", "--resume", id]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("keeps no secrets"), "{}", refused.stderr);

    let unset = home.run(&["run", "--resume", id]);
    assert_eq!(unset.code, Some(2));
    assert!(unset.stderr.contains(name), "{}", unset.stderr);
    let resumed = run(&["run", "--resume", id, "--budget", "1s"]);
    assert!(matches!(resumed.code, Some(0 | 7)), "{}", resumed.stderr);
}

#[test]
fn an_address_with_a_secret_is_refused_and_not_quoted() {
    let home = Home::empty();
    let with_user = format!("http://nina:{MARK}@127.0.0.1:1/");
    let store = format!("postgres://nina:{MARK}@127.0.0.1:1/perf");
    let refused: [&[&str]; 4] = [
        &["load", &with_user, "-d", "1s"],
        &["history", "--store", &store],
        &["push", "--store", &store],
        &["serve", "--store", &store],
    ];
    for arguments in refused {
        let ended = home.run(arguments);
        assert_eq!(ended.code, Some(2), "{arguments:?}: {}", ended.stderr);
        assert_hidden("the refusal", &ended.stderr);
        assert_hidden("the output", &ended.stdout);
    }
}
