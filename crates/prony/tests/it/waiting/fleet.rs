//! `prony load --fleet` with agents that are processes, over a real `nats-server`.

use crate::home::{Ended, Home, wait_for};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};
use testkit::{Reply, Script, ScriptedServer};

/// A process that ends with its value.
pub(crate) struct Process(pub(crate) Child);

impl Process {
    /// Ends it as kill -9 does.
    pub(crate) fn kill(&mut self) {
        self.0.kill().expect("it runs");
        self.0.wait().expect("it ends");
    }

    /// Asks it to end, as Ctrl-C does.
    pub(crate) fn interrupt(&self) {
        let pid = rustix::process::Pid::from_child(&self.0);
        rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("it runs");
    }

    /// Returns the report that it prints as JSON at its end, and its exit code.
    pub(crate) fn report(&mut self) -> (Value, Option<i32>) {
        let stdout = self.0.stdout.take().expect("a pipe");
        let report = serde_json::from_reader(stdout).expect("report.json");
        (report, self.0.wait().expect("it ends").code())
    }

    /// Returns the lines of its stderr as they come.
    pub(crate) fn lines(&mut self) -> mpsc::Receiver<String> {
        let stderr = BufReader::new(self.0.stderr.take().expect("a pipe"));
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            stderr.lines().map_while(Result::ok).for_each(|line| sender.send(line).unwrap_or(()));
        });
        lines
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// A server of messages, a server to be loaded, and agents.
pub(crate) struct Machines {
    pub(crate) home: Home,
    pub(crate) url: String,
    target: ScriptedServer,
    pub(crate) agents: Vec<Process>,
    nats: Process,
}

/// Starts a NATS server with more arguments on a free port of the loopback. Returns its URL, too.
pub(crate) fn start_nats(arguments: &[&str]) -> (Process, String) {
    // The system chooses the port, so that no other process can take it in between.
    let ports = tempfile::tempdir().expect("a folder");
    let mut nats = Command::new("nats-server");
    nats.args(["-a", "127.0.0.1", "-p", "-1", "--ports_file_dir"]).arg(ports.path()).args(arguments);
    let nats = nats.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let nats = Process(nats.expect("nats-server is installed"));
    let file = ports.path().join(format!("nats-server_{}.ports", nats.0.id()));
    let listed = || -> Option<String> {
        let text = std::fs::read_to_string(&file).ok()?;
        let listed: Value = serde_json::from_str(&text).ok()?;
        Some(listed["nats"][0].as_str()?.to_owned())
    };
    wait_for("the NATS server", 20, || listed().is_some());
    let url = listed().expect("its address");
    (nats, url)
}

/// The scale of patience where an agent, a coordinator or the NATS server is lost.
pub(crate) const IMPATIENT: f64 = 0.25;

fn machines(agents: &[&str]) -> Machines {
    machines_in(Home::empty(), agents)
}

fn impatient_machines(agents: &[&str]) -> Machines {
    machines_in(Home::empty().with_patience(IMPATIENT), agents)
}

/// Starts a server of messages, a server to be loaded, and agents.
pub(crate) fn machines_in(home: Home, agents: &[&str]) -> Machines {
    let (nats, url) = start_nats(&[]);
    let agent = |id: &&str| {
        let mut command = home.prony(&["agent", "--nats", &url, "--id", id]);
        Process(command.stderr(Stdio::piped()).spawn().expect("an agent"))
    };
    let reply = Reply::ok("hi").after(Duration::from_millis(2));
    Machines {
        target: ScriptedServer::start(Script::new(reply)).expect("a server"),
        agents: agents.iter().map(agent).collect(),
        home,
        url,
        nats,
    }
}

