//! The store of a team in the configuration: runs are pushed to a real PostgreSQL when they end, or later.

use crate::home::{Ended, Home};
use crate::real::alone;
use testkit::Postgres;

/// A password that must appear nowhere.
const SECRET: &str = "marked-secret";

/// A small service, and an experiment that looks at it alone.
const SERVICE: &str = r#"
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

class Shop(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *words):
        pass

ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Shop).serve_forever()
"#;
const SHORT: &str = r#"
arms = [{ name = "shop", server = "command", command = ["python3", "shop.py", "{port}"] }]
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

/// Writes the experiment into a home; returns its path.
pub(crate) fn short_experiment(home: &Home) -> String {
    home.file("shop.py", SERVICE);
    home.file("short.toml", SHORT)
}

fn run(home: &Home, store: &str) -> Ended {
    let file = short_experiment(home);
    let mut command = home.prony(&["run", &file, "--seed", "7"]);
    let ended = command.env("PRONY_STORE", store).output().expect("prony runs");
    let ended = Ended::from(ended);
    assert!(
        matches!(ended.code, Some(0 | 7)),
        "{:?} {}",
        ended.code,
        ended.stderr
    );
    ended
}

#[test]
fn a_run_is_pushed_when_it_ends_and_later_when_the_store_was_down() {
    let _alone = alone();
    let server = Postgres::start().expect("a server");
    let home = Home::with_downloads();
    let down = run(&home, "postgres://nina@127.0.0.1:1/perf").stderr;
    let told = down
        .lines()
        .filter(|line| line.starts_with("not pushed: "))
        .count();
    assert_eq!(told, 1, "{down}");
    assert!(down.contains("the next `prony push` sends it"), "{down}");
    let url = server.url("owner");
    let pushed = run(&home, &url).stderr;
    assert!(pushed.contains(&format!("pushed to {url}")), "{pushed}");
    home.file("config.toml", &format!("store = \"{url}\"\n"));
    let later = home.run(&["push"]).stderr;
    assert_eq!(
        later.lines().count(),
        1,
        "the first run alone was missing: {later}"
    );
    let listed = home.run(&["history", "--store", &url, "--json"]).stdout;
    let listed: serde_json::Value = serde_json::from_str(&listed).expect("JSON");
    assert_eq!(listed["runs"].as_array().map(Vec::len), Some(2), "{listed}");
    assert!(home.run(&["push"]).stderr.contains("nothing to push"));
}

#[test]
fn a_configuration_with_a_mistake_is_refused_before_anything_runs() {
    let home = Home::empty();
    let refused = |text: &str, words: &str| {
        home.file("config.toml", text);
        let ended = home.run(&["push"]);
        assert_eq!(ended.code, Some(2), "{}", ended.stderr);
        assert!(
            ended.stderr.contains(words) && ended.stderr.contains("hint: "),
            "{}",
            ended.stderr
        );
        assert!(!ended.stderr.contains(SECRET), "{}", ended.stderr);
    };
    refused("", "no store of a team is known");
    refused("\nshop = 3\n", "config.toml line 2: unknown field `shop`");
    refused(&format!("store = {SECRET}\n"), "config.toml line 1: ");
    refused(
        &format!("store = \"postgres://nina:{SECRET}@db/perf\"\n"),
        "has a password in it",
    );
}
