//! `prony why`, files with one arm, and settings of the application that `--prove` tries, on real servers.

use crate::home::{Home, counts};
use crate::measured::causes::{causes, machine_is_busy};

use serde_json::Value;

/// The last paragraph on the terminal, in one line.
fn last_paragraph(text: &str) -> String {
    let last = text.trim_end().rsplit("\n\n").next().unwrap_or_default();
    last.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Five threads that hold each request for 20 ms answer 250 a second, however many users there are.
#[test]
#[ignore = "measured: ./test --all"]
fn one_server_is_enough_to_ask_why_it_is_slow() {
    let home = Home::with_downloads();
    let pay = "/pay?orderId=1&millis=20";
    let ended = home.run(&[
        "why",
        "tomcat:10.1.29,threads=5,heap=64M",
        "--app",
        "pay",
        "--path",
        pay,
        "-c",
        "40",
        "--seed",
        "7",
        "--json",
    ]);
    let report = ended.report();
    if !counts(&report) || machine_is_busy(&report) {
        return;
    }
    assert_eq!(report["comparisons"], Value::Array(Vec::new()));
    let levels = report["arms"][0]["levels"].as_array().expect("levels");
    assert_eq!(levels.last().expect("a level")["load"]["users"], 40);
    let name = report["arms"][0]["name"].as_str().expect("a name");
    assert_eq!(
        causes(&report, name).first().map(String::as_str),
        Some("thread-pool-limit")
    );
    let text = home.run(&["report", "latest"]).stdout;
    let paragraph = last_paragraph(&text);
    assert!(paragraph.starts_with("With 40 connections "), "{text}");
    assert!(paragraph.contains("thread-pool-limit"), "{text}");
    let listed = home.run(&["history"]).stdout;
    assert!(listed.contains("limited by thread-pool-limit"), "{listed}");
    assert_eq!((home.servers(), home.work_folders().len()), (Vec::new(), 0));
}

/// A server whose pool is as large as the variable POOL says. A request holds a place for 20 ms.
const POOLED: &str = r#"
import os, sys, threading, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

pool = threading.Semaphore(int(os.environ.get("POOL", "2")))

class Shop(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        with pool:
            time.sleep(0.02)
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *words):
        pass

ThreadingHTTPServer.request_queue_size = 128
ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Shop).serve_forever()
"#;

const TUNED: &str = r#"
arms = [{ name = "shop", server = "command", command = ["python3", "shop.py", "{port}"] }]
explain = "prove"
[load]
connections = 16
[design]
warmup = "500ms"
warmup_cap = "500ms"
slice = "300ms"
[tune]
"pool.size" = { env = "POOL", values = [2, 8] }
"#;

#[test]
#[ignore = "measured: ./test --all"]
fn a_setting_of_the_application_is_tried_where_prony_knows_none_itself() {
    let home = Home::with_downloads();
    home.file("shop.py", POOLED);
    let file = home.file("tuned.toml", TUNED);
    let ended = home.run(&["run", &file, "--json", "--seed", "7"]);
    let report = ended.report();
    if !counts(&report) || machine_is_busy(&report) {
        return;
    }
    let coded = report["notes_coded"].as_array().expect("notes");
    let tuned = coded.iter().find(|note| note["code"] == "tuned");
    let tuned = tuned.unwrap_or_else(|| panic!("nothing was tried: {report:#}"));
    let values = tuned["values"]["values"].as_array().expect("values");
    let of = |value: &str| {
        let found = values.iter().find(|one| one["value"] == value).expect("tried");
        found["throughput"]["value"].as_f64().expect("an effect")
    };
    assert!(of("8") > 2.0 && (0.7..1.4).contains(&of("2")), "{values:?}");
    // It is the advice at the load at which the values were tried.
    let mut advised = report["arms"][0]["diagnoses"]
        .as_array()
        .expect("diagnoses")
        .iter();
    assert!(
        advised.any(|one| one["change"][0]["value"] == "8"),
        "{}",
        report["arms"][0]
    );
}

/// A service whose program and argument lie beside the file, wherever prony is started.
#[test]
#[ignore = "measured: ./test --all"]
fn files_of_a_service_are_found_beside_the_experiment() {
    let home = Home::with_downloads();
    home.file("side.py", &POOLED.replace("0.02", "0"));
    home.file("shop.py", POOLED);
    let file = home.file(
        "side.toml",
        "explain = \"off\"\narms = [{ name = \"shop\", server = \"command\", command = [\"python3\", \"shop.py\", \"{port}\"] }]\n\
         [load]\nconnections = [2]\n[design]\nwarmup = \"500ms\"\nwarmup_cap = \"500ms\"\npairs = 2\nslice = \"200ms\"\nlatency_pairs = 0\n\
         [service.side]\ncommand = [\"python3\", \"side.py\", \"{port}\"]\nready = \"http /\"\n",
    );
    let ended = home.run(&["run", &file, "--json", "--seed", "7"]);
    counts(&ended.report());
}
