//! Arms on other machines, each with its own sshd. The machines are namespaces of this one.

mod explained;
mod lost;
mod refused;
mod ways;

use crate::fixture::with_slow_arms;
use crate::home::{Ended, Home, wait_for};
use crate::waiting::fleet::IMPATIENT;

use std::process::{Child, Stdio};
use std::time::{Duration, Instant};
use testkit::{Host, Hosts};

/// An experiment with one short start of a server on this machine and of an equal one on the other.
const FILE: &str = r#"
explain = "off"
arms = [
  { name = "here", FIXTURE },
  { name = "there", FIXTURE, host = "ssh://box" },
]
[load]
connections = 2
[design]
starts = 5
budget = "1s"
pairs = 2
slice = "200ms"
settle = "50ms"
warmup = "200ms"
warmup_cap = "200ms"
latency_pairs = 0
"#;

/// A script of the user that stands for the server of [`FILE`] in some tests.
const COMMAND: &str = "server = \"command\", command = [\"./serve\", \"{host}\", \"{port}\"]";

/// One other machine, and a home here.
pub(crate) struct Rig {
    home: Home,
    host: Host,
    hosts: Hosts,
}

impl Rig {
    /// A machine named `box`, or nothing where no machine can be made.
    #[track_caller]
    pub(crate) fn new() -> Option<Self> {
        Self::with_clock(None)
    }

    /// One where each end of a connection is given up soon.
    #[track_caller]
    fn impatient() -> Option<Self> {
        let rig = Self::new()?;
        let home = rig.home.with_patience(IMPATIENT);
        Some(Self { home, ..rig })
    }

    #[track_caller]
    fn with_clock(clock: Option<&str>) -> Option<Self> {
        let mut hosts = match Hosts::new() {
            Ok(hosts) => hosts,
            Err(error) => {
                eprintln!("skipped: {error}");
                return None;
            }
        };
        let home = Home::with_downloads();
        home.add_fixture();
        Some(Self { home, host: hosts.add("box", clock).expect("a host"), hosts })
    }

    /// A command that runs prony with an experiment.
    fn command(&self, text: &str, arguments: &[&str]) -> std::process::Command {
        let file = self.home.file("hosts.toml", &with_slow_arms(text));
        let mut command = self.home.light_prony(&[&["run", &file, "--json"], arguments].concat());
        command.env("PRONY_SSH_CONFIG", self.hosts.config());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs an experiment to its end.
    pub(crate) fn run(&self, text: &str) -> Ended {
        Ended::from(self.command(text, &[]).output().expect("prony runs"))
    }

    /// Starts a run of this budget whose slices last long, and returns it when the server there is being loaded.
    fn in_a_slice(&self, budget: &str) -> Child {
        let long = FILE
            .replace("starts = 5", "starts = 3")
            .replace("budget = \"1s\"", &format!("budget = \"{budget}\""))
            .replace("slice = \"200ms\"", "slice = \"2s\"")
            .replace("\npairs = 2", "\npairs = 1");
        let mut prony = self.command(&long, &[]).spawn().expect("prony runs");
        let deadline = Instant::now() + Duration::from_secs(60);
        let loaded = || {
            let count = self.host.inside("ss -Htn state established 'sport != :22' | wc -l");
            count.expect("ss").trim().parse::<u32>().expect("a count") >= 2
        };
        while !loaded() {
            if Instant::now() > deadline || prony.try_wait().expect("a child").is_some() {
                drop(prony.kill());
                panic!("no load there: {}", Ended::from(prony.wait_with_output().expect("it ends")).stderr);
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        // Sleeps: so that what happens next happens in a slice.
        std::thread::sleep(Duration::from_secs(1));
        prony
    }

    /// Asserts that neither machine has a process or a file of a run. What a JVM publishes about itself is removed by the next JVM.
    pub(crate) fn assert_nothing_left(&self) {
        wait_for("the processes there to end", 10, || self.host.processes().is_empty());
        let files = self
            .host
            .inside("find /tmp -type f -not -path '/tmp/hsperfdata_*'; ss -Hltn 'sport != :22'")
            .expect("find");
        assert_eq!(files, "");
        assert_eq!((self.home.servers(), self.home.work_folders().len()), (Vec::new(), 0));
    }
}
