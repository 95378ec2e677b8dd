//! [`Network`]: a private link between the load and the servers. It consists of two network namespaces and a pair of
//! virtual interfaces that joins them.
//!
//! Servers listen on 127.0.0.1 as always, and need no other settings. The difference is where that address is: the load's
//! namespace has no loopback, and its route to 127.0.0.1 leads over the link. (The kernel drops such packets unless
//! `route_localnet` allows them.) A server and its services talk over the loopback of their namespace, not over the link.
//!
//! Nothing can be left behind. A sleeping process under guard holds each namespace and dies with prony, and the kernel
//! removes a namespace with its interfaces and settings when its last process has ended. Names of interfaces are local to
//! a namespace, so two pronies cannot collide.

use crate::error::{Error, FileAct, NoNetworkReason, Startable};
use crate::files::work::WorkFolder;
use crate::tools::namespace::{CURRENT, move_to};
use crate::tools::parent;
use crate::tools::site::{Job, Site};
use crate::tools::tool::{self, ProcessGroup};
use ask::link::Link;
use model::units::BitRate;
use rustix::process::geteuid;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The name of the interface at either end.
const INTERFACE: &str = "wire";
/// The address of the load's end, which no host has (RFC 5737, TEST-NET-1).
const LOAD: &str = "192.0.2.1";
/// The address of the servers' end.
const SERVERS: &str = "192.0.2.2";
/// Bytes that may wait for a busy link: the kernel's default queue of 1,000 packets.
const QUEUE: u64 = 1000 * 1514;
/// The token bucket holds what passes in this many milliseconds: short, so that the rate is kept evenly.
const BURST_MS: u64 = 2;
/// The least size of the bucket in bytes: with less than some packets the link would stay below its rate.
const LEAST_BURST: u64 = 10 * 1514;
/// The time that each command has; it needs milliseconds.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(20);

/// The namespaces of one run. They vanish when this is dropped and no process is in them any more.
#[derive(Debug)]
pub struct Network {
    load: NetworkNamespace,
    servers: NetworkNamespace,
    link: Link,
}

/// A network namespace, and the process that holds it.
#[derive(Debug)]
struct NetworkNamespace {
    file: File,
    holder: ProcessGroup,
}

/// This thread is in another namespace until this is dropped. The threads and processes that it starts stay there.
#[derive(Debug)]
#[must_use]
pub struct Entered {
    before: File,
}

impl Network {
    /// Checks whether a link can be made here. Call it before anything is downloaded.
    pub fn check() -> Result<(), Error> {
        if !geteuid().is_root() {
            return Err(Error::NoNetwork { why: NoNetworkReason::NotRoot });
        }
        for (program, package) in [("unshare", "util-linux"), ("ip", "iproute2"), ("tc", "iproute2")] {
            if tool::find(Path::new(program)).is_none() {
                return Err(Error::NoProgram {
                    what: Startable::Link,
                    program: program.to_owned(),
                    package: Some(package.to_owned()),
                });
            }
        }
        Ok(())
    }

    /// Makes the namespaces and the link between them.
    pub fn create(link: &Link, site: &Site, stop: &AtomicBool) -> Result<Self, Error> {
        Self::check()?;
        let network = Self {
            load: NetworkNamespace::create(site, stop)?,
            servers: NetworkNamespace::create(site, stop)?,
            link: link.clone(),
        };
        let work = WorkFolder::create(&site.cache, 0)?;
        let job = Job { site, work: &work, stop };
        let run = |namespace: &NetworkNamespace, command: &str| namespace.run(command, &job);
        let other = network.servers.holder.id();
        run(
            &network.load,
            &format!("ip link add name {INTERFACE} type veth peer name {INTERFACE} netns {other}"),
        )?;
        run(&network.servers, "ip link set lo up")?;
        let ends = [(&network.load, LOAD, "127.0.0.1"), (&network.servers, SERVERS, LOAD)];
        for (end, address, other) in ends {
            end.set("conf/all/route_localnet", "1")?;
            run(end, &format!("ip address add {address}/32 dev {INTERFACE}"))?;
            run(end, &format!("ip link set {INTERFACE} up"))?;
            run(end, &format!("ip route add {other} dev {INTERFACE} src {address}"))?;
            if let Some(rate) = link.rate {
                run(end, &limit_command(rate))?;
            }
        }
        if let Some(ports) = &link.local_ports {
            let range = format!("{} {}", ports.start(), ports.end());
            network.load.set("ip_local_port_range", &range)?;
        }
        Ok(network)
    }

    /// Moves this thread into the load's namespace, where 127.0.0.1 is at the other end of the link.
    pub fn enter(&self) -> Result<Entered, Error> {
        self.load.enter()
    }

