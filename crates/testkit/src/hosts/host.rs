//! [`Host`]: one machine of a [`Hosts`](super::Hosts).

use super::run;
use std::fs;
use std::io::{self, Read};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long a host may need to start.
const START: Duration = Duration::from_secs(20);

/// The workspace, which other machines do not have.
const HIDDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// How much longer a host has been running than this machine, in seconds, so that nobody mixes up their monotonic clocks.
const AHEAD: &str = "864000";

/// Namespaces that are a machine of their own: network, processes, host name, uptime, `/tmp`, `/run`, `/root`, and an sshd on port 22. It
/// shares CPUs, kernel and programs with this machine. It ends when it is dropped, or when the thread ends that started it.
#[derive(Debug)]
pub struct Host {
    pub(super) name: String,
    /// The interface of this machine at which the host is plugged in.
    pub(super) port: String,
    pub(super) bridge: String,
    pub(super) ours: Ipv4Addr,
    pub(super) address: Ipv4Addr,
    /// `etc` is its `/etc/ssh`, and `root` its `/root`.
    pub(super) folder: PathBuf,
    /// The `unshare` that is the parent of its first process. None while it is off.
    pub(super) parent: Option<Child>,
}

impl Host {
    /// Its name in the ssh configuration, and its host name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its address, which only this machine can reach.
    #[must_use]
    pub fn address(&self) -> Ipv4Addr {
        self.address
    }