impl Machines {
    fn command(&self, arguments: &[&str]) -> Command {
        let address = self.target.address().to_string();
        let count = self.agents.len().to_string();
        let common = ["load", &address, "--fleet", &self.url, "--agents", &count];
        let mut command = self.home.prony(&[&common, arguments].concat());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn load(&self, arguments: &[&str]) -> Ended {
        Ended::from(self.command(arguments).output().expect("prony runs"))
    }
}

pub(crate) fn level(stdout: &str) -> Value {
    let report: Value = serde_json::from_str(stdout).expect("report.json");
    report["arms"][0]["levels"][0].clone()
}

#[test]
fn agents_share_a_load_and_the_report_is_that_of_one() {
    let machines = machines(&["m1", "m2", "m3"]);
    let ended = machines.load(&["-c", "6", "-n", "600"]);
    assert!(matches!(ended.code, Some(0 | 7)), "{}", ended.stderr);
    assert_eq!(machines.target.requests(), 600, "divided and not multiplied");
    for said in ["agents: 3 of 3, start spread ", "agent m1: 200 requests, clock ", "lag p99"] {
        assert!(ended.stdout.contains(said), "{said}: {}", ended.stdout);
    }
    // The same agents make the next load.
    let ended = machines.load(&["-c", "3", "-n", "300", "--json"]);
    let level = level(&ended.stdout);
    assert_eq!(level["counts"]["requests"], 300, "{}", ended.stderr);
    let report: Value = serde_json::from_str(&ended.stdout).expect("report.json");
    let notes = report["notes"].as_array().expect("notes").clone();
    let said = |note: &Value| note.as_str().is_some_and(|note| note.starts_with("agents: 3 of 3"));
    assert!(notes.iter().any(said), "{notes:?}");
    assert_eq!(std::fs::read_dir(machines.home.data().join("fleet")).expect("a folder").count(), 0);
}

#[test]
fn an_agent_that_is_killed_is_named_with_its_share() {
    for (how, valid) in [("invalid", false), ("continue", true)] {
        let mut machines = impatient_machines(&["m1", "m2"]);
        let mut load = machines.command(&["-c", "4", "-d", "3s", "--on-loss", how, "--json"]);
        let mut load = Process(load.spawn().expect("prony runs"));
        let lines = load.lines();
        let within = Duration::from_secs(60);
        while !lines.recv_timeout(within).expect("a line").contains("start together") {}
        wait_for("the load", 60, || machines.target.requests() > 10);
        // Sleeps: so that it sends something before.
        std::thread::sleep(Duration::from_secs(1));
        machines.agents[1].kill();
        let killed = Instant::now();
        while !lines.recv_timeout(within).expect("a line").contains("agent m2 is silent") {}
        println!("noticed after {:?}", killed.elapsed());
        let mut stdout = String::new();
        load.0.stdout.take().expect("a pipe").read_to_string(&mut stdout).expect("text");
        let level = level(&stdout);
        if valid {
            assert!(stdout.contains("smaller-load"), "{stdout}");
        } else {
            assert_eq!(level["valid"], false);
            let why = level["why_invalid"].to_string();
            assert!(why.contains("m2") && why.contains("share 2 of 2"), "{why}");
        }
    }
}

#[test]
fn agents_end_their_load_when_the_coordinator_is_killed() {
    let mut machines = impatient_machines(&["m1"]);
    let lines = machines.agents[0].lines();
    let mut load = machines.command(&["-c", "2", "-d", "1h"]);
    let mut load = Process(load.spawn().expect("prony runs"));
    wait_for("the load", 60, || machines.target.requests() > 10);
    load.kill();
    let within = Duration::from_secs(60);
    while !lines.recv_timeout(within).expect("a line").contains("the coordinator was lost") {}
    let served = machines.target.requests();
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(machines.target.requests(), served);
    // What came before is in a file.
    let kept = std::fs::read_dir(machines.home.data().join("fleet")).expect("a folder");
    assert_eq!(kept.count(), 1);
}

#[test]
fn an_interrupted_load_ends_though_its_nats_server_is_gone() {
    let mut machines = impatient_machines(&["m1"]);
    let mut load = machines.command(&["-c", "2", "-d", "1h"]);
    let mut load = Process(load.spawn().expect("prony runs"));
    wait_for("the load", 60, || machines.target.requests() > 10);
    machines.nats.kill();
    load.interrupt();
    let mut code = None;
    wait_for("its end", 60, || {
        code = load.0.try_wait().expect("its state");
        code.is_some()
    });
    assert_eq!(code.and_then(|status| status.code()), Some(130));
}

#[test]
fn what_a_fleet_cannot_do_is_said_at_once() {
    let machines = machines(&["m1", "m2"]);
    let ended = machines.load(&["-c", "1"]);
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("1 connections cannot be divided among 2 agents"), "{}", ended.stderr);
    let creds = machines.home.file("creds.toml", "user = \"a\"\npassword = \"b\"\n");
    std::fs::set_permissions(&creds, std::os::unix::fs::PermissionsExt::from_mode(0o644)).expect("a mode");
    let ended = machines.load(&["-c", "2", "--creds", &creds]);
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("others than its owner can read"), "{}", ended.stderr);
}