    /// Moves this thread into the servers' namespace.
    pub fn enter_servers(&self) -> Result<Entered, Error> {
        self.servers.enter()
    }

    /// The properties of the link, for the fingerprint.
    pub(crate) fn facts(&self) -> Vec<(String, String)> {
        let rate = self.link.rate.map_or("unlimited".to_owned(), |rate| rate.to_string());
        let ports = self.link.local_ports.as_ref();
        let ports = ports.map(|ports| format!("{}-{}", ports.start(), ports.end()));
        let facts = [("link/rate", Some(rate)), ("link/local_ports", ports)];
        facts.into_iter().filter_map(|(what, value)| Some((what.to_owned(), value?))).collect()
    }
}

/// Does `work` in the servers' namespace, if there is a link.
pub(crate) fn among_servers<T>(
    network: Option<&Network>,
    work: impl FnOnce() -> Result<T, Error>,
) -> Result<T, Error> {
    let _entered = network.map(Network::enter_servers).transpose()?;
    work()
}

/// The command that limits the rate of a link by a token bucket: packets wait in its queue, and are dropped when it is
/// full.
fn limit_command(rate: BitRate) -> String {
    let burst = (rate.0 / 8 * BURST_MS / 1000).max(LEAST_BURST);
    let bits = rate.0;
    format!("tc qdisc replace dev {INTERFACE} root tbf rate {bits}bit burst {burst} limit {}", QUEUE + burst)
}

impl NetworkNamespace {
    /// Makes a namespace and waits until it exists.
    fn create(site: &Site, stop: &AtomicBool) -> Result<Self, Error> {
        let mut command = site.guard.command("unshare");
        command.args(["--net", "sleep", "infinity"]);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut holder = ProcessGroup::new(parent::spawn(command)?);
        let path = PathBuf::from(format!("/proc/{}/ns/net", holder.id()));
        let read = |path: &Path| fs::read_link(path).ok();
        let current = read(Path::new(CURRENT));
        let began = Instant::now();
        // The guard becomes unshare, and that becomes sleep: it is one process, whose namespace changes in between.
        while read(&path).is_none_or(|its| Some(its) == current) {
            if stop.load(Ordering::Relaxed) {
                return Err(Error::Interrupted);
            }
            let ended = holder.ended()?.map(|status| NoNetworkReason::Ended(status.to_string()));
            let late = (began.elapsed() > COMMAND_TIMEOUT).then_some(NoNetworkReason::NoNamespace);
            if let Some(why) = ended.or(late) {
                return Err(Error::NoNetwork { why });
            }
            sleep(Duration::from_millis(1));
        }
        let file = File::open(&path).map_err(|error| Error::io(FileAct::Open, &path, error))?;
        Ok(Self { file, holder })
    }

    fn enter(&self) -> Result<Entered, Error> {
        let current = Path::new(CURRENT);
        let before = File::open(current).map_err(|error| Error::io(FileAct::Open, current, error))?;
        move_to(&self.file)
            .map_err(|error| Error::NoNetwork { why: NoNetworkReason::NoEntry(error.to_string()) })?;
        Ok(Entered { before })
    }

    /// Runs a command in the namespace. Its words must not have spaces.
    fn run(&self, command: &str, job: &Job<'_>) -> Result<(), Error> {
        let mut words = command.split(' ');
        let mut guarded = job.site.guard.command(words.next().unwrap_or_default());
        guarded.args(words);
        let _entered = self.enter()?;
        let finished = tool::run(guarded, job.work, job.stop, Some(COMMAND_TIMEOUT))?;
        if finished.status.success() {
            return Ok(());
        }
        Err(Error::NoNetwork {
            why: NoNetworkReason::Command {
                command: command.to_owned(),
                output: finished.output.trim().to_owned(),
            },
        })
    }

    /// Sets an IPv4 parameter of the namespace; the kernel shows each namespace its own.
    fn set(&self, name: &str, value: &str) -> Result<(), Error> {
        let _entered = self.enter()?;
        let path = Path::new("/proc/sys/net/ipv4").join(name);
        fs::write(&path, value).map_err(|error| Error::io(FileAct::Write, &path, error))
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        // This cannot fail: we are root, as we were when we left it.
        let _ = move_to(&self.before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_holds_two_milliseconds_or_some_packets() {
        assert_eq!(
            limit_command(BitRate(45_000_000)),
            "tc qdisc replace dev wire root tbf rate 45000000bit burst 15140 limit 1529140"
        );
        assert!(limit_command(BitRate(1_000_000_000)).contains("burst 250000 "));
    }
}
