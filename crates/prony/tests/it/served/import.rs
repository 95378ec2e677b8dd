//! `prony import` and `prony record`: what a browser or a client does becomes a scenario that `prony load` plays. The shop takes only what a
//! client has got from it in the same session, so a scenario with values of another session fails.

use crate::browser::drive;
use crate::home::{Ended, Home, wait_for};
use crate::served::real::signal;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

/// A shop with a login, in Python.
struct Shop {
    server: Child,
    url: String,
}

impl Shop {
    /// Starts it; with a key and its certificate it speaks TLS.
    fn open(home: &Home, pem: Option<&str>) -> Self {
        let folder = PathBuf::from(home.file("port", ""));
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/served/shop.py");
        let mut command = Command::new("python3");
        command.arg(script).arg(&folder).args(pem);
        let server = command.spawn().expect("python3 runs");
        let port = || fs::read_to_string(&folder).unwrap_or_default();
        wait_for("the shop", 60, || port().ends_with('\n'));
        let scheme = if pem.is_some() { "https" } else { "http" };
        let url = format!("{scheme}://127.0.0.1:{}", port().trim());
        Self { server, url }
    }
}

impl Drop for Shop {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// A recording that goes on.
struct Recorder {
    child: Child,
    log: PathBuf,
    address: String,
}

impl Recorder {
    /// Begins to record into `shop.toml`.
    fn begin(home: &Home, more: &[&str]) -> Self {
        let log = PathBuf::from(home.file("log", ""));
        let output = log.with_file_name("shop.toml").display().to_string();
        let arguments = [&["record", "-o", &output, "--listen", "127.0.0.1:0", "--no-static"], more].concat();
        let child = home
            .prony(&arguments)
            .stderr(fs::File::create(&log).expect("a log"))
            .spawn()
            .expect("prony runs");
        let text = || fs::read_to_string(&log).unwrap_or_default();
        let begun = || text().contains("to end\n");
        wait_for("the proxy", 60, begun);
        let address = text();
        let address = address.split_once("http://").map_or("", |(_, rest)| rest);
        let address = address.split([';', '\n', ' ']).next().unwrap_or_default().to_owned();
        Self { child, log, address }
    }

