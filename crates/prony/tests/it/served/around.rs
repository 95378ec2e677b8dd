//! A server of the user with limits and a side service: it gets what its file asks for, and nothing of it is left behind.

use crate::fixture::with_arms;
use crate::home::{Ended, Home, counts, wait_for};

use std::collections::BTreeSet;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A server in Python. With a file that holds a key and its certificate it speaks TLS.
pub(crate) const SERVER: &str = r#"#!/usr/bin/env python3
import http.server, ssl, sys


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "13")
        self.end_headers()
        self.wfile.write(b"Hello, World!")

    def log_message(self, *words):
        pass


server = http.server.ThreadingHTTPServer((sys.argv[1], int(sys.argv[2])), Handler)
if len(sys.argv) > 3:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[3])
    server.socket = context.wrap_socket(server.socket, server_side=True)
server.serve_forever()
"#;

const FILE: &str = r#"
path = "/hello"
explain = "off"
arms = [
  { name = "limited", server = "command", command = ["./fixture", "{host}", "{port}", "--cache-of", "MEMCACHED_ADDRESS"], ready = { path = "/health", body = "ok" }, memory = "64M", cpus = 0.5 },
  { name = "free", FIXTURE, services = [] },
]
[service.memcached]
[load]
connections = 2
[design]
starts = 5
budget = "1s"
pairs = 2
slice = "200ms"
warmup = "200ms"
warmup_cap = "200ms"
latency_pairs = 0
"#;

