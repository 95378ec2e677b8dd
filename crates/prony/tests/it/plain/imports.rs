//! What is imported is sent as the tool itself sends it. What the tools have sent is stored beside the sources (`bench/imports`), so that
//! method, path, the headers that were written, and the body are compared byte by byte.

use crate::home::Home;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use testkit::{Answered, AnsweringServer, Asked};

/// The sources.
const SOURCES: [&str; 9] = [
    "calls.sh",
    "calls.md",
    "targets.txt",
    "targets.json",
    "shop.postman_collection.json",
    "client.http",
    "windows.cmd",
    "windows.ps1",
    "parts.har",
];
/// The address of the server in the sources.
const WRITTEN: &str = "127.0.0.1:8080";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../import/tests/data/sent")
}

fn answer(_: &Asked) -> Answered {
    Answered::ok("{\"token\": \"t-123456789\"}")
        .header("Content-Type", "application/json")
        .header("Set-Cookie", "sid=abc123; Path=/")
}

/// What of a request is compared.
#[derive(Debug, PartialEq, Eq)]
struct Compared {
    line: String,
    /// Without what prony or the tool adds by itself, sorted by name.
    headers: Vec<String>,
    body: String,
}

impl Compared {
    fn new(method: &str, path: &str, headers: Vec<(String, String)>, body: &str, host: &str) -> Self {
        let kind = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-type"));
        let boundary =
            kind.and_then(|(_, kind)| kind.split_once("boundary=").map(|(_, boundary)| boundary.to_owned()));
        let plain = |text: &str| match &boundary {
            Some(boundary) => text.replace(boundary.as_str(), "BOUNDARY"),
            None => text.to_owned(),
        };
        let is_added = |name: &str, value: &str| match name.to_ascii_lowercase().as_str() {
            "host" => value == host,
            "user-agent" => value.starts_with("prony/"),
            "accept" => value == "*/*",
            "content-length" => true,
            // The session of the source.
            "cookie" => value == "sid=abc123",
            _ => false,
        };
        let kept = headers.iter().filter(|(name, value)| !is_added(name, value));
        let mut headers: Vec<String> =
            kept.map(|(name, value)| format!("{name}: {}", plain(value.trim()))).collect();
        headers.sort();
        // A source may send the address of its server.
        Self { line: format!("{method} {path}"), headers, body: plain(body).replace(host, WRITTEN) }
    }

    fn of_tool(request: &Value) -> Self {
        let text = |key: &str| request[key].as_str().expect("a text");
        let pairs = request["headers"].as_array().expect("headers").iter();
        let pair = |pair: &Value| {
            (pair[0].as_str().expect("a name").to_owned(), pair[1].as_str().expect("a value").to_owned())
        };
        Self::new(text("method"), text("path"), pairs.map(pair).collect(), text("body"), WRITTEN)
    }

    fn of_prony(asked: &Asked, host: &str) -> Self {
        Self::new(&asked.method, &asked.path, asked.headers.clone(), &asked.body, host)
    }
}

/// Imports a source and plays it once. Returns what was sent.
fn played(home: &Home, source: &str, text: &str, options: &[&str]) -> Vec<Compared> {
    let server = AnsweringServer::start(answer).expect("a server");
    let host = server.address().to_string();
    let source = home.file(source, &text.replace(WRITTEN, &host));
    for file in ["lines.txt", "item.json"] {
        home.file(file, &fs::read_to_string(folder().join(file)).expect("a file"));
    }
    let written = home.path().join("written.toml").display().to_string();
    let _ = fs::remove_file(&written);
    let imported = home.run(&[&["import", &source, "--keep-secrets", "-o", &written], options].concat());
    assert_eq!(imported.code, Some(0), "{source}: {}", imported.stderr);
    let url = format!("http://{host}");
    let arguments = ["--quiet", "load", "--scenario", &written, "-c", "1", "--iterations", "1", &url];
    let ended = home.run(&arguments);
    let sent = server.log();
    assert!(
        !sent.is_empty(),
        "{source}: {}\n{}",
        ended.stderr,
        fs::read_to_string(&written).unwrap_or_default()
    );
    sent.iter().map(|asked| Compared::of_prony(asked, &host)).collect()
}

#[test]
fn prony_sends_what_the_tool_itself_sends() {
    let home = Home::empty();
    for source in SOURCES {
        let text = fs::read_to_string(folder().join(source)).expect("a source");
        let stored = fs::read_to_string(folder().join(format!("{source}.sent.json"))).expect("what was sent");
        let stored: Value = serde_json::from_str(&stored).expect("JSON");
        let expected: Vec<Compared> =
            stored["sent"].as_array().expect("requests").iter().map(Compared::of_tool).collect();
        let sent = played(&home, source, &text, &[]);
        for (number, (sent, expected)) in sent.iter().zip(&expected).enumerate() {
            assert_eq!(sent, expected, "{source}, request {}", number + 1);
        }
        assert_eq!(sent.len(), expected.len(), "{source}");
    }
}

