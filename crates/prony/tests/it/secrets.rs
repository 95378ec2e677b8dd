//! Marked secrets in every place of an experiment where one can be: they are in no report, page, sink, message or file of results.

use crate::home::Home;
use crate::real::alone;
use crate::team::SERVICE;
use crate::web::Serving;
use testkit::{Answered, AnsweringServer};

/// Every secret of this test begins so.
const MARK: &str = "marked-secret";

const EXPERIMENT: &str = r#"
[[arms]]
name = "shop"
server = "command"
command = ["python3", "shop.py", "{port}", "--db-password", "marked-secret-word", "--token=marked-secret-option",
           "--db=postgres://nina:marked-secret-user@db.example/shop", "-Dshop.password=marked-secret-property"]
environment = { DB_PASSWORD = "marked-secret-environment" }
[load]
connections = [2]
[design]
starts = 3
budget = "30s"
warmup = "500ms"
warmup_cap = "500ms"
slice = "200ms"
latency_pairs = 0
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
    let _alone = alone();
    let sink = AnsweringServer::start(|_| Answered::ok("{}")).expect("a server");
    let home = Home::with_downloads();
    home.file("shop.py", SERVICE);
    let file = home.file("secret.toml", EXPERIMENT);
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