/// Runs a file to its end. Returns also the process id, which is part of the names of the control groups.
fn run(home: &Home, file: &str) -> (u32, Ended) {
    let child = home
        .prony(&["run", file, "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("prony runs");
    let pid = child.id();
    (pid, Ended::from(child.wait_with_output().expect("it ends")))
}

/// Returns the folders of the control groups of a prony, of either version of control groups.
fn groups(pid: u32) -> Vec<PathBuf> {
    let name = format!("prony-{pid}-");
    let mut folders = Vec::new();
    let mut open = vec![PathBuf::from("/sys/fs/cgroup")];
    while let Some(folder) = open.pop() {
        let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        for entry in entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
            if entry.file_name().to_string_lossy().starts_with(&name) {
                folders.push(entry.path());
            }
            open.push(entry.path());
        }
    }
    folders
}

/// Whether this machine cannot limit memory and CPU, as the stderr of a run with limits tells.
fn cannot_limit(stderr: &str) -> bool {
    let cannot_limit = stderr.contains("cannot be limited here");
    if cannot_limit {
        eprintln!("skipped: {stderr}");
    }
    cannot_limit
}

#[test]
fn a_command_runs_within_its_limits_beside_its_own_memcached() {
    let home = Home::with_fixture();
    let file = home.file("own.toml", &with_arms(FILE));
    let (pid, ended) = run(&home, &file);
    if cannot_limit(&ended.stderr) {
        return;
    }
    let report = ended.report();
    let (limited, free) = (&report["arms"][0], &report["arms"][1]);
    let counted = counts(&report);
    for arm in [limited, free].into_iter().filter(|_| counted) {
        let counts = &arm["levels"][0]["counts"];
        assert!(counts["ok"].as_u64() > Some(0) && counts["ok"] == counts["requests"], "{counts}");
        assert!(arm["startup"]["value"].as_f64() > Some(0.0));
        assert!(arm["levels"][0]["measures"]["cpu_per_request"]["value"].as_f64() > Some(0.0));
    }
    let effective = &limited["effective"];
    assert_eq!((&effective["memory_limit"], &effective["cpu_limit"]), (&(64 << 20).into(), &0.5.into()));
    assert!(effective["limited_by"].as_str().is_some_and(|by| by.starts_with("cgroup v")));
    if !counted {
        return;
    }
    let gets = limited["facts"]["memcached.cmd_get"].as_f64();
    assert!(gets >= limited["levels"][0]["counts"]["ok"].as_f64(), "{}", limited["facts"]);
    let of_limits = |name: &String| !name.starts_with("gc.");
    let counters = free["facts"].as_object().into_iter().flatten();
    assert_eq!(counters.map(|(name, _)| name).find(|name| of_limits(name)), None);
    assert!(free["effective"]["limited_by"].is_null());
    let shown = home.run(&["report", "--format", "md"]).stdout;
    for part in ["| CPU limit | 0.5 CPUs | none |", "| memcached.cmd_get |", "| cgroup.nr_throttled |"] {
        assert!(shown.contains(part), "`{part}` is missing in:\n{shown}");
    }
    assert_eq!((groups(pid), home.work_folders().len()), (Vec::new(), 0), "something was left behind");
}

#[test]
fn an_arm_that_exceeds_its_memory_limit_under_load_is_reported() {
    let home = Home::with_fixture();
    let grow = with_arms(FILE)
        .replace(r#""--cache-of", "MEMCACHED_ADDRESS""#, r#""--grow", "4""#)
        .replace(", cpus = 0.5", "");
    let ended = home.run(&["run", &home.file("grow.toml", &grow)]);
    if cannot_limit(&ended.stderr) {
        return;
    }
    assert_eq!(ended.code, Some(3), "{}", ended.stderr);
    let message = "arm `limited`: fixture was killed by the kernel: it needed more than its limit of 64.0 MiB of memory";
    assert!(ended.stderr.contains(message) && ended.stderr.contains("hint:"), "{}", ended.stderr);
    assert_eq!(home.work_folders().len(), 0, "something was left behind");
}

#[test]
fn a_missing_program_is_reported_before_anything_is_started() {
    let home = Home::with_fixture();
    let missing = FILE
        .replace("FIXTURE, services", "server = \"command\", command = [\"./absent\", \"{port}\"], services");
    let ended = home.run(&["run", &home.file("missing.toml", &missing)]);
    assert_eq!(ended.code, Some(3), "{}", ended.stderr);
    assert!(ended.stderr.contains("arm `free`: the command cannot be started: "), "{}", ended.stderr);
    assert!(
        ended.stderr.contains("/absent is not there") && ended.stderr.contains("hint:"),
        "{}",
        ended.stderr
    );
}

const RUNNING: &str = r#"
path = "/hello"
explain = "off"
expect = "Hello, World!"
arms = [
  { name = "there", server = "url", url = "http://127.0.0.1:PORT" },
  { name = "secret", server = "url", url = "https://127.0.0.1:SECURE" },
  { name = "started", FIXTURE },
]
[load]
connections = 2
[design]
starts = 5
budget = "1s"
pairs = 2
slice = "200ms"
warmup = "200ms"
warmup_cap = "200ms"
latency_pairs = 0
"#;

/// The arms start in random order; with this seed, `there` starts first.
const THERE_FIRST: &str = "7";

/// Returns a free port of 127.0.0.1.
fn free_port() -> String {
    let port = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    port.expect("a port").port().to_string()
}

/// Starts a server without prony and waits until it answers.
fn already_running(program: &Path, port: &str, certificate: Option<&str>) -> Child {
    let started = Command::new(program).args(["127.0.0.1", port]).args(certificate).spawn();
    wait_for("the server", 20, || TcpStream::connect(format!("127.0.0.1:{port}")).is_ok());
    started.expect("it starts")
}

#[test]
fn a_server_that_runs_already_is_loaded_and_left_as_it_was() {
    let home = Home::with_fixture();
    let (port, secure) = (free_port(), free_port());
    let text = with_arms(RUNNING).replace("PORT", &port).replace("SECURE", &secure);
    let file = home.file("running.toml", &text);
    let nobody = home.run(&["run", &file, "--seed", THERE_FIRST]);
    assert_eq!(nobody.code, Some(3), "{}", nobody.stderr);
    let message = format!("arm `there`: nobody whose process can be seen listens at http://127.0.0.1:{port}");
    assert!(nobody.stderr.contains(&message), "{}", nobody.stderr);

    // The certificate is signed by nobody, and its name does not match either.
    let made = rcgen::generate_simple_self_signed(["elsewhere.example".to_owned()]).expect("made");
    let pem = made.signing_key.serialize_pem() + &made.cert.pem();
    let certificate = home.file("server.pem", &pem);
    let (plain, encrypts) = (home.path().join("fixture"), home.executable("secure", SERVER));
    let mut running = [
        already_running(&plain, &port, None),
        already_running(Path::new(&encrypts), &secure, Some(&certificate)),
    ];
    let other = text.replace("expect = \"Hello, World!\"", "expect = \"goodbye\"");
    let other = home.run(&["run", &home.file("other.toml", &other), "--seed", THERE_FIRST]);
    let (_, ended) = run(&home, &file);
    for there in &mut running {
        let alive = there.try_wait().expect("a child").is_none();
        there.kill().and_then(|()| there.wait()).expect("it ends");
        assert!(alive, "it was ended");
    }
    assert_eq!(other.code, Some(3), "{}", other.stderr);
    let message =
        "does not give the right answer to GET /hello: status 200, 13 bytes of body: \"Hello, World!\"";
    assert!(other.stderr.contains(message), "{}", other.stderr);
    let report = ended.report();
    for (index, tls) in [(0, false), (1, true)] {
        let arm = &report["arms"][index];
        let cpu = &arm["levels"][0]["measures"]["cpu_per_request"];
        assert!(!counts(&report) || cpu["value"].as_f64() > Some(0.0), "{arm}");
        assert!(arm["startup"].is_null() && arm["peak_memory"].is_null(), "{arm}");
        let agreed = arm["effective"]["tls"].as_str();
        assert_eq!(agreed.is_some_and(|agreed| agreed.starts_with("TLSv1.3 TLS_")), tls, "{arm}");
    }
    let measures: BTreeSet<&str> = report["comparisons"]
        .as_array()
        .expect("comparisons")
        .iter()
        .filter_map(|comparison| comparison["measure"].as_str())
        .collect();
    assert_eq!(measures, BTreeSet::from(["throughput", "cpu_per_request"]));
    let notes = report["notes"].to_string();
    assert!(notes.contains("prony did not start there and secret"), "{notes}");
    assert!(notes.contains("the certificate of secret was not verified"), "{notes}");
}

/// A service whose program and argument lie beside the file, wherever prony is started.
#[test]
fn files_of_a_service_are_found_beside_the_experiment() {
    let home = Home::with_fixture();
    home.file("side.sh", "exec \"${0%/*}/fixture\" 127.0.0.1 \"$1\"\n");
    home.executable("side", "#!/bin/sh\nexec sh \"$@\"\n");
    let text = with_arms(
        r#"
explain = "off"
arms = [{ name = "shop", FIXTURE }]
[load]
connections = [2]
[design]
pairs = 2
slice = "200ms"
warmup = "200ms"
warmup_cap = "200ms"
latency_pairs = 0
[service.side]
command = ["./side", "side.sh", "{port}"]
ready = "http /"
"#,
    );
    let file = home.file("side.toml", &text);
    let elsewhere = tempfile::tempdir().expect("a folder");
    let mut prony = home.prony(&["run", &file, "--json", "--seed", "7", "--budget", "1s"]);
    let ended = prony.current_dir(elsewhere.path()).output().expect("prony runs");
    let report = Ended::from(ended).report();
    assert_eq!(report["fingerprint"]["arm/shop/service/side"], "./side side.sh {port}");
}
