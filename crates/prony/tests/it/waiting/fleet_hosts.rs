//! Agents that prony starts on other machines by ssh, and in containers. The machines are namespaces of this one, each with its sshd.

use crate::fixture::with_slow_arms;
use crate::home::{Ended, Home, processes, wait_for};
use crate::served::containers::{containers, no_engine};
use crate::waiting::fleet::{IMPATIENT, Process};
use crate::waiting::fleet_run::{LONGER, SHORT, notes, wait_line};

use std::net::SocketAddr;
use std::process::{Command, Stdio};
use std::sync::mpsc::Receiver;
use testkit::{Host, Hosts, Reply, Script, ScriptedServer};

/// Load machines with the names a, b and c, and a home here.
struct Rig {
    home: Home,
    machines: Vec<Host>,
    hosts: Hosts,
}

impl Rig {
    /// Machines with these names, or nothing where no machine can be made.
    fn with(home: fn() -> Home, names: &[&str]) -> Option<Self> {
        let mut hosts = match Hosts::new() {
            Ok(hosts) => hosts,
            Err(error) => {
                eprintln!("skipped: {error}");
                return None;
            }
        };
        let machines = names.iter().map(|name| hosts.add(name, None).expect("a host"));
        let machines = machines.collect();
        Some(Self { home: home(), machines, hosts })
    }