    /// Writes what it keeps between starts: its host key, its sshd configuration, and who may log in. `clock` is how far its clock is ahead,
    /// such as `+1h`, as libfaketime understands it.
    pub(super) fn install(&self, public_key: &str, clock: Option<&str>) -> io::Result<()> {
        let (etc, ssh) = (self.folder.join("etc"), self.folder.join("root/.ssh"));
        fs::create_dir_all(&etc)?;
        fs::create_dir_all(&ssh)?;
        fs::set_permissions(self.folder.join("root"), fs::Permissions::from_mode(0o700))?;
        let key = etc.join("host_key");
        run(Command::new("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(key))?;
        fs::write(ssh.join("authorized_keys"), public_key)?;
        let mut config =
            "HostKey /etc/ssh/host_key\nPermitRootLogin prohibit-password\nStrictModes no\nUsePAM no\nPasswordAuthentication no\nKbdInteractiveAuthentication no\n"
                .to_owned();
        if let Some(clock) = clock {
            let library =
                wrong_clock_library().ok_or_else(|| io::Error::other("faketime is not installed"))?;
            config += &format!(
                "SetEnv LD_PRELOAD={} FAKETIME={clock} FAKETIME_DONT_FAKE_MONOTONIC=1\n",
                library.display()
            );
        }
        fs::write(etc.join("sshd_config"), config)
    }

    /// Switches it on, and waits until its sshd answers.
    ///
    /// # Errors
    /// What could not be made, or that it does not answer in time.
    pub fn start(&mut self) -> io::Result<()> {
        let hidden = fs::canonicalize(HIDDEN)?;
        let script = self.folder.join("start.sh");
        fs::write(&script, include_str!("start.sh"))?;
        let child = Command::new("setpriv")
            .args(["--pdeathsig", "KILL", "unshare", "--net", "--mount", "--uts", "--ipc", "--pid"])
            .args(["--fork", "--kill-child", "--mount-proc", "--time"])
            .args(["--monotonic", AHEAD, "--boottime", AHEAD, "sh"])
            .args([script.as_os_str(), self.name.as_ref()])
            .args([self.address.to_string(), self.ours.to_string()])
            .args([&self.folder, &hidden])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(fs::File::create(self.folder.join("log"))?)
            .spawn()?;
        let parent = child.id().to_string();
        self.parent = Some(child);
        let deadline = Instant::now() + START;
        self.until(deadline, |host| host.first_process().is_some())?;
        run(Command::new("ip")
            .args(["link", "add", &self.port, "type", "veth", "peer", "name", "eth0"])
            .args(["netns", &parent]))?;
        run(Command::new("ip").args(["link", "set", &self.port, "master", &self.bridge, "up"]))?;
        self.until(deadline, Self::answers)
    }

    fn until(&self, deadline: Instant, condition: impl Fn(&Self) -> bool) -> io::Result<()> {
        while !condition(self) {
            if Instant::now() > deadline {
                let log = fs::read_to_string(self.folder.join("log")).unwrap_or_default();
                return Err(io::Error::other(format!("{} does not start: {log}", self.name)));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    /// Whether its sshd greets who connects.
    fn answers(&self) -> bool {
        let address = SocketAddr::from((self.address, 22));
        let greeting = || -> io::Result<[u8; 4]> {
            let mut stream = TcpStream::connect_timeout(&address, Duration::from_millis(200))?;
            stream.set_read_timeout(Some(Duration::from_secs(2)))?;
            let mut greeting = [0; 4];
            stream.read_exact(&mut greeting)?;
            Ok(greeting)
        };
        greeting().is_ok_and(|greeting| &greeting == b"SSH-")
    }

    /// The id of its first process, as this machine sees it.
    fn first_process(&self) -> Option<u32> {
        let parent = self.parent.as_ref()?.id();
        let children = fs::read_to_string(format!("/proc/{parent}/task/{parent}/children")).ok()?;
        children.trim().parse().ok()
    }

    /// Switches it off: every process there is killed at once. Its `/root` stays.
    pub fn stop(&mut self) {
        let Some(mut parent) = self.parent.take() else {
            return;
        };
        // Its first process is killed with it, and all others with the first.
        drop(parent.kill().and_then(|()| parent.wait()));
        // It vanishes with the namespace, but not at once.
        drop(run(Command::new("ip").args(["link", "delete", &self.port])));
    }

    /// Unplugs its cable.
    ///
    /// # Errors
    /// When the interface is not there.
    pub fn unplug(&self) -> io::Result<()> {
        run(Command::new("ip").args(["link", "set", &self.port, "down"])).map(drop)
    }

    /// Plugs its cable in again.
    ///
    /// # Errors
    /// When the interface is not there.
    pub fn plug_in(&self) -> io::Result<()> {
        run(Command::new("ip").args(["link", "set", &self.port, "up"])).map(drop)
    }

    /// Limits its link in both directions to so many megabits a second.
    ///
    /// # Errors
    /// When the kernel cannot do that.
    pub fn limit_link(&self, megabits: u32) -> io::Result<()> {
        let limit = format!("root tbf rate {megabits}mbit burst 32kb latency 50ms");
        run(Command::new("tc").args(["qdisc", "replace", "dev", &self.port]).args(limit.split(' ')))?;
        self.inside(&format!("tc qdisc replace dev eth0 {limit}")).map(drop)
    }

    /// Runs a shell script there, as its root but not over ssh, and returns what it prints.
    ///
    /// # Errors
    /// What the script printed to stderr, if it fails.
    pub fn inside(&self, script: &str) -> io::Result<String> {
        let first = self.first_process().ok_or_else(|| io::Error::other("it is off"))?;
        run(Command::new("nsenter")
            .args(["--all", "--target", &first.to_string(), "sh", "-c", script])
            .env("HOME", "/root"))
    }

    /// The command lines of the processes there, without its first one, its sshd, and ended ones.
    #[must_use]
    pub fn processes(&self) -> Vec<String> {
        let space = |pid: &str| fs::read_link(format!("/proc/{pid}/ns/pid")).ok();
        let Some(first) = self.first_process().map(|pid| pid.to_string()) else {
            return Vec::new();
        };
        let Some(ours) = space(&first) else {
            return Vec::new();
        };
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        let pids = entries.filter_map(|entry| entry.file_name().into_string().ok());
        pids.filter(|pid| *pid != first && space(pid).as_ref() == Some(&ours))
            .filter_map(|pid| fs::read(format!("/proc/{pid}/cmdline")).ok())
            .map(|line| String::from_utf8_lossy(&line).replace('\0', " ").trim().to_owned())
            .filter(|line| {
                !line.is_empty() && !line.starts_with("/usr/sbin/sshd") && !line.starts_with("sshd")
            })
            .filter(|line| line != "sleep 1")
            .collect()
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The library that gives programs another time, if it is installed.
fn wrong_clock_library() -> Option<PathBuf> {
    let folders = fs::read_dir("/usr/lib").ok()?.flatten();
    folders.map(|folder| folder.path().join("faketime/libfaketime.so.1")).find(|path| path.exists())
}
