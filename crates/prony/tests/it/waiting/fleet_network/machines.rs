//! [`Machines`]: network namespaces on two bridges. Messages go over one and the load over the other, so that a cut of a
//! machine's link for messages leaves its load alone.

use crate::home::{Home, wait_for};
use crate::waiting::fleet::{Process, level};
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};
use serde_json::Value;
use std::fs::File;
use std::io::Read;
use std::net::SocketAddr;
use std::os::fd::AsFd;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};
use testkit::{Reply, Script, ScriptedServer};

/// The machines in the order of their addresses, from 1.
const NAMES: [&str; 6] = ["m1", "m2", "m3", "srv", "co", "nats"];
/// How long a line of a program is awaited.
const PATIENCE: Duration = Duration::from_secs(60);
/// The first part of the names of all namespaces. It shows which namespaces a test that was killed has left.
const PREFIX: &str = "pfp";

/// The namespaces, which are removed with this value.
pub(super) struct Network {
    /// What is common to the names of all namespaces of this value.
    name: String,
}

/// A network with its NATS server, the server that is loaded, and agents.
pub(super) struct Machines {
    pub(super) home: Home,
    pub(super) target: ScriptedServer,
    pub(super) agents: Vec<Process>,
    pub(super) nats: Process,
    pub(super) network: Network,
}

/// A load that runs, and what it reports.
pub(super) struct Load {
    pub(super) process: Process,
    pub(super) lines: mpsc::Receiver<String>,
}

/// How a load ended.
pub(super) struct Done {
    /// Every line that it reported since it was last looked at.
    pub(super) lines: Vec<String>,
    /// The result of its only level.
    pub(super) level: Value,
    pub(super) notes: String,
}

fn ip(arguments: &str) {
    let output = Command::new("ip").args(arguments.split(' ')).output();
    let output = output.expect("ip runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "ip {arguments}: {said}");
}

/// Removes the namespaces of tests that were killed.
fn remove_abandoned() {
    for entry in std::fs::read_dir("/run/netns").into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let mut words = name.split('-');
        let is_ours = words.next() == Some(PREFIX);
        let pid = words.next().filter(|_| is_ours);
        if pid.is_some_and(|pid| !std::path::Path::new("/proc").join(pid).exists()) {
            // Another test may have removed it meanwhile.
            Command::new("ip").args(["netns", "del", &name]).stderr(Stdio::null()).status().ok();
        }
    }
}

impl Network {
    fn create() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        remove_abandoned();
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let network = Self { name: format!("{PREFIX}-{}-{count}", std::process::id()) };
        let switch = network.namespace("sw");
        ip(&format!("netns add {switch}"));
        for bridge in ["msg", "load"] {
            ip(&format!("-n {switch} link add {bridge} type bridge"));
            ip(&format!("-n {switch} link set {bridge} up"));
        }
        for (number, machine) in (1..).zip(NAMES) {
            let namespace = network.namespace(machine);
            ip(&format!("netns add {namespace}"));
            ip(&format!("-n {namespace} link set lo up"));
            for (bridge, net) in [("msg", 77), ("load", 78)] {
                let port = format!("{bridge}-{machine}");
                ip(&format!("link add {bridge} netns {namespace} type veth peer name {port} netns {switch}"));
                ip(&format!("-n {namespace} addr add 10.{net}.0.{number}/24 dev {bridge}"));
                ip(&format!("-n {namespace} link set {bridge} up"));
                ip(&format!("-n {switch} link set {port} master {bridge} up"));
            }
        }
        network
    }

    fn namespace(&self, machine: &str) -> String {
        format!("{}-{machine}", self.name)
    }

    /// Cuts or mends the link over which a machine's messages go.
    pub(super) fn set_link(&self, machine: &str, is_up: bool) {
        let state = if is_up { "up" } else { "down" };
        let switch = self.namespace("sw");
        ip(&format!("-n {switch} link set msg-{machine} {state}"));
    }

    /// Cuts the link over which a machine's load goes.
    pub(super) fn cut_load_link(&self, machine: &str) {
        let switch = self.namespace("sw");
        ip(&format!("-n {switch} link set load-{machine} down"));
    }

    /// Returns a command that runs a program on a machine. The program keeps the process id.
    pub(super) fn command(&self, home: &Home, machine: &str, program: &str, arguments: &[&str]) -> Command {
        // Not `ip netns exec`, which hides the control groups.
        let enter = format!("--net=/run/netns/{}", self.namespace(machine));
        home.command("nsenter", &[&[&enter, program], arguments].concat())
    }

    /// Starts a server that answers after so long, on a machine.
    fn serve(&self, machine: &str, delay: Duration) -> ScriptedServer {
        let path = format!("/run/netns/{}", self.namespace(machine));
        let file = File::open(path).expect("a namespace");
        let address: SocketAddr = "10.78.0.4:8080".parse().expect("an address");
        // The server's thread stays in the namespace of the thread that starts it.
        let started = std::thread::spawn(move || {
            move_into_link_name_space(file.as_fd(), Some(LinkNameSpaceType::Network)).expect("root");
            ScriptedServer::start_on(address, Script::new(Reply::ok("hi").after(delay)))
        });
        started.join().expect("no panic").expect("a server")
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        for machine in NAMES.iter().chain(["sw"].iter()) {
            Command::new("ip").args(["netns", "del", &self.namespace(machine)]).status().ok();
        }
    }
}