    fn command(&self, text: &str, fleet: &str) -> Command {
        let file = self.home.file("fleet.toml", text);
        let mut command = self.home.light_prony(&["run", &file, "--json", "--fleet", fleet]);
        command.env("PRONY_SSH_CONFIG", self.hosts.config());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Starts a long run whose load agents on `a` and `b` make; returns it, with the lines of its stderr, when they have begun.
    fn loading(&self) -> (Process, Receiver<String>) {
        let run = self.command(&with_slow_arms(LONGER), "ssh://a,ssh://b").spawn();
        let mut run = Process(run.expect("prony runs"));
        let lines = run.lines();
        wait_line(&lines, "agents: 2 of 2, start spread ");
        (run, lines)
    }

    /// The agents that run on all machines, as their command lines.
    fn agents(&self) -> Vec<String> {
        let all = self.machines.iter().flat_map(Host::processes);
        all.filter(|line| line.contains("__agent")).collect()
    }

    /// What agents have left on all machines; the prony that was put there stays, for the next run.
    fn left(&self) -> Vec<String> {
        let list = "find /root/.cache/prony/host -mindepth 2 -path '*/work/*' -not -name .lock";
        let found = self.machines.iter().map(|machine| machine.inside(list).expect("find"));
        let found: Vec<String> = found.collect();
        found.iter().flat_map(|found| found.lines()).map(str::to_owned).collect()
    }
}

#[test]
fn prony_load_starts_agents_too_and_ends_them() {
    let Some(rig) = Rig::with(Home::empty, &["a", "b"]) else {
        return;
    };
    let here = SocketAddr::from((rig.hosts.our_address(), 0));
    let server = ScriptedServer::start_on(here, Script::new(Reply::ok("hi"))).expect("a server");
    let load = |target: &str, more: &[&str]| {
        let common = ["load", target, "-c", "4", "-d", "1s", "--json", "--fleet"];
        let mut command = rig.home.light_prony(&[&common, more].concat());
        command.env("PRONY_SSH_CONFIG", rig.hosts.config());
        Ended::from(command.output().expect("prony runs"))
    };
    let target = format!("http://{}/", server.address());
    let ended = load(&target, &["ssh://a,ssh://b,local"]);
    assert!(!ended.stderr.contains("--resume"), "{}", ended.stderr);
    let report = ended.report();
    let notes = notes(&report);
    for said in ["agents: 3 of 3, ", "agent agent-1-a: ", "agent agent-2-b: ", "agent agent-3: "] {
        assert!(notes.iter().any(|note| note.starts_with(said)), "{said}: {notes:?}");
    }
    assert_eq!(rig.agents(), [""; 0]);
    let refused = load("http://127.0.0.1:9/", &["ssh://a"]);
    assert!(refused.stderr.contains("127.0.0.1:9"), "{}", refused.stderr);
    assert_eq!(refused.code, Some(2));
    let resumed = load(&target, &["local", "--resume", "r"]);
    assert!(resumed.stderr.contains("--resume and --creds are for agents that wait"), "{}", resumed.stderr);
    assert_eq!(resumed.code, Some(2));
}

#[test]
fn three_hosts_make_the_load_and_keep_no_process() {
    let Some(rig) = Rig::with(Home::with_fixture, &["a", "b", "c"]) else {
        return;
    };
    let command = rig.command(&with_slow_arms(SHORT), "ssh://a,ssh://b,ssh://c").output();
    let ended = Ended::from(command.expect("prony runs"));
    let report = ended.report();
    assert_eq!(report["asked"]["load/agents"], "3");
    let notes = notes(&report);
    for said in
        ["agents: 3 of 3, start spread ", "agent agent-1-a: ", "agent agent-2-b: ", "agent agent-3-c: "]
    {
        assert!(notes.iter().any(|note| note.starts_with(said)), "{said}: {notes:?}");
    }
    let idle = |note: &&String| note.starts_with("agent ") && note.contains(": 0 requests");
    assert_eq!(notes.iter().find(idle), None);
    assert!(ended.stderr.contains("servers listen on 198.19."), "{}", ended.stderr);
    assert_eq!((rig.agents(), rig.left()), (Vec::new(), Vec::new()));
    let cache = rig.home.cache().display().to_string();
    assert_eq!((processes(&[&cache]), rig.home.servers()), (Vec::new(), Vec::new()));
}

#[test]
fn no_agent_is_left_there_when_prony_is_killed() {
    let Some(rig) = Rig::with(Home::with_fixture, &["a", "b"]) else {
        return;
    };
    let (mut run, _lines) = rig.loading();
    let agents = rig.agents();
    assert_eq!(agents.len(), 2, "{agents:?}");
    // The arguments have nothing but the folder; the password came on standard input.
    assert!(agents.iter().all(|line| line.ends_with("__agent /root/.cache/prony/host")), "{agents:?}");
    run.kill();
    wait_for("the end of the agents", 20, || rig.agents().is_empty());
    assert_eq!(rig.left(), [""; 0]);
}

#[test]
fn no_agent_is_left_there_after_an_interrupt() {
    let Some(rig) = Rig::with(Home::with_fixture, &["a", "b"]) else {
        return;
    };
    let (mut run, _lines) = rig.loading();
    run.interrupt();
    let (report, code) = run.report();
    assert_eq!(report["design"]["interrupted"], true);
    assert_eq!(code, Some(130));
    assert_eq!((rig.agents(), rig.left()), (Vec::new(), Vec::new()));
    assert!(rig.home.work_folders().is_empty());
}

#[test]
fn an_agent_whose_link_is_cut_makes_the_level_invalid_and_ends() {
    let home = || Home::with_fixture().with_patience(IMPATIENT);
    let Some(rig) = Rig::with(home, &["a", "b"]) else {
        return;
    };
    let (mut run, lines) = rig.loading();
    rig.machines[1].unplug().expect("its cable is there");
    wait_line(&lines, "agent agent-2-b is lost");
    let (report, code) = run.report();
    assert_eq!(code, Some(7));
    let why = report["arms"][0]["levels"][0]["why_invalid"].to_string();
    assert!(why.contains("agent-2-b") && why.contains("share 2 of 2"), "{why}");
    wait_for("the end of the agents", 30, || rig.agents().is_empty());
    assert_eq!(rig.left(), [""; 0]);
}

#[test]
fn what_keeps_agents_from_their_hosts_is_said() {
    let Some(rig) = Rig::with(Home::empty, &["a"]) else {
        return;
    };
    let target = ScriptedServer::start(Script::new(Reply::ok("hi"))).expect("a server");
    let file =
        format!("arms = [{{ name = \"it\", server = \"url\", url = \"http://{}\" }}]\n", target.address());
    let settings = [("stranger", "User nobody"), ("closed", "Port 1")];
    for (name, setting) in settings {
        rig.hosts.alias(name, &rig.machines[0], setting).expect("an alias");
    }
    let cases = [
        ("ssh://stranger", "Permission denied"),
        ("ssh://closed", "Connection refused"),
        ("ssh://a", "cannot reach the server at 127.0.0.1:"),
        ("ssh://a:b", "is not a host on which agents can be started"),
    ];
    for (fleet, said) in cases {
        let ended = Ended::from(rig.command(&file, fleet).output().expect("prony runs"));
        assert!(matches!(ended.code, Some(2 | 3)), "{fleet}: {:?}", ended.code);
        assert!(ended.stderr.contains(said), "{fleet}: {}", ended.stderr);
    }
    assert_eq!(rig.agents(), [""; 0]);
}

#[test]
fn agents_in_containers_make_the_load() {
    let home = Home::with_fixture();
    let file = home.file("short.toml", &with_slow_arms(SHORT));
    let ended = home.run(&["run", &file, "--json", "--fleet", "podman", "--agents", "2"]);
    if no_engine(&ended) {
        return;
    }
    let notes = notes(&ended.report());
    for said in ["agents: 2 of 2, start spread ", "agent agent-2: "] {
        assert!(notes.iter().any(|note| note.starts_with(said)), "{said}: {notes:?} {}", ended.stderr);
    }
    let cache = home.cache().display().to_string();
    assert_eq!(
        (processes(&[&cache]), home.servers(), containers(&home)),
        (Vec::new(), Vec::new(), Vec::new())
    );
}

#[test]
fn no_container_of_an_agent_is_left_when_prony_is_killed() {
    let home = Home::with_fixture();
    let file = home.file("longer.toml", &with_slow_arms(LONGER));
    let run = home
        .prony(&["run", &file, "--fleet", "podman", "--agents", "2"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn();
    let mut run = Process(run.expect("prony runs"));
    let mut said = String::new();
    for line in run.lines() {
        said = said + &line + "\n";
        if line.contains("agents: 2 of 2, start spread ") {
            break;
        }
    }
    let ended = Ended {
        code: run.0.try_wait().expect("a child").and_then(|status| status.code()),
        stdout: String::new(),
        stderr: said,
    };
    if no_engine(&ended) {
        return;
    }
    assert_eq!(containers(&home).len(), 2, "{}", ended.stderr);
    run.kill();
    wait_for("the end of the containers", 30, || containers(&home).is_empty());
    let cache = home.cache().display().to_string();
    wait_for("the end of all others", 20, || processes(&[&cache]).is_empty() && home.servers().is_empty());
}
