//! Marked secrets in every place of an experiment where one can be: they are in no report, page, sink, message or file of results.

use crate::home::{Ended, Home};

use crate::served::team::{SERVICE, SHORT};
use crate::web::Serving;
use testkit::{Answered, AnsweringServer, Database};

/// Every secret of this test begins so.
const MARK: &str = "marked-secret";

const EXPERIMENT: &str = r#"
[[arms]]
name = "shop"
server = "command"
command = ["python3", "shop.py", "{port}", "--db-password", "marked-secret-word", "--token=marked-secret-option",
           "--db=postgres://nina:marked-secret-user@db.example/shop", "-Dshop.password=marked-secret-property"]
environment = { DB_PASSWORD = "marked-secret-environment" }
"#;

fn assert_hidden(place: &str, text: &str) {
    let found = text.find(MARK).map(|at| {
        let begin = text[..at].char_indices().rev().nth(80).map_or(0, |(at, _)| at);
        text[begin..].chars().take(160).collect::<String>()
    });
    assert_eq!(found, None, "a secret is in {place}");
}

#[test]
fn secrets_of_an_arm_are_in_no_report_page_sink_or_message() {
    let sink = AnsweringServer::start(|_| Answered::ok("{}")).expect("a server");
    let home = Home::with_downloads();
    home.file("shop.py", SERVICE);
    let file = home.file("secret.toml", &format!("{EXPERIMENT}{SHORT}"));
    let out = home.cache().join("out");
    let out_text = out.display().to_string();
    let to = format!("otlp=http://{}/v1/metrics", sink.address());
    let run = home.run(&["run", &file, "--seed", "7", "--out", &out_text, "--sink", &to]);
    assert!(matches!(run.code, Some(0 | 7)), "{}", run.stderr);
    assert_hidden("what is shown", &run.stdout);
    assert_hidden("what is told", &run.stderr);
    for format in ["text", "html", "md", "comment", "json", "junit", "jsonl", "csv"] {
        for lang in ["en", "zh"] {
            let report = home.run(&["report", "--format", format, "--lang", lang]);
            assert_hidden(format, &report.stdout);
            assert_hidden(format, &report.stderr);
        }
    }
    for file in std::fs::read_dir(&out).expect("results").flatten() {
        let bytes = std::fs::read(file.path()).unwrap_or_default();
        assert_hidden(
            &file.path().display().to_string(),
            &String::from_utf8_lossy(&bytes),
        );
    }
    let sent = sink.log();
    assert!(sent.len() > 1);
    for asked in &sent {
        assert_hidden("a sink", &asked.body);
    }
    assert_hidden("the history", &home.run(&["history", "secret", "--json"]).stdout);
    let pages = Serving::start(home.prony(&["serve"]));
    let id = serde_json::from_str::<serde_json::Value>(&pages.get("/api/runs").body).expect("JSON");
    let id = id["runs"][0]["run"].as_str().expect("a run").to_owned();
    for path in [
        "/api/runs".to_owned(),
        "/api/history/secret".to_owned(),
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

/// Its first secret is a value of the environment, which is stored nowhere. The others stand in the file, and stay on this machine.
const SESSIONS: &str = r#"
[[arms]]
name = "shop"
server = "command"
command = ["python3", "guarded.py", "{port}", "--db-password", "marked-secret-word"]
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
    let home = Home::with_downloads();
    let guard = format!(
        "self.send_response(200 if self.headers.get('Authorization', 'Bearer {value}') == 'Bearer {value}' else 401)"
    );
    home.file("guarded.py", &SERVICE.replace("self.send_response(200)", &guard));
    let file = home.file("sessions.toml", &format!("{SESSIONS}{SHORT}"));
    let run = |arguments: &[&str]| {
        Ended::from(
            home.prony(arguments)
                .env(name, value)
                .output()
                .expect("prony runs"),
        )
    };
    let ran = run(&["run", &file, "--seed", "7", "--json"]);
    assert!(matches!(ran.code, Some(0 | 7)), "{}", ran.stderr);
    let report = ran.report();
    let counts = &report["arms"][0]["levels"][0]["counts"];
    assert_eq!(counts["ok"], counts["requests"], "the value was sent: {report}");
    let id = report["run"].as_str().expect("a run");
    for stored in std::fs::read_dir(home.data()).expect("a folder").flatten() {
        let bytes = std::fs::read(stored.path()).unwrap_or_default();
        let has = bytes.windows(value.len()).any(|some| some == value.as_bytes());
        assert!(!has, "a secret is in {}", stored.path().display());
    }
    assert_hidden("the dump", &home.run(&["dump"]).stdout);

    assert_eq!(home.run(&["push", "--store", &url]).code, Some(0));
    assert_hidden("the team's dump", &home.run(&["dump", "--store", &url]).stdout);
    assert!(
        home.run(&["pull", id, "--store", &url])
            .stderr
            .contains("already"),
        "it has been there"
    );
    let other = Home::with_downloads();
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
