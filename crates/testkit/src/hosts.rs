//! [`Hosts`]: other machines for tests, made of namespaces.

mod host;

pub use host::Host;

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// A network of this machine and [`Host`]s, to which ssh can log in with [`Hosts::config`]. Needs root, iproute2 and openssh-server. All
/// of it is removed when it is dropped; what a killed test leaves is removed by the next one.
///
/// ```no_run
/// let mut hosts = testkit::Hosts::new()?;
/// let mut host = hosts.add("box", None)?;
/// let ssh = std::process::Command::new("ssh").arg("-F").arg(hosts.config()).args(["box", "uptime"]).status()?;
/// host.unplug()?;
/// # std::io::Result::Ok(())
/// ```
#[derive(Debug)]
pub struct Hosts {
    /// Holds the key of this machine, what ssh needs to know, and a folder for each host.
    folder: PathBuf,
    bridge: String,
    /// The first three numbers of all addresses.
    network: [u8; 3],
    added: u8,
}

impl Hosts {
    /// Makes a network without hosts.
    ///
    /// # Errors
    /// What is missing: root, a program, or a free network.
    pub fn new() -> io::Result<Self> {
        static MADE: AtomicU32 = AtomicU32::new(0);
        if !rustix::process::geteuid().is_root() {
            return Err(io::Error::other("only root can make other hosts"));
        }
        // A network is free until its bridge has an address, so that one test at a time may choose, of all processes.
        let chooses = fs::File::create(std::env::temp_dir().join("phn.lock"))?;
        chooses.lock()?;
        remove_leftovers()?;
        let name = format!("phn{}n{}", std::process::id(), MADE.fetch_add(1, Ordering::Relaxed));
        let hosts = Self {
            folder: std::env::temp_dir().join(&name),
            network: free_network()?,
            bridge: name,
            added: 0,
        };
        fs::create_dir_all(&hosts.folder)?;
        run(Command::new("ssh-keygen")
            .args(["-q", "-t", "ed25519", "-N", "", "-f"])
            .arg(hosts.folder.join("key")))?;
        fs::write(hosts.config(), "")?;
        fs::write(hosts.folder.join("known_hosts"), "")?;
        run(Command::new("ip").args(["link", "add", &hosts.bridge, "type", "bridge"]))?;
        let ours = format!("{}/24", hosts.address(1));
        run(Command::new("ip").args(["address", "add", &ours, "dev", &hosts.bridge]))?;
        run(Command::new("ip").args(["link", "set", &hosts.bridge, "up"]))?;
        Ok(hosts)
    }

    /// The address at which the hosts reach this machine.
    #[must_use]
    pub fn our_address(&self) -> Ipv4Addr {
        self.address(1)
    }

    fn address(&self, last: u8) -> Ipv4Addr {
        let [a, b, c] = self.network;
        Ipv4Addr::new(a, b, c, last)
    }

    /// The configuration for `ssh -F`. It names all hosts, whose keys are known.
    #[must_use]
    pub fn config(&self) -> PathBuf {
        self.folder.join("config")
    }

    /// Adds a host, and waits until its sshd answers. `clock` is how far its clock is ahead, as libfaketime understands it: `+1h`.
    ///
    /// # Errors
    /// What could not be made, and why.
    pub fn add(&mut self, name: &str, clock: Option<&str>) -> io::Result<Host> {
        self.added += 1;
        let mut host = Host {
            name: name.to_owned(),
            port: format!("{}p{}", self.bridge.replace('n', "x"), self.added),
            bridge: self.bridge.clone(),
            ours: self.address(1),
            address: self.address(self.added + 1),
            folder: self.folder.join(name),
            parent: None,
        };
        host.install(&fs::read_to_string(self.folder.join("key.pub"))?, clock)?;
        let mut known = fs::read_to_string(self.folder.join("known_hosts"))?;
        let key = fs::read_to_string(host.folder.join("etc/host_key.pub"))?;
        writeln!(known, "{} {}", host.address, key.trim()).map_err(io::Error::other)?;
        fs::write(self.folder.join("known_hosts"), known)?;
        self.alias(name, &host, "")?;
        host.start()?;
        Ok(host)
    }

    /// Adds another name of a host to the ssh configuration, with settings of its own: `User nobody`.
    ///
    /// # Errors
    /// When the configuration cannot be written.
    pub fn alias(&self, name: &str, host: &Host, settings: &str) -> io::Result<()> {
        let mut config = fs::read_to_string(self.config())?;
        let folder = self.folder.display();
        // Of what sshd offers, this takes the least CPU: the usual key exchange takes 50 ms of it for each connection.
        write!(
            config,
            "Host {name}\n{settings}\nHostName {}\nUser root\nIdentityFile {folder}/key\nIdentitiesOnly yes\nUserKnownHostsFile {folder}/known_hosts\n\
             KexAlgorithms curve25519-sha256\nCiphers aes128-gcm@openssh.com\n",
            host.address
        )
        .map_err(io::Error::other)?;
        fs::write(self.config(), config)
    }
}

impl Drop for Hosts {
    fn drop(&mut self) {
        drop(run(Command::new("ip").args(["link", "delete", &self.bridge])));
        drop(fs::remove_dir_all(&self.folder));
    }
}

/// Returns the first three numbers of a network for benchmarks (198.18.0.0/15) that no interface of this machine has.
fn free_network() -> io::Result<[u8; 3]> {
    let taken = run(Command::new("ip").args(["-o", "-4", "address"]))?;
    let first = std::process::id();
    (first..first + 256)
        .map(|any| [198, 19, any.to_le_bytes()[0]])
        .find(|[a, b, c]| !taken.contains(&format!(" {a}.{b}.{c}.")))
        .ok_or_else(|| io::Error::other("all networks of 198.19.0.0/16 are taken"))
}

/// Removes networks and folders of processes that were killed before they could.
fn remove_leftovers() -> io::Result<()> {
    let links = run(Command::new("ip").args(["-o", "link", "show", "type", "bridge"]))?;
    let bridges = links.lines().filter_map(|line| line.split(": ").nth(1));
    let entries = fs::read_dir(std::env::temp_dir())?.flatten();
    let folders: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    for name in bridges.map(str::to_owned).filter(|name| is_leftover(name)) {
        drop(run(Command::new("ip").args(["link", "delete", &name])));
    }
    for name in folders.iter().filter(|name| is_leftover(name)) {
        drop(fs::remove_dir_all(std::env::temp_dir().join(name)));
    }
    Ok(())
}

/// Whether this is the name of a network, and its process is gone.
fn is_leftover(name: &str) -> bool {
    let parts = name.strip_prefix("phn").and_then(|rest| rest.split_once('n'));
    let pid = parts.and_then(|(pid, _)| pid.parse::<u32>().ok());
    pid.is_some_and(|pid| !PathBuf::from(format!("/proc/{pid}")).exists())
}

/// Runs a command to its end, and returns what it prints.
fn run(command: &mut Command) -> io::Result<String> {
    let output = command.output()?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    Err(io::Error::other(format!("{command:?}: {}", stderr.trim())))
}
