//! `prony nightly`: it runs what was least certain for longest, tells of a change by a real sendmail and a webhook, and pushes to a real
//! PostgreSQL. The nights before are made up from a run that was measured.

use crate::home::{Ended, Home, wait_for};
use crate::served::sinks::free_port;
use model::units::Seconds;
use record::rounds::{RunRecord, SliceRecord};
use std::net::TcpStream;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use store::Store;
use testkit::{Answered, AnsweringServer, Database};

/// Two equal servers; the first one is the anchor. They are so slow that their starts count on a busy machine, too.
const SHOP: &str = r#"
explain = "off"
arms = [
  { name = "anchor", server = "command", command = ["./fixture", "{host}", "{port}", "--delay", "3"] },
  { name = "nightly", server = "command", command = ["./fixture", "{host}", "{port}", "--delay", "3", "--", "tonight"] },
]
[load]
connections = [2]
[design]
headline = "cpu_per_request"
starts = 3
budget = "15s"
warmup = "200ms"
warmup_cap = "200ms"
slice = "200ms"
pairs = 2
latency_pairs = 0
"#;
/// The part of the webhook's address that must not be shown.
const SECRET: &str = "marked-secret-hook";

/// An SMTP server that prints what it gets, and a folder in which `sendmail` is a real one that sends there.
struct Mail {
    server: Child,
    folder: tempfile::TempDir,
}

impl Mail {
    fn start() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let port = free_port();
        let printed = std::fs::File::create(folder.path().join("mails")).expect("a file");
        let server = Command::new("setpriv")
            .args(["--pdeathsig", "KILL", "aiosmtpd", "-n", "-l"])
            .arg(format!("127.0.0.1:{port}"))
            .args(["-c", "aiosmtpd.handlers.Debugging", "stdout"])
            .env("PYTHONUNBUFFERED", "1")
            .stdout(printed)
            .stderr(Stdio::null())
            .spawn()
            .expect("the package is installed");
        wait_for("aiosmtpd", 60, || TcpStream::connect(("127.0.0.1", port)).is_ok());
        let settings = folder.path().join(".msmtprc");
        let text = format!("account default\nhost 127.0.0.1\nport {port}\nfrom prony@perf.example\n");
        std::fs::write(&settings, text).expect("a file");
        std::fs::set_permissions(settings, PermissionsExt::from_mode(0o600)).expect("permissions");
        let path = std::env::var_os("PATH").unwrap_or_default();
        let mut programs = std::env::split_paths(&path).map(|folder| folder.join("msmtp"));
        let msmtp = programs.find(|program| program.is_file()).expect("the package is installed");
        symlink(msmtp, folder.path().join("sendmail")).expect("a link");
        Self { server, folder }
    }

    /// Lets a command find this sendmail and its settings.
    fn given_to<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        let path = std::env::var("PATH").unwrap_or_default();
        let folder = self.folder.path();
        command.env("HOME", folder).env("PATH", format!("{}:{path}", folder.display()))
    }

    /// All mails so far.
    fn mails(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("mails")).expect("a file")
    }
}