    /// Ends it by Ctrl-C, or waits for its end. Returns the scenario.
    fn end(mut self, interrupt: bool) -> String {
        if interrupt {
            signal(&self.child, "INT");
        }
        let status = self.child.wait().expect("it ends");
        let log = fs::read_to_string(&self.log).expect("a log");
        assert_eq!(status.code(), Some(0), "{log}");
        fs::read_to_string(self.log.with_file_name("shop.toml")).expect(&log)
    }
}

/// Plays a scenario without its pauses, and makes sure that every answer is right.
fn play(home: &Home, scenario: &str, url: &str) {
    let lines = scenario.lines().filter(|line| !line.starts_with("think"));
    let file = home.file("played.toml", &lines.collect::<Vec<_>>().join("\n"));
    let mut check = home.prony(&["check", &file]);
    let checked = Ended::from(check.env("PASSWORD", "x").output().expect("prony runs"));
    assert_eq!(checked.code, Some(0), "{scenario}\n{}", checked.stderr);
    let output = home
        .prony(&["load", "--scenario", &file, "-c", "2", "-n", "20", "--json", url])
        .env("PASSWORD", "s3cret!")
        .output()
        .expect("prony runs");
    let ended = Ended::from(output);
    let (code, told) = (ended.code, &ended.stderr);
    // The load may be invalid on a busy machine.
    assert!(matches!(code, Some(0 | 7)), "{code:?}: {scenario}\n{told}");
    let report: serde_json::Value = serde_json::from_str(&ended.stdout).expect("report.json");
    let counts = &report["arms"][0]["levels"][0]["counts"];
    assert!(counts["ok"].as_u64() > Some(9) && counts["ok"] == counts["requests"], "{counts}\n{scenario}");
}

/// The parts that a scenario of the shop must have.
const SHOP: [&str; 7] = [
    "get = \"/login\"",
    "csrf = { regex = ",
    "password = \"${password}\"",
    "# follows a redirect to /home",
    "extract = { token = { json = \"$.token\" } }",
    "bearer = \"${token}\"",
    "body = '{\"itemId\":${id},\"count\":1,\"note\":null}'",
];

fn assert_shop(scenario: &str) {
    for part in SHOP {
        assert!(scenario.contains(part), "`{part}` is missing in:\n{scenario}");
    }
    for part in ["s3cret", "style.css", "app.js"] {
        assert!(!scenario.contains(part), "`{part}` is in:\n{scenario}");
    }
    assert_eq!(scenario.matches("[[scenario.step]]").count(), 5, "{scenario}");
}

#[test]
fn a_browser_behind_the_proxy_records_a_login_that_load_repeats() {
    let home = Home::empty();
    let shop = Shop::open(&home, None);
    let recorder = Recorder::begin(&home, &[]);
    drive("shop.py", &[&shop.url, "proxy", &recorder.address]);
    let scenario = recorder.end(true);
    assert_shop(&scenario);
    play(&home, &scenario, &shop.url);
}

#[test]
fn an_archive_of_a_browser_becomes_a_scenario_that_load_repeats() {
    let home = Home::empty();
    let shop = Shop::open(&home, None);
    let har = home.file("shop.har", "");
    drive("shop.py", &[&shop.url, "har", &har]);
    let ended = home.run(&["import", &har, "--no-static", "--lang", "zh"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(ended.stdout.contains("请设置环境变量 PASSWORD"), "{}", ended.stdout);
    let ended = home.run(&["import", "har", &har, "--no-static"]);
    assert_shop(&ended.stdout);
    play(&home, &ended.stdout, &shop.url);
}

#[test]
fn https_is_read_with_a_certificate_authority_and_the_recording_ends_with_the_browser() {
    let home = Home::empty();
    let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).expect("a certificate");
    let pem = home.file("shop.pem", &(made.signing_key.serialize_pem() + &made.cert.pem()));
    let shop = Shop::open(&home, Some(&pem));
    // A browser that shows no window and ends when it has loaded the page.
    let wrapper = "#!/bin/sh\nPATH=${PATH#*:} exec chromium --headless --dump-dom --no-sandbox \"$@\"\n";
    let wrapper = PathBuf::from(home.executable("chromium", wrapper));
    let folder = wrapper.parent().expect("a folder");
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").expect("a path"));
    let (output, ca) = (folder.join("shop.toml"), folder.join("ca"));
    let url = format!("{}/login", shop.url);
    let arguments = ["record", "--listen", "127.0.0.1:0", "--browser", &url, "--ca"];
    let mut command = home.prony(&arguments);
    command.arg(&ca).arg("-o").arg(&output).env("PATH", path);
    let ended = Ended::from(command.output().expect("prony runs"));
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let scenario = fs::read_to_string(&output).expect("a scenario");
    assert!(scenario.contains("get = \"/login\"") && scenario.contains(&shop.url), "{scenario}");
    let mode = fs::metadata(ca.join("ca-key.pem")).expect("a key").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    play(&home, &scenario, &shop.url);
}

#[test]
fn calls_of_curl_and_targets_of_vegeta_are_played() {
    let home = Home::empty();
    let shop = Shop::open(&home, None);
    let curl = home.file("calls.sh", &format!("curl -s '{}/login' -H 'X-Trace: a'\n", shop.url));
    let ended = home.run(&["import", &curl]);
    assert!(ended.stdout.contains("# line 1\n"), "{}{}", ended.stdout, ended.stderr);
    play(&home, &ended.stdout, &shop.url);
    let vegeta = home.file("targets", &format!("GET {}/style.css\n", shop.url));
    let ended = home.run(&["import", &vegeta]);
    play(&home, &ended.stdout, &shop.url);
    let yaml = format!(
        "openapi: 3.0.0\nservers: [{{url: {}}}]\npaths:\n  /{{file}}:\n    get:\n      parameters: \
         [{{name: file, in: path, required: true, example: app.js}}]\n      responses: {{\"200\": {{description: ok}}}}\n",
        shop.url
    );
    let ended = home.run(&["import", &home.file("shop.yaml", &yaml)]);
    assert!(ended.stdout.contains("file = \"app.js\""), "{}{}", ended.stdout, ended.stderr);
    play(&home, &ended.stdout, &shop.url);
}

#[test]
fn everything_that_is_not_supported_is_listed_at_once() {
    let home = Home::empty();
    let calls = "curl http://h/a\ncurl --digest -u a:b http://h/b\ncurl $(cat urls)\ncurl http://other/\n";
    let file = home.file("calls.sh", calls);
    let output = home.file("there.toml", "");
    let ended = home.run(&["import", "curl", &file]);
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""));
    for part in [
        "calls.sh: line 2: prony cannot do what curl's option --digest asks for",
        "line 3: `$(` is for a shell",
        "hint: --skip-unsupported",
    ] {
        assert!(ended.stderr.contains(part), "`{part}` is missing in:\n{}", ended.stderr);
    }
    let ended = home.run(&["import", "curl", &file, "--skip-unsupported"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!(
        ended.stdout.matches("[[scenario.step]]").count(),
        2,
        "the request to another server is a step: {}",
        ended.stdout
    );
    assert_eq!(ended.stdout.matches("# Left out: line").count(), 2, "{}", ended.stdout);
    for (arguments, says) in [
        (&["import", "jar", &file] as &[&str], "`jar` is no format that prony imports"),
        (&["import", "curl"], "no file is named"),
        (&["import", &output], "of no format that prony knows by itself"),
        (&["import", "har", &file], "cannot be read: "),
        (&["import", &file, "--skip-unsupported", "-o", &output], "is there already"),
        (&["record", "-o", &output], "is there already"),
    ] {
        let ended = home.run(arguments);
        assert_eq!(ended.code, Some(2), "{arguments:?}: {}", ended.stderr);
        assert!(ended.stderr.contains(says), "{arguments:?}: {}", ended.stderr);
    }
}