/// Starts a load of two agents, kills its coordinator, and starts another one with its run when `is_time`. Returns what that one
/// reports, and how many requests the target got.
fn resumed(machines: &Machines, seconds: &str, is_time: impl FnOnce()) -> (Ended, u64) {
    let load = ["-c", "4", "-d", seconds, "--json"];
    let mut first = Process(machines.command(&load).spawn().expect("prony runs"));
    let lines = first.lines();
    let within = Duration::from_secs(60);
    let run = loop {
        let line = lines.recv_timeout(within).expect("a line");
        let said = line.split_once("--resume ").and_then(|(_, rest)| rest.split_once(' '));
        if let Some((run, _)) = said {
            break run.to_owned();
        }
    };
    let before = machines.target.requests();
    wait_for("the load", 60, || machines.target.requests() > before + 100);
    first.kill();
    is_time();
    let ended = machines.load(&[&load[..], &["--resume", &run]].concat());
    (ended, machines.target.requests())
}

#[test]
fn a_coordinator_that_comes_back_at_once_loses_nothing() {
    let machines = machines(&["m1", "m2"]);
    let (ended, served) = resumed(&machines, "5s", || ());
    let level = level(&ended.stdout);
    // On a busy machine a generator may be late, which is no loss.
    let why = level["why_invalid"].to_string();
    assert!(!why.contains("was lost") && !why.contains("before the time"), "{why}");
    // What was in flight when the load ended is not counted: at most one request of each user.
    let counted = level["counts"]["requests"].as_u64().expect("a number");
    assert!(counted <= served && served <= counted + 4, "{counted} of {served}");
    assert!(ended.stdout.contains("agents: 2 of 2"), "{}", ended.stdout);
    let kept = std::fs::read_dir(machines.home.data().join("fleet")).expect("a folder");
    assert_eq!(kept.count(), 0);
}

#[test]
fn a_coordinator_that_comes_back_late_gets_what_agents_kept() {
    let mut machines = impatient_machines(&["m1", "m2"]);
    let lines: Vec<_> = machines.agents.iter_mut().map(Process::lines).collect();
    let within = Duration::from_secs(60);
    let (ended, served) = resumed(&machines, "1h", || {
        for lines in &lines {
            while !lines.recv_timeout(within).expect("a line").contains("the coordinator was lost") {}
        }
    });
    assert_eq!(ended.code, Some(7), "{}", ended.stderr);
    let level = level(&ended.stdout);
    let why = level["why_invalid"].to_string();
    assert!(why.contains("ended its load before the time"), "{why}");
    let counted = level["counts"]["requests"].as_u64().expect("a number");
    assert!(counted <= served && served <= counted + 4, "{counted} of {served}");
    // Another load cannot be taken up, and neither can this one again.
    let again = machines.load(&["-c", "4", "--resume", "2026-01-01T00:00:00Z-0000"]);
    assert_eq!(again.code, Some(2));
    assert!(again.stderr.contains("there is no load of run"), "{}", again.stderr);
}