impl Machines {
    /// Starts agents on the load machines; each has variables that are added to its environment. Answers take `delay`.
    pub(super) fn start(home: Home, delay: Duration, environments: &[&[(&str, &str)]]) -> Self {
        let network = Network::create();
        let mut machines = Self {
            target: network.serve("srv", delay),
            agents: Vec::new(),
            nats: spawn_nats(&network, &home),
            home,
            network,
        };
        for (index, environment) in environments.iter().enumerate() {
            let id = NAMES[index];
            let arguments = ["agent", "--nats", Self::URL, "--id", id, "--allow", "10.78.0.4:8080"];
            let prony = env!("CARGO_BIN_EXE_prony");
            let mut command = machines.network.command(&machines.home, id, prony, &arguments);
            command.envs(environment.iter().copied());
            let agent = command.stderr(Stdio::piped()).spawn().expect("an agent");
            machines.agents.push(Process(agent));
        }
        machines
    }

    /// Where the NATS server is.
    pub(super) const URL: &str = "nats://10.77.0.6:4222";

    /// Starts the NATS server again after it was killed.
    pub(super) fn restart_nats(&mut self) {
        self.nats = spawn_nats(&self.network, &self.home);
    }

    /// Starts a load from the coordinator, and waits until it has begun.
    pub(super) fn load(&self, arguments: &[&str]) -> Load {
        let count = self.agents.len().to_string();
        let common = ["load", "10.78.0.4:8080", "--fleet", Self::URL, "--agents", &count, "--json"];
        let arguments = [&common, arguments].concat();
        let prony = env!("CARGO_BIN_EXE_prony");
        let mut command = self.network.command(&self.home, "co", prony, &arguments);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = Process(command.spawn().expect("prony runs"));
        let lines = process.lines();
        let load = Load { process, lines };
        load.await_line("start together");
        wait_for("the load", 60, || self.target.requests() > 10);
        load
    }
}

fn spawn_nats(network: &Network, home: &Home) -> Process {
    let mut command = network.command(home, "nats", "nats-server", &["-a", "10.77.0.6", "-p", "4222"]);
    let nats = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    Process(nats.expect("nats-server is installed"))
}

impl Load {
    /// Waits for a line that contains a text; returns those before it, and how long it took.
    pub(super) fn await_line(&self, text: &str) -> (Vec<String>, Duration) {
        let (mut before, began) = (Vec::new(), Instant::now());
        loop {
            let line = self.lines.recv_timeout(PATIENCE);
            let line = line.unwrap_or_else(|_| panic!("no line with `{text}` after {before:?}"));
            if line.contains(text) {
                return (before, began.elapsed());
            }
            before.push(line);
        }
    }

    /// The lines that it reports until then.
    pub(super) fn lines_until(&self, end: Instant) -> Vec<String> {
        let next = || {
            let left = end.saturating_duration_since(Instant::now());
            self.lines.recv_timeout(left).ok()
        };
        std::iter::from_fn(next).collect()
    }

    /// Waits until it has ended.
    pub(super) fn end(mut self) -> Done {
        let mut stdout = String::new();
        let mut pipe = self.process.0.stdout.take().expect("a pipe");
        pipe.read_to_string(&mut stdout).expect("text");
        let lines: Vec<String> = self.lines.iter().collect();
        let report: Value = serde_json::from_str(&stdout).unwrap_or_else(|_| panic!("{lines:?}"));
        Done { lines, level: level(&stdout), notes: report["notes"].to_string() }
    }
}