#[test]
fn secrets_from_the_environment_are_sent_as_they_were() {
    let home = Home::empty();
    let text = "curl -H 'X-Api-Key: k 1' -d 'user=a&password=s%20x+y' http://127.0.0.1:8080/\n";
    let open = played(&home, "calls.sh", text, &[]);
    let server = AnsweringServer::start(answer).expect("a server");
    let host = server.address().to_string();
    let source = home.file("calls.sh", &text.replace(WRITTEN, &host));
    let written = home.path().join("hidden.toml").display().to_string();
    let imported = home.run(&["import", &source, "-o", &written]);
    assert!(
        imported.stderr.contains("API_KEY") && imported.stderr.contains("PASSWORD"),
        "{}",
        imported.stderr
    );
    let url = format!("http://{host}");
    let mut load =
        home.prony(&["--quiet", "load", "--scenario", &written, "-c", "1", "--iterations", "1", &url]);
    load.env("X_API_KEY", "k 1").env("PASSWORD", "s%20x+y");
    load.output().expect("prony runs");
    let sent: Vec<Compared> = server.log().iter().map(|asked| Compared::of_prony(asked, &host)).collect();
    assert_eq!(sent, open);
}

#[test]
fn requests_to_other_servers_go_there() {
    let home = Home::empty();
    let other = AnsweringServer::start(answer).expect("a server");
    let text = format!(
        "curl http://{WRITTEN}/a\ncurl http://{}/b -H 'A: 1'\ncurl http://{WRITTEN}/c\n",
        other.address()
    );
    let sent = played(&home, "calls.sh", &text, &[]);
    let lines: Vec<&str> = sent.iter().map(|sent| sent.line.as_str()).collect();
    assert_eq!(lines, ["GET /a", "GET /c"]);
    assert_eq!(
        other.log().iter().map(|asked| (asked.line(), asked.header("A").to_owned())).collect::<Vec<_>>(),
        [("GET /b".to_owned(), "1".to_owned())]
    );
}

#[test]
fn a_request_that_cannot_be_sent_as_it_was_is_left_out_whole_and_named() {
    let home = Home::empty();
    let text = "curl http://127.0.0.1:8080/a\ncurl -H @more.txt -d x http://127.0.0.1:8080/b\ncurl -X PURGE http://127.0.0.1:8080/c\n";
    let sent = played(&home, "calls.sh", text, &["--skip-unsupported"]);
    assert_eq!(sent.iter().map(|sent| sent.line.as_str()).collect::<Vec<_>>(), ["GET /a"]);
    let written = fs::read_to_string(home.path().join("written.toml")).expect("the scenario");
    assert!(written.contains("# Left out: line 2:") && written.contains("PURGE http://"), "{written}");
    let refused = home.run(&["import", &home.file("calls.sh", text)]);
    assert_eq!((refused.code, refused.stderr.matches("error: ").count()), (Some(2), 2), "{}", refused.stderr);
}

#[test]
fn a_log_becomes_a_mix_that_is_played() {
    let home = Home::empty();
    let line =
        |path: &str| format!("10.0.0.1 - - [10/Oct/2000:13:55:36 -0700] \"GET {path} HTTP/1.1\" 200 1\n");
    let log = home.file("access.log", &format!("{}{}{}", line("/a?x=%20"), line("/b"), line("/a?x=%20")));
    let written = home.path().join("mix.toml").display().to_string();
    let imported = home.run(&["import", &log, "-o", &written]);
    assert_eq!(imported.code, Some(0), "{}", imported.stderr);
    let server = AnsweringServer::start(answer).expect("a server");
    let url = format!("http://{}", server.address());
    let ended = home.run(&["--quiet", "load", "--mix", &written, "-c", "1", "--requests", "60", &url]);
    let log = server.log();
    let count = |line: &str| log.iter().filter(|asked| asked.line() == line).count();
    assert_eq!(count("GET /a?x=%20") + count("GET /b"), log.len(), "{}", ended.stderr);
    assert!(count("GET /a?x=%20") > count("GET /b"), "{}", ended.stderr);
    let replayed = home.run(&["import", &home.file("replay.log", &line("/b")), "--replay"]);
    assert!(
        replayed.stdout.contains("iterations = 1") && replayed.stdout.contains("get = \"/b\""),
        "{}",
        replayed.stdout
    );
}

#[test]
fn one_mistake_is_one_error() {
    let home = Home::empty();
    let errors = |name: &str, text: &str| {
        let ended = home.run(&["import", &home.file(name, text)]);
        assert_eq!(ended.code, Some(2), "{text}");
        assert!(!ended.stderr.contains("line 0"), "{}", ended.stderr);
        (ended.stderr.matches("error: ").count(), ended.stderr)
    };
    for (name, text) in [
        (
            "package.json",
            "{\"name\": \"x\", \"version\": \"1\", \"repository\": {\"url\": \"http://h\"}, \"dependencies\": {}}",
        ),
        ("insomnia.json", "{\"_type\": \"export\", \"resources\": [{\"url\": \"http://h\"}]}"),
        ("load.js", "import http from 'k6/http';\nexport default () => http.get('http://h');\n"),
        ("wrk.lua", "wrk.method = \"POST\"\n"),
        ("broken.har", "{\"log\": {\"entries\": [\n{]}}"),
        ("hosts.http", &"### a\nGET {{host}}/a\n\n".repeat(50)),
    ] {
        let (count, stderr) = errors(name, text);
        assert_eq!(count, 1, "{name}: {stderr}");
    }
    let (count, stderr) = errors("calls.sh", &"curl --digest -u a:b http://h/\nwget http://h/\n".repeat(300));
    assert!(count <= 10 && stderr.contains("299 more like this"), "{stderr}");
}