impl Drop for Mail {
    fn drop(&mut self) {
        // A child that has ended already is no failure.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// Stores sixteen nights before a run that was measured, in which a request of the second arm took a third of the CPU time.
fn add_nights(folder: &Path, measured: &str) {
    let store = Store::open(folder).expect("the store");
    let measured_record = store.record(measured).expect("a record").expect("a run");
    let measured_rounds = store.rounds(measured).expect("rounds").0;
    for night in 1..=16_u64 {
        let record = RunRecord {
            run: format!("2026-01-{night:02}T02:00:00Z-{night:04x}"),
            // A second for each start, however busy this machine is: so there is always time for another night.
            elapsed: Seconds(measured_rounds.len() as f64),
            ..measured_record.clone()
        };
        store.begin(&record, SHOP).expect("stored");
        let mut rounds = measured_rounds.clone();
        for round in &mut rounds {
            (round.elapsed, round.times) = (Seconds(1.0), None);
            round.slices.iter_mut().for_each(|slice| make_cheaper(slice, night));
            for slice in &round.slices {
                store.store_slice(&record.run, slice).expect("stored");
            }
            store.store_round(&record.run, round).expect("stored");
        }
        let report = judge::report(&record, &rounds);
        store.finish(&record, &report).expect("stored");
    }
}

/// Makes a request of the second arm cheaper by two thirds and a little, which differs from night to night.
fn make_cheaper(slice: &mut SliceRecord, night: u64) {
    if slice.arm == 1 {
        slice.cpu_ns_arm = slice.cpu_ns_arm * (33 + night % 3) / 100;
    }
}

/// Measures the first night of the new level in a home of its own, which has no other run; returns the home, the experiment and the run.
/// `None` when this machine is too busy for two starts that count, three times in a row.
fn measured() -> Option<(Home, String, String)> {
    let measured = (0..3).find_map(|_| {
        let home = Home::with_fixture();
        let file = home.file("shop.toml", SHOP);
        let report = home.run(&["run", &file, "--seed", "7", "--json"]).report();
        let comparisons = report["comparisons"].as_array().expect("comparisons");
        let headline = comparisons.iter().find(|comparison| comparison["measure"] == "cpu_per_request")?;
        let counts = headline["verdict"] != "invalid" && headline["starts"].as_u64() >= Some(2);
        counts.then(|| (home, file, report["run"].as_str().expect("an id").to_owned()))
    });
    if measured.is_none() {
        eprintln!("no run has two starts that count");
    }
    measured
}

fn night(home: &Home, mail: &Mail, arguments: &[&str]) -> Ended {
    let mut command = home.prony(&[&["nightly", "--mail", "nina@perf.example"], arguments].concat());
    Ended::from(mail.given_to(&mut command).output().expect("prony runs"))
}

#[test]
fn a_night_tells_once_of_a_change_for_the_worse() {
    let Some((home, file, first)) = measured() else {
        return;
    };
    let (mail, team) = (Mail::start(), Database::create().expect("a database"));
    let hook = busy_hook();
    add_nights(&home.data(), &first);
    assert_eq!(home.run(&["push", "--store", &team.url("owner")]).code, Some(0));
    // A build server that has nothing but the file, and finds the nights in the team's store.
    let fresh = Home::empty();
    fresh.file("config.toml", &format!("store = \"{}\"\n", team.url("owner")));
    let webhook = format!("http://{}/{SECRET}", hook.address());
    let told = night(&fresh, &mail, &[&file, "--budget", "10s", "--webhook", &webhook]);
    let listed = fresh.run(&["history", "shop", "--json"]).stdout;
    let listed: serde_json::Value = serde_json::from_str(&listed).expect("JSON");
    if listed["runs"][0]["verdicts"][0]["verdict"] == "invalid" {
        assert_eq!(told.code, Some(7), "{}", told.stderr);
        eprintln!("no start of the night counts: {}", told.stderr);
        return;
    }
    assert_eq!(told.code, Some(5), "{} {}", told.stdout, told.stderr);
    let stored = fresh.run(&["report", "latest", "--format", "json"]).stdout;
    assert_told(&told, &hook, &stored);
    assert!(stored.contains(&format!("\"repeat\": \"prony run {file} --budget ")), "{stored}");
    assert_news(&hook, &mail, listed["runs"][0]["run"].as_str().expect("an id"));
    let of_team = home.run(&["history", "shop", "--store", &team.url("owner"), "--gate"]);
    assert_eq!(of_team.code, Some(5), "the run is there, too: {}", of_team.stdout);
    let short = night(&fresh, &mail, &[&file, "--budget", "1s", "--webhook", &webhook]);
    assert_eq!(short.code, Some(7), "nothing was measured: {}", short.stderr);
    assert!(short.stderr.contains("shop.toml: not tonight"), "{}", short.stderr);
    assert_eq!(hook.log().len(), 2, "nobody is told without news");
}

/// A webhook that has no time at first.
fn busy_hook() -> AnsweringServer {
    let asked = AtomicU64::new(0);
    let hook = AnsweringServer::start(move |_| match asked.fetch_add(1, Ordering::Relaxed) {
        0 => Answered::ok("later").status(503),
        _ => Answered::ok("ok"),
    });
    hook.expect("a server")
}

/// Checks what a night says, and that the path of the webhook is neither there nor in the report that is stored.
fn assert_told(told: &Ended, hook: &AnsweringServer, stored: &str) {
    assert!(told.stdout.contains("gate: worse than before, beside anchor"), "{}", told.stdout);
    let hook = format!("told http://{} of the change for the worse\n", hook.address());
    let lines =
        ["shop.toml: ", " starts, at most ", &hook, "told nina@perf.example of the change for the worse\n"];
    for line in lines {
        assert!(told.stderr.contains(line), "{line} is not in {}", told.stderr);
    }
    for text in [told.stdout.as_str(), &told.stderr, stored] {
        assert!(!text.contains(SECRET), "{text}");
    }
}

/// Checks what the webhook and the mail server got.
fn assert_news(hook: &AnsweringServer, mail: &Mail, run: &str) {
    let log = hook.log();
    assert_eq!(log.len(), 2, "the answer 503 is followed by another attempt");
    let posted: serde_json::Value = serde_json::from_str(&log[1].body).expect("JSON");
    let text = posted["text"].as_str().expect("a text");
    assert!(text.starts_with("prony: shop got worse\n\ngate: worse than before"), "{text}");
    assert!(text.contains(&format!("`prony report {run}` shows the run")), "{text}");
    assert_eq!((&posted["run"], &posted["gate"]["worse"][0]["arm"]), (&run.into(), &"nightly".into()));
    wait_for("the mail", 30, || mail.mails().contains("END MESSAGE"));
    let mails = mail.mails();
    assert!(mails.contains("\nTo: nina@perf.example\nSubject: prony: shop got worse\n"), "{mails}");
    let (_, body) = mails.split_once("base64\n").expect("a head");
    let lines = body.lines().skip_while(|line| !line.is_empty()).skip(1);
    let encoded: String = lines.take_while(|line| !line.starts_with('-')).collect();
    let decoded = base64::Engine::decode(&base64::engine::general_purpose::STANDARD, encoded);
    let decoded = String::from_utf8(decoded.expect("base64")).expect("UTF-8");
    assert_eq!(decoded, text);
}

#[test]
fn a_night_with_a_mistake_is_refused_before_anything_runs() {
    let home = Home::empty();
    let (file, wrong) = (home.file("shop.toml", SHOP), home.file("wrong.toml", "arms = []\n"));
    let refused = |arguments: &[&str], words: &str| {
        let ended = home.run(&[&["nightly", "--budget", "1h"], arguments].concat());
        assert_eq!(ended.code, Some(2), "{arguments:?}: {}", ended.stderr);
        assert!(ended.stderr.contains(words), "{}", ended.stderr);
        assert!(!ended.stderr.contains(SECRET), "{}", ended.stderr);
    };
    refused(&[&file, &wrong], "wrong.toml");
    refused(&[&file, "-"], "stdin is none of them");
    refused(&[&file, "--webhook", &format!("ftp://{SECRET}/")], "the webhook is no URL");
    refused(&[&file, "--mail", "nina"], "`nina` is no address of mail");
    let runs: serde_json::Value =
        serde_json::from_str(&home.run(&["history", "--json"]).stdout).expect("JSON");
    assert_eq!(runs["runs"], serde_json::json!([]));
}

/// A file of this repository.
fn repository(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::read_to_string(root.join(path)).expect("a file")
}

/// Runs a command line in a folder whose only experiment file has a mistake: that shows that its arguments are accepted.
fn assert_accepted(command: &str) {
    let home = Home::empty();
    let folder = home.cache().join("perf");
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("wrong.toml"), "arms = []\n").expect("a file");
    let program = Path::new(env!("CARGO_BIN_EXE_prony")).parent().expect("a folder");
    let path = std::env::var("PATH").unwrap_or_default();
    let mut shell = home.command("sh", &["-e", "-c", command]);
    let output =
        shell.env("PATH", format!("{}:{path}", program.display())).current_dir(home.cache()).output();
    let ended = Ended::from(output.expect("a shell"));
    assert!(ended.code == Some(2) && ended.stderr.contains("perf/wrong.toml"), "{command}: {}", ended.stderr);
}

#[test]
fn the_units_of_systemd_are_accepted() {
    let service = repository("deploy/prony-nightly.service");
    let timer = repository("deploy/prony-nightly.timer");
    let (_, line) = service.split_once("ExecStart=/usr/bin/").expect("a command");
    let line = line.lines().next().expect("a line");
    assert_accepted(&line.replace("$PRONY_FILES", "perf/wrong.toml").replace("${PRONY_BUDGET}", "2h"));
    // systemd looks for the program, too.
    let home = Home::empty();
    let here = service.replace("/usr/bin/prony", env!("CARGO_BIN_EXE_prony"));
    let verify = |service: &str| {
        let files = [home.file("prony-nightly.service", service), home.file("prony-nightly.timer", &timer)];
        let output = Command::new("systemd-analyze").arg("verify").args(files).output();
        output.ok().map(|output| String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let Some(said) = verify(&here) else {
        println!("systemd-analyze is not installed, so only the arguments were checked");
        return;
    };
    assert_eq!(said, "");
    let wrong = verify(&here.replace("LimitNOFILE=", "LimitNOFILES=")).expect("it runs");
    assert!(wrong.contains("LimitNOFILES"), "{wrong}");
}

#[test]
fn the_commands_of_the_guide_are_accepted() {
    let guide = repository("docs/guide/history.md");
    let lines = guide.lines().filter(|line| line.contains("prony nightly "));
    let commands: Vec<&str> = lines
        .filter_map(|line| {
            let from = &line[line.find("prony nightly ")?..];
            Some(from.split(['\'', '`']).next().unwrap_or(from))
        })
        .collect();
    assert!(commands.len() >= 3, "{commands:?}");
    commands.into_iter().for_each(assert_accepted);
}
